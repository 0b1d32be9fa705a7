package calendar

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWindowsNames(t *testing.T) {
	t.Parallel()
	for name, iana := range windows {
		loc, ok := known(name)
		if !ok || loc.String() != iana {
			t.Errorf("%s: got %v, %v; want %s", name, loc, ok, iana)
		}
	}
}

func TestKnown(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"Europe/Lisbon":      "Europe/Lisbon",
		"UTC":                "Etc/UTC",
		"Z":                  "Etc/UTC",
		"Etc/GMT+5":          "Etc/GMT+5",
		"CET":                "CET",
		"/Europe/Lisbon":     "Europe/Lisbon",
		"/a.example/1/A/B/C": "",
		"/freeassociation.sourceforge.net/Tzfile/Europe/Lisbon": "Europe/Lisbon",
		"/citadel.org/20190914_1/America/Indiana/Knox":          "America/Indiana/Knox",
		"Local":         "",
		"local":         "",
		"x/Local":       "",
		"":              "",
		"/":             "",
		"//":            "",
		"Europe":        "",
		"../etc/passwd": "",
		"GMT+0100":      "",
	}
	for id, want := range tests {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			loc, ok := known(id)
			if ok != (want != "") || ok && loc.String() != want {
				t.Errorf("got %v, %v; want %q", loc, ok, want)
			}
		})
	}
}

func TestParseDuration(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		want span
		ok   bool
	}{
		"PT0S":            {ok: true},
		"PT15M":           {want: span{exact: 15 * time.Minute}, ok: true},
		"P1W":             {want: span{days: 7}, ok: true},
		"P2DT3H4M5S":      {want: span{days: 2, exact: 3*time.Hour + 4*time.Minute + 5*time.Second}, ok: true},
		"+P1D":            {want: span{days: 1}, ok: true},
		"-P1DT1H":         {want: span{days: -1, exact: -time.Hour}, ok: true},
		" pt1h ":          {want: span{exact: time.Hour}, ok: true},
		"PT36H":           {want: span{exact: 36 * time.Hour}, ok: true},
		"P1WT1H":          {want: span{days: 7, exact: time.Hour}, ok: true},
		"":                {},
		"1H":              {},
		"P1H":             {},
		"PT1D":            {},
		"P-1D":            {},
		"PT1.5H":          {},
		"P999999D":        {},
		"PT1H and more":   {},
		"PT1H\nPT2H":      {},
		"PT99999999999S":  {},
		"P1Y":             {},
		"--P1D":           {},
		"PT1H30":          {},
		"PT5S4M":          {},
		"P\u0661D":        {},
		"PTinfinity":      {},
		"P1D T1H":         {},
		"PT0000000000000": {},
	}
	for value, tt := range tests {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			got, err := parseDuration(value)
			if (err == nil) != tt.ok || got != tt.want {
				t.Errorf("got %v, %v; want %v, %v", got, err, tt.want, tt.ok)
			}
		})
	}
}

func TestParseStamp(t *testing.T) {
	t.Parallel()
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		loc  *time.Location
		want string // the text of the stamp, "" for an error
	}{
		"20260311":             {loc: lisbon, want: "20260311"},
		"20260311T093000":      {loc: lisbon, want: "20260311T093000@Europe/Lisbon"},
		"20260311T093000Z":     {loc: lisbon, want: "20260311T093000Z"},
		"20260311T093001":      {want: "20260311T093001"},
		"20240229":             {want: "20240229"},
		"00010101":             {want: "00010101"},
		"20260229":             {},
		"20261301":             {},
		"20260311T250000":      {},
		"20260311T0930":        {},
		"20260311 093000":      {},
		"2026-03-11":           {},
		"2026-03-11T09:30:00Z": {},
		"99990101":             {},
		"00000101":             {},
		"":                     {},
		"Z":                    {},
		"20260311T093000ZZ":    {},
		"-0260311":             {},
		"20260311T093000+0100": {},
		"20260311T240000Z":     {},
	}
	for value, tt := range tests {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			got, err := parseStamp(value, tt.loc)
			if (err == nil) != (tt.want != "") || err == nil && got.String() != tt.want {
				t.Errorf("got %v, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestOffset(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		want int
		ok   bool
	}{
		"+0000":    {ok: true},
		"-0000":    {ok: true},
		"+0100":    {want: 3600, ok: true},
		"-0330":    {want: -12600, ok: true},
		"+1400":    {want: 50400, ok: true},
		"+003045":  {want: 1845, ok: true},
		" +0200 ":  {want: 7200, ok: true},
		"0100":     {},
		"+1":       {},
		"+01:00":   {},
		"+2700":    {},
		"+99":      {},
		"+-100":    {},
		"+ 100":    {},
		"":         {},
		"+0100000": {},
	}
	for value, tt := range tests {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			c := &component{props: []property{{name: "TZOFFSETTO", value: value}}}
			got, err := offset(c, "TZOFFSETTO")
			if (err == nil) != tt.ok || got != tt.want {
				t.Errorf("got %d, %v; want %d, %v", got, err, tt.want, tt.ok)
			}
		})
	}
}

func TestParseLine(t *testing.T) {
	t.Parallel()
	params := func(pairs ...string) map[string][]string {
		m := map[string][]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = append(m[pairs[i]], pairs[i+1])
		}
		return m
	}
	tests := map[string]struct {
		want property
		ok   bool
	}{
		"SUMMARY:Lunch":                {want: property{name: "SUMMARY", value: "Lunch", params: params()}, ok: true},
		"summary:a:b;c":                {want: property{name: "SUMMARY", value: "a:b;c", params: params()}, ok: true},
		"DTSTART;tzid=X:1":             {want: property{name: "DTSTART", value: "1", params: params("TZID", "X")}, ok: true},
		`A;B="x:y;z",w;C=d:v`:          {want: property{name: "A", value: "v", params: params("B", "x:y;z", "B", "w", "C", "d")}, ok: true},
		"X-A:":                         {want: property{name: "X-A", params: params()}, ok: true},
		"SUMMARY:caf\u00e9\r":          {want: property{name: "SUMMARY", value: "caf\u00e9", params: params()}, ok: true},
		"no colon":                     {},
		":value":                       {},
		" LEADING:x":                   {},
		`A;B="open:x`:                  {},
		"A;B:x":                        {},
		"A;B=x\x01:y":                  {},
		"A B:x":                        {},
		"A;" + longText(maxHead) + ":": {},
	}
	for line, tt := range tests {
		t.Run(line[:min(len(line), 20)], func(t *testing.T) {
			t.Parallel()
			got, err := parseLine(line)
			if (err == nil) != tt.ok {
				t.Fatalf("got %v, %v", got, err)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(property{})); diff != "" {
				t.Errorf("property (-want +got):\n%s", diff)
			}
		})
	}
}

// longText returns n characters.
func longText(n int) string { return string(slices.Repeat([]byte("x"), n)) }

func TestCustomZone(t *testing.T) {
	t.Parallel()
	observed := func(name, start, from, to string, more ...property) *component {
		props := []property{{name: "DTSTART", value: start}, {name: "TZOFFSETFROM", value: from}, {name: "TZOFFSETTO", value: to}}
		return &component{name: name, props: append(props, more...)}
	}
	tests := map[string]struct {
		children []*component
		want     string // the offset on the 1st of January and July 2026; "" for an error
	}{
		"one offset": {children: []*component{observed("STANDARD", "19700101T000000", "+0100", "+0100")}, want: "+01:00 +01:00"},
		"before the first change": {
			children: []*component{observed("DAYLIGHT", "20260301T020000", "+0100", "+0200")}, want: "+01:00 +02:00",
		},
		"in the south": {
			children: []*component{
				observed("STANDARD", "20000402T030000", "+1100", "+1000", property{name: "RRULE", value: "FREQ=YEARLY;BYMONTH=4;BYDAY=1SU"}),
				observed("DAYLIGHT", "20001001T020000", "+1000", "+1100", property{name: "RRULE", value: "FREQ=YEARLY;BYMONTH=10;BYDAY=1SU"}),
			},
			want: "+11:00 +10:00",
		},
		"rule that ended": {
			children: []*component{
				observed("STANDARD", "20001029T030000", "+0200", "+0100", property{name: "RRULE", value: "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20101031T010000Z"}),
				observed("DAYLIGHT", "20000326T020000", "+0100", "+0200", property{name: "RRULE", value: "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20100328T010000Z"}),
			},
			want: "+01:00 +01:00",
		},
		"others are passed over": {
			children: []*component{{name: "X-OTHER"}, observed("STANDARD", "19700101T000000", "-0500", "-0500")}, want: "-05:00 -05:00",
		},
		"nothing":   {},
		"bad start": {children: []*component{observed("STANDARD", "always", "+0100", "+0100")}},
		"bad to":    {children: []*component{observed("STANDARD", "19700101T000000", "+0100", "")}},
		"bad rule":  {children: []*component{observed("STANDARD", "19700101T000000", "+0100", "+0100", property{name: "RRULE", value: "x"})}},
		"bad list":  {children: []*component{observed("STANDARD", "19700101T000000", "+0100", "+0100", property{name: "RDATE", value: "x"})}},
		"too often": {children: []*component{observed("STANDARD", "19700101T000000", "+0100", "+0100", property{name: "RRULE", value: "FREQ=DAILY"})}},
		"broken":    {children: []*component{{name: "STANDARD", broken: "it has no END"}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loc, err := custom("Test", &component{children: tt.children})
			if (err == nil) != (tt.want != "") {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if err != nil {
				return
			}
			winter, summer := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
			got := fmt.Sprint(winter.In(loc).Format("-07:00"), " ", summer.In(loc).Format("-07:00"))
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	if _, err := custom("Test", &component{broken: "it has no END"}); err == nil {
		t.Error("no error for a VTIMEZONE without an END")
	}
}

func TestRulesMovedBy400Years(t *testing.T) {
	t.Parallel()
	// The search is moved by a multiple of 400 years: whatever the rule, the
	// days and the weekdays have to be those of the year that was asked for.
	for _, year := range []int{1600, 1900, 1999, 2000, 2024, 2026, 2100, 2399, 2400, 8999} {
		start := time.Date(year, 2, 1, 9, 0, 0, 0, time.UTC)
		r, err := newRule("FREQ=MONTHLY;BYDAY=-1FR")
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.expand(stamp{wall: start}, start, start.AddDate(1, 0, 0), time.UTC)
		if err != nil || len(got) != 12 {
			t.Fatalf("%d: got %v, %v; want 12 days", year, got, err)
		}
		for _, at := range got {
			if at.Weekday() != time.Friday || at.AddDate(0, 0, 7).Month() == at.Month() || at.Hour() != 9 {
				t.Errorf("%s isn't the last Friday of its month", at)
			}
		}
	}
}
