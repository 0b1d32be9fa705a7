package jsonx

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf16"
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
	if err := strict(raw); err != nil {
		return nil, err
	}
	c := canonizer{src: raw}
	if _, err := c.value(Space(raw, 0)); err != nil {
		return nil, err
	}
	return c.dst, nil
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

type canonizer struct {
	src, dst []byte
}

type canonMember struct {
	name  []byte // unescaped
	units []uint16
	value int
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

func (c *canonizer) object(i int) (int, error) {
	members, end := c.members(i)
	slices.SortFunc(members, func(a, b canonMember) int { return slices.Compare(a.units, b.units) })
	c.dst = append(c.dst, '{')
	for n, m := range members {
		if n > 0 {
			c.dst = append(c.dst, ',')
		}
		c.dst = append(appendQuoted(c.dst, m.name), ':')
		if _, err := c.value(m.value); err != nil {
			return 0, err
		}
	}
	c.dst = append(c.dst, '}')
	return end, nil
}

func (c *canonizer) members(i int) (members []canonMember, end int) {
	i = Space(c.src, i+1)
	for c.src[i] != '}' {
		nameEnd, _, _ := String(c.src, i)
		name := Unquote(nil, c.src[i:nameEnd])
		i = Space(c.src, Space(c.src, nameEnd)+1)
		members = append(members, canonMember{name, utf16.Encode([]rune(string(name))), i})
		if i = Space(c.src, Skip(c.src, i)); c.src[i] == ',' {
			i = Space(c.src, i+1)
		}
	}
	return members, i + 1
}

func (c *canonizer) str(lit []byte, escaped bool) {
	if !escaped {
		c.dst = append(c.dst, lit...)
		return
	}
	c.dst = appendQuoted(c.dst, Unquote(nil, lit))
}

const hexDigits = "0123456789abcdef"

// appendQuoted writes a string literal as RFC 8785 section 3.2.2.2 does: only what must be escaped is.
func appendQuoted(dst, s []byte) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		switch b := s[i]; {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b >= 0x20:
			_, n := utf8.DecodeRune(s[i:])
			dst = append(dst, s[i:i+n]...)
			i += n
			continue
		case b == '\b':
			dst = append(dst, `\b`...)
		case b == '\f':
			dst = append(dst, `\f`...)
		case b == '\n':
			dst = append(dst, `\n`...)
		case b == '\r':
			dst = append(dst, `\r`...)
		case b == '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
		}
		i++
	}
	return append(dst, '"')
}

// AppendQuote appends s as a JSON string literal, escaped as Canonical does. Invalid UTF-8 becomes U+FFFD.
func AppendQuote(dst []byte, s string) []byte {
	return appendQuoted(dst, bytes.ToValidUTF8([]byte(s), []byte("\uFFFD")))
}
