package helve_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

// afterClaim is a store in which something happens just after each claim.
type afterClaim struct {
	helve.Store
	do func()
}

func (s *afterClaim) Claim(ctx context.Context, p *helve.ClaimParams) (*helve.Claim, error) {
	defer s.do()
	return s.Store.Claim(ctx, p)
}

// A caller who hangs up while the claim is made, and a claim that takes longer than
// the call may: nothing is begun, nothing is unknown, nothing is spent, and the
// same call may be sent again.
func TestACallThatEndsWithItsClaimIsNotBegun(t *testing.T) {
	for code, stop := range map[helve.Code]func(cancel func()){
		helve.CodeCanceled: func(cancel func()) { cancel() },
		helve.CodeTimeout:  func(func()) { time.Sleep(2 * time.Minute) },
	} {
		t.Run(string(code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tool, ran := counted(contract("pay", helve.Write, func(c *helve.Contract) { c.Timeout, c.Cost = time.Minute, 5 }), done)
				store := &afterClaim{Store: helve.NewMemoryStore(nil), do: func() {}}
				x := auto(helvetest.NewExecutor(t, &helve.Config{Store: store}, tool))
				x.Scope.Budget = &helve.Budget{Calls: 1, Cost: 5}
				ctx, cancel := context.WithCancel(helve.WithScope(t.Context(), x.Scope))
				store.do = func() { stop(cancel) }
				res := x.Execute(ctx, &helve.Call{Tool: "pay", Arguments: value(`{}`)})
				wantCode(t, res, code)
				wantEqual(t, []any{res.Error.Retryable, res.Attempts, ran.Load()}, []any{true, 0, int32(0)})
				store.do = func() {}
				wantData(t, x.Call("pay", `{}`), `"done"`)
				wantEqual(t, ran.Load(), 1)
			})
		})
	}
}

// A handler whose claim was lost while it waited for its next attempt is not
// entered again: somebody else may run the call by now.
func TestNoFurtherAttemptWithoutTheClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		con := contract("pay", helve.Write, func(c *helve.Contract) { c.Timeout, c.Attempts = time.Hour, 3 })
		tool, ran := counted(con, func(context.Context, text) (string, error) {
			e := helve.Errorf("busy", "come back later")
			e.Retryable, e.RetryAfter = true, 5*time.Minute
			return "", e
		})
		store := &helvetest.FailingStore{}
		store.Fail("Beat", helve.ErrFenced)
		x := auto(helvetest.NewExecutor(t, &helve.Config{Store: store}, tool))
		wantCode(t, x.Call("pay", `{}`), "busy")
		wantEqual(t, ran.Load(), 1)
	})
}

// A handler that is entered again makes the same calls again, and each has one
// effect, also where there is no run.
func TestAFurtherAttemptRepeatsNoEffectOfTheFirst(t *testing.T) {
	for _, run := range []string{"", "r"} {
		for _, key := range []helve.KeyRule{helve.KeyArguments, helve.KeyCall} {
			t.Run(run+" "+string(key), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					write, written := counted(contract("write", helve.Write, func(c *helve.Contract) { c.Key = key }), done)
					fails := true
					replace := helve.Must(helve.Func(
						contract("replace", helve.Write, func(c *helve.Contract) { c.Idempotent, c.Uses = true, []string{"write"} }),
						func(ctx context.Context, _ text) (string, error) {
							for _, name := range []string{`{"text":"a"}`, `{"text":"b"}`} {
								if err := helve.Invoke(ctx, "write", value(name)).Err(); err != nil {
									return "", err
								}
							}
							if fails {
								fails = false
								return "", errBackend
							}
							return "replaced", nil
						}))
					x := auto(helvetest.NewExecutor(t, nil, write, replace))
					x.Scope.Run = run
					res := x.Call("replace", `{}`)
					wantData(t, res, `"replaced"`)
					wantEqual(t, []int{res.Attempts, int(written.Load())}, []int{2, 2})
				})
			})
		}
	}
}

// strictStore refuses what comes with a context that is over, as a database does.
type strictStore struct{ helve.Store }

func (s *strictStore) AppendAudit(ctx context.Context, entries ...helve.AuditEntry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.Store.AppendAudit(ctx, entries...)
}

// Who hangs up does not escape the audit.
func TestARefusalIsAuditedThoughTheCallerHasGone(t *testing.T) {
	tool, _ := counted(contract("pay", helve.Write), done)
	ctx, cancel := context.WithCancel(helve.WithScope(t.Context(), helve.Scope{Run: "test"}))
	policy := helve.Rules{{Verdict: helve.Deny, Reason: "not to eve", When: func(context.Context, *helve.Request) (bool, error) {
		cancel()
		return true, nil
	}}}
	x := helvetest.NewExecutor(t, &helve.Config{Policy: policy, Store: &strictStore{helve.NewMemoryStore(nil)}}, tool)
	wantCode(t, x.Execute(ctx, &helve.Call{Tool: "pay", Arguments: value(`{}`)}), helve.CodeDenied)
	audit, err := x.Store().Audit(t.Context(), helve.AuditFilter{Kind: helve.AuditRefused})
	if err != nil || len(audit) != 1 {
		t.Fatalf("audit: %+v, %v", audit, err)
	}
}

type oldTicket struct {
	Number string `json:"number"`
}

type newTicket struct {
	Number int `json:"number"`
}

func (n newTicket) Replayed() newTicket { return n }

// A call that was carried out by a former version of its tool is told as carried
// out, whatever the type of its result is now.
func TestReplayOfAResultOfAnotherType(t *testing.T) {
	store := helve.NewMemoryStore(nil)
	con := contract("buy", helve.Write, func(c *helve.Contract) { c.Key = helve.KeyFrom("text") })
	old := helve.Must(helve.Func(con, func(context.Context, text) (oldTicket, error) { return oldTicket{"A7"}, nil }))
	wantData(t, auto(helvetest.NewExecutor(t, &helve.Config{Store: store}, old)).Call("buy", `{"text":"k"}`), `{"number":"A7"}`)
	ran := 0
	tool := helve.Must(helve.Func(con, func(context.Context, text) (newTicket, error) { ran++; return newTicket{7}, nil }))
	res := auto(helvetest.NewExecutor(t, &helve.Config{Store: store}, tool)).Call("buy", `{"text":"k"}`)
	wantData(t, res, `{"number":"A7"}`)
	wantEqual(t, []any{res.Replayed, ran}, []any{true, 0})
}

// A call that is sent again, with an id of its own as models do, and that enters
// its handler again, makes the same calls again: each has one effect. Another call
// may write the same.
func TestACallSentAgainRepeatsNoEffectOfItsHandler(t *testing.T) {
	exits := map[string]error{"fails": errBackend, "not done": helve.NotDone(errBackend), "suspends": helve.Suspend(helve.Pending{Reason: "wait"})}
	for name, exit := range exits {
		for _, key := range []helve.KeyRule{helve.KeyArguments, helve.KeyFrom("text")} {
			for _, inner := range []helve.KeyRule{helve.KeyArguments, helve.KeyCall} {
				t.Run(fmt.Sprint(name, " ", key, " ", inner), func(t *testing.T) {
					write, written := counted(contract("write", helve.Write, func(c *helve.Contract) { c.Key = inner }), done)
					look := helve.Must(helve.Func(contract("look", helve.Read, func(c *helve.Contract) { c.Uses = []string{"write"} }),
						func(ctx context.Context, _ text) (string, error) {
							return "", helve.Invoke(ctx, "write", value(`{"text":"a trace"}`)).Err()
						}))
					fails := true
					replace := helve.Must(helve.Func(
						contract("replace", helve.Write, func(c *helve.Contract) {
							c.Idempotent, c.Attempts, c.Resumable, c.Key, c.Uses = true, 1, true, key, []string{"write", "look"}
						}),
						func(ctx context.Context, _ text) (string, error) {
							for _, name := range []string{"write", "look"} {
								if err := helve.Invoke(ctx, name, value(`{"text":"a"}`)).Err(); err != nil {
									return "", err
								}
							}
							if fails {
								fails = false
								return "", exit
							}
							return "replaced", nil
						}))
					x := auto(helvetest.NewExecutor(t, nil, write, look, replace))
					first := x.Call("replace", `{"text":"a.txt"}`)
					wantEqual(t, first.OK(), false)
					if key != helve.KeyArguments {
						x.Scope.Run = "another"
					}
					wantData(t, x.Call("replace", `{"text":"a.txt"}`), `"replaced"`)
					wantEqual(t, written.Load(), 2)
					wantData(t, x.Call("replace", `{"text":"b.txt"}`), `"replaced"`)
					wantEqual(t, written.Load(), 4)
				})
			}
		}
	}
}
