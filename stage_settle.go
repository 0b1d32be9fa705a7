package helve

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// settleTime bounds what is written once a call has ended, whatever has become
// of its context.
const settleTime = 10 * time.Second

// settle is stage 10: redaction, then one transaction for ledger, budget and
// audit.
func (f *flight) settle(ctx context.Context, out *outcome) {
	f.redactOutcome(out)
	if f.effect == Read {
		f.x.cache.keep(f, out)
	}
	if f.token == nil && f.reserved == nil {
		return
	}
	p := &FinishParams{Token: f.token, State: out.state, Settle: f.settlement(out)}
	if f.token != nil {
		p.Record = f.record(out)
		entry := f.auditEntry(AuditFinished)
		entry.State = out.state
		if out.Error != nil {
			entry.Code = out.Error.Code
		}
		p.Audit = []AuditEntry{entry}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := f.x.cfg.Store.Finish(ctx, p); err != nil {
		f.notSettled(out, err)
	}
}

// redactOutcome takes secrets out before anything is stored or shown. A result
// is searched for registered values only, never rewritten by pattern.
func (f *flight) redactOutcome(out *outcome) {
	r := f.x.redact
	out.Data = r.data(out.Data)
	out.Note = r.values(out.Note)
	for i, w := range out.Warnings {
		out.Warnings[i] = r.values(w)
	}
	for i, c := range out.Content {
		out.Content[i].Name, out.Content[i].URI = r.values(c.Name), r.text(c.URI)
	}
	out.Warnings = append(out.Warnings, f.warnings...)
	if f.approval != nil && f.approval.Edited != nil {
		out.Warnings = append(out.Warnings, "The person who approved changed the arguments; what ran is "+string(r.arguments(f.args, f.tool.secrets)))
	}
	if out.Error != nil {
		out.Error = r.error(out.Error)
	}
}

// record is what the ledger keeps of an outcome.
func (f *flight) record(out *outcome) *Record {
	if out.state == EntryReserved {
		return nil
	}
	r := &Record{Data: out.Data, Content: out.Content, Note: out.Note, Error: out.Error, Warnings: out.Warnings}
	size := len(r.Data)
	for _, c := range r.Content {
		size += len(c.Data)
	}
	if size > f.x.cfg.MaxKept {
		r.Data, r.Content, r.Dropped = nil, nil, true
	}
	return r
}

// settlement says what was really spent. Where nothing happened the call
// counts, and costs nothing.
func (f *flight) settlement(out *outcome) *Settlement {
	if f.reserved == nil {
		return nil
	}
	s := &Settlement{Reservation: *f.reserved, SpentCalls: 1, SpentCost: f.reserved.Cost}
	switch {
	case f.attempts == 0:
		s.SpentCalls, s.SpentCost = 0, 0
	case out.state == EntryFailed, out.state == EntryRetryable, out.state == EntryReserved:
		s.SpentCost = 0
	case out.reply != nil && out.reply.Cost != nil:
		s.SpentCost = max(0, *out.reply.Cost)
	}
	return s
}

// notSettled is a call that ended and could not be recorded.
func (f *flight) notSettled(out *outcome, err error) {
	f.x.cfg.Logger.Error("an outcome could not be recorded", "tool", f.tool.c.Name, "call", f.id,
		"state", string(out.state), "error", f.x.redact.text(err.Error()))
	if f.token == nil {
		return // a read: its result stands, only the budget is off
	}
	*out = outcome{Result: Result{cause: err}, state: EntryUnknown}
	if f.repeatable() {
		out.Error = &Error{
			Code: CodeUnavailable, Retryable: true, RetryAfter: time.Second,
			Message: "the call ran, but its outcome could not be recorded", Suggestion: "Send the same call again.",
		}
		return
	}
	why := "its outcome could not be recorded"
	if errors.Is(err, ErrFenced) {
		why = "another holder took the call over"
	}
	f.notKnown(out, why)
}

// lateEnd joins a handler that was given up with the end of its call: until
// then the call's goroutine owns the flight.
type lateEnd struct{ concluded chan struct{} }

// cameLate records what a handler returned after its call had its result: it
// resolves an unknown outcome in the ledger, and is told either way. It runs in
// the handler's goroutine.
func (f *flight) cameLate(ctx context.Context, late *lateEnd, e exit) {
	defer func() { // nobody above this goroutine would catch it
		if v := recover(); v != nil {
			f.x.cfg.Logger.Error("a late result could not be handled", "tool", f.tool.c.Name, "call", f.id, "panic", f.x.redact.text(fmt.Sprint(v)))
		}
	}()
	<-late.concluded
	ended := time.Now()
	out := f.classifyLate(e)
	l := CallLate{CallInfo: f.info(), State: out.state, After: time.Since(f.deadline)}
	if l.After < 0 {
		l.After = ended.Sub(f.started)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	entry := f.auditEntry(AuditLate)
	entry.State = out.state
	if f.token != nil && out.state != EntryUnknown && out.state != EntryReserved {
		err := f.x.cfg.Store.Finish(ctx, &FinishParams{Token: f.token, State: out.state, Record: f.record(out), Audit: []AuditEntry{entry}})
		l.Recorded = err == nil
		if l.Recorded {
			f.x.late.add(f, out)
		}
		if err != nil {
			f.x.cfg.Logger.Error("a late result could not be recorded", "tool", f.tool.c.Name, "call", f.id, "error", f.x.redact.text(err.Error()))
		}
	}
	if !l.Recorded {
		f.audit(ctx, entry)
	}
	f.x.cache.forget(f)
	tell(f.x.watch, f.x.watch.late, "late", func(o LateObserver) { o.CallLate(ctx, l) })
}

// classifyLate is classify, check and redaction for a late exit. What the
// handler says of itself counts; a plain error stays unknown.
func (f *flight) classifyLate(e exit) *outcome {
	if isPanic(e.err) {
		f.x.cfg.Logger.Error("a handler crashed after its call had ended", "tool", f.tool.c.Name, "call", f.id, "error", f.x.redact.text(e.err.Error()))
		return &outcome{state: EntryUnknown}
	}
	out := &outcome{state: EntryUnknown}
	switch own := ownError(e.err); {
	case e.err == nil:
		out.reply, out.state = e.reply, EntrySucceeded
		f.check(out)
	case isPartial(e.err):
	case own != nil:
		f.said(out, own, isNotDone(e.err))
	case isNotDone(e.err):
		out.state, out.Error = EntryRetryable, f.failed(e.err)
		out.Error.Retryable = true
	}
	out.Warnings = append(out.Warnings, fmt.Sprintf("The result came %s after the call was sent.", time.Since(f.started).Round(time.Millisecond)))
	f.redactOutcome(out)
	return out
}
