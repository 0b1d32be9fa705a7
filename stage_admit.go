package helve

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// admit is stage 6: what bounds a call that may run. Credentials are fetched
// here, before anything is claimed.
func (f *flight) admit(ctx context.Context) *Result {
	if e := f.x.loops.check(f); e != nil {
		if f.unasked { // what happened already is told, however often
			if res := f.askLedger(ctx); res != nil {
				return res
			}
		}
		return f.fail(e)
	}
	if res := f.cached(); res != nil {
		return res
	}
	if res := f.limit(ctx); res != nil {
		return res
	}
	admitted := false
	defer func() {
		if !admitted {
			f.release()
		}
	}()
	if res := f.fetchCredentials(ctx); res != nil {
		return res
	}
	if res := f.reserveBudget(ctx); res != nil {
		return res
	}
	admitted = true
	return nil
}

// limit applies the tool's rate and concurrency.
func (f *flight) limit(ctx context.Context) *Result {
	l := f.x.limits.of(f.tool)
	if l == nil {
		return nil
	}
	if wait := l.take(time.Now()); wait > 0 {
		r := f.tool.c.Rate
		return f.fail(&Error{
			Code: CodeRateLimited, Retryable: true, RetryAfter: wait,
			Message:    fmt.Sprintf("%s may be called %d times in %s; nothing was done", f.tool.c.Name, r.Calls, r.Per),
			Suggestion: "Wait, then send the same call again.",
		})
	}
	ok, err := l.enter(ctx, f)
	if err != nil {
		return f.ended(err)
	}
	if !ok {
		return f.fail(&Error{
			Code: CodeRateLimited, Retryable: true, RetryAfter: time.Second,
			Message:    fmt.Sprintf("%d calls of %s are running already, and none ended in time; nothing was done", f.tool.c.Limit, f.tool.c.Name),
			Suggestion: "Wait, then send the same call again.",
		})
	}
	f.slot = l.leave
	return nil
}

// ended is the result of a call that was ended before its handler began.
func (f *flight) ended(cause error) *Result {
	code, text := CodeCanceled, "the call was canceled before anything was done"
	if errors.Is(cause, context.DeadlineExceeded) {
		code, text = CodeTimeout, "the deadline passed before anything was done"
	}
	return f.fail(&Error{Code: code, Message: text, Retryable: true, cause: cause})
}

// release gives back what admit took.
func (f *flight) release() {
	if f.slot != nil {
		f.slot()
		f.slot = nil
	}
}

func (f *flight) fetchCredentials(ctx context.Context) *Result {
	names := f.tool.c.Credentials
	if len(names) == 0 {
		return nil
	}
	ctx, cancel := context.WithDeadline(ctx, f.deadline)
	defer cancel()
	f.secrets = make(map[string]Secret, len(names))
	if f.callIdentity != &unidentified {
		f.shown = nil // what is learnt now is hidden from now on
	}
	for _, name := range names {
		s, err := f.resolveCredential(ctx, name)
		if err == nil && s.IsZero() {
			err = errors.New("it is empty")
		}
		if err != nil {
			return f.unavailable(fmt.Sprintf("the credential %q", name), err)
		}
		f.x.redact.learn(s)
		f.secrets[name] = s
	}
	return nil
}

func (f *flight) resolveCredential(ctx context.Context, name string) (s Secret, err error) {
	if f.x.cfg.Credentials == nil {
		return Secret{}, errors.New("the executor has no Config.Credentials")
	}
	defer func() {
		if v := recover(); v != nil {
			s, err = Secret{}, &panicError{value: v}
		}
	}()
	return f.x.cfg.Credentials.Resolve(ctx, f.scope, name)
}

// reserveBudget takes what the call may cost. A call with effects takes it in
// its claim, in the same transaction.
func (f *flight) reserveBudget(ctx context.Context) *Result {
	key := f.scope.budgetKey()
	if key == "" {
		return nil
	}
	r := Reservation{
		ID: newID("rs_"), Tenant: f.scope.Tenant, Budget: key, Limit: *f.scope.Budget, Calls: 1, Cost: f.tool.c.Cost,
		Lease: f.remaining() + f.x.cfg.Grace + settleTime, Read: f.effect == Read,
	}
	if f.effect == Read {
		if err := f.x.cfg.Store.Reserve(ctx, r); err != nil {
			return f.claimFailed(ctx, err)
		}
	}
	f.reserved = &r
	return nil
}
