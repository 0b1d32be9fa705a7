package calendar_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/examples/dayflow/internal/calendar"
	"helve.dev/helve/examples/dayflow/internal/day"
)

func TestOverlap(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lines string
		in    bool
	}{
		"within":                 {lines: "DTSTART:20260311T100000Z\nDTEND:20260311T110000Z", in: true},
		"ends at midnight":       {lines: "DTSTART:20260310T230000Z\nDTEND:20260311T000000Z"},
		"ends after midnight":    {lines: "DTSTART:20260310T230000Z\nDTEND:20260311T000001Z", in: true},
		"begins at the end":      {lines: "DTSTART:20260312T000000Z\nDTEND:20260312T010000Z"},
		"spans it":               {lines: "DTSTART:20260301T100000Z\nDTEND:20260401T110000Z", in: true},
		"no length":              {lines: "DTSTART:20260311T000000Z", in: true},
		"no length, end":         {lines: "DTSTART:20260312T000000Z"},
		"all day":                {lines: "DTSTART;VALUE=DATE:20260311", in: true},
		"all day before":         {lines: "DTSTART;VALUE=DATE:20260310\nDTEND;VALUE=DATE:20260311"},
		"all day, equal end":     {lines: "DTSTART;VALUE=DATE:20260311\nDTEND;VALUE=DATE:20260311", in: true},
		"days":                   {lines: "DTSTART;VALUE=DATE:20260309\nDTEND;VALUE=DATE:20260312", in: true},
		"days by duration":       {lines: "DTSTART;VALUE=DATE:20260309\nDURATION:P3D", in: true},
		"days by duration, less": {lines: "DTSTART;VALUE=DATE:20260309\nDURATION:P2D"},
		"week":                   {lines: "DTSTART;VALUE=DATE:20260305\nDURATION:P1W", in: true},
		"duration":               {lines: "DTSTART:20260310T220000Z\nDURATION:PT2H1S", in: true},
		"duration with days":     {lines: "DTSTART:20260309T220000Z\nDURATION:+P1DT1H59M"},
		"date without VALUE":     {lines: "DTSTART:20260311", in: true},
		"long repeating":         {lines: "DTSTART:20250301T000000Z\nDTEND:20250320T000000Z\nRRULE:FREQ=YEARLY", in: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agenda := days(t, read(t, wrap(tt.lines)), "2026-03-11", 1, time.UTC)
			if len(agenda.Skipped) != 0 || (len(agenda.Events) == 1) != tt.in {
				t.Errorf("got %v, skipped %v; want it there: %v", show(agenda.Events), agenda.Skipped, tt.in)
			}
		})
	}
}

func TestDaysCovered(t *testing.T) {
	t.Parallel()
	tokyo := load(t, "Asia/Tokyo")
	tests := map[string]struct{ lines, first, last string }{
		"all day":         {lines: "DTSTART;VALUE=DATE:20260311", first: "2026-03-11", last: "2026-03-11"},
		"three days":      {lines: "DTSTART;VALUE=DATE:20260310\nDTEND;VALUE=DATE:20260313", first: "2026-03-10", last: "2026-03-12"},
		"to midnight":     {lines: "DTSTART:20260311T200000\nDTEND:20260312T000000", first: "2026-03-11", last: "2026-03-11"},
		"over midnight":   {lines: "DTSTART:20260311T200000\nDTEND:20260312T000001", first: "2026-03-11", last: "2026-03-12"},
		"no length":       {lines: "DTSTART:20260311T000000", first: "2026-03-11", last: "2026-03-11"},
		"in another zone": {lines: "DTSTART:20260310T200000Z\nDURATION:PT1H", first: "2026-03-11", last: "2026-03-11"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := days(t, read(t, wrap(tt.lines)), "2026-03-11", 1, tokyo).Events
			if len(got) != 1 || got[0].First != day.MustParse(tt.first) || got[0].Last != day.MustParse(tt.last) {
				t.Errorf("got %v, want %s to %s", got, tt.first, tt.last)
			}
		})
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lines string
		want  string // the days of March 2026 with the hour
	}{
		"daily":               {lines: "DTSTART:20260329T100000\nRRULE:FREQ=DAILY", want: "29 10:00, 30 10:00, 31 10:00"},
		"count":               {lines: "DTSTART:20260301T100000\nRRULE:FREQ=DAILY;INTERVAL=2;COUNT=3", want: "01 10:00, 03 10:00, 05 10:00"},
		"count from before":   {lines: "DTSTART:20260227T100000\nRRULE:FREQ=DAILY;COUNT=4", want: "01 10:00, 02 10:00"},
		"until a day":         {lines: "DTSTART:20260301T230000\nRRULE:FREQ=DAILY;UNTIL=20260303", want: "01 23:00, 02 23:00, 03 23:00"},
		"until a time":        {lines: "DTSTART:20260301T100000\nRRULE:FREQ=DAILY;UNTIL=20260303T100000", want: "01 10:00, 02 10:00, 03 10:00"},
		"until before":        {lines: "DTSTART:20260301T100000\nRRULE:FREQ=DAILY;UNTIL=20260101T000000Z", want: "01 10:00"},
		"monthly":             {lines: "DTSTART:20251213T100000\nRRULE:FREQ=MONTHLY;BYDAY=2FR", want: "13 10:00"},
		"last weekday":        {lines: "DTSTART:20260130T100000\nRRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", want: "31 10:00"},
		"31st":                {lines: "DTSTART:20251231T100000\nRRULE:FREQ=MONTHLY", want: "31 10:00"},
		"yearly":              {lines: "DTSTART;VALUE=DATE:19700311\nRRULE:FREQ=YEARLY", want: "11 00:00"},
		"since long ago":      {lines: "DTSTART:16010311T100000\nRRULE:FREQ=YEARLY", want: "11 10:00"},
		"leap day":            {lines: "DTSTART:20240229T100000\nRRULE:FREQ=YEARLY", want: ""},
		"week start":          {lines: "DTSTART:20260301T100000\nRRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", want: "01 10:00, 03 10:00, 15 10:00, 17 10:00"},
		"hours of a day":      {lines: "DTSTART:20260330T090000\nRRULE:FREQ=DAILY;BYHOUR=9,15;COUNT=3", want: "30 09:00, 30 15:00, 31 09:00"},
		"hourly":              {lines: "DTSTART:20260101T000000\nRRULE:FREQ=HOURLY;INTERVAL=240", want: "02 00:00, 12 00:00, 22 00:00"},
		"hourly count":        {lines: "DTSTART:20260310T000000\nRRULE:FREQ=HOURLY;INTERVAL=5;COUNT=3", want: "10 00:00, 10 05:00, 10 10:00"},
		"secondly":            {lines: "DTSTART:20260311T000000\nRRULE:FREQ=SECONDLY;INTERVAL=60;COUNT=2", want: "11 00:00, 11 00:01"},
		"dates":               {lines: "DTSTART:20260310T100000\nRDATE:20260312T100000,20260314T120000", want: "10 10:00, 12 10:00, 14 12:00"},
		"date twice":          {lines: "DTSTART:20260330T100000\nRRULE:FREQ=DAILY\nRDATE:20260331T100000", want: "30 10:00, 31 10:00"},
		"periods":             {lines: "DTSTART:20260310T100000\nRDATE;VALUE=PERIOD:20260312T100000/PT2H,20260314T120000/20260314T130000", want: "10 10:00, 12 10:00, 14 12:00"},
		"start out of step":   {lines: "DTSTART:20260310T100000\nRRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=1", want: "10 10:00, 13 10:00"},
		"two rules":           {lines: "DTSTART:20260330T100000\nRRULE:FREQ=DAILY;COUNT=2\nRRULE:FREQ=HOURLY;COUNT=2", want: "30 10:00, 30 11:00, 31 10:00"},
		"lower case":          {lines: "dtstart:20260330T100000\nrrule:freq=daily;count=2;", want: "30 10:00, 31 10:00"},
		"excluded list":       {lines: "DTSTART:20260329T100000\nRRULE:FREQ=DAILY\nEXDATE:20260329T100000,20260331T100000", want: "30 10:00"},
		"excluded by day":     {lines: "DTSTART:20260329T100000\nRRULE:FREQ=DAILY\nEXDATE;VALUE=DATE:20260330", want: "29 10:00, 31 10:00"},
		"excluded elsewhere":  {lines: "DTSTART:20260329T100000\nRRULE:FREQ=DAILY\nEXDATE;TZID=Asia/Tokyo:20260330T190000", want: "29 10:00, 31 10:00"},
		"day excluded a time": {lines: "DTSTART;VALUE=DATE:20260330\nRRULE:FREQ=DAILY\nEXDATE:20260331T000000Z", want: "30 00:00"},
		"excluded date":       {lines: "DTSTART:20260310T100000\nRDATE:20260312T100000\nEXDATE:20260312T100000", want: "10 10:00"},
		"never":               {lines: "DTSTART:20250310T100000\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", want: ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agenda := days(t, read(t, wrap(tt.lines)), "2026-03-01", 31, time.UTC)
			var got []string
			for _, e := range agenda.Events {
				got = append(got, e.Start.Format("02 15:04"))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("occurrences (-want +got):\n%s", diff)
			}
			if len(agenda.Skipped) != 0 {
				t.Errorf("skipped %v", agenda.Skipped)
			}
		})
	}
}

func TestPeriodLength(t *testing.T) {
	t.Parallel()
	cal := read(t, wrap("DTSTART:20260310T100000\nDURATION:PT1H\nRDATE;VALUE=PERIOD:20260311T100000/PT2H\nRDATE:20260312T100000"))
	var got []string
	for _, e := range days(t, cal, "2026-03-10", 3, time.UTC).Events {
		got = append(got, e.End.Sub(e.Start).String())
	}
	if diff := cmp.Diff([]string{"1h0m0s", "2h0m0s", "1h0m0s"}, got); diff != "" {
		t.Errorf("lengths (-want +got):\n%s", diff)
	}
}

func TestClocks(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lines string
		want  []string
	}{
		"left out": {
			lines: "DTSTART;TZID=Europe/Berlin:20260328T023000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3",
			want:  []string{"28 Mar 02:30-03:30 ", "29 Mar 03:30-04:30 ", "30 Mar 02:30-03:30 "},
		},
		"an hour is an hour": {
			lines: "DTSTART;TZID=Europe/Berlin:20260329T013000\nDURATION:PT1H",
			want:  []string{"29 Mar 01:30-03:30 "},
		},
		"a day is a day": {
			lines: "DTSTART;TZID=Europe/Berlin:20260328T120000\nDURATION:P1D",
			want:  []string{"28 Mar 12:00-12:00 "},
		},
		"all day": {
			lines: "DTSTART;VALUE=DATE:20260329\nSUMMARY:x",
			want:  []string{"2026-03-29..2026-03-29 x"},
		},
		"until in UTC": {
			lines: "DTSTART;TZID=Europe/Berlin:20260328T000000\nRRULE:FREQ=DAILY;UNTIL=20260329T220000Z",
			want:  []string{"28 Mar 00:00-00:00 ", "29 Mar 00:00-00:00 ", "30 Mar 00:00-00:00 "},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agenda := days(t, read(t, wrap(tt.lines)), "2026-03-27", 5, load(t, "Europe/Berlin"))
			if diff := cmp.Diff(tt.want, show(agenda.Events)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	const many = "it repeats more than 1000 times in the range, or too often since it began"
	tests := map[string]struct{ lines, reason string }{
		"every second":          {lines: "RRULE:FREQ=SECONDLY", reason: many},
		"every minute":          {lines: "RRULE:FREQ=MINUTELY;INTERVAL=1", reason: many},
		"second without a hit":  {lines: "RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", reason: "an RRULE with FREQ=SECONDLY and conditions isn't supported"},
		"hour without a hit":    {lines: "RRULE:FREQ=HOURLY;INTERVAL=24;BYHOUR=5", reason: "an RRULE with FREQ=HOURLY and conditions isn't supported"},
		"many a day":            {lines: "RRULE:FREQ=DAILY;BYHOUR=1,2,3,4,5,6,7,8,9,10,11;BYMINUTE=1,2,3,4,5,6,7,8,9,10", reason: "its RRULE is out of bounds"},
		"wide interval":         {lines: "RRULE:FREQ=YEARLY;INTERVAL=99999999999", reason: "its RRULE is out of bounds"},
		"Easter":                {lines: "RRULE:FREQ=YEARLY;BYEASTER=400", reason: "its RRULE is out of bounds"},
		"53rd Monday":           {lines: "RRULE:FREQ=MONTHLY;BYDAY=53MO", reason: "its RRULE can't be expanded"},
		"hour 25":               {lines: "RRULE:FREQ=DAILY;BYHOUR=25", reason: "its RRULE is out of bounds: byhour must be between 0 and 23"},
		"long":                  {lines: "RRULE:FREQ=DAILY;BYMONTHDAY=" + strings.Repeat("1,", 600) + "1", reason: "its RRULE is too long"},
		"second since year one": {lines: "DTSTART:00010101T000000\nRRULE:FREQ=SECONDLY", reason: many},
		"dozens since long ago": {lines: "DTSTART:10010101T000000\nRRULE:FREQ=DAILY;BYHOUR=1,2,3,4,5,6,7,8,9,10", reason: many},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := tt.lines
			if !strings.HasPrefix(lines, "DTSTART") {
				lines = "DTSTART:20250101T040000\n" + lines
			}
			begin := time.Now()
			agenda := days(t, read(t, wrap(lines)), "2026-03-11", 7, time.UTC)
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
			if len(agenda.Skipped) != 1 || agenda.Skipped[0].Reason != tt.reason {
				t.Errorf("skipped %v, want %q", agenda.Skipped, tt.reason)
			}
			if len(agenda.Events) != 0 {
				t.Errorf("got events %v of a skipped one", show(agenda.Events))
			}
		})
	}
}

func TestBoundsOfLines(t *testing.T) {
	t.Parallel()
	params := strings.Repeat(";X=1", 300_000)
	tests := map[string]string{
		"many parameters":  "DTSTART:20260311T100000Z\nX-LONG" + params + ":1\nSUMMARY:x",
		"long value":       "DTSTART:20260311T100000Z\nX-LONG:" + params + "\nSUMMARY:x",
		"many folds":       "DTSTART:20260311T100000Z\nX-LONG:1" + strings.Repeat("\n 1", 100_000) + "\nSUMMARY:x",
		"deep components":  "DTSTART:20260311T100000Z\nSUMMARY:x\n" + strings.Repeat("BEGIN:VALARM\n", 10_000),
		"library's panics": "DTSTART:20260311T100000Z\nX-A;B\nX-A;B=\nX-A;B=\\\nX-A;=:\n;:\n:\nSUMMARY:x",
	}
	for name, lines := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agenda := days(t, read(t, wrap(lines)), "2026-03-11", 1, time.UTC)
			if diff := cmp.Diff([]string{"11 Mar 10:00-10:00 x"}, show(agenda.Events)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzBetween(f *testing.F) {
	for _, name := range []string{"repeat", "broken", "zones"} {
		raw, err := os.ReadFile("testdata/" + name + ".ics")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw))
	}
	for _, rule := range []string{"FREQ=SECONDLY", "FREQ=YEARLY;BYWEEKNO=53;BYDAY=-53MO", "FREQ=DAILY;BYSETPOS=366", "FREQ=MONTHLY;BYYEARDAY=-366"} {
		f.Add(wrap("DTSTART:20260101T100000\nRRULE:" + rule))
	}
	loc := load(f, "Europe/Lisbon")
	from := day.New(2026, 3, 11)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		cal, err := calendar.OpenFS(fstest.MapFS{"c.ics": {Data: []byte(text)}}, "c.ics")
		if err != nil {
			return
		}
		begin := time.Now()
		agenda, err := cal.Days(t.Context(), from, 7, loc)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("it took %s", took)
		}
		for _, e := range agenda.Events {
			if e.End.Before(e.Start) || e.Last.Before(e.First) || e.UID == "" || !e.Start.Before(from.AddDays(7).In(loc)) || e.End.Before(from.In(loc)) {
				t.Errorf("got an event that isn't one: %+v", e)
			}
		}
	})
}

func BenchmarkBetween(b *testing.B) {
	var events []string
	for i := range 1000 {
		events = append(events, fmt.Sprintf("DTSTART;TZID=Europe/Lisbon:2020%02d01T100000\nRRULE:FREQ=WEEKLY\nSUMMARY:%d", 1+i%12, i))
	}
	cal, loc := read(b, wrap(events...)), load(b, "Europe/Lisbon")
	for b.Loop() {
		if _, err := cal.Days(b.Context(), day.New(2026, 3, 11), 7, loc); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNever(b *testing.B) {
	cal := read(b, wrap("DTSTART:20260301T100000\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"))
	for b.Loop() {
		if _, err := cal.Days(b.Context(), day.New(2026, 3, 11), 7, time.UTC); err != nil {
			b.Fatal(err)
		}
	}
}
