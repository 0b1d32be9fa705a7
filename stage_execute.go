package helve

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// run is stage 8: deadline, stall guard, cancellation, retries, panic guard,
// middleware, handler.
func (f *flight) run(ctx context.Context) *outcome {
	if f.effect != Read {
		defer f.x.cache.forget(f)
	}
	hctx, cancel := context.WithDeadlineCause(ctx, f.deadline, errDeadline)
	defer cancel()
	f.cancel = cancel
	beat := f.heartbeat(ctx)
	defer beat.end()
	handler := chain(f.tool.handler, f.x.cfg.Middleware)
	attempts := f.tool.c.attempts(f.effect)
	var wait backoff.BackOff
	for {
		f.attempts++
		out := f.classify(f.attempt(hctx, handler))
		if !out.again || f.attempts >= attempts || hctx.Err() != nil {
			return out
		}
		if wait == nil {
			b := backoff.NewExponentialBackOff()
			b.InitialInterval, b.MaxInterval = 100*time.Millisecond, 5*time.Second
			wait = b
		}
		pause := wait.NextBackOff()
		if out.err != nil && out.err.RetryAfter > 0 {
			pause = out.err.RetryAfter
		}
		if pause >= f.remaining() {
			return out
		}
		f.tellRetry(hctx, out, pause)
		if !f.sleep(hctx, pause) {
			return out
		}
	}
}

func (f *flight) tellRetry(ctx context.Context, out *outcome, pause time.Duration) {
	w := f.x.watch
	if len(w.retry) == 0 {
		return
	}
	e := CallRetried{CallInfo: f.info(), Attempt: f.attempts, Wait: pause}
	if out.err != nil {
		e.Code = out.err.Code
		if w.content {
			e.Message = f.x.redact.text(out.err.Message)
		}
	}
	tell(w, w.retry, "retry", func(o RetryObserver) { o.CallRetried(ctx, e) })
}

// stop ends the handler for a reason; the first one counts.
func (f *flight) stop(reason *stopError) {
	f.stopped.CompareAndSwap(nil, reason)
	f.cancel()
}

// exit is how a handler ended, or that it did not.
type exit struct {
	reply   *Reply
	err     error
	stopped *stopError // the executor ended it first
}

// running is a handler in its goroutine, and the context that it sees.
type running struct {
	context.Context
	inv  Invocation
	done chan exit

	mu   sync.Mutex
	over bool     // it has handed over its exit
	late *lateEnd // it was given up
}

// attempt enters the handler once and waits for its end, or for a reason to
// give it up.
func (f *flight) attempt(hctx context.Context, h Handler) exit {
	r := f.enter(hctx, h)
	var stall <-chan time.Time
	var timer *time.Timer
	if d := f.tool.c.Stall; d > 0 {
		timer = time.NewTimer(d)
		defer timer.Stop()
		stall = timer.C
	}
	for {
		var reason *stopError
		select {
		case e := <-r.done:
			if hctx.Err() != nil {
				e.stopped = f.stopReason(hctx)
			}
			return e
		case <-hctx.Done():
			reason = f.stopReason(hctx)
		case <-f.x.closing:
			reason = errClosing
		case <-stall:
			if left := f.tool.c.Stall - f.progress.since(); left > 0 {
				timer.Reset(left)
				continue
			}
			reason = errStalled
		}
		f.stop(reason)
		return f.giveUp(r, reason)
	}
}

// giveUp leaves the handler a short grace to end by itself, then leaves it alone.
func (f *flight) giveUp(r *running, reason *stopError) exit {
	grace := time.NewTimer(f.x.cfg.Grace)
	defer grace.Stop()
	select {
	case e := <-r.done:
		e.stopped = reason
		return e
	case <-grace.C:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over { // in the very last moment
		e := <-r.done
		e.stopped = reason
		return e
	}
	r.late = &lateEnd{settled: make(chan struct{})}
	f.late = r.late
	return exit{err: reason, stopped: reason}
}

// stopReason says why the context of a handler is done.
func (f *flight) stopReason(hctx context.Context) *stopError {
	if s := f.stopped.Load(); s != nil {
		return s
	}
	if s, ok := errors.AsType[*stopError](context.Cause(hctx)); ok {
		return s
	}
	if errors.Is(hctx.Err(), context.DeadlineExceeded) {
		return errCallers
	}
	return errCanceled
}

// Value makes the invocation known to what the handler calls.
func (r *running) Value(key any) any {
	if key == (invocationKey{}) {
		return &r.inv
	}
	return r.Context.Value(key)
}

// enter runs the handler in a goroutine of its own, so that the call can end
// without it.
func (f *flight) enter(hctx context.Context, h Handler) *running {
	r := &running{Context: hctx, inv: Invocation{f: f, attempt: f.attempts}, done: make(chan exit, 1)}
	f.progress.touch()
	f.x.handlers.enter(true)
	go f.handle(r, h)
	return r
}

// handle is the handler's goroutine: whatever the handler does, it ends here.
func (f *flight) handle(r *running, h Handler) {
	defer f.x.handlers.leave()
	e := exit{err: errGoexit}
	defer func() {
		if v := recover(); v != nil {
			e = exit{err: &panicError{value: v, stack: debug.Stack()}}
		}
		r.mu.Lock()
		late := r.late
		if late == nil {
			r.over = true
			r.done <- e
		}
		r.mu.Unlock()
		if late != nil {
			f.cameLate(r.Context, late, e)
		}
	}()
	reply, err := h(r, &r.inv)
	if own, ok := err.(*Error); ok && own == nil { //nolint:errorlint // the nil pointer in an interface that was meant as nil
		err = nil
	}
	e = exit{reply: reply, err: err}
}

// beater prolongs the lease while a handler runs.
type beater struct {
	mu    sync.Mutex
	timer *time.Timer
	over  bool
}

// heartbeat keeps the claim of a call with effects. A claim that another holder
// took over ends the handler.
func (f *flight) heartbeat(ctx context.Context) *beater {
	if f.token == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	every := f.x.cfg.Lease / 3
	b := &beater{}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer = time.AfterFunc(every, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.over {
			return
		}
		ctx, cancel := context.WithTimeout(ctx, every)
		defer cancel()
		err := f.x.cfg.Store.Beat(ctx, *f.token, f.x.cfg.Lease)
		if errors.Is(err, ErrFenced) {
			f.stop(errFenced)
			return
		}
		if err != nil {
			f.x.cfg.Logger.Warn("a heartbeat failed", "tool", f.tool.c.Name, "call", f.id, "error", f.x.redact.text(err.Error()))
		}
		b.timer.Reset(every)
	})
	return b
}

// end stops the heartbeat and waits for one that is under way.
func (b *beater) end() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	b.timer.Stop()
}
