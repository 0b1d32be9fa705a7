package helve

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// authorize is stage 3: what the surface, the executor and the policy permit,
// and whether a person is asked.
func (f *flight) authorize(ctx context.Context) *Result {
	if !f.surface.effects.has(f.effect) {
		return f.deny(ctx, Ruling{Reason: fmt.Sprintf("calls that %s are not possible here", f.verb()), Rule: "surface"})
	}
	if f.x.forbid.has(f.effect) {
		return f.deny(ctx, Ruling{Reason: fmt.Sprintf("calls that %s are ruled out in this program", f.verb()), Rule: "forbid"})
	}
	ruling, err := f.decide(ctx)
	if err != nil {
		e := f.refer(fmt.Errorf("policy: %w", err), "the policy could not be evaluated")
		return f.deny(ctx, Ruling{Reason: e.Message, Rule: "policy"})
	}
	if ruling.Verdict == Deny {
		return f.deny(ctx, ruling)
	}
	f.question = f.ask(ruling)
	f.tellCoerced(ctx)
	return nil
}

// tellCoerced records what stage 2 read as another type than was sent, and
// tells the model to send it right.
func (f *flight) tellCoerced(ctx context.Context) {
	if len(f.coerced) == 0 {
		return
	}
	var notes []string
	for _, c := range f.coerced {
		note := fmt.Sprintf("%s was read as %s, sent as %s", c.Path, c.To, c.From)
		if name := c.Path[strings.LastIndexByte(c.Path, '/')+1:]; f.tool.secrets[name] || secretName.MatchString(name) {
			note = c.Path + " was read as another type than it was sent"
		}
		notes = append(notes, f.x.redact.text(note))
	}
	entry := f.auditEntry(AuditCoerced)
	entry.Note = strings.Join(notes, "; ")
	f.audit(ctx, entry)
	f.warnings = append(f.warnings, "Send values in their own type: "+entry.Note+".")
}

// decide asks the policy. A panic is an error.
func (f *flight) decide(ctx context.Context) (r Ruling, err error) {
	p := f.x.cfg.Policy
	if p == nil {
		return Ruling{Verdict: Allow}, nil
	}
	defer func() {
		if v := recover(); v != nil {
			r, err = Ruling{}, &panicError{value: v, stack: debug.Stack()}
		}
	}()
	req := &Request{
		Contract: new(f.tool.c.clone()), Effect: f.effect, Arguments: f.args.Clone(),
		Scope: f.scope, CallID: f.id,
	}
	if f.parent != nil {
		req.Parent = f.parent.tool.c.Name
	}
	if r, err = p.Decide(ctx, req); err != nil {
		return Ruling{}, err
	}
	if int(r.Verdict) >= len(verdictNames) {
		return Ruling{}, errors.New("the policy gave an unknown verdict")
	}
	return r, nil
}

// ask returns what a person is asked, or nil. Preapproval stands for what
// autonomy would ask for, and for nothing else.
func (f *flight) ask(r Ruling) *question {
	preapproved := r.Verdict == Preapprove
	switch {
	case r.Verdict == Ask:
		return &question{orElse(r.Rule, "policy"), orElse(r.Reason, "the policy wants a person's approval"), r.Version}
	case f.tool.c.Approval == AskAlways:
		return &question{"contract", fmt.Sprintf("%s needs a person's approval for every call", f.tool.c.Name), r.Version}
	case f.scope.Autonomy == Manual:
		return &question{"autonomy", "every call needs a person's approval", r.Version}
	case f.effect == Destructive && !preapproved:
		return &question{"effect", "destructive calls need a person's approval", r.Version}
	case f.scope.Autonomy == Gated && f.effect != Read && !preapproved:
		return &question{"autonomy", "writes need a person's approval", r.Version}
	case f.waited:
		return &question{"before", "a person was asked before", r.Version}
	}
	return nil
}

func (f *flight) deny(ctx context.Context, r Ruling) *Result {
	entry := f.auditEntry(AuditRefused)
	entry.Rule, entry.Code, entry.Note = r.Rule, CodeDenied, f.x.redact.text(r.Reason)
	f.audit(ctx, entry)
	return f.fail(&Error{
		Code: CodeDenied, Message: orElse(r.Reason, "this call is not permitted"),
		Suggestion: "Do not send it again. Go on without it, or tell the user what you may not do.",
	})
}

func (f *flight) verb() string {
	return map[Effect]string{Read: "read", Write: "write", Destructive: "cannot be taken back"}[f.effect]
}

// audit appends what belongs to no transaction, also for a caller who has hung up.
// A call does not fail for it.
func (f *flight) audit(ctx context.Context, entry AuditEntry) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := f.x.cfg.Store.AppendAudit(ctx, entry); err != nil {
		f.x.cfg.Logger.Error("the audit could not be written", "kind", string(entry.Kind), "tool", entry.Tool, "call", f.id, "error", f.x.redact.text(err.Error()))
	}
}

// refusals are what the audit keeps of calls that no handler saw; denials have
// entries of their own, with the rule.
var refusals = map[Code]bool{
	CodeConflict: true, CodeOutcomeUnknown: true, CodeApprovalDenied: true, CodeApprovalExpired: true,
	CodeApprovalMismatch: true, CodeBudgetExhausted: true, CodeLoopDetected: true,
}

func (f *flight) auditRefusal(ctx context.Context, res *Result) {
	if f.attempts > 0 || f.tool == nil || res.Error == nil || res.Replayed || !refusals[res.Error.Code] {
		return
	}
	entry := f.auditEntry(AuditRefused)
	entry.Code, entry.Note = res.Error.Code, res.Error.Message
	f.audit(ctx, entry)
}

// auditEntry begins an entry of the audit trail for this call.
func (f *flight) auditEntry(kind AuditKind) AuditEntry {
	i := f.info()
	e := AuditEntry{
		Kind: kind, Tenant: f.scope.Tenant, Subject: f.scope.Subject, Run: f.scope.Run, CallID: f.id,
		Parent: i.Parent, Tool: i.Tool, Effect: f.effect, Contract: f.tool.digest, ArgumentsDigest: f.digest,
	}
	if kind == AuditAsked || f.effect == Destructive && (kind == AuditClaimed || kind == AuditRefused) {
		if e.Arguments = f.showArguments(); f.approval != nil && f.approval.Edited != nil {
			e.Arguments = f.x.redact.arguments(f.args, f.tool.secrets)
		}
	}
	if f.approval != nil {
		e.Approval, e.Rule = f.approval.ID, f.approval.Rule
	}
	return e
}

func orElse(s, fallback string) string {
	if s != "" {
		return s
	}
	return fallback
}
