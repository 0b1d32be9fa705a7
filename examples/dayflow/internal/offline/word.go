package offline

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is a run of letters, a run of digits, or one other character.
type word struct {
	text string
	low  string // in lower case
	// glued says that nothing stands between this word and the one before.
	glued bool
	// start and end are offsets in the text.
	start, end int
}

// words splits a text. White space only separates.
func words(text string) []word {
	var out []word
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			i += n
			continue
		}
		end := i + n
		if class := classOf(r); class != 0 {
			for end < len(text) {
				next, m := utf8.DecodeRuneInString(text[end:])
				if classOf(next) != class {
					break
				}
				end += m
			}
		}
		w := word{text: text[i:end], low: strings.ToLower(text[i:end]), start: i, end: end}
		w.glued = len(out) > 0 && out[len(out)-1].end == i
		out = append(out, w)
		i = end
	}
	return out
}

// classOf returns 1 for letters, 2 for the digits 0 to 9 and 0 for the rest.
func classOf(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return 2
	case unicode.IsLetter(r), unicode.Is(unicode.M, r):
		return 1
	}
	return 0
}

// number returns the value of a word of at most 4 digits, else -1.
func (w word) number() int {
	if len(w.text) > 4 {
		return -1
	}
	n, err := strconv.Atoi(w.text)
	if err != nil || w.text[0] < '0' || w.text[0] > '9' {
		return -1
	}
	return n
}

// capital reports whether a word begins with a capital letter.
func (w word) capital() bool {
	r, _ := utf8.DecodeRuneInString(w.text)
	return unicode.IsUpper(r)
}

// A cursor looks at words by position; outside there is the empty word.
type cursor []word

// at returns the word at i.
func (c cursor) at(i int) word {
	if i < 0 || i >= len(c) {
		return word{}
	}
	return c[i]
}

// is reports whether the word at i is one of several.
func (c cursor) is(i int, options ...string) bool {
	low := c.at(i).low
	for _, s := range options {
		if low == s && low != "" {
			return true
		}
	}
	return false
}

// follow returns the position after a phrase that stands at i, or -1. The words
// of the phrase are separated by spaces.
func (c cursor) follow(i int, phrase string) int {
	for p := range strings.FieldsSeq(phrase) {
		if !c.is(i, p) {
			return -1
		}
		i++
	}
	return i
}

// skip returns the first position from i on that holds none of several words.
func (c cursor) skip(i int, options ...string) int {
	for c.is(i, options...) {
		i++
	}
	return i
}
