package offline

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/examples/dayflow/internal/day"
)

// written is the day on which the texts of these tests were written: a Tuesday.
var written = day.New(2024, 5, 14)

// found lists what dates finds, one text a mention: the day, or "?" and the
// doubt.
func found(text string, base day.Date) []string {
	var out []string
	for _, m := range dates(words(text), base) {
		if m.doubt != "" {
			out = append(out, "? "+m.doubt)
			continue
		}
		out = append(out, m.day.String())
	}
	return out
}

func TestDates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// Full dates.
		"by 2024-05-22":                      "2024-05-22",
		"on 2024-05-22T10:00 sharp":          "2024-05-22",
		"on 2024/05/22":                      "2024-05-22",
		"15 May 2024":                        "2024-05-15",
		"15 May, 2024":                       "2024-05-15",
		"15th May 2024":                      "2024-05-15",
		"the 15th of May 2024":               "2024-05-15",
		"15-May-2024":                        "2024-05-15",
		"May 15, 2024":                       "2024-05-15",
		"May 15th, 2024":                     "2024-05-15",
		"May the 15th":                       "2024-05-15",
		"Sept. 3, 2024":                      "2024-09-03",
		"3 sep 2024":                         "", // a short form in lower case
		"3 Sep 2024":                         "2024-09-03",
		"may 15 people come":                 "",
		"He may 2 times":                     "",
		"march 5 miles":                      "",
		"june 10th 2024":                     "2024-06-10",
		"on 12 March\n2026, at noon":         "2026-03-12",
		"2024-02-29":                         "2024-02-29",
		"from 3 May 2024 to 9 June 2024":     "2024-05-03 2024-06-09",
		"9 November 2024 and 1 January 2025": "2024-11-09 2025-01-01",
		// Numbers with one reading.
		"15/05/2024":   "2024-05-15",
		"05/15/2024":   "2024-05-15",
		"15.05.2024":   "2024-05-15",
		"15-05-2024":   "2024-05-15",
		"05/05/2024":   "2024-05-05",
		"15/05/24":     "2024-05-15",
		"version 1.15": "",
		"1/2":          "? writes 1/2, which can be 1 February 2025 or 2 January 2025",
		"05/06/2024":   "? writes 05/06/2024, which can be 5 June 2024 or 6 May 2024",
		"5.6.2024":     "? writes 5.6.2024, which can be 5 June 2024 or 6 May 2024",
		// A day of the week tells which reading is meant.
		"Wednesday 05/06/2024": "2024-06-05",
		"Monday 05/06/2024":    "2024-05-06",
		// No dates.
		"call 555-12-2024-99":  "",
		"invoice 2026-118":     "",
		"192.168.10.12":        "",
		"version 10.12.2024.1": "",
		"24/7 support":         "",
		"13/13/2024":           "",
		"order 20240-05-10":    "",
		"May 10:30":            "",
		"May 50":               "",
		"May 20%":              "",
		"$9.99 a month":        "",
		"In 2024 we grew":      "",
		// The year is left out.
		"15 May":       "2024-05-15",
		"May 15":       "2024-05-15",
		"3 March":      "2024-03-03",
		"9 January":    "2025-01-09",
		"1 February":   "2025-02-01",
		"31 December":  "2024-12-31",
		"20 Dec":       "2024-12-20",
		"the 18th":     "2024-05-18",
		"by 2nd":       "2024-06-02",
		"the 31st":     "2024-05-31",
		"my 18th cake": "",
		"18th":         "",
		// Days that do not exist.
		"30 February 2024":      "? names 30 February 2024, a day that does not exist",
		"on 31 April 2024":      "? names 31 April 2024, a day that does not exist",
		"2024-13-01":            "? names 2024-13-01, a day that does not exist",
		"29 Feb 2023":           "? names 29 Feb 2023, a day that does not exist",
		"April 31":              "? names 31 April, a day that does not exist",
		"Friday, 31 April 2024": "? names 31 April 2024, a day that does not exist",
	} {
		if got := strings.Join(found(text, written), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestWeekdayAndDate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Friday, 14 March 2026":                 "? says Friday, but 14 March 2026 is a Saturday",
		"Saturday, 14 March 2026":               "2026-03-14",
		"Friday 14 March 2026":                  "? says Friday, but 14 March 2026 is a Saturday",
		"Fri 14 Mar 2026":                       "? says Friday, but 14 March 2026 is a Saturday",
		"Fri. 14 Mar. 2026":                     "? says Friday, but 14 March 2026 is a Saturday",
		"Friday the 14th of March 2026":         "? says Friday, but 14 March 2026 is a Saturday",
		"Friday, the 14th of March, 2026":       "? says Friday, but 14 March 2026 is a Saturday",
		"Friday, March 14th, 2026":              "? says Friday, but 14 March 2026 is a Saturday",
		"Friday (14 March 2026)":                "? says Friday, but 14 March 2026 is a Saturday",
		"Friday 2026-03-14":                     "? says Friday, but 14 March 2026 is a Saturday",
		"2026-03-14 (Friday)":                   "? says Friday, but 14 March 2026 is a Saturday",
		"14 March 2026 (Fri)":                   "? says Friday, but 14 March 2026 is a Saturday",
		"14 March 2026, Friday":                 "? says Friday, but 14 March 2026 is a Saturday",
		"14 March 2026 (Sat)":                   "2026-03-14",
		"Friday 14/03/2026":                     "? says Friday, but 14 March 2026 is a Saturday",
		"Wednesday May 22nd":                    "2024-05-22",
		"Wed, May 22":                           "2024-05-22",
		"Thursday May 22nd":                     "? says Thursday, but 22 May 2024 is a Wednesday",
		"WEDNESDAY 22 MAY 2024":                 "2024-05-22",
		"Saturday 18th":                         "2024-05-18",
		"Saturday the 18th":                     "2024-05-18",
		"Tuesday 18th":                          "2024-06-18", // next month has one
		"Friday 18th":                           "? says Friday, but 18 May 2024 is a Saturday",
		"Monday 13th":                           "2024-05-13",
		"Saturday 9 December":                   "2023-12-09", // of last year, long ago
		"Monday, 9 December":                    "2024-12-09",
		"Thursday, 14 May":                      "? says Thursday, but 14 May 2024 is a Tuesday",
		"14 March, Friday 15 March 2024":        "2024-03-14 2024-03-15",
		"Mon 20 May, Tue 21 May and Thu 22 May": "2024-05-20 2024-05-21 ? says Thursday, but 22 May 2024 is a Wednesday",
		"she sat 14 March 2026 out":             "2026-03-14",
		"the sun 3 May 2024":                    "2024-05-03",
	} {
		if got := strings.Join(found(text, written), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestRelativeDays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"today":                       "2024-05-14",
		"Tonight":                     "2024-05-14",
		"tomorrow":                    "2024-05-15",
		"the day after tomorrow":      "2024-05-16",
		"by Friday":                   "2024-05-17",
		"by friday":                   "2024-05-17",
		"on Tuesday":                  "2024-05-21", // written on a Tuesday
		"Monday morning":              "2024-05-20",
		"this Thursday":               "2024-05-16",
		"next Friday":                 "2024-05-24",
		"Friday next week":            "2024-05-24",
		"Friday of next week":         "2024-05-24",
		"last Friday":                 "",
		"every Friday":                "",
		"Friday's menu":               "2024-05-17",
		"Fridays":                     "",
		"by Fri":                      "2024-05-17",
		"next week":                   "2024-05-24",
		"by the end of next week":     "2024-05-24",
		"by the end of the week":      "2024-05-17",
		"by end of week":              "2024-05-17",
		"EOW":                         "2024-05-17",
		"this week":                   "2024-05-17",
		"end of the month":            "2024-05-31",
		"EOM":                         "2024-05-31",
		"end of next month":           "2024-06-30",
		"by the end of June":          "2024-06-30",
		"by the end of January":       "2025-01-31",
		"end of the year":             "2024-12-31",
		"by EOD":                      "2024-05-14",
		"by COB":                      "2024-05-14",
		"by the end of the day":       "2024-05-14",
		"by EOD Friday":               "2024-05-17",
		"by close of business Friday": "2024-05-17",
		"by end of day on 20 May":     "2024-05-20",
		"by EOD tomorrow":             "2024-05-15",
		"within 3 days":               "2024-05-17",
		"within three working days":   "2024-05-17",
		"within 5 business days":      "2024-05-21",
		"within 24 hours":             "2024-05-15",
		"within 36 hours":             "2024-05-16",
		"in two weeks":                "2024-05-28",
		"within a month":              "2024-06-14",
		"in the next 10 days":         "2024-05-24",
		"in 5000 days":                "",
		"in a moment":                 "",
		"this weekend":                "2024-05-19",
		"next weekend":                "2024-05-26",
		"wednes":                      "",
	} {
		if got := strings.Join(found(text, written), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// On a weekend the week that people speak of is the one to come.
func TestRelativeDaysOnWeekend(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base day.Date
		text string
		want string
	}{
		{day.New(2024, 5, 12), "by next week", "2024-05-17"},
		{day.New(2024, 5, 12), "by the end of the week", "2024-05-17"},
		{day.New(2024, 5, 11), "by the end of the week", "2024-05-17"},
		{day.New(2024, 5, 12), "by Friday", "2024-05-17"},
		{day.New(2024, 1, 31), "within a month", "2024-02-29"},
		{day.New(2024, 12, 30), "by Friday", "2025-01-03"},
		{day.New(2024, 12, 20), "by 9 January", "2025-01-09"},
		{day.New(2025, 1, 2), "since 20 December", "2024-12-20"},
	} {
		if got := strings.Join(found(c.text, c.base), " "); got != c.want {
			t.Errorf("%q on %s: got %q, want %q", c.text, c.base, got, c.want)
		}
	}
}

// Without the day of the mail only what needs no other day can be told.
func TestDatesWithoutBase(t *testing.T) {
	t.Parallel()
	text := "by Friday, tomorrow, the 18th, within 3 days, 20/5, end of May, or 15 May 2024, or Friday 14 March 2026"
	want := []string{"2024-05-15", "? says Friday, but 14 March 2026 is a Saturday"}
	if diff := cmp.Diff(want, found(text, day.Date{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestEdgesOfTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base day.Date
		text string
		want string
	}{
		{day.New(9999, 12, 31), "tomorrow, next week, within 3 days, the 5th, end of next month, by Friday", ""},
		{day.New(1, 1, 1), "today", "0001-01-01"},
		{day.New(1, 1, 1), "3 March", "0001-03-03"},
		{day.New(1, 1, 1), "Monday 3 December", "? says Monday, but 3 December 1 is a Saturday"},
		{written, "0000-01-01 and 9999-12-31", "9999-12-31"},
	} {
		got := strings.Join(found(c.text, c.base), " ")
		if c.want == "? says Monday, but 3 December 1 is a Saturday" {
			if strings.Contains(got, "0000") {
				t.Errorf("%q: got %q", c.text, got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%q on %s: got %q, want %q", c.text, c.base, got, c.want)
		}
	}
}

// due returns the deadlines that a text names for a reader.
func due(text string) string {
	var out []string
	for _, sentence := range sentences(text) {
		r := readingOf(sentence, asks(sentence))
		for _, m := range dates(r.cursor, written) {
			if is, before := r.isDeadline(m); is {
				d := m.day
				if before {
					d = d.AddDays(-1)
				}
				if m.doubt != "" {
					out = append(out, "?")
					continue
				}
				out = append(out, d.String())
			}
		}
	}
	return strings.Join(out, " ")
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Please reply by Friday.":                                  "2024-05-17",
		"Please reply by Friday at 5 p.m. Thanks":                  "2024-05-17",
		"Please reply by 5 pm on Friday.":                          "2024-05-17",
		"Please reply by noon on Friday, 17 May.":                  "2024-05-17",
		"Please reply by 17:00 tomorrow.":                          "2024-05-15",
		"Please reply no later than May 22nd.":                     "2024-05-22",
		"Please reply on Friday at the latest.":                    "2024-05-17",
		"Please reply before Friday.":                              "2024-05-16",
		"Please reply before noon on Friday.":                      "2024-05-17",
		"Please reply on or before 20 May.":                        "2024-05-20",
		"RSVP by May 20.":                                          "2024-05-20",
		"RSVP: 20 May":                                             "2024-05-20",
		"Deadline: 22 May":                                         "2024-05-22",
		"The deadline for all applications is 22 May 2024.":        "2024-05-22",
		"Monday is the deadline.":                                  "2024-05-20",
		"The report is due on Friday.":                             "2024-05-17",
		"Due date: 20 May 2024":                                    "2024-05-20",
		"The museum needs the proofs by Thursday, 16 May 2024.":    "2024-05-16",
		"Could you send it by EOD?":                                "2024-05-14",
		"Can you send me the figures tomorrow?":                    "2024-05-15",
		"Please send me the report on Friday.":                     "2024-05-17",
		"Please call me tomorrow.":                                 "2024-05-15",
		"You have until Friday to reply.":                          "2024-05-17",
		"Can you let me know until Friday?":                        "2024-05-17",
		"Please pay within 14 days.":                               "2024-05-28",
		"Please sign it by 20/5.":                                  "2024-05-20",
		"Please sign it by 05/06/2024.":                            "?",
		"Please confirm by Friday, 14 March 2026.":                 "?",
		"Registration closes on 20 May.":                           "2024-05-20",
		"Please do the following by next week:\n - 1. Read the x.": "2024-05-24",
		"We need your answer by the 18th.":                         "2024-05-18",
		// No deadlines for the reader.
		"I will send you the report by Friday.":                "",
		"We'll be back by Monday.":                             "",
		"Your parcel will arrive by Friday.":                   "",
		"The meeting is on Friday.":                            "",
		"Are you free for lunch tomorrow?":                     "",
		"Please confirm that you come to the party on Friday.": "",
		"Please send me the minutes of 8 May.":                 "",
		"Please send me the slides from yesterday's meeting.":  "",
		"Please send me the agenda for the meeting on Friday.": "",
		"Due to the storm on Friday, the office stays closed.": "",
		"I am away until Friday.":                              "",
		"Great to see you on 20 May!":                          "",
		"The invoice 20/5 is ready.":                           "",
	} {
		if got := due(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzDates(f *testing.F) {
	for _, s := range []string{
		"by Friday, 14 March 2026", "2024-05-22", "15/05/2024", "within 3 days", "the 18th", "end of next month",
		"0000-00-00", "9999-12-31", "Saturday 31st", "\xff15 May\u202e", "EOD EOD EOD Friday", "by by by", "Sept.", "May", "29 Feb",
	} {
		f.Add(s, 2024, 5, 14)
		f.Add(s, 9999, 12, 31)
		f.Add(s, 1, 1, 1)
		f.Add(s, 0, 0, 0)
	}
	f.Fuzz(func(t *testing.T, text string, y, m, d int) {
		base := day.Date{Year: y, Month: time.Month(m), Day: d}
		if !exists(base) {
			base = day.Date{}
		}
		r := readingOf(text, askDeed)
		end := 0
		for _, got := range dates(r.cursor, base) {
			if !exists(got.day) || got.day.IsZero() == (got.doubt == "") {
				t.Fatalf("%q: day %v, doubt %q", text, got.day, got.doubt)
			}
			if !exists(got.doubted) {
				t.Fatalf("%q: doubted %v", text, got.doubted)
			}
			if got.from < end || got.to <= got.from || got.to > len(r.cursor) {
				t.Fatalf("%q: words %d to %d of %d after %d", text, got.from, got.to, len(r.cursor), end)
			}
			end = got.to
			r.isDeadline(got)
		}
		for _, s := range sentences(ownText(text)) {
			asks(s)
		}
	})
}
