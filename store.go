package helve

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A Store is the durable memory of executors: what ran, what a person decided,
// what was spent, and the audit. Executors that share a store answer alike.
//
// Rules for every implementation, which package storetest checks:
//  1. Each method is atomic: it happens as a whole or, on error, not at all.
//  2. Time is the store's own clock, never the caller's.
//  3. What goes in and what comes out are copies.
//  4. Methods are safe for concurrent use, by several processes where the
//     store is shared.
type Store interface {
	Ledger
	Approvals
	Budgets
	Audits
}

// A Ledger remembers calls with effects, so that none happens twice.
type Ledger interface {
	// Recall returns what is known of the key. Where nothing is, it looks for an
	// entry of the same tenant, scope, run and fingerprint whose outcome is
	// unknown. It returns nil where there is neither. It changes nothing but an
	// entry that is running past its lease and not repeatable: that one becomes
	// unknown.
	Recall(ctx context.Context, q *RecallParams) (*Entry, error)
	// Claim decides in one transaction who may run a call; see [ClaimParams].
	Claim(ctx context.Context, p *ClaimParams) (*Claim, error)
	// Beat prolongs the lease of a running entry. [ErrFenced] says that the
	// token no longer holds it.
	Beat(ctx context.Context, t Token, lease time.Duration) error
	// Finish records an outcome in one transaction; see [FinishParams].
	Finish(ctx context.Context, p *FinishParams) error
}

// Approvals remembers what persons are asked and what they decided.
type Approvals interface {
	// Ask returns the approval that governs a call: the latest of the same
	// identity that is pending, approved or denied, else a, which it stores as
	// pending, under a.ID, with an expiry of ttl from now. One that has passed its expiry becomes
	// expired and is returned once. [ErrApprovalMismatch] says that the same run
	// and call id has a pending or approved approval of another identity.
	Ask(ctx context.Context, a *Approval, ttl time.Duration) (*Approval, error)
	// Approval returns one by its id, or [ErrNoApproval].
	Approval(ctx context.Context, id string) (*Approval, error)
	// Decide records a decision on a pending approval and returns the record.
	// The same decision again returns the record as it stands. Another one is
	// [ErrDecided], one after the expiry [ErrApprovalExpired], one with a digest
	// that is not the record's [ErrApprovalMismatch].
	Decide(ctx context.Context, id string, d *Decision) (*Approval, error)
	// ListApprovals returns those that match, oldest first.
	ListApprovals(ctx context.Context, f ApprovalFilter) ([]*Approval, error)
}

// Budgets keeps what runs have spent.
type Budgets interface {
	// Reserve takes r from its budget, or returns [ErrBudget] and takes nothing.
	// Claim does the same inside its transaction for calls with effects.
	Reserve(ctx context.Context, r Reservation) error
	// Spent returns what is taken from a budget so far, reservations included.
	Spent(ctx context.Context, tenant, budget string) (Spent, error)
}

// Audits keeps the audit trail.
type Audits interface {
	// AppendAudit adds entries in their order.
	AppendAudit(ctx context.Context, entries ...AuditEntry) error
	// Audit returns the entries of a tenant, of a run or of all where run is
	// empty, oldest first.
	Audit(ctx context.Context, tenant, run string) ([]AuditEntry, error)
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
)

// An EntryState is where an entry of the ledger stands.
type EntryState string

// The states of an entry.
const (
	// EntryReserved: claimed, nothing sent. Without a lease anybody may take it.
	EntryReserved EntryState = "reserved"
	// EntryRunning: past the point of no return.
	EntryRunning EntryState = "running"
	// EntryRetryable: it failed, nothing happened, and the call may be sent again.
	EntryRetryable EntryState = "retryable"
	// EntrySucceeded and EntryFailed are final and are replayed.
	EntrySucceeded EntryState = "succeeded"
	EntryFailed    EntryState = "failed"
	// EntryUnknown: sent, outcome not known. Only a late finish with the same
	// token, a reconciliation or a person resolves it.
	EntryUnknown EntryState = "unknown"
)

// A LedgerKey names an entry.
type LedgerKey struct {
	Tenant string
	// Scope is the tool's own name, never its version.
	Scope string
	Key   string
}

// A Token proves who holds an entry. Fence rises with every taking, so that a
// holder that was given up cannot finish what another one took.
type Token struct {
	LedgerKey
	Fence int64
	Claim string
}

// An Entry is a row of the ledger.
type Entry struct {
	Token
	State       EntryState
	Fingerprint Digest
	// Ran is the digest of the arguments that ran, where a person edited them.
	Ran Digest
	// Arguments are the settled arguments, redacted, to say what differs.
	Arguments jsontext.Value
	// Run and CallID are of the call that claimed it.
	Run, CallID string
	// Approval is the id of the approval that covers it, or "".
	Approval string
	// Repeatable says that an expired holder may be followed by another.
	Repeatable bool
	// Attempts counts the takings.
	Attempts int
	// Record is what is replayed. Nil until there is an outcome.
	Record *Record
	// Claimed and Updated are by the store's clock.
	Claimed, Updated time.Time
	// Lease is what is left of it. Zero: none, or past.
	Lease time.Duration
}

// A Record is the outcome that the ledger keeps: redacted and uncut.
type Record struct {
	Data     jsontext.Value `json:"data,omitempty"`
	Content  []Content      `json:"content,omitempty"`
	Note     string         `json:"note,omitempty"`
	Error    *Error         `json:"error,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	// Dropped says that data and content exceeded what is kept.
	Dropped bool `json:"dropped,omitzero"`
}

// RecallParams say what is looked for.
type RecallParams struct {
	LedgerKey
	Fingerprint Digest
	Run         string
}

// ClaimParams ask for a claim. In one transaction the store
//  1. decides whether the entry may be taken: it is new, or it is retryable, or
//     failed with another fingerprint, or reserved without a live lease, or
//     running without one and repeatable; a running one that is neither
//     becomes unknown;
//  2. checks that the approval is approved, not expired, and of the given
//     digests, and consumes it ([ErrApprovalExpired], [ErrApprovalMismatch],
//     [ErrApprovalConsumed]);
//  3. reserves budget ([ErrBudget]);
//  4. puts the entry to running with a new token and a raised fence;
//  5. appends the audit entries.
//
// Where 1 says no, nothing of the rest happens and the entry is returned.
type ClaimParams struct {
	// Entry describes what is claimed: key, fingerprint, run, call, arguments,
	// approval, repeatable. Nil: a read, of which the ledger keeps no row.
	Entry *Entry
	Lease time.Duration
	// Approval is to be consumed. Nil: none.
	Approval *Consume
	// Reserve is taken from a budget. Nil: nothing.
	Reserve *Reservation
	Audit   []AuditEntry
}

// Consume names an approval and what it must be for.
type Consume struct {
	ID       string
	Identity ApprovalIdentity
}

// A Claim is the answer to ClaimParams.
type Claim struct {
	// Won says that the caller may run the call.
	Won bool
	// Entry is the row as it stands. Nil for a read.
	Entry *Entry
}

// FinishParams record an outcome. In one transaction the store puts the entry,
// which must be reserved, running or unknown under the token ([ErrFenced]), to
// State, settles the budget and appends the audit entries. EntryReserved ends
// the lease.
type FinishParams struct {
	// Token holds the entry. Nil: a read, which has none.
	Token  *Token
	State  EntryState
	Record *Record
	Settle *Settlement
	Audit  []AuditEntry
}

// An AuditEntry is one line of the audit trail. It holds no idempotency key,
// no secret and, but for destructive calls, no arguments.
type AuditEntry struct {
	// At is set by the store.
	At time.Time `json:"at"`
	// Kind is "coerced", "denied", "asked", "decided", "claimed", "finished" or
	// "late_result".
	Kind            string         `json:"kind"`
	Tenant          string         `json:"tenant,omitempty"`
	Subject         string         `json:"subject,omitempty"`
	Run             string         `json:"run,omitempty"`
	CallID          string         `json:"call_id,omitempty"`
	Parent          string         `json:"parent,omitempty"`
	Tool            string         `json:"tool"`
	Effect          Effect         `json:"effect"`
	Contract        Digest         `json:"contract"`
	ArgumentsDigest Digest         `json:"arguments_digest,omitzero"`
	Arguments       jsontext.Value `json:"arguments,omitempty"`
	Approval        string         `json:"approval,omitempty"`
	Rule            string         `json:"rule,omitempty"`
	By              string         `json:"by,omitempty"`
	Code            Code           `json:"code,omitempty"`
	State           EntryState     `json:"state,omitempty"`
	Note            string         `json:"note,omitempty"`
}
