package helve

import (
	"context"
	"errors"
	"time"
)

// claim is stage 7: one transaction re-checks the approval's expiry, consumes
// it, reserves budget and puts the key to running. An approved read consumes
// its approval and has no row.
func (f *flight) claim(ctx context.Context) *Result {
	if err := ctx.Err(); err != nil {
		f.returnBudget(ctx)
		return f.ended(err)
	}
	if f.effect == Read && f.approval == nil {
		return nil
	}
	p := &ClaimParams{Lease: f.x.cfg.Lease}
	if f.approval != nil && !f.covered {
		p.Approval = &Consume{ID: f.approval.ID, Identity: f.identity()}
	}
	if f.effect == Read {
		return f.claimRead(ctx, p)
	}
	p.Entry = &Entry{
		Token: Token{LedgerKey: f.key}, Fingerprint: f.digest, Run: f.scope.Run, CallID: f.id,
		InRun: f.inRun, Dedupe: f.dedupe, Repeatable: f.repeatable(), Arguments: f.showArguments(),
	}
	if f.approval != nil {
		p.Entry.Approval = f.approval.ID
		if f.approval.Edited != nil {
			p.Entry.Ran, _ = digestJSON(f.args)
		}
	}
	p.Reserve = f.reserved
	p.Audit = []AuditEntry{f.auditEntry(AuditClaimed)}
	return f.claimEntry(ctx, p)
}

func (f *flight) claimRead(ctx context.Context, p *ClaimParams) *Result {
	p.Audit = []AuditEntry{f.auditEntry(AuditClaimed)}
	if _, err := f.x.cfg.Store.Claim(ctx, p); err != nil {
		f.returnBudget(ctx)
		return f.claimFailed(ctx, err)
	}
	return nil
}

// claimEntry claims the key. Where somebody else holds it or has finished it,
// the ledger answers as in stage 4.
func (f *flight) claimEntry(ctx context.Context, p *ClaimParams) *Result {
	for {
		c, err := f.x.cfg.Store.Claim(ctx, p)
		if err != nil {
			return f.claimFailed(ctx, err)
		}
		if c.Won {
			f.entry, f.token = c.Entry, &c.Entry.Token
			return nil
		}
		e := c.Entry
		if e.held() { // an equal call that is running is waited for
			if e, err = f.lookup(ctx); err != nil {
				return f.unavailable("the ledger", err)
			}
			if e == nil {
				e = c.Entry
			}
		}
		if res := f.standing(ctx, e); res != nil {
			return res
		}
		// It became free between the two statements: try once more, as long as
		// the call lasts.
		if f.remaining() <= 0 || !f.sleep(ctx, time.Millisecond) {
			return f.ended(context.DeadlineExceeded)
		}
	}
}

// claimFailed tells why a claim or a reservation was refused.
func (f *flight) claimFailed(ctx context.Context, err error) *Result {
	switch {
	case errors.Is(err, ErrBudget):
		return f.fail(&Error{
			Code: CodeBudgetExhausted, Message: "this run has spent its budget; nothing was done",
			Suggestion: "Finish with what you have.", cause: err,
		})
	case errors.Is(err, ErrApprovalExpired):
		return f.expired()
	case errors.Is(err, ErrApprovalMismatch), errors.Is(err, ErrNoApproval):
		return f.mismatch()
	case errors.Is(err, ErrApprovalConsumed):
		return f.claimAnew(ctx)
	}
	return f.unavailable("the ledger", err)
}

// claimAnew goes back to stage 5 once another call has used the approval. It may
// have come to nothing, so that the approval still covers the entry.
func (f *flight) claimAnew(ctx context.Context) *Result {
	if f.remaining() <= 0 {
		return f.ended(context.DeadlineExceeded)
	}
	f.approval, f.covered = nil, false
	f.args, f.effect = f.asked, f.effectOf(f.asked)
	f.shared.put(nil)
	if res := f.approve(ctx); res != nil {
		return res
	}
	if res := f.reserveBudget(ctx); res != nil {
		return res
	}
	return f.claim(ctx)
}

// returnBudget gives back what a read reserved and did not use.
func (f *flight) returnBudget(ctx context.Context) {
	if f.reserved == nil || f.effect != Read {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	p := &FinishParams{Settle: &Settlement{Reservation: *f.reserved}}
	if err := f.x.cfg.Store.Finish(ctx, p); err != nil {
		f.x.cfg.Logger.Error("a reservation could not be returned", "call", f.id, "error", f.x.redact.text(err.Error()))
	}
}
