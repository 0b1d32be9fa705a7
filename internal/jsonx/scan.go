// Package jsonx reads raw JSON bytes exactly: a scanner, exact decimal numbers and a canonical form.
//
// Nothing here goes through float64, and nothing builds Go values from JSON.
package jsonx

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Space returns the index of the first byte at or after i that is not JSON white space.
func Space(d []byte, i int) int {
	for i < len(d) && d[i] <= ' ' && (d[i] == ' ' || d[i] == '\n' || d[i] == '\t' || d[i] == '\r') {
		i++
	}
	return i
}

// String scans the string literal that starts at d[i], which must be a quote.
// It returns the index after the closing quote and whether the literal holds escapes.
// A malformed literal (RFC 8259 section 7: bad escape, control character, invalid UTF-8, lone surrogate, no end) gives ok false
// and the index of the offending byte.
func String(d []byte, i int) (end int, escaped, ok bool) {
	i++
	start, seen := i, uint64(0)
	for {
		if i+8 <= len(d) {
			w := binary.LittleEndian.Uint64(d[i:])
			stop := stoppers(w)
			if stop == 0 {
				seen |= w
				i += 8
				continue
			}
			n := bits.TrailingZeros64(stop) &^ 7
			seen |= w & (1<<n - 1)
			i += n / 8
		} else {
			for i < len(d) && !isStopper(d[i]) {
				seen |= uint64(d[i])
				i++
			}
			if i >= len(d) {
				return i, escaped, false
			}
		}
		switch c := d[i]; {
		case c == '"':
			if seen&highs != 0 && !utf8.Valid(d[start:i]) {
				return badRune(d, start, i), escaped, false
			}
			return i + 1, escaped, true
		case c == '\\':
			n := escapeLen(d, i)
			if n == 0 {
				return i, escaped, false
			}
			escaped = true
			i += n
		default:
			return i, escaped, false
		}
	}
}

// stoppers marks, with its high bit, each byte of w that ends a run of plain text: a quote, a backslash or a control character. It
// is the usual trick for finding a zero byte, three times. Above the lowest byte that is marked, others may be marked wrongly.
func stoppers(w uint64) uint64 {
	q := w ^ (ones * '"')
	b := w ^ (ones * '\\')
	return (((q - ones) &^ q) | ((b - ones) &^ b) | ((w - ones*0x20) &^ w)) & highs
}

func isStopper(c byte) bool { return c == '"' || c == '\\' || c < 0x20 }

func badRune(d []byte, i, end int) int {
	for i < end {
		r, n := utf8.DecodeRune(d[i:end])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return end
}

// escapeLen returns the length of the escape sequence at d[i], or 0 when it is malformed.
func escapeLen(d []byte, i int) int {
	if i+1 >= len(d) {
		return 0
	}
	switch d[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		r, ok := hex4(d, i+2)
		switch {
		case !ok || r >= 0xdc00 && r < 0xe000:
			return 0
		case r < 0xd800 || r >= 0xe000:
			return 6
		}
		if i+8 > len(d) || d[i+6] != '\\' || d[i+7] != 'u' {
			return 0
		}
		if low, ok := hex4(d, i+8); !ok || low < 0xdc00 || low >= 0xe000 {
			return 0
		}
		return 12
	}
	return 0
}

func hex4(d []byte, i int) (r rune, ok bool) {
	if i+4 > len(d) {
		return 0, false
	}
	for _, c := range d[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// Unquote appends to dst what the valid string literal lit (with its quotes) stands for.
func Unquote(dst, lit []byte) []byte {
	s := lit[1 : len(lit)-1]
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			j := i + 1
			for j < len(s) && s[j] != '\\' {
				j++
			}
			dst = append(dst, s[i:j]...)
			i = j
			continue
		}
		r, n := unescape(s, i)
		dst = utf8.AppendRune(dst, r)
		i += n
	}
	return dst
}

func unescape(s []byte, i int) (rune, int) {
	switch c := s[i+1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, _ := hex4(s, i+2)
		if r < 0xd800 || r >= 0xe000 {
			return r, 6
		}
		low, _ := hex4(s, i+8)
		return (r-0xd800)<<10 + (low - 0xdc00) + 0x10000, 12
	default:
		return rune(c), 2
	}
}

// Number scans the number literal that starts at d[i].
// A malformed literal (RFC 8259 section 6) gives ok false and the index of the offending byte.
func Number(d []byte, i int) (end int, ok bool) {
	if i < len(d) && d[i] == '-' {
		i++
	}
	switch {
	case i >= len(d):
		return i, false
	case d[i] == '0':
		i++
	case d[i] >= '1' && d[i] <= '9':
		i = digits(d, i)
	default:
		return i, false
	}
	if i < len(d) && d[i] == '.' {
		j := digits(d, i+1)
		if j == i+1 {
			return j, false
		}
		i = j
	}
	if i < len(d) && d[i]|0x20 == 'e' {
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		j := digits(d, i)
		if j == i {
			return j, false
		}
		i = j
	}
	return i, true
}

func digits(d []byte, i int) int {
	for i < len(d) && d[i] >= '0' && d[i] <= '9' {
		i++
	}
	return i
}

// Literal scans true, false or null at d[i].
func Literal(d []byte, i int) (end int, ok bool) {
	want := "null"
	switch d[i] {
	case 't':
		want = "true"
	case 'f':
		want = "false"
	}
	for j := range len(want) {
		if i+j >= len(d) || d[i+j] != want[j] {
			return i + j, false
		}
	}
	return i + len(want), true
}

// Skip returns the index after the value that starts at d[i]. The value must be known to be valid: Skip checks nothing, keeps no
// stack and so can be used at any depth.
func Skip(d []byte, i int) int {
	depth := 0
	for i < len(d) {
		switch d[i] {
		case '"':
			i = skipString(d, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
			continue
		default:
			i = skipScalar(d, i)
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

func skipString(d []byte, i int) int {
	i++
	for i < len(d) {
		if i+8 <= len(d) {
			stop := stoppers(binary.LittleEndian.Uint64(d[i:]))
			if stop == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(stop) / 8
		}
		switch d[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
		i++
	}
	return i
}

func skipScalar(d []byte, i int) int {
	for i < len(d) {
		switch d[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return i
		}
		i++
	}
	return i
}
