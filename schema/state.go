package schema

import (
	"slices"
	"sync"

	"helve.dev/helve/internal/jsonx"
)

// Limits of one check, chosen so that no honest value meets them and no hostile one takes seconds.
const (
	maxListed   = 32      // faults in a report
	maxKept     = 512     // faults kept before sorting
	workBudget  = 1 << 21 // units of checking a value again; a unit is a subschema applied or 32 bytes read
	maxFrames   = 6000    // nested applications of subschemas
	smallObject = 16      // members up to which names are compared pairwise
)

// mode says what a fault does.
type mode uint8

const (
	report mode = iota // it is kept, checking goes on
	probe              // checking stops: only whether there is a fault counts
	tally              // it is weighed, checking goes on
)

// A state is one check of one value. It is pooled; everything in it is reused.
type state struct {
	v       *Validator
	d       []byte
	high    int // everything before is known to be well-formed, without duplicate names
	depth   int
	frames  int
	work    int
	closed  bool // Config.Closed counts here
	mode    mode
	weight  int // of the faults tallied
	at      int // where the value that is tallied starts
	found   int // faults so far, whatever the mode
	faults  []fault
	steps   []pathStep // the way to the faults, from within
	extra   int        // faults that were not kept
	fatal   faultKind
	fatalAt int
	bits    []uint64
	stamps  []uint64 // see newStamps
	round   uint64   // the last one stamped
	names   []nameRef
	hashes  []itemHash
	scratch []byte
	scope   []*resource
	walk    pathWalk // where the faults are
	text    []byte   // and what they say

	twice      bool // a name has been found twice in an object
	settling   bool // Normalize asks
	settled    bool // the text has been settled already
	wantSettle bool // something in the value has to be settled
	aliased    bool // a former name is in it
	nulls      bool // and a null
	deprecated []int
}

// nameRef is the literal of a member's name.
type nameRef struct {
	at, end int
	escaped bool
	hash    uint64
}

var statePool = sync.Pool{New: func() any { return new(state) }}

func (v *Validator) newState(raw []byte) *state {
	s := statePool.Get().(*state)
	s.v, s.d = v, raw
	s.high, s.depth, s.frames, s.work, s.mode, s.found, s.closed = 0, 0, 0, 0, report, 0, false
	s.faults, s.steps, s.extra, s.fatal = s.faults[:0], s.steps[:0], 0, 0
	s.bits, s.stamps, s.names, s.hashes, s.scope = s.bits[:0], s.stamps[:0], s.names[:0], s.hashes[:0], s.scope[:0]
	s.twice, s.settling, s.settled, s.wantSettle, s.aliased, s.nulls = false, false, false, false, false, false
	s.deprecated = s.deprecated[:0]
	return s
}

func (s *state) release() {
	const keep = 1 << 16
	if cap(s.bits) > keep || cap(s.stamps) > keep || cap(s.names) > keep || cap(s.hashes) > keep || cap(s.scratch) > keep || cap(s.text) > keep || cap(s.steps) > keep/16 {
		return
	}
	clear(s.faults) // what lies beyond was cleared before
	s.v, s.d = nil, nil
	statePool.Put(s)
}

// run checks the whole text.
func (s *state) run() {
	if len(s.d) > s.v.maxSize {
		s.stop(tooLarge, s.v.maxSize)
		return
	}
	i := jsonx.Space(s.d, 0)
	s.closed = s.v.closed
	end := s.value(s.v.root, i, track{}, s.closed)
	if end < 0 {
		return
	}
	if i = jsonx.Space(s.d, end); i < len(s.d) {
		s.stop(trailing, i)
	}
}

// stop ends the check for good. It returns -1, what every checking function returns then.
func (s *state) stop(kind faultKind, at int) int {
	if s.fatal == 0 {
		s.fatal, s.fatalAt = kind, at
	}
	return -1
}

// fault notes a fault and reports whether checking goes on.
func (s *state) fault(f fault) bool {
	s.found++
	if f.kind == duplicate {
		s.twice = true
	}
	switch s.mode {
	case probe:
		return false
	case tally:
		s.weight += f.weight(s.at)
		return true
	}
	if f.order == 0 {
		f.order = f.at
	}
	if len(s.faults) >= maxKept {
		s.extra++
		return true
	}
	f.nth = len(s.faults)
	s.faults = append(s.faults, f)
	return true
}

// spend charges for applying a subschema to d[i:end] again, and reports whether the budget allows it.
func (s *state) spend(i, end int) bool {
	s.work += 1 + (end-i)/32
	if s.work > workBudget {
		s.stop(tooComplex, i)
		return false
	}
	return true
}

// mark is a point that the arenas of a state can be cut back to.
type mark struct{ bits, stamps, names, hashes, depth, frames, scope, found int }

func (s *state) mark() mark {
	return mark{len(s.bits), len(s.stamps), len(s.names), len(s.hashes), s.depth, s.frames, len(s.scope), s.found}
}

func (s *state) reset(m mark) {
	s.bits, s.stamps, s.names = s.bits[:m.bits], s.stamps[:m.stamps], s.names[:m.names]
	s.hashes, s.scope = s.hashes[:m.hashes], s.scope[:m.scope]
	s.depth, s.frames, s.found = m.depth, m.frames, m.found
}

// track is a bit set in the arena of bits that says which members or items of one value have been evaluated. The zero track
// keeps no record.
type track struct{ at, words int }

func (s *state) newTrack(count int) track {
	t := track{at: len(s.bits), words: (count + 63) / 64}
	for range t.words {
		s.bits = append(s.bits, 0)
	}
	return t
}

// newStamps makes room for the stamps of so many properties and returns what to stamp those with that are there. What stands in
// the arena already is older than that, so that nothing has to be cleared: an object costs what it holds, not what its schema
// lists.
func (s *state) newStamps(count int) (round uint64) {
	s.stamps = slices.Grow(s.stamps, count)
	s.stamps = s.stamps[:len(s.stamps)+count]
	s.round++
	return s.round
}

func (s *state) evaluate(t track, ordinal int) {
	if ordinal/64 < t.words {
		s.bits[t.at+ordinal/64] |= 1 << (ordinal % 64)
	}
}

func (s *state) evaluated(t track, ordinal int) bool {
	return ordinal/64 < t.words && s.bits[t.at+ordinal/64]&(1<<(ordinal%64)) != 0
}

func (s *state) evaluateAll(t track) {
	for i := range t.words {
		s.bits[t.at+i] = ^uint64(0)
	}
}

// merge adds what from has evaluated to into, which is about the same value.
func (s *state) merge(into, from track) {
	for i := range min(into.words, from.words) {
		s.bits[into.at+i] |= s.bits[from.at+i]
	}
}

// attempt applies n to the value at d[i:end], which has been read before, and reports whether it fits. It keeps no faults; with
// a track, what a fitting n evaluates is added to it.
func (s *state) attempt(n *node, i, end int, t track) bool {
	if n.always {
		return true
	}
	if !s.spend(i, end) {
		return false
	}
	m, old := s.mark(), s.mode
	own := track{}
	if t.words > 0 {
		own = s.newTrack(t.words * 64)
	}
	s.mode = probe
	ok := s.value(n, i, own, false) >= 0
	s.mode = old
	if ok {
		s.merge(t, own)
	}
	s.reset(m)
	return ok
}

// condition is attempt for subschemas that only ask a question (if, not, contains): Config.Closed does not change the answer.
func (s *state) condition(n *node, i, end int, t track) bool {
	old := s.closed
	s.closed = false
	ok := s.attempt(n, i, end, t)
	s.closed = old
	return ok
}

// again applies n to the value at d[i:end], which has been read before, and keeps the faults. It reports whether to go on.
func (s *state) again(n *node, i, end int, t track) bool {
	return s.spend(i, end) && s.value(n, i, t, false) >= 0
}
