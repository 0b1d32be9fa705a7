package schema

import (
	"bytes"
	"cmp"
	"encoding/binary"
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
	plain   bool // nothing but the schemas of properties looks at a member
	top     bool // the arguments themselves, where aliases count
	count   int
	after   int // the property that came last, counted from one
	namesAt int

	seen     uint64 // which of the first 64 properties there are
	stampsAt int    // where the stamps of the others begin
	round    uint64 // what is stamped
	required int    // how many properties there are that have to be
	defaults int    // and that have a default
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
		n: n, o: o, start: i, t: t, closed: closed, fresh: i >= s.high, namesAt: len(s.names), stampsAt: len(s.stamps),
		plain: t.words == 0 && len(o.patterns) == 0 && o.names == nil,
		top:   s.settling && s.depth == 1 && len(s.v.aliases) > 0,
	}
	if len(o.props) > 64 {
		sc.round = s.newStamps(len(o.props) - 64)
	}
	i = jsonx.Space(s.d, i+1)
	for first := true; ; first = false {
		if i >= len(s.d) {
			return s.stop(malformed, i)
		}
		if first && s.d[i] == '}' {
			break
		}
		at, from := i, len(s.faults)
		if i = s.member(&sc, i); i < 0 {
			return -1
		}
		s.within(from, at)
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
	s.names, s.stamps = s.names[:sc.namesAt], s.stamps[:sc.stampsAt]
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
	if known && sc.plain {
		return end
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
	// Most values name their properties in the order of those before: compare the next one byte for byte before anything else.
	guess := -1
	if len(sc.o.next) > 0 {
		guess = int(sc.o.next[sc.after].Load())
		if e := sc.o.props[guess].at(d, i); e > 0 {
			if sc.after = guess + 1; !s.saw(sc, guess) {
				s.see(sc, guess)
				return guess, e
			}
			return guess, s.mustBeNew(sc, guess, i, e, false)
		}
	}
	end, escaped, ok := jsonx.String(d, i)
	if !ok {
		return -1, s.stop(malformed, end)
	}
	if p = sc.o.index.find(s.unquoted(i, end, escaped)); p >= 0 {
		if p != guess {
			sc.o.learn(sc.after, p)
		}
		sc.after = p + 1
	}
	return p, s.mustBeNew(sc, p, i, end, escaped)
}

// at returns the index after the property's name if that stands at d[i], and else 0.
func (p *property) at(d []byte, i int) int {
	e := i + len(p.literal)
	if e > len(d) || i+8 <= len(d) && (binary.LittleEndian.Uint64(d[i:])^p.head)&p.mask != 0 {
		return 0
	}
	if (len(p.literal) > 8 || i+8 > len(d)) && string(d[i:e]) != p.literal {
		return 0
	}
	return e
}

// learn notes that the property p came after another one. That ends after a while: values that come in ever new orders are not
// worth that the processors share what each of them writes.
func (r *objectRule) learn(after, p int) {
	if lessons := r.lessons.Load(); int(lessons) < 8*len(r.next) {
		r.lessons.Add(1)
		r.next[after].Store(int32(p))
	}
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
		if !s.saw(sc, p) {
			s.see(sc, p)
		} else if sc.fresh && !s.fault(fault{kind: duplicate, at: i, end: end}) {
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

// saw reports whether the property p has been there.
func (s *state) saw(sc *objectScan, p int) bool {
	if p < 64 {
		return sc.seen&(1<<p) != 0
	}
	return s.stamps[sc.stampsAt+p-64] == sc.round
}

func (s *state) see(sc *objectScan, p int) {
	if p < 64 {
		sc.seen |= 1 << p
	} else {
		s.stamps[sc.stampsAt+p-64] = sc.round
	}
	prop := &sc.o.props[p]
	if prop.required {
		sc.required++
	}
	if prop.hasDefault {
		sc.defaults++
	}
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
		names[k].hash = hashBytes(s.unquoted(names[k].at, names[k].end, names[k].escaped))
	}
	late := names[smallObject].at
	slices.SortFunc(names, func(a, b nameRef) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) })
	for k := 1; k < len(names); k++ {
		if names[k].hash != names[k-1].hash || names[k].at < late || !s.sameName(names[k-1], names[k]) {
			continue
		}
		from := len(s.faults)
		if !s.fault(fault{kind: duplicate, at: names[k].at, end: names[k].end}) {
			return false
		}
		s.within(from, names[k].at)
	}
	return true
}

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
	s.wantSettle, s.aliased = true, true
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
	if sc.required < len(o.required) && !s.missing(sc, end) {
		return false
	}
	if sc.defaults < o.defaults {
		s.wantSettle = true
	}
	if o.minProps >= 0 && sc.count < o.minProps && !s.fault(fault{kind: tooFewMembers, at: sc.start, end: end, node: sc.n, x: sc.count}) ||
		o.maxProps >= 0 && sc.count > o.maxProps && !s.fault(fault{kind: tooManyMembers, at: sc.start, end: end, node: sc.n, x: sc.count}) {
		return false
	}
	for k := range o.depends {
		if dep := &o.depends[k]; s.saw(sc, dep.trigger) && !s.dependent(sc, dep, end) {
			return false
		}
	}
	return true
}

func (s *state) missing(sc *objectScan, end int) bool {
	for _, i := range sc.o.required {
		if p := &sc.o.props[i]; !s.saw(sc, i) && !s.fault(fault{kind: missing, at: sc.start, end: end, order: end - 1, name: p.name, node: s.wanted(sc, p)}) {
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
		if s.saw(sc, p) {
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
		at, v, step := k, k, ^ordinal
		if isObject {
			v, step = s.memberValue(k), k
		}
		end, from := jsonx.Skip(s.d, v), len(s.faults)
		if !s.evaluated(t, ordinal) && !(faulty && (!isObject || s.listed(n, at))) && !s.leftOver(sub, n, at, v, end, isObject) {
			return false
		}
		s.within(from, step)
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
	return slices.Contains(n.accepted().names, string(s.unquoted(at, end, escaped)))
}
