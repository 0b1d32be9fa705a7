package schema

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"

	"helve.dev/helve/internal/jsonx"
)

var noObject = &objectRule{minProps: -1, maxProps: -1}

// objectScan is where a check of one object is.
type objectScan struct {
	n       *node
	o       *objectRule
	start   int
	t       track
	closed  bool
	fresh   bool // the text is read for the first time, so names have to be compared
	top     bool // the arguments themselves, where aliases count
	count   int
	hint    int // the property that is likely to come next
	seen    int // where the bit set of seen properties is
	namesAt int
}

// object checks the object at d[i] against what n says about objects.
func (s *state) object(n *node, i int, t track, closed bool) int {
	if s.depth++; s.depth > s.v.maxDepth {
		return s.stop(tooDeep, i)
	}
	o := n.obj
	if o == nil {
		o = noObject
	}
	sc := objectScan{
		n: n, o: o, start: i, t: t, closed: closed, fresh: i >= s.high, seen: len(s.bits), namesAt: len(s.names),
		top: s.settling && s.depth == 1 && len(s.v.aliases) > 0,
	}
	s.grow(o.words())
	i = jsonx.Space(s.d, i+1)
	for first := true; ; first = false {
		if i >= len(s.d) {
			return s.stop(malformed, i)
		}
		if first && s.d[i] == '}' {
			break
		}
		if i = s.member(&sc, i); i < 0 {
			return -1
		}
		if i = jsonx.Space(s.d, i); i >= len(s.d) {
			return s.stop(malformed, i)
		}
		if s.d[i] == '}' {
			break
		}
		if s.d[i] != ',' {
			return s.stop(malformed, i)
		}
		i = jsonx.Space(s.d, i+1)
	}
	s.high = max(s.high, i+1)
	if !s.objectEnd(&sc, i+1) {
		return -1
	}
	s.depth--
	s.bits, s.names = s.bits[:sc.seen], s.names[:sc.namesAt]
	return i + 1
}

// member checks one member, whose name starts at d[i], and returns the index after its value.
func (s *state) member(sc *objectScan, i int) int {
	at := i
	p, i := s.name(sc, i)
	if i < 0 {
		return -1
	}
	nameEnd := i
	i = jsonx.Space(s.d, i)
	if i >= len(s.d) || s.d[i] != ':' {
		return s.stop(malformed, i)
	}
	i = jsonx.Space(s.d, i+1)
	ordinal := sc.count
	sc.count++
	var end int
	known := false
	if p >= 0 {
		sc.hint = p + 1
		if prop := &sc.o.props[p]; prop.node != nil {
			known = true
			if prop.deprecated && s.settling && s.mode == report {
				s.deprecated = append(s.deprecated, at)
			}
			end = s.value(prop.node, i, track{}, s.closed)
		}
	}
	if end < 0 {
		return -1
	}
	if len(sc.o.patterns) > 0 {
		if end, known = s.byPattern(sc, at, nameEnd, i, end, known); end < 0 {
			return -1
		}
	}
	if !known {
		if end, known = s.additional(sc, at, nameEnd, i); end < 0 {
			return -1
		}
	}
	if known && sc.t.words > 0 {
		s.evaluate(sc.t, ordinal)
	}
	if sc.o.names != nil && !s.again(sc.o.names, at, nameEnd, track{}) {
		return -1
	}
	return end
}

// name reads a member's name and returns the index of the property it is (-1: none that the rule knows) and the index after it,
// or -1 when checking has to stop.
func (s *state) name(sc *objectScan, i int) (p, end int) {
	d := s.d
	if d[i] != '"' {
		return -1, s.stop(malformed, i)
	}
	// Most values name their properties in the schema's order: compare the next one byte for byte before anything else.
	if sc.hint < len(sc.o.props) {
		w := sc.o.props[sc.hint].name
		if e := i + 1 + len(w); e < len(d) && d[e] == '"' && string(d[i+1:e]) == w {
			return sc.hint, s.mustBeNew(sc, sc.hint, i, e+1, false)
		}
	}
	end, escaped, ok := jsonx.String(d, i)
	if !ok {
		return -1, s.stop(malformed, end)
	}
	p = -1
	if len(sc.o.props) > 0 {
		if k, ok := sc.o.index[string(s.unquoted(i, end, escaped))]; ok {
			p = k
		}
	}
	return p, s.mustBeNew(sc, p, i, end, escaped)
}

// unquoted returns what the literal d[i:end] stands for. It is valid until the next call.
func (s *state) unquoted(i, end int, escaped bool) []byte {
	if !escaped {
		return s.d[i+1 : end-1]
	}
	s.scratch = jsonx.Unquote(s.scratch[:0], s.d[i:end])
	return s.scratch
}

// mustBeNew marks a name as seen and reports a second one. It returns end, or -1 when checking has to stop.
func (s *state) mustBeNew(sc *objectScan, p, i, end int, escaped bool) int {
	if p >= 0 {
		word, bit := &s.bits[sc.seen+p/64], uint64(1)<<(p%64)
		again := *word&bit != 0
		*word |= bit
		if again && sc.fresh && !s.fault(fault{kind: duplicate, at: i, end: end}) {
			return -1
		}
		return end
	}
	if !sc.fresh {
		return end
	}
	ref := nameRef{at: i, end: end, escaped: escaped}
	if len(s.names)-sc.namesAt < smallObject {
		for _, old := range s.names[sc.namesAt:] {
			if s.sameName(old, ref) && !s.fault(fault{kind: duplicate, at: i, end: end}) {
				return -1
			}
		}
	}
	s.names = append(s.names, ref)
	return end
}

func (s *state) sameName(a, b nameRef) bool {
	if !a.escaped && !b.escaped {
		return bytes.Equal(s.d[a.at:a.end], s.d[b.at:b.end])
	}
	return equalStrings(s.d[a.at:a.end], s.d[b.at:b.end])
}

// duplicatesAmongMany finds repeated names in an object that is too large for comparing each with each. The first few names have
// been compared with each other already.
func (s *state) duplicatesAmongMany(sc *objectScan) bool {
	names := s.names[sc.namesAt:]
	if len(names) <= smallObject {
		return true
	}
	for k := range names {
		names[k].hash = maphash.Bytes(hashSeed, s.unquoted(names[k].at, names[k].end, names[k].escaped))
	}
	late := names[smallObject].at
	slices.SortFunc(names, func(a, b nameRef) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) })
	for k := 1; k < len(names); k++ {
		if names[k].hash == names[k-1].hash && names[k].at >= late && s.sameName(names[k-1], names[k]) &&
			!s.fault(fault{kind: duplicate, at: names[k].at, end: names[k].end}) {
			return false
		}
	}
	return true
}

var hashSeed = maphash.MakeSeed()

// byPattern applies the patternProperties whose pattern matches the name at d[at:nameEnd] to the value at d[i].
func (s *state) byPattern(sc *objectScan, at, nameEnd, i, end int, known bool) (int, bool) {
	for _, pp := range sc.o.patterns {
		// The check of a value may use the scratch space, so the name is unquoted for each pattern.
		matched := pp.pattern.match(s, s.unquoted(at, nameEnd, bytes.IndexByte(s.d[at:nameEnd], '\\') >= 0))
		switch {
		case s.fatal != 0:
			return -1, false
		case !matched:
			continue
		case known && !s.spend(i, end):
			return -1, false
		}
		if end = s.value(pp.node, i, track{}, s.closed); end < 0 {
			return -1, false
		}
		s.high = max(s.high, end)
		known = true
	}
	return end, known
}

// additional checks the value of a member that neither properties nor patternProperties know.
func (s *state) additional(sc *objectScan, at, nameEnd, i int) (end int, known bool) {
	if sc.top && sc.start == jsonx.Space(s.d, 0) {
		if to, ok := s.v.aliases[string(s.unquoted(at, nameEnd, bytes.IndexByte(s.d[at:nameEnd], '\\') >= 0))]; ok {
			return s.alias(to, at, nameEnd, i)
		}
	}
	switch add := sc.o.additional; {
	case add == nil && !sc.closed:
		return s.skip(i), false
	case add == nil || add.never:
		end = s.skip(i)
		if end >= 0 && !s.fault(fault{kind: unknown, at: at, end: nameEnd, node: sc.n}) {
			return -1, false
		}
		return end, true
	default:
		return s.value(add, i, track{}, s.closed), true
	}
}

// alias handles a former name of a root property. It has been renamed when the text is settled, unless its present name is given
// too.
func (s *state) alias(to string, at, nameEnd, i int) (int, bool) {
	s.wantSettle = true
	end := s.skip(i)
	if end >= 0 && s.settled && !s.fault(fault{kind: aliasTwice, at: at, end: nameEnd, name: to}) {
		return -1, false
	}
	return end, true
}

// objectEnd checks what can be said once every member is known. end is the index after the closing brace.
func (s *state) objectEnd(sc *objectScan, end int) bool {
	o := sc.o
	if sc.fresh && !s.duplicatesAmongMany(sc) {
		return false
	}
	for w, required := range o.required {
		seen := s.bits[sc.seen+w]
		if required&^seen != 0 && !s.missing(sc, w, required&^seen, end) {
			return false
		}
		if w < len(o.defaults) && o.defaults[w]&^seen != 0 {
			s.wantSettle = true
		}
	}
	if o.minProps >= 0 && sc.count < o.minProps && !s.fault(fault{kind: tooFewMembers, at: sc.start, end: end, node: sc.n, x: sc.count}) ||
		o.maxProps >= 0 && sc.count > o.maxProps && !s.fault(fault{kind: tooManyMembers, at: sc.start, end: end, node: sc.n, x: sc.count}) {
		return false
	}
	for k := range o.depends {
		if dep := &o.depends[k]; s.bits[sc.seen+dep.trigger/64]&(1<<(dep.trigger%64)) != 0 && !s.dependent(sc, dep, end) {
			return false
		}
	}
	return true
}

func (s *state) missing(sc *objectScan, word int, absent uint64, end int) bool {
	for b := 0; absent != 0; b, absent = b+1, absent>>1 {
		if absent&1 == 0 {
			continue
		}
		p := &sc.o.props[word*64+b]
		if !s.fault(fault{kind: missing, at: sc.start, end: end, order: end - 1, name: p.name, node: s.wanted(sc, p)}) {
			return false
		}
	}
	return true
}

// wanted returns the schema of a property, for saying what is wanted there.
func (s *state) wanted(sc *objectScan, p *property) *node {
	if p.node == nil {
		return sc.o.additional
	}
	return p.node
}

func (s *state) dependent(sc *objectScan, dep *dependency, end int) bool {
	for _, p := range dep.needs {
		if s.bits[sc.seen+p/64]&(1<<(p%64)) != 0 {
			continue
		}
		prop := &sc.o.props[p]
		f := fault{kind: missingBeside, at: sc.start, end: end, order: end - 1, name: prop.name, other: sc.o.props[dep.trigger].name, node: prop.node}
		if !s.fault(f) {
			return false
		}
	}
	return dep.node == nil || s.again(dep.node, sc.start, end, sc.t)
}

// unevaluated applies unevaluatedProperties, unevaluatedItems and Config.Closed to what no subschema has evaluated. When one of
// the subschemas did not fit, nothing is known about what it would have evaluated: then only names that none of them lists are
// reported.
func (s *state) unevaluated(n *node, i int, t track, faulty bool) bool {
	sub, isObject := n.unevalItems, s.d[i] == '{'
	if isObject {
		sub = n.unevalProps
	}
	if sub == nil && !isObject {
		return true
	}
	k := jsonx.Space(s.d, i+1)
	for ordinal := 0; s.d[k] != '}' && s.d[k] != ']'; ordinal++ {
		at, v := k, k
		if isObject {
			v = s.memberValue(k)
		}
		end := jsonx.Skip(s.d, v)
		if !s.evaluated(t, ordinal) && !(faulty && (!isObject || s.listed(n, at))) && !s.leftOver(sub, n, at, v, end, isObject) {
			return false
		}
		k = s.next(end)
	}
	if sub != nil {
		s.evaluateAll(t)
	}
	return true
}

// leftOver checks one member or item that nothing has evaluated.
func (s *state) leftOver(sub, n *node, at, v, end int, isObject bool) bool {
	switch {
	case isObject && (sub == nil || sub.never):
		return s.fault(fault{kind: unknown, at: at, end: jsonx.Skip(s.d, at), node: n})
	case sub.never:
		return s.fault(fault{kind: notAllowed, at: v, end: end, node: sub})
	}
	return s.spend(v, end) && s.value(sub, v, track{}, s.closed) >= 0
}

func (s *state) listed(n *node, at int) bool {
	end, escaped, _ := jsonx.String(s.d, at)
	return slices.Contains(n.accepted(), string(s.unquoted(at, end, escaped)))
}
