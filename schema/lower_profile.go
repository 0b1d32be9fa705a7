package schema

import "strings"

// A profile is what the rebuilt form of a dialect takes.
type profile struct {
	strict bool
	// allRequired: every property is required, and optional ones are nullable (OpenAI, "Supported schemas").
	allRequired bool
	// refs says which references are followed.
	refs refRule
	// keeps lists the keywords that are sent; the rest goes to the description.
	keeps map[string]bool
	// formats lists the formats that are sent.
	formats map[string]bool
	// enums is the set of types whose values an enum may list.
	enums types
	// smallMinItems: minItems may only be 0 or 1 (Anthropic).
	smallMinItems bool
}

type refRule int

const (
	refsAcyclic  refRule = iota // local references, but no recursion (Anthropic)
	refsAll                     // recursion too (OpenAI)
	refsOptional                // recursion in properties that are not required (Gemini)
)

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		m[word] = true
	}
	return m
}

// profiles holds the facts of the vendors' pages: Anthropic "Structured outputs", OpenAI "Structured outputs: Supported schemas",
// and the comment on ResponseJsonSchema in Google's genai SDK.
var profiles = map[Dialect]*profile{
	AnthropicStrict: {
		strict: true, refs: refsAcyclic, smallMinItems: true,
		keeps:   wordSet("title description format pattern minItems"),
		formats: wordSet("date-time time date duration email hostname uri ipv4 ipv6 uuid"),
		enums:   tString | tNumber | tInteger | tBoolean | tNull,
	},
	OpenAIStrict: {
		strict: true, allRequired: true, refs: refsAll,
		keeps:   wordSet("title description format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems"),
		formats: wordSet("date-time time date duration email hostname ipv4 ipv6 uuid"),
		enums:   tString | tNumber | tInteger | tBoolean | tNull,
	},
	Gemini: {
		refs:    refsOptional,
		keeps:   wordSet("title description format minimum maximum minItems maxItems prefixItems"),
		formats: wordSet("date-time time date"),
		enums:   tString | tNumber | tInteger,
	},
}

// grammarPattern reports whether a pattern has only what Anthropic names as supported: anchors, * + ?, small counts, classes, \d
// \w \s and groups, and no look-around, back references or word boundaries.
func grammarPattern(src string) bool {
	inClass := false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '\\':
			if i++; i == len(src) || !grammarEscape(src[i]) {
				return false
			}
		case inClass:
			inClass = c != ']'
		case c == '[':
			if inClass = true; strings.HasPrefix(src[i:], "[]") || strings.HasPrefix(src[i:], "[^]") {
				return false
			}
		case c == '(' && strings.HasPrefix(src[i:], "(?") && !strings.HasPrefix(src[i:], "(?:"):
			return false
		case c == '{' && !grammarCount(src[i:]):
			return false
		case c >= 0x80:
			return false
		}
	}
	return !inClass
}

func grammarEscape(c byte) bool {
	return strings.IndexByte("dDwWsStnrfv", c) >= 0 || c < 0x80 && !isAlphanumeric(c)
}

// maxCount is the largest {n,m} that is taken to be small. The page gives no number.
const maxCount = 100

func grammarCount(src string) bool {
	body, _, ok := strings.Cut(src[1:], "}")
	if !ok || body == "" || body[0] == ',' {
		return false
	}
	for part := range strings.SplitSeq(body, ",") {
		n := 0
		for _, c := range []byte(part) {
			if c < '0' || c > '9' || n > maxCount {
				return false
			}
			n = n*10 + int(c-'0')
		}
		if n > maxCount {
			return false
		}
	}
	return true
}

// plainPattern reports whether a pattern has none of look-around, back references, named groups and rare escapes. OpenAI refuses
// the first; the others are left out because nothing says that they are taken.
func plainPattern(src string) bool {
	for i := 0; i < len(src); i++ {
		switch {
		case src[i] == '\\':
			if i++; i == len(src) || !grammarEscape(src[i]) && strings.IndexByte("bBxu", src[i]) < 0 {
				return false
			}
		case strings.HasPrefix(src[i:], "(?") && !strings.HasPrefix(src[i:], "(?:"):
			return false
		}
	}
	return true
}

func (p *profile) takesPattern(src string) bool {
	switch {
	case !p.keeps["pattern"]:
		return false
	case p.smallMinItems: // Anthropic
		return grammarPattern(src)
	}
	return plainPattern(src)
}
