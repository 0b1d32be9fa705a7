package schema

import "helve.dev/helve/internal/jsonx"

// value checks the value that starts at d[i] against n and returns the index after it, or -1 when checking has to stop: the text
// is malformed, a limit is passed, or the mode is probe and there is a fault. t records what n evaluates; closed says that names
// which n does not list are unknown.
func (s *state) value(n *node, i int, t track, closed bool) int {
	if n.direct {
		if i < len(s.d) && s.d[i] == '"' {
			return s.string(n, i)
		}
		return s.own(n, i, t, closed && n.closable)
	}
	for n.jump != nil {
		n = n.jump
	}
	switch {
	case n.always:
		return s.skip(i)
	case n.never:
		return s.refuse(n, i)
	}
	if s.v.dynamic && (len(s.scope) == 0 || s.scope[len(s.scope)-1] != n.res) {
		s.scope = append(s.scope, n.res)
		end := s.apply(n, i, t, closed)
		if end >= 0 {
			s.scope = s.scope[:len(s.scope)-1]
		}
		return end
	}
	return s.apply(n, i, t, closed)
}

func (s *state) apply(n *node, i int, t track, closed bool) int {
	closed = closed && n.closable
	if n.in == nil && n.unevalProps == nil && n.unevalItems == nil {
		if closed && n.obj != nil && n.obj.hasSchemas {
			return s.whole(n, i, t, true)
		}
		return s.own(n, i, t, closed)
	}
	return s.whole(n, i, t, closed)
}

// refuse reports that nothing may stand at d[i].
func (s *state) refuse(n *node, i int) int {
	end := s.skip(i)
	if end < 0 {
		return -1
	}
	return s.misfit(notAllowed, n, i, end)
}

// whole checks a value against a node that has keywords which apply in place.
func (s *state) whole(n *node, i int, t track, closed bool) int {
	if s.frames++; s.frames > maxFrames {
		return s.stop(tooComplex, i)
	}
	before, bitsAt := s.found, len(s.bits)
	own, kind := t, byte(0)
	if i < len(s.d) {
		kind = s.d[i]
	}
	tracking := kind == '{' && (closed || n.unevalProps != nil) || kind == '[' && n.unevalItems != nil
	if tracking {
		count := s.count(i)
		if count < 0 {
			return -1
		}
		own = s.newTrack(count)
	}
	end := s.own(n, i, own, false)
	if end < 0 {
		return -1
	}
	fits := s.typeFits(n, i, end)
	if fits && n.in != nil && !s.inPlace(n.in, n, i, end, own) {
		return -1
	}
	if tracking {
		if fits && !s.unevaluated(n, i, own, before < s.found) {
			return -1
		}
		s.merge(t, own)
		s.bits = s.bits[:bitsAt]
	}
	s.frames--
	return end
}

// own checks a value against everything but the keywords that apply in place.
func (s *state) own(n *node, i int, t track, closed bool) int {
	if i >= len(s.d) {
		return s.stop(malformed, i)
	}
	var end int
	switch c := s.d[i]; c {
	case '{':
		if n.types&tObject == 0 {
			return s.wrongType(n, i)
		}
		end = s.object(n, i, t, closed)
	case '[':
		if n.types&tArray == 0 {
			return s.wrongType(n, i)
		}
		end = s.array(n, i, t)
	case '"':
		return s.string(n, i)
	case 't', 'f', 'n':
		return s.literal(n, i)
	default:
		return s.number(n, i)
	}
	if end >= 0 && n.enum != nil && !s.checkEnum(n, i, end) {
		return -1
	}
	return end
}

func (s *state) wrongType(n *node, i int) int {
	end := s.skip(i)
	if end < 0 {
		return -1
	}
	return s.misfit(wrongType, n, i, end)
}

func (s *state) literal(n *node, i int) int {
	end, ok := jsonx.Literal(s.d, i)
	if !ok {
		return s.stop(malformed, end)
	}
	want := tBoolean
	if s.d[i] == 'n' {
		want, s.nulls = tNull, true
	}
	if n.types&want == 0 {
		return s.misfit(wrongType, n, i, end)
	}
	if n.enum != nil && !s.checkEnum(n, i, end) {
		return -1
	}
	return end
}

// typeFits reports whether the type of the value, which own has checked already, is one that n takes: when it is not, what n
// applies in place would only repeat the fault.
func (s *state) typeFits(n *node, i, end int) bool {
	return n.types == tAny || n.types&s.typeOf(i, end) != 0
}

func (s *state) typeOf(i, end int) types {
	switch s.d[i] {
	case '{':
		return tObject
	case '[':
		return tArray
	case '"':
		return tString
	case 't', 'f':
		return tBoolean
	case 'n':
		return tNull
	}
	if v, err := jsonx.ParseDecimal(s.d[i:end]); err == nil && v.IsInteger() {
		return tNumber | tInteger
	}
	return tNumber
}

// skip passes over a value. Text that has not been read yet is checked to be strict JSON.
func (s *state) skip(i int) int {
	if i < s.high {
		return jsonx.Skip(s.d, i)
	}
	if i >= len(s.d) {
		return s.stop(malformed, i)
	}
	var end int
	var ok bool
	switch s.d[i] {
	case '{':
		return s.object(anyNode, i, track{}, false)
	case '[':
		return s.array(anyNode, i, track{})
	case '"':
		end, _, ok = jsonx.String(s.d, i)
	case 't', 'f', 'n':
		end, ok = jsonx.Literal(s.d, i)
		s.nulls = s.nulls || s.d[i] == 'n'
	default:
		end, ok = jsonx.Number(s.d, i)
	}
	if !ok {
		return s.stop(malformed, end)
	}
	return end
}

var anyNode = &node{types: tAny, always: true}

// count returns how many members or items the container at d[i] has, and -1 when its text is malformed.
func (s *state) count(i int) int {
	end := s.skip(i)
	if end < 0 {
		return -1
	}
	s.high = max(s.high, end)
	if !s.spend(i, end) {
		return -1
	}
	n := 0
	for k := jsonx.Space(s.d, i+1); s.d[k] != '}' && s.d[k] != ']'; n++ {
		if s.d[i] == '{' {
			k = s.memberValue(k)
		}
		k = s.next(jsonx.Skip(s.d, k))
	}
	return n
}

// memberValue returns where the value of the member starts whose name starts at d[k], in text that is known to be well-formed.
func (s *state) memberValue(k int) int {
	return jsonx.Space(s.d, jsonx.Space(s.d, jsonx.Skip(s.d, k))+1)
}

// next returns where the next member or item starts, or the closing bracket is, in text that is known to be well-formed.
func (s *state) next(end int) int {
	k := jsonx.Space(s.d, end)
	if s.d[k] == ',' {
		k = jsonx.Space(s.d, k+1)
	}
	return k
}

// inPlace applies the subschemas that concern the same value. It reports whether to go on.
func (s *state) inPlace(in *inPlace, n *node, i, end int, t track) bool {
	if in.ref != nil && !s.again(in.ref, i, end, t) {
		return false
	}
	if in.dynamic != nil && !s.again(s.dynamicTarget(in.dynamic), i, end, t) {
		return false
	}
	for _, sub := range in.allOf {
		if !s.again(sub, i, end, t) {
			return false
		}
	}
	if in.anyOf != nil && !s.anyOf(in.anyOf, n, i, end, t) || in.oneOf != nil && !s.oneOf(in.oneOf, n, i, end, t) {
		return false
	}
	if in.not != nil {
		fits := s.condition(in.not, i, end, track{})
		if s.fatal != 0 || fits && !s.fault(fault{kind: mustNot, at: i, end: end, node: in.not}) {
			return false
		}
	}
	if in.cond == nil {
		return true
	}
	branch := in.els
	if s.condition(in.cond, i, end, t) {
		branch = in.then
	}
	return s.fatal == 0 && (branch == nil || s.again(branch, i, end, t))
}

// dynamicTarget finds the outermost resource in the dynamic scope that has the anchor (core specification, section 8.2.3.2).
func (s *state) dynamicTarget(d *dynamicRef) *node {
	for _, res := range s.scope {
		if n := d.targets[res]; n != nil {
			return n
		}
	}
	return d.initial
}

func (s *state) anyOf(list []*node, n *node, i, end int, t track) bool {
	fits := false
	for _, sub := range list {
		if s.attempt(sub, i, end, t) {
			if fits = true; t.words == 0 {
				return true // with a track, every branch that fits counts
			}
		}
		if s.fatal != 0 {
			return false
		}
	}
	return fits || s.explain(list, n, i, end)
}

func (s *state) oneOf(list []*node, n *node, i, end int, t track) bool {
	first, second := -1, -1
	for k, sub := range list {
		if s.attempt(sub, i, end, t) {
			if first < 0 {
				first = k
			} else if second = k; true {
				break
			}
		}
		if s.fatal != 0 {
			return false
		}
	}
	switch {
	case first < 0:
		return s.explain(list, n, i, end)
	case second >= 0:
		return s.fault(fault{kind: ambiguous, at: i, end: end, node: n, list: list, x: first, y: second})
	}
	return true
}

// explain reports that no branch fits: with the faults of the branch that was most likely meant, or with one sentence when
// none is close.
func (s *state) explain(list []*node, n *node, i, end int) bool {
	if s.mode != report {
		return s.fault(fault{kind: noBranch, at: i, end: end, node: n, list: list})
	}
	if d := findDiscriminator(list); d != nil && s.d[i] == '{' {
		return s.discriminate(d, list, n, i, end)
	}
	best, weight, tied := -1, 0, false
	for k, sub := range list {
		w := s.weigh(sub, i, end)
		if s.fatal != 0 {
			return false
		}
		if best < 0 || w < weight {
			best, weight, tied = k, w, false
		} else if w == weight {
			tied = true
		}
	}
	if best < 0 || weight >= wrongTypeWeight || tied && weight > 1 && s.d[i] != '{' {
		return s.fault(fault{kind: noBranch, at: i, end: end, node: n, list: list})
	}
	return s.again(list[best], i, end, track{})
}

// weigh says how far the value is from fitting n.
func (s *state) weigh(n *node, i, end int) int {
	if !s.spend(i, end) {
		return 0
	}
	m := s.mark()
	mode, weight, at := s.mode, s.weight, s.at
	s.mode, s.weight, s.at = tally, 0, i
	s.value(n, i, track{}, false)
	w := s.weight
	s.mode, s.weight, s.at = mode, weight, at
	s.reset(m)
	return w
}
