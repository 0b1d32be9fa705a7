package helve

import (
	"errors"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
	"helve.dev/helve/schema"
)

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

// MarshalJSON writes the envelope as the model reads it. Content blocks stand in
// it without their bytes, with their size.
func (r *Result) MarshalJSON() ([]byte, error) {
	data, known := r.Data, len(r.Data) > 0 && len(r.Data) == len(r.encoded) && &r.Data[0] == &r.encoded[0]
	if r.Truncated != nil {
		data, known = r.shown, false
	}
	// Every call ends here, so it is written by hand; TestEnvelopeIsItsForm holds
	// it against the form.
	w := formWriter{out: make([]byte, 0, 48+len(data)+r.Error.size())}
	w.open()
	w.flag("ok", r.OK())
	switch {
	case known:
		w.name("data")
		w.out = append(w.out, data...)
	case data != nil:
		w.value("data", data)
	}
	if len(r.Content) > 0 {
		w.value("content", contentForms(r.Content))
	}
	w.optional("note", r.Note)
	if r.Replayed {
		w.flag("replayed", true)
	}
	if r.Truncated != nil {
		w.value("truncated", r.Truncated)
	}
	if r.Error != nil {
		w.name("error")
		w.error(r.Error)
	}
	if r.Pending != nil {
		w.value("pending", r.Pending)
	}
	if len(r.Warnings) > 0 {
		w.value("warnings", r.Warnings)
	}
	w.close()
	return w.out, w.err
}

// MarshalJSON writes e as it stands in an envelope.
func (e *Error) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	w := formWriter{out: make([]byte, 0, e.size())}
	w.error(e)
	return w.out, w.err
}

// size is about how many bytes the form of e has.
func (e *Error) size() int {
	if e == nil {
		return 0
	}
	n := 100 + len(e.Message) + len(e.Suggestion) + len(e.Details)
	for _, f := range e.Faults {
		n += 48 + len(f.Path) + len(f.Problem) + len(f.Suggestion)
	}
	return n
}

// A formWriter writes JSON objects member by member.
type formWriter struct {
	out []byte
	err error // the first; what was written does not count then
}

func (w *formWriter) open()  { w.out = append(w.out, '{') }
func (w *formWriter) close() { w.out = append(w.out, '}') }

func (w *formWriter) name(s string) {
	if w.out[len(w.out)-1] != '{' {
		w.out = append(w.out, ',')
	}
	w.out = append(append(append(w.out, '"'), s...), `":`...)
}

// text writes a string. Bytes that are not UTF-8 become U+FFFD.
func (w *formWriter) text(name, s string) {
	w.name(name)
	w.out = jsonx.AppendQuote(w.out, s)
}

func (w *formWriter) optional(name, s string) {
	if s != "" {
		w.text(name, s)
	}
}

func (w *formWriter) flag(name string, v bool) {
	w.name(name)
	w.out = strconv.AppendBool(w.out, v)
}

// value leaves what is rare to the library.
func (w *formWriter) value(name string, v any) {
	w.name(name)
	raw, err := json.Marshal(v, envelopeOptions)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.out = append(w.out, raw...)
}

func (w *formWriter) error(e *Error) {
	w.open()
	w.text("code", string(e.Code))
	w.text("message", e.Message)
	w.flag("retryable", e.Retryable)
	if ms := e.retryAfterMS(); ms != 0 {
		w.name("retry_after_ms")
		w.out = strconv.AppendInt(w.out, ms, 10)
	}
	if len(e.Faults) > 0 {
		w.name("faults")
		for i, f := range e.Faults {
			w.out = append(w.out, "[,"[min(i, 1)])
			w.open()
			w.text("path", f.Path)
			w.text("problem", f.Problem)
			w.optional("suggestion", f.Suggestion)
			w.close()
		}
		w.out = append(w.out, ']')
	}
	w.optional("suggestion", e.Suggestion)
	if e.Details != nil {
		w.value("details", e.Details)
	}
	w.close()
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

// retryAfterMS rounds up, so that nobody comes too early.
func (e *Error) retryAfterMS() int64 {
	return (e.RetryAfter + time.Millisecond - 1).Milliseconds()
}
