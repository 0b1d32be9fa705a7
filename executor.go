package helve

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

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
	forbid   effectSet
	calls    drain
	handlers drain // those that have not ended, late ones included

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

// checkReferences finds names in contracts that lead nowhere.
func checkReferences(tools *Registry) error {
	var errs []error
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
	return x.pipeline(ctx, f)
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

// flight is one call on its way through the pipeline. It belongs to one
// goroutine, but for what its comment says.
type flight struct {
	x       *Executor
	parent  *flight
	trusted bool // called from Go, or by a handler
	depth   int
	started time.Time

	id        string
	name      string // as called
	sent      jsontext.Value
	callerKey string
	scope     Scope

	surface    *surface
	tool       *Tool
	alias      string
	deprecated []string
	deadline   time.Time

	args     jsontext.Value // settled; what runs
	asked    jsontext.Value // settled, as sent; differs from args where a person edited
	shared   sharedDecoded
	effect   Effect
	ruling   Ruling
	ask      string // the rule that asks, or ""
	reason   string
	digest   Digest // of asked
	key      LedgerKey
	entry    *Entry // what recall found and claim made
	approval *Approval
	covered  bool // the approval was consumed by an earlier claim of this entry
	resumed  bool

	publicKey  string
	secrets    map[string]Secret
	reserved   *Reservation
	token      *Token
	slot       func()
	generation uint64 // of the read cache

	cancel    context.CancelFunc        // of the handler's context
	stopped   atomic.Pointer[stopError] // why it was cancelled
	attempts  int
	warnings  []string
	reference string
	nested    nestedCount
	progress  progressMark
	late      *lateEnd
}

func (x *Executor) newFlight(ctx context.Context, call *Call, parent *flight, trusted bool) *flight {
	if call == nil {
		call = &Call{}
	}
	f := &flight{
		x: x, parent: parent, trusted: trusted, started: time.Now(),
		id: call.ID, name: call.Tool, sent: call.Arguments, callerKey: call.Key,
	}
	if parent == nil {
		f.scope = ScopeFrom(ctx)
		f.surface = x.tools.surface()
	} else {
		f.scope, f.depth, f.surface = parent.scope, parent.depth+1, parent.surface
	}
	if f.id == "" {
		f.id = newID("call_")
	}
	return f
}

// repeatable reports whether running this call again is harmless.
func (f *flight) repeatable() bool { return f.tool.c.repeatable(f.effect) }

// info is what observers are told of the call.
func (f *flight) info() CallInfo {
	i := CallInfo{Tool: f.name, CallID: f.id, Effect: f.effect, Tenant: f.scope.Tenant, Run: f.scope.Run, Depth: f.depth}
	if f.tool != nil {
		i.Tool = f.tool.c.Name
	}
	if f.parent != nil {
		i.Parent = f.parent.id
	}
	return i
}

func (f *flight) announce(ctx context.Context) context.Context {
	w := f.x.watch
	if len(w.start) == 0 {
		return ctx
	}
	e := CallStarted{CallInfo: f.info()}
	if w.content {
		e.Arguments = f.x.redact.arguments(f.sent, f.secretNames())
	}
	tell(w, w.start, "start", func(o StartObserver) {
		if c := o.CallStarted(ctx, e); c != nil {
			ctx = c //nolint:fatcontext // each observer adds its own span, and there are few
		}
	})
	return ctx
}

// secretNames returns the arguments that the contract marks as secret, also
// before the tool is resolved.
func (f *flight) secretNames() map[string]bool {
	if t, ok := f.surface.byName[f.name]; ok {
		return t.secrets
	}
	return nil
}

// fail makes the result of a call that ends with e.
func (f *flight) fail(e *Error) *Result {
	return &Result{Error: f.x.redact.error(e), cause: e.cause}
}

// internal makes the result of a fault of Helve, a panic, or what else only the
// log may tell: the model gets a reference.
func (f *flight) internal(err error) *Result {
	return &Result{Error: f.refer(err, "an internal error occurred"), cause: err}
}

// refer logs err under a reference id and returns the error that names it.
func (f *flight) refer(err error, text string) *Error {
	if f.reference == "" {
		f.reference = newID("ref_")
	}
	i := f.info()
	attrs := []any{"reference", f.reference, "tool", i.Tool, "call", i.CallID, "error", f.x.redact.text(err.Error())}
	if p, ok := errors.AsType[*panicError](err); ok && len(p.stack) > 0 {
		attrs = append(attrs, "stack", f.x.redact.text(string(p.stack)))
	}
	f.x.cfg.Logger.Error(text, attrs...)
	return &Error{Code: CodeInternal, Message: fmt.Sprintf("%s (reference %s)", text, f.reference)}
}

// unavailable makes the result of a call that needs something out of reach. The
// reason is for the log only.
func (f *flight) unavailable(what string, err error) *Result {
	i := f.info()
	f.x.cfg.Logger.Warn(what+" is unavailable", "tool", i.Tool, "call", i.CallID, "error", f.x.redact.text(err.Error()))
	return f.fail(&Error{
		Code: CodeUnavailable, Retryable: true, RetryAfter: time.Second, cause: err,
		Message: what + " is unavailable right now; nothing was done", Suggestion: "Try again later, or go on without it.",
	})
}

// conclude fills in what every result says, and tells the observers.
func (f *flight) conclude(ctx context.Context, res *Result) {
	i := f.info()
	res.Tool, res.CallID, res.Attempts = i.Tool, f.id, f.attempts
	if f.tool != nil {
		res.render = f.tool.render
	}
	f.x.loops.note(f, res)
	res.Duration = time.Since(f.started)
	w := f.x.watch
	if len(w.end) == 0 {
		return
	}
	e := CallEnded{
		CallInfo: i, Code: res.Code(), Replayed: res.Replayed, Cached: res.Cached, Attempts: res.Attempts,
		Duration: res.Duration, Size: len(res.Data), Alias: f.alias, Deprecated: f.deprecated, Reference: f.reference,
	}
	if res.Pending != nil {
		e.Approval = res.Pending.Approval
	}
	if w.content {
		if raw, err := res.MarshalJSON(); err == nil {
			e.Envelope = f.x.redact.arguments(raw, f.secretNames())
		}
	}
	tell(w, w.end, "end", func(o EndObserver) { o.CallEnded(ctx, e) })
}
