package helve

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// check is stage 9: the reply is encoded and held against the output schema. A
// call with effects that fails here was carried out all the same.
func (f *flight) check(out *outcome) {
	if out.Error != nil || out.Pending != nil {
		return
	}
	r := out.reply
	if r == nil {
		r = &Reply{}
	}
	data, replaced, err := encodeData(r.Data, f.tool.typed)
	if p, ok := errors.AsType[*panicError](err); ok {
		_ = f.refer(p, "the result could not be written")
	}
	if err != nil {
		f.badOutput(out, nil, []Fault{{Problem: "cannot be written as JSON"}}, err)
		return
	}
	if f.tool.output != nil {
		if rep := f.tool.output.Validate(data); !rep.OK() {
			f.badOutput(out, data, rep.Faults, nil)
			return
		}
	}
	out.Data, out.Content, out.Note, out.Warnings = data, slices.Clone(r.Content), r.Note, slices.Clone(r.Warnings)
	if replaced > 0 {
		out.Warnings = append(out.Warnings,
			fmt.Sprintf("%d invalid bytes in the result were replaced by U+FFFD.", replaced))
	}
}

// encodeData writes a handler's value as JSON. Bytes that are not UTF-8, as
// commands print them, are replaced and counted, because one of them would make
// a strict reader refuse the whole conversation.
func encodeData(v any, ty *typed) (data jsontext.Value, replaced int, err error) {
	defer func() { // a marshaler is code of the handler too
		if p := recover(); p != nil {
			data, err = nil, &panicError{value: p, stack: debug.Stack()}
		}
	}()
	if ty != nil && ty.encode != nil {
		if data, ok := ty.encode(v); ok {
			return data, 0, nil
		}
	}
	if raw, ok := v.(jsontext.Value); ok {
		if len(raw) == 0 {
			return jsontext.Value("null"), 0, nil
		}
		raw = raw.Clone()
		if !utf8.Valid(raw) {
			raw, replaced = replaceInvalid(raw)
		}
		if err := raw.Compact(); err != nil {
			return nil, 0, err
		}
		return raw, replaced, nil
	}
	data, err = json.Marshal(v, schema.JSONOptions())
	if err == nil {
		return data, 0, nil
	}
	lenient, lerr := json.Marshal(v, schema.JSONOptions(), jsontext.AllowInvalidUTF8(true))
	if lerr != nil {
		return nil, 0, err
	}
	return lenient, bytes.Count(lenient, []byte("\uFFFD")), nil
}

func replaceInvalid(b []byte) (out []byte, replaced int) {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			replaced++
		}
		out = utf8.AppendRune(out, r)
		b = b[size:]
	}
	return out, replaced
}

// badOutput is the tool's own fault: the model cannot mend it by other
// arguments, and the author finds faults and value in the CallError.
func (f *flight) badOutput(out *outcome, data jsontext.Value, faults []Fault, cause error) {
	e := &Error{Code: CodeInvalidOutput, Faults: faults, Message: f.tool.c.Name + " returned a result that breaks its contract"}
	if f.effect == Read {
		e.Suggestion = "Go on without it; sending it again gives the same."
	} else {
		e.Message += "; the action was carried out"
		e.Suggestion = "Do not send it again: the action was carried out."
	}
	if cause == nil {
		cause = errors.New("the result breaks the output schema")
	}
	out.Error, out.cause, out.direction, out.raw = e, cause, Output, data
}
