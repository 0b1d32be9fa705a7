package schema

import (
	"bytes"

	"helve.dev/helve/internal/jsonx"
)

// equal reports whether two well-formed values are the same in the sense of JSON Schema (core specification, section 4.2.2):
// numbers by value, strings by what they stand for, objects whatever the order. It stops the check when the budget is spent.
func (s *state) equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	s.work += 1 + (len(a)+len(b))/32
	if s.work > workBudget {
		s.stop(tooComplex, 0)
		return false
	}
	switch {
	case a[0] == '"' && b[0] == '"':
		return equalStrings(a, b)
	case a[0] == '{' && b[0] == '{':
		return s.equalObjects(a, b)
	case a[0] == '[' && b[0] == '[':
		return s.equalArrays(a, b)
	case isNumber(a[0]) && isNumber(b[0]):
		x, errX := jsonx.ParseDecimal(a)
		y, errY := jsonx.ParseDecimal(b)
		return errX == nil && errY == nil && x.Compare(y) == 0
	}
	return false
}

func isNumber(c byte) bool { return c == '-' || c >= '0' && c <= '9' }

func (s *state) equalArrays(a, b []byte) bool {
	i, j := jsonx.Space(a, 1), jsonx.Space(b, 1)
	for a[i] != ']' && b[j] != ']' {
		endA, endB := jsonx.Skip(a, i), jsonx.Skip(b, j)
		if !s.equal(a[i:endA], b[j:endB]) {
			return false
		}
		i, j = afterComma(a, endA), afterComma(b, endB)
	}
	return a[i] == ']' && b[j] == ']'
}

func afterComma(d []byte, i int) int {
	i = jsonx.Space(d, i)
	if d[i] == ',' {
		i = jsonx.Space(d, i+1)
	}
	return i
}

func (s *state) equalObjects(a, b []byte) bool {
	countA, countB := 0, 0
	guess := jsonx.Space(b, 1) // where the same name is likely to be
	for i := jsonx.Space(a, 1); a[i] != '}'; countA++ {
		nameEnd := jsonx.Skip(a, i)
		v := jsonx.Space(a, jsonx.Space(a, nameEnd)+1)
		end := jsonx.Skip(a, v)
		at, after := s.find(b, a[i:nameEnd], guess)
		if at < 0 || !s.equal(a[v:end], b[at:after]) {
			return false
		}
		guess = afterComma(b, after)
		i = afterComma(a, end)
	}
	for j := jsonx.Space(b, 1); b[j] != '}'; countB++ {
		v := jsonx.Space(b, jsonx.Space(b, jsonx.Skip(b, j))+1)
		j = afterComma(b, jsonx.Skip(b, v))
	}
	return countA == countB
}

// find returns where the value of the member of the object b stands whose name is the literal name, trying the one at guess first.
func (s *state) find(b, name []byte, guess int) (at, after int) {
	for _, start := range [2]int{guess, jsonx.Space(b, 1)} {
		for j := start; b[j] != '}'; {
			nameEnd := jsonx.Skip(b, j)
			v := jsonx.Space(b, jsonx.Space(b, nameEnd)+1)
			end := jsonx.Skip(b, v)
			if equalStrings(b[j:nameEnd], name) {
				return v, end
			}
			if start == guess && guess != jsonx.Space(b, 1) {
				break
			}
			if s.work++; s.work > workBudget {
				s.stop(tooComplex, 0)
				return -1, -1
			}
			j = afterComma(b, end)
		}
	}
	return -1, -1
}

// equalStrings compares two literals by what they stand for, without building either.
func equalStrings(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if bytes.IndexByte(a, '\\') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return false
	}
	var bufA, bufB [64]byte
	return bytes.Equal(jsonx.Unquote(bufA[:0], a), jsonx.Unquote(bufB[:0], b))
}

// hash mixes the value at d[i] so that equal values hash alike, and returns the index after it.
func (s *state) hash(i int) (h uint64, end int) {
	const prime = 0x100000001b3
	switch c := s.d[i]; {
	case c == '"':
		end, escaped, _ := jsonx.String(s.d, i)
		return hashBytes(s.unquoted(i, end, escaped)), end
	case isNumber(c):
		end, _ := jsonx.Number(s.d, i)
		return s.hashNumber(s.d[i:end]), end
	case c == '[':
		h := uint64(3)
		k := jsonx.Space(s.d, i+1)
		for s.d[k] != ']' {
			item, end := s.hash(k)
			h = (h ^ item) * prime
			k = s.next(end)
		}
		return h, k + 1
	case c == '{':
		h := uint64(5)
		k := jsonx.Space(s.d, i+1)
		for s.d[k] != '}' {
			name, end := s.hash(k)
			value, end := s.hash(jsonx.Space(s.d, jsonx.Space(s.d, end)+1))
			h += (name*prime ^ value) * prime // order does not count
			k = s.next(end)
		}
		return h, k + 1
	default:
		end, _ := jsonx.Literal(s.d, i)
		return uint64(c), end
	}
}

func (s *state) hashNumber(lit []byte) uint64 {
	_, small, scale, ok := smallDecimal(lit, 0)
	if !ok || scale > 0 {
		v, err := jsonx.ParseDecimal(lit)
		if err != nil {
			return 1
		}
		if s.scratch, ok = v.AppendInteger(s.scratch[:0], 18); !ok {
			return fold(^hashSecrets[0] ^ v.Hash(2))
		}
		_, small, _, _ = smallDecimal(s.scratch, 0)
	}
	return fold(^hashSecrets[0] ^ uint64(small)) // not as the texts are hashed, one of which would collide with each number
}
