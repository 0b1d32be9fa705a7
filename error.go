package helve

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// A Code says what kind of failure a call met. Besides the codes below a tool
// returns codes of its own, which it declares in [Contract.Errors].
type Code string

// The codes of the pipeline. A handler may return CodeInvalidInput, CodeDenied,
// CodeUnavailable, CodeRateLimited and CodeConflict; the others are reserved.
const (
	CodeUnknownTool  Code = "unknown_tool"  // no tool of that name can be called here
	CodeInvalidInput Code = "invalid_input" // the arguments break the contract
	CodeDenied       Code = "denied"        // the policy, or a rule of the executor, says no

	CodeConflict       Code = "conflict"        // the key was used with other arguments
	CodeInProgress     Code = "in_progress"     // the same call is running elsewhere
	CodeOutcomeUnknown Code = "outcome_unknown" // it was sent; whether it happened is not known

	CodeApprovalDenied   Code = "approval_denied"   // a person said no
	CodeApprovalExpired  Code = "approval_expired"  // nobody used the approval in time
	CodeApprovalMismatch Code = "approval_mismatch" // the approval covers another call

	CodeRateLimited     Code = "rate_limited"     // too many calls for now
	CodeBudgetExhausted Code = "budget_exhausted" // the run has spent what it may
	CodeLoopDetected    Code = "loop_detected"    // the same call again and again
	CodeUnavailable     Code = "unavailable"      // something the call needs cannot be reached

	CodeTimeout       Code = "timeout"        // the deadline passed
	CodeCanceled      Code = "canceled"       // the caller gave up
	CodeToolFailed    Code = "tool_failed"    // the handler returned an error
	CodeInvalidOutput Code = "invalid_output" // the result breaks the output schema
	CodeInternal      Code = "internal"       // a panic, or a fault of Helve
)

// CodePending is the code of the [CallError] of a call that waits. It never
// stands in an envelope, which has "pending" there.
const CodePending Code = "pending"

// reserved holds the pipeline's codes; true: a handler may return it as well.
var reserved = map[Code]bool{
	CodeUnknownTool: false, CodeInvalidInput: true, CodeDenied: true, CodeConflict: true,
	CodeInProgress: false, CodeOutcomeUnknown: false, CodeApprovalDenied: false,
	CodeApprovalExpired: false, CodeApprovalMismatch: false, CodeRateLimited: true,
	CodeBudgetExhausted: false, CodeLoopDetected: false, CodeUnavailable: true,
	CodeTimeout: false, CodeCanceled: false, CodeToolFailed: false, CodeInvalidOutput: false,
	CodeInternal: false, CodePending: false,
}

// A Fault is one thing that is wrong with a value; see [schema.Fault].
type Fault = schema.Fault

// An Error is what the model reads when a call fails. A handler that returns
// one says with it that nothing happened; see [NotDone] and [Partial] for the
// other ways to fail.
type Error struct {
	// Code is a code of the pipeline or one of the tool's own.
	Code Code
	// Message is a sentence for the model.
	Message string
	// Retryable says that sending the same call again, unchanged, may succeed
	// and is safe.
	Retryable bool
	// RetryAfter is how long to wait before that. Zero: not known.
	RetryAfter time.Duration
	// Faults lists what is wrong with the arguments, in document order.
	Faults []Fault
	// Suggestion says what to do next.
	Suggestion string
	// Details is any JSON. It is redacted before it is shown.
	Details jsontext.Value

	cause error
}

// Errorf returns an Error whose formatted text the model reads. An error given
// to %w can be found with [errors.Is] and [errors.As]; its text is in the
// message like any other.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: err}
}

// Error returns the code and the message.
func (e *Error) Error() string {
	if e == nil {
		return "no error"
	}
	return string(e.Code) + ": " + e.Message
}

// Unwrap returns the error that e was made of, or nil.
func (e *Error) Unwrap() error { return e.cause }

// A Direction says which side of a contract was broken.
type Direction string

// The two sides of a contract.
const (
	Input  Direction = "input"
	Output Direction = "output"
)

// A CallError is the error of a call for Go callers that want to stop at it.
// See [Result.Err].
type CallError struct {
	Tool   string
	CallID string
	Code   Code
	// Direction is Input or Output where a schema was broken, else "".
	Direction Direction
	// Faults lists what is wrong, in document order.
	Faults []Fault
	// Raw is the value that broke the schema, else nil. It may hold what the
	// model never reads: do not show it without a look.
	Raw jsontext.Value
	// Err is what the model reads; nil for a pending call.
	Err *Error
	// Pending is set for a call that waits.
	Pending *Pending

	cause error
}

// Error returns a sentence with tool, code and message.
func (e *CallError) Error() string {
	if e.Pending != nil {
		return fmt.Sprintf("helve: %s: pending: %s", e.Tool, e.Pending.Reason)
	}
	text := fmt.Sprintf("helve: %s: %s: %s", e.Tool, e.Code, e.Err.Message)
	if e.Tool == "" { // the call named none
		text = fmt.Sprintf("helve: %s: %s", e.Code, e.Err.Message)
	}
	for i, f := range e.Faults {
		if i == 3 {
			return text + "; ..."
		}
		text += "; " + faultText(f)
	}
	return text
}

// faultText says what is wrong in one line. The path of a value as a whole is
// empty.
func faultText(f Fault) string {
	if f.Path == "" {
		return "the value " + f.Problem
	}
	return f.Path + " " + f.Problem
}

// Unwrap returns what the model reads and the handler's own error, so that
// [errors.Is] finds a sentinel that the handler returned.
func (e *CallError) Unwrap() []error {
	var errs []error
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	if e.cause != nil {
		errs = append(errs, e.cause)
	}
	return errs
}

// ErrPending is found in the error of a call that waits for a person.
var ErrPending = errors.New("helve: the call is pending")

// Is reports whether target is ErrPending and e waits.
func (e *CallError) Is(target error) bool { return target == ErrPending && e.Pending != nil }
