package helve

import (
	"slices"
)

// shape is stage 11: the envelope, cut to size with guidance.
func (f *flight) shape(out *outcome) *Result {
	res := &Result{
		Data: out.data, Content: out.content, Note: out.note, Error: out.err, Pending: out.pending,
		Replayed: out.replayed, Warnings: slices.Clip(out.warnings),
		direction: out.direction, raw: out.raw, cause: out.cause,
	}
	if res.Error != nil {
		res.Data = nil
	}
	if d := f.tool.c.Deprecated; d != "" {
		res.Warnings = append(res.Warnings, "This tool is deprecated: "+d)
	}
	f.cut(res)
	return res
}

// cut makes the view of the model fit its bound.
func (f *flight) cut(res *Result) {
	limit := f.tool.c.MaxOutput
	if limit == 0 {
		limit = f.x.cfg.MaxOutput
	}
	// Most results are far below the bound: an envelope adds little to its data.
	if len(res.Data)+len(res.Note) < limit/2 && len(res.Content) == 0 && res.Error == nil && len(res.Warnings) == 0 {
		return
	}
	whole, err := res.MarshalJSON()
	if err != nil || len(whole) <= limit {
		return
	}
	if res.Error != nil {
		f.cutError(res, limit)
		return
	}
	over := len(whole) - len(res.Data) + envelopeSpare
	res.shown, res.Truncated = cutData(res.Data, limit-over, f.validOutput)
	if res.Truncated == nil { // the data fits, the rest does not
		f.dropContent(res)
		return
	}
	res.Truncated.Next = f.next(res.Truncated)
	if whole, err := res.MarshalJSON(); err == nil && len(whole) > limit {
		f.dropContent(res)
	}
}

// envelopeSpare is room for what a cut adds to the envelope.
const envelopeSpare = 200

func (f *flight) validOutput(data []byte) bool {
	return f.tool.output == nil || f.tool.output.Validate(data).OK()
}

// dropContent leaves blocks and notes out that do not fit beside the data.
func (f *flight) dropContent(res *Result) {
	if n := len(res.Content); n > 0 {
		res.Content = nil
		res.Warnings = append(res.Warnings, "Attached content was left out: it is too large.")
	}
	res.Note = clip(res.Note, 500)
}

// cutError shortens the long parts of an error.
func (f *flight) cutError(res *Result, limit int) {
	e := *res.Error
	e.Message = clip(e.Message, 1000)
	e.Suggestion = clip(e.Suggestion, 500)
	if len(e.Details) > limit/4 {
		e.Details = nil
		res.Warnings = append(res.Warnings, "The details were left out: they are too large.")
	}
	if len(e.Faults) > 4 {
		e.Faults = e.Faults[:4]
	}
	res.Error = &e
}
