package helve_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

// The context of a handler is a context like any other: its deadline is the
// earlier one, and what is derived from it ends with it.
func TestHandlerContext(t *testing.T) {
	type userKey struct{}
	run := func(t *testing.T, caller func(context.Context) (context.Context, context.CancelFunc), handler func(context.Context) error) *helve.Result {
		t.Helper()
		con := contract("act", helve.Read)
		con.Timeout, con.Attempts = 10*time.Second, 1
		tool := helve.Must(helve.Func(con, func(ctx context.Context, _ text) (string, error) { return "done", handler(ctx) }))
		x := helvetest.NewExecutor(t, nil, tool)
		ctx, cancel := caller(context.WithValue(t.Context(), userKey{}, "ann"))
		defer cancel()
		return x.Execute(ctx, &helve.Call{Tool: "act"})
	}
	within := func(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
		return func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, d) }
	}
	plain := func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }

	synctest.Test(t, func(t *testing.T) {
		run(t, plain, func(ctx context.Context) error {
			d, ok := ctx.Deadline()
			wantEqual(t, []any{ctx.Value(userKey{}), ok, time.Until(d), ctx.Err()}, []any{"ann", true, 10 * time.Second, nil})
			return nil
		})
		run(t, within(time.Second), func(ctx context.Context) error {
			d, _ := ctx.Deadline()
			wantEqual(t, time.Until(d), time.Second)
			return nil
		})
	})
	ends := map[string]struct {
		caller func(context.Context) (context.Context, context.CancelFunc)
		err    error
		code   helve.Code
	}{
		"by its deadline": {plain, context.DeadlineExceeded, helve.CodeTimeout},
		"by the caller's": {within(time.Second), context.DeadlineExceeded, helve.CodeTimeout},
		"by the caller's cancel": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		}, context.Canceled, helve.CodeCanceled},
	}
	for name, c := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				res := run(t, c.caller, func(ctx context.Context) error {
					derived, cancel := context.WithCancel(ctx)
					defer cancel()
					bounded, cancelBounded := context.WithTimeout(derived, time.Hour)
					defer cancelBounded()
					after := make(chan struct{})
					context.AfterFunc(ctx, func() { close(after) })
					stopped := context.AfterFunc(ctx, func() { t.Error("what was stopped ran") })
					wantEqual(t, []bool{stopped(), stopped()}, []bool{true, false})
					<-bounded.Done()
					<-derived.Done()
					<-ctx.Done()
					<-after
					late := make(chan struct{})
					wantEqual(t, context.AfterFunc(ctx, func() { close(late) })(), false)
					<-late
					if !errors.Is(ctx.Err(), c.err) || !errors.Is(derived.Err(), c.err) {
						t.Errorf("errors: %v, %v, want %v", ctx.Err(), derived.Err(), c.err)
					}
					return ctx.Err()
				})
				wantCode(t, res, c.code)
			})
		})
	}
	// It ends with its handler, so that nothing derived from it lives on.
	var kept context.Context
	run(t, plain, func(ctx context.Context) error { kept = ctx; return nil }) //nolint:fatcontext // that it is kept is the point
	<-kept.Done()
	if kept.Err() == nil {
		t.Error("the context of a handler outlives it")
	}
}
