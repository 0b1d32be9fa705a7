package schema

import (
	"bytes"
	"cmp"
	"math/bits"
	"unicode/utf8"

	"helve.dev/helve/internal/jsonx"
)

// string checks the string literal at d[i].
func (s *state) string(n *node, i int) int {
	end, escaped, ok := jsonx.String(s.d, i)
	if !ok {
		return s.stop(malformed, end)
	}
	if n.types&tString == 0 {
		return s.misfit(wrongType, n, i, end)
	}
	if n.str == nil && n.enum == nil && n.carrier == nil {
		return end
	}
	text := s.d[i+1 : end-1]
	if escaped {
		text = s.unquoted(i, end, true)
	}
	before := s.found
	if n.str != nil && !s.stringRule(n, text, i, end) || n.enum != nil && !s.checkEnum(n, i, end) {
		return -1
	}
	if n.carrier != nil && n.carrier.text != nil && s.found == before && !n.carrier.text(s.unquoted(i, end, escaped)) &&
		!s.fault(fault{kind: notCarried, at: i, end: end, node: n}) {
		return -1
	}
	return end
}

func (s *state) stringRule(n *node, text []byte, i, end int) bool {
	r := n.str
	// Runes are counted only where the count of bytes does not settle it.
	if r.minLen > 0 && len(text) < utf8.UTFMax*r.minLen {
		if x := utf8.RuneCount(text); x < r.minLen && !s.fault(fault{kind: tooShort, at: i, end: end, node: n, x: x}) {
			return false
		}
	}
	if r.maxLen >= 0 && len(text) > r.maxLen {
		if x := utf8.RuneCount(text); x > r.maxLen && !s.fault(fault{kind: tooLong, at: i, end: end, node: n, x: x}) {
			return false
		}
	}
	if r.format != nil && !r.format.check(text) && !s.fault(fault{kind: wrongFormat, at: i, end: end, node: n}) {
		return false
	}
	if r.pattern != nil && !r.pattern.match(s, text) {
		return s.fatal == 0 && s.fault(fault{kind: noMatch, at: i, end: end, node: n})
	}
	return true
}

// number checks the number literal at d[i].
func (s *state) number(n *node, i int) int {
	var v number
	var end int
	end, v.small, v.scale, v.isSmall = smallDecimal(s.d, i)
	if !v.isSmall {
		var ok bool
		if end, ok = jsonx.Number(s.d, i); !ok {
			return s.stop(malformed, end)
		}
	}
	if n.types&(tNumber|tInteger) == 0 {
		return s.misfit(wrongType, n, i, end)
	}
	if v.lit = s.d[i:end]; !v.isSmall {
		var err error
		if v.exact, err = jsonx.ParseDecimal(v.lit); err != nil {
			return s.misfit(outOfRange, n, i, end)
		}
	}
	if n.types&tNumber == 0 && !v.isInteger() {
		return s.misfit(wrongType, n, i, end)
	}
	// What has up to 18 digits lies within the bounds of every carrier.
	if n.carrier != nil && (!v.isSmall || v.scale > 0 && n.carrier.digits > 0) && !s.carriesNumber(n, i, end, v.decimal()) {
		return -1
	}
	if n.num != nil && !s.numberRule(n, i, end, &v) || n.enum != nil && !s.checkEnum(n, i, end) {
		return -1
	}
	return end
}

// misfit reports a fault and returns end, or -1 when checking has to stop.
func (s *state) misfit(kind faultKind, n *node, i, end int) int {
	if !s.fault(fault{kind: kind, at: i, end: end, node: n}) {
		return -1
	}
	return end
}

// number is a number literal with its value, as small divided by ten to the power scale where that is quick to have.
type number struct {
	small   int64
	scale   int
	isSmall bool
	exact   jsonx.Decimal // when it is not
	lit     []byte
}

// smallDecimal reads the literal at d[i] if it is well-formed, has up to 18 digits and no exponent.
func smallDecimal(d []byte, i int) (end int, small int64, scale int, ok bool) {
	neg := d[i] == '-'
	if neg {
		i++
	}
	first := i
	for i < len(d) && isDigit(d[i]) {
		small = small*10 + int64(d[i]-'0')
		i++
	}
	whole := i - first
	if whole == 0 || whole > 1 && d[first] == '0' {
		return i, 0, 0, false
	}
	if i < len(d) && d[i] == '.' {
		point := i
		for i++; i < len(d) && isDigit(d[i]); i++ {
			small = small*10 + int64(d[i]-'0')
		}
		if scale = i - point - 1; scale == 0 {
			return i, 0, 0, false
		}
	}
	if neg {
		small = -small
	}
	return i, small, scale, whole+scale <= 18 && (i == len(d) || d[i]|0x20 != 'e')
}

var powersOfTen = func() (powers [19]uint64) {
	powers[0] = 1
	for i := range len(powers) - 1 {
		powers[i+1] = powers[i] * 10
	}
	return powers
}()

// compareSmall compares a divided by ten to the power scaleA with b divided by ten to the power scaleB.
func compareSmall(a int64, scaleA int, b int64, scaleB int) int {
	if scaleA == scaleB || (a < 0) != (b < 0) {
		return cmp.Compare(a, b)
	}
	highA, lowA := bits.Mul64(uint64(max(a, -a)), powersOfTen[max(0, scaleB-scaleA)])
	highB, lowB := bits.Mul64(uint64(max(b, -b)), powersOfTen[max(0, scaleA-scaleB)])
	c := cmp.Or(cmp.Compare(highA, highB), cmp.Compare(lowA, lowB))
	if a < 0 {
		return -c
	}
	return c
}

func (v *number) decimal() jsonx.Decimal {
	if v.isSmall {
		v.exact, _ = jsonx.ParseDecimal(v.lit)
		v.isSmall = false
	}
	return v.exact
}

func (v *number) isInteger() bool {
	if v.isSmall {
		return v.scale == 0 || v.small%int64(powersOfTen[v.scale]) == 0
	}
	return v.exact.IsInteger()
}

func (v *number) compare(l *limit) int {
	if v.isSmall && l.fits {
		return compareSmall(v.small, v.scale, l.small, l.scale)
	}
	return v.decimal().Compare(l.value)
}

func (v *number) multipleOf(l *limit) bool {
	if v.isSmall && l.fits && v.scale == l.scale {
		return v.small%l.small == 0
	}
	return v.decimal().MultipleOf(l.value)
}

func (s *state) numberRule(n *node, i, end int, v *number) bool {
	r := n.num
	misfits := func(kind faultKind) bool { return s.misfit(kind, n, i, end) < 0 }
	return !(r.min.set && v.compare(&r.min) < 0 && misfits(belowMin) ||
		r.max.set && v.compare(&r.max) > 0 && misfits(aboveMax) ||
		r.above.set && v.compare(&r.above) <= 0 && misfits(notAbove) ||
		r.below.set && v.compare(&r.below) >= 0 && misfits(notBelow) ||
		r.multipleOf.set && !v.multipleOf(&r.multipleOf) && misfits(notMultiple))
}

// checkEnum reports a value that enum or const does not list.
func (s *state) checkEnum(n *node, i, end int) bool {
	for r := n.enum; r != nil; r = r.also {
		if !s.inEnum(r, i, end) {
			kind := notInEnum
			if r.isConst {
				kind = notConst
			}
			if s.fatal != 0 || !s.fault(fault{kind: kind, at: i, end: end, node: n, enum: r}) {
				return false
			}
		}
	}
	return true
}

func (s *state) inEnum(r *enumRule, i, end int) bool {
	value := s.d[i:end]
	switch c := value[0]; c {
	case '"':
		return r.strings.find(s.unquoted(i, end, bytes.IndexByte(value, '\\') >= 0)) >= 0
	case '{', '[':
		for _, v := range r.values {
			if v.kind == c && s.equal(value, v.raw) {
				return true
			}
		}
	case 't', 'f', 'n':
		for _, v := range r.values {
			if v.kind == c {
				return true
			}
		}
	default:
		d, err := jsonx.ParseDecimal(value)
		for _, want := range r.numbers {
			if err == nil && d.Compare(want) == 0 {
				return true
			}
		}
	}
	return false
}
