package schema

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Limits of did-you-mean: longer names are compared for equality only.
const (
	nearestCount  = 3
	nearestLength = 64
	nearestRead   = 1024 // still longer ones are near to nothing
)

// Nearest returns the candidates that name was probably meant to be, nearest first, at most three; none when nothing is near.
// Names that differ only in case, underscores, dashes and spaces come first, then those a typing slip away, then those that
// share whole words or a beginning ("depth" and "maxDepth"). Ties keep the order of candidates.
func Nearest(name string, candidates []string) []string {
	type scored struct {
		name  string
		score int
	}
	if len(name) > nearestRead {
		return nil
	}
	var buf [16]scored
	forms := nameForms.Get().(*[2]nameForm)
	defer nameForms.Put(forms)
	wanted, other := &forms[0], &forms[1]
	found := buf[:0]
	if wanted.read(name); len(wanted.folded) == 0 {
		return nil
	}
	for _, c := range candidates {
		if len(c) > nearestRead {
			continue
		}
		other.read(c)
		if score, ok := wanted.nearness(other); ok && !slices.Contains(found, scored{c, score}) {
			found = append(found, scored{c, score})
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	out := make([]string, 0, nearestCount)
	for _, f := range found[:min(len(found), nearestCount)] {
		out = append(out, f.name)
	}
	return out
}

// A nameForm is a name taken apart for comparing, in buffers that are reused.
type nameForm struct {
	folded []rune // lower case, without separators
	size   int    // of folded, in bytes
	ends   []int  // where the words of snake_case, kebab-case and camelCase end in folded
}

var nameForms = sync.Pool{New: func() any { return new([2]nameForm) }}

func (f *nameForm) read(name string) {
	f.folded, f.ends, f.size = f.folded[:0], f.ends[:0], 0
	flush := func() {
		if n := len(f.folded); n > 0 && (len(f.ends) == 0 || f.ends[len(f.ends)-1] < n) {
			f.ends = append(f.ends, n)
		}
	}
	last := rune(0)
	for _, r := range name {
		if isSeparator(r) {
			flush()
		} else {
			if unicode.IsUpper(r) && !unicode.IsUpper(last) {
				flush()
			}
			lower := unicode.ToLower(r)
			f.folded = append(f.folded, lower)
			f.size += utf8.RuneLen(lower)
		}
		last = r
	}
	flush()
}

func isSeparator(r rune) bool { return r == '_' || r == '-' || r == ' ' || r == '.' }

func (f *nameForm) nearness(other *nameForm) (score int, ok bool) {
	switch {
	case slices.Equal(f.folded, other.folded):
		return 0, true
	case other.size == 0 || f.size > nearestLength || other.size > nearestLength:
		return 0, false
	}
	shorter := min(f.size, other.size)
	allowed := 0
	switch {
	case shorter >= 9:
		allowed = 3
	case shorter >= 6:
		allowed = 2
	case shorter >= 3:
		allowed = 1
	}
	if apart := len(f.folded) - len(other.folded); apart <= allowed && -apart <= allowed {
		if d := distance(f.folded, other.folded); d <= allowed {
			return d, true
		}
	}
	switch {
	case shorter < 3:
		return 0, false
	case other.hasWords(f) || f.hasWords(other):
		return 10, true
	case hasPrefix(other.folded, f.folded) || hasPrefix(f.folded, other.folded):
		return 11, true
	}
	return 0, false
}

func hasPrefix(s, prefix []rune) bool {
	return len(s) >= len(prefix) && slices.Equal(s[:len(prefix)], prefix)
}

// hasWords reports whether part occurs in f as a run of words that says something.
func (f *nameForm) hasWords(part *nameForm) bool {
	n := len(part.ends)
	if n == 0 || n >= len(f.ends) || part.size < 3 {
		return false
	}
	start := 0
	for i := 0; i+n <= len(f.ends); i++ {
		if slices.Equal(f.folded[start:f.ends[i+n-1]], part.folded) && f.sameEnds(part, i, start) {
			return true
		}
		start = f.ends[i]
	}
	return false
}

// sameEnds reports whether the words of part are those of f from number i on, which starts at start.
func (f *nameForm) sameEnds(part *nameForm, i, start int) bool {
	for k, end := range part.ends {
		if f.ends[i+k]-start != end {
			return false
		}
	}
	return true
}

// foldName removes what does not tell names apart: case and separators.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if isSeparator(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// distance is the number of insertions, deletions, substitutions and swaps of neighbours between a and b (optimal string
// alignment).
func distance(a, b []rune) int {
	var buf [3][nearestLength + 1]int16
	before, last, row := buf[0][:], buf[1][:], buf[2][:]
	if len(b) > nearestLength {
		before, last, row = make([]int16, len(b)+1), make([]int16, len(b)+1), make([]int16, len(b)+1)
	}
	for j := range len(b) + 1 {
		last[j] = int16(j)
	}
	for i := 1; i <= len(a); i++ {
		row[0] = int16(i)
		for j := 1; j <= len(b); j++ {
			cost := int16(1)
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return int(last[len(b)])
}
