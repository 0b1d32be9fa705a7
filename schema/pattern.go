package schema

import (
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// Pattern matching with the backtracking engine may cost this much time in one check; then the value is too complex.
const (
	matchTimeout   = 100 * time.Millisecond
	patternsBudget = 250 * time.Millisecond
)

// A pattern is a regular expression in the dialect of ECMA-262 (core specification, section 6.4), unanchored. Most are run by
// package regexp in linear time; those that need look-around or back references, by a backtracking engine under a time limit.
type pattern struct {
	src    string
	simple simplePattern // nil: not simple
	fast   *regexp.Regexp
	slow   *regexp2.Regexp
}

func compilePattern(src string) (*pattern, error) {
	if translated, ok := translatePattern(src); ok {
		if re, err := regexp.Compile(translated); err == nil {
			return &pattern{src: src, fast: re, simple: newSimplePattern(translated)}, nil
		}
	}
	re, err := regexp2.Compile(src, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = matchTimeout
	return &pattern{src: src, slow: re}, nil
}

// match reports whether text matches. When that takes too long it stops the check.
func (p *pattern) match(s *state, text []byte) bool {
	if p.simple != nil {
		return p.simple.match(text)
	}
	if p.fast != nil {
		return p.fast.Match(text)
	}
	start := time.Now()
	ok, err := p.slow.MatchString(string(text))
	s.work += int(time.Since(start) * workBudget / patternsBudget)
	if err != nil || s.work > workBudget {
		s.stop(tooComplex, 0)
	}
	return ok && err == nil
}

const (
	ecmaSpace = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	ecmaDot   = `[^\n\r\x{2028}\x{2029}]`
)

// translatePattern rewrites an ECMA-262 pattern to what package regexp takes, where they differ only in spelling. It gives up on
// what package regexp reads differently.
func translatePattern(src string) (string, bool) {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '\\':
			n, ok := translateEscape(&b, src[i:], inClass)
			if !ok {
				return "", false
			}
			i += n - 1
		case inClass && c == ']':
			inClass = false
			b.WriteByte(c)
		case inClass && c == '[':
			b.WriteString(`\[`)
		case !inClass && c == '[':
			inClass = true
			b.WriteByte(c)
			if strings.HasPrefix(src[i:], "[]") || strings.HasPrefix(src[i:], "[^]") {
				return "", false // an empty class to ECMA-262
			}
		case !inClass && c == '.':
			b.WriteString(ecmaDot)
		case !inClass && strings.HasPrefix(src[i:], "(?"):
			if n := strings.IndexAny(src[i:], ":<>=!)"); n < 0 || n > 2 || strings.HasPrefix(src[i:], "(?<=") || strings.HasPrefix(src[i:], "(?<!") {
				return "", false // flags and look-behind
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), !inClass
}

// translateEscape rewrites the escape that src starts with and returns its length.
func translateEscape(b *strings.Builder, src string, inClass bool) (int, bool) {
	if len(src) < 2 {
		return 0, false
	}
	class := func(body string, negated bool) bool {
		switch {
		case !inClass && negated:
			b.WriteString("[^" + body + "]")
		case !inClass:
			b.WriteString("[" + body + "]")
		case negated:
			return false
		default:
			b.WriteString(body)
		}
		return true
	}
	switch c := src[1]; {
	case c == 's' || c == 'S':
		return 2, class(ecmaSpace, c == 'S')
	case strings.IndexByte("dDwWtnrfv", c) >= 0 || (c == 'b' || c == 'B') && !inClass:
		b.WriteString(src[:2])
		return 2, true
	case c == 'u' && len(src) >= 6 && isHex(src[2:6]):
		if v := src[2:6]; strings.HasPrefix(strings.ToLower(v), "d") && v[1] >= '8' {
			return 0, false // a surrogate
		}
		b.WriteString(`\x{` + src[2:6] + `}`)
		return 6, true
	case c == 'x' && len(src) >= 4 && isHex(src[2:4]):
		b.WriteString(src[:4])
		return 4, true
	case (c == 'p' || c == 'P') && len(src) > 2 && src[2] == '{':
		return translateProperty(b, src)
	case c == 'c' && len(src) > 2 && (src[2]|0x20 >= 'a' && src[2]|0x20 <= 'z'):
		b.WriteString(`\x{` + string("0123456789abcdef"[src[2]&31>>4]) + string("0123456789abcdef"[src[2]&15]) + `}`)
		return 3, true
	case c == '0' && (len(src) == 2 || src[2] < '0' || src[2] > '9'):
		b.WriteString(`\x{0}`)
		return 2, true
	case c < 0x80 && !isAlphanumeric(c):
		b.WriteString(src[:2])
		return 2, true
	}
	return 0, false
}

// generalCategories are the long names that ECMA-262 has for what package regexp knows by short ones.
var generalCategories = map[string]string{
	"Letter": "L", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me",
	"Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
	"Punctuation": "P", "punct": "P", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Separator": "Z", "Space_Separator": "Zs",
	"Control": "Cc", "cntrl": "Cc", "Other": "C",
}

func translateProperty(b *strings.Builder, src string) (int, bool) {
	end := strings.IndexByte(src, '}')
	if end < 0 {
		return 0, false
	}
	name := src[3:end]
	for _, prefix := range []string{"gc=", "General_Category=", "sc=", "Script=", "scx=", "Script_Extensions="} {
		name = strings.TrimPrefix(name, prefix)
	}
	if short, ok := generalCategories[name]; ok {
		name = short
	}
	b.WriteString(src[:3] + name + "}")
	return end + 1, true
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
