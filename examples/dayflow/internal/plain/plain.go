// Package plain cleans text that strangers wrote, before a person, a terminal
// or a model gets to see it.
package plain

import (
	"strings"
	"unicode"
)

// Text returns s as valid UTF-8 with newlines only and without what can't be
// seen: control characters except newline and tab, padding of no width,
// overrides of the writing direction, and the tag characters, in which
// instructions to a model can be hidden.
func Text(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(visible, strings.ReplaceAll(s, "\r", "\n"))
}

// Line is Text on one line, with single spaces and none at the ends.
func Line(s string) string { return strings.Join(strings.Fields(Text(s)), " ") }

// visible returns r, or -1 when it is to be dropped.
func visible(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case unicode.IsControl(r):
		return -1
	case r == '\u00ad', r == '\u034f', r == '\u200b', r == '\u2060', r == '\ufeff': // padding; joiners (200C, 200D) shape words
		return -1
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069': // embeddings and overrides
		return -1
	case r >= 0xe0000 && r <= 0xe007f: // tags
		return -1
	}
	return r
}
