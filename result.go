package helve

import (
	"errors"
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
	return json.Unmarshal(r.Data, out, schema.JSONOptions())
}

// envelope is the JSON form of a Result; the order of its fields is a promise.
type envelope struct {
	OK        bool           `json:"ok"`
	Data      jsontext.Value `json:"data,omitzero"`
	Content   []contentForm  `json:"content,omitempty"`
	Note      string         `json:"note,omitempty"`
	Replayed  bool           `json:"replayed,omitzero"`
	Truncated *Truncated     `json:"truncated,omitempty"`
	Error     *errorForm     `json:"error,omitempty"`
	Pending   *Pending       `json:"pending,omitempty"`
	Warnings  []string       `json:"warnings,omitempty"`
}

type errorForm struct {
	Code         Code           `json:"code"`
	Message      string         `json:"message"`
	Retryable    bool           `json:"retryable"`
	RetryAfterMS int64          `json:"retry_after_ms,omitzero"`
	Faults       []Fault        `json:"faults,omitempty"`
	Suggestion   string         `json:"suggestion,omitempty"`
	Details      jsontext.Value `json:"details,omitzero"`
}

// contentForm is a block without its bytes: base64 in text is noise to a model,
// and an adapter hands the bytes over in the provider's own form.
type contentForm struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type,omitempty"`
	Name      string `json:"name,omitempty"`
	URI       string `json:"uri,omitempty"`
	Size      int    `json:"size,omitzero"`
}

func contentForms(blocks []Content) []contentForm {
	var out []contentForm
	for _, c := range blocks {
		out = append(out, contentForm{c.Type, c.MediaType, c.Name, c.URI, len(c.Data)})
	}
	return out
}

func (e *Error) form() *errorForm {
	if e == nil {
		return nil
	}
	return &errorForm{
		e.Code, e.Message, e.Retryable, (e.RetryAfter + time.Millisecond - 1).Milliseconds(),
		e.Faults, e.Suggestion, e.Details,
	}
}

// MarshalJSON writes e as it stands in an envelope.
func (e *Error) MarshalJSON() ([]byte, error) { return json.Marshal(e.form(), envelopeOptions) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Error) UnmarshalJSON(b []byte) error {
	var f errorForm
	if err := json.Unmarshal(b, &f, schema.JSONOptions()); err != nil {
		return err
	}
	*e = *f.error()
	return nil
}

func (f *errorForm) error() *Error {
	return &Error{
		Code: f.Code, Message: f.Message, Retryable: f.Retryable,
		RetryAfter: time.Duration(f.RetryAfterMS) * time.Millisecond,
		Faults:     f.Faults, Suggestion: f.Suggestion, Details: f.Details,
	}
}

// MarshalJSON writes the envelope as the model reads it. Content blocks stand in
// it without their bytes, with their size.
func (r *Result) MarshalJSON() ([]byte, error) {
	data := r.Data
	if r.Truncated != nil {
		data = r.shown
	}
	if r.plain() {
		const before, replayed = `{"ok":true,"data":`, `,"replayed":true`
		out := make([]byte, 0, len(before)+len(data)+len(replayed)+1)
		out = append(append(out, before...), data...)
		if r.Replayed {
			out = append(out, replayed...)
		}
		return append(out, '}'), nil
	}
	return json.Marshal(&envelope{
		OK: r.OK(), Data: data, Content: contentForms(r.Content), Note: r.Note, Replayed: r.Replayed,
		Truncated: r.Truncated, Error: r.Error.form(), Pending: r.Pending, Warnings: r.Warnings,
	}, envelopeOptions)
}

// plain reports whether the envelope holds data and nothing beside it, as most
// do, and the data is still what the pipeline encoded.
func (r *Result) plain() bool {
	return r.OK() && len(r.Data) > 0 && len(r.Data) == len(r.encoded) && &r.Data[0] == &r.encoded[0] && r.Truncated == nil && r.Note == "" && len(r.Content) == 0 && len(r.Warnings) == 0
}

var envelopeOptions = json.JoinOptions(schema.JSONOptions(), jsontext.AllowInvalidUTF8(true))

// UnmarshalJSON reads an envelope. Data is then what the model read, and content
// has no bytes.
func (r *Result) UnmarshalJSON(b []byte) error {
	var e envelope
	if err := json.Unmarshal(b, &e, schema.JSONOptions()); err != nil {
		return err
	}
	if e.OK == (e.Error != nil || e.Pending != nil) || e.Error != nil && e.Pending != nil {
		return errors.New("helve: an envelope has exactly one of data, error and pending")
	}
	*r = Result{
		Data: e.Data, Note: e.Note, Replayed: e.Replayed,
		Truncated: e.Truncated, Pending: e.Pending, Warnings: e.Warnings,
	}
	for _, c := range e.Content {
		r.Content = append(r.Content, Content{Type: c.Type, MediaType: c.MediaType, Name: c.Name, URI: c.URI})
	}
	if e.Truncated != nil {
		r.shown = e.Data
	}
	if e.Error != nil {
		r.Error = e.Error.error()
	}
	return nil
}
