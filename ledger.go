package helve

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A Ledger remembers calls with effects, so that none happens twice.
type Ledger interface {
	// Recall returns the entry that a claim would be refused with, else what is
	// known of the key, else nil; see [ClaimParams]. It changes nothing but entries
	// that are running past their lease and not repeatable: those are unknown,
	// whoever looks first.
	Recall(ctx context.Context, q *RecallParams) (*Entry, error)
	// Claim decides in one transaction who may run a call; see [ClaimParams].
	Claim(ctx context.Context, p *ClaimParams) (*Claim, error)
	// Beat prolongs the lease of a running entry. [ErrFenced] says that the
	// token no longer holds it.
	Beat(ctx context.Context, t Token, lease time.Duration) error
	// Finish records an outcome in one transaction; see [FinishParams].
	Finish(ctx context.Context, p *FinishParams) error
	// Entries returns those that match, the latest change first.
	Entries(ctx context.Context, f EntryFilter) ([]*Entry, error)
	// Sweep does what time asks for, for all tenants; see [Retention].
	Sweep(ctx context.Context, r Retention) (Swept, error)
}

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
	Tenant string `json:"tenant"`
	// Scope is the tool's own name, never its version.
	Scope string `json:"scope"`
	Key   string `json:"key"`
}

// A Token proves who holds an entry. Fence rises with every taking, so that a
// holder that was given up cannot finish what another one took.
type Token struct {
	LedgerKey
	Fence int64  `json:"fence"`
	Claim string `json:"claim"`
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
	// InRun says that the key has a meaning within its run only, so that the
	// entry may be forgotten some time after the run is over.
	InRun bool
	// Dedupe is the second key.
	Dedupe Dedupe
	// Approval is the id of the approval that covers it, or "".
	Approval string
	// Repeatable says that an expired holder may be followed by another.
	Repeatable bool
	// Attempts counts the takings.
	Attempts int
	// Record is what is replayed. Nil until there is an outcome, and again once
	// the store has forgotten it: the state alone is kept then.
	Record *Record
	// Claimed and Updated are by the store's clock.
	Claimed, Updated time.Time
	// Lease is what is left of it. Zero: none, or past.
	Lease time.Duration
}

// A Dedupe is a second key, from the arguments that [Contract.DedupeOn] names:
// an entry stands for it for Window after its claim, unless it came to nothing
// (failed or retryable). The zero value is none.
type Dedupe struct {
	Key    string
	Window time.Duration
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
	Dedupe      string
}

// ClaimParams ask for a claim. In one transaction the store
//  1. decides whether the entry may be taken: [Entry.Takable], a new one always.
//     If so, an entry that stands for its dedupe key keeps it from that, and, if
//     it is new or came to nothing (retryable, failed), one of the same tenant,
//     scope, run and fingerprint that is unknown and not repeatable: the same call
//     under another key, which may have happened. A call without a run has none.
//     An entry that is running without a live lease and not repeatable is unknown;
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
	// dedupe, approval, repeatable. Nil: a read, of which the ledger keeps no row.
	Entry *Entry
	Lease time.Duration
	// Approval is to be consumed. Nil: none.
	Approval *Consume
	// Reserve is taken from a budget. Nil: nothing.
	Reserve *Reservation
	Audit   []AuditEntry
}

// Takable reports whether p may take e, which has the same key: it is retryable,
// or failed with another fingerprint, or reserved without a live lease, or
// running without one and repeatable, or unknown and repeatable. It is what a
// store decides in step 1 of a claim, with e as it stands now.
func (e *Entry) Takable(p *Entry) bool {
	same := e.Fingerprint == p.Fingerprint
	switch e.State {
	case EntryRetryable:
		return true
	case EntryFailed:
		return !same
	case EntryReserved:
		return same && e.Lease <= 0
	case EntryRunning:
		return same && e.Lease <= 0 && e.Repeatable
	case EntryUnknown:
		return same && e.Repeatable
	}
	return false
}

// Stands reports whether e stands for its dedupe key, within its window: what it
// claimed has happened, may have happened, or is happening.
func (e *Entry) Stands() bool {
	switch e.State {
	case EntrySucceeded, EntryReserved:
		return true
	case EntryRunning:
		return e.Lease > 0 || !e.Repeatable
	case EntryUnknown:
		return !e.Repeatable
	}
	return false
}

// Lost reports whether e is running without a live lease and must not be
// followed by another holder: a store makes it unknown.
func (e *Entry) Lost() bool { return e.State == EntryRunning && e.Lease <= 0 && !e.Repeatable }

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

// An EntryFilter selects entries of one tenant.
type EntryFilter struct {
	// Tenant is matched as it is: the zero value is the empty tenant, not all.
	Tenant string
	// Scope, Key, Run and State narrow it further. Empty: any.
	Scope, Key, Run string
	State           EntryState
	// Limit bounds how many are returned. Zero: 1,000.
	Limit int
}

// Retention says what [Ledger.Sweep] may forget. Whatever it says, entries that
// run past their lease and are not repeatable become unknown, reservations of
// reads past their lease are returned, and what is not final is kept; so is an
// unknown outcome, for ever.
type Retention struct {
	// Results is how long after the outcome a record is kept; then the state
	// alone answers. Zero: for ever.
	Results time.Duration
	// Runs is how long after its end a run is kept, with its approvals and those
	// of its entries whose key means nothing outside of it. Zero: for ever.
	Runs time.Duration
}

// Swept counts what [Ledger.Sweep] did.
type Swept struct {
	// Unknown entries had lost their holder.
	Unknown int
	// Results were forgotten, with the state kept.
	Results int
	// Runs were removed with what belonged to them.
	Runs int
	// Reservations of reads were returned.
	Reservations int
}
