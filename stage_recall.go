package helve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
)

// maxWait bounds how long a call waits for an equal one that is running.
const maxWait = 30 * time.Second

// recall is stage 4: what the ledger knows of a call with effects. It asks
// nobody and costs no budget.
func (f *flight) recall(ctx context.Context) *Result {
	if f.effect == Read {
		return nil
	}
	if err := f.identify(); err != nil {
		return f.fail(&Error{Code: CodeInvalidInput, Message: "the arguments cannot be identified: " + err.Error(), cause: err})
	}
	if f.unasked = f.claimTells(); f.unasked {
		return nil
	}
	return f.askLedger(ctx)
}

// askLedger answers from what the ledger knows, or returns nil where the call may
// be claimed.
func (f *flight) askLedger(ctx context.Context) *Result {
	e, err := f.lookup(ctx)
	if err != nil {
		return f.unavailable("the ledger", err)
	}
	f.entry = e
	if e == nil {
		return nil
	}
	return f.standing(ctx, e)
}

// claimTells reports whether the claim may say what the ledger knows, which saves
// a call of the store: nothing lies in between that a replay must not cost or
// ask, and no handler wants to know whether it goes on from a pause.
func (f *flight) claimTells() bool {
	c := f.tool.c
	return f.question == nil && !c.Resumable && c.Rate.Calls == 0 && c.Limit == 0 && len(c.Credentials) == 0 && f.scope.budgetKey() == ""
}

// identify computes digest and key. The effective input after aliases and
// defaults counts, so that a call with and one without a default are equal.
func (f *flight) identify() error {
	digest, err := digestJSON(f.asked)
	if err != nil {
		return err
	}
	f.callIdentity = &callIdentity{digest: digest, key: LedgerKey{Tenant: f.scope.Tenant, Scope: f.tool.c.Name}}
	if f.dedupe, err = f.dedupeKey(); err != nil {
		return err
	}
	if arg := f.tool.c.Key.argument(); arg != "" {
		if v := member(f.asked, arg); len(v) > 0 && v.Kind() != 'n' && string(v) != `""` {
			text, err := unquote(v)
			if err != nil { // no text: one number has many spellings, and is one key
				canon, err := jsonx.CanonicalValid(v)
				if err != nil {
					return err
				}
				text = string(canon)
			}
			f.key.Key = keyOfArgument + text
			f.publicKey = f.key.public()
			return nil
		}
	}
	f.inRun = f.scope.Run != ""
	byCall := f.tool.c.Key == KeyCall || f.scope.Run == ""
	switch of := f.keyedParent(); {
	case f.callerKey != "":
		f.inRun = false
		f.key.Key = keyOfCaller + f.callerKey
	case of != nil:
		// What a handler calls is protected by its own call: two calls of it may
		// each write the same, and one that is sent again, under whatever id, makes
		// the same calls again.
		f.inRun = of.inRun
		which := digest.String()
		if byCall {
			which = f.id[len(of.id):] // its number among the calls within the other
		}
		f.key.Key = fmt.Sprintf("within:%x %s %s", of.key.sum(), of.digest, which)
	case byCall:
		f.key.Key = fmt.Sprintf("call:%q %q %q", f.scope.Run, f.scope.Subject, f.id)
	case f.parent != nil:
		f.key.Key = fmt.Sprintf("arguments:%q %q %s", f.scope.Run, f.parent.id, digest)
	default:
		f.key.Key = fmt.Sprintf("arguments:%q %s", f.scope.Run, digest)
	}
	f.publicKey = f.key.public()
	return nil
}

// The keys that somebody named begin with one of these, and no other does.
const (
	keyOfArgument = "argument:"
	keyOfCaller   = "caller:"
)

// public is the key as the handler sees it.
func (k LedgerKey) public() string {
	for _, prefix := range []string{keyOfArgument, keyOfCaller} {
		if text, named := strings.CutPrefix(k.Key, prefix); named {
			return text
		}
	}
	return "helve_" + hex.EncodeToString(k.sum()[:16])
}

func (k LedgerKey) sum() []byte {
	sum := sha256.Sum256([]byte(k.Tenant + "\x00" + k.Scope + "\x00" + k.Key))
	return sum[:]
}

// keyedParent is the nearest call around f that has a key, or nil: a read has none.
func (f *flight) keyedParent() *flight {
	for p := f.parent; p != nil; p = p.parent {
		if p.effect != Read && p.key.Key != "" {
			return p
		}
	}
	return nil
}

// dedupeKey is the second key of the call, or the zero value where the contract
// has none or the call gives none of its arguments.
func (f *flight) dedupeKey() (Dedupe, error) {
	c := f.tool.c
	var given []field
	for _, arg := range c.DedupeOn {
		if v := member(f.asked, arg); v != nil {
			given = append(given, field{arg, v})
		}
	}
	if given == nil {
		return Dedupe{}, nil
	}
	digest, err := digestJSON(object(given))
	window := c.DedupeFor
	if window == 0 {
		window = DefaultDedupe
	}
	return Dedupe{digest.String(), window}, err
}

// lookup asks the ledger, waiting for an equal call that is running.
func (f *flight) lookup(ctx context.Context) (*Entry, error) {
	until := time.Now().Add(min(f.remaining(), maxWait))
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		e, err := f.x.cfg.Store.Recall(ctx, &RecallParams{
			LedgerKey: f.key, Fingerprint: f.digest, Run: f.scope.Run, Dedupe: f.dedupe.Key,
		})
		if err != nil || e == nil || e.Fingerprint != f.digest || !e.held() || !time.Now().Add(pause).Before(until) {
			return e, err
		}
		if !f.sleep(ctx, pause) {
			return e, nil
		}
	}
}

// held reports whether somebody is running the entry now.
func (e *Entry) held() bool {
	return (e.State == EntryRunning || e.State == EntryReserved) && e.Lease > 0
}

// sleep waits, and reports false when the call was ended meanwhile.
func (f *flight) sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-f.x.closing:
	}
	return false
}

// standing answers from an entry, or returns nil where the call may be claimed.
func (f *flight) standing(ctx context.Context, e *Entry) *Result {
	same := e.Fingerprint == f.digest
	twin := e.LedgerKey != f.key && e.Dedupe.Key == f.dedupe.Key && f.dedupe.Key != ""
	switch {
	case twin && !e.Stands():
		return nil
	case twin && !same:
		return f.conflict(e, fmt.Sprintf("an action with the same %s was called for already", quotedList(f.tool.c.DedupeOn, "and")))
	case twin && e.State == EntryReserved:
		return f.inProgress(time.Second)
	case e.State == EntryRetryable, e.State == EntryFailed && !same:
		return nil // nothing happened: the key is free
	case !same:
		return f.conflict(e, "this idempotency key was used with other arguments")
	case e.held():
		return f.inProgress(e.Lease)
	case e.State == EntrySucceeded, e.State == EntryFailed:
		return f.replay(ctx, e)
	case e.State == EntryReserved:
		f.resumed = true
		return nil
	case e.Repeatable:
		return nil
	}
	return f.reconcile(ctx, e)
}

func (f *flight) inProgress(wait time.Duration) *Result {
	return f.fail(&Error{
		Code: CodeInProgress, Retryable: true, RetryAfter: wait,
		Message: "the same call is running already", Suggestion: "Wait, then send the same call again for its result.",
	})
}

// conflict says what differs from the call that used the key first.
func (f *flight) conflict(e *Entry, message string) *Result {
	mine := members(f.showArguments())
	var differs []string
	for _, a := range mine {
		if !equalJSON(member(e.Arguments, a.name), a.value) {
			differs = append(differs, a.name)
		}
	}
	for _, b := range members(e.Arguments) {
		if !slices.ContainsFunc(mine, func(a field) bool { return a.name == b.name }) {
			differs = append(differs, b.name)
		}
	}
	details := map[string]any{"first_arguments": e.Arguments}
	if len(differs) > 0 {
		details["differs"] = differs
		message += fmt.Sprintf(" (they differ in %s)", quotedList(differs, "and"))
	}
	if r := e.Record; r != nil && r.Error == nil {
		details["first_result"] = r.Data
	}
	raw, _ := json.Marshal(details, contractOptions)
	return f.fail(&Error{
		Code: CodeConflict, Message: message, Details: raw,
		Suggestion: "Repeat the first call unchanged for its result, or use another key if a second action is meant.",
	})
}

// equalJSON reports whether a and b are one value, however they are spelled.
func equalJSON(a, b jsontext.Value) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	x, err := digestJSON(a)
	y, other := digestJSON(b)
	return err == nil && other == nil && x == y
}

// replay answers with the recorded outcome.
func (f *flight) replay(ctx context.Context, e *Entry) *Result {
	entry := f.auditEntry(AuditReplayed)
	entry.State = e.State
	f.audit(ctx, entry)
	r := e.Record
	out := &outcome{Result: Result{Replayed: true}}
	if r == nil {
		return f.forgotten(out, e)
	}
	out.Content, out.Note, out.Warnings, out.Error = r.Content, r.Note, r.Warnings, r.Error
	out.Data = r.Data
	if r.Dropped {
		out.Warnings = append(slices.Clone(out.Warnings), "The result was too large to be kept; the action itself was done.")
	}
	if f.tool.typed != nil && f.tool.typed.replayed != nil && len(r.Data) > 0 && r.Error == nil {
		data, err := f.asReplayed(r.Data)
		if err == nil {
			out.Data = data
		} else { // the type may have changed since; what was done is told all the same
			f.x.cfg.Logger.Warn("a recorded result is replayed as it was recorded", "tool", f.tool.c.Name, "call", f.id, "error", f.x.redact.text(err.Error()))
		}
	}
	return f.shape(out)
}

// asReplayed returns recorded data as the type of the tool says that it looks when
// it is replayed.
func (f *flight) asReplayed(recorded jsontext.Value) (data jsontext.Value, err error) {
	defer func() {
		if v := recover(); v != nil {
			data, err = nil, &panicError{value: v}
		}
	}()
	v, err := f.tool.typed.replayed(recorded)
	if err != nil {
		return nil, err
	}
	data, _, err = encodeData(v, f.tool.typed)
	return data, err
}

// forgotten answers from an entry of which the ledger keeps the state alone.
func (f *flight) forgotten(out *outcome, e *Entry) *Result {
	at := e.Updated.UTC().Format(time.RFC3339)
	if e.State == EntryFailed {
		out.Error = &Error{
			Code: CodeToolFailed, Message: fmt.Sprintf("this call failed at %s and did nothing; what it said is no longer kept", at),
			Suggestion: "Change something before you send it again.",
		}
		return f.shape(out)
	}
	out.Warnings = []string{fmt.Sprintf("This call was carried out at %s; its result is no longer kept.", at)}
	return f.shape(out)
}

// reconcile finds out about an unknown outcome where the tool can, and else
// says so.
func (f *flight) reconcile(ctx context.Context, e *Entry) *Result {
	if f.tool.reconcile == nil {
		return f.unknownOutcome(e)
	}
	if res := f.fetchCredentials(ctx); res != nil {
		return res
	}
	reply, done, err := f.askReconcile(ctx, e)
	if err != nil {
		f.x.cfg.Logger.Warn("an unknown outcome could not be reconciled", "tool", f.tool.c.Name, "call", f.id, "error", f.x.redact.text(err.Error()))
		return f.unknownOutcome(e)
	}
	out := &outcome{Result: Result{Replayed: true}, reply: reply, state: EntrySucceeded}
	if !done {
		out.state = EntryRetryable
	} else {
		f.check(out)
		f.redactOutcome(out)
	}
	token := e.Token
	entry := f.auditEntry(AuditResolved)
	entry.State, entry.Note = out.state, "the tool found out"
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	err = f.x.cfg.Store.Finish(keep, &FinishParams{
		Token: &token, State: out.state, Record: f.record(out), Audit: []AuditEntry{entry},
	})
	switch {
	case errors.Is(err, ErrFenced):
		return f.foundByAnother(ctx, e)
	case err != nil:
		return f.unavailable("the ledger", err)
	case done:
		return f.shape(out)
	}
	e.State = EntryRetryable
	return nil
}

// foundByAnother answers once somebody else has resolved e, or its late handler
// has: the ledger knows by now.
func (f *flight) foundByAnother(ctx context.Context, e *Entry) *Result {
	now, err := f.lookup(ctx)
	if err != nil || now != nil && now.State == EntryUnknown {
		return f.unknownOutcome(e)
	}
	if f.entry = now; now == nil {
		return nil
	}
	return f.standing(ctx, now)
}

// askReconcile asks the tool about the call that e was made for, until the
// deadline of this one.
func (f *flight) askReconcile(ctx context.Context, e *Entry) (*Reply, bool, error) {
	first, err := f.firstSent(ctx, e)
	if err != nil {
		return nil, false, err
	}
	inv := &Invocation{f: first, attempt: 1}
	ctx, cancel := context.WithDeadline(context.WithValue(ctx, invocationKey{}, inv), f.deadline)
	defer cancel()
	type answer struct {
		reply *Reply
		done  bool
		err   error
	}
	ended := make(chan answer, 1)
	f.x.handlers.enter(true)
	go func() { // it may ignore its context
		defer f.x.handlers.leave()
		a := answer{err: errGoexit}
		defer func() {
			if v := recover(); v != nil {
				a = answer{err: &panicError{value: v}}
			}
			ended <- a
		}()
		reply, done, err := f.tool.reconcile(ctx, inv)
		a = answer{reply, done, err}
	}()
	select {
	case a := <-ended:
		return a.reply, a.done, a.err
	case <-ctx.Done():
		return nil, false, ctx.Err()
	case <-f.x.closing:
		return nil, false, errClosing
	}
}

// firstSent is this call as the one that e was made for, of which the tool is
// asked: it may have had another key and id, and what ran are the arguments of
// the approver where there was one who changed them.
func (f *flight) firstSent(ctx context.Context, e *Entry) (*flight, error) {
	args := f.asked
	if e.Ran != (Digest{}) {
		a, err := f.x.cfg.Store.Approval(ctx, f.scope.Tenant, e.Approval)
		if err != nil {
			return nil, fmt.Errorf("find the arguments that ran: %w", err)
		}
		if args = a.Edited; args == nil {
			return nil, errors.New("the arguments that ran are no longer known")
		}
		if ran, err := digestJSON(args); err != nil || ran != e.Ran {
			return nil, errors.New("the arguments that ran are no longer known")
		}
	}
	return &flight{
		x: f.x, parent: f.parent, depth: f.depth, started: f.started, trusted: f.trusted, effect: f.effectOf(args),
		id: e.CallID, name: f.name, scope: f.scope, surface: f.surface, tool: f.tool, deadline: f.deadline,
		args: args, asked: args, secrets: f.secrets,
		callIdentity: &callIdentity{digest: e.Fingerprint, key: e.LedgerKey, publicKey: e.public()},
	}, nil
}

// unknownOutcome tells what a call meets whose first sending has no known end.
func (f *flight) unknownOutcome(e *Entry) *Result {
	return f.fail(&Error{
		Code:       CodeOutcomeUnknown,
		Message:    fmt.Sprintf("%s was sent at %s, and its outcome is not known: it may or may not have happened", f.tool.c.Name, e.Claimed.UTC().Format(time.RFC3339)),
		Suggestion: f.verifyHint(),
	})
}

// verifyHint says how to find out whether a call happened.
func (f *flight) verifyHint() string {
	if v := f.tool.c.Verify; f.surface.byName[v] != nil {
		return fmt.Sprintf("Do not send it again. Check with %s whether it happened; if it did not, ask the user before you send it again.", v)
	}
	return "Do not send it again. Ask the user to check whether it happened."
}
