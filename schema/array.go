package schema

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"

	"helve.dev/helve/internal/jsonx"
)

var noArray = &arrayRule{minItems: -1, maxItems: -1, minContains: 1, maxContains: -1}

// array checks the array at d[i] against what n says about arrays.
func (s *state) array(n *node, i int, t track) int {
	if s.depth++; s.depth > s.v.maxDepth {
		return s.stop(tooDeep, i)
	}
	a := n.arr
	if a == nil {
		a = noArray
	}
	start, count, matches, hashesAt := i, 0, 0, len(s.hashes)
	i = jsonx.Space(s.d, i+1)
	for ; ; count++ {
		if i >= len(s.d) {
			return s.stop(malformed, i)
		}
		if count == 0 && s.d[i] == ']' {
			break
		}
		at, from := i, len(s.faults)
		if i = s.item(a, i, count, t); i < 0 {
			return -1
		}
		s.within(from, ^count)
		if a.unique {
			s.hashes = append(s.hashes, itemHash{0, at, i, count})
		}
		if a.contains != nil {
			s.high = max(s.high, i)
			if s.condition(a.contains, at, i, track{}) {
				matches++
				if a.containsEvaluates {
					s.evaluate(t, count)
				}
			} else if s.fatal != 0 {
				return -1
			}
		}
		if i = jsonx.Space(s.d, i); i >= len(s.d) {
			return s.stop(malformed, i)
		}
		if s.d[i] == ']' {
			count++
			break
		}
		if s.d[i] != ',' {
			return s.stop(malformed, i)
		}
		i = jsonx.Space(s.d, i+1)
	}
	s.high = max(s.high, i+1)
	s.depth--
	if a != noArray && !s.arrayEnd(n, start, i+1, count, matches) {
		return -1
	}
	if a.unique {
		items := s.hashes[hashesAt:]
		s.hashes = s.hashes[:hashesAt]
		if count > 1 && !s.checkUnique(n, items, start, i+1) {
			return -1
		}
	}
	return i + 1
}

// item checks the item number k, which starts at d[i].
func (s *state) item(a *arrayRule, i, k int, t track) int {
	sub := a.items
	if k < len(a.prefix) {
		sub = a.prefix[k]
	}
	if sub == nil {
		return s.skip(i)
	}
	s.evaluate(t, k)
	return s.value(sub, i, track{}, s.closed)
}

func (s *state) arrayEnd(n *node, start, end, count, matches int) bool {
	a := n.arr
	f := fault{at: start, end: end, node: n, x: count}
	if a.minItems >= 0 && count < a.minItems {
		f.kind = tooFewItems
	}
	if a.maxItems >= 0 && count > a.maxItems {
		f.kind = tooManyItems
	}
	if f.kind != 0 && !s.fault(f) {
		return false
	}
	if a.contains != nil {
		f.kind, f.x = 0, matches
		if matches < a.minContains {
			f.kind = tooFewMatches
		} else if a.maxContains >= 0 && matches > a.maxContains {
			f.kind = tooManyMatches
		}
		if f.kind != 0 && !s.fault(f) {
			return false
		}
	}
	return true
}

// itemHash is one item of an array whose items have to differ.
type itemHash struct {
	hash    uint64
	at, end int
	ordinal int
}

// checkUnique reports the first item that is equal to one before it.
func (s *state) checkUnique(n *node, items []itemHash, start, end int) bool {
	if !s.spend(start, end) {
		return false
	}
	if s.areFewScalars(items) || s.differAtOnce(items) {
		return true
	}
	for k := range items {
		items[k].hash, _ = s.hash(items[k].at)
	}
	slices.SortFunc(items, func(a, b itemHash) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) })
	first, before := -1, -1 // the second of a pair, and the one that it is equal to
	run := 0                // where the items of one hash begin; they may differ all the same
	for k := 1; k < len(items); k++ {
		if items[k].hash != items[run].hash {
			run = k
			continue
		}
		for j := run; j < k && (first < 0 || items[k].at < items[first].at); j++ {
			if s.work++; s.work > workBudget {
				s.stop(tooComplex, 0)
			}
			if s.fatal == 0 && s.equal(s.d[items[j].at:items[j].end], s.d[items[k].at:items[k].end]) {
				first, before = k, j
			}
			if s.fatal != 0 {
				return false
			}
		}
	}
	if first < 0 {
		return true
	}
	from := len(s.faults)
	ok := s.fault(fault{kind: notUnique, at: items[first].at, end: items[first].end, node: n, x: items[before].ordinal})
	s.within(from, ^items[first].ordinal)
	return ok
}

// areFewScalars reports whether the items are few, of kinds and spellings that make values equal when they read the same, and differ.
func (s *state) areFewScalars(items []itemHash) bool {
	if len(items) > 6 || bytes.IndexByte(s.d[items[0].at:items[len(items)-1].end], '\\') >= 0 {
		return false
	}
	for k, b := range items {
		text := s.d[b.at:b.end]
		switch c := text[0]; {
		case c == '{', c == '[', isNumber(c) && (!plainInteger(text) || string(text) == "-0"):
			return false
		}
		for _, a := range items[:k] {
			if bytes.Equal(s.d[a.at:a.end], text) {
				return false
			}
		}
	}
	return true
}

// differAtOnce reports whether the items differ in what stands at their beginning, which is the usual case and costs little to
// know. When it says no, they may differ all the same.
func (s *state) differAtOnce(items []itemHash) bool {
	var small [16]uint64
	table, size := small[:], len(small) // of the fingerprints so far; 0: empty
	if len(items) > size/2 {
		size = 1 << bits.Len(uint(2*len(items)-1))
		s.bits = slices.Grow(s.bits, size)
		table = s.bits[len(s.bits):][:size]
		clear(table)
	}
	for j := range items {
		f, ok := s.fingerprint(&items[j], items[0].at)
		if !ok {
			return false
		}
		k := int(f) & (size - 1)
		for ; table[k] != 0; k = (k + 1) & (size - 1) {
			if table[k] == f {
				return false
			}
		}
		table[k] = f
	}
	return true
}

// fingerprint hashes what stands at the beginning of an item, so that equal items have equal fingerprints; never 0. Of an object that
// is its first member: that says something as long as the other objects begin with the same name as the one at d[lead].
func (s *state) fingerprint(item *itemHash, lead int) (f uint64, ok bool) {
	i := item.at
	switch c := s.d[i]; {
	case c == '"':
		escaped := bytes.IndexByte(s.d[i:item.end], '\\') >= 0
		return max(hashBytes(s.unquoted(i, item.end, escaped)), 1), true
	case isNumber(c):
		return max(s.hashNumber(s.d[i:item.end]), 1), true
	case c == '{':
		if s.d[lead] != '{' {
			return 0, false
		}
		k, first := jsonx.Space(s.d, i+1), jsonx.Space(s.d, lead+1)
		if s.d[k] == '}' || s.d[first] == '}' {
			return 0, false
		}
		end, escaped, _ := jsonx.String(s.d, k)
		if name := s.d[k:end]; escaped || len(s.d)-first < len(name) || !bytes.Equal(name, s.d[first:first+len(name)]) {
			return 0, false
		}
		i = jsonx.Space(s.d, jsonx.Space(s.d, end)+1)
	case c == '[':
		i = jsonx.Space(s.d, i+1)
	}
	if c := s.d[i]; c == '{' || c == '[' || c == ']' {
		return uint64(c), true
	}
	f, _ = s.hash(i)
	return max(f, 1), true
}
