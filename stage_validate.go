package helve

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// validate is stage 2: strict JSON, aliases, nulls, defaults, schema. After it
// the arguments are one immutable value; what was authorised is what runs.
func (f *flight) validate() *Result {
	raw := f.sent
	if f.aliased {
		if adapt := f.tool.adapters[f.name]; adapt != nil {
			adapted, err := adapt(raw.Clone())
			if err != nil {
				return f.fail(&Error{
					Code: CodeInvalidInput, cause: err,
					Message:    fmt.Sprintf("the arguments of %q could not be turned into those of %q: %s", f.name, f.tool.c.Name, err),
					Suggestion: fmt.Sprintf("Call %q instead.", f.tool.c.Name),
				})
			}
			raw = adapted
		}
	}
	args, faults, more := f.settleArguments(raw)
	if len(faults) > 0 {
		// Its words are Helve's own, but for what the faults quote.
		e := invalidInput(f.x.redact.faults(faults), more)
		return &Result{Error: e, direction: Input, raw: raw.Clone()}
	}
	f.effect = f.effectOf(args)
	// A normaliser that had nothing to change hands back the caller's own bytes.
	// A read whose handler takes decoded arguments may borrow them: nothing keeps
	// or compares them once it runs.
	if f.borrowed = len(args) > 0 && len(f.sent) > 0 && &args[0] == &f.sent[0]; f.borrowed &&
		(f.effect != Read || f.tool.typed == nil || f.tool.c.CacheFor > 0) {
		args, f.borrowed = args.Clone(), false
	}
	f.args, f.asked = args, args
	return nil
}

// keepArguments makes borrowed arguments the call's own, for a handler that
// outlives it.
func (f *flight) keepArguments() {
	f.shared.mu.Lock()
	defer f.shared.mu.Unlock()
	if f.borrowed {
		f.args, f.borrowed = f.args.Clone(), false
	}
}

// arguments returns a copy of the settled arguments, also to a handler that
// outlives its call.
func (f *flight) arguments() jsontext.Value {
	f.shared.mu.Lock()
	defer f.shared.mu.Unlock()
	return f.args.Clone()
}

// settleArguments normalises raw and decodes it for a typed handler, so that
// nothing is asked or claimed for arguments that the handler cannot take.
func (f *flight) settleArguments(raw jsontext.Value) (args jsontext.Value, faults []Fault, more int) {
	v := f.tool.input
	if f.x.cfg.Coerce {
		lenient, err := f.tool.lenient.validator()
		if err != nil { // not possible for a schema that compiled without the option
			return nil, []Fault{{Problem: "cannot be checked: " + err.Error()}}, 0
		}
		v = lenient
	}
	args, rep := v.Normalize(raw)
	if rep != nil {
		if !rep.OK() {
			return nil, rep.Faults, rep.More
		}
		f.coerced = rep.Coerced
		for _, a := range rep.Aliases {
			f.deprecated = append(f.deprecated, "/"+a.From)
		}
		f.deprecated = append(f.deprecated, rep.Deprecated...)
	}
	if f.tool.typed != nil {
		in, err := f.tool.typed.decode(args)
		if err != nil {
			return nil, []Fault{decodeFault(err)}, 0
		}
		f.shared.put(in)
	}
	return args, nil, 0
}

func (f *flight) effectOf(args jsontext.Value) Effect {
	c := f.tool.c
	if c.EffectBy.Arg == "" {
		return c.Effect
	}
	value, err := unquote(member(args, c.EffectBy.Arg))
	if err != nil {
		return c.Effect
	}
	return c.effectOf(value)
}

func invalidInput(faults []Fault, more int) *Error {
	n := len(faults) + more
	e := &Error{Code: CodeInvalidInput, Faults: faults, Message: strconv.Itoa(n) + " problems with the arguments"}
	switch {
	case more > 0:
		e.Message += "; the first " + strconv.Itoa(len(faults)) + " are listed"
	case n == 1:
		e.Message = "1 problem with the arguments"
	}
	e.Suggestion = "Send the call again with these corrected."
	if len(faults) == 1 {
		e.Suggestion = "Send the call again with this corrected."
	}
	return e
}

// sharedDecoded hands decoded arguments to the first who takes them: a handler
// may change what it gets, so nobody gets it twice.
type sharedDecoded struct {
	mu sync.Mutex
	v  any
}

func (s *sharedDecoded) put(v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.v = v
}

func (f *flight) takeDecoded() any {
	f.shared.mu.Lock()
	defer f.shared.mu.Unlock()
	v := f.shared.v
	f.shared.v = nil
	return v
}
