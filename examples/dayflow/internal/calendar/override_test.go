package calendar_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/examples/dayflow/internal/calendar"
	"helve.dev/helve/examples/dayflow/internal/day"
)

func TestOverrides(t *testing.T) {
	t.Parallel()
	const (
		master = "DTSTART:20260309T100000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3\nSUMMARY:usual"
		allDay = "DTSTART;VALUE=DATE:20260309\nRRULE:FREQ=DAILY;COUNT=2\nSUMMARY:usual"
	)
	tests := map[string]struct {
		events []string
		want   []string
	}{
		"moved": {
			events: []string{master, "RECURRENCE-ID:20260310T100000\nDTSTART:20260310T150000\nSUMMARY:moved"},
			want:   []string{"09 Mar 10:00-11:00 usual", "10 Mar 15:00-15:00 moved", "11 Mar 10:00-11:00 usual"},
		},
		"renamed": {
			events: []string{master, "RECURRENCE-ID:20260310T100000\nDTSTART:20260310T100000\nSUMMARY:renamed"},
			want:   []string{"09 Mar 10:00-11:00 usual", "10 Mar 10:00-10:00 renamed", "11 Mar 10:00-11:00 usual"},
		},
		"before its event in the file": {
			events: []string{"RECURRENCE-ID:20260310T100000\nDTSTART:20260310T150000\nSUMMARY:moved", master},
			want:   []string{"09 Mar 10:00-11:00 usual", "10 Mar 15:00-15:00 moved", "11 Mar 10:00-11:00 usual"},
		},
		"the first one": {
			events: []string{master, "RECURRENCE-ID:20260309T100000\nDTSTART:20260309T120000\nSUMMARY:moved"},
			want:   []string{"09 Mar 12:00-12:00 moved", "10 Mar 10:00-11:00 usual", "11 Mar 10:00-11:00 usual"},
		},
		"cancelled": {
			events: []string{master, "RECURRENCE-ID:20260310T100000\nDTSTART:20260310T100000\nSTATUS:CANCELLED\nSUMMARY:off"},
			want:   []string{"09 Mar 10:00-11:00 usual", "10 Mar 10:00-10:00 off (cancelled)", "11 Mar 10:00-11:00 usual"},
		},
		"by its day": {
			events: []string{master, "RECURRENCE-ID;VALUE=DATE:20260310\nDTSTART:20260310T150000\nSUMMARY:moved"},
			want:   []string{"09 Mar 10:00-11:00 usual", "10 Mar 15:00-15:00 moved", "11 Mar 10:00-11:00 usual"},
		},
		"in another zone": {
			events: []string{master, "RECURRENCE-ID;TZID=Asia/Tokyo:20260310T190000\nDTSTART:20260310T150000\nSUMMARY:moved"},
			want:   []string{"09 Mar 10:00-11:00 usual", "10 Mar 15:00-15:00 moved", "11 Mar 10:00-11:00 usual"},
		},
		"all day": {
			events: []string{allDay, "RECURRENCE-ID;VALUE=DATE:20260310\nDTSTART;VALUE=DATE:20260312\nSUMMARY:moved"},
			want:   []string{"2026-03-09..2026-03-09 usual", "2026-03-12..2026-03-12 moved"},
		},
		"all day becomes a time": {
			events: []string{allDay, "RECURRENCE-ID;VALUE=DATE:20260310\nDTSTART:20260310T090000\nSUMMARY:moved"},
			want:   []string{"2026-03-09..2026-03-09 usual", "10 Mar 09:00-09:00 moved"},
		},
		"alone": {
			events: []string{"RECURRENCE-ID:20260310T100000\nDTSTART:20260310T150000\nSUMMARY:invited to one"},
			want:   []string{"10 Mar 15:00-15:00 invited to one"},
		},
		"of no occurrence": {
			events: []string{master, "RECURRENCE-ID:20260310T110000\nDTSTART:20260310T150000\nSUMMARY:added"},
			want: []string{
				"09 Mar 10:00-11:00 usual", "10 Mar 10:00-11:00 usual", "10 Mar 15:00-15:00 added", "11 Mar 10:00-11:00 usual",
			},
		},
		"later version": {
			events: []string{
				master, "RECURRENCE-ID:20260310T100000\nSEQUENCE:2\nDTSTART:20260310T160000\nSUMMARY:second",
				"RECURRENCE-ID:20260310T100000\nSEQUENCE:1\nDTSTART:20260310T150000\nSUMMARY:first",
			},
			want: []string{"09 Mar 10:00-11:00 usual", "10 Mar 16:00-16:00 second", "11 Mar 10:00-11:00 usual"},
		},
		"of an event that was called off": {
			events: []string{master + "\nSTATUS:CANCELLED", "RECURRENCE-ID:20260310T100000\nDTSTART:20260310T150000\nSUMMARY:still on"},
			want: []string{
				"09 Mar 10:00-11:00 usual (cancelled)", "10 Mar 15:00-15:00 still on", "11 Mar 10:00-11:00 usual (cancelled)",
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := wrap(tt.events...)
			for _, uid := range []string{"e1", "e2"} {
				text = strings.ReplaceAll(text, "UID:"+uid+"\r", "UID:e0\r")
			}
			agenda := days(t, read(t, text), "2026-03-09", 7, time.UTC)
			if diff := cmp.Diff(tt.want, show(agenda.Events)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			seen := map[string]bool{}
			for _, e := range agenda.Events {
				if seen[e.ID] || e.UID != "e0" {
					t.Errorf("%s with the UID %s isn't an ID of its own", e.ID, e.UID)
				}
				seen[e.ID] = true
			}
		})
	}
}

func TestBrokenOverride(t *testing.T) {
	t.Parallel()
	// What is known of the occurrence is the rule: it stays, and the skip
	// says that there is more to it.
	text := wrap("DTSTART:20260310T100000\nRDATE:20260311T100000\nSUMMARY:usual", "RECURRENCE-ID:20260311T100000\nDTSTART:later")
	agenda := days(t, read(t, strings.Replace(text, "UID:e1", "UID:e0", 1)), "2026-03-09", 7, time.UTC)
	if diff := cmp.Diff([]string{"10 Mar 10:00-10:00 usual", "11 Mar 10:00-10:00 usual"}, show(agenda.Events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	want := []calendar.Skip{{File: "c.ics", Event: "e0", Reason: "its DTSTART can't be read"}}
	if diff := cmp.Diff(want, agenda.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

func TestOverrideInAnotherFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, lines := range map[string]string{
		"a.ics": "DTSTART:20260310T100000\nRRULE:FREQ=DAILY;COUNT=2\nSUMMARY:usual",
		"b.ics": "RECURRENCE-ID:20260311T100000\nDTSTART:20260311T150000\nSUMMARY:moved",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(wrap(lines)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cal, err := calendar.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := show(days(t, cal, "2026-03-09", 7, time.UTC).Events)
	if diff := cmp.Diff([]string{"10 Mar 10:00-10:00 usual", "11 Mar 15:00-15:00 moved"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestSameEveryTime(t *testing.T) {
	t.Parallel()
	cal, err := calendar.Open("testdata/repeat.ics")
	if err != nil {
		t.Fatal(err)
	}
	loc := load(t, "Europe/Berlin")
	want := days(t, cal, "2026-03-26", 40, loc)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := cal.Days(t.Context(), day.New(2026, 3, 26), 40, loc)
			if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(want, got, cmp.Comparer(func(x, y time.Time) bool { return x.Equal(y) })); diff != "" {
				t.Errorf("another answer (-first +got):\n%s", diff)
			}
		})
	}
	wg.Wait()
}
