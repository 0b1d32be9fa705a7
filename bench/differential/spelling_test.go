package differential_test

import (
	"fmt"
	"strconv"
)

// respellText writes the same JSON in another way: letters in strings as
// escapes, and white space between tokens.
func (m *maker) respellText(raw []byte) []byte {
	var out []byte
	inside := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case inside && c == '\\': // an escape stays
			out = append(out, c, raw[i+1])
			i++
			continue
		case c == '"':
			inside = !inside
		case inside && c < 0x80 && c != '"' && m.chance(25):
			out = fmt.Appendf(out, "\\u%04x", c)
			continue
		case !inside && (c == ',' || c == ':' || c == '[') && m.chance(20):
			out = append(out, c)
			out = append(out, pick(m, []string{" ", "\n\t", "\r\n  "})...)
			continue
		}
		out = append(out, c)
	}
	return out
}

// enlarge makes some arrays and objects so large that they are handled in
// another way than small ones.
func (m *maker) enlarge(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range 15 + m.IntN(40) {
			v = append(v, num(strconv.Itoa(i+10)))
		}
		if m.chance(50) {
			v[m.IntN(len(v))] = m.respell(v[m.IntN(len(v))])
		}
		m.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
		return v
	case object:
		for i := range 10 + m.IntN(20) {
			v["k"+strconv.Itoa(i)] = m.any(0)
		}
	}
	return v
}
