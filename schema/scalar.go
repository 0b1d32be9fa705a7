package schema

import (
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
		if !s.fault(fault{kind: wrongType, at: i, end: end, node: n}) {
			return -1
		}
		return end
	}
	if n.str == nil && n.enum == nil && n.carrier == nil {
		return end
	}
	text := s.unquoted(i, end, escaped)
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
	f := fault{at: i, end: end, node: n}
	// Runes are counted only where the count of bytes does not settle it.
	if r.minLen > 0 && len(text) < utf8.UTFMax*r.minLen {
		if f.x = utf8.RuneCount(text); f.x < r.minLen {
			if f.kind = tooShort; !s.fault(f) {
				return false
			}
		}
	}
	if r.maxLen >= 0 && len(text) > r.maxLen {
		if f.x = utf8.RuneCount(text); f.x > r.maxLen {
			if f.kind = tooLong; !s.fault(f) {
				return false
			}
		}
	}
	if r.format != nil && !r.format.check(text) {
		if f.kind = wrongFormat; !s.fault(f) {
			return false
		}
	}
	if r.pattern != nil && !r.pattern.match(s, text) {
		if f.kind = noMatch; s.fatal != 0 || !s.fault(f) {
			return false
		}
	}
	return true
}

// number checks the number literal at d[i].
func (s *state) number(n *node, i int) int {
	end, ok := jsonx.Number(s.d, i)
	if !ok {
		return s.stop(malformed, end)
	}
	lit := s.d[i:end]
	f := fault{at: i, end: end, node: n}
	if n.types&(tNumber|tInteger) == 0 {
		if f.kind = wrongType; !s.fault(f) {
			return -1
		}
		return end
	}
	small, isSmall := smallInteger(lit)
	var v jsonx.Decimal
	if !isSmall {
		var err error
		if v, err = jsonx.ParseDecimal(lit); err != nil {
			if f.kind = outOfRange; !s.fault(f) {
				return -1
			}
			return end
		}
		if n.types&tNumber == 0 && !v.IsInteger() {
			if f.kind = wrongType; !s.fault(f) {
				return -1
			}
			return end
		}
		if n.carrier != nil && !s.carriesNumber(n, f, v) {
			return -1
		}
	}
	if n.num != nil && !s.numberRule(n, f, number{small, isSmall, v, lit}) || n.enum != nil && !s.checkEnum(n, i, end) {
		return -1
	}
	return end
}

// number is a number literal, as an int64 where that is quick to have.
type number struct {
	small   int64
	isSmall bool
	value   jsonx.Decimal
	lit     []byte
}

// smallInteger reads literals of up to 18 digits without point or exponent.
func smallInteger(lit []byte) (int64, bool) {
	neg := lit[0] == '-'
	if neg {
		lit = lit[1:]
	}
	if len(lit) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range lit {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

func (v *number) decimal() jsonx.Decimal {
	if v.isSmall {
		v.value, _ = jsonx.ParseDecimal(v.lit)
		v.isSmall = false
	}
	return v.value
}

func (v *number) compare(l *limit) int {
	if v.isSmall && l.fits {
		switch {
		case v.small < l.small:
			return -1
		case v.small > l.small:
			return 1
		}
		return 0
	}
	return v.decimal().Compare(l.value)
}

func (v *number) multipleOf(l *limit) bool {
	if v.isSmall && l.fits {
		return v.small%l.small == 0
	}
	return v.decimal().MultipleOf(l.value)
}

func (s *state) numberRule(n *node, f fault, v number) bool {
	r := n.num
	if f.kind = belowMin; r.min.set && v.compare(&r.min) < 0 && !s.fault(f) {
		return false
	}
	if f.kind = aboveMax; r.max.set && v.compare(&r.max) > 0 && !s.fault(f) {
		return false
	}
	if f.kind = notAbove; r.above.set && v.compare(&r.above) <= 0 && !s.fault(f) {
		return false
	}
	if f.kind = notBelow; r.below.set && v.compare(&r.below) >= 0 && !s.fault(f) {
		return false
	}
	f.kind = notMultiple
	return !r.multipleOf.set || v.multipleOf(&r.multipleOf) || s.fault(f)
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
		escaped := false
		for _, b := range value {
			escaped = escaped || b == '\\'
		}
		_, ok := r.strings[string(s.unquoted(i, end, escaped))]
		return ok
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
