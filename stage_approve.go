package helve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// approve is stage 5: the decision for this exact call, or one pending approval.
func (f *flight) approve(ctx context.Context) *Result {
	if f.question == nil {
		return nil
	}
	if f.parent != nil && !f.parent.tool.c.Resumable {
		return f.deny(ctx, Ruling{
			Rule:   f.question.rule,
			Reason: fmt.Sprintf("%s; %s cannot wait for it: call %s directly", f.question.reason, f.parent.tool.c.Name, f.tool.c.Name),
		})
	}
	if f.digest == (Digest{}) {
		d, err := digestJSON(f.asked)
		if err != nil {
			return f.fail(&Error{Code: CodeInvalidInput, Message: "the arguments cannot be identified: " + err.Error(), cause: err})
		}
		f.callIdentity = &callIdentity{digest: d}
	}
	if done, res := f.approvedBefore(ctx); done {
		return res
	}
	mine := f.newApproval()
	entry := f.auditEntry(AuditAsked)
	entry.Approval, entry.Rule = mine.ID, mine.Rule
	for {
		a, err := f.x.cfg.Store.Ask(ctx, mine, f.x.cfg.ApprovalTTL, entry)
		switch {
		case errors.Is(err, ErrApprovalMismatch):
			return f.mismatch()
		case err != nil:
			return f.unavailable("the approval store", err)
		case a.State != ApprovalConsumed:
			if a.ID == mine.ID {
				f.askedNow(ctx, a)
			}
			return f.decided(ctx, a)
		}
		// It was used. A call with effects that used it since stage 4 may be this
		// very one, as from a double click; every other one asks anew.
		if done, res := f.recallAgain(ctx); done {
			return res
		}
		mine.Follows = a.ID
	}
}

// recallAgain asks the ledger once more, and reports whether that ends the stage.
func (f *flight) recallAgain(ctx context.Context) (bool, *Result) {
	if f.effect == Read {
		return false, nil
	}
	e, err := f.lookup(ctx)
	if err != nil {
		return true, f.unavailable("the ledger", err)
	}
	if f.entry = e; e == nil {
		return false, nil
	}
	if res := f.standing(ctx, e); res != nil {
		return true, res
	}
	return f.approvedBefore(ctx)
}

// approvedBefore covers a call whose approval was consumed by an earlier claim
// of its entry that came to no final end: nobody is asked again.
func (f *flight) approvedBefore(ctx context.Context) (bool, *Result) {
	e := f.entry
	if e == nil || e.LedgerKey != f.key || e.Approval == "" || e.Fingerprint != f.digest || e.State == EntrySucceeded || e.State == EntryFailed {
		return false, nil
	}
	a, err := f.x.cfg.Store.Approval(ctx, f.scope.Tenant, e.Approval)
	if errors.Is(err, ErrNoApproval) {
		return false, nil
	}
	if err != nil {
		return true, f.unavailable("the approval store", err)
	}
	if a.State != ApprovalConsumed || a.ApprovalIdentity != f.identity() {
		return false, nil
	}
	f.approval, f.covered = a, true
	return true, f.useEdited(ctx)
}

// decided acts on the approval that governs the call.
func (f *flight) decided(ctx context.Context, a *Approval) *Result {
	switch a.State {
	case ApprovalApproved:
		f.approval = a
		return f.useEdited(ctx)
	case ApprovalDenied:
		msg := "a person said no"
		if a.DecisionReason != "" {
			msg += ": " + a.DecisionReason
		}
		return f.fail(&Error{Code: CodeApprovalDenied, Message: msg, Suggestion: "Do not send it again. Go on without it, or ask the user what to do instead."})
	case ApprovalExpired:
		return f.expired()
	}
	return &Result{Pending: &Pending{Approval: a.ID, Reason: f.x.redact.text(f.question.reason), Expires: a.Expires.UTC()}}
}

func (f *flight) expired() *Result {
	return f.fail(&Error{Code: CodeApprovalExpired, Message: "the approval was not used in time; nothing was done", Suggestion: "Send the call again to ask anew, if it is still wanted."})
}

func (f *flight) mismatch() *Result {
	return f.fail(&Error{
		Code:       CodeApprovalMismatch,
		Message:    "this call's id has an approval for other arguments or another contract; nothing was done",
		Suggestion: "Send the call that was approved unchanged, or send this one as a new call with its own id.",
	})
}

// useEdited puts the arguments of the approver in the place of those as sent:
// validated again, policy again, and the model is told.
func (f *flight) useEdited(ctx context.Context) *Result {
	a := f.approval
	if a.Edited == nil {
		return nil
	}
	args, faults, more := f.settleArguments(a.Edited)
	if len(faults) > 0 {
		return f.fail(invalidInput(faults, more))
	}
	f.args, f.effect = args, f.effectOf(args)
	if f.effect != Read && f.key.Key == "" { // asked for as a read, which has no key
		if err := f.identify(); err != nil {
			return f.fail(&Error{Code: CodeInvalidInput, Message: "the arguments cannot be identified: " + err.Error(), cause: err})
		}
	}
	if !f.surface.effects.has(f.effect) || f.x.forbid.has(f.effect) {
		return f.deny(ctx, Ruling{Rule: "edited", Reason: "the arguments as the approver changed them are not permitted here"})
	}
	ruling, err := f.decide(ctx)
	if err != nil || ruling.Verdict == Deny {
		return f.deny(ctx, Ruling{Rule: orElse(ruling.Rule, "edited"), Reason: orElse(ruling.Reason, "the policy refuses the arguments as the approver changed them")})
	}
	return nil
}

func (f *flight) identity() ApprovalIdentity {
	id := ApprovalIdentity{
		Tenant: f.scope.Tenant, Run: f.scope.Run, Tool: f.tool.c.Name,
		Contract: f.tool.digest, ArgumentsDigest: f.digest,
	}
	if id.Run == "" {
		id.Subject = f.scope.Subject
	}
	return id
}

func (f *flight) newApproval() *Approval {
	return &Approval{
		ID: newID("ap_"), ApprovalIdentity: f.identity(), CallID: f.id, Effect: f.effect,
		Arguments: f.x.redact.data(f.asked), PolicyVersion: f.question.policyVersion, Rule: f.question.rule, Reason: f.x.redact.text(f.question.reason),
	}
}

// askedNow tells observers that a person is asked.
func (f *flight) askedNow(ctx context.Context, a *Approval) {
	e := ApprovalChanged{CallInfo: f.info(), Approval: a.ID, State: a.State, Rule: a.Rule, Expires: a.Expires}
	tell(f.x.watch, f.x.watch.approval, "approval", func(o ApprovalObserver) { o.ApprovalChanged(ctx, e) })
}

// Decide records a person's decision on an approval, by its id, and returns the
// record. The approval must belong to the tenant of ctx; see [WithScope].
// Arguments that the person put in place of the model's are checked against
// schema and policy first. The errors are [ErrNoApproval], [ErrApprovalExpired],
// [ErrApprovalMismatch], [ErrDecided] when it was decided otherwise before, a
// [*CallError] for edited arguments that cannot run, and those of the store. The
// call runs when it is sent again.
func (x *Executor) Decide(ctx context.Context, id string, d Decision) (*Approval, error) {
	tenant := ScopeFrom(ctx).Tenant
	a, err := x.cfg.Store.Approval(ctx, tenant, id)
	if err != nil {
		return nil, fmt.Errorf("decide on approval %s: %w", id, err)
	}
	if d.Arguments != nil {
		edited, err := x.checkEdited(ctx, a, d)
		if err != nil {
			return nil, err
		}
		d.Arguments = edited
	}
	was := a.State
	if a, err = x.cfg.Store.Decide(ctx, tenant, id, &d, x.decidedEntry(a, &d)); err != nil {
		return a, fmt.Errorf("decide on approval %s: %w", id, err)
	}
	if was == ApprovalPending {
		e := ApprovalChanged{
			CallInfo: CallInfo{Tool: a.Tool, CallID: a.CallID, Effect: a.Effect, Tenant: a.Tenant, Run: a.Run},
			Approval: a.ID, State: a.State, Rule: a.Rule, By: d.By, Expires: a.Expires,
		}
		tell(x.watch, x.watch.approval, "approval", func(o ApprovalObserver) { o.ApprovalChanged(ctx, e) })
	}
	return a, nil
}

// decidedEntry is what the audit holds of a decision.
func (x *Executor) decidedEntry(a *Approval, d *Decision) AuditEntry {
	e := AuditEntry{
		Kind: AuditDecided, Tenant: a.Tenant, Subject: a.Subject, Run: a.Run, CallID: a.CallID, Tool: a.Tool, Effect: a.Effect,
		Contract: a.Contract, ArgumentsDigest: a.ArgumentsDigest, Approval: a.ID, Rule: a.Rule, By: d.By, Note: "approved",
	}
	if d.Arguments != nil {
		e.Note = "approved with other arguments"
		if t, ok := x.tools.Lookup(a.Tool); ok {
			e.Arguments = x.redact.arguments(d.Arguments, t.secrets)
		}
	}
	if !d.Approve {
		e.Note = strings.TrimSuffix("denied: "+x.redact.text(d.Reason), ": ")
	}
	return e
}

// AwaitDecision waits until an approval of the tenant of ctx is no longer
// pending, in whatever process it is decided, or until ctx is done, and returns
// the record. A store may need up to a second to notice an expiry or what
// another process did.
func (x *Executor) AwaitDecision(ctx context.Context, id string) (*Approval, error) {
	tenant := ScopeFrom(ctx).Tenant
	changed := make(chan struct{}, 1)
	watch, stop := context.WithCancel(ctx)
	var failed error
	over := make(chan struct{})
	go func() {
		defer close(over)
		failed = x.cfg.Store.WatchApprovals(watch, tenant, func(n ApprovalNotice) {
			if n.ID != "" && n.ID != id {
				return
			}
			select {
			case changed <- struct{}{}:
			default:
			}
		})
	}()
	defer func() {
		stop()
		<-over
	}()
	for {
		a, err := x.cfg.Store.Approval(ctx, tenant, id)
		if err != nil || a.State != ApprovalPending {
			return a, err
		}
		// By this machine's clock, which may differ from the store's: so it looks
		// again now and then.
		expiry := time.NewTimer(min(max(time.Until(a.Expires), 0)+time.Second, time.Minute))
		select {
		case <-changed:
		case <-expiry.C:
		case <-over:
			return nil, fmt.Errorf("wait for a decision on approval %s: %w", id, failed)
		}
		expiry.Stop()
	}
}

// checkEdited runs the arguments of an approver through stages 1 to 3.
func (x *Executor) checkEdited(ctx context.Context, a *Approval, d Decision) ([]byte, error) {
	scope := Scope{Tenant: a.Tenant, Subject: a.Subject, Run: a.Run}
	f := x.newFlight(WithScope(ctx, scope), &Call{ID: a.CallID, Tool: a.Tool, Arguments: slices.Clone(d.Arguments)}, nil, true)
	for _, stage := range []func() *Result{f.resolve, f.validate, func() *Result { return f.authorize(ctx) }} {
		if res := stage(); res != nil {
			res.Tool, res.CallID = a.Tool, a.CallID
			return nil, res.Err()
		}
	}
	if f.tool.digest != a.Contract {
		return nil, fmt.Errorf("decide on approval %s: the contract of %s has changed since it was asked for: %w", a.ID, a.Tool, ErrApprovalMismatch)
	}
	return f.args, nil
}
