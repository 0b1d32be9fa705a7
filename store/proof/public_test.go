package proof_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
)

// The faults that others shipped, each with the issue that tells of it, on every
// store. Those of B32 and B38 are in race_test.go.

type payment struct {
	To     string `json:"to"`
	Amount int    `json:"amount"`
}

// A bank counts what was paid.
type bank struct {
	mu   sync.Mutex
	paid []payment
	fail func() error // after the payment
}

func (b *bank) tool(edit ...func(*helve.Contract)) *helve.Tool {
	c := helve.Contract{Name: "pay", Effect: helve.Write, Description: "Pays an amount to somebody out of the account."}
	for _, e := range edit {
		e(&c)
	}
	return helve.Must(helve.Func(c, func(_ context.Context, p payment) (string, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.paid = append(b.paid, p)
		if b.fail != nil {
			return "", b.fail()
		}
		return "paid", nil
	}))
}

func (b *bank) want(t *testing.T, payments ...payment) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if fmt.Sprint(b.paid) != fmt.Sprint(payments) {
		t.Fatalf("paid %v, want %v", b.paid, payments)
	}
}

func pay(id, to string, amount int) *helve.Call {
	return &helve.Call{ID: id, Tool: "pay", Arguments: jsontext.Value(fmt.Sprintf(`{"to":%q,"amount":%d}`, to, amount))}
}

func inRun(t *testing.T, autonomy helve.Autonomy) context.Context {
	t.Helper()
	return helve.WithScope(t.Context(), helve.Scope{Tenant: "public", Run: t.Name(), Autonomy: autonomy})
}

func wantCode(t *testing.T, res *helve.Result, want helve.Code) {
	t.Helper()
	if res.Code() != want {
		t.Fatalf("got %s, want the code %q", show(res), want)
	}
}

// extra-org/extra#139 (B29): the approval is of the arguments, not of the place
// that the call has in the run.
func TestB29(t *testing.T) {
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		b := &bank{}
		ctx := inRun(t, helve.Gated)
		x := executor(t, restart(), helve.Config{}, b.tool())
		id := x.Execute(ctx, pay("c1", "ann", 10)).Pending.Approval
		if _, err := x.Decide(ctx, id, helve.Decision{Approve: true}); err != nil {
			t.Fatal(err)
		}
		x = executor(t, restart(), helve.Config{}, b.tool())
		wantCode(t, x.Execute(ctx, pay("c1", "ann", 1000)), helve.CodeApprovalMismatch)
		wantCode(t, x.Execute(ctx, pay("c2", "eve", 10)), helve.CodePending)
		b.want(t)
		wantCode(t, x.Execute(ctx, pay("c1", "ann", 10)), "")
		b.want(t, payment{"ann", 10})
	})
}

// langchain-ai/langgraph#6533 (B30): answers go to the calls that they name.
func TestB30(t *testing.T) {
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		b := &bank{}
		ctx := inRun(t, helve.Gated)
		x := executor(t, restart(), helve.Config{}, b.tool())
		calls := []*helve.Call{pay("c1", "ann", 1), pay("c2", "bob", 2), pay("c3", "eve", 3)}
		var ids []string
		for _, res := range x.ExecuteAll(ctx, calls) {
			ids = append(ids, res.Pending.Approval)
		}
		x = executor(t, restart(), helve.Config{}, b.tool())
		for _, i := range []int{2, 0, 1} { // in another order, and only one yes
			if _, err := x.Decide(ctx, ids[i], helve.Decision{Approve: i == 1, Reason: "no"}); err != nil {
				t.Fatal(err)
			}
		}
		res := x.ExecuteAll(ctx, calls)
		wantCode(t, res[0], helve.CodeApprovalDenied)
		wantCode(t, res[1], "")
		wantCode(t, res[2], helve.CodeApprovalDenied)
		b.want(t, payment{"bob", 2})
	})
}

// kovyrin/agent-secret#170 (B34): an approval that expires while the call is
// prepared is not used.
func TestB34(t *testing.T) {
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		b := &bank{}
		ctx := inRun(t, helve.Gated)
		const ttl = 600 * time.Millisecond
		slow := helve.CredentialFunc(func(context.Context, helve.Scope, string) (helve.Secret, error) {
			<-time.After(ttl + ttl/2)
			return helve.NewSecret("a key"), nil
		})
		x := executor(t, restart(), helve.Config{ApprovalTTL: ttl, Credentials: slow},
			b.tool(func(c *helve.Contract) { c.Credentials = []string{"bank"} }))
		id := x.Execute(ctx, pay("c1", "ann", 1)).Pending.Approval
		if _, err := x.Decide(ctx, id, helve.Decision{Approve: true}); err != nil {
			t.Fatal(err)
		}
		wantCode(t, x.Execute(ctx, pay("c1", "ann", 1)), helve.CodeApprovalExpired)
		b.want(t)
		// The run is not stuck: it asks anew, where need be after the expiry was told
		// by the approval itself.
		res := x.Execute(ctx, pay("c1", "ann", 1))
		if res.Code() == helve.CodeApprovalExpired {
			res = x.Execute(ctx, pay("c1", "ann", 1))
		}
		wantCode(t, res, helve.CodePending)
	})
}

// margince/margince#1689 (B35): who asks again while nobody has decided has asked
// once.
func TestB35(t *testing.T) {
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		b := &bank{}
		ctx := inRun(t, helve.Gated)
		x := executor(t, restart(), helve.Config{}, b.tool())
		first := x.Execute(ctx, pay("c0", "ann", 1))
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				res := x.Execute(ctx, pay(fmt.Sprint("c", i), "ann", 1))
				if res.Pending == nil || res.Pending.Approval != first.Pending.Approval {
					t.Error(show(res))
				}
			})
		}
		wg.Wait()
		all, err := x.Store().ListApprovals(ctx, helve.ApprovalFilter{Tenant: "public", Run: t.Name()})
		if err != nil || len(all) != 1 {
			t.Fatalf("%d approvals, %v", len(all), err)
		}
	})
}

// langchain-ai/langchain#40688 (B36): the reply was lost after the effect. It is
// not sent again, and the model is told the truth.
func TestB36(t *testing.T) {
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		b := &bank{fail: func() error { return errors.New("connection reset by peer") }}
		ctx := inRun(t, helve.Auto)
		x := executor(t, restart(), helve.Config{}, b.tool(func(c *helve.Contract) { c.Attempts = 5 }))
		res := x.Execute(ctx, pay("c1", "ann", 1))
		if res.OK() || res.Error.Retryable {
			t.Fatal(show(res))
		}
		x = executor(t, restart(), helve.Config{}, b.tool())
		for _, id := range []string{"c1", "c2"} {
			wantCode(t, x.Execute(ctx, pay(id, "ann", 1)), helve.CodeOutcomeUnknown)
		}
		b.want(t, payment{"ann", 1})
	})
}

// google/adk-python discussion 8039 (B39): the process dies between the effect and
// the record. Who resumes does not do it again.
func TestB39(t *testing.T) {
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		b := &bank{}
		ctx := inRun(t, helve.Auto)
		died := &deadBeforeFinish{Store: restart()}
		x := executor(t, died, helve.Config{Lease: 100 * time.Millisecond}, b.tool())
		x.Execute(ctx, pay("c1", "ann", 1))
		b.want(t, payment{"ann", 1})
		<-time.After(250 * time.Millisecond) // nobody beats any more
		x = executor(t, restart(), helve.Config{}, b.tool())
		wantCode(t, x.Execute(ctx, pay("c1", "ann", 1)), helve.CodeOutcomeUnknown)
		b.want(t, payment{"ann", 1})
	})
}

// deadBeforeFinish is a store whose process dies before it records an outcome.
type deadBeforeFinish struct{ helve.Store }

func (deadBeforeFinish) Finish(context.Context, *helve.FinishParams) error {
	return errors.New("the process is dead")
}

func (deadBeforeFinish) Beat(context.Context, helve.Token, time.Duration) error {
	return errors.New("the process is dead")
}

// zeroclaw-labs/zeroclaw#9849 (B63): calls side by side cannot exceed a budget
// together, and none that was carried out is thrown away.
func TestB63(t *testing.T) {
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		b := &bank{}
		scope := helve.Scope{Tenant: "public", Run: t.Name(), Autonomy: helve.Auto, Budget: &helve.Budget{Calls: 3}}
		ctx := helve.WithScope(t.Context(), scope)
		x := executor(t, restart(), helve.Config{}, b.tool(func(c *helve.Contract) { c.Concurrency = helve.ConcurrencyShared }))
		var calls []*helve.Call
		for i := range 12 {
			calls = append(calls, pay(fmt.Sprint("c", i), "ann", i))
		}
		paid, refused := 0, 0
		for _, res := range x.ExecuteAll(ctx, calls) {
			switch res.Code() {
			case "":
				paid++
			case helve.CodeBudgetExhausted:
				refused++
			default:
				t.Error(show(res))
			}
		}
		if paid != 3 || refused != 9 || len(b.paid) != 3 {
			t.Errorf("%d paid, %d refused, %d payments", paid, refused, len(b.paid))
		}
		x = executor(t, restart(), helve.Config{}, b.tool())
		wantCode(t, x.Execute(ctx, pay("later", "ann", 99)), helve.CodeBudgetExhausted)
	})
}
