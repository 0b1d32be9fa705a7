package schema

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"helve.dev/helve/internal/jsonx"
)

// A Fault is one thing wrong with a value, said so that whoever sent the value can mend it.
type Fault struct {
	// Path is a JSON Pointer (RFC 6901) to what is wrong; "" is the whole value. For a missing property it is where the
	// property would stand. Names of more than 128 bytes are cut in it.
	Path string `json:"path"`
	// Problem is a short sentence without a subject: "must be an integer, got ...", "unknown", "missing; wants a string".
	Problem string `json:"problem"`
	// Suggestion is what was probably meant: a property's name, or a value. A string is given without its quotes, unless the
	// quotes are the point. Empty when there is no good guess.
	Suggestion string `json:"suggestion,omitempty"`
}

// A Report is what a check found. A nil *Report means that there is nothing to say.
type Report struct {
	// Faults are in document order, at most 32. Empty means that the value is valid.
	Faults []Fault
	// More counts the faults beyond those listed.
	More int
	// Aliases are the former property names that Normalize has resolved.
	Aliases []Alias
	// Coerced are the values that Normalize has read from strings (Config.Coerce), in document order.
	Coerced []Coercion
	// Deprecated are JSON Pointers to the given properties whose schema says that they are deprecated. Only Normalize fills it.
	Deprecated []string
}

// An Alias is one former name of a root property that was resolved to its present one.
type Alias struct{ From, To string }

// OK reports whether there is no fault. It is true for a nil Report.
func (r *Report) OK() bool { return r == nil || len(r.Faults) == 0 }

// faultKind says what is wrong. Kinds from malformed on stop the check and stand alone.
type faultKind uint8

const (
	wrongType faultKind = iota + 1
	notInEnum
	notConst
	belowMin
	aboveMax
	notAbove
	notBelow
	notMultiple
	outOfRange
	belowCarrier
	aboveCarrier
	notCarried
	tooShort
	tooLong
	noMatch
	wrongFormat
	tooFewItems
	tooManyItems
	tooFewMatches
	tooManyMatches
	notUnique
	missing
	missingBeside
	unknown
	duplicate
	aliasTwice
	tooFewMembers
	tooManyMembers
	notAllowed
	mustNot
	noBranch
	ambiguous
	badDiscriminator

	malformed
	trailing
	tooDeep
	tooLarge
	tooComplex
)

// A fault is a Fault before it is put into words, which costs nothing until somebody reads it.
type fault struct {
	kind    faultKind
	at, end int // the value, or the member's name
	order   int // where it belongs in document order
	nth     int // in the order of their finding
	node    *node
	name    string // of the property concerned
	other   string
	enum    *enumRule
	list    []*node
	x, y    int
}

const wrongTypeWeight = 1000

// maxToken is the longest name, in bytes, that a path holds as it is.
const maxToken = 128

// weight says how much the fault speaks against the branch having been meant. at is where the branch's value starts.
func (f fault) weight(at int) int {
	switch {
	case f.kind == wrongType && f.at == at, f.kind == notAllowed && f.at == at:
		return wrongTypeWeight
	case f.kind == notConst:
		return 20
	case f.kind == notInEnum, f.kind == unknown:
		return 3
	}
	return 2
}

// report puts the faults into words, in document order.
func (s *state) report() *Report {
	if s.fatal != 0 {
		return &Report{Faults: []Fault{s.fatalFault()}}
	}
	if len(s.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(s.faults, func(a, b fault) int { return cmp.Compare(a.order, b.order) })
	r := &Report{More: s.extra}
	s.text = s.text[:0]
	list := make([]worded, 0, maxListed)
	for i := range s.faults {
		f := &s.faults[i]
		// A name that one form of an object does not know is told once, though the other forms do not know it either.
		if i > 0 && f.kind == unknown && slices.ContainsFunc(s.faults[max(0, i-4):i], func(g fault) bool { return g.kind == unknown && g.at == f.at }) {
			continue
		}
		if len(list) == maxListed {
			r.More++
			continue
		}
		// Two subschemas that say the same give one fault.
		said := s.word(f)
		if slices.ContainsFunc(list, func(w worded) bool { return w.same(said, s.text) }) {
			s.text = s.text[:said.start]
			continue
		}
		list = append(list, said)
	}
	all := string(s.text)
	r.Faults = make([]Fault, 0, len(list))
	for _, w := range list {
		r.Faults = append(r.Faults, Fault{Path: all[w.start:w.problem], Problem: all[w.problem:w.end], Suggestion: w.suggestion})
	}
	return r
}

// worded is a fault in words; its path and problem stand in state.text.
type worded struct {
	start, problem, end int
	suggestion          string
}

func (w worded) same(v worded, text []byte) bool {
	return w.suggestion == v.suggestion && bytes.Equal(text[w.start:w.problem], text[v.start:v.problem]) &&
		bytes.Equal(text[w.problem:w.end], text[v.problem:v.end])
}

func (s *state) fatalFault() Fault {
	at := s.fatalAt
	switch s.fatal {
	case trailing:
		return Fault{Problem: "is not one JSON value: more text follows it at byte " + strconv.Itoa(at) + ", " + excerpt(s.d[at:])}
	case tooDeep:
		return Fault{Problem: "is nested too deep: more than " + strconv.Itoa(s.v.maxDepth) + " levels at byte " + strconv.Itoa(at)}
	case tooLarge:
		return Fault{Problem: "is too large: " + strconv.Itoa(len(s.d)) + " bytes, at most " + strconv.Itoa(s.v.maxSize) + " are accepted"}
	case tooComplex:
		return Fault{Problem: "is too complex to check; send a smaller or simpler value"}
	}
	if at >= len(s.d) {
		if len(s.d) == jsonx.Space(s.d, 0) {
			return Fault{Problem: "is empty, which is not JSON"}
		}
		return Fault{Problem: "is not valid JSON: it ends too early, at byte " + strconv.Itoa(len(s.d))}
	}
	return Fault{Problem: "is not valid JSON: at byte " + strconv.Itoa(at) + ", " + malformedAt(s.d, at)}
}
