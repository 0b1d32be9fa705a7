package helve

import (
	"bytes"
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Approvals remembers what persons are asked and what they decided.
type Approvals interface {
	// Ask returns the approval that governs a call: the latest of the same
	// identity that is pending, approved, denied, or consumed and not the one that
	// a follows, else a, which it stores as pending, under a.ID, with an expiry of
	// ttl from now. One that has passed its expiry becomes expired and is returned
	// once. [ErrApprovalMismatch] says that
	// the same run and call id has a pending or approved approval of another
	// identity. The audit entries are appended in the same transaction, where a
	// was stored.
	Ask(ctx context.Context, a *Approval, ttl time.Duration, audit ...AuditEntry) (*Approval, error)
	// Approval returns one of the tenant's by its id, or [ErrNoApproval].
	Approval(ctx context.Context, tenant, id string) (*Approval, error)
	// Decide records a decision on a pending approval of the tenant and returns
	// the record. The same decision again returns the record as it stands.
	// Another one is [ErrDecided], one after the expiry [ErrApprovalExpired], one
	// with a digest that is not the record's [ErrApprovalMismatch]. The audit
	// entries are appended in the same transaction, where the decision is new.
	Decide(ctx context.Context, tenant, id string, d *Decision, audit ...AuditEntry) (*Approval, error)
	// ListApprovals returns those that match, oldest first.
	ListApprovals(ctx context.Context, f ApprovalFilter) ([]*Approval, error)
	// WatchApprovals calls fn for each approval of the tenant that is asked for or
	// decided, in whatever process, until ctx is done, and returns the reason. It
	// calls fn once with the zero value when it watches, so that nothing falls
	// between a look and the watch. Fn must not block.
	WatchApprovals(ctx context.Context, tenant string, fn func(ApprovalNotice)) error
}

// An ApprovalNotice says that an approval has changed.
type ApprovalNotice struct {
	ID    string
	State ApprovalState
}

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
	// Follows is the id of the consumed approval of the same identity after which
	// this one is asked for: whoever asks knows that one was used. It is for Ask
	// alone and not kept.
	Follows string `json:"-"`
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

// Usable returns nil where a may be consumed by c now, else one of the errors of
// stores. It is what a store decides in step 2 of a claim, with a as it stands
// now, its expiry noted.
func (a *Approval) Usable(c *Consume) error {
	switch {
	case a.ApprovalIdentity != c.Identity:
		return ErrApprovalMismatch
	case a.State == ApprovalApproved:
		return nil
	case a.State == ApprovalConsumed:
		return ErrApprovalConsumed
	case a.State == ApprovalExpired:
		return ErrApprovalExpired
	}
	return ErrApprovalMismatch
}

// Decidable returns what a store answers to d, with a as it stands now, its
// expiry noted: (true, nil) where d decides it, (false, nil) where the same was
// decided before, else an error.
func (a *Approval) Decidable(d *Decision) (bool, error) {
	switch {
	case d.ArgumentsDigest != (Digest{}) && d.ArgumentsDigest != a.ArgumentsDigest:
		return false, ErrApprovalMismatch
	case a.State == ApprovalPending:
		return true, nil
	case a.State == ApprovalExpired:
		return false, ErrApprovalExpired
	case d.Approve != (a.State != ApprovalDenied), !bytes.Equal(d.Arguments, a.Edited):
		return false, ErrDecided
	}
	return false, nil
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
