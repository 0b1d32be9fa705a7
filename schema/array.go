package schema

import (
	"bytes"
	"cmp"
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
	start, count, matches := i, 0, 0
	i = jsonx.Space(s.d, i+1)
	for ; ; count++ {
		if i >= len(s.d) {
			return s.stop(malformed, i)
		}
		if count == 0 && s.d[i] == ']' {
			break
		}
		at := i
		if i = s.item(a, i, count, t); i < 0 {
			return -1
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
	return !a.unique || count < 2 || s.checkUnique(n, start, end)
}

type itemHash struct {
	hash    uint64
	at, end int
	ordinal int
}

// checkUnique reports the first item that is equal to one before it.
func (s *state) checkUnique(n *node, start, end int) bool {
	if !s.spend(start, end) {
		return false
	}
	base := len(s.hashes)
	defer func() { s.hashes = s.hashes[:base] }()
	few := true // few items, and none that has another spelling
	k := jsonx.Space(s.d, start+1)
	for ordinal := 0; s.d[k] != ']'; ordinal++ {
		itemEnd := jsonx.Skip(s.d, k)
		few = few && ordinal < smallArray && s.d[k] == '"' && bytes.IndexByte(s.d[k:itemEnd], '\\') < 0
		s.hashes = append(s.hashes, itemHash{0, k, itemEnd, ordinal})
		k = s.next(itemEnd)
	}
	items := s.hashes[base:]
	if few {
		return s.uniqueAmongFew(n, items)
	}
	for k := range items {
		items[k].hash = s.hash(items[k].at)
	}
	slices.SortFunc(items, func(a, b itemHash) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) })
	first, before := -1, -1 // the second of a pair, and the one that it is equal to
	for k := 1; k < len(items); k++ {
		a, b := &items[k-1], &items[k]
		if a.hash == b.hash && (first < 0 || b.at < items[first].at) && s.equal(s.d[a.at:a.end], s.d[b.at:b.end]) {
			first, before = k, k-1
		}
		if s.fatal != 0 {
			return false
		}
	}
	return first < 0 || s.fault(fault{kind: notUnique, at: items[first].at, end: items[first].end, node: n, x: items[before].ordinal, y: items[first].ordinal})
}

// smallArray is how many strings are compared each with each.
const smallArray = 8

func (s *state) uniqueAmongFew(n *node, items []itemHash) bool {
	for k := 1; k < len(items); k++ {
		b := items[k]
		for _, a := range items[:k] {
			if bytes.Equal(s.d[a.at:a.end], s.d[b.at:b.end]) {
				return s.fault(fault{kind: notUnique, at: b.at, end: b.end, node: n, x: a.ordinal, y: b.ordinal})
			}
		}
	}
	return true
}
