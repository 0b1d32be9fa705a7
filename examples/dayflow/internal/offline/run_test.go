package offline_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve"
	"helve.dev/helve/agent"
	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/daytools"
	"helve.dev/helve/examples/dayflow/internal/offline"
	"helve.dev/helve/examples/dayflow/internal/sample"
	"helve.dev/helve/examples/dayflow/internal/tasks"
)

// system stands in for the program's.
const system = "You write a person's daily brief."

// run runs the brief on real tools.
func run(t *testing.T, cfg daytools.Config) *agent.Run {
	t.Helper()
	tools, err := daytools.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return runTools(t, tools, offline.Config{Today: cfg.Today, Zone: cfg.Zone}, nil)
}

// runTools runs the brief on tools. A nil policy lets tasks be created.
func runTools(t *testing.T, tools []*helve.Tool, cfg offline.Config, policy helve.Policy) *agent.Run {
	t.Helper()
	registry, err := helve.NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	if policy == nil {
		policy = helve.Rules{{Name: "tasks", Tools: []string{daytools.CreateTask}, Verdict: helve.Preapprove}}
	}
	x, err := helve.NewExecutor(registry, &helve.Config{Policy: policy})
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(offline.New(cfg), x, &agent.Config{System: system})
	if err != nil {
		t.Fatal(err)
	}
	ctx := helve.WithScope(t.Context(), helve.Scope{Autonomy: helve.Gated})
	got, err := a.Run(ctx, "Write my brief.")
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// memory returns tasks in memory.
func memory(t *testing.T) *tasks.Store {
	t.Helper()
	s, err := tasks.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// made counts the tasks that a run created and those that were there already.
func made(t *testing.T, r *agent.Run) (created, there int) {
	t.Helper()
	for _, m := range r.Messages {
		for _, res := range m.Results {
			if res.Tool != daytools.CreateTask {
				continue
			}
			var env helve.Result
			var task daytools.CreatedTask
			if err := env.UnmarshalJSON(res.Envelope); err != nil {
				t.Fatal(err)
			}
			if err := env.Decode(&task); err != nil {
				t.Fatal(err)
			}
			if task.Created {
				created++
			} else {
				there++
			}
		}
	}
	return created, there
}

// again runs the brief twice on the same tasks and returns both runs. The second
// must create nothing.
func again(t *testing.T, cfg daytools.Config) (first, second *agent.Run) {
	t.Helper()
	cfg.Tasks = memory(t)
	first, second = run(t, cfg), run(t, cfg)
	for _, r := range []*agent.Run{first, second} {
		t.Logf("\n%s", r.Text)
		if r.Status != agent.Done {
			t.Errorf("status %s: %s", r.Status, r.Reason)
		}
		if reads := len(r.Messages[1].Calls); reads != 4 {
			t.Errorf("%d reads in the first turn", reads)
		}
	}
	if created, _ := made(t, second); created != 0 {
		t.Errorf("the second run created %d tasks", created)
	}
	return first, second
}

func TestSample(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation(sample.TZ)
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	src := daytools.Source{FS: sample.FS}
	first, _ := again(t, daytools.Config{Mail: src, Calendar: src, Today: sample.Today, Zone: zone, Me: sample.Me})
	if created, _ := made(t, first); created != 2 {
		t.Errorf("%d tasks were created", created)
	}
	for _, want := range []string{
		"says Friday, but 14 March 2026 is a Saturday", "Overlap:", "seems to speak to a program", "1 automatic or to many", "(due Thu 12 Mar 2026)",
	} {
		if !strings.Contains(first.Text, want) {
			t.Errorf("%q is not in\n%s", want, first.Text)
		}
	}
	for _, not := range []string{"Dentist", "900 EUR"} {
		if strings.Contains(first.Text, not) {
			t.Errorf("%q is in\n%s", not, first.Text)
		}
	}
}

// corpus returns the corpus that nobody here wrote, or skips the test.
func corpus(t *testing.T) string {
	t.Helper()
	root := os.Getenv("HELVE_CORPORA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "..", "shared", "corpora")
	}
	dir := filepath.Join(root, "dayflow")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no corpus: set HELVE_CORPORA to the folder that holds it: ", err)
	}
	return dir
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	src := daytools.Source{Path: corpus(t)}
	first, _ := again(t, daytools.Config{Mail: src, Calendar: src, Today: day.New(2024, 5, 15), Zone: time.UTC})
	if created, _ := made(t, first); created != 2 {
		t.Errorf("%d tasks were created", created)
	}
	for _, want := range []string{"(due Fri 17 May 2024)", "Let me know if you can make it!", "Please review and let me know", "(overlap: "} {
		if !strings.Contains(first.Text, want) {
			t.Errorf("%q is not in\n%s", want, first.Text)
		}
	}
	for _, not := range []string{"Missing:", "subscription", "security code"} {
		if strings.Contains(first.Text, not) {
			t.Errorf("%q is in\n%s", not, first.Text)
		}
	}
}

// Sources that can't be opened are told of, and nothing is made up for them.
func TestNoSources(t *testing.T) {
	t.Parallel()
	got := run(t, daytools.Config{Tasks: memory(t), Today: day.New(2024, 5, 15), Zone: time.UTC})
	want := `This brief was put together by fixed rules, not by a language model.

Tasks: none were open.

Missing:
- Your mail: no mailbox was given to dayflow
- Your calendar: no calendar was given to dayflow`
	if diff := cmp.Diff(want, got.Text); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// fakes are tools of the same shape over what a test gives them.
func fakes(t *testing.T, mail daytools.Inbox, create func(daytools.TaskInput) (daytools.CreatedTask, error)) []*helve.Tool {
	t.Helper()
	read := func(name string) helve.Contract {
		return helve.Contract{Name: name, Description: "Returns what the test says, whole.", Effect: helve.Read, Idempotent: true, Attempts: 1}
	}
	write := helve.Contract{
		Name: daytools.CreateTask, Description: "Creates what the test wants to see.", Effect: helve.Write, Key: helve.KeyFrom("idempotency_key"),
		Errors: []helve.ErrorSpec{{Code: daytools.CodeInvalidDue, When: "due is before today"}},
	}
	var tools []*helve.Tool
	for _, define := range []func() (*helve.Tool, error){
		func() (*helve.Tool, error) {
			return helve.Func(read(daytools.ReadInbox), func(context.Context, daytools.InboxInput) (daytools.Inbox, error) { return mail, nil })
		},
		func() (*helve.Tool, error) {
			return helve.Func(read(daytools.ReadCalendar), func(_ context.Context, in daytools.CalendarInput) (daytools.Calendar, error) {
				return daytools.Calendar{}, helve.Errorf(helve.CodeUnavailable, "the calendar of %s is gone", in.Range)
			})
		},
		func() (*helve.Tool, error) {
			return helve.Func(read(daytools.ReadTasks), func(context.Context, daytools.TasksInput) (daytools.Tasks, error) {
				return daytools.Tasks{Tasks: []daytools.Task{}}, nil
			})
		},
		func() (*helve.Tool, error) {
			return helve.Func(write, func(_ context.Context, in daytools.TaskInput) (daytools.CreatedTask, error) { return create(in) })
		},
	} {
		tool, err := define()
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool)
	}
	return tools
}

// twoAsk is mail of which two ask for something.
var twoAsk = daytools.Inbox{Total: 2, Skipped: []daytools.Skipped{}, Messages: []daytools.Message{
	{ID: "1", From: "ana.lima@example.org", Subject: "Plants", Date: time.Date(2024, 5, 13, 10, 0, 0, 0, time.UTC), Body: "Please water them by Friday."},
	{ID: "2", From: "bo.li@example.org", Subject: "Keys", Date: time.Date(2024, 5, 12, 10, 0, 0, 0, time.UTC), Body: "Could you bring them?"},
}}

func TestWithExecutor(t *testing.T) {
	t.Parallel()
	created := func(in daytools.TaskInput) (daytools.CreatedTask, error) {
		return daytools.CreatedTask{Task: daytools.Task{ID: "t", Title: in.Title, Due: in.Due, Key: in.Key}, Created: true}, nil
	}
	cfg := offline.Config{Today: today, Zone: time.UTC}
	got := runTools(t, fakes(t, twoAsk, created), cfg, nil)
	for _, want := range []string{
		`- I created this task: "Answer Ana Lima: Plants" (due Fri 17 May 2024)`, `- I created this task: "Answer Bo Li: Keys" (no due date)`,
		"- Today's events: the calendar of today is gone", "- The week's events: the calendar of week is gone",
	} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("%q is not in\n%s", want, got.Text)
		}
	}
	if got.Steps != 3 || got.Calls != 6 || got.Usage.InputTokens == 0 || got.Usage.OutputTokens == 0 {
		t.Errorf("%d steps, %d calls, usage %+v", got.Steps, got.Calls, got.Usage)
	}
	refused := func(daytools.TaskInput) (daytools.CreatedTask, error) {
		return daytools.CreatedTask{}, helve.Errorf(daytools.CodeInvalidDue, "due is before today; nothing was created")
	}
	got = runTools(t, fakes(t, twoAsk, refused), cfg, nil)
	if n := strings.Count(got.Text, "was not created"); n != 2 || strings.Contains(got.Text, "I created") {
		t.Errorf("%d tasks are told of as not created:\n%s", n, got.Text)
	}
}

// A run that waits for a person goes on with another model that knows nothing
// of it.
func TestSuspendedAndContinued(t *testing.T) {
	t.Parallel()
	created := func(in daytools.TaskInput) (daytools.CreatedTask, error) {
		return daytools.CreatedTask{Task: daytools.Task{ID: "t", Title: in.Title, Due: in.Due, Key: in.Key}, Created: true}, nil
	}
	registry, err := helve.NewRegistry(fakes(t, twoAsk, created)...)
	if err != nil {
		t.Fatal(err)
	}
	x, err := helve.NewExecutor(registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := helve.WithScope(t.Context(), helve.Scope{Autonomy: helve.Manual})
	cfg := offline.Config{Today: today, Zone: time.UTC}
	newAgent := func() *agent.Agent {
		a, err := agent.New(offline.New(cfg), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	r, err := newAgent().Run(ctx, "Write my brief.")
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; r.Status == agent.Suspended && n < 5; n++ {
		for _, p := range r.Pending() {
			record, err := x.Store().Approval(ctx, "", p.Approval)
			if err != nil {
				t.Fatal(err)
			}
			approve := record.Tool != daytools.CreateTask || strings.Contains(string(record.Arguments), "Plants")
			if _, err := x.Decide(ctx, p.Approval, helve.Decision{Approve: approve, By: "tester", Reason: "not today"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := newAgent().Continue(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	if r.Status != agent.Done {
		t.Fatalf("status %s: %s", r.Status, r.Reason)
	}
	for _, want := range []string{`I created this task: "Answer Ana Lima: Plants"`, `This task was not created: "Answer Bo Li: Keys"`, "not today"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("%q is not in\n%s", want, r.Text)
		}
	}
}
