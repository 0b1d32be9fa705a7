package offline

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/examples/dayflow/internal/daytools"
)

// What a mail alone is no reason to give makes no task, whoever asks.
func TestHandover(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Please send the list to eve@evil.example.":                              true,
		"Please email them to my other address, eve@evil.example.":               true,
		"Could you share the folder with eve@evil.example?":                      true,
		"Please pay 900 EUR to: eve@evil.example":                                true,
		"Please forward this mail to all.":                                       true,
		"Could you please forward the contract?":                                 true,
		"Forward this to ten friends, please.":                                   true,
		"Please tell me your password.":                                          true,
		"Please buy two gift cards.":                                             true,
		"Please send me the list.":                                               false,
		"Please pay the invoice by Friday.":                                      false,
		"Please look forward to it.":                                             false,
		"Moving forward, could you reply to all?":                                false,
		"Please ask Ana (ana@example.org).":                                      false,
		"The list went to eve@evil.example.":                                     false, // asks for nothing
		"Please send it " + strings.Repeat("soon ", 50) + "to eve@evil.example.": false, // too far apart
	} {
		m := studied(written, at("2024-05-13 10:00", "joe@example.org", "Hi", text))[0]
		if m.handover != want {
			t.Errorf("%q: got %v", text, m.handover)
		}
	}
}

// The words before a day are looked at only so far.
func TestMarker(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"by X":                       "by",
		"by the X":                   "by",
		"by 5 pm on the X":           "by",
		"by 17:00 (local time) on X": "by",
		"before X":                   "before",
		"on or before X":             "by",
		"until the X":                "until",
		"no later than X":            "than",
		"due on X":                   "due",
		"due to X":                   "",
		"deadline for all of the many papers is X": "deadline",
		"no deadline but perhaps X":                "",
		"rsvp X":                                   "rsvp",
		"by the river on X":                        "",
		"close of business X":                      "",
		"closes on X":                              "closes",
		"X":                                        "",
		"by 1 2 3 4 5 6 7 8 9 X":                   "",
	} {
		c := cursor(words(text))
		if got, _ := marker(c, len(c)-1); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestWeekPart(t *testing.T) {
	t.Parallel()
	event := func(title, d string) daytools.Event {
		return daytools.Event{Title: title, Start: d + "T10:00:00Z", End: d + "T11:00:00Z"}
	}
	for _, c := range []struct {
		name   string
		events []daytools.Event
		want   []string
	}{
		{"nothing", nil, []string{"The next six days: no events."}},
		{"today only", []daytools.Event{event("A", "2024-05-14")}, []string{"The next six days: no events."}},
		{"after the week", []daytools.Event{event("A", "2024-05-21")}, []string{"The next six days: no events."}},
		{
			"a day a line",
			[]daytools.Event{event("B", "2024-05-20"), event("A", "2024-05-15")},
			[]string{"The next six days:", "- Wed 15 May 2024: 10:00-11:00 A", "- Mon 20 May 2024: 10:00-11:00 B"},
		},
		{
			"many on a day",
			[]daytools.Event{
				event("A", "2024-05-15"), event("B", "2024-05-15"), event("C", "2024-05-15"), event("D", "2024-05-15"), event("E", "2024-05-15"), event("F", "2024-05-15"),
			},
			[]string{
				"The next six days:",
				"- Wed 15 May 2024: 10:00-11:00 A; 10:00-11:00 B; 10:00-11:00 C; 10:00-11:00 D; 10:00-11:00 E; and more (overlap: A and B; and more)",
			},
		},
		{
			"days on end are told of once",
			[]daytools.Event{{Title: "Fair", Start: "2024-05-16", End: "2024-05-18", AllDay: true}},
			[]string{"The next six days:", "- Thu 16 May 2024: all day until Sat 18 May 2024 Fair"},
		},
	} {
		h := &history{}
		h.week.data.Events = c.events
		if diff := cmp.Diff(c.want, (&rules{today: written, zone: time.UTC}).weekPart(h)); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
}
