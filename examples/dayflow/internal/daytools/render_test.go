package daytools_test

import (
	"testing"
	"testing/fstest"

	"helve.dev/helve"
	"helve.dev/helve/examples/dayflow/internal/daytools"
)

func TestRender(t *testing.T) {
	t.Parallel()
	x, _ := newExecutor(t, daytools.Config{
		Me: "sam@example.org",
		Mail: mail(map[string][3]string{
			"2026-03-11": {"Mei Tan <mei@example.org>", "Lunch", "12:30?\n\nMei"},
		}),
		Calendar: daytools.Source{FS: fstest.MapFS{"c.ics": {Data: []byte("BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n" +
			"BEGIN:VEVENT\nUID:1\nDTSTAMP:20260301T000000Z\nDTSTART:20260311T090000Z\nDTEND:20260311T100000Z\nSUMMARY:Team\nLOCATION:Room 2\nEND:VEVENT\n" +
			"BEGIN:VEVENT\nUID:2\nDTSTAMP:20260301T000000Z\nDTSTART;VALUE=DATE:20260311\nSUMMARY:Fair\nSTATUS:TENTATIVE\nEND:VEVENT\n" +
			"BEGIN:VEVENT\nUID:3\nDTSTAMP:20260301T000000Z\nDTSTART;VALUE=DATE:20260310\nDTEND;VALUE=DATE:20260313\nSUMMARY:Visit\nEND:VEVENT\n" +
			"BEGIN:VEVENT\nUID:4\nDTSTAMP:20260301T000000Z\nDTSTART:soon\nEND:VEVENT\nEND:VCALENDAR\n")}}},
	}, nil)
	for _, tt := range []struct{ name, tool, args, want string }{
		{"inbox", "read_inbox", `{}`, "1 of 1 mails\n\nWed 11 Mar 00:00  Mei Tan <mei@example.org>\n  Lunch\n  12:30? Mei"},
		{
			"calendar", "read_calendar", `{"range":"today"}`, "2026-03-11 to 2026-03-11: 3 events\n  2026-03-10 to 2026-03-12  Visit\n  2026-03-11 all day      Fair [tentative]\n" +
				"  Wed 2026-03-11 09:00-10:00  Team (Room 2)\n\n1 could not be read:\n  c.ics 4: its DTSTART can't be read",
		},
		{"new task", "create_task", `{"title":"Pay","due":"2026-03-20","idempotency_key":"a"}`, "Created: Pay (due 2026-03-20)"},
		{"old task", "create_task", `{"title":"Pay","due":"2026-03-20","idempotency_key":"a"}`, "Was there already: Pay (due 2026-03-20)\n(replayed: nothing was done again)"},
		{"tasks", "read_tasks", `{}`, "1 tasks\n  Pay (due 2026-03-20)"},
		{"email", "send_email", email("ana@example.org", "Hi", "x", "k"), "Sent: \"Hi\" to ana@example.org"},
	} {
		if got := helve.Render(x.Call(tt.tool, tt.args), helve.Terminal); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
