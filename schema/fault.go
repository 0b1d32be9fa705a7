package schema

import (
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
	r := &Report{Faults: make([]Fault, 0, min(len(s.faults), maxListed)), More: s.extra}
	for i, f := range s.faults {
		// A name that one form of an object does not know is told once, though the other forms do not know it either.
		if i > 0 && f.kind == unknown && slices.ContainsFunc(s.faults[max(0, i-4):i], func(g fault) bool { return g.kind == unknown && g.at == f.at }) {
			continue
		}
		if len(r.Faults) == maxListed {
			r.More++
			continue
		}
		// Two subschemas that say the same give one fault.
		if worded := s.word(f); !slices.Contains(r.Faults, worded) {
			r.Faults = append(r.Faults, worded)
		}
	}
	return r
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

// path returns the JSON Pointer to the value or the member's name that starts at d[at]. It is found by walking the text again,
// so that checking keeps no path.
func (s *state) path(at int) string {
	var buf [64]byte
	b := buf[:0]
	i := jsonx.Space(s.d, 0)
	for i != at && i < len(s.d) {
		isObject := s.d[i] == '{'
		if !isObject && s.d[i] != '[' {
			break
		}
		next := -1
		k := jsonx.Space(s.d, i+1)
		for ordinal := 0; s.d[k] != '}' && s.d[k] != ']'; ordinal++ {
			v := k
			if isObject {
				v = s.memberValue(k)
			}
			end := jsonx.Skip(s.d, v)
			if at < end {
				b = append(b, '/')
				if isObject {
					b = s.appendName(b, k)
				} else {
					b = strconv.AppendInt(b, int64(ordinal), 10)
				}
				if next = v; at == k {
					next = at
				}
				break
			}
			k = s.next(end)
		}
		if next < 0 {
			break
		}
		i = next
	}
	return string(b)
}

// paths is path for many places, in ascending order, in one walk.
func (s *state) paths(places []int) (paths []string) {
	var walk func(i int, prefix []byte)
	walk = func(i int, prefix []byte) {
		if len(places) > 0 && places[0] == i {
			paths, places = append(paths, string(prefix)), places[1:]
		}
		isObject := s.d[i] == '{'
		if !isObject && s.d[i] != '[' {
			return
		}
		k := jsonx.Space(s.d, i+1)
		for ordinal := 0; len(places) > 0 && s.d[k] != '}' && s.d[k] != ']'; ordinal++ {
			v := k
			if isObject {
				v = s.memberValue(k)
			}
			end := jsonx.Skip(s.d, v)
			if places[0] < end {
				token := append(prefix, '/')
				if isObject {
					token = s.appendName(token, k)
				} else {
					token = strconv.AppendInt(token, int64(ordinal), 10)
				}
				if isObject && places[0] == k {
					paths, places = append(paths, string(token)), places[1:]
				}
				walk(v, token)
			}
			k = s.next(end)
		}
	}
	if len(places) > 0 {
		walk(jsonx.Space(s.d, 0), nil)
	}
	return paths
}

// appendName appends the name of the member at d[k], as a token of a JSON Pointer. A name that nobody would give to a property is
// cut: it is a piece of the value like any other.
func (s *state) appendName(b []byte, k int) []byte {
	end, escaped, _ := jsonx.String(s.d, k)
	name := s.unquoted(k, end, escaped)
	if len(name) > maxToken {
		name = []byte(cut(string(name), excerptLength))
	}
	for _, c := range name {
		switch c {
		case '~':
			b = append(b, '~', '0')
		case '/':
			b = append(b, '~', '1')
		default:
			b = append(b, c)
		}
	}
	return b
}
