package jsonx

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns the one text of the JSON value raw: no white space, members in the order of RFC 8785 section 3.2.3 (by
// UTF-16 code units), strings escaped as its section 3.2.2.2 says, and numbers as exact decimals. Numbers differ from the RFC on
// purpose: they never pass through float64, so two different numbers never share a text, and 1, 1.0 and 10e-1 always do; -0 is 0.
//
// It fails on text that is not strict JSON (RFC 8259, with duplicate names, invalid UTF-8 and depths beyond 10,000 refused), and
// with ErrExponent on a number whose exponent is beyond MaxExponent.
func Canonical(raw []byte) ([]byte, error) {
	if !jsontext.Value(raw).IsValid() { // which allocates nothing
		if err := strict(raw); err != nil {
			return nil, err
		}
	}
	return CanonicalValid(raw)
}

// CanonicalValid is Canonical of a text that is known to be strict JSON, because it was validated or encoded before.
func CanonicalValid(raw []byte) ([]byte, error) {
	c := canonizers.Get().(*canonizer)
	c.src, c.dst = raw, make([]byte, 0, len(raw))
	_, err := c.value(Space(raw, 0))
	dst := c.dst
	c.release()
	if err != nil {
		return nil, err
	}
	return dst, nil
}

// strict reports what keeps raw from being one strict JSON value.
func strict(raw []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if err := dec.SkipValue(); err != nil {
		return fmt.Errorf("read JSON: %w", err)
	}
	if rest := Space(raw, int(dec.InputOffset())); rest < len(raw) {
		return fmt.Errorf("read JSON: text after the value at offset %d", rest)
	}
	return nil
}

// A canonizer writes one value. It is pooled; everything in it but dst is reused.
type canonizer struct {
	src, dst []byte
	members  []canonMember // of the objects that are being written, outermost first
	names    []byte        // what escaped names stand for
	unsorted []byte
}

// canonMember is a member that has been written to dst[at:end].
type canonMember struct {
	name    []byte // unescaped
	at, end int
}

var canonizers = sync.Pool{New: func() any { return new(canonizer) }}

func (c *canonizer) release() {
	const keep = 1 << 16
	if cap(c.members) > keep/16 || cap(c.names) > keep || cap(c.unsorted) > keep {
		return
	}
	clear(c.members[:cap(c.members)])
	c.src, c.dst, c.members, c.names = nil, nil, c.members[:0], c.names[:0]
	canonizers.Put(c)
}

func (c *canonizer) value(i int) (end int, err error) {
	switch c.src[i] {
	case '{':
		return c.object(i)
	case '[':
		return c.array(i)
	case '"':
		end, escaped, _ := String(c.src, i)
		c.str(c.src[i:end], escaped)
		return end, nil
	case 't', 'f', 'n':
		end, _ := Literal(c.src, i)
		c.dst = append(c.dst, c.src[i:end]...)
		return end, nil
	}
	end, _ = Number(c.src, i)
	v, err := ParseDecimal(c.src[i:end])
	if err != nil {
		return end, fmt.Errorf("number at offset %d: %w", i, err)
	}
	c.dst = v.Append(c.dst)
	return end, nil
}

func (c *canonizer) array(i int) (int, error) {
	c.dst = append(c.dst, '[')
	i = Space(c.src, i+1)
	for n := 0; c.src[i] != ']'; n++ {
		if n > 0 {
			c.dst = append(c.dst, ',')
		}
		end, err := c.value(i)
		if err != nil {
			return 0, err
		}
		if i = Space(c.src, end); c.src[i] == ',' {
			i = Space(c.src, i+1)
		}
	}
	c.dst = append(c.dst, ']')
	return i + 1, nil
}

// object writes the members as they come, and then puts them in order.
func (c *canonizer) object(i int) (int, error) {
	c.dst = append(c.dst, '{')
	start, base, sorted := len(c.dst), len(c.members), true
	i = Space(c.src, i+1)
	for c.src[i] != '}' {
		if len(c.members) > base {
			c.dst = append(c.dst, ',')
		}
		m := canonMember{at: len(c.dst)}
		end, escaped, _ := String(c.src, i)
		if m.name = c.src[i+1 : end-1]; escaped {
			from := len(c.names)
			c.names = Unquote(c.names, c.src[i:end])
			m.name = c.names[from:]
			c.dst, _ = AppendString(c.dst, m.name)
		} else {
			c.dst = append(c.dst, c.src[i:end]...)
		}
		c.dst = append(c.dst, ':')
		end, err := c.value(Space(c.src, Space(c.src, end)+1))
		if err != nil {
			return 0, err
		}
		m.end = len(c.dst)
		sorted = sorted && (len(c.members) == base || compareUTF16(c.members[len(c.members)-1].name, m.name) < 0)
		c.members = append(c.members, m)
		if i = Space(c.src, end); c.src[i] == ',' {
			i = Space(c.src, i+1)
		}
	}
	if !sorted {
		c.sort(c.members[base:], start)
	}
	c.members = c.members[:base]
	c.dst = append(c.dst, '}')
	return i + 1, nil
}

// sort puts the members, which stand in dst from start on, in order.
func (c *canonizer) sort(members []canonMember, start int) {
	slices.SortFunc(members, func(a, b canonMember) int { return compareUTF16(a.name, b.name) })
	c.unsorted = append(c.unsorted[:0], c.dst[start:]...)
	c.dst = c.dst[:start]
	for n, m := range members {
		if n > 0 {
			c.dst = append(c.dst, ',')
		}
		c.dst = append(c.dst, c.unsorted[m.at-start:m.end-start]...)
	}
}

// compareUTF16 compares two texts by their UTF-16 code units. UTF-8 has the same order, but for the characters beyond U+FFFF:
// their surrogates come before U+E000 to U+FFFF.
func compareUTF16(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE { // the first bytes of characters from U+E000 on: 0xEE and 0xEF go behind 0xF0 to 0xF4
			x, y = x^0x10, y^0x10
		}
		return cmp.Compare(x, y)
	}
	return cmp.Compare(len(a), len(b))
}

func (c *canonizer) str(lit []byte, escaped bool) {
	if !escaped {
		c.dst = append(c.dst, lit...)
		return
	}
	from := len(c.names)
	c.names = Unquote(c.names, lit)
	c.dst, _ = AppendString(c.dst, c.names[from:])
	c.names = c.names[:from]
}

// AppendQuote appends s as a JSON string literal. Invalid UTF-8 becomes U+FFFD.
func AppendQuote(dst []byte, s string) []byte {
	dst, _ = AppendString(dst, s)
	return dst
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string literal, escaped as RFC 8785 section 3.2.2.2 does: only what must be escaped is. Each
// byte that is not UTF-8 becomes U+FFFD, and ok is false then.
func AppendString[T ~string | ~[]byte](dst []byte, s T) (out []byte, ok bool) {
	dst, ok = append(dst, '"'), true
	from := 0 // what comes before it is in dst
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			w := word(s, i)
			stop := stoppers(w) | w&highs
			if stop == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(stop) / 8
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			if i += n; r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i-1]...), "\uFFFD"...)
				from, ok = i, false
			}
			continue
		}
		if i++; isStopper(c) {
			dst = appendEscape(append(dst, s[from:i-1]...), c)
			from = i
		}
	}
	return append(append(dst, s[from:]...), '"'), ok
}

func word[T ~string | ~[]byte](s T, i int) uint64 {
	s = s[i : i+8] // so that the eight loads become one
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
