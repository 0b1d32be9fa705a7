package schema

import (
	"cmp"
	"math/bits"
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
// Names that differ only in case, underscores, dashes and spaces come first, then those a typing slip or a plural away ("untis"
// and "unit"), then those that share whole words or a beginning ("depth" and "maxDepth"). Ties keep the order of candidates.
func Nearest(name string, candidates []string) []string {
	type scored struct {
		name  string
		score int
	}
	forms := nameForms.Get().(*[2]nameForm)
	defer nameForms.Put(forms)
	wanted, other := &forms[0], &forms[1]
	if wanted.read(name); wanted.size == 0 {
		return nil
	}
	var buf [16]scored
	found := buf[:0]
	for _, c := range candidates {
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

// candidates are names that others may be near to, taken apart once.
type candidates struct {
	names []string
	forms []nameForm
}

func newCandidates(names []string) candidates {
	c := candidates{names, make([]nameForm, len(names))}
	for i, name := range names {
		c.forms[i].read(name)
	}
	return c
}

// nearest returns the first that [Nearest] would, or "".
func (c *candidates) nearest(name string) (best string) {
	forms := nameForms.Get().(*[2]nameForm)
	defer nameForms.Put(forms)
	wanted := &forms[0]
	if wanted.read(name); wanted.size == 0 {
		return ""
	}
	least := 0
	for i := range c.forms {
		if score, ok := wanted.nearness(&c.forms[i]); ok && (best == "" || score < least) {
			best, least = c.names[i], score
		}
	}
	return best
}

// A nameForm is a name taken apart for comparing, in buffers that are reused.
type nameForm struct {
	folded []rune // lower case, without separators
	size   int    // of folded, in bytes
	ends   []int  // where the words of snake_case, kebab-case and camelCase end in folded
	runes  uint64 // a bit for each rune that is in it, some sharing one
}

var nameForms = sync.Pool{New: func() any { return new([2]nameForm) }}

// read takes name apart. Of one that is too long nothing is left, which is near to nothing.
func (f *nameForm) read(name string) {
	f.folded, f.ends, f.size, f.runes = f.folded[:0], f.ends[:0], 0, 0
	if len(name) > nearestRead {
		return
	}
	flush := func() {
		if n := len(f.folded); n > 0 && (len(f.ends) == 0 || f.ends[len(f.ends)-1] < n) {
			f.ends = append(f.ends, n)
		}
	}
	wasUpper := false
	for _, r := range name {
		if isSeparator(r) {
			flush()
			wasUpper = false
			continue
		}
		lower, upper, size := r, 'A' <= r && r <= 'Z', 1
		switch {
		case r >= utf8.RuneSelf:
			lower, upper = unicode.ToLower(r), unicode.IsUpper(r)
			size = utf8.RuneLen(lower)
		case upper:
			lower = r + 'a' - 'A'
		}
		if upper && !wasUpper {
			flush()
		}
		f.folded = append(f.folded, lower)
		f.size += size
		f.runes |= 1 << (uint(lower) % 64)
		wasUpper = upper
	}
	flush()
}

func isSeparator(r rune) bool { return r == '_' || r == '-' || r == ' ' || r == '.' }

func (f *nameForm) nearness(other *nameForm) (score int, ok bool) {
	switch {
	case f.runes == other.runes && slices.Equal(f.folded, other.folded):
		return 0, true
	case other.size == 0 || f.size > nearestLength || other.size > nearestLength:
		return 0, false
	}
	if score, ok = f.likeness(other); ok && otherDigits(f.folded, other.folded) {
		return 0, false
	}
	return score, ok
}

// likeness is nearness but for digits, which are looked at last because most names are not alike.
func (f *nameForm) likeness(other *nameForm) (score int, ok bool) {
	if d, ok := f.slips(other); ok {
		return d, true
	}
	switch shorter := min(f.size, other.size); {
	case shorter < 3:
		return 0, false
	case other.hasWords(f) || f.hasWords(other) || f.hasSameWords(other):
		return 10, true
	case hasPrefix(other.folded, f.folded) || hasPrefix(f.folded, other.folded):
		return 11, true
	}
	return 0, false
}

// slips counts the slips between two names, if they are few enough for one to be meant by the other. Names of as many words are
// compared word by word: min_price is not max_price, though most letters are the same.
func (f *nameForm) slips(other *nameForm) (total int, ok bool) {
	allowed := allowedSlips(min(f.size, other.size))
	switch apart := bits.OnesCount64(f.runes ^ other.runes); { // a slip changes two at most, a plural three
	case apart > 2*allowed+3, apart > 2*max(allowed, 1) && !f.isPlural() && !other.isPlural():
		return 0, false
	}
	if len(f.ends) < 2 || len(f.ends) != len(other.ends) {
		return slips(f.folded, other.folded)
	}
	a, b := 0, 0
	for k := range f.ends {
		d, ok := slips(f.folded[a:f.ends[k]], other.folded[b:other.ends[k]])
		if !ok {
			return 0, false
		}
		total, a, b = total+d, f.ends[k], other.ends[k]
	}
	return total, total <= max(allowed, 1)
}

// isPlural reports whether one of its words ends as plurals do.
func (f *nameForm) isPlural() bool {
	return slices.ContainsFunc(f.ends, func(end int) bool { return f.folded[end-1] == 's' })
}

// slips counts the insertions, deletions, substitutions and swaps between two words, and the ending of a plural as one more.
func slips(a, b []rune) (d int, ok bool) {
	if d, ok := fewSlips(a, b); ok {
		return d, true
	}
	if d, ok := pluralSlips(a, b); ok {
		return d + 1, true
	}
	d, ok = pluralSlips(b, a)
	return d + 1, ok
}

// pluralSlips counts the slips between a word and one that is taken for a plural. Of short words only swapped letters and such as
// are missing count: dates is not data.
func pluralSlips(one, many []rune) (d int, ok bool) {
	if many[len(many)-1] != 's' {
		return 0, false
	}
	for _, ending := range plurals {
		single, foundOne := cutSuffix(one, ending.one)
		stem, foundMany := cutSuffix(many, ending.many)
		if !foundOne || !foundMany || ending.many == "es" && !strings.ContainsRune("sxzh", stem[len(stem)-1]) {
			continue
		}
		if d, ok := fewSlips(single, stem); ok && (d == 0 || min(len(single), len(stem)) > 3 && !substituted(single, stem)) {
			return d, true
		}
	}
	return 0, false
}

// plurals are endings of one and of many.
var plurals = []struct{ one, many string }{{"", "s"}, {"", "es"}, {"y", "ies"}}

func cutSuffix(word []rune, ending string) (stem []rune, found bool) {
	n := len(word) - len(ending) // the endings are ASCII
	if n < 2 {
		return nil, false
	}
	for k, r := range ending {
		if word[n+k] != r {
			return nil, false
		}
	}
	return word[:n], true
}

func fewSlips(a, b []rune) (d int, ok bool) {
	allowed := allowedSlips(min(runeLen(a), runeLen(b)))
	apart := len(a) - len(b)
	switch {
	case apart > allowed || -apart > allowed:
		return 0, false
	case slices.Equal(a, b):
		return 0, true
	case allowed == 0: // of two letters, only in the other order
		return 1, len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	}
	d = distance(a, b, allowed)
	return d, d <= allowed && !(allowed == 1 && d == 1 && a[0] != b[0] && substituted(a, b))
}

// substituted reports whether a and b, which are one slip apart, differ in a letter that stands in the place of another: date and
// rate, date and data. Swapped letters are no such thing.
func substituted(a, b []rune) bool {
	if len(a) != len(b) {
		return false
	}
	differ := 0
	for k := range a {
		if a[k] != b[k] {
			differ++
		}
	}
	return differ == 1
}

// allowedSlips says how many slips leave a name or word of a size, in bytes, recognisable.
func allowedSlips(size int) int {
	switch {
	case size >= 9:
		return 3
	case size >= 6:
		return 2
	case size >= 3:
		return 1
	}
	return 0
}

func runeLen(word []rune) (size int) {
	for _, r := range word {
		size += utf8.RuneLen(r)
	}
	return size
}

// otherDigits reports whether both names have digits, and not the same: line1 is not line2.
func otherDigits(a, b []rune) bool {
	i, j, some := 0, 0, [2]bool{}
	for {
		for i < len(a) && !unicode.IsDigit(a[i]) {
			i++
		}
		for j < len(b) && !unicode.IsDigit(b[j]) {
			j++
		}
		some[0], some[1] = some[0] || i < len(a), some[1] || j < len(b)
		if i == len(a) || j == len(b) || a[i] != b[j] {
			return some[0] && some[1] && (i < len(a) || j < len(b))
		}
		i, j = i+1, j+1
	}
}

// hasSameWords reports whether both names have the same words, in another order.
func (f *nameForm) hasSameWords(other *nameForm) bool {
	n := len(f.ends)
	if n < 2 || n > 8 || n != len(other.ends) || len(f.folded) != len(other.folded) {
		return false
	}
	taken := [8]bool{}
	start := 0
	for _, end := range f.ends {
		found, from := false, 0
		for k, to := range other.ends {
			if !found && !taken[k] && slices.Equal(f.folded[start:end], other.folded[from:to]) {
				taken[k], found = true, true
			}
			from = to
		}
		if !found {
			return false
		}
		start = end
	}
	return true
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
// alignment), or more than limit where that is exceeded.
func distance(a, b []rune, limit int) int {
	var buf [3][nearestLength + 2]int16
	before, last, row := buf[0][:], buf[1][:], buf[2][:]
	if len(b) > nearestLength {
		before, last, row = make([]int16, len(b)+2), make([]int16, len(b)+2), make([]int16, len(b)+2)
	}
	beyond := int16(limit + 1)
	for j := range min(len(b), limit) + 1 {
		last[j] = int16(j)
	}
	last[min(len(b), limit)+1] = beyond
	lastLeast := int16(0)
	for i := 1; i <= len(a); i++ { // only what is at most limit away from the diagonal counts
		from, to := max(1, i-limit), min(len(b), i+limit)
		if row[from-1] = beyond; from == 1 {
			row[0] = min(int16(i), beyond)
		}
		least := row[from-1]
		for j := from; j <= to; j++ {
			cost := int16(1)
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j], least = d, min(least, d)
		}
		row[to+1] = beyond
		if least >= beyond && lastLeast >= beyond {
			return limit + 1
		}
		before, last, row, lastLeast = last, row, before, least
	}
	if len(b) > len(a)+limit {
		return limit + 1
	}
	return int(last[len(b)])
}
