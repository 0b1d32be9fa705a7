package schema

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Limits of did-you-mean: longer names are compared for equality only.
const (
	nearestCount  = 3
	nearestLength = 64
)

// Nearest returns the candidates that name was probably meant to be, nearest first, at most three; none when nothing is near.
// Names that differ only in case, underscores, dashes and spaces come first, then those a typing slip away, then those that
// share whole words or a beginning ("depth" and "maxDepth"). Ties keep the order of candidates.
func Nearest(name string, candidates []string) []string {
	type scored struct {
		name  string
		score int
	}
	var found []scored
	folded, words := foldName(name), nameWords(name)
	if folded == "" {
		return nil
	}
	for _, c := range candidates {
		if score, ok := nearness(folded, words, c); ok && !slices.Contains(found, scored{c, score}) {
			found = append(found, scored{c, score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	var out []string
	for _, f := range found[:min(len(found), nearestCount)] {
		out = append(out, f.name)
	}
	return out
}

func nearness(folded string, words []string, candidate string) (score int, ok bool) {
	other := foldName(candidate)
	switch {
	case other == folded:
		return 0, true
	case other == "" || len(folded) > nearestLength || len(other) > nearestLength:
		return 0, false
	}
	shorter := min(len(folded), len(other))
	allowed := 0
	switch {
	case shorter >= 9:
		allowed = 3
	case shorter >= 6:
		allowed = 2
	case shorter >= 3:
		allowed = 1
	}
	if d := distance([]rune(folded), []rune(other)); d <= allowed {
		return d, true
	}
	if shorter < 3 {
		return 0, false
	}
	otherWords := nameWords(candidate)
	if hasWords(otherWords, words) || hasWords(words, otherWords) {
		return 10, true
	}
	if strings.HasPrefix(other, folded) || strings.HasPrefix(folded, other) {
		return 11, true
	}
	return 0, false
}

// foldName removes what does not tell names apart: case and separators.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// nameWords splits snake_case, kebab-case and camelCase names into lower-case words.
func nameWords(name string) []string {
	var words []string
	var word []rune
	var last rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = nil
		}
	}
	for _, r := range name[:min(len(name), nearestLength)] {
		switch {
		case r == '_' || r == '-' || r == ' ' || r == '.':
			flush()
		case unicode.IsUpper(r) && !unicode.IsUpper(last):
			flush()
			word = append(word, unicode.ToLower(r))
		default:
			word = append(word, unicode.ToLower(r))
		}
		last = r
	}
	flush()
	return words
}

// hasWords reports whether part occurs in whole as a run of words that says something.
func hasWords(whole, part []string) bool {
	if len(part) == 0 || len(part) >= len(whole) || len(strings.Join(part, "")) < 3 {
		return false
	}
	for i := 0; i+len(part) <= len(whole); i++ {
		if slices.Equal(whole[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// distance is the number of insertions, deletions, substitutions and swaps of neighbours between a and b (optimal string
// alignment).
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
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
	return last[len(b)]
}
