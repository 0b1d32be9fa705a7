package jsonx

// maxIntegerDigits is how long Integral lets an integer grow: enough for every 128-bit number.
const maxIntegerDigits = 40

// Integral rewrites each number of raw whose value is integral but whose text is not an integer's (1.0, 1e3, 10e-1, -0) to
// plain digits, so that a decoder into a Go integer takes it. A number beyond 40 digits, and all else, stays byte for byte.
// When nothing changes the result is raw itself. The text must be valid JSON.
func Integral(raw []byte) []byte {
	var out []byte
	copied := 0
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			i = skipString(raw, i)
		case c == '-' || c >= '0' && c <= '9':
			end, ok := Number(raw, i)
			if !ok {
				return raw
			}
			if fixed, changed := integralText(raw[i:end]); changed {
				out = append(append(out, raw[copied:i]...), fixed...)
				copied = end
			}
			i = end
		default:
			i++
		}
	}
	if copied == 0 {
		return raw
	}
	return append(out, raw[copied:]...)
}

func integralText(lit []byte) ([]byte, bool) {
	plain := true
	for _, c := range lit {
		plain = plain && c != '.' && c|0x20 != 'e'
	}
	if plain && string(lit) != "-0" {
		return nil, false
	}
	v, err := ParseDecimal(lit)
	if err != nil {
		return nil, false
	}
	return v.AppendInteger(nil, maxIntegerDigits)
}
