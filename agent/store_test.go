package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/agent"
	"helve.dev/helve/helvetest"
	"helve.dev/helve/model"
	"helve.dev/helve/model/scripted"
)

// A suspended run is continued by another process, which has only the store.
func TestAnotherProcessContinues(t *testing.T) {
	sent := 0
	send := tool("send", helve.Write, func(context.Context, in) (string, error) { sent++; return "sent", nil })
	store := helve.NewMemoryStore(nil)
	process := func(turns ...scripted.Turn) (*agent.Agent, *helvetest.Executor) {
		x := helvetest.NewExecutor(t, &helve.Config{Store: store}, send)
		a, err := agent.New(scripted.New(turns...), x.Executor, &agent.Config{Runs: store})
		if err != nil {
			t.Fatal(err)
		}
		return a, x
	}
	ctx := helve.WithScope(t.Context(), helve.Scope{Tenant: "acme"})
	first, _ := process(scripted.Turn{Calls: []model.Call{{ID: "a", Tool: "send", Arguments: `{"text":"one"}`}}})
	r, err := first.Run(ctx, "Send  it,\nplease.")
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, r, agent.Suspended, "1 call waits")
	list, err := store.ListRuns(ctx, helve.RunFilter{Tenant: "acme"})
	if err != nil || len(list) != 1 || list[0].ID != r.ID || list[0].State != "suspended" || list[0].Title != "Send it, please." || list[0].Ended {
		t.Fatalf("%+v, %v", list[0], err)
	}

	second, x := process(scripted.Say("It is sent."))
	loaded, err := agent.Load(ctx, store, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Executor.Decide(ctx, loaded.Pending()[0].Approval, helve.Decision{Approve: true}); err != nil {
		t.Fatal(err)
	}
	if err := second.Continue(ctx, loaded); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, loaded, agent.Done, "")
	checkHistory(t, loaded)
	rec, err := store.LoadRun(ctx, "acme", r.ID)
	if err != nil || !rec.Ended || sent != 1 {
		t.Errorf("sent %d, %+v, %v", sent, rec, err)
	}
	// The first has fallen behind: it repeats nothing, and cannot keep its run.
	if err := first.Continue(ctx, r); !errors.Is(err, helve.ErrRunChanged) {
		t.Errorf("the run of the first process: %v", err)
	}
	if sent != 1 {
		t.Errorf("sent %d times", sent)
	}
	if _, err := agent.Load(t.Context(), store, r.ID); !errors.Is(err, helve.ErrNoRun) {
		t.Errorf("another tenant loads the run: %v", err)
	}
}

// Who goes on may ask for less than who began. What a person was asked for still
// waits for the decision, and a no is a no.
func TestLooserAutonomyHonoursDecisions(t *testing.T) {
	for name, test := range map[string]struct {
		decision *helve.Decision
		want     agent.Status
		seen     string
	}{
		"none":   {nil, agent.Suspended, ""},
		"no":     {&helve.Decision{Reason: "private"}, agent.Done, ""},
		"yes":    {&helve.Decision{Approve: true}, agent.Done, "one"},
		"edited": {&helve.Decision{Approve: true, Arguments: jsontext.Value(`{"text":"two"}`)}, agent.Done, "two"},
	} {
		for _, effect := range []helve.Effect{helve.Read, helve.Write} {
			t.Run(name+" "+effect.String(), func(t *testing.T) {
				seen := ""
				x := helvetest.NewExecutor(t, nil, tool("look", effect, func(_ context.Context, v in) (string, error) { seen += v.Text; return "ok", nil }))
				script := scripted.New(scripted.Turn{Calls: []model.Call{{ID: "a", Tool: "look", Arguments: `{"text":"one"}`}}}, scripted.Say("Done."))
				a, err := agent.New(script, x.Executor, nil)
				if err != nil {
					t.Fatal(err)
				}
				r, err := a.Run(helve.WithScope(t.Context(), helve.Scope{Autonomy: helve.Manual}), "Look.")
				if err != nil {
					t.Fatal(err)
				}
				wantStatus(t, r, agent.Suspended, "1 call waits")
				if test.decision != nil {
					if _, err := x.Executor.Decide(t.Context(), r.Pending()[0].Approval, *test.decision); err != nil {
						t.Fatal(err)
					}
				}
				if err := a.Continue(helve.WithScope(t.Context(), helve.Scope{Autonomy: helve.Auto}), r); err != nil {
					t.Fatal(err)
				}
				if r.Status != test.want || seen != test.seen {
					t.Errorf("the run is %s and the tool saw %q; want %s and %q", r.Status, seen, test.want, test.seen)
				}
			})
		}
	}
}

// A process dies between the model's answer and the results of its calls. What
// happened is not done again.
func TestInterruptedRunIsContinued(t *testing.T) {
	sent := 0
	send := tool("send", helve.Write, func(context.Context, in) (string, error) { sent++; return "sent", nil })
	store := helve.NewMemoryStore(nil)
	runs := &history{MemoryStore: store}
	ctx := helve.WithScope(t.Context(), helve.Scope{Autonomy: helve.Auto})
	x := helvetest.NewExecutor(t, &helve.Config{Store: store}, send)
	script := scripted.New(scripted.Turn{Calls: []model.Call{{ID: "a", Tool: "send", Arguments: `{"text":"one"}`}}}, scripted.Say("Sent."))
	a, err := agent.New(script, x.Executor, &agent.Config{Runs: runs})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Run(ctx, "Send it.")
	if err != nil || r.Status != agent.Done {
		t.Fatal(r, err)
	}
	// What another process finds had this one died in its first step.
	died := helve.NewMemoryStore(nil)
	found := runs.saved[0]
	found.Version = 0
	if err := died.SaveRun(ctx, &found); err != nil {
		t.Fatal(err)
	}
	b, err := agent.New(scripted.New(scripted.Say("It was sent before.")), x.Executor, &agent.Config{Runs: died})
	if err != nil {
		t.Fatal(err)
	}
	again, err := agent.Load(ctx, died, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, again, agent.Running, "")
	if err := b.Continue(ctx, again); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, again, agent.Done, "")
	checkHistory(t, again)
	if sent != 1 {
		t.Errorf("sent %d times", sent)
	}
}

// A run that cannot be kept does not go on to act.
func TestRunThatCannotBeKeptStops(t *testing.T) {
	sent := 0
	send := tool("send", helve.Write, func(context.Context, in) (string, error) { sent++; return "sent", nil })
	broken := &helvetest.FailingStore{}
	down := errors.New("the store is down")
	broken.Fail("SaveRun", down, down)
	x := helvetest.NewExecutor(t, nil, send)
	a, err := agent.New(scripted.New(scripted.Turn{Calls: []model.Call{{ID: "a", Tool: "send", Arguments: `{}`}}}), x.Executor, &agent.Config{Runs: broken})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Run(helve.WithScope(t.Context(), helve.Scope{Autonomy: helve.Auto}), "Send it.")
	if !errors.Is(err, down) || sent != 0 {
		t.Errorf("sent %d, %v", sent, err)
	}
	wantStatus(t, r, agent.Failed, "could not be kept")
}

// history keeps every version of a run.
type history struct {
	*helve.MemoryStore
	saved []helve.RunRecord
}

func (h *history) SaveRun(ctx context.Context, r *helve.RunRecord) error {
	h.saved = append(h.saved, *r)
	return h.MemoryStore.SaveRun(ctx, r)
}
