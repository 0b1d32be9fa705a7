package helve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// flight is one call on its way through the pipeline. It belongs to one
// goroutine, but for what its comment says.
type flight struct {
	x       *Executor
	parent  *flight
	depth   int
	started time.Time

	trusted  bool // called from Go, or by a handler
	aliased  bool // name is an alias
	borrowed bool // args are the caller's bytes
	covered  bool // the approval was consumed by an earlier claim of this entry
	resumed  bool
	unasked  bool // the ledger was not: the claim tells
	effect   Effect

	id        string
	name      string // as called
	sent      jsontext.Value
	callerKey string
	waited    bool // for a person, when it was sent before
	scope     Scope

	surface    *surface
	tool       *Tool
	deprecated []string
	coerced    []schema.Coercion
	deadline   time.Time

	args     jsontext.Value // settled; what runs
	asked    jsontext.Value // settled, as sent; differs from args where a person edited
	shared   sharedDecoded
	question *question // nil: nobody is asked
	*callIdentity
	entry    *Entry // what recall found and claim made
	approval *Approval

	secrets    map[string]Secret
	reserved   *Reservation
	token      *Token
	slot       func()
	generation uint64 // of the read cache

	attempts  int
	warnings  []string
	reference string
	nested    nestedCount
	progress  progressMark
	late      *lateEnd
}

// callIdentity is what makes two calls the same: of a call with effects, and of
// one that a person is asked about.
type callIdentity struct {
	digest    Digest // of the arguments as sent
	key       LedgerKey
	inRun     bool // the key means nothing outside of its run
	dedupe    Dedupe
	publicKey string // what the handler sees

	shown jsontext.Value // see showArguments
}

// unidentified is the identity of a call that needs none. It is never written.
var unidentified callIdentity

// question is why a person is asked about a call.
type question struct{ rule, reason, policyVersion string }

func (x *Executor) newFlight(ctx context.Context, call *Call, parent *flight, trusted bool) *flight {
	if call == nil {
		call = &Call{}
	}
	f := &flight{
		x: x, parent: parent, trusted: trusted, started: time.Now(),
		id: call.ID, name: call.Tool, sent: call.Arguments, callerKey: call.Key, waited: call.Approval != "", callIdentity: &unidentified,
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

// showArguments returns the arguments as sent, without secrets, for ledger,
// audit and messages.
func (f *flight) showArguments() jsontext.Value {
	shown := f.shown
	if shown == nil {
		shown = f.x.redact.arguments(f.asked, f.tool.secrets)
	}
	if f.callIdentity != &unidentified { // once a call that is kept
		f.shown = shown
	}
	return shown
}

// alias is the name that the call used instead of the tool's own, or "".
func (f *flight) alias() string {
	if f.aliased {
		return f.name
	}
	return ""
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
		e.Arguments = f.x.redact.arguments(f.sent, f.secretNames()).Clone()
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
	defer func() {
		if f.late != nil {
			close(f.late.concluded)
		}
	}()
	i := f.info()
	res.Tool, res.CallID, res.Attempts = i.Tool, f.id, f.attempts
	if f.tool != nil {
		res.render = f.tool.render
	}
	f.x.loops.note(f, res)
	f.x.late.tell(f, res)
	res.Duration = time.Since(f.started)
	w := f.x.watch
	if len(w.end) == 0 {
		return
	}
	e := CallEnded{
		CallInfo: i, Code: res.Code(), Replayed: res.Replayed, Cached: res.Cached, Attempts: res.Attempts,
		Duration: res.Duration, Size: len(res.Data), Alias: f.alias(), Deprecated: f.deprecated, Reference: f.reference,
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
