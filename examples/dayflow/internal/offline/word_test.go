package offline

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "",
		"   ":                      "",
		"by Friday":                "by Friday",
		"15th":                     "15 th",
		"2024-05-14":               "2024 - 05 - 14",
		"5pm, (or later)":          "5 pm , ( or later )",
		"caf\u00e9 e\u0301t\u00e9": "caf\u00e9 e\u0301t\u00e9",
		"a\u00a0b\u2003c\nd":       "a b c d",
		"\xff\xfe":                 "\xff \xfe",
		"\u0663\u0664":             "\u0663 \u0664", // digits of other scripts are no numbers
		"it's":                     "it ' s",
	} {
		var got []string
		for _, w := range words(text) {
			got = append(got, w.text)
			if text[w.start:w.end] != w.text {
				t.Errorf("%q: %q is not at %d to %d", text, w.text, w.start, w.end)
			}
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%q: got %q, want %q", text, joined, want)
		}
	}
}

func TestWordNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"7": 7, "07": 7, "2024": 2024, "0": 0, "12345": -1, "x": -1, "-": -1, "+7": -1, "99999999999999999999": -1, "\u0663": -1,
	} {
		if got := words(text)[0].number(); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
	if got := (word{}).number(); got != -1 {
		t.Errorf("no word: got %d", got)
	}
}

func TestGlued(t *testing.T) {
	t.Parallel()
	var got []bool
	for _, w := range words("a-b - c d") {
		got = append(got, w.glued)
	}
	if diff := cmp.Diff([]bool{false, true, true, false, false, false}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestCursor(t *testing.T) {
	t.Parallel()
	c := cursor(words("By the End of day"))
	for _, k := range []struct {
		name string
		got  any
		want any
	}{
		{"is", c.is(0, "x", "by"), true},
		{"is not", c.is(1, "x", "by"), false},
		{"before the first", c.is(-1, "by"), false},
		{"after the last", c.is(5, "day"), false},
		{"nothing outside", c.is(5, ""), false},
		{"follow", c.follow(2, "end of day"), 5},
		{"follow past the end", c.follow(2, "end of day today"), -1},
		{"follow something else", c.follow(0, "end"), -1},
		{"skip", c.skip(0, "the", "by"), 2},
		{"skip nothing", c.skip(2, "the", "by"), 2},
		{"skip to the end", c.skip(4, "day"), 5},
		{"at", c.at(4).text, "day"},
		{"at nothing", c.at(9), word{}},
	} {
		if k.got != k.want {
			t.Errorf("%s: got %v, want %v", k.name, k.got, k.want)
		}
	}
}

func TestCapital(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"May": true, "may": false, "MAY": true, "\u00c9t\u00e9": true, "5": false, "-": false} {
		if got := words(text)[0].capital(); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestCutBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"abc", 5, "abc"},
		{"abc", 3, "abc"},
		{"abc", 2, "ab"},
		{"abc", 0, ""},
		{"a\u00e9b", 2, "a"},
		{"a\u00e9b", 3, "a\u00e9"},
		{"\U0001f600", 3, ""},
		{"\x80\x80\x80", 2, ""},
	} {
		if got := cutBytes(c.text, c.n); got != c.want {
			t.Errorf("%q at %d: got %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		n          int
		want       string
	}{
		{"short", "a b", 10, "a b"},
		{"exact", "0123456789", 10, "0123456789"},
		{"long", "0123456789a", 10, "0123456..."},
		{"no space before the dots", "012345 789a", 10, "012345..."},
		{"lines", " a\r\n\tb\u2028c ", 10, "a b c"},
		{"controls", "a\x00\x1b[31mb", 10, "a[31mb"},
		{"broken bytes", "a\xffb", 10, "a\ufffdb"},
		{"nothing to see", strings.Repeat("\u200b", 10000), 10, ""},
		{"wide", strings.Repeat("\u4f1a", 20), 10, strings.Repeat("\u4f1a", 7) + "..."},
		{"emoji", strings.Repeat("\U0001f600", 10000), 10, strings.Repeat("\U0001f600", 7) + "..."},
	} {
		got := clip(c.text, c.n)
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if utf8.RuneCountInString(got) > c.n || !utf8.ValidString(got) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestBare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		subject, want string
		reply         bool
	}{
		{"Trip", "Trip", false},
		{"Re: Trip", "Trip", true},
		{"RE:Trip", "Trip", true},
		{" re : Fwd: FW: Trip ", "Trip", true},
		{"Re[3]: Trip", "Trip", true},
		{"AW: WG: SV: Trip", "Trip", true},
		{"[list] Re: Trip", "Trip", true},
		{"[list] Trip", "[list] Trip", false},
		{"Regarding: Trip", "Regarding: Trip", false},
		{"Reply: Trip", "Reply: Trip", false},
		{"Re:", "", true},
		{"", "", false},
		{"Two\r\n lines", "Two lines", false},
		{strings.Repeat("Re: ", 5000) + "Trip", "Trip", true},
	} {
		got, reply := bare(c.subject)
		if got != c.want || reply != c.reply {
			t.Errorf("%.40q: got %q, %v", c.subject, got, reply)
		}
	}
}

func TestFolded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                     "",
		"Reply to Ana: Lunch!": "reply to ana lunch",
		"  a--b ":              "a b",
		"\u00c9t\u00e9 2024":   "\u00e9t\u00e9 2024",
		"\U0001f600":           "",
	} {
		if got := folded(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
