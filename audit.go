package helve

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Audits keeps the audit trail.
type Audits interface {
	// AppendAudit adds entries in their order. A store may keep back those of
	// [AuditReplayed] for up to a second, so that a replay needs no write of its
	// own; other processes see them then.
	AppendAudit(ctx context.Context, entries ...AuditEntry) error
	// Audit returns the entries that match, oldest first.
	Audit(ctx context.Context, f AuditFilter) ([]AuditEntry, error)
}

// An AuditEntry is one line of the audit trail. It holds no idempotency key,
// no secret and, but for destructive calls and those that a person is asked
// about, no arguments.
type AuditEntry struct {
	// Seq and At are set by the store. Seq rises within the tenant.
	Seq int64     `json:"seq"`
	At  time.Time `json:"at"`
	// Kind is one of the Audit constants.
	Kind            AuditKind      `json:"kind"`
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

// An AuditKind says what an entry of the audit tells of.
type AuditKind string

// The kinds of audit entries.
const (
	AuditCoerced  AuditKind = "coerced"     // an argument was read as another type than it was sent
	AuditRefused  AuditKind = "refused"     // policy, person, ledger or loop guard said no
	AuditAsked    AuditKind = "asked"       // a person is asked
	AuditDecided  AuditKind = "decided"     // a person decided
	AuditClaimed  AuditKind = "claimed"     // a handler is about to run
	AuditFinished AuditKind = "finished"    // it ended; the state says how
	AuditReplayed AuditKind = "replayed"    // the ledger answered instead
	AuditLate     AuditKind = "late_result" // a handler ended after its call
	AuditResolved AuditKind = "resolved"    // a person or the tool said what became of an unknown outcome
)

// An AuditFilter selects entries of one tenant.
type AuditFilter struct {
	// Tenant is matched as it is: the zero value is the empty tenant, not all.
	Tenant string
	// Run, CallID, Tool, Approval and Kind narrow it further. Empty: any.
	Run, CallID, Tool, Approval string
	Kind                        AuditKind
	// After leaves out entries up to this number.
	After int64
	// Since leaves out what is older. Zero: nothing.
	Since time.Time
	// Limit bounds how many are returned. Zero: all.
	Limit int
}
