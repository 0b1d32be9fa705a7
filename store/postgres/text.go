package postgres

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// escape spells any text so that Postgres can hold it: a backslash as two, NUL
// as \0, and a byte that is not UTF-8 as \x and two digits. Different texts have
// different spellings.
func escape(s string) string {
	if utf8.ValidString(s) && !strings.ContainsAny(s, "\\\x00") {
		return s
	}
	const hex = "0123456789abcdef"
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(b, '\\', 'x', hex[s[i]>>4], hex[s[i]&15])
		case r == 0:
			b = append(b, '\\', '0')
		case r == '\\':
			b = append(b, '\\', '\\')
		default:
			b = append(b, s[i:i+size]...)
		}
		i += size
	}
	return string(b)
}

// unescape is the reverse of escape. What escape never wrote stays as it is.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		switch s[i+1] {
		case '\\':
			b = append(b, '\\')
			i++
		case '0':
			b = append(b, 0)
			i++
		case 'x':
			if c, ok := hexByte(s[i+2:]); ok {
				b = append(b, c)
				i += 3
				continue
			}
			fallthrough
		default:
			b = append(b, '\\')
		}
	}
	return string(b)
}

func hexByte(s string) (c byte, ok bool) {
	if len(s) < 2 {
		return 0, false
	}
	for _, d := range []byte(s[:2]) {
		switch {
		case d >= '0' && d <= '9':
			d -= '0'
		case d >= 'a' && d <= 'f':
			d -= 'a' - 10
		default:
			return 0, false
		}
		c = c<<4 | d
	}
	return c, true
}

// identity is the key of a row: the sum of its parts, each with its length, so
// that no two lists of parts meet.
func identity(parts ...string) []byte {
	var stack [256]byte
	b := stack[:0]
	for _, p := range parts {
		b = binary.AppendUvarint(b, uint64(len(p)))
		b = append(b, p...)
	}
	sum := sha256.Sum256(b)
	return sum[:]
}
