package schema

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// The international part of host names: IDNA 2008 as far as package unicode carries it. What would need tables of its own is
// left out: compatibility characters are known by their blocks, joining types by the Arabic block, Bidi classes by script.

// isIDNHostname is a host name of U-labels, A-labels and plain labels (RFC 5890, section 2.3).
func isIDNHostname(b []byte) bool {
	if len(b) == 0 || len(b) > 4*253 {
		return false
	}
	length, bidi, ok := 0, false, true
	labels := func(f func(label []rune) bool) {
		var buf [64]rune
		for rest, more := b, true; more && ok; {
			var label []byte
			label, rest, more = cutLabel(rest)
			u, valid := labelRunes(buf[:0], label)
			ok = valid && f(u)
		}
	}
	labels(func(u []rune) bool {
		bidi = bidi || slices.ContainsFunc(u, isRightToLeft)
		n := len(u)
		if slices.ContainsFunc(u, isNotASCII) {
			n = len("xn--") + len(punycode(u))
		}
		length += n + 1
		return n <= 63
	})
	if ok && bidi {
		labels(bidiRule)
	}
	return ok && length-1 <= 253
}

func isNotASCII(r rune) bool { return r >= utf8.RuneSelf }

// cutLabel cuts b around the first separator (RFC 3490, section 3.1).
func cutLabel(b []byte) (label, rest []byte, more bool) {
	i := bytes.IndexAny(b, ".\u3002\uff0e\uff61")
	if i < 0 {
		return b, nil, false
	}
	_, n := utf8.DecodeRune(b[i:])
	return b[:i], b[i+n:], true
}

// labelRunes appends the characters that a label stands for, and reports whether it is valid.
func labelRunes(dst []rune, label []byte) ([]rune, bool) {
	if isASCII(label) {
		if isALabel(label) {
			return decodeALabel(dst, label)
		}
		for _, c := range label {
			dst = append(dst, rune(c))
		}
		return dst, isLabel(label)
	}
	for _, r := range string(label) {
		dst = append(dst, r)
	}
	return dst, isULabel(dst)
}

func isALabel(b []byte) bool {
	return len(b) > 4 && b[0]|0x20 == 'x' && b[1]|0x20 == 'n' && b[2] == '-' && b[3] == '-'
}

// decodeALabel appends what the A-label stands for. It must be a U-label that is written in just this way (RFC 5891, section 5.4).
func decodeALabel(dst []rune, label []byte) ([]rune, bool) {
	encoded := bytes.ToLower(label[4:])
	u, ok := unpunycode(dst, encoded)
	return u, ok && len(label) <= 63 && slices.ContainsFunc(u, isNotASCII) && isULabel(u) && string(punycode(u)) == string(encoded)
}

// isULabel is RFC 5891, section 4.2, but for Bidi, which concerns the whole name.
func isULabel(u []rune) bool {
	if len(u) == 0 || u[0] == '-' || u[len(u)-1] == '-' || len(u) > 3 && u[2] == '-' && u[3] == '-' || unicode.IsMark(u[0]) {
		return false
	}
	for i := range u {
		if !isPermitted(u, i) {
			return false
		}
	}
	return true
}

// isPermitted reports whether the character u[i] is PVALID, or CONTEXTJ or CONTEXTO with its rule fulfilled (RFC 5892).
func isPermitted(u []rune, i int) bool {
	r := u[i]
	after := rune(-1)
	if i+1 < len(u) {
		after = u[i+1]
	}
	before := rune(-1)
	if i > 0 {
		before = u[i-1]
	}
	switch {
	case r == 0x200C: // appendix A.1
		return isVirama(before) || joins(u, i)
	case r == 0x200D: // A.2
		return isVirama(before)
	case r == 0x00B7: // A.3
		return before == 'l' && after == 'l'
	case r == 0x0375: // A.4
		return unicode.Is(unicode.Greek, after)
	case r == 0x05F3 || r == 0x05F4: // A.5, A.6
		return unicode.Is(unicode.Hebrew, before)
	case r == 0x30FB: // A.7
		return slices.ContainsFunc(u, func(r rune) bool {
			return r != 0x30FB && unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han)
		})
	case isArabicDigit(r): // A.8
		return !slices.ContainsFunc(u, isExtendedArabicDigit)
	case isExtendedArabicDigit(r): // A.9
		return !slices.ContainsFunc(u, isArabicDigit)
	}
	return isPValid(r)
}

func isArabicDigit(r rune) bool         { return r >= 0x0660 && r <= 0x0669 }
func isExtendedArabicDigit(r rune) bool { return r >= 0x06F0 && r <= 0x06F9 }

// disallowed are letters and marks that are not PVALID: the exceptions of RFC 5892, section 2.6, old Hangul Jamo (2.9), and the
// blocks of compatibility characters (2.2).
var disallowed = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00AA, 0x00AA, 1},
		{0x00BA, 0x00BA, 1},
		{0x02B0, 0x02B8, 1},
		{0x034F, 0x034F, 1},
		{0x0640, 0x0640, 1},
		{0x07FA, 0x07FA, 1},
		{0x1100, 0x11FF, 1},
		{0x180B, 0x180D, 1},
		{0x1D2C, 0x1D2E, 1},
		{0x1D30, 0x1D3A, 1},
		{0x1D3C, 0x1D4D, 1},
		{0x1D4F, 0x1D6A, 1},
		{0x2071, 0x2071, 1},
		{0x207F, 0x207F, 1},
		{0x2090, 0x209C, 1},
		{0x2100, 0x214F, 1},
		{0x302E, 0x302F, 1},
		{0x3031, 0x3035, 1},
		{0x303B, 0x303B, 1},
		{0x3131, 0x318E, 1},
		{0xA960, 0xA97C, 1},
		{0xD7B0, 0xD7FB, 1},
		{0xF900, 0xFA0D, 1},
		{0xFA10, 0xFA10, 1},
		{0xFA12, 0xFA12, 1},
		{0xFA15, 0xFA1E, 1},
		{0xFA20, 0xFA20, 1},
		{0xFA22, 0xFA22, 1},
		{0xFA25, 0xFA26, 1},
		{0xFA2A, 0xFAFF, 1},
		{0xFB00, 0xFB1D, 1},
		{0xFB1F, 0xFDFF, 1},
		{0xFE00, 0xFE0F, 1},
		{0xFE70, 0xFEFF, 1},
		{0xFF00, 0xFFEF, 1},
	},
	R32: []unicode.Range32{{0x1D400, 0x1D7FF, 1}, {0x1EE00, 0x1EEFF, 1}, {0x2F800, 0x2FA1F, 1}, {0xE0100, 0xE01EF, 1}},
}

// isPValid is RFC 5892, section 3. Of what Unicode normalisation would change it knows upper case and whole blocks.
func isPValid(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z'
	case r == 0x00DF, r == 0x03C2, r == 0x06FD, r == 0x06FE, r == 0x0F0B, r == 0x3007: // section 2.6
		return true
	case unicode.Is(disallowed, r), unicode.ToLower(r) != r:
		return false
	}
	return unicode.In(r, unicode.Ll, unicode.Lo, unicode.Lm, unicode.Mn, unicode.Mc, unicode.Nd)
}

// viramas are the characters of canonical combining class 9 (Unicode 15).
var viramas = []rune{
	0x094D, 0x09CD, 0x0A4D, 0x0ACD, 0x0B4D, 0x0BCD, 0x0C4D, 0x0CCD, 0x0D3B, 0x0D3C, 0x0D4D, 0x0DCA, 0x0E3A, 0x0EBA, 0x0F84, 0x1039, 0x103A,
	0x1714, 0x1715, 0x1734, 0x17D2, 0x1A60, 0x1B44, 0x1BAA, 0x1BAB, 0x1BF2, 0x1BF3, 0x2D7F, 0xA806, 0xA82C, 0xA8C4, 0xA953, 0xA9C0, 0xAAF6, 0xABED,
	0x10A3F, 0x11046, 0x11070, 0x1107F, 0x110B9, 0x11133, 0x11134, 0x111C0, 0x11235, 0x112EA, 0x1134D, 0x11442, 0x114C2, 0x115BF, 0x1163F, 0x116B6,
	0x1172B, 0x11839, 0x1193D, 0x1193E, 0x119E0, 0x11A34, 0x11A47, 0x11A99, 0x11C3F, 0x11D44, 0x11D45, 0x11D97, 0x11F41, 0x11F42,
}

func isVirama(r rune) bool {
	_, found := slices.BinarySearch(viramas, r)
	return found
}

// rightJoining are the letters of the Arabic block that do not join what follows them.
var rightJoining = &unicode.RangeTable{R16: []unicode.Range16{
	{0x0622, 0x0625, 1},
	{0x0627, 0x0629, 2},
	{0x062F, 0x0632, 1},
	{0x0648, 0x0648, 1},
	{0x0671, 0x0673, 1},
	{0x0675, 0x0677, 1},
	{0x0688, 0x0699, 1},
	{0x06C0, 0x06C0, 1},
	{0x06C3, 0x06CB, 1},
	{0x06CD, 0x06CF, 2},
	{0x06D2, 0x06D3, 1},
	{0x06D5, 0x06EE, 25},
	{0x06EF, 0x06EF, 1},
}}

// joins reports whether the zero width non-joiner u[i] stands between letters that would join: (L|D) T* ZWNJ T* (R|D).
func joins(u []rune, i int) bool {
	before, after := i-1, i+1
	for before >= 0 && unicode.Is(unicode.Mn, u[before]) {
		before--
	}
	for after < len(u) && unicode.Is(unicode.Mn, u[after]) {
		after++
	}
	return before >= 0 && after < len(u) && isJoining(u[before]) && !unicode.Is(rightJoining, u[before]) && isJoining(u[after])
}

func isJoining(r rune) bool {
	return r >= 0x0620 && r <= 0x06FF && r != 0x0621 && r != 0x0674 && unicode.Is(unicode.Lo, r)
}

// isRightToLeft reports whether the Bidi class of a character is R, AL or AN.
func isRightToLeft(r rune) bool {
	return isArabicDigit(r) || isRightToLeftLetter(r)
}

func isRightToLeftLetter(r rune) bool {
	return r >= 0x0590 && !unicode.IsMark(r) && !isArabicDigit(r) && !isExtendedArabicDigit(r) &&
		(r <= 0x08FF || r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFF || r >= 0x10800 && r <= 0x10FFF || r >= 0x1E800 && r <= 0x1EFFF)
}

func isEuropeanDigit(r rune) bool { return r >= '0' && r <= '9' || isExtendedArabicDigit(r) }

// bidiRule is RFC 5893, section 2, for one label of a name that holds a right-to-left character.
func bidiRule(u []rune) bool {
	last := len(u) - 1
	for last > 0 && unicode.Is(unicode.Mn, u[last]) {
		last--
	}
	if isRightToLeftLetter(u[0]) {
		leftToRight := func(r rune) bool { return !isRightToLeft(r) && !isEuropeanDigit(r) && unicode.IsLetter(r) }
		return !slices.ContainsFunc(u, leftToRight) && !(slices.ContainsFunc(u, isEuropeanDigit) && slices.ContainsFunc(u, isArabicDigit)) &&
			(isRightToLeft(u[last]) || isEuropeanDigit(u[last]))
	}
	return unicode.IsLetter(u[0]) && !slices.ContainsFunc(u, isRightToLeft) && u[last] != '-'
}

// The parameters of Punycode (RFC 3492, section 5).
const (
	punyBase, punyMin, punyMax    = 36, 1, 26
	punySkew, punyDamp            = 38, 700
	punyInitialBias, punyInitialN = 72, 128
	punyDigits                    = "abcdefghijklmnopqrstuvwxyz0123456789"
	punyLimit                     = 1 << 26 // of a delta: far beyond what 59 characters can say
)

func punyThreshold(k, bias int) int { return min(max(k-bias, punyMin), punyMax) }

// punyAdapt is section 6.1.
func punyAdapt(delta, points int, first bool) int {
	if first {
		delta /= punyDamp
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for delta > (punyBase-punyMin)*punyMax/2 {
		delta /= punyBase - punyMin
		k += punyBase
	}
	return k + (punyBase-punyMin+1)*delta/(delta+punySkew)
}

// unpunycode appends what the lower-case b stands for (section 6.2).
func unpunycode(dst []rune, b []byte) ([]rune, bool) {
	dst = dst[:0]
	if basic := bytes.LastIndexByte(b, '-'); basic >= 0 {
		for _, c := range b[:basic] {
			dst = append(dst, rune(c))
		}
		b = b[basic+1:]
	}
	n, i, bias := punyInitialN, 0, punyInitialBias
	for len(b) > 0 {
		old, w := i, 1
		for k := punyBase; ; k += punyBase {
			if len(b) == 0 {
				return dst, false
			}
			digit := bytes.IndexByte([]byte(punyDigits), b[0])
			b = b[1:]
			if digit < 0 || w > punyLimit || i > punyLimit {
				return dst, false
			}
			i += digit * w
			t := punyThreshold(k, bias)
			if digit < t {
				break
			}
			w *= punyBase - t
		}
		bias = punyAdapt(i-old, len(dst)+1, old == 0)
		n += i / (len(dst) + 1)
		i %= len(dst) + 1
		if n > unicode.MaxRune || !utf8.ValidRune(rune(n)) {
			return dst, false
		}
		dst = slices.Insert(dst, i, rune(n))
		i++
	}
	return dst, true
}

// punycode returns the encoding of u (section 6.3), without the prefix of an A-label.
func punycode(u []rune) []byte {
	out := make([]byte, 0, 64)
	for _, r := range u {
		if r < utf8.RuneSelf {
			out = append(out, byte(r))
		}
	}
	done := len(out)
	basic := done
	if basic > 0 {
		out = append(out, '-')
	}
	delta, bias := 0, punyInitialBias
	for n := rune(punyInitialN); done < len(u); n++ {
		next := rune(unicode.MaxRune)
		for _, r := range u {
			if r >= n && r < next {
				next = r
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range u {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			out = appendPuny(out, delta, bias)
			bias = punyAdapt(delta, done+1, done == basic)
			delta, done = 0, done+1
		}
		delta++
	}
	return out
}

func appendPuny(out []byte, q, bias int) []byte {
	for k := punyBase; ; k += punyBase {
		t := punyThreshold(k, bias)
		if q < t {
			return append(out, punyDigits[q])
		}
		out = append(out, punyDigits[t+(q-t)%(punyBase-t)])
		q = (q - t) / (punyBase - t)
	}
}
