package helve

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"helve.dev/helve/schema"
)

// NotDone wraps an error of which the handler knows that nothing happened: the
// call failed, may be sent again unchanged, and is tried again where the
// contract allows more than one attempt. NotDone(nil) is nil.
func NotDone(err error) error {
	if err == nil {
		return nil
	}
	return &notDoneError{err}
}

type notDoneError struct{ err error }

func (e *notDoneError) Error() string { return e.err.Error() }
func (e *notDoneError) Unwrap() error { return e.err }

// Partial wraps an error of a handler that did a part before it failed, was
// cancelled or ran out of time. Data, any value that JSON can carry, is told to
// the model; the ledger then holds the outcome of a call with effects as
// unknown. Partial(data, nil) is nil.
func Partial(data any, err error) error {
	if err == nil {
		return nil
	}
	return &partialError{data, err}
}

type partialError struct {
	data any
	err  error
}

func (e *partialError) Error() string { return e.err.Error() }
func (e *partialError) Unwrap() error { return e.err }

// Suspend returns the error with which a handler of a [Contract.Resumable] tool
// waits for something: the call is pending with p, and the same call enters the
// handler again. A handler that is not resumable fails with it.
func Suspend(p Pending) error { return &suspendError{p} }

type suspendError struct{ pending Pending }

func (e *suspendError) Error() string { return "suspended: " + e.pending.Reason }

// panicError is a panic or Goexit of a handler. Its text is for the log.
type panicError struct {
	value  any
	stack  []byte
	goexit bool
}

func (e *panicError) Error() string {
	if e.goexit {
		return "the handler called runtime.Goexit"
	}
	return fmt.Sprintf("panic: %v", e.value)
}

// Unwrap returns the error that was panicked with, if it was one.
func (e *panicError) Unwrap() error {
	err, _ := e.value.(error)
	return err
}

var errGoexit = &panicError{goexit: true}

// stopError is why the executor ended a handler that did not end by itself.
type stopError struct {
	code Code // timeout or canceled
	text string
}

func (e *stopError) Error() string { return e.text }

// contextError is what a handler sees in its context.
func (e *stopError) contextError() error {
	if e.code == CodeTimeout {
		return context.DeadlineExceeded
	}
	return context.Canceled
}

var (
	errDeadline = &stopError{CodeTimeout, "the deadline passed"}
	errCallers  = &stopError{CodeTimeout, "the caller's deadline passed"}
	errStalled  = &stopError{CodeTimeout, "the tool reported no progress for too long"}
	errCanceled = &stopError{CodeCanceled, "the call was canceled"}
	errClosing  = &stopError{CodeCanceled, "the executor was closed"}
	errFenced   = &stopError{CodeCanceled, "another holder took the call over"}
)

// partialDetails returns what a handler had done before it failed, as details.
func partialDetails(err error) []byte {
	p, ok := errors.AsType[*partialError](err)
	if !ok {
		return nil
	}
	raw, merr := json.Marshal(map[string]any{"partial": p.data}, envelopeOptions, schema.JSONOptions())
	if merr != nil {
		return nil
	}
	return raw
}
