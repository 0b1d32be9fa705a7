package helve

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// nestedCount numbers the calls that a handler makes.
type nestedCount struct{ n atomic.Int64 }

// Invoke calls another tool from inside a handler. The tool must stand in
// [Contract.Uses]. The call runs the whole pipeline under the same scope and
// counts towards its limits. Args is any value that encodes as an object, or
// raw JSON as [jsontext.Value].
//
// It always returns a result. Where a person would have to be asked, a handler
// that is not resumable gets denied; a resumable one gets a pending result and
// may return [Suspend] of it.
func Invoke(ctx context.Context, name string, args any) *Result {
	inv := InvocationFrom(ctx)
	if inv == nil {
		return &Result{Tool: name, Error: &Error{Code: CodeInternal, Message: "helve.Invoke was called outside of a handler"}}
	}
	f := inv.f
	call := &Call{ID: fmt.Sprintf("%s.%d", f.id, f.nested.n.Add(1)), Tool: name}
	refuse := func(e *Error) *Result {
		return &Result{Tool: name, CallID: call.ID, Error: e}
	}
	t, known := f.surface.byName[name]
	if !slices.Contains(f.tool.c.Uses, name) && !(known && slices.Contains(f.tool.c.Uses, t.c.Name)) {
		return refuse(&Error{Code: CodeDenied, Message: fmt.Sprintf("%s does not use %q: its author must add it to Contract.Uses", f.tool.c.Name, name)})
	}
	if f.depth+1 > f.x.cfg.MaxNesting {
		return refuse(&Error{Code: CodeDenied, Message: fmt.Sprintf("calls inside calls are at most %d deep", f.x.cfg.MaxNesting)})
	}
	raw, ok := args.(jsontext.Value)
	if !ok {
		var err error
		if raw, err = json.Marshal(args, schema.JSONOptions()); err != nil {
			return refuse(&Error{Code: CodeInvalidInput, Message: "the arguments could not be encoded", cause: err})
		}
	}
	call.Arguments = raw
	res := f.x.execute(ctx, call, f, true)
	f.progress.touch(f.started)
	return res
}
