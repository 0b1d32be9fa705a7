package helve

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// A Result is the envelope: exactly one of Data, Error and Pending is set. It
// belongs to the caller of Execute and is not safe for concurrent changes.
//
// A result has three views. Data is the whole value, for programs. The JSON
// form is what the model reads, cut to the contract's size. [Render] makes what
// a person sees.
type Result struct {
	// Tool is the tool's own name, or the name as called where no tool was found.
	Tool string
	// CallID is the call's id, or the one that was issued where it had none.
	CallID string

	// Data is the handler's result, whole. Nil unless the call succeeded.
	Data jsontext.Value
	// Content holds blocks beside the data: images, audio, files, links.
	Content []Content
	// Note is a remark of the handler to the model.
	Note string
	// Error says why the call failed.
	Error *Error
	// Pending says what the call waits for.
	Pending *Pending
	// Replayed says that the ledger answered and no handler ran.
	Replayed bool
	// Cached says that the read cache answered and no handler ran.
	Cached bool
	// Truncated says how much of Data the model reads. Nil: all of it.
	Truncated *Truncated
	// Warnings are remarks of the pipeline to the model.
	Warnings []string

	// Duration is the time from Execute to its return.
	Duration time.Duration
	// Attempts is how often the handler was entered.
	Attempts int

	shown     jsontext.Value // the cut data, where Truncated is set
	encoded   jsontext.Value // Data as the pipeline encoded it: compact and valid
	direction Direction
	raw       jsontext.Value
	cause     error
	render    func(*Result, Surface) string
}

// A Pending says what a call waits for. Sending the same call again asks for
// its state and runs it once it may.
type Pending struct {
	// Approval is the id of the approval that a person has to decide on.
	Approval string `json:"approval,omitempty"`
	// Question, Run and Task are what a resumable handler waits for instead.
	Question string `json:"question,omitempty"`
	Run      string `json:"run,omitempty"`
	Task     string `json:"task,omitempty"`
	// Reason is a sentence for the model and the person.
	Reason string `json:"reason"`
	// Expires is when waiting ends. Zero: never.
	Expires time.Time `json:"expires,omitzero"`
}

// A Truncated says how much of the data the model reads.
type Truncated struct {
	// Kept of Total units are shown.
	Kept  int `json:"kept"`
	Total int `json:"total"`
	// Unit is "items", "lines", "characters" or "bytes".
	Unit string `json:"unit"`
	// Path is the JSON Pointer of the part that was cut. Empty: the root.
	Path string `json:"path,omitempty"`
	// Next says how to get the rest, where the contract declares paging.
	Next string `json:"next,omitempty"`
}

// OK reports whether the call succeeded.
func (r *Result) OK() bool { return r.Error == nil && r.Pending == nil }

// Code returns the code of a failed call, [CodePending] for one that waits and
// "" for one that succeeded.
func (r *Result) Code() Code {
	switch {
	case r.Pending != nil:
		return CodePending
	case r.Error != nil:
		return r.Error.Code
	}
	return ""
}

// Err returns nil when the call succeeded, else a [*CallError]. It is never a
// typed nil. For a pending call errors.Is(err, [ErrPending]) holds.
func (r *Result) Err() error {
	if r.OK() {
		return nil
	}
	e := &CallError{
		Tool: r.Tool, CallID: r.CallID, Code: r.Code(), Direction: r.direction,
		Raw: r.raw, Err: r.Error, Pending: r.Pending, cause: r.cause,
	}
	if r.Error != nil {
		e.Faults = r.Error.Faults
	}
	return e
}

// Decode decodes the whole data into out, a pointer. A result without data is
// an error, which is [Result.Err] where there is one.
func (r *Result) Decode(out any) error {
	if err := r.Err(); err != nil {
		return err
	}
	if len(r.Data) == 0 {
		return errors.New("helve: " + r.Tool + ": the result has no data")
	}
	if err := json.Unmarshal(r.Data, out, schema.JSONOptions()); err != nil {
		return fmt.Errorf("helve: decode the data of %s: %w", r.Tool, err)
	}
	return nil
}
