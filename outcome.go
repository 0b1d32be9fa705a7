package helve

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// outcome is what became of a call, from the handler's exit to the envelope: the
// result in the making, and what only the stages need to know of it.
type outcome struct {
	Result
	reply *Reply     // encoded into the result by stage 9
	state EntryState // what the ledger will hold
	again bool       // another attempt may follow
}

// classify says what a handler's exit means: the table "What a handler's exit
// means" of docs/architecture.md, row by row. For reads and repeatable tools a
// failure is plain and may be retried; that is what a handler earns that
// honours its key.
func (f *flight) classify(e exit) (out *outcome) {
	defer func() { // an error's own methods are code of the handler too
		if v := recover(); v != nil {
			out = failedBy(&panicError{value: v, stack: debug.Stack()})
			f.crashed(out, out.cause)
		}
	}()
	if e.err == nil {
		return &outcome{reply: e.reply, state: EntrySucceeded}
	}
	out = failedBy(e.err)
	if p := suspension(e.err); p != nil && f.tool.c.Resumable {
		out.state, out.Pending = EntryReserved, p
		p.Reason = f.x.redact.text(p.Reason)
		return out
	}
	switch own := ownError(e.err); {
	case isPanic(e.err):
		f.crashed(out, e.err)
	case isPartial(e.err):
		f.partly(out, e)
	case own != nil:
		f.said(out, own, isNotDone(e.err))
	case isNotDone(e.err):
		out.state, out.again = EntryRetryable, true
		out.Error = f.failed(e.err)
		out.Error.Retryable = true
	case e.stopped != nil:
		f.stoppedBy(out, e.stopped)
	case f.repeatable():
		out.state, out.again = EntryRetryable, true
		out.Error = f.failed(e.err)
		out.Error.Retryable = true
	default:
		out.state = EntryUnknown
		out.Error = f.failed(e.err)
		out.Error.Message += ". It may have taken effect"
		out.Error.Suggestion = f.verifyHint()
	}
	return out
}

func failedBy(cause error) *outcome { return &outcome{Result: Result{cause: cause}} }

// ownError returns the Error that the handler returned, or nil. An Error inside
// of a CallError speaks of a call that the handler made: what it says is not
// said of the handler, which may have done other things before.
func ownError(err error) *Error {
	switch e := err.(type) { //nolint:errorlint // the walk itself is what differs from errors.As
	case *Error:
		return e
	case *CallError:
		return nil
	case interface{ Unwrap() error }:
		return ownError(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if own := ownError(inner); own != nil {
				return own
			}
		}
	}
	return nil
}

// suspension returns what a handler waits for: what it said with Suspend, or
// what a call that it made waits for.
func suspension(err error) *Pending {
	if s, ok := errors.AsType[*suspendError](err); ok {
		return new(s.pending)
	}
	if c, ok := errors.AsType[*CallError](err); ok && c.Pending != nil {
		return new(*c.Pending)
	}
	return nil
}

func isPanic(err error) bool   { _, ok := errors.AsType[*panicError](err); return ok }
func isPartial(err error) bool { _, ok := errors.AsType[*partialError](err); return ok }
func isNotDone(err error) bool { _, ok := errors.AsType[*notDoneError](err); return ok }

// said is an error that its author wrote for the model: nothing happened.
func (f *flight) said(out *outcome, own *Error, notDone bool) {
	e := *own
	e.Retryable = e.Retryable || notDone
	if mayReturn, taken := reserved[e.Code]; e.Code == "" || taken && !mayReturn {
		e.Code = CodeToolFailed
	}
	for _, spec := range f.tool.c.Errors {
		if spec.Code == e.Code && spec.Retryable {
			e.Retryable = true
		}
	}
	out.Error, out.state, out.again = &e, EntryFailed, e.Retryable
	if e.Retryable {
		out.state = EntryRetryable
	}
	if e.Code == CodeInvalidInput && len(e.Faults) > 0 {
		out.direction = Input
	}
}

// failed is a plain failure with its text, or a reference to it.
func (f *flight) failed(err error) *Error {
	if f.x.cfg.HideErrorText {
		e := f.refer(err, "the tool failed")
		e.Code, e.cause = CodeToolFailed, err
		return e
	}
	return &Error{Code: CodeToolFailed, Message: clip(f.x.redact.text(err.Error()), maxErrorText), cause: err}
}

const maxErrorText = 2000

// crashed is a panic or Goexit: the stack is for the log only.
func (f *flight) crashed(out *outcome, err error) {
	out.Error = f.refer(err, "the tool crashed")
	out.state = EntryRetryable
	if !f.repeatable() {
		f.notKnown(out, out.Error.Message)
	}
}

// stoppedBy is a deadline, a stall, a cancellation or a lost claim.
func (f *flight) stoppedBy(out *outcome, s *stopError) {
	if !f.repeatable() {
		f.notKnown(out, s.text)
		return
	}
	out.state = EntryRetryable
	out.Error = &Error{Code: s.code, Message: s.text, Retryable: true, cause: s}
	switch s {
	case errDeadline:
		out.Error.Message = fmt.Sprintf("%s (%s)", s.text, f.deadline.Sub(f.started))
	case errStalled:
		out.Error.Message = fmt.Sprintf("%s (%s)", s.text, f.tool.c.Stall)
	}
}

func (f *flight) notKnown(out *outcome, why string) {
	out.state = EntryUnknown
	out.Error = &Error{
		Code:       CodeOutcomeUnknown,
		Message:    fmt.Sprintf("%s was sent, and then %s: it may or may not have happened", f.tool.c.Name, why),
		Suggestion: f.verifyHint(), cause: out.cause,
	}
}

// partly is a failure of a handler that had done a part.
func (f *flight) partly(out *outcome, e exit) {
	p, _ := errors.AsType[*partialError](e.err)
	inner := f.classify(exit{err: p.err, stopped: e.stopped})
	out.Error, out.state, out.Pending = inner.Error, EntryUnknown, nil
	if out.Error == nil { // a suspension cannot be partial
		out.Error = f.failed(p.err)
	}
	out.Error.Details = partialDetails(e.err)
	if f.repeatable() {
		if f.effect == Read {
			out.state = EntryRetryable
		}
		return
	}
	out.Error.Retryable = false
	out.Error.Suggestion = "A part of it was done, see details. " + f.verifyHint()
}
