package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve"
	"helve.dev/helve/agent"
	"helve.dev/helve/helvetest"
	"helve.dev/helve/model"
	"helve.dev/helve/model/scripted"
)

type in struct {
	Text string `json:"text,omitzero"`
}

func tool(name string, effect helve.Effect, fn func(context.Context, in) (string, error)) *helve.Tool {
	return helve.Must(helve.Func(helve.Contract{
		Name: name, Effect: effect, Attempts: 1, Description: "Does what its test says, and nothing else at all.",
	}, fn))
}

func start(t *testing.T, m model.Model, cfg *agent.Config, tools ...*helve.Tool) (*agent.Agent, *helvetest.Executor) {
	t.Helper()
	x := helvetest.NewExecutor(t, nil, tools...)
	a, err := agent.New(m, x.Executor, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a, x
}

func run(t *testing.T, a *agent.Agent) *agent.Run {
	t.Helper()
	r, err := a.Run(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	checkHistory(t, r)
	return r
}

// checkHistory holds that every call has exactly one result, in order: without
// that a provider refuses every later request (B28).
func checkHistory(t *testing.T, r *agent.Run) {
	t.Helper()
	for i, m := range r.Messages {
		if m.Role != model.Assistant || len(m.Calls) == 0 {
			continue
		}
		if i+1 == len(r.Messages) {
			if r.Status != agent.Suspended {
				t.Errorf("the calls of message %d have no results: the run is %s", i, r.Status)
			}
			continue
		}
		var calls, results []string
		for _, c := range m.Calls {
			calls = append(calls, c.ID)
		}
		for _, res := range r.Messages[i+1].Results {
			results = append(results, res.CallID)
		}
		if d := cmp.Diff(calls, results); d != "" {
			t.Errorf("calls and results differ: %s", d)
		}
	}
}

func wantStatus(t *testing.T, r *agent.Run, want agent.Status, reason string) {
	t.Helper()
	if r.Status != want || !strings.Contains(r.Reason, reason) {
		t.Fatalf("the run is %s (%q), want %s (%q)", r.Status, r.Reason, want, reason)
	}
}

// Behaviour 1, in an agent: one call, then the answer.
func TestOneCallThenTheAnswer(t *testing.T) {
	population := helve.Must(helve.Func(helve.Contract{
		Name: "city_population", Effect: helve.Read, Idempotent: true,
		Description: "Returns how many people live in a city, as a bare number.",
	}, func(context.Context, struct {
		City string `json:"city"`
	},
	) (int, error) {
		return 545000, nil
	}))
	m := scripted.New(
		scripted.Call("city_population", `{"city":"Lisbon"}`),
		scripted.Turn{Text: "Lisbon has about 545,000 residents.", Usage: model.Usage{InputTokens: 20, OutputTokens: 7}},
	)
	var events []string
	a, _ := start(t, m, &agent.Config{System: "Be brief.", Events: func(e agent.Event) {
		events = append(events, fmt.Sprintf("%s %d", e.Kind, e.Step))
	}}, population)
	r := run(t, a)
	wantStatus(t, r, agent.Done, "")
	if r.Text != "Lisbon has about 545,000 residents." || r.Calls != 1 || r.Steps != 2 || r.Usage.Total() != 27 {
		t.Errorf("run: %+v", r)
	}
	want := []string{"step_started 1", "step_ended 1", "calls_ended 1", "step_started 2", "step_ended 2", "run_ended 2"}
	if d := cmp.Diff(want, events); d != "" {
		t.Error(d)
	}
	second := m.Requests()[1]
	if got := string(second.Messages[2].Results[0].Envelope); got != `{"ok":true,"data":545000}` {
		t.Errorf("the model read %s", got)
	}
	if len(second.Tools) != 1 || second.Tools[0].Name != "city_population" || second.System != "Be brief." {
		t.Errorf("the model was told %+v", second)
	}
}

func TestMistakesAreAnsweredAsResults(t *testing.T) {
	crash := tool("crash", helve.Read, func(context.Context, in) (string, error) { panic("boom") })
	ok := tool("ok", helve.Read, func(context.Context, in) (string, error) { return "fine", nil })
	m := scripted.New(scripted.Turn{Calls: []model.Call{
		{Tool: "nobody", Arguments: `{}`},
		{Tool: "ok", Arguments: `{"txet":1}`},
		{Tool: "ok", Arguments: `not json`},
		{Tool: "crash", Arguments: ``},
		{ID: "same", Tool: "ok", Arguments: `{}`},
		{ID: "same", Tool: "ok", Arguments: `{}`},
	}}, scripted.Say("I made mistakes."))
	a, _ := start(t, m, nil, crash, ok)
	r := run(t, a)
	wantStatus(t, r, agent.Done, "")
	var codes []string
	for _, res := range r.Messages[2].Results {
		var env helve.Result
		if err := env.UnmarshalJSON(res.Envelope); err != nil || env.OK() != res.OK {
			t.Fatalf("envelope %s, %v", res.Envelope, err)
		}
		codes = append(codes, string(env.Code()))
	}
	if d := cmp.Diff([]string{"unknown_tool", "invalid_input", "invalid_input", "internal", "", ""}, codes); d != "" {
		t.Error(d)
	}
}

func TestSuspendAndContinue(t *testing.T) {
	sent := 0
	reads := 0
	send := tool("send", helve.Write, func(context.Context, in) (string, error) { sent++; return "sent", nil })
	read := tool("read", helve.Read, func(context.Context, in) (string, error) { reads++; return "read", nil })
	m := scripted.New(scripted.Turn{Calls: []model.Call{
		{ID: "a", Tool: "send", Arguments: `{"text":"one"}`}, {ID: "b", Tool: "read", Arguments: `{}`}, {ID: "c", Tool: "send", Arguments: `{"text":"two"}`},
	}}, scripted.Say("Both are handled."))
	a, x := start(t, m, nil, send, read)
	r := run(t, a)
	wantStatus(t, r, agent.Suspended, "2 calls wait")
	pending := r.Pending()
	x.Decide(pending[1].Approval, helvetest.Deny)
	if err := a.Continue(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, r, agent.Suspended, "1 call waits")
	x.Decide(pending[0].Approval, helvetest.Approve)
	if err := a.Continue(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	checkHistory(t, r)
	wantStatus(t, r, agent.Done, "")
	if sent != 1 || reads != 1 || r.Calls != 3 {
		t.Errorf("sent %d, reads %d, calls %d: what ran before the pause ran again", sent, reads, r.Calls)
	}
	var codes []bool
	for _, res := range r.Messages[2].Results {
		codes = append(codes, res.OK)
	}
	if d := cmp.Diff([]bool{true, true, false}, codes); d != "" {
		t.Error(d)
	}
	if err := a.Continue(t.Context(), r); err == nil {
		t.Error("a run that is done was continued")
	}
}

func TestLimits(t *testing.T) {
	ok := tool("ok", helve.Read, func(_ context.Context, i in) (string, error) { return i.Text, nil })
	turn := func(n int, tokens int) scripted.Turn {
		var calls []model.Call
		for i := range n {
			calls = append(calls, model.Call{Tool: "ok", Arguments: fmt.Sprintf(`{"text":"%d"}`, i)})
		}
		return scripted.Turn{Calls: calls, Usage: model.Usage{InputTokens: tokens}}
	}
	t.Run("steps", func(t *testing.T) {
		a, _ := start(t, scripted.New(turn(1, 0), turn(1, 0), turn(1, 0)), &agent.Config{MaxSteps: 2}, ok)
		r := run(t, a)
		wantStatus(t, r, agent.Stopped, "2 steps")
	})
	t.Run("calls", func(t *testing.T) {
		a, _ := start(t, scripted.New(turn(5, 0), turn(1, 0)), &agent.Config{MaxCalls: 3}, ok)
		r := run(t, a)
		wantStatus(t, r, agent.Stopped, "3 tool calls")
		last := r.Messages[2].Results
		if !last[2].OK || last[3].OK || !strings.Contains(string(last[4].Envelope), "nothing was done") {
			t.Errorf("results: %+v", last)
		}
	})
	t.Run("tokens", func(t *testing.T) {
		a, _ := start(t, scripted.New(turn(1, 600), turn(1, 600), turn(1, 600)), &agent.Config{MaxTokens: 1000}, ok)
		wantStatus(t, run(t, a), agent.Stopped, "1000 tokens")
	})
}

// B64: a run that repeats itself ends with a reason.
func TestLoopEndsTheRun(t *testing.T) {
	fail := tool("get", helve.Read, func(context.Context, in) (string, error) { return "", errors.New("not there") })
	var turns []scripted.Turn
	for range 10 {
		turns = append(turns, scripted.Call("get", `{"text":"x"}`))
	}
	a, _ := start(t, scripted.New(turns...), nil, fail)
	r := run(t, a)
	wantStatus(t, r, agent.Stopped, "repeats itself")
	if r.Steps != 5 {
		t.Errorf("it took %d steps", r.Steps)
	}
}

func TestModelFailures(t *testing.T) {
	down := errors.New("529 overloaded")
	ok := tool("ok", helve.Read, func(context.Context, in) (string, error) { return "", nil })
	a, _ := start(t, scripted.New(scripted.Call("ok", `{}`), scripted.Turn{Err: down}), nil, ok)
	r, err := a.Run(t.Context(), "go")
	if !errors.Is(err, down) {
		t.Errorf("error: %v", err)
	}
	checkHistory(t, r)
	wantStatus(t, r, agent.Failed, "no answer")

	for stop, reason := range map[model.StopReason]string{model.MaxTokens: "cut off", model.Refusal: "declined"} {
		a, _ := start(t, scripted.New(scripted.Turn{Text: "hm", Stop: stop}), nil, ok)
		wantStatus(t, run(t, a), agent.Stopped, reason)
	}
	if _, err := agent.New(nil, nil, nil); err == nil {
		t.Error("an agent without a model")
	}
}

func TestCancellationKeepsTheHistoryWhole(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	hang := tool("hang", helve.Read, func(ctx context.Context, _ in) (string, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	})
	ok := tool("ok", helve.Write, func(context.Context, in) (string, error) { return "", nil })
	a, _ := start(t, scripted.New(scripted.Turn{Calls: []model.Call{{Tool: "hang"}, {Tool: "ok"}}}), nil, hang, ok)
	r, err := a.Run(ctx, "go")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error: %v", err)
	}
	checkHistory(t, r)
	wantStatus(t, r, agent.Canceled, "")
	if len(r.Messages) != 3 {
		t.Errorf("the calls have no results: %+v", r.Messages)
	}
}

// The run's id scopes keys and approvals; ids that a provider repeats between
// turns are replaced.
func TestIDsAreUniqueWithinARun(t *testing.T) {
	var ran []string
	send := tool("send", helve.Write, func(ctx context.Context, i in) (string, error) {
		ran = append(ran, i.Text+" in "+helve.InvocationFrom(ctx).Scope().Run)
		return "", nil
	})
	same := func(text string) scripted.Turn {
		return scripted.Turn{Calls: []model.Call{{ID: "call_0", Tool: "send", Arguments: `{"text":"` + text + `"}`}}}
	}
	a, _ := start(t, scripted.New(same("one"), same("two"), scripted.Say("done")), nil, send)
	ctx := helve.WithScope(t.Context(), helve.Scope{Run: "r7", Autonomy: helve.Auto})
	r, err := a.Run(ctx, "go")
	if err != nil {
		t.Fatal(err)
	}
	checkHistory(t, r)
	if d := cmp.Diff([]string{"one in r7", "two in r7"}, ran); d != "" {
		t.Error(d)
	}
	if r.Messages[1].Calls[0].ID == r.Messages[3].Calls[0].ID {
		t.Error("two calls of the run have one id")
	}
	other, err := a.Run(t.Context(), "go")
	if other.ID == "" || other.ID == "r7" || err == nil {
		t.Errorf("run %q, %v", other.ID, err)
	}
}
