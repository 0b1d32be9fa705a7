package calendar_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/examples/dayflow/internal/calendar"
	"helve.dev/helve/examples/dayflow/internal/day"
)

func TestRepeat(t *testing.T) {
	t.Parallel()
	cal, err := calendar.Open("testdata/repeat.ics")
	if err != nil {
		t.Fatal(err)
	}
	agenda := days(t, cal, "2026-03-26", 14, load(t, "Europe/Berlin"))
	want := []string{
		"26 Mar 09:30-10:00 Daily over the change of the clocks",
		"2026-03-27..2026-03-27 All day on Mondays",
		"27 Mar 09:30-10:00 Daily over the change of the clocks",
		"29 Mar 18:00-18:15 Daily, moved to the evening",
		"2026-03-30..2026-03-30 All day on Mondays",
		"30 Mar 12:00-13:00 Moved in from April",
		"31 Mar 09:30-10:00 Daily, cancelled (cancelled)",
		"03 Apr 12:00-13:00 Moved out and in",
	}
	if diff := cmp.Diff(want, show(agenda.Events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if len(agenda.Skipped) != 0 {
		t.Errorf("skipped %v", agenda.Skipped)
	}
	var ids []string
	for _, e := range agenda.Events {
		if e.UID == "daily" || e.UID == "allday" {
			ids = append(ids, e.ID)
		}
		if !e.Recurring {
			t.Errorf("%s isn't marked as recurring", e.ID)
		}
	}
	wantIDs := []string{
		"daily#20260326T093000", "allday#20260327T000000", "daily#20260327T093000", "daily#20260329T093000",
		"allday#20260330T000000", "daily#20260331T073000",
	}
	if diff := cmp.Diff(wantIDs, ids); diff != "" {
		t.Errorf("IDs (-want +got):\n%s", diff)
	}
}

func TestRepeatElsewhere(t *testing.T) {
	t.Parallel()
	cal, err := calendar.Open("testdata/repeat.ics")
	if err != nil {
		t.Fatal(err)
	}
	// In New York the clocks changed before: 09:30 in Berlin is 04:30 until
	// the 28th of March and 03:30 after it. All-day events stay on their day.
	agenda := days(t, cal, "2026-03-26", 5, load(t, "America/New_York"))
	want := []string{
		"26 Mar 04:30-05:00 Daily over the change of the clocks",
		"2026-03-27..2026-03-27 All day on Mondays",
		"27 Mar 04:30-05:00 Daily over the change of the clocks",
		"29 Mar 12:00-12:15 Daily, moved to the evening",
		"2026-03-30..2026-03-30 All day on Mondays",
		"30 Mar 06:00-07:00 Moved in from April",
	}
	if diff := cmp.Diff(want, show(agenda.Events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestZones(t *testing.T) {
	t.Parallel()
	cal, err := calendar.Open("testdata/zones.ics")
	if err != nil {
		t.Fatal(err)
	}
	agenda := days(t, cal, "2026-01-01", 365, load(t, "America/Los_Angeles"))
	got := map[string]string{}
	for _, e := range agenda.Events {
		got[e.UID] = e.Start.UTC().Format("15:04")
	}
	want := map[string]string{
		"utc": "12:00", "floating": "19:00", "iana": "16:00", "iana wins": "11:00", "quoted": "10:00", "path": "15:00",
		"windows": "10:00", "custom summer": "10:00", "custom winter": "11:00", "half past": "15:30", "named": "03:00",
		"listed": "06:00",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("starts in UTC (-want +got):\n%s", diff)
	}
	wantSkipped := []calendar.Skip{
		{File: "zones.ics", Event: "hollow", Reason: `time zone "Hollow": it has no offsets that can be used`},
		{File: "zones.ics", Event: "crooked", Reason: `time zone "Crooked": its TZOFFSETFROM can't be read`},
		{File: "zones.ics", Event: "local", Reason: `unknown time zone "Local"`},
		{File: "zones.ics", Event: "escape", Reason: `unknown time zone "../../etc/passwd"`},
	}
	if diff := cmp.Diff(wantSkipped, agenda.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

func TestCustomZoneChanges(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/zones.ics")
	if err != nil {
		t.Fatal(err)
	}
	event := "BEGIN:VEVENT\nUID:daily\nDTSTART;TZID=Our own zone:20200101T093000\nRRULE:FREQ=DAILY\nEND:VEVENT\nEND:VCALENDAR"
	cal := read(t, strings.Replace(string(raw), "END:VCALENDAR", event, 1))
	for _, year := range []string{"2026", "2037", "2045", "2099"} {
		for date, want := range map[string]string{"-01-15": "08:30", "-07-15": "07:30", "-12-15": "08:30"} {
			agenda := days(t, cal, year+date, 1, time.UTC)
			if len(agenda.Events) != 1 || agenda.Events[0].Start.Format("15:04") != want {
				t.Errorf("%s%s: got %v, want %s", year, date, show(agenda.Events), want)
			}
		}
	}
}

func TestBroken(t *testing.T) {
	t.Parallel()
	cal, err := calendar.Open("testdata/broken.ics")
	if err != nil {
		t.Fatal(err)
	}
	agenda := days(t, cal, "2026-03-11", 1, time.UTC)
	want := []string{"11 Mar 10:00-10:00 Good", "11 Mar 11:00-11:00 Open alarm", "11 Mar 12:00-12:00 Good too"}
	if diff := cmp.Diff(want, show(agenda.Events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	var got []string
	for _, s := range agenda.Skipped {
		if s.File != "broken.ics" {
			t.Errorf("the file of %v isn't broken.ics", s)
		}
		got = append(got, s.Event+": "+s.Reason)
	}
	wantSkipped := []string{
		"no-start: no DTSTART",
		"bad-start: its DTSTART can't be read",
		"bad-line: the line with its DTSTART can't be read",
		`bad-zone: unknown time zone "Mars/Olympus"`,
		"backwards: it ends before it begins",
		"bad-duration: its DURATION can't be read",
		"eternal: it lasts longer than 50 years",
		"bad-rule: its RRULE can't be read: undefined frequency: SOMETIMES",
		"bad-until: the UNTIL of its RRULE can't be read",
		"bad-exdate: its EXDATE can't be read",
		"exrule: EXRULE, which RFC 5545 took out, isn't supported",
		"line 63: its DTSTART can't be read",
		"no-end: it has no END",
		"truncated: the file ends in the middle of it",
	}
	if diff := cmp.Diff(wantSkipped, got); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

func TestDetails(t *testing.T) {
	t.Parallel()
	cal := read(t, wrap("DTSTART:20260311T100000Z\nDTEND:20260311T110000Z\n"+
		"summary;LANGUAGE=en:Lunch\\, with\\nMei\\; and \\\\o/\n"+
		"DESCRIPTION:A line that is fol\n ded\n\t twice\\NNext\n"+
		"LOCATION:Café \xff\x07\n"+
		"ORGANIZER;CN=\"Brandt, Lev\":MAILTO:lev@example.org\n"+
		"ATTENDEE;CN=Mei Tan;PARTSTAT=ACCEPTED;RSVP=TRUE:mailto:mei@example.com\n"+
		"ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:sam@example.org\n"+
		"STATUS:TENTATIVE"))
	agenda := days(t, cal, "2026-03-11", 1, time.UTC)
	want := []calendar.Event{{
		ID: "e0", UID: "e0", File: "c.ics", Summary: "Lunch, with\nMei; and \\o/", Location: "Café \uFFFD",
		Description: "A line that is folded twice\nNext",
		Start:       time.Date(2026, 3, 11, 10, 0, 0, 0, time.UTC), End: time.Date(2026, 3, 11, 11, 0, 0, 0, time.UTC),
		First: day.New(2026, 3, 11), Last: day.New(2026, 3, 11),
		Organizer: calendar.Person{Name: "Brandt, Lev", Email: "lev@example.org"},
		Attendees: []calendar.Person{
			{Name: "Mei Tan", Email: "mei@example.com", Reply: "accepted"},
			{Email: "sam@example.org", Reply: "needs-action"},
		},
		Status: calendar.Tentative,
	}}
	if diff := cmp.Diff(want, agenda.Events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	const start = "DTSTART:20260311T100000Z\n"
	text := wrap(start+"SEQUENCE:2\nSUMMARY:Second", start+"SEQUENCE:1\nSUMMARY:First", start+"SUMMARY:Other")
	text = strings.ReplaceAll(text, "UID:e1", "UID:e0")
	agenda := days(t, read(t, text), "2026-03-11", 1, time.UTC)
	if diff := cmp.Diff([]string{"11 Mar 10:00-10:00 Other", "11 Mar 10:00-10:00 Second"}, show(agenda.Events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	cancelled := strings.Replace(text, "VERSION:2.0", "METHOD:CANCEL", 1)
	for _, e := range days(t, read(t, cancelled), "2026-03-11", 1, time.UTC).Events {
		if e.Status != calendar.Cancelled {
			t.Errorf("%s of a METHOD:CANCEL is %s", e.Summary, e.Status)
		}
	}
	noUID := days(t, read(t, strings.ReplaceAll(text, "UID:", "X-UID:")), "2026-03-11", 1, time.UTC).Events
	if len(noUID) != 3 || noUID[0].UID == noUID[1].UID || !strings.HasPrefix(noUID[0].UID, "sha256-") {
		t.Errorf("events without a UID: got %v", noUID)
	}
}

func TestOpenFolder(t *testing.T) {
	t.Parallel()
	event := func(summary string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(strings.ReplaceAll(wrap("DTSTART:20260311T100000Z\nSUMMARY:"+summary), "e0", summary))}
	}
	fsys := fstest.MapFS{
		"data/a.ics": event("A"), "data/b.ICS": event("B"), "data/sub/c.ics": event("C"), "data/.d.ics": event("D"),
		"data/e.ics": {Data: []byte("Dear Sam")}, "data/f.ics": {Mode: fs.ModeNamedPipe}, "data/g.ics/x": {}, "data/notes": {},
		"empty": {Mode: fs.ModeDir}, "other/notes.txt": {},
	}
	cal, err := calendar.OpenFS(fsys, "data")
	if err != nil {
		t.Fatal(err)
	}
	agenda := days(t, cal, "2026-03-11", 1, time.UTC)
	if diff := cmp.Diff([]string{"11 Mar 10:00-10:00 A", "11 Mar 10:00-10:00 B"}, show(agenda.Events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	want := []calendar.Skip{
		{File: "data/e.ics", Reason: "the file is no calendar: it doesn't begin with BEGIN:VCALENDAR"},
		{File: "data/f.ics", Reason: "not a regular file"},
		{File: "data/g.ics", Reason: "not a regular file"},
	}
	if diff := cmp.Diff(want, agenda.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	if cal, err := calendar.OpenFS(fsys, "empty"); err != nil || len(days(t, cal, "2026-03-11", 1, time.UTC).Events) != 0 {
		t.Errorf("empty folder: got %v, want no events", err)
	}
	if _, err := calendar.OpenFS(fsys, "other"); !errors.Is(err, calendar.ErrUnavailable) {
		t.Errorf("folder of others: got %v, want ErrUnavailable", err)
	}
}

func TestOpenUnavailable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	large := filepath.Join(dir, "large.ics")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, calendar.MaxSize+1); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty.ics")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"missing": filepath.Join(dir, "nowhere.ics"), "large": large, "empty": empty, "device": os.DevNull, "source": "calendar.go",
	} {
		cal, err := calendar.Open(path)
		if !errors.Is(err, calendar.ErrUnavailable) || cal != nil {
			t.Errorf("%s: got %v, want ErrUnavailable", name, err)
		}
		if errors.Is(err, fs.ErrNotExist) != (name == "missing") {
			t.Errorf("%s: %v has the wrong cause", name, err)
		}
	}
}

func TestOpenLinks(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret.ics")
	if err := os.WriteFile(secret, []byte(wrap("DTSTART:20260311T100000Z")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "link.ics")); err != nil {
		t.Skip("needs links:", err)
	}
	cal, err := calendar.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	agenda := days(t, cal, "2026-03-11", 1, time.UTC)
	if len(agenda.Events) != 0 || len(agenda.Skipped) != 1 || strings.Contains(agenda.Skipped[0].Reason, outside) {
		t.Errorf("got %v, skipped %v; want only a skipped link", agenda.Events, agenda.Skipped)
	}
	if cal, err = calendar.Open(filepath.Join(dir, "link.ics")); err != nil {
		t.Fatalf("a link that is named itself: %v", err)
	}
	if got := days(t, cal, "2026-03-11", 1, time.UTC).Events; len(got) != 1 {
		t.Errorf("a link that is named itself: got %v", got)
	}
}

func TestBetweenRefuses(t *testing.T) {
	t.Parallel()
	cal := read(t, wrap("DTSTART:20260311T100000Z"))
	at := time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC)
	for name, to := range map[string]time.Time{"backwards": at.Add(-1), "too late": at.AddDate(8000, 0, 0)} {
		if _, err := cal.Between(t.Context(), at, to, time.UTC); !errors.Is(err, calendar.ErrRange) {
			t.Errorf("%s: got %v, want ErrRange", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cal.Between(ctx, at, at, time.UTC); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the error of the context", err)
	}
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	root := os.Getenv("HELVE_CORPORA")
	if root == "" {
		root = filepath.FromSlash("../../../../../shared/corpora")
	}
	dir := filepath.Join(root, "dayflow")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no corpora: set HELVE_CORPORA (%v)", err)
	}
	cal, err := calendar.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := days(t, cal, "2023-01-01", 1000, time.UTC)
	today := days(t, cal, "2024-05-15", 1, time.UTC)
	week := days(t, cal, "2024-05-15", 7, time.UTC)
	cancelled := 0
	for _, e := range all.Events {
		if e.Status == calendar.Cancelled {
			cancelled++
		}
	}
	t.Logf("%d events, %d cancelled, %d skipped; %d today, %d in the week", len(all.Events), cancelled, len(all.Skipped), len(today.Events), len(week.Events))
	if len(all.Events) != 26 || cancelled != 5 || len(all.Skipped) != 0 {
		t.Errorf("got %d events, %d cancelled, %d skipped; want 26, 5 and 0", len(all.Events), cancelled, len(all.Skipped))
	}
	want := []string{"15 May 10:00-11:00 Team Sync", "15 May 12:30-13:30 Lunch with Sarah", "15 May 15:00-16:30 Introductory meeting"}
	if diff := cmp.Diff(want, show(today.Events)); diff != "" {
		t.Errorf("today (-want +got):\n%s", diff)
	}
}
