package helve

import "errors"

// A Store is the durable memory of executors: what ran, what a person decided,
// what was spent, the runs of agents, and the audit. Executors that share a
// store answer alike.
//
// Rules for every implementation, which package storetest checks:
//  1. Each method is atomic: it happens as a whole or, on error, not at all.
//  2. Time is the store's own clock, never the caller's.
//  3. What goes in and what comes out are copies.
//  4. Methods are safe for concurrent use, by several processes where the
//     store is shared.
//  5. A tenant never sees or changes what belongs to another.
type Store interface {
	Ledger
	Approvals
	Budgets
	Runs
	Audits
}

// The errors of stores. Any other error means that the store cannot be reached.
var (
	ErrFenced           = errors.New("helve: the claim is held by another")
	ErrBudget           = errors.New("helve: the budget is exhausted")
	ErrNoApproval       = errors.New("helve: no such approval")
	ErrDecided          = errors.New("helve: the approval was decided otherwise")
	ErrApprovalExpired  = errors.New("helve: the approval has expired")
	ErrApprovalMismatch = errors.New("helve: the approval is for another call")
	ErrApprovalConsumed = errors.New("helve: the approval was used already")
	ErrNoRun            = errors.New("helve: no such run")
	ErrRunChanged       = errors.New("helve: the run was changed by another")
)
