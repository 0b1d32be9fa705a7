package helve_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

// bank is a backend that knows payments by the idempotency key that they came
// with. Its answer to the first is lost on the way.
type bank struct {
	paid map[string]string // arguments by key
	lost bool
}

func (b *bank) pay(ctx context.Context, in text) (string, error) {
	inv := helve.InvocationFrom(ctx)
	if b.paid == nil {
		b.paid = map[string]string{}
	}
	b.paid[inv.Key()+" "+in.Text] = inv.CallID()
	if !b.lost {
		b.lost = true
		return "", errors.New("connection reset")
	}
	return "paid", nil
}

// find is how the tool finds out: by the key of the call, and its arguments.
func (b *bank) find(_ context.Context, inv *helve.Invocation) (*helve.Reply, bool, error) {
	var in text
	if err := jsonGet(inv.Arguments(), &in); err != nil {
		return nil, false, err
	}
	id, paid := b.paid[inv.Key()+" "+in.Text]
	if paid && id != inv.CallID() {
		return nil, false, errors.New("asked for another call")
	}
	return &helve.Reply{Data: "paid"}, paid, nil
}

// Whoever sends a call again under another key, or from another run, asks what
// became of the first: the tool is asked with the first one's key.
func TestReconcileAsksForTheCallThatWasSent(t *testing.T) {
	for name, again := range map[string]func(x *helvetest.Executor, c *helve.Call){
		"another key":    func(_ *helvetest.Executor, c *helve.Call) { c.Key = "second" },
		"no key":         func(_ *helvetest.Executor, c *helve.Call) { c.Key = "" },
		"another run":    func(x *helvetest.Executor, _ *helve.Call) { x.Scope.Run = "another" },
		"the same again": func(*helvetest.Executor, *helve.Call) {},
	} {
		t.Run(name, func(t *testing.T) {
			b := &bank{}
			con := contract("pay", helve.Write, func(c *helve.Contract) { c.DedupeOn = []string{"text"} })
			x := auto(helvetest.NewExecutor(t, nil, helve.Must(helve.Func(con, b.pay)).WithReconcile(b.find)))
			call := &helve.Call{ID: "c1", Tool: "pay", Key: "first", Arguments: value(`{"text":"5 EUR"}`)}
			wantCode(t, x.Execute(helve.WithScope(t.Context(), x.Scope), call), helve.CodeToolFailed)
			again(x, call)
			call.ID = "c2"
			res := x.Execute(helve.WithScope(t.Context(), x.Scope), call)
			wantData(t, res, `"paid"`)
			wantEqual(t, []any{res.Replayed, len(b.paid)}, []any{true, 1})
		})
	}
}

// What the approver put in the place of the arguments is what was sent: the tool
// is asked about that.
func TestReconcileAsksForTheEditedArguments(t *testing.T) {
	b := &bank{}
	x := helvetest.NewExecutor(t, nil, helve.Must(helve.Func(contract("pay", helve.Write), b.pay)).WithReconcile(b.find))
	x.Approver = func(*helve.Approval) helve.Decision {
		return helve.Decision{Approve: true, By: "ana", Arguments: value(`{"text":"4 EUR"}`)}
	}
	wantCode(t, x.Call("pay", `{"text":"5 EUR"}`), helve.CodeToolFailed)
	res := x.Execute(helve.WithScope(t.Context(), x.Scope), &helve.Call{ID: lastCall(t, x), Tool: "pay", Arguments: value(`{"text":"5 EUR"}`)})
	wantData(t, res, `"paid"`)
	wantEqual(t, []any{res.Replayed, len(b.paid)}, []any{true, 1})
}

// lastCall is the id of the call that the latest approval was asked for.
func lastCall(t *testing.T, x *helvetest.Executor) string {
	t.Helper()
	all, err := x.Store().ListApprovals(t.Context(), helve.ApprovalFilter{})
	if err != nil || len(all) == 0 {
		t.Fatalf("approvals: %v, %v", all, err)
	}
	return all[len(all)-1].CallID
}

// One approval is for one effect, also where the first of two keys turns out to
// have come to nothing.
func TestAnApprovalCoversItsOwnKeyOnly(t *testing.T) {
	sent := 0
	tool, n := counted(contract("pay", helve.Write), func(context.Context, text) (string, error) {
		if sent++; sent == 1 {
			return "", errBackend
		}
		return "paid", nil
	})
	x := helvetest.NewExecutor(t, nil, tool.WithReconcile(func(context.Context, *helve.Invocation) (*helve.Reply, bool, error) {
		return nil, false, nil
	}))
	ctx := helve.WithScope(t.Context(), x.Scope)
	call := func(key string) *helve.Result {
		return x.Execute(ctx, &helve.Call{ID: "call " + key, Key: key, Tool: "pay", Arguments: value(`{}`)})
	}
	x.Decide(call("first").Pending.Approval, helvetest.Approve)
	wantCode(t, call("first"), helve.CodeToolFailed)
	wantCode(t, call("second"), helve.CodePending) // the first has not happened; it is another call
	wantData(t, call("first"), `"paid"`)           // its approval was for one effect, which it has now
	wantCode(t, call("second"), helve.CodePending)
	wantEqual(t, n.Load(), 2)
}

// A tool that cannot find out, for whatever reason, leaves the outcome unknown,
// and the call has an answer by its deadline.
func TestReconcileThatFails(t *testing.T) {
	for name, find := range map[string]helve.ReconcileFunc{
		"error": func(context.Context, *helve.Invocation) (*helve.Reply, bool, error) { return nil, true, errBackend },
		"panic": func(context.Context, *helve.Invocation) (*helve.Reply, bool, error) { panic("no") },
		"goexit": func(context.Context, *helve.Invocation) (*helve.Reply, bool, error) {
			runtime.Goexit()
			return nil, true, nil
		},
		"hangs": func(context.Context, *helve.Invocation) (*helve.Reply, bool, error) {
			time.Sleep(time.Hour) // whatever its context says
			return nil, false, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				con := contract("pay", helve.Write)
				con.Timeout = time.Minute
				tool, n := counted(con, func(context.Context, text) (string, error) { return "", errBackend })
				x := auto(helvetest.NewExecutor(t, nil, tool.WithReconcile(find)))
				wantCode(t, x.Call("pay", `{}`), helve.CodeToolFailed)
				began := time.Now()
				wantCode(t, x.Call("pay", `{}`), helve.CodeOutcomeUnknown)
				if d := time.Since(began); d > time.Minute {
					t.Errorf("the call took %s", d)
				}
				wantEqual(t, n.Load(), 1)
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// Two who find out at once: the second is told what the first has found.
func TestReconcileByTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool, n := counted(contract("pay", helve.Write), func(context.Context, text) (string, error) { return "", errBackend })
		x := auto(helvetest.NewExecutor(t, nil, tool.WithReconcile(func(context.Context, *helve.Invocation) (*helve.Reply, bool, error) {
			time.Sleep(time.Second)
			return &helve.Reply{Data: "paid"}, true, nil
		})))
		wantCode(t, x.Call("pay", `{}`), helve.CodeToolFailed)
		results := make(chan *helve.Result, 2)
		for range 2 {
			go func() { results <- x.Call("pay", `{}`) }()
		}
		for range 2 {
			wantData(t, <-results, `"paid"`)
		}
		wantEqual(t, n.Load(), 1)
	})
}
