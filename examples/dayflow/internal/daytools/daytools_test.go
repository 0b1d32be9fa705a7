package daytools_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve"
	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/daytools"
	"helve.dev/helve/examples/dayflow/internal/tasks"
	"helve.dev/helve/helvetest"
)

// today is the day of the tests.
var today = day.MustParse("2026-03-11")

// newExecutor returns an executor of the tools, on what config adds to an
// empty store of tasks. Approvals are given.
func newExecutor(t *testing.T, cfg daytools.Config, with *helve.Config) (*helvetest.Executor, *tasks.Store) {
	t.Helper()
	store, err := tasks.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	cfg.Tasks, cfg.Today, cfg.Zone = store, today, time.UTC
	tools, err := daytools.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	x := helvetest.NewExecutor(t, with, tools...)
	x.Approver = helvetest.Approve
	return x, store
}

// mail makes a mailbox. A key is the date of a mail, a value its sender,
// subject and body.
func mail(mails map[string][3]string) daytools.Source {
	files := fstest.MapFS{}
	for date, m := range mails {
		files[date+".eml"] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"From: %s\nTo: sam@example.org\nSubject: %s\nDate: %s\nMessage-ID: <%s@x>\n\n%s\n", m[0], m[1],
			must(time.Parse(time.DateOnly, date)).Format(time.RFC1123Z), date, m[2])}
	}
	return daytools.Source{FS: files}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// decode returns the data of a result that must be ok.
func decode[T any](t *testing.T, res *helve.Result) (out T) {
	t.Helper()
	if err := res.Err(); err != nil {
		t.Fatal(err)
	}
	if err := res.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestNew(t *testing.T) {
	t.Parallel()
	if _, err := daytools.New(daytools.Config{}); err == nil {
		t.Error("a configuration without tasks was accepted")
	}
	x, _ := newExecutor(t, daytools.Config{}, nil)
	var got []string
	for _, c := range x.Tools().Contracts() {
		got = append(got, fmt.Sprintf("%s %s idempotent=%t open=%t %s", c.Name, c.Effect, c.Idempotent, c.OpenWorld, c.Approval))
		if len(c.Examples) == 0 || c.Title == "" || c.Tags["area"] == "" {
			t.Errorf("%s lacks examples, title or area", c.Name)
		}
	}
	want := []string{
		"create_task write idempotent=true open=false by_policy",
		"read_calendar read idempotent=true open=false by_policy",
		"read_inbox read idempotent=true open=false by_policy",
		"read_tasks read idempotent=true open=false by_policy",
		"send_email destructive idempotent=false open=true always",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the contracts differ (-want +got):\n%s", diff)
	}
}

func TestUnavailable(t *testing.T) {
	t.Parallel()
	x, _ := newExecutor(t, daytools.Config{
		Mail: daytools.Source{Path: t.TempDir() + "/secret-place"}, Calendar: daytools.Source{FS: fstest.MapFS{"notes.txt": {}}},
	}, nil)
	nothing, _ := newExecutor(t, daytools.Config{}, nil)
	for _, tt := range []struct {
		name, tool, args, want string
		x                      *helvetest.Executor
	}{
		{"missing mail", "read_inbox", `{}`, "the mailbox can't be opened: it is not there", x},
		{"no calendar in the folder", "read_calendar", `{"range":"today"}`, "the calendar can't be opened: the folder holds no .ics file", x},
		{"no mail given", "read_inbox", `{}`, "no mailbox was given to dayflow", nothing},
		{"no calendar given", "read_calendar", `{"range":"week"}`, "no calendar was given to dayflow", nothing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res := tt.x.Call(tt.tool, tt.args)
			if res.Code() != helve.CodeUnavailable || !res.Error.Retryable || res.Error.Message != tt.want || res.Attempts != 1 {
				t.Errorf("got %+v after %d attempts, want unavailable, retryable: %s", res.Error, res.Attempts, tt.want)
			}
			if raw, _ := res.MarshalJSON(); strings.Contains(string(raw), "secret-place") {
				t.Errorf("the path leaks: %s", raw)
			}
		})
	}
}

func TestReadInbox(t *testing.T) {
	t.Parallel()
	x, _ := newExecutor(t, daytools.Config{Mail: mail(map[string][3]string{
		"2026-03-11": {"Mei <mei@example.org>", "today", "now"},
		"2026-03-10": {"SAM@example.org", "sent", "by me"},
		"2026-03-05": {"lev@example.org", "long", strings.Repeat("ü ", 3000)},
		"2026-02-26": {"lev@example.org", "first day", "old"},
		"2026-02-25": {"lev@example.org", "too old", "old"},
		"2026-03-12": {"lev@example.org", "tomorrow", "new"},
	})}, nil)
	all := decode[daytools.Inbox](t, x.Call("read_inbox", `{}`))
	var got []string
	for _, m := range all.Messages {
		got = append(got, fmt.Sprintf("%s cut=%t", m.Subject, m.Cut))
	}
	if diff := cmp.Diff([]string{"today cut=false", "long cut=true", "first day cut=false"}, got); diff != "" {
		t.Errorf("the mails differ (-want +got):\n%s", diff)
	}
	if m := all.Messages[0]; m.From != "mei@example.org" || m.FromName != "Mei" || m.ID != "2026-03-11@x" || m.Body != "now" {
		t.Errorf("got %+v", m)
	}
	if n := len([]rune(all.Messages[1].Body)); n > 4000 || n < 3990 {
		t.Errorf("the body has %d characters, want about 4000", n)
	}
	if note := x.Call("read_inbox", `{}`).Note; !strings.Contains(note, "cut at 4000 characters; it happened to 1") {
		t.Errorf("got note %q", note)
	}
	for args, want := range map[string]int{`{"limit":1}`: 1, `{"offset":1}`: 2, `{"offset":1,"limit":1}`: 1, `{"offset":100000,"limit":100}`: 0} {
		if in := decode[daytools.Inbox](t, x.Call("read_inbox", args)); len(in.Messages) != want || in.Total != 3 {
			t.Errorf("%s: got %d mails of %d, want %d of 3", args, len(in.Messages), in.Total, want)
		}
	}
}

func TestReadInboxSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	mails := map[string][3]string{}
	for i := range 13 {
		mails[today.AddDays(-i).String()] = [3]string{"lev@example.org", "long", strings.Repeat("a long mail. ", 1000)}
	}
	x, _ := newExecutor(t, daytools.Config{Mail: mail(mails)}, &helve.Config{MaxOutput: 16 << 10})
	res := x.Call("read_inbox", `{"offset":2}`)
	var seen helve.Result
	if err := seen.UnmarshalJSON(must(res.MarshalJSON())); err != nil {
		t.Fatal(err)
	}
	if seen.Truncated == nil {
		t.Fatal("13 long mails were not cut")
	}
	in := decode[daytools.Inbox](t, &seen)
	if want := fmt.Sprintf("offset %d", 2+len(in.Messages)); !strings.Contains(seen.Truncated.Next, want) {
		t.Errorf("got %+v, want next with %q", seen.Truncated, want)
	}
}

func TestReadCalendar(t *testing.T) {
	t.Parallel()
	event := func(uid, text string) string {
		return "BEGIN:VEVENT\nUID:" + uid + "\nDTSTAMP:20260301T000000Z\n" + text + "\nEND:VEVENT\n"
	}
	x, _ := newExecutor(t, daytools.Config{Calendar: daytools.Source{Path: "sub/c.ics", FS: fstest.MapFS{"sub/c.ics": {Data: []byte(
		"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n" +
			event("daily", "DTSTART:20260301T090000Z\nDTEND:20260301T091500Z\nRRULE:FREQ=DAILY\nSUMMARY:Stand-up\nATTENDEE;CN=Lev:mailto:lev@example.org") +
			event("trip", "DTSTART;VALUE=DATE:20260317\nDTEND;VALUE=DATE:20260320\nSUMMARY:Trip\nLOCATION:Coimbra") +
			event("late", "DTSTART:20260318T090000Z\nSUMMARY:Too late") + "END:VCALENDAR\n")}}}}, nil)
	week := decode[daytools.Calendar](t, x.Call("read_calendar", `{"range":"week"}`))
	if len(week.Events) != 8 || week.From.String() != "2026-03-11" || week.To.String() != "2026-03-17" {
		t.Errorf("got %d events from %s to %s, want 8 from 2026-03-11 to 2026-03-17", len(week.Events), week.From, week.To)
	}
	one := decode[daytools.Calendar](t, x.Call("read_calendar", `{"range":"today"}`))
	want := []daytools.Event{{
		ID: "daily#2026-03-11T09:00:00Z", Title: "Stand-up", Start: "2026-03-11T09:00:00Z", End: "2026-03-11T09:15:00Z",
		Status: "confirmed", Recurring: true, Attendees: []string{"lev@example.org"},
	}}
	if diff := cmp.Diff(want, one.Events, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "ID" }, cmp.Ignore())); diff != "" {
		t.Errorf("the events differ (-want +got):\n%s", diff)
	}
	for _, e := range week.Events {
		if e.Title == "Trip" && (!e.AllDay || e.Start != "2026-03-17" || e.End != "2026-03-19") {
			t.Errorf("got %+v, want an all-day event of 17 to 19 March", e)
		}
	}
}

// Behaviour 13: the same key again, after a replay, and after a call whose
// answer was lost once the task was stored.
func TestCreateTask(t *testing.T) {
	t.Parallel()
	const pay = `{"title":"Pay","due":"2026-03-20","idempotency_key":"pay"}`
	x, store := newExecutor(t, daytools.Config{}, nil)
	first := decode[daytools.CreatedTask](t, x.Call("create_task", pay))
	if !first.Created || first.Due.Date != day.MustParse("2026-03-20") {
		t.Errorf("got %+v, want a new task due on 20 March", first)
	}
	res := x.Call("create_task", pay)
	if again := decode[daytools.CreatedTask](t, res); again.Created || again.ID != first.ID || !res.Replayed {
		t.Errorf("got %+v, replayed %t, want the first task replayed", again, res.Replayed)
	}
	x.Scope.Run = "another"
	if other := x.Call("create_task", `{"title":"Play","due":null,"idempotency_key":"pay"}`); other.Code() != helve.CodeConflict || !strings.Contains(string(other.Error.Details), "Pay") {
		t.Errorf("got %+v, want a conflict that shows the first", other.Error)
	}
	if all := must(store.List(t.Context(), true)); len(all) != 1 {
		t.Errorf("there are %d tasks, want 1", len(all))
	}
}

func TestCreateTaskAfterALostAnswer(t *testing.T) {
	t.Parallel()
	ctx, lose := context.WithCancel(t.Context())
	x, store := newExecutor(t, daytools.Config{}, &helve.Config{
		Policy: helve.PolicyFunc(func(context.Context, *helve.Request) (helve.Ruling, error) {
			return helve.Ruling{Verdict: helve.Preapprove}, nil
		}),
		Middleware: []helve.Middleware{func(next helve.Handler) helve.Handler {
			return func(c context.Context, inv *helve.Invocation) (*helve.Reply, error) {
				reply, err := next(c, inv)
				if ctx.Err() == nil {
					lose()
					<-c.Done()
					return nil, c.Err()
				}
				return reply, err
			}
		}},
	})
	call := &helve.Call{Tool: "create_task", Arguments: jsontext.Value(`{"title":"Pay","due":null,"idempotency_key":"pay"}`)}
	if res := x.Execute(ctx, call); res.Code() != helve.CodeCanceled || !res.Error.Retryable {
		t.Fatalf("got %+v, want canceled and retryable", res.Error)
	}
	if again := decode[daytools.CreatedTask](t, x.Execute(t.Context(), call)); again.Created {
		t.Errorf("got %+v, want the task that was stored", again)
	}
	if all := must(store.List(t.Context(), true)); len(all) != 1 {
		t.Errorf("there are %d tasks, want 1", len(all))
	}
}

func TestCreateTaskRefuses(t *testing.T) {
	t.Parallel()
	x, store := newExecutor(t, daytools.Config{}, nil)
	for _, tt := range []struct {
		name, args string
		want       helve.Code
	}{
		{"a past day", `{"title":"Pay","due":"2026-03-10","idempotency_key":"k"}`, daytools.CodeInvalidDue},
		{"a day that does not exist", `{"title":"Pay","due":"2026-02-30","idempotency_key":"k"}`, helve.CodeInvalidInput},
		{"a time", `{"title":"Pay","due":"2026-03-20T10:00:00Z","idempotency_key":"k"}`, helve.CodeInvalidInput},
		{"a number for a day", `{"title":"Pay","due":20260320,"idempotency_key":"k"}`, helve.CodeInvalidInput},
		{"a blank title", `{"title":"  ","due":null,"idempotency_key":"k"}`, helve.CodeInvalidInput},
		{"a long title", `{"title":"` + strings.Repeat("x", 201) + `","due":null,"idempotency_key":"k"}`, helve.CodeInvalidInput},
		{"an empty key", `{"title":"Pay","due":null,"idempotency_key":""}`, helve.CodeInvalidInput},
	} {
		if res := x.Call("create_task", tt.args); res.Code() != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, res.Code(), tt.want)
		}
	}
	if all := must(store.List(t.Context(), true)); len(all) != 0 {
		t.Errorf("there are %d tasks, want none", len(all))
	}
}

// A task needs no day.
func TestCreateTaskWithoutDue(t *testing.T) {
	t.Parallel()
	x, _ := newExecutor(t, daytools.Config{}, nil)
	first := x.Call("create_task", `{"title":"Pay","idempotency_key":"k"}`)
	if got := decode[daytools.CreatedTask](t, first); !got.Created || got.Due != nil {
		t.Errorf("got %+v, want a task without a day", got)
	}
	if again := decode[daytools.CreatedTask](t, x.Call("create_task", `{"idempotency_key":"k","title":"Pay"}`)); again.Created {
		t.Errorf("got %+v, want the first task", again)
	}
}

// A tool that is not told whose mail it sends asks for that.
func ExampleNew() {
	store, err := tasks.Open("")
	if err != nil {
		panic(err)
	}
	defer store.Close()
	tools, err := daytools.New(daytools.Config{Tasks: store, Today: day.MustParse("2026-03-11"), Zone: time.UTC})
	if err != nil {
		panic(err)
	}
	registry, err := helve.NewRegistry(tools...)
	if err != nil {
		panic(err)
	}
	x, err := helve.NewExecutor(registry, nil)
	if err != nil {
		panic(err)
	}
	ctx := helve.WithScope(context.Background(), helve.Scope{Autonomy: helve.Auto})
	defer x.Close(ctx)
	task, err := helve.ExecuteAs[daytools.CreatedTask](ctx, x, &helve.Call{
		Tool: "create_task", Arguments: jsontext.Value(`{"title":"Pay invoice 4711","due":"2026-03-20","idempotency_key":"mail-invoice-4711-pay"}`),
	})
	fmt.Println(task.Title, task.Due, task.Created, err)
	// Output: Pay invoice 4711 2026-03-20 true <nil>
}
