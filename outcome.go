package helve

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/go-json-experiment/json/jsontext"
)

// outcome is what became of a call, from the handler's exit to the envelope.
type outcome struct {
	reply    *Reply
	data     jsontext.Value // encoded by stage 9, redacted by stage 10
	content  []Content
	note     string
	warnings []string
	err      *Error
	pending  *Pending
	replayed bool

	state     EntryState // what the ledger will hold
	again     bool       // another attempt may follow
	cause     error
	direction Direction
	raw       jsontext.Value
}

// classify says what a handler's exit means: the table "What a handler's exit
// means" of docs/architecture.md, row by row. For reads and repeatable tools a
// failure is plain and may be retried; that is what a handler earns that
// honours its key.
func (f *flight) classify(e exit) (out *outcome) {
	defer func() { // an error's own methods are code of the handler too
		if v := recover(); v != nil {
			out = &outcome{}
			out.cause = &panicError{value: v, stack: debug.Stack()}
			f.crashed(out, out.cause)
		}
	}()
	if e.err == nil {
		return &outcome{reply: e.reply, state: EntrySucceeded}
	}
	out = &outcome{cause: e.err}
	if p := suspension(e.err); p != nil && f.tool.c.Resumable {
		out.state, out.pending = EntryReserved, p
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
		out.err = f.failed(e.err)
		out.err.Retryable = true
	case e.stopped != nil:
		f.stoppedBy(out, e.stopped)
	case f.repeatable():
		out.state, out.again = EntryRetryable, true
		out.err = f.failed(e.err)
		out.err.Retryable = true
	default:
		out.state = EntryUnknown
		out.err = f.failed(e.err)
		out.err.Message += ". It may have taken effect"
		out.err.Suggestion = f.verifyHint()
	}
	return out
}

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
	out.err, out.state, out.again = &e, EntryFailed, e.Retryable
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
	out.err = f.refer(err, "the tool crashed")
	out.state = EntryRetryable
	if !f.repeatable() {
		f.notKnown(out, out.err.Message)
	}
}

// stoppedBy is a deadline, a stall, a cancellation or a lost claim.
func (f *flight) stoppedBy(out *outcome, s *stopError) {
	if !f.repeatable() {
		f.notKnown(out, s.text)
		return
	}
	out.state = EntryRetryable
	out.err = &Error{Code: s.code, Message: s.text, Retryable: true, cause: s}
	switch s {
	case errDeadline:
		out.err.Message = fmt.Sprintf("%s (%s)", s.text, f.deadline.Sub(f.started))
	case errStalled:
		out.err.Message = fmt.Sprintf("%s (%s)", s.text, f.tool.c.Stall)
	}
}

func (f *flight) notKnown(out *outcome, why string) {
	out.state = EntryUnknown
	out.err = &Error{
		Code:       CodeOutcomeUnknown,
		Message:    fmt.Sprintf("%s was sent, and then %s: it may or may not have happened", f.tool.c.Name, why),
		Suggestion: f.verifyHint(), cause: out.cause,
	}
}

// partly is a failure of a handler that had done a part.
func (f *flight) partly(out *outcome, e exit) {
	p, _ := errors.AsType[*partialError](e.err)
	inner := f.classify(exit{err: p.err, stopped: e.stopped})
	out.err, out.state, out.pending = inner.err, EntryUnknown, nil
	if out.err == nil { // a suspension cannot be partial
		out.err = f.failed(p.err)
	}
	out.err.Details = partialDetails(e.err)
	if f.repeatable() {
		if f.effect == Read {
			out.state = EntryRetryable
		}
		return
	}
	out.err.Retryable = false
	out.err.Suggestion = "A part of it was done, see details. " + f.verifyHint()
}
