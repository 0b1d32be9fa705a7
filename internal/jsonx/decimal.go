package jsonx

import (
	"bytes"
	"errors"
	"math/big"
	"math/bits"
	"strconv"
)

// MaxExponent bounds the power of ten that a number literal may carry. A larger one says nothing that a program could use, and
// expanding it would cost memory out of proportion to the text.
const MaxExponent = 1_000_000_000

// ErrExponent says that the exponent of a number is beyond MaxExponent.
var ErrExponent = errors.New("number out of range: the exponent is beyond a thousand million")

// A Decimal is the exact value of a JSON number literal. It refers to the bytes that it was read from.
type Decimal struct {
	neg bool
	// digits is the literal from its first to its last non-zero digit; it may hold one point. Empty means zero.
	digits []byte
	// exp places the value: 0.DIGITS times ten to the power exp.
	exp int64
	// count is how many digits there are, without the point.
	count int
}

// ParseDecimal reads a valid number literal.
func ParseDecimal(lit []byte) (Decimal, error) {
	var v Decimal
	if lit[0] == '-' {
		v.neg, lit = true, lit[1:]
	}
	mantissa, exponent, whole := lit, []byte(nil), -1
	for k, c := range lit {
		if c == '.' {
			whole = k
		} else if c|0x20 == 'e' {
			mantissa, exponent = lit[:k], lit[k+1:]
			break
		}
	}
	if whole < 0 {
		whole = len(mantissa)
	}
	first := 0
	for first < len(mantissa) && (mantissa[first] == '0' || mantissa[first] == '.') {
		first++
	}
	if first == len(mantissa) {
		return Decimal{}, nil
	}
	last := len(mantissa)
	for mantissa[last-1] == '0' || mantissa[last-1] == '.' {
		last--
	}
	v.digits = mantissa[first:last]
	v.count = last - first
	if first < whole && whole < last {
		v.count--
	}
	v.exp = int64(whole - first)
	if first > whole {
		v.exp++ // the point itself stands between
	}
	e, err := parseExponent(exponent)
	v.exp += e
	return v, err
}

func parseExponent(e []byte) (int64, error) {
	if len(e) == 0 {
		return 0, nil
	}
	neg := e[0] == '-'
	if neg || e[0] == '+' {
		e = e[1:]
	}
	var n int64
	for _, c := range e {
		if n = n*10 + int64(c-'0'); n > MaxExponent {
			return 0, ErrExponent
		}
	}
	if neg {
		n = -n
	}
	return n, nil
}

// Sign is -1, 0 or 1.
func (v Decimal) Sign() int {
	switch {
	case len(v.digits) == 0:
		return 0
	case v.neg:
		return -1
	}
	return 1
}

// IsInteger reports whether the value has no fractional part: 1.0 and 1e3 have none.
func (v Decimal) IsInteger() bool { return int64(v.count) <= v.exp || v.count == 0 }

// Compare returns -1, 0 or 1 as v is less than, equal to or greater than w.
func (v Decimal) Compare(w Decimal) int {
	vs, ws := v.Sign(), w.Sign()
	switch {
	case vs != ws && vs < ws:
		return -1
	case vs != ws:
		return 1
	case vs == 0:
		return 0
	}
	return vs * v.compareMagnitude(w)
}

func (v Decimal) compareMagnitude(w Decimal) int {
	switch {
	case v.exp < w.exp:
		return -1
	case v.exp > w.exp:
		return 1
	}
	a, b := v.digits, w.digits
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == '.':
			a = a[1:]
			continue
		case b[0] == '.':
			b = b[1:]
			continue
		case a[0] < b[0]:
			return -1
		case a[0] > b[0]:
			return 1
		}
		a, b = a[1:], b[1:]
	}
	switch {
	case len(a) > 0:
		return 1
	case len(b) > 0:
		return -1
	}
	return 0
}

// MultipleOf reports whether v is a whole multiple of w, exactly. Nothing is a multiple of zero but zero.
func (v Decimal) MultipleOf(w Decimal) bool {
	if v.count == 0 || w.count == 0 {
		return v.count == 0
	}
	// v = a*10^x and w = b*10^y with neither a nor b divisible by ten.
	shift := v.exp - int64(v.count) - (w.exp - int64(w.count))
	if shift < 0 {
		return false // a would have to be divisible by ten
	}
	if b, ok := w.uint64(); ok {
		return v.multipleOfSmall(b, shift)
	}
	b, _ := new(big.Int).SetString(string(w.plainDigits()), 10)
	r, chunk, scale := new(big.Int), new(big.Int), new(big.Int)
	for _, c := range v.plainDigits() {
		r.Mod(r.Add(r.Mul(r, scale.SetInt64(10)), chunk.SetInt64(int64(c-'0'))), b)
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), b)
	return r.Mod(r.Mul(r, power), b).Sign() == 0
}

func (v Decimal) multipleOfSmall(b uint64, shift int64) bool {
	r := uint64(0)
	for _, c := range v.digits {
		if c != '.' {
			r = mulMod(r, 10, b, uint64(c-'0'))
		}
	}
	power, base := uint64(1)%b, 10%b
	for ; shift > 0; shift >>= 1 {
		if shift&1 == 1 {
			power = mulMod(power, base, b, 0)
		}
		base = mulMod(base, base, b, 0)
	}
	return mulMod(r, power, b, 0) == 0
}

// mulMod is (x*y + add) modulo m.
func mulMod(x, y, m, add uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	lo, carry := bits.Add64(lo, add, 0)
	return bits.Rem64(hi+carry, lo, m)
}

func (v Decimal) uint64() (uint64, bool) {
	if v.count > 18 {
		return 0, false
	}
	n := uint64(0)
	for _, c := range v.digits {
		if c != '.' {
			n = n*10 + uint64(c-'0')
		}
	}
	return n, true
}

func (v Decimal) plainDigits() []byte { return bytes.ReplaceAll(v.digits, []byte("."), nil) }

// Hash mixes the value into h; equal values mix alike.
func (v Decimal) Hash(h uint64) uint64 {
	h = mix(h, uint64(v.exp))
	if v.neg {
		h = mix(h, 1)
	}
	for _, c := range v.digits {
		if c != '.' {
			h = mix(h, uint64(c))
		}
	}
	return h
}

func mix(h, x uint64) uint64 {
	h ^= x
	return h * 0x100000001b3
}

// Append appends the one text of the value: as ECMAScript writes numbers (the form of RFC 8785 section 3.2.2.3), but with all
// the digits that the value has.
func (v Decimal) Append(dst []byte) []byte {
	if v.count == 0 {
		return append(dst, '0')
	}
	if v.neg {
		dst = append(dst, '-')
	}
	var buf [32]byte
	d := v.digits
	if bytes.IndexByte(d, '.') >= 0 {
		d = appendDigits(buf[:0], d)
	}
	k, n := int64(len(d)), v.exp
	switch {
	case k <= n && n <= 21:
		dst = append(dst, d...)
		return appendZeros(dst, n-k)
	case 0 < n && n <= 21:
		dst = append(append(dst, d[:n]...), '.')
		return append(dst, d[n:]...)
	case -6 < n && n <= 0:
		dst = appendZeros(append(dst, '0', '.'), -n)
		return append(dst, d...)
	}
	dst = append(dst, d[0])
	if k > 1 {
		dst = append(append(dst, '.'), d[1:]...)
	}
	dst = append(dst, 'e')
	if n > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, n-1, 10)
}

func appendDigits(dst, digits []byte) []byte {
	for _, c := range digits {
		if c != '.' {
			dst = append(dst, c)
		}
	}
	return dst
}

func appendZeros(dst []byte, n int64) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}

// AppendInteger appends the value as plain digits, if it is an integer of at most limit digits.
func (v Decimal) AppendInteger(dst []byte, limit int64) ([]byte, bool) {
	if v.count == 0 {
		return append(dst, '0'), true
	}
	if !v.IsInteger() || v.exp > limit {
		return dst, false
	}
	if v.neg {
		dst = append(dst, '-')
	}
	return appendZeros(appendDigits(dst, v.digits), v.exp-int64(v.count)), true
}
