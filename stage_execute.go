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
	beat := f.heartbeat(ctx)
	defer beat.end()
	handler := chain(f.tool.handler, f.x.cfg.Middleware)
	attempts := f.tool.c.attempts(f.effect)
	var wait backoff.BackOff
	if reason := f.overAlready(ctx); reason != nil {
		return f.notBegun(reason)
	}
	for {
		f.attempts++
		f.nested.n.Store(0) // a further attempt makes the same calls
		out := f.classify(f.attempt(ctx, beat, handler))
		if !out.again || f.attempts >= attempts {
			return out
		}
		if wait == nil {
			b := backoff.NewExponentialBackOff()
			b.InitialInterval, b.MaxInterval = 100*time.Millisecond, 5*time.Second
			wait = b
		}
		pause := wait.NextBackOff()
		if out.Error != nil && out.Error.RetryAfter > 0 {
			pause = out.Error.RetryAfter
		}
		if pause >= f.remaining() {
			return out
		}
		f.tellRetry(ctx, out, pause)
		if !f.sleep(ctx, pause) || beat.isLost() {
			return out
		}
	}
}

// overAlready returns why a handler is not even begun, or nil: the claim may have
// taken long.
func (f *flight) overAlready(ctx context.Context) *stopError {
	if reason := f.stopReason(ctx); reason != nil {
		return reason
	}
	if f.x.isClosing() {
		return errClosing
	}
	return nil
}

// notBegun is a call that was claimed and then ended before its handler began.
func (f *flight) notBegun(reason *stopError) *outcome {
	out := failedBy(reason)
	if out.state = EntryRetryable; f.resumed { // what it did before its pause is kept
		out.state = EntryReserved
	}
	out.Error = f.ended(reason.contextError()).Error
	return out
}

func (f *flight) tellRetry(ctx context.Context, out *outcome, pause time.Duration) {
	w := f.x.watch
	if len(w.retry) == 0 {
		return
	}
	e := CallRetried{CallInfo: f.info(), Attempt: f.attempts, Wait: pause}
	if out.Error != nil {
		e.Code = out.Error.Code
		if w.content {
			e.Message = f.x.redact.text(out.Error.Message)
		}
	}
	tell(w, w.retry, "retry", func(o RetryObserver) { o.CallRetried(ctx, e) })
}

// exit is how a handler ended, or that it did not.
type exit struct {
	reply   *Reply
	err     error
	stopped *stopError // the executor ended it first
}

// running is a handler in its goroutine, with the context that it sees.
type running struct {
	callContext
	wake chan struct{} // its end, or that of patience

	handing sync.Mutex
	over    bool // it has handed over its exit
	exit    exit
	late    *lateEnd // it was given up
}

// nudge wakes the call's goroutine; one that is awake already is awake.
func (r *running) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// ended returns the exit that was handed over, if it was.
func (r *running) ended(stopped *stopError) (exit, bool) {
	r.handing.Lock()
	defer r.handing.Unlock()
	e := r.exit
	e.stopped = stopped
	return e, r.over
}

// attempt enters the handler once and waits for its end, or for a reason to
// give it up.
func (f *flight) attempt(ctx context.Context, beat *beater, h Handler) exit {
	r := f.enter(ctx, h)
	defer r.end(context.Canceled)
	defer f.x.alarms.unset(r)
	for {
		f.x.alarms.set(r, f.due())
		reason := f.wait(ctx, r, beat.lostClaim())
		if reason == nil {
			if e, over := r.ended(nil); over {
				e.stopped = f.stopReason(ctx)
				return e
			}
			if reason = f.impatient(); reason == nil {
				continue
			}
		}
		return f.giveUp(r, reason)
	}
}

// wait waits until r is woken, or returns why nobody waits for it any longer.
func (f *flight) wait(ctx context.Context, r *running, lost <-chan struct{}) *stopError {
	if f.x.isClosing() { // from here on, it wakes r
		return errClosing
	}
	done := ctx.Done()
	if done == nil && lost == nil {
		<-r.wake
		return nil
	}
	select {
	case <-r.wake:
		return nil
	case <-done:
		return callersReason(ctx)
	case <-lost:
		return errFenced
	}
}

// due is the deadline, or when the handler will have stalled where that is
// sooner.
func (f *flight) due() time.Time {
	if d := f.tool.c.Stall; d > 0 {
		if stalled := f.progress.last(f.started).Add(d); stalled.Before(f.deadline) {
			return stalled
		}
	}
	return f.deadline
}

// impatient returns the reason that patience has run out for, or nil.
func (f *flight) impatient() *stopError {
	if d := f.tool.c.Stall; d > 0 && time.Since(f.progress.last(f.started)) >= d {
		return errStalled
	}
	switch {
	case f.remaining() <= 0:
		return errDeadline
	case f.x.isClosing():
		return errClosing
	}
	return nil
}

// giveUp leaves the handler a short grace to end by itself, then leaves it alone.
func (f *flight) giveUp(r *running, reason *stopError) exit {
	r.end(reason.contextError())
	grace := time.NewTimer(f.x.cfg.Grace)
	defer grace.Stop()
	for waiting := true; waiting; {
		select {
		case <-r.wake: // its end; or patience, which is over anyway
			if e, over := r.ended(reason); over {
				return e
			}
		case <-grace.C:
			waiting = false
		}
	}
	r.handing.Lock()
	defer r.handing.Unlock()
	if r.over { // in the very last moment
		r.exit.stopped = reason
		return r.exit
	}
	r.late = &lateEnd{concluded: make(chan struct{})}
	f.late = r.late
	f.keepArguments()
	return exit{err: reason, stopped: reason}
}

// stopReason says what would have ended the handler that has just ended by
// itself: it may have seen it first. Nil: nothing.
func (f *flight) stopReason(ctx context.Context) *stopError {
	switch {
	case ctx.Err() != nil:
		return callersReason(ctx)
	case f.remaining() <= 0:
		return errDeadline
	}
	return nil
}

// callersReason says why the caller's context is done.
func callersReason(ctx context.Context) *stopError {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errCallers
	}
	return errCanceled
}

// enter runs the handler in a goroutine of its own, so that the call can end
// without it.
func (f *flight) enter(ctx context.Context, h Handler) *running {
	r := &running{wake: make(chan struct{}, 1)}
	r.Context, r.deadline, r.inv = ctx, f.deadline, Invocation{f: f, attempt: f.attempts}
	if f.tool.c.Stall > 0 {
		f.progress.touch(f.started)
	}
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
		r.handing.Lock()
		late := r.late
		if late == nil {
			r.over, r.exit = true, e
		}
		r.handing.Unlock()
		if late != nil {
			f.cameLate(r.Context, late, e)
			return
		}
		r.nudge()
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
	lost  chan struct{} // closed when another holder took the claim over
}

// lostClaim returns a channel that is closed when the claim is lost; a read has
// none to lose.
func (b *beater) lostClaim() <-chan struct{} {
	if b == nil {
		return nil
	}
	return b.lost
}

// isLost reports whether the claim is lost.
func (b *beater) isLost() bool {
	select {
	case <-b.lostClaim():
		return true
	default:
		return false
	}
}

// heartbeat keeps the claim of a call with effects. A claim that another holder
// took over ends the handler.
func (f *flight) heartbeat(ctx context.Context) *beater {
	if f.token == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	every := f.x.cfg.Lease / 3
	b := &beater{lost: make(chan struct{})}
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
			close(b.lost)
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
