package helve_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

// B63: one slot left, eight calls at once.
func TestB63BudgetIsReserved(t *testing.T) {
	for _, effect := range []helve.Effect{helve.Read, helve.Write} {
		t.Run(effect.String(), func(t *testing.T) {
			tool, ran := counted(contract("act", effect, func(c *helve.Contract) { c.Concurrency = helve.ConcurrencyShared }), done)
			x := auto(helvetest.NewExecutor(t, nil, tool))
			x.Scope.Budget = &helve.Budget{Calls: 1}
			calls := make([]*helve.Call, 8)
			for i := range calls {
				calls[i] = &helve.Call{Tool: "act", Arguments: value(fmt.Sprintf(`{"text":"%d"}`, i))}
			}
			codes := map[helve.Code]int{}
			for _, res := range x.ExecuteAll(helve.WithScope(t.Context(), x.Scope), calls) {
				codes[res.Code()]++
			}
			wantEqual(t, codes, map[helve.Code]int{"": 1, helve.CodeBudgetExhausted: 7})
			wantEqual(t, ran.Load(), 1)
		})
	}
}

func TestBudgetOfCosts(t *testing.T) {
	var fail error
	cost := int64(7)
	con := contract("pay", helve.Write)
	con.Cost = 10
	tool := helve.Must(helve.FuncReply(con, func(context.Context, text) (*helve.Reply, error) {
		return &helve.Reply{Data: "ok", Cost: &cost}, fail
	}))
	x := auto(helvetest.NewExecutor(t, nil, tool))
	x.Scope.Budget = &helve.Budget{ID: "month", Cost: 20}
	spent := func() helve.Spent {
		s, err := x.Store().Spent(t.Context(), "", "id:month")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	wantCode(t, x.Call("pay", `{"text":"1"}`), "")
	wantEqual(t, spent(), helve.Spent{Calls: 1, Cost: 7}) // settled to what it cost
	fail = helve.NotDone(errBackend)
	wantCode(t, x.Call("pay", `{"text":"2"}`), helve.CodeToolFailed)
	wantEqual(t, spent(), helve.Spent{Calls: 2, Cost: 7}) // nothing happened, nothing is paid
	fail = errors.New("connection reset")
	wantCode(t, x.Call("pay", `{"text":"3"}`), helve.CodeToolFailed)
	wantEqual(t, spent().Cost, 17) // it may have happened
	fail = nil
	wantCode(t, x.Call("pay", `{"text":"4"}`), helve.CodeBudgetExhausted)
	wantEqual(t, x.Call("pay", `{"text":"1"}`).Replayed, true) // a replay costs nothing
	// Another run under the same budget shares it.
	x.Scope.Run = "child"
	wantCode(t, x.Call("pay", `{"text":"5"}`), helve.CodeBudgetExhausted)
	wantEqual(t, spent(), helve.Spent{Calls: 3, Cost: 17})
}

// B64: the same failing call again and again, alternating, or with a counter.
func TestB64Loops(t *testing.T) {
	newExecutor := func(t *testing.T, poll int) (*helvetest.Executor, func() int32) {
		t.Helper()
		con := contract("get", helve.Read)
		con.Poll, con.Attempts = poll, 1
		tool, ran := counted(con, func(_ context.Context, in text) (string, error) {
			if strings.HasPrefix(in.Text, "ok") {
				return "ok", nil
			}
			return "", errors.New("not there")
		})
		return helvetest.NewExecutor(t, nil, tool), ran.Load
	}
	fail := func(s string) string { return fmt.Sprintf(`{"text":%q}`, s) }
	t.Run("the same", func(t *testing.T) {
		x, ran := newExecutor(t, 0)
		for i := 1; i <= 4; i++ {
			res := x.Call("get", fail("a"))
			wantCode(t, res, helve.CodeToolFailed)
			if warned := len(res.Warnings) > 0; warned != (i >= 3) {
				t.Errorf("call %d: warned %v", i, warned)
			}
		}
		wantCode(t, x.Call("get", fail("a")), helve.CodeLoopDetected)
		wantEqual(t, ran(), 4)
		wantCode(t, x.Call("get", fail("another thing")), helve.CodeToolFailed)
		x.Scope.Run = "another run"
		wantCode(t, x.Call("get", fail("a")), helve.CodeToolFailed)
	})
	t.Run("alternating", func(t *testing.T) {
		x, ran := newExecutor(t, 0)
		for range 4 {
			x.Call("get", fail("a"))
			x.Call("get", fail("b"))
		}
		wantCode(t, x.Call("get", fail("a")), helve.CodeLoopDetected)
		wantCode(t, x.Call("get", fail("b")), helve.CodeLoopDetected)
		wantEqual(t, ran(), 8)
	})
	t.Run("a counter", func(t *testing.T) {
		x, ran := newExecutor(t, 0)
		var res *helve.Result
		for i := range 12 {
			res = x.Call("get", fail(fmt.Sprintf("try %d", i)))
		}
		wantCode(t, res, helve.CodeLoopDetected)
		wantEqual(t, ran(), 9)
	})
	t.Run("refused before it could run", func(t *testing.T) {
		x, _ := newExecutor(t, 0)
		var res *helve.Result
		for range 5 {
			res = x.Call("get", `{"txt":1}`)
		}
		wantCode(t, res, helve.CodeLoopDetected)
		wantEqual(t, len(res.Error.Faults), 1)
	})
	t.Run("success resets", func(t *testing.T) {
		x, _ := newExecutor(t, 0)
		for i := range 19 {
			if res := x.Call("get", fail("ok")); !res.OK() {
				t.Fatalf("call %d: %s", i+1, envelope(t, res))
			}
		}
		wantCode(t, x.Call("get", fail("ok")), helve.CodeLoopDetected)
	})
	t.Run("polling up to its own limit", func(t *testing.T) {
		x, ran := newExecutor(t, 50)
		for i := range 50 {
			if res := x.Call("get", fail("ok")); !res.OK() {
				t.Fatalf("call %d: %s", i+1, envelope(t, res))
			}
		}
		wantCode(t, x.Call("get", fail("ok")), helve.CodeLoopDetected)
		wantEqual(t, ran(), 50)
	})
}

func TestNestingIsBounded(t *testing.T) {
	var tools []*helve.Tool
	for i := range 7 {
		con := contract(fmt.Sprintf("level%d", i), helve.Read)
		con.Attempts = 1
		if i < 6 {
			con.Uses = []string{fmt.Sprintf("level%d", i+1)}
		}
		tools = append(tools, helve.Must(helve.Func(con, func(ctx context.Context, _ text) (int, error) {
			if i == 6 {
				return 1, nil
			}
			var n int
			err := helve.Invoke(ctx, fmt.Sprintf("level%d", i+1), nothing{}).Decode(&n)
			return n + 1, err
		})))
	}
	x := helvetest.NewExecutor(t, nil, tools...)
	wantData(t, x.Call("level2", `{}`), "5")
	res := x.Call("level1", `{}`)
	if res.OK() || !strings.Contains(envelope(t, res), "at most 4 deep") {
		t.Errorf("envelope: %s", envelope(t, res))
	}
	started := helvetest.Of[helve.CallStarted](x.Events)
	wantEqual(t, []any{started[1].Parent, started[1].Depth}, []any{started[0].CallID, 1})
}

// 64 goroutines, 50 keys: 50 winners.
func TestMemoryLedgerHasOneWinnerAKey(t *testing.T) {
	var mu sync.Mutex
	ran := map[string]int{}
	con := contract("act", helve.Write)
	con.Key = helve.KeyFrom("key")
	tool := helve.Must(helve.Func(con, func(_ context.Context, in keyed) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		ran[in.Key]++
		return in.Key, nil
	}))
	x := auto(helvetest.NewExecutor(t, nil, tool))
	x.Scope.Run = ""
	ctx := helve.WithScope(t.Context(), x.Scope)
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Go(func() {
			for i := range 50 {
				k := fmt.Sprintf("k%d", (i+g)%50)
				if res := x.Execute(ctx, &helve.Call{Tool: "act", Arguments: value(`{"key":"` + k + `"}`)}); string(res.Data) != `"`+k+`"` {
					t.Errorf("result: %s", envelope(t, res))
				}
			}
		})
	}
	wg.Wait()
	for k, n := range ran {
		if n != 1 {
			t.Errorf("%s ran %d times", k, n)
		}
	}
	wantEqual(t, len(ran), 50)
}

// Equal calls are equal as a whole, and the cache hides none of them.
// A call that happened is told as often as it is sent, however many that are like
// it have failed since.
func TestLoopGuardLetsReplaysPass(t *testing.T) {
	con := contract("pay", helve.Write)
	x := auto(helvetest.NewExecutor(t, nil, helve.Must(helve.Func(con, func(_ context.Context, in struct {
		Amount int `json:"amount"`
	},
	) (string, error) {
		if in.Amount > 1 {
			return "", helve.Errorf("refused", "the bank refuses")
		}
		return "paid", nil
	}))))
	x.Scope.Run = "r"
	wantData(t, x.Call("pay", `{"amount":1}`), `"paid"`)
	loops := 0
	for n := 2; n < 20; n++ {
		if x.Call("pay", fmt.Sprintf(`{"amount":%d}`, n)).Code() == helve.CodeLoopDetected {
			loops++
		}
	}
	if loops == 0 {
		t.Fatal("nothing was taken for a loop")
	}
	again := x.Call("pay", `{"amount":1}`)
	wantData(t, again, `"paid"`)
	wantEqual(t, again.Replayed, true)
}

func TestLoopGuardSeesAllOfACall(t *testing.T) {
	con := contract("get", helve.Read)
	con.Idempotent, con.CacheFor = true, time.Hour
	tool, ran := counted(con, done)
	x := helvetest.NewExecutor(t, nil, tool)
	long := strings.Repeat("x", 5000)
	for i := range 30 {
		wantCode(t, x.Call("get", fmt.Sprintf(`{"text":"%s%d"}`, long, i)), "")
	}
	wantEqual(t, ran.Load(), 30)
	for range 19 {
		wantCode(t, x.Call("get", `{}`), "")
	}
	wantCode(t, x.Call("get", `{}`), helve.CodeLoopDetected)
	wantEqual(t, ran.Load(), 31)
}
