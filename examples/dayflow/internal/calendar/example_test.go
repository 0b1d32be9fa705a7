package calendar_test

import (
	"context"
	"fmt"
	"testing/fstest"
	"time"

	"helve.dev/helve/examples/dayflow/internal/calendar"
	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/sample"
)

func ExampleCalendar_Days() {
	cal, err := calendar.OpenFS(sample.FS, "calendar.ics")
	if err != nil {
		fmt.Println(err)
		return
	}
	lisbon, err := time.LoadLocation(sample.TZ)
	if err != nil {
		fmt.Println(err)
		return
	}
	agenda, err := cal.Days(context.Background(), sample.Today, 1, lisbon)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range agenda.Events {
		fmt.Println(e.Start.Format("15:04")+"-"+e.End.Format("15:04"), e.Summary)
	}
	// Output:
	// 09:30-09:45 Stand-up
	// 14:00-15:00 Budget review
	// 14:30-15:15 Call with the museum
}

func ExampleCalendar_Between() {
	fsys := fstest.MapFS{"c.ics": {Data: []byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:broken\nSUMMARY:When?\nEND:VEVENT\n" +
		"BEGIN:VEVENT\nUID:night\nSUMMARY:Night train\nDTSTART:20260311T220000Z\nDURATION:PT9H\nEND:VEVENT\nEND:VCALENDAR")}}
	cal, err := calendar.OpenFS(fsys, "c.ics")
	if err != nil {
		fmt.Println(err)
		return
	}
	from := time.Date(2026, 3, 12, 6, 0, 0, 0, time.UTC)
	agenda, err := cal.Between(context.Background(), from, from.Add(time.Hour), time.UTC)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range agenda.Events {
		fmt.Println(e.Summary, e.First, "to", e.Last)
	}
	for _, s := range agenda.Skipped {
		fmt.Println("skipped", s.Event+":", s.Reason)
	}
	// Output:
	// Night train 2026-03-11 to 2026-03-12
	// skipped broken: no DTSTART
}

func ExampleOpen() {
	_, err := calendar.Open("no/such/calendar.ics")
	fmt.Println(err)
	// Output: calendar unavailable: stat no/such/calendar.ics: no such file or directory
}

// The whole day is the same day everywhere.
func ExampleEvent() {
	fsys := fstest.MapFS{"c.ics": {Data: []byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:x\nDTSTART;VALUE=DATE:20260311\nEND:VEVENT\nEND:VCALENDAR")}}
	cal, err := calendar.OpenFS(fsys, ".")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"Pacific/Honolulu", "Asia/Tokyo"} {
		loc, err := time.LoadLocation(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		agenda, err := cal.Days(context.Background(), day.New(2026, 3, 11), 1, loc)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(agenda.Events[0].First, agenda.Events[0].Start.Format(time.RFC3339))
	}
	// Output:
	// 2026-03-11 2026-03-11T00:00:00-10:00
	// 2026-03-11 2026-03-11T00:00:00+09:00
}
