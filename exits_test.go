package helve_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
	"helve.dev/helve/schema"
)

// entryOf returns the only entry of a test's ledger for the tool with args.
func entryOf(t *testing.T, x *helvetest.Executor, tool, key string) *helve.Entry {
	t.Helper()
	e, err := x.Store().Recall(t.Context(), &helve.RecallParams{LedgerKey: helve.LedgerKey{Tenant: x.Scope.Tenant, Scope: tool, Key: key}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

type exitCase struct {
	name  string
	exit  func(ctx context.Context, in keyed) (*helve.Reply, error)
	store func(*helvetest.FailingStore)

	code  helve.Code // of a tool that is not repeatable
	says  string
	state helve.EntryState
	again string // what the same call meets next: "replay", "runs", or a code

	safeCode  helve.Code // of a repeatable one
	safeState helve.EntryState
}

type keyed struct {
	Key   string `json:"key"`
	Other string `json:"other,omitzero"`
}

var errBackend = errors.New("connection reset by peer")

var exitCases = []exitCase{
	{
		name:  "a value",
		exit:  func(context.Context, keyed) (*helve.Reply, error) { return &helve.Reply{Data: "done"}, nil },
		state: helve.EntrySucceeded, again: "replay", safeState: helve.EntrySucceeded,
	},
	{
		name: "an Error",
		exit: func(context.Context, keyed) (*helve.Reply, error) {
			return nil, helve.Errorf("invalid_due", "it is past")
		},
		code:  "invalid_due",
		state: helve.EntryFailed, again: "replay", safeCode: "invalid_due", safeState: helve.EntryFailed,
	},
	{
		name: "a retryable Error",
		exit: func(context.Context, keyed) (*helve.Reply, error) {
			return nil, &helve.Error{Code: helve.CodeRateLimited, Message: "slow down", Retryable: true}
		},
		code: helve.CodeRateLimited, state: helve.EntryRetryable, again: "runs",
		safeCode: helve.CodeRateLimited, safeState: helve.EntryRetryable,
	},
	{
		name: "an Error with a reserved code",
		exit: func(context.Context, keyed) (*helve.Reply, error) {
			return nil, helve.Errorf(helve.CodeBudgetExhausted, "mine")
		},
		code: helve.CodeToolFailed, state: helve.EntryFailed, again: "replay",
		safeCode: helve.CodeToolFailed, safeState: helve.EntryFailed,
	},
	{
		name: "NotDone",
		exit: func(context.Context, keyed) (*helve.Reply, error) { return nil, helve.NotDone(errBackend) },
		code: helve.CodeToolFailed, state: helve.EntryRetryable, again: "runs",
		safeCode: helve.CodeToolFailed, safeState: helve.EntryRetryable,
	},
	{
		name: "any other error",
		exit: func(context.Context, keyed) (*helve.Reply, error) { return nil, fmt.Errorf("save: %w", errBackend) },
		code: helve.CodeToolFailed, says: "may have taken effect", state: helve.EntryUnknown, again: string(helve.CodeOutcomeUnknown),
		safeCode: helve.CodeToolFailed, safeState: helve.EntryRetryable,
	},
	{
		name: "a panic",
		exit: func(context.Context, keyed) (*helve.Reply, error) { panic("boom") },
		code: helve.CodeOutcomeUnknown, says: "crashed", state: helve.EntryUnknown, again: string(helve.CodeOutcomeUnknown),
		safeCode: helve.CodeInternal, safeState: helve.EntryRetryable,
	},
	{
		name: "Goexit",
		exit: func(context.Context, keyed) (*helve.Reply, error) { runtime.Goexit(); return nil, nil },
		code: helve.CodeOutcomeUnknown, says: "crashed", state: helve.EntryUnknown, again: string(helve.CodeOutcomeUnknown),
		safeCode: helve.CodeInternal, safeState: helve.EntryRetryable,
	},
	{
		name: "the deadline",
		exit: func(ctx context.Context, _ keyed) (*helve.Reply, error) {
			<-ctx.Done()
			return nil, fmt.Errorf("wait: %w", ctx.Err())
		},
		code: helve.CodeOutcomeUnknown, says: "deadline", state: helve.EntryUnknown, again: string(helve.CodeOutcomeUnknown),
		safeCode: helve.CodeTimeout, safeState: helve.EntryRetryable,
	},
	{
		name: "a value that breaks the output schema",
		exit: func(context.Context, keyed) (*helve.Reply, error) { return &helve.Reply{Data: 5}, nil },
		code: helve.CodeInvalidOutput, says: "carried out", state: helve.EntrySucceeded, again: "replay",
		safeCode: helve.CodeInvalidOutput, safeState: helve.EntrySucceeded,
	},
	{
		name: "Partial",
		exit: func(context.Context, keyed) (*helve.Reply, error) {
			return nil, helve.Partial(map[string]int{"sent": 2}, errBackend)
		},
		code: helve.CodeToolFailed, says: "A part of it was done", state: helve.EntryUnknown, again: string(helve.CodeOutcomeUnknown),
		safeCode: helve.CodeToolFailed, safeState: helve.EntryUnknown,
	},
	{
		name:  "a failed settle",
		exit:  func(context.Context, keyed) (*helve.Reply, error) { return &helve.Reply{Data: "done"}, nil },
		store: func(s *helvetest.FailingStore) { s.Fail("Finish", errors.New("disk full")) },
		code:  helve.CodeOutcomeUnknown, says: "could not be recorded", state: helve.EntryRunning,
		safeCode: helve.CodeUnavailable, safeState: helve.EntryRunning,
	},
}

// TestHandlerExits holds the table of handler exits, row by row: envelope,
// ledger, and what the same call meets next.
func TestHandlerExits(t *testing.T) {
	for _, c := range exitCases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testExit(t, c, false, c.code, c.state) })
		})
		t.Run(c.name+" of a repeatable tool", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testExit(t, c, true, c.safeCode, c.safeState) })
		})
	}
}

func testExit(t *testing.T, c exitCase, repeatable bool, code helve.Code, state helve.EntryState) {
	t.Helper()
	var store helvetest.FailingStore
	if c.store != nil {
		c.store(&store)
	}
	entered := 0
	con := contract("act", helve.Write)
	con.Key, con.Idempotent, con.Attempts = helve.KeyFrom("key"), repeatable, 1
	con.Output = schema.MustParse(`{"type":"string"}`)
	tool := helve.Must(helve.FuncReply(con, func(ctx context.Context, in keyed) (*helve.Reply, error) {
		entered++
		return c.exit(ctx, in)
	}))
	x := auto(helvetest.NewExecutor(t, &helve.Config{Store: &store}, tool))
	res := x.Call("act", `{"key":"k"}`)
	wantCode(t, res, code)
	e := entryOf(t, x, "act", "argument:k")
	if e == nil || e.State != state {
		t.Fatalf("the ledger holds %+v, want state %s", e, state)
	}
	if repeatable {
		return
	}
	if c.says != "" && !strings.Contains(envelope(t, res), c.says) {
		t.Errorf("the envelope does not say %q: %s", c.says, envelope(t, res))
	}
	if c.code == helve.CodeOutcomeUnknown && res.Error.Retryable {
		t.Error("an unknown outcome is told as retryable")
	}
	if c.again == "" {
		return
	}
	next := x.Call("act", `{"key":"k"}`)
	wantEntered := 1
	switch c.again {
	case "replay":
		wantEqual(t, next.Replayed, true)
		wantCode(t, next, code)
	case "runs":
		wantEntered = 2
		wantEqual(t, next.Replayed, false)
	default:
		wantCode(t, next, helve.Code(c.again))
	}
	wantEqual(t, entered, wantEntered)
	// Where nothing happened, the key is free for other arguments.
	free := state == helve.EntryFailed || state == helve.EntryRetryable
	other := x.Call("act", `{"key":"k","other":"x"}`)
	if got := other.Code() != helve.CodeConflict; got != free {
		t.Errorf("other arguments under the key: free is %v, want %v: %s", got, free, envelope(t, other))
	}
}

func TestSuspendNeedsResumable(t *testing.T) {
	for _, resumable := range []bool{true, false} {
		entered, resumed := 0, false
		con := contract("ask", helve.Write)
		con.Key, con.Resumable = helve.KeyFrom("key"), resumable
		tool := helve.Must(helve.Func(con, func(ctx context.Context, _ keyed) (string, error) {
			entered++
			if entered == 1 {
				return "", helve.Suspend(helve.Pending{Question: "Which account?", Reason: "it waits for an answer"})
			}
			resumed = helve.InvocationFrom(ctx).Resumed()
			return "paid", nil
		}))
		x := auto(helvetest.NewExecutor(t, nil, tool))
		res := x.Call("ask", `{"key":"k"}`)
		if !resumable {
			wantCode(t, res, helve.CodeToolFailed)
			continue
		}
		wantEqual(t, res.Pending.Question, "Which account?")
		e := entryOf(t, x, "ask", "argument:k")
		wantEqual(t, e.State, helve.EntryReserved)
		wantEqual(t, e.Lease, 0)
		wantData(t, x.Call("ask", `{"key":"k"}`), `"paid"`)
		wantEqual(t, resumed, true)
		wantEqual(t, x.Call("ask", `{"key":"k"}`).Replayed, true)
		wantEqual(t, entered, 2)
	}
}

// B36: the backend commits and the reply is lost.
func TestB36LostReply(t *testing.T) {
	hits := 0
	con := contract("charge", helve.Write)
	con.Verify = "charges"
	charge := helve.Must(helve.Func(con, func(context.Context, text) (string, error) {
		hits++
		return "", errors.New("read: connection reset")
	}))
	charges := helve.Must(helve.Func(contract("charges", helve.Read), done))
	x := auto(helvetest.NewExecutor(t, nil, charge, charges))
	first := x.Call("charge", `{"text":"5 EUR"}`)
	wantCode(t, first, helve.CodeToolFailed)
	wantEqual(t, first.Error.Retryable, false)
	if !strings.Contains(first.Error.Suggestion, "charges") {
		t.Errorf("the model is not told how to check: %s", first.Error.Suggestion)
	}
	wantCode(t, x.Call("charge", `{"text":"5 EUR"}`), helve.CodeOutcomeUnknown)
	wantEqual(t, hits, 1)
}

func TestReconcileFindsOut(t *testing.T) {
	for _, happened := range []bool{true, false} {
		hits := 0
		con := contract("charge", helve.Write)
		tool := helve.Must(helve.Func(con, func(context.Context, text) (string, error) {
			if hits++; hits == 1 {
				return "", errBackend
			}
			return "charged", nil
		})).WithReconcile(func(context.Context, *helve.Invocation) (*helve.Reply, bool, error) {
			return &helve.Reply{Data: "found"}, happened, nil
		})
		x := auto(helvetest.NewExecutor(t, nil, tool))
		wantCode(t, x.Call("charge", `{}`), helve.CodeToolFailed)
		res := x.Call("charge", `{}`)
		if happened {
			wantData(t, res, `"found"`)
			wantEqual(t, []any{hits, res.Replayed}, []any{1, true})
		} else {
			wantData(t, res, `"charged"`)
			wantEqual(t, hits, 2)
		}
	}
}

// A handler that ignores its context: the call ends without it, and what comes
// late is recorded.
func TestLateResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		con := contract("slow", helve.Write)
		con.Timeout, con.Key = time.Second, helve.KeyFrom("key")
		tool := helve.Must(helve.Func(con, func(context.Context, keyed) (string, error) {
			time.Sleep(time.Minute) // ignores its context
			return "done after all", nil
		}))
		x := auto(helvetest.NewExecutor(t, nil, tool))
		began := time.Now()
		wantCode(t, x.Call("slow", `{"key":"k"}`), helve.CodeOutcomeUnknown)
		if d := time.Since(began); d > 2*time.Second {
			t.Errorf("the call took %s", d)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		late := helvetest.Of[helve.CallLate](x.Events)
		if len(late) != 1 || !late[0].Recorded || late[0].State != helve.EntrySucceeded {
			t.Fatalf("late results: %+v", late)
		}
		again := x.Call("slow", `{"key":"k"}`)
		wantData(t, again, `"done after all"`)
		wantEqual(t, again.Replayed, true)
	})
}

func TestStallGuardFedByProgress(t *testing.T) {
	run := func(t *testing.T, every time.Duration) *helve.Result {
		t.Helper()
		con := contract("steady", helve.Read)
		con.Stall, con.Attempts = 10*time.Second, 1
		tool := helve.Must(helve.Func(con, func(ctx context.Context, _ text) (string, error) {
			for i := range 5 {
				select {
				case <-time.After(every):
				case <-ctx.Done():
					return "", ctx.Err()
				}
				helve.Progress(ctx, float64(i+1), 5, "step")
			}
			return "done", nil
		}))
		con.Timeout = time.Hour
		x := helvetest.NewExecutor(t, &helve.Config{Timeout: time.Hour}, tool)
		return x.Call("steady", `{}`)
	}
	synctest.Test(t, func(t *testing.T) { wantData(t, run(t, 9*time.Second), `"done"`) })
	synctest.Test(t, func(t *testing.T) {
		res := run(t, 11*time.Second)
		wantCode(t, res, helve.CodeTimeout)
		if !strings.Contains(res.Error.Message, "no progress") {
			t.Errorf("message: %s", res.Error.Message)
		}
	})
}

// One timer serves all calls of an executor: each ends at its own deadline all
// the same, whatever order they began in, and one that ended early wakes nobody.
func TestEachCallEndsAtItsOwnDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tools []*helve.Tool
		for seconds := range 10 {
			con := contract(fmt.Sprintf("wait_%d", seconds), helve.Read)
			con.Attempts, con.Timeout = 1, time.Duration(seconds+1)*time.Second
			tools = append(tools, helve.Must(helve.Func(con, func(ctx context.Context, _ text) (string, error) {
				if seconds%3 == 1 {
					return "at once", nil
				}
				<-ctx.Done()
				return "", ctx.Err()
			})))
		}
		x := helvetest.NewExecutor(t, nil, tools...)
		var calls sync.WaitGroup
		began := time.Now()
		for i := range 10 {
			n := 7 * i % 10
			calls.Go(func() {
				res, took := x.Call(fmt.Sprintf("wait_%d", n), `{}`), time.Duration(0)
				if n%3 == 1 {
					wantData(t, res, `"at once"`)
				} else {
					took = time.Duration(n+1) * time.Second
					wantCode(t, res, helve.CodeTimeout)
				}
				wantEqual(t, time.Since(began), took)
			})
		}
		calls.Wait()
	})
}

func TestCancellationReturnsEvenWhenIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		tool := helve.Must(helve.Func(contract("stuck", helve.Read), func(context.Context, text) (string, error) {
			<-stuck
			return "late", nil
		}))
		x := helvetest.NewExecutor(t, nil, tool)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		res := x.Execute(ctx, &helve.Call{Tool: "stuck"})
		wantCode(t, res, helve.CodeCanceled)
		wantEqual(t, time.Since(began), time.Second+helve.DefaultGrace)
		close(stuck)
	})
}

func TestPartialAtTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		con := contract("scan", helve.Read)
		con.Timeout = time.Second
		tool := helve.Must(helve.Func(con, func(ctx context.Context, _ text) (string, error) {
			<-ctx.Done()
			return "", helve.Partial([]string{"a", "b"}, ctx.Err())
		}))
		x := helvetest.NewExecutor(t, nil, tool)
		res := x.Call("scan", `{}`)
		wantCode(t, res, helve.CodeTimeout)
		wantEqual(t, string(res.Error.Details), `{"partial":["a","b"]}`)
	})
}

func TestPlainErrorTextIsHiddenOnDemand(t *testing.T) {
	tool, _ := counted(contract("act", helve.Write), func(context.Context, text) (string, error) {
		return "", errors.New("table users is locked")
	})
	x := auto(helvetest.NewExecutor(t, &helve.Config{HideErrorText: true}, tool))
	e := envelope(t, x.Call("act", `{}`))
	if strings.Contains(e, "locked") || !strings.Contains(e, "reference ref_") {
		t.Errorf("envelope: %s", e)
	}
	open := auto(helvetest.NewExecutor(t, nil, tool))
	if e := envelope(t, open.Call("act", `{}`)); !strings.Contains(e, "table users is locked") {
		t.Errorf("without the option the text is not told: %s", e)
	}
}

// What a call inside a handler says of itself is not said of the handler.
func TestNestedFailureIsNotTheHandlersWord(t *testing.T) {
	inner := helve.Must(helve.Func(contract("inner", helve.Read), func(context.Context, text) (string, error) {
		return "", helve.Errorf("not_found", "no such file")
	}))
	wrap := func(name string, how func(error) error) *helve.Tool {
		con := contract(name, helve.Write)
		con.Uses = []string{"inner"}
		return helve.Must(helve.Func(con, func(ctx context.Context, _ text) (string, error) {
			return "", how(helve.Invoke(ctx, "inner", nothing{}).Err())
		}))
	}
	x := auto(helvetest.NewExecutor(t, nil, inner,
		wrap("plain", func(err error) error { return fmt.Errorf("after a write: %w", err) }),
		wrap("not_done", helve.NotDone),
		wrap("own", func(err error) error { return helve.Errorf("own", "nothing was done: %w", err) })))
	plain := x.Call("plain", `{}`)
	wantCode(t, plain, helve.CodeToolFailed)
	if !strings.Contains(envelope(t, plain), "may have taken effect") || !strings.Contains(envelope(t, plain), "no such file") {
		t.Errorf("envelope: %s", envelope(t, plain))
	}
	wantCode(t, x.Call("plain", `{}`), helve.CodeOutcomeUnknown)
	wantEqual(t, x.Call("not_done", `{}`).Error.Retryable, true)
	wantCode(t, x.Call("own", `{}`), "own")
}

type badError struct{}

func (*badError) Error() string { panic("the error itself") }

type badValue struct{}

func (badValue) MarshalJSON() ([]byte, error) { panic("the value itself") }

// Code of the handler also runs after it has returned: errors and values have
// methods. Whatever they do, the call is settled.
func TestPanicsAfterTheHandler(t *testing.T) {
	var typedNil *helve.Error
	for name, c := range map[string]struct {
		data  any
		err   error
		code  helve.Code
		state helve.EntryState
	}{
		"an error that panics": {nil, &badError{}, helve.CodeOutcomeUnknown, helve.EntryUnknown},
		"a value that panics":  {badValue{}, nil, helve.CodeInvalidOutput, helve.EntrySucceeded},
		"a value without JSON": {make(chan int), nil, helve.CodeInvalidOutput, helve.EntrySucceeded},
		"raw JSON that is bad": {value(`{"a":`), nil, helve.CodeInvalidOutput, helve.EntrySucceeded},
		"a typed nil":          {"ok", typedNil, "", helve.EntrySucceeded},
	} {
		t.Run(name, func(t *testing.T) {
			con := contract("act", helve.Write)
			con.Key = helve.KeyFrom("key")
			tool := helve.Must(helve.FuncReply(con, func(context.Context, keyed) (*helve.Reply, error) {
				return &helve.Reply{Data: c.data}, c.err
			}))
			x := auto(helvetest.NewExecutor(t, nil, tool))
			wantCode(t, x.Call("act", `{"key":"k"}`), c.code)
			wantEqual(t, entryOf(t, x, "act", "argument:k").State, c.state)
		})
	}
}

func TestCallersDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool := helve.Must(helve.Func(contract("wait", helve.Read), func(ctx context.Context, _ text) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}))
		x := helvetest.NewExecutor(t, nil, tool)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		res := x.Execute(ctx, &helve.Call{Tool: "wait"})
		wantCode(t, res, helve.CodeTimeout)
		wantEqual(t, res.Error.Message, "the caller's deadline passed")
	})
}

// A late exit that cannot even be read harms nobody.
func TestLateExitThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, err := range []error{helve.NotDone(&badError{}), &badError{}} {
			con := contract("slow", helve.Write)
			con.Timeout, con.Key = time.Second, helve.KeyFrom("key")
			tool := helve.Must(helve.Func(con, func(context.Context, keyed) (string, error) {
				time.Sleep(time.Minute)
				return "", err
			}))
			x := auto(helvetest.NewExecutor(t, nil, tool))
			wantCode(t, x.Call("slow", `{"key":"k"}`), helve.CodeOutcomeUnknown)
			time.Sleep(2 * time.Minute)
			wantCode(t, x.Call("slow", `{"key":"k"}`), helve.CodeOutcomeUnknown)
		}
	})
}
