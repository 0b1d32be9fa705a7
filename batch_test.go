package helve_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

// B27: results come in call order, whatever ends first.
func TestB27ResultsInCallOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool, _ := counted(contract("wait", helve.Read), func(_ context.Context, in text) (string, error) {
			d, _ := time.ParseDuration(in.Text)
			time.Sleep(d)
			return in.Text, nil
		})
		denied, _ := counted(contract("denied", helve.Read), done)
		x := helvetest.NewExecutor(t, &helve.Config{Policy: helve.Rules{{Tools: []string{"denied"}}}}, tool, denied)
		res := x.ExecuteAll(t.Context(), []*helve.Call{
			{ID: "c1", Tool: "wait", Arguments: value(`{"text":"3s"}`)},
			{ID: "c2", Tool: "wait", Arguments: value(`{"text":"1s"}`)},
			{ID: "c3", Tool: "denied"},
			{ID: "c2", Tool: "wait", Arguments: value(`{"text":"2s"}`)},
			{Tool: "wait", Arguments: value(`{"text":"0s"}`)},
			nil,
		})
		var ids []string
		for _, r := range res {
			ids = append(ids, r.CallID)
		}
		wantEqual(t, ids[:4], []string{"c1", "c2", "c3", "c2-2"})
		if ids[4] == "" || ids[5] == "" || ids[4] == ids[5] {
			t.Errorf("empty ids were not issued: %q", ids)
		}
		wantEqual(t, string(res[0].Data)+string(res[1].Data)+string(res[3].Data), `"3s""1s""2s"`)
		wantCode(t, res[2], helve.CodeDenied)
		wantCode(t, res[5], helve.CodeUnknownTool)
	})
}

// B28: one that panics, one that is canceled, one that fails: the others stand.
func TestB28SiblingsStand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ok, _ := counted(contract("ok", helve.Read), done)
		crash, _ := counted(contract("crash", helve.Read), func(context.Context, text) (string, error) { panic("boom") })
		fail, _ := counted(contract("fail", helve.Read, func(c *helve.Contract) { c.Attempts = 1 }), func(context.Context, text) (string, error) {
			return "", errors.New("no")
		})
		hang, _ := counted(contract("hang", helve.Read), func(ctx context.Context, _ text) (string, error) {
			time.AfterFunc(time.Second, cancel)
			<-ctx.Done()
			return "", ctx.Err()
		})
		write, wrote := counted(contract("write", helve.Write), done)
		x := helvetest.NewExecutor(t, nil, ok, crash, fail, hang, write)
		res := x.ExecuteAll(helve.WithScope(ctx, helve.Scope{Autonomy: helve.Auto}), []*helve.Call{
			{ID: "a", Tool: "ok"}, {ID: "b", Tool: "crash"}, {ID: "c", Tool: "fail"}, {ID: "d", Tool: "hang"}, {ID: "e", Tool: "write"},
		})
		var codes []helve.Code
		for _, r := range res {
			codes = append(codes, r.Code())
		}
		wantEqual(t, codes, []helve.Code{"", helve.CodeInternal, helve.CodeToolFailed, helve.CodeCanceled, helve.CodeCanceled})
		wantEqual(t, wrote.Load(), 0) // it had not begun when the turn was canceled
	})
}

func TestBarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var log []string
		var inside atomic.Int32
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			log = append(log, what)
		}
		read, _ := counted(contract("read", helve.Read), func(_ context.Context, in text) (string, error) {
			inside.Add(1)
			time.Sleep(time.Second)
			inside.Add(-1)
			note("r" + in.Text)
			return "", nil
		})
		write, _ := counted(contract("write", helve.Write), func(_ context.Context, in text) (string, error) {
			note("w" + in.Text)
			if inside.Load() != 0 {
				t.Error("a write ran beside a read")
			}
			return "", nil
		})
		x := auto(helvetest.NewExecutor(t, nil, read, write))
		var calls []*helve.Call
		for i, name := range []string{"read", "read", "write", "read", "read", "write"} {
			calls = append(calls, &helve.Call{Tool: name, Arguments: value(fmt.Sprintf(`{"text":"%d"}`, i))})
		}
		began := time.Now()
		x.ExecuteAll(helve.WithScope(t.Context(), x.Scope), calls)
		wantEqual(t, time.Since(began), 2*time.Second)
		wantEqual(t, []string{log[2], log[5]}, []string{"w2", "w5"})
	})
}

func TestParallelLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, _ := counted(contract("read", helve.Read), func(context.Context, text) (string, error) {
			time.Sleep(time.Second)
			return "", nil
		})
		x := helvetest.NewExecutor(t, &helve.Config{Parallel: 2}, read)
		calls := make([]*helve.Call, 5)
		for i := range calls {
			calls[i] = &helve.Call{Tool: "read"}
		}
		began := time.Now()
		x.ExecuteAll(t.Context(), calls)
		wantEqual(t, time.Since(began), 3*time.Second)
	})
}

// B38: two bodies under one key: one execution, the other body conflicts.
func TestB38OneKeyTwoBodies(t *testing.T) {
	con := contract("pay", helve.Write)
	con.Key = helve.KeyFrom("key")
	var ran atomic.Int32
	tool := helve.Must(helve.Func(con, func(_ context.Context, in keyed) (string, error) {
		ran.Add(1)
		return in.Other, nil
	}))
	x := auto(helvetest.NewExecutor(t, nil, tool))
	ctx := helve.WithScope(t.Context(), x.Scope)
	var wg sync.WaitGroup
	var ok, conflict atomic.Int32
	for i := range 20 {
		wg.Go(func() {
			res := x.Execute(ctx, &helve.Call{Tool: "pay", Arguments: value(fmt.Sprintf(`{"key":"k","other":"body %d"}`, i%2))})
			switch res.Code() {
			case "":
				ok.Add(1)
			case helve.CodeConflict:
				conflict.Add(1)
			default:
				t.Errorf("result: %s", envelope(t, res))
			}
		})
	}
	wg.Wait()
	wantEqual(t, []int32{ran.Load(), ok.Load(), conflict.Load()}, []int32{1, 10, 10})
}

func TestInProgressWaitsThenTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		con := contract("long", helve.Write)
		con.Timeout = time.Hour
		tool, ran := counted(con, func(context.Context, text) (string, error) {
			time.Sleep(20 * time.Second)
			return "done", nil
		})
		slow := contract("longer", helve.Write)
		slow.Timeout = time.Hour
		slower, _ := counted(slow, func(context.Context, text) (string, error) {
			time.Sleep(5 * time.Minute)
			return "done", nil
		})
		x := auto(helvetest.NewExecutor(t, nil, tool, slower))
		ctx := helve.WithScope(t.Context(), x.Scope)
		for _, name := range []string{"long", "longer"} {
			go x.Execute(ctx, &helve.Call{Tool: name})
		}
		synctest.Wait()
		waited := x.Call("long", ``)
		wantData(t, waited, `"done"`)
		wantEqual(t, []any{waited.Replayed, ran.Load()}, []any{true, int32(1)})
		busy := x.Call("longer", ``) // waits 30 s, and the heartbeat keeps the lease alive
		wantCode(t, busy, helve.CodeInProgress)
		wantEqual(t, busy.Error.Retryable && busy.Error.RetryAfter > 0, true)
		time.Sleep(10 * time.Minute)
	})
}

// A holder that died after it started leaves unknown, never a second run.
func TestDeadHolder(t *testing.T) {
	for _, repeatable := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			store := helve.NewMemoryStore(nil)
			con := contract("act", helve.Write)
			con.Key, con.Idempotent = helve.KeyFrom("key"), repeatable
			ran := 0
			tool := helve.Must(helve.Func(con, func(context.Context, keyed) (string, error) { ran++; return "done", nil }))
			x := auto(helvetest.NewExecutor(t, &helve.Config{Store: store}, tool))
			// Another process claims the key, starts, and is killed.
			dead := helve.Entry{Token: helve.Token{LedgerKey: helve.LedgerKey{Scope: "act", Key: "argument:k"}}, Repeatable: repeatable}
			dead.Fingerprint = fingerprint(t, `{"key":"k"}`)
			if _, err := store.Claim(t.Context(), &helve.ClaimParams{Entry: &dead, Lease: helve.DefaultLease}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			res := x.Call("act", `{"key":"k"}`)
			if repeatable {
				wantData(t, res, `"done"`)
				wantEqual(t, ran, 1)
				return
			}
			wantCode(t, res, helve.CodeOutcomeUnknown)
			wantEqual(t, ran, 0)
		})
	}
}

// fingerprint returns what the ledger knows these arguments by, learned from an
// executor of its own.
func fingerprint(t *testing.T, args string) helve.Digest {
	t.Helper()
	con := contract("act", helve.Write)
	con.Key = helve.KeyFrom("key")
	tool := helve.Must(helve.Func(con, func(context.Context, keyed) (string, error) { return "", nil }))
	x := auto(helvetest.NewExecutor(t, nil, tool))
	x.Call("act", args)
	return entryOf(t, x, "act", "argument:k").Fingerprint
}
