package helve

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// An ApprovalState is where an approval stands.
type ApprovalState string

// The states of an approval. Pending becomes approved, denied or expired;
// approved becomes consumed or expired; the rest are final.
const (
	ApprovalPending  ApprovalState = "pending"
	ApprovalApproved ApprovalState = "approved"
	ApprovalDenied   ApprovalState = "denied"
	ApprovalExpired  ApprovalState = "expired"
	ApprovalConsumed ApprovalState = "consumed"
)

// An Approval is the record of a person's decision on one exact call. A record
// that a store hands out is a copy.
type Approval struct {
	ID string `json:"id"`
	ApprovalIdentity
	// CallID is the call that asked first.
	CallID string `json:"call_id"`
	// Effect is the effect of the call.
	Effect Effect `json:"effect"`
	// Arguments are the settled arguments, whole: the person must see exactly
	// what will be sent. They are redacted of registered secret values only.
	Arguments jsontext.Value `json:"arguments"`
	// Edited are the arguments that the person put in their place. Nil: none.
	Edited jsontext.Value `json:"edited,omitempty"`
	// PolicyVersion and Rule say what asked; Reason says why.
	PolicyVersion string `json:"policy_version,omitempty"`
	Rule          string `json:"rule"`
	Reason        string `json:"reason"`

	Asked   time.Time     `json:"asked"`
	Expires time.Time     `json:"expires"`
	State   ApprovalState `json:"state"`
	// DecidedBy, DecidedAt and DecisionReason are the person's.
	DecidedBy      string    `json:"decided_by,omitempty"`
	DecidedAt      time.Time `json:"decided_at,omitzero"`
	DecisionReason string    `json:"decision_reason,omitempty"`
}

// An ApprovalIdentity says which call an approval is for. Two calls with equal
// identities are the same to the person who is asked.
type ApprovalIdentity struct {
	Tenant string `json:"tenant,omitempty"`
	// Run is the run, or "" with the subject in Subject.
	Run     string `json:"run,omitempty"`
	Subject string `json:"subject,omitempty"`
	Tool    string `json:"tool"`
	// Contract is the digest of the contract that was in force.
	Contract Digest `json:"contract"`
	// ArgumentsDigest is the digest of the canonical arguments.
	ArgumentsDigest Digest `json:"arguments_digest"`
}

// A Decision is a person's answer to an approval. The zero value denies.
type Decision struct {
	// Approve is yes; everything else is no.
	Approve bool
	// By names the person.
	By string
	// Reason is told to the model when the answer is no.
	Reason string
	// Arguments, when not nil, are to run in place of those that were asked
	// for. They are checked against schema and policy first.
	Arguments jsontext.Value
	// ArgumentsDigest, when not zero, must be the record's: it shows that the
	// person decided on what the record holds.
	ArgumentsDigest Digest
}

// An ApprovalFilter selects approvals of one tenant.
type ApprovalFilter struct {
	// Tenant is matched as it is: the zero value is the empty tenant, not all.
	Tenant string
	// Run and State narrow it further. Empty: any.
	Run   string
	State ApprovalState
}
