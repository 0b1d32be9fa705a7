package calendar_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"helve.dev/helve/examples/dayflow/internal/calendar"
	"helve.dev/helve/examples/dayflow/internal/day"
)

// load returns a time zone by its name.
func load(tb testing.TB, name string) *time.Location {
	tb.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		tb.Fatal(err)
	}
	return loc
}

// wrap makes a calendar of the lines of events.
func wrap(events ...string) string {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n")
	for i, lines := range events {
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:e%d\r\n%s\r\nEND:VEVENT\r\n", i, strings.ReplaceAll(lines, "\n", "\r\n"))
	}
	b.WriteString("END:VCALENDAR\r\n")
	return b.String()
}

// read returns the calendar that is in the text.
func read(tb testing.TB, text string) *calendar.Calendar {
	tb.Helper()
	cal, err := calendar.OpenFS(fstest.MapFS{"c.ics": {Data: []byte(text)}}, "c.ics")
	if err != nil {
		tb.Fatal(err)
	}
	return cal
}

// days returns what cal has on n days from first.
func days(tb testing.TB, cal *calendar.Calendar, first string, n int, loc *time.Location) calendar.Agenda {
	tb.Helper()
	agenda, err := cal.Days(tb.Context(), day.MustParse(first), n, loc)
	if err != nil {
		tb.Fatal(err)
	}
	return agenda
}

// show writes each event on a line: its times, its summary and whether it was
// cancelled.
func show(events []calendar.Event) []string {
	var lines []string
	for _, e := range events {
		line := e.Start.Format("02 Jan 15:04") + e.End.Format("-15:04 ") + e.Summary
		if e.AllDay {
			line = fmt.Sprintf("%s..%s %s", e.First, e.Last, e.Summary)
		}
		if e.Status == calendar.Cancelled {
			line += " (cancelled)"
		}
		lines = append(lines, line)
	}
	return lines
}
