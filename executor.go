package helve

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"helve.dev/helve/schema"
)

// An Executor runs calls through the pipeline. It is safe for concurrent use;
// make one for a program, and close it.
type Executor struct {
	tools    *Registry
	cfg      Config
	redact   *redactor
	watch    *watchers
	limits   limiters
	loops    loopGuard
	cache    readCache
	late     lateNotes
	forbid   effectSet
	calls    drain
	handlers drain // those that have not ended, late ones included
	alarms   alarms

	closing   chan struct{} // closed when what runs is to be cancelled
	closeOnce sync.Once
}

// NewExecutor returns an executor of the tools in a registry or view. A nil cfg
// means the zero [Config]. It is an error when a tool uses a tool, or names one
// in Verify, that the registry does not have, and when an observer implements
// none of the observer interfaces; all such faults are reported at once.
func NewExecutor(tools *Registry, cfg *Config) (*Executor, error) {
	if tools == nil {
		return nil, errors.New("helve: an executor needs a registry: use helve.NewRegistry")
	}
	c := cfg.settled()
	x := &Executor{
		tools: tools, cfg: c, closing: make(chan struct{}),
		redact: newRedactor(c.Secrets, c.Roots), forbid: effectsOf(c.Forbid),
	}
	x.loops.limits = c.Loop
	w, err := newWatchers(c.Observers, c.Logger, c.ObserveContent)
	x.watch = w
	if err := errors.Join(err, checkReferences(tools)); err != nil {
		return nil, err
	}
	return x, nil
}

// checkReferences finds names in contracts that lead nowhere. A view may leave
// out what its tools name; the registry that it shows a part of may not.
func checkReferences(tools *Registry) error {
	var errs []error
	for tools.parent != nil {
		tools = tools.parent
	}
	names := tools.surface().names()
	for t := range tools.All() {
		refs := map[string][]string{"Uses": t.c.Uses}
		if t.c.Verify != "" {
			refs["Verify"] = []string{t.c.Verify}
		}
		for _, fieldName := range sortedKeys(refs) {
			for _, name := range refs[fieldName] {
				if _, ok := tools.Lookup(name); ok {
					continue
				}
				hint := ""
				if near := schema.Nearest(name, names); len(near) > 0 {
					hint = fmt.Sprintf(": did you mean %q?", near[0])
				}
				errs = append(errs, fmt.Errorf("helve: tool %q: %s names %q, which is not in the registry%s", t.c.Name, fieldName, name, hint))
			}
		}
	}
	return errors.Join(errs...)
}

// Store returns the executor's store, for listing approvals, audit and budgets.
func (x *Executor) Store() Store { return x.cfg.Store }

// Tools returns the registry that the executor serves.
func (x *Executor) Tools() *Registry { return x.tools }

// Execute runs one call as a model makes it. It always returns a result, never
// panics, and does not keep call. The scope comes from ctx; see [WithScope].
func (x *Executor) Execute(ctx context.Context, call *Call) *Result {
	return x.execute(ctx, call, nil, false)
}

// ExecuteAs runs one call for a Go caller, who may also call hidden tools, and
// decodes its data. The error is [Result.Err], or that of decoding.
func ExecuteAs[Out any](ctx context.Context, x *Executor, call *Call) (Out, error) {
	var out Out
	err := x.execute(ctx, call, nil, true).Decode(&out)
	return out, err
}

// execute wraps the pipeline in what holds for every call: an announcement, a
// guard against panics of Helve itself, and a conclusion.
func (x *Executor) execute(ctx context.Context, call *Call, parent *flight, trusted bool) (res *Result) {
	f := x.newFlight(ctx, call, parent, trusted)
	ctx = f.announce(ctx)
	defer func() {
		if v := recover(); v != nil {
			res = f.internal(&panicError{value: v, stack: debug.Stack()})
		}
		f.conclude(ctx, res)
	}()
	if !x.calls.enter(parent != nil) {
		return f.fail(&Error{Code: CodeUnavailable, Message: "the program is shutting down and takes no more calls"})
	}
	defer x.calls.leave()
	if err := ctx.Err(); err != nil {
		return f.ended(err)
	}
	res = x.pipeline(ctx, f)
	f.auditRefusal(ctx, res)
	return res
}

// pipeline is the eleven stages in their order, which is a safety property. A
// stage that returns a result ends the call.
func (x *Executor) pipeline(ctx context.Context, f *flight) *Result {
	if res := f.resolve(); res != nil {
		return res
	}
	if res := f.validate(); res != nil {
		return res
	}
	if res := f.authorize(ctx); res != nil {
		return res
	}
	if res := f.recall(ctx); res != nil {
		return res
	}
	if res := f.approve(ctx); res != nil {
		return res
	}
	if res := f.admit(ctx); res != nil {
		return res
	}
	defer f.release()
	if res := f.claim(ctx); res != nil {
		return res
	}
	out := f.run(ctx)
	f.check(out)
	f.settle(ctx, out)
	return f.shape(out)
}
