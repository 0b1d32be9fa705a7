package helve_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

// refund is a write that always asks.
func refund(ran *[]string) *helve.Tool {
	type In struct {
		OrderID   string  `json:"order_id"`
		AmountUSD float64 `json:"amount_usd"`
	}
	con := contract("refund", helve.Write)
	con.Approval = helve.AskAlways
	var mu sync.Mutex
	return helve.Must(helve.Func(con, func(_ context.Context, in In) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		*ran = append(*ran, in.OrderID)
		return "Refund issued.", nil
	}))
}

func TestBehaviour5Refund(t *testing.T) {
	var ran []string
	x := auto(helvetest.NewExecutor(t, nil, refund(&ran)))
	ctx := helve.WithScope(t.Context(), x.Scope)
	call := &helve.Call{ID: "c1", Tool: "refund", Arguments: value(`{"order_id":"o1","amount_usd":5}`)}
	res := x.Execute(ctx, call)
	if res.Pending == nil || !errors.Is(res.Err(), helve.ErrPending) {
		t.Fatalf("not pending: %s", envelope(t, res))
	}
	a, err := x.Store().Approval(ctx, "", res.Pending.Approval)
	if err != nil || string(a.Arguments) != `{"order_id":"o1","amount_usd":5}` {
		t.Fatalf("the person does not see what will be sent: %+v, %v", a, err)
	}
	wantEqual(t, len(ran), 0)
	for range 2 { // approved twice
		if _, err := x.Executor.Decide(ctx, a.ID, helve.Decision{Approve: true, By: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	wantData(t, x.Execute(ctx, call), `"Refund issued."`)
	again := x.Execute(ctx, call)
	wantData(t, again, `"Refund issued."`)
	wantEqual(t, []any{again.Replayed, len(ran)}, []any{true, 1})
	if _, err := x.Executor.Decide(ctx, a.ID, helve.Decision{Approve: true}); err != nil {
		t.Errorf("approving once more: %v", err)
	}
	if _, err := x.Executor.Decide(ctx, a.ID, helve.Decision{}); !errors.Is(err, helve.ErrDecided) {
		t.Errorf("denying afterwards: %v", err)
	}
}

// B29: the approval covers one exact call.
func TestB29OtherArgumentsAreAnotherCall(t *testing.T) {
	var ran []string
	x := helvetest.NewExecutor(t, nil, refund(&ran))
	ctx := helve.WithScope(t.Context(), x.Scope)
	send := func(id, args string) *helve.Result {
		return x.Execute(ctx, &helve.Call{ID: id, Tool: "refund", Arguments: value(args)})
	}
	ann, bob := `{"order_id":"ann","amount_usd":5}`, `{"order_id":"bob","amount_usd":5}`
	first := send("c1", ann)
	x.Decide(first.Pending.Approval, helvetest.Approve)
	wantCode(t, send("c1", bob), helve.CodeApprovalMismatch)
	other := send("c2", bob)
	if other.Pending == nil || other.Pending.Approval == first.Pending.Approval {
		t.Errorf("another call did not ask anew: %s", envelope(t, other))
	}
	wantEqual(t, len(ran), 0)
	// The same value in another spelling is the same call.
	wantData(t, send("c1", `{"amount_usd":5.0,"order_id":"ann"}`), `"Refund issued."`)
	// A decision that names another digest than the record's decides nothing.
	_, err := x.Executor.Decide(ctx, other.Pending.Approval, helve.Decision{Approve: true, ArgumentsDigest: helve.Digest{1}})
	if !errors.Is(err, helve.ErrApprovalMismatch) {
		t.Errorf("a decision with a wrong digest: %v", err)
	}
	wantEqual(t, ran, []string{"ann"})
}

func TestB29ChangedContractAsksAnew(t *testing.T) {
	var ran []string
	x := helvetest.NewExecutor(t, nil, refund(&ran))
	res := x.Call("refund", `{"order_id":"o","amount_usd":1}`)
	x.Decide(res.Pending.Approval, helvetest.Approve)
	con := contract("refund", helve.Write)
	con.Approval, con.Description = helve.AskAlways, "Now it refunds everything that was ever paid."
	changed := helve.Must(helve.Func(con, func(context.Context, struct {
		OrderID   string  `json:"order_id"`
		AmountUSD float64 `json:"amount_usd"`
	},
	) (string, error) {
		t.Error("the changed tool ran on the old approval")
		return "", nil
	}))
	if err := x.Tools().Replace(changed); err != nil {
		t.Fatal(err)
	}
	next := x.Call("refund", `{"order_id":"o","amount_usd":1}`)
	if next.Pending == nil || next.Pending.Approval == res.Pending.Approval {
		t.Errorf("no new approval: %s", envelope(t, next))
	}
}

// B30: decisions go to their approvals, never by position.
func TestB30DecisionsByID(t *testing.T) {
	var ran []string
	x := helvetest.NewExecutor(t, nil, refund(&ran))
	ctx := helve.WithScope(t.Context(), x.Scope)
	calls := []*helve.Call{
		{ID: "c1", Tool: "refund", Arguments: value(`{"order_id":"one","amount_usd":1}`)},
		{ID: "c2", Tool: "refund", Arguments: value(`{"order_id":"two","amount_usd":2}`)},
		{ID: "c3", Tool: "refund", Arguments: value(`{"order_id":"three","amount_usd":3}`)},
	}
	res := x.ExecuteAll(ctx, calls)
	x.Decide(res[1].Pending.Approval, helvetest.Approve)
	x.Decide(res[0].Pending.Approval, helvetest.Deny)
	res = x.ExecuteAll(ctx, calls)
	wantEqual(t, []helve.Code{res[0].Code(), res[1].Code(), res[2].Code()},
		[]helve.Code{helve.CodeApprovalDenied, "", helve.CodePending})
	if !strings.Contains(res[0].Error.Message, "denied by the test") {
		t.Errorf("the reason is not told: %s", res[0].Error.Message)
	}
	wantEqual(t, ran, []string{"two"})
}

// B32: approving and resuming many times at once is one execution.
func TestB32FiftyAtOnce(t *testing.T) {
	var ran []string
	x := helvetest.NewExecutor(t, nil, refund(&ran))
	ctx := helve.WithScope(t.Context(), x.Scope)
	call := &helve.Call{ID: "c1", Tool: "refund", Arguments: value(`{"order_id":"o","amount_usd":1}`)}
	id := x.Execute(ctx, call).Pending.Approval
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := x.Executor.Decide(ctx, id, helve.Decision{Approve: true}); err != nil {
				t.Error(err)
			}
			if res := x.Execute(ctx, call); string(res.Data) != `"Refund issued."` {
				t.Errorf("result: %s", envelope(t, res))
			}
		})
	}
	wg.Wait()
	wantEqual(t, ran, []string{"o"})
}

// B34: expiry is checked again at the claim.
func TestB34ExpiryAtTheClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		con := contract("pay", helve.Write)
		con.Credentials = []string{"bank"}
		tool := helve.Must(helve.Func(con, func(context.Context, text) (string, error) { ran++; return "paid", nil }))
		slow := true
		x := helvetest.NewExecutor(t, &helve.Config{
			ApprovalTTL: time.Minute,
			Credentials: helve.CredentialFunc(func(context.Context, helve.Scope, string) (helve.Secret, error) {
				if slow {
					time.Sleep(2 * time.Second)
				}
				return helve.NewSecret("bank-secret"), nil
			}),
		}, tool)
		res := x.Call("pay", `{}`)
		time.Sleep(time.Minute - time.Second)
		x.Decide(res.Pending.Approval, helvetest.Approve)
		wantCode(t, x.Call("pay", `{}`), helve.CodeApprovalExpired)
		wantEqual(t, ran, 0)
		if _, err := x.Executor.Decide(t.Context(), res.Pending.Approval, helve.Decision{Approve: true}); !errors.Is(err, helve.ErrApprovalExpired) {
			t.Errorf("approving after the expiry: %v", err)
		}
		// The run is not stuck: the next call asks anew.
		slow = false
		next := x.Call("pay", `{}`)
		if next.Pending == nil || next.Pending.Approval == res.Pending.Approval {
			t.Fatalf("no new approval: %s", envelope(t, next))
		}
		x.Decide(next.Pending.Approval, helvetest.Approve)
		wantData(t, x.Call("pay", `{}`), `"paid"`)
	})
}

func TestUndecidedExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ran []string
		x := helvetest.NewExecutor(t, nil, refund(&ran))
		args := `{"order_id":"o","amount_usd":1}`
		first := x.Call("refund", args)
		wantEqual(t, first.Pending.Expires, time.Now().Add(helve.DefaultApprovalTTL).UTC())
		time.Sleep(25 * time.Hour)
		wantCode(t, x.Call("refund", args), helve.CodeApprovalExpired)
		next := x.Call("refund", args)
		wantEqual(t, next.Pending != nil && next.Pending.Approval != first.Pending.Approval, true)
		wantEqual(t, len(ran), 0)
	})
}

// B35: asking again while undecided is the same question.
func TestB35OneQuestion(t *testing.T) {
	var ran []string
	x := helvetest.NewExecutor(t, nil, refund(&ran))
	args := `{"order_id":"o","amount_usd":1}`
	ids := map[string]bool{}
	for range 4 {
		ids[x.Call("refund", args).Pending.Approval] = true
	}
	all, err := x.Store().ListApprovals(t.Context(), helve.ApprovalFilter{State: helve.ApprovalPending})
	if err != nil || len(all) != 1 || len(ids) != 1 {
		t.Fatalf("%d approvals, %d ids, %v", len(all), len(ids), err)
	}
	wantEqual(t, len(helvetest.Of[helve.ApprovalChanged](x.Events)), 1)
	x.Decide(all[0].ID, helvetest.Approve)
	wantEqual(t, x.Call("refund", args).Replayed, false)
	wantEqual(t, x.Call("refund", args).Replayed, true)
	wantEqual(t, len(ran), 1)
}

func TestApprovedReadIsSingleUse(t *testing.T) {
	tool, ran := counted(contract("look", helve.Read), done)
	x := helvetest.NewExecutor(t, nil, tool)
	x.Scope.Autonomy = helve.Manual
	x.Approver = helvetest.Approve
	wantData(t, x.Call("look", `{}`), `"done"`)
	x.Approver = nil
	wantEqual(t, x.Call("look", `{}`).Pending != nil, true)
	wantEqual(t, ran.Load(), 1)
}

// An approval covers its entry until that is final: a retry after NotDone asks
// nobody again.
func TestApprovalCoversARetry(t *testing.T) {
	fails := true
	con := contract("pay", helve.Write)
	tool, ran := counted(con, func(context.Context, text) (string, error) {
		if fails {
			return "", helve.NotDone(errBackend)
		}
		return "paid", nil
	})
	x := helvetest.NewExecutor(t, nil, tool)
	x.Approver = helvetest.Approve
	wantCode(t, x.Call("pay", `{}`), helve.CodeToolFailed)
	fails, x.Approver = false, nil
	wantData(t, x.Call("pay", `{}`), `"paid"`)
	wantEqual(t, ran.Load(), 2)
	wantEqual(t, x.Call("pay", `{}`).Replayed, true)
}

func TestEditedArguments(t *testing.T) {
	type In struct {
		To     string `json:"to"`
		Amount int    `json:"amount" maximum:"100"`
	}
	var got []In
	tool := helve.Must(helve.Func(contract("pay", helve.Write), func(_ context.Context, in In) (string, error) {
		got = append(got, in)
		return "paid", nil
	}))
	policy := helve.Rules{{Verdict: helve.Deny, Reason: "not to eve", When: func(_ context.Context, r *helve.Request) (bool, error) {
		return strings.Contains(string(r.Arguments), "eve"), nil
	}}}
	x := helvetest.NewExecutor(t, &helve.Config{Policy: policy}, tool)
	ctx := helve.WithScope(t.Context(), x.Scope)
	call := &helve.Call{ID: "c1", Tool: "pay", Arguments: value(`{"to":"ann","amount":50}`)}
	id := x.Execute(ctx, call).Pending.Approval
	edit := func(args string) error {
		_, err := x.Executor.Decide(ctx, id, helve.Decision{Approve: true, By: "boss", Arguments: value(args)})
		return err
	}
	var ce *helve.CallError
	if err := edit(`{"to":"ann","amount":5000}`); !errors.As(err, &ce) || ce.Code != helve.CodeInvalidInput {
		t.Errorf("an edit that the schema refuses: %v", err)
	}
	if err := edit(`{"to":"eve","amount":5}`); !errors.As(err, &ce) || ce.Code != helve.CodeDenied {
		t.Errorf("an edit that the policy refuses: %v", err)
	}
	if err := edit(`{"to":"ann","amount":20}`); err != nil {
		t.Fatal(err)
	}
	res := x.Execute(ctx, call)
	wantData(t, res, `"paid"`)
	wantEqual(t, got, []In{{"ann", 20}})
	if w := strings.Join(res.Warnings, " "); !strings.Contains(w, `"amount":20`) {
		t.Errorf("the model is not told what ran: %q", w)
	}
	// Identity and key stay those of the arguments as sent.
	again := x.Execute(ctx, call)
	wantEqual(t, []any{again.Replayed, len(got)}, []any{true, 1})
	a, _ := x.Store().Approval(ctx, "", id)
	wantEqual(t, string(a.Arguments)+string(a.Edited), `{"to":"ann","amount":50}{"to":"ann","amount":20}`)
}

func TestPolicyIsAskedAgainOnResume(t *testing.T) {
	verdict := helve.Allow
	policy := helve.PolicyFunc(func(context.Context, *helve.Request) (helve.Ruling, error) {
		return helve.Ruling{Verdict: verdict}, nil
	})
	var ran []string
	x := helvetest.NewExecutor(t, &helve.Config{Policy: policy}, refund(&ran))
	args := `{"order_id":"o","amount_usd":1}`
	x.Decide(x.Call("refund", args).Pending.Approval, helvetest.Approve)
	verdict = helve.Deny
	wantCode(t, x.Call("refund", args), helve.CodeDenied)
	wantEqual(t, len(ran), 0)
}

func TestNestedCallThatWouldAsk(t *testing.T) {
	for _, resumable := range []bool{false, true} {
		var ran []string
		con := contract("settle", helve.Write)
		con.Uses, con.Resumable = []string{"refund"}, resumable
		outer := helve.Must(helve.Func(con, func(ctx context.Context, _ text) (string, error) {
			res := helve.Invoke(ctx, "refund", map[string]any{"order_id": "o", "amount_usd": 1})
			if res.Pending != nil {
				return "", helve.Suspend(*res.Pending)
			}
			return "settled", res.Err()
		}))
		x := auto(helvetest.NewExecutor(t, nil, refund(&ran), outer))
		res := x.Call("settle", `{}`)
		if !resumable {
			if e := envelope(t, res); res.OK() || !strings.Contains(e, "call refund directly") {
				t.Errorf("envelope: %s", e)
			}
			all, _ := x.Store().ListApprovals(t.Context(), helve.ApprovalFilter{})
			wantEqual(t, len(all), 0)
			continue
		}
		x.Decide(res.Pending.Approval, helvetest.Approve)
		wantData(t, x.Call("settle", `{}`), `"settled"`)
		wantEqual(t, ran, []string{"o"})
	}
}

func TestTenantsDoNotShare(t *testing.T) {
	tool, ran := counted(contract("act", helve.Write), done)
	x := helvetest.NewExecutor(t, nil, tool)
	x.Scope.Tenant = "a"
	x.Decide(x.Call("act", `{}`).Pending.Approval, helvetest.Approve)
	x.Scope.Tenant = "b"
	wantEqual(t, x.Call("act", `{}`).Pending != nil, true)
	wantEqual(t, ran.Load(), 0)
	list, _ := x.Store().ListApprovals(t.Context(), helve.ApprovalFilter{Tenant: ""})
	wantEqual(t, len(list), 0)
}

func TestStoreFailuresRefuse(t *testing.T) {
	down := errors.New("dial tcp 10.0.0.7:5432: refused")
	for _, method := range []string{"Recall", "Ask", "Approval", "Claim"} {
		t.Run(method, func(t *testing.T) {
			tool, ran := counted(contract("act", helve.Write, func(c *helve.Contract) { c.Approval = helve.AskAlways }), done)
			var store helvetest.FailingStore
			x := helvetest.NewExecutor(t, &helve.Config{Store: &store}, tool)
			res := x.Call("act", `{}`)
			x.Decide(res.Pending.Approval, helvetest.Approve)
			if method == "Approval" {
				store.Fail(method, down)
				if _, err := x.Executor.Decide(t.Context(), res.Pending.Approval, helve.Decision{}); !errors.Is(err, down) {
					t.Errorf("decide: %v", err)
				}
				return
			}
			store.Fail(method, down)
			res = x.Call("act", `{}`)
			wantCode(t, res, helve.CodeUnavailable)
			wantEqual(t, res.Error.Retryable, true)
			if strings.Contains(envelope(t, res), "10.0.0.7") {
				t.Error("where the store lies is told to the model")
			}
			wantEqual(t, ran.Load(), 0)
			wantData(t, x.Call("act", `{}`), `"done"`)
		})
	}
}

// A denial holds for the time that an approval would, then the next equal call
// asks anew.
func TestDenialHoldsForItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ran []string
		x := helvetest.NewExecutor(t, nil, refund(&ran))
		args := `{"order_id":"o","amount_usd":1}`
		x.Decide(x.Call("refund", args).Pending.Approval, helvetest.Deny)
		for range 3 {
			wantCode(t, x.Call("refund", args), helve.CodeApprovalDenied)
		}
		time.Sleep(25 * time.Hour)
		wantCode(t, x.Call("refund", args), helve.CodePending)
	})
}

// An approver may turn a read into a write: it then has a row like any other.
func TestEditThatRaisesTheEffect(t *testing.T) {
	type In struct {
		Command string `json:"command" enum:"view,create"`
	}
	con := contract("memory", helve.Write)
	con.EffectBy = helve.EffectBy{Arg: "command", Values: map[string]helve.Effect{"view": helve.Read}}
	var ran []string
	tool := helve.Must(helve.Func(con, func(_ context.Context, in In) (string, error) {
		ran = append(ran, in.Command)
		return in.Command, nil
	}))
	x := helvetest.NewExecutor(t, nil, tool)
	for _, run := range []string{"one", "two"} {
		x.Scope = helve.Scope{Run: run, Autonomy: helve.Manual}
		x.Approver = func(*helve.Approval) helve.Decision {
			return helve.Decision{Approve: true, Arguments: value(`{"command":"create"}`)}
		}
		res := x.Call("memory", `{"command":"view"}`)
		wantData(t, res, `"create"`)
		wantEqual(t, res.Replayed, false) // the other run's row is another one
	}
	wantEqual(t, ran, []string{"create", "create"})
}

// beforeClaim is a store in which something happens just before the next claim.
type beforeClaim struct {
	helve.Store
	do func()
}

func (s *beforeClaim) Claim(ctx context.Context, p *helve.ClaimParams) (*helve.Claim, error) {
	if do := s.do; do != nil {
		s.do = nil
		do()
	}
	return s.Store.Claim(ctx, p)
}

// Two clicks on one approved call, of which the first comes to nothing while the
// second is about to run: the approval covers the second, as edited.
func TestApprovalCoversADoubleClickAfterARetry(t *testing.T) {
	fails := true
	tool, ran := counted(contract("pay", helve.Write), func(_ context.Context, in text) (string, error) {
		if fails {
			fails = false
			return "", helve.NotDone(errBackend)
		}
		return "paid " + in.Text, nil
	})
	store := &beforeClaim{Store: helve.NewMemoryStore(nil)}
	x := helvetest.NewExecutor(t, &helve.Config{Store: store}, tool)
	x.Scope.Budget = &helve.Budget{Calls: 2}
	id := x.Call("pay", `{"text":"5 EUR"}`).Pending.Approval
	x.Decide(id, func(*helve.Approval) helve.Decision {
		return helve.Decision{Approve: true, Arguments: value(`{"text":"4 EUR"}`)}
	})
	store.do = func() { wantCode(t, x.Call("pay", `{"text":"5 EUR"}`), helve.CodeToolFailed) }
	res := x.Call("pay", `{"text":"5 EUR"}`)
	wantData(t, res, `"paid 4 EUR"`)
	wantEqual(t, []any{ran.Load(), len(res.Warnings)}, []any{int32(2), 1})
}

// A read whose approval another one has used meanwhile, and that has been approved
// again since, runs with what was approved for it.
func TestApprovedReadAfterAnotherUsedItsApproval(t *testing.T) {
	tool, ran := counted(contract("look", helve.Read), func(_ context.Context, in text) (string, error) { return in.Text, nil })
	store := &beforeClaim{Store: helve.NewMemoryStore(nil)}
	x := helvetest.NewExecutor(t, &helve.Config{Store: store}, tool)
	x.Scope.Autonomy, x.Scope.Budget = helve.Manual, &helve.Budget{Calls: 2}
	look := func() *helve.Result { return x.Call("look", `{"text":"all"}`) }
	x.Decide(look().Pending.Approval, func(*helve.Approval) helve.Decision {
		return helve.Decision{Approve: true, Arguments: value(`{"text":"a part"}`)}
	})
	store.do = func() {
		wantData(t, look(), `"a part"`)
		x.Decide(look().Pending.Approval, helvetest.Approve)
	}
	res := look()
	wantData(t, res, `"all"`)
	wantEqual(t, []any{ran.Load(), len(res.Warnings)}, []any{int32(2), 0})
	spent, err := store.Spent(t.Context(), "", "run:test")
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, spent, helve.Spent{Calls: 2})
}
