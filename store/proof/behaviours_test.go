package proof_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/store/sqlite"
)

// Behaviour 5: a refund waits for a person also where nothing else does; another
// process approves, twice; it runs once.
func TestRefundAcrossProcesses(t *testing.T) {
	type refund struct {
		Order  string  `json:"order_id"`
		Amount float64 `json:"amount_usd"`
	}
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		ran := 0
		process := func() *helve.Executor {
			return executor(t, restart(), helve.Config{}, helve.Must(helve.Func(helve.Contract{
				Name: "refund", Effect: helve.Write, Approval: helve.AskAlways, Description: "Pays the price of an order back to the customer.",
			}, func(context.Context, refund) (string, error) { ran++; return "Refund issued.", nil })))
		}
		ctx := inRun(t, helve.Auto)
		call := &helve.Call{ID: "c1", Tool: "refund", Arguments: jsontext.Value(`{"order_id":"o7","amount_usd":12.5}`)}
		x := process()
		res := x.Execute(ctx, call)
		wantCode(t, res, helve.CodePending)
		x = process()
		for range 2 {
			a, err := x.Decide(ctx, res.Pending.Approval, helve.Decision{Approve: true, By: "sam"})
			if err != nil || string(a.Arguments) != `{"order_id":"o7","amount_usd":12.5}` {
				t.Fatal(a, err)
			}
			if ran != 0 {
				t.Fatal("it ran before it was sent again")
			}
		}
		for range 2 {
			x = process()
			if res := x.Execute(ctx, call); string(res.Data) != `"Refund issued."` {
				t.Fatal(show(res))
			}
		}
		if ran != 1 {
			t.Errorf("it ran %d times", ran)
		}
	})
}

// Behaviour 6: the same email twice in one run is one email, in another run
// another.
func TestSameEmailAcrossProcesses(t *testing.T) {
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		b := &bank{}
		for i, want := range []struct {
			run      string
			replayed bool
			effects  int
		}{{"monday", false, 1}, {"monday", true, 1}, {"tuesday", false, 2}, {"tuesday", true, 2}, {"monday", true, 2}} {
			x := executor(t, restart(), helve.Config{}, b.tool())
			ctx := helve.WithScope(t.Context(), helve.Scope{Tenant: "mail", Run: want.run, Autonomy: helve.Auto})
			res := x.Execute(ctx, pay("", "ann", 5))
			if !res.OK() || res.Replayed != want.replayed || len(b.paid) != want.effects {
				t.Fatalf("step %d: %s, %d effects", i+1, show(res), len(b.paid))
			}
		}
	})
}

// Behaviour 13: a task with its key again is the same task, also after a timeout
// that hit once it was stored, in another run and another process; another title
// under the key is a conflict that shows the first.
func TestSameTaskAcrossProcesses(t *testing.T) {
	type in struct {
		Title string `json:"title"`
		Key   string `json:"idempotency_key"`
	}
	type out struct {
		ID      string `json:"id"`
		Created bool   `json:"created"`
	}
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		tasks := map[string]string{}
		fail := true
		process := func() *helve.Executor {
			return executor(t, restart(), helve.Config{}, helve.Must(helve.Func(helve.Contract{
				Name: "create_task", Effect: helve.Write, Idempotent: true, Attempts: 1, Key: helve.KeyFrom("idempotency_key"),
				Description: "Notes a task down, once for each idempotency key.",
			}, func(_ context.Context, t in) (out, error) {
				_, known := tasks[t.Key]
				tasks[t.Key] = t.Title
				if fail {
					fail = false
					return out{}, errors.New("i/o timeout")
				}
				return out{"task_" + t.Key, !known}, nil
			})))
		}
		call := func(run, title string) *helve.Result {
			ctx := helve.WithScope(t.Context(), helve.Scope{Tenant: "tasks", Run: run, Autonomy: helve.Auto})
			return process().Execute(ctx, &helve.Call{Tool: "create_task", Arguments: jsontext.Value(`{"title":"` + title + `","idempotency_key":"k"}`)})
		}
		if res := call("r1", "Pay"); res.OK() || !res.Error.Retryable {
			t.Fatal(show(res))
		}
		for _, run := range []string{"r1", "r1", "r2"} {
			if res := call(run, "Pay"); string(res.Data) != `{"id":"task_k","created":false}` {
				t.Fatal(show(res))
			}
		}
		res := call("r3", "Play")
		wantCode(t, res, helve.CodeConflict)
		if e := show(res); !strings.Contains(e, `"first_arguments":{"title":"Pay"`) || !strings.Contains(e, `"task_k"`) || len(tasks) != 1 || tasks["k"] != "Pay" {
			t.Fatalf("%s, %v", e, tasks)
		}
	})
}

// A replay is answered without a write.
func TestReplayWritesNothing(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir()+"/store.db", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	b := &bank{}
	x := executor(t, s, helve.Config{}, b.tool())
	ctx := inRun(t, helve.Auto)
	wantCode(t, x.Execute(ctx, pay("c", "ann", 1)), "")
	before, began := s.Commits(), time.Now()
	for range 10 {
		if res := x.Execute(ctx, pay("c", "ann", 1)); !res.Replayed {
			t.Fatal(show(res))
		}
	}
	if n := s.Commits() - before; n != 0 && time.Since(began) < time.Second/2 {
		t.Errorf("ten replays took %d commits", n)
	}
	entries, err := s.Audit(ctx, helve.AuditFilter{Tenant: "public", Kind: helve.AuditReplayed})
	if err != nil || len(entries) != 10 {
		t.Errorf("%d replays in the audit, %v", len(entries), err)
	}
}
