package helve

import (
	"slices"
)

// shape is stage 11: the envelope, cut to size with guidance.
func (f *flight) shape(out *outcome) *Result {
	out.reply = nil // the caller keeps the result, and nothing else
	res := &out.Result
	res.Warnings, res.encoded = slices.Clone(out.Warnings), out.Data
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
	rest := len(whole) - len(res.Data)
	if rest > limit/2 { // remarks give way to data
		f.cutRemarks(res, limit/4)
		if whole, err = res.MarshalJSON(); err != nil || len(whole) <= limit {
			return
		}
		rest = len(whole) - len(res.Data)
	}
	res.shown, res.Truncated = cutData(res.Data, limit-rest-envelopeSpare, f.validOutput)
	if res.Truncated != nil {
		res.Truncated.Next = f.next(res.Truncated)
	}
}

// envelopeSpare is room for what a cut adds to the envelope.
const envelopeSpare = 200

func (f *flight) validOutput(data []byte) bool {
	return f.tool.output == nil || f.tool.output.Validate(data).OK()
}

// cutRemarks shortens note, warnings and the list of content to about n bytes.
func (f *flight) cutRemarks(res *Result, n int) {
	res.Note = clip(res.Note, n/2)
	for i, w := range res.Warnings {
		res.Warnings[i] = clip(w, n/2/len(res.Warnings))
	}
	if len(res.Content) > 8 {
		res.Content = res.Content[:8]
	}
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
