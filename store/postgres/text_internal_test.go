package postgres

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"":             "",
		"plain ü 漢😀":   "plain ü 漢😀",
		"a\x00b":       `a\0b`,
		`a\0b`:         `a\\0b`,
		`\`:            `\\`,
		"\xff\xfe":     `\xff\xfe`,
		`\xff`:         `\\xff`,
		"\u00ff":       "ÿ",
		"\ufffd":       "\ufffd",
		"\xed\xa0\x80": `\xed\xa0\x80`, // a surrogate
	} {
		if got := escape(text); got != want {
			t.Errorf("escape(%q) = %q, want %q", text, got, want)
		}
	}
	for _, odd := range []string{`\`, `\q`, `\x`, `\x1`, `\xZZ`, `a\`} {
		if got := unescape(odd); got != odd {
			t.Errorf("unescape(%q) = %q", odd, got)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a\x00\\0\xff\\xff")
	f.Fuzz(func(t *testing.T, text string) {
		spelled := escape(text)
		if !utf8.ValidString(spelled) || strings.ContainsRune(spelled, 0) {
			t.Errorf("escape(%q) = %q, which Postgres cannot hold", text, spelled)
		}
		if back := unescape(spelled); back != text {
			t.Errorf("%q came back as %q", text, back)
		}
		_ = unescape(text) // whatever stands in the database
	})
}

// No two lists of parts have one identity.
func TestIdentity(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"a"}, {"a", ""}, {"", "a"}, {"ab"}, {"a", "b"}, {"a\x01b"}, {strings.Repeat("k", 300)}} {
		id := string(identity(parts...))
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q are one", parts, other)
		}
		seen[id] = parts
	}
}
