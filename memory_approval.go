package helve

import (
	"bytes"
	"context"
	"slices"
	"time"
)

// Ask is [Approvals.Ask].
func (m *MemoryStore) Ask(_ context.Context, a *Approval, ttl time.Duration) (*Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	ref := callRef{a.Tenant, a.Run, a.CallID}
	if a.Run != "" {
		for _, id := range m.byCall[ref] {
			if o := m.approvals[id]; m.open(o, now) && o.ApprovalIdentity != a.ApprovalIdentity {
				return nil, ErrApprovalMismatch
			}
		}
	}
	if o := m.approvals[m.latest[a.ApprovalIdentity]]; o != nil {
		was := o.State
		m.open(o, now)
		denied := o.State == ApprovalDenied && now.Before(o.Expires)
		if denied || m.open(o, now) || o.State == ApprovalExpired && was != ApprovalExpired {
			return o.clone(), nil
		}
	}
	n := a.clone()
	n.State, n.Asked, n.Expires = ApprovalPending, now, now.Add(ttl)
	m.approvals[n.ID] = n
	m.latest[n.ApprovalIdentity] = n.ID
	m.asked = append(m.asked, n.ID)
	if n.Run != "" {
		m.byCall[ref] = append(m.byCall[ref], n.ID)
	}
	m.forgetApprovals(now)
	return n.clone(), nil
}

// open reports whether a may still be decided or used, after noting that its
// time is over.
func (m *MemoryStore) open(a *Approval, now time.Time) bool {
	if a.State != ApprovalPending && a.State != ApprovalApproved {
		return false
	}
	if now.Before(a.Expires) {
		return true
	}
	a.State = ApprovalExpired
	return false
}

// forgetApprovals drops the oldest approvals that are not open.
func (m *MemoryStore) forgetApprovals(now time.Time) {
	if len(m.asked) <= 2*m.rows {
		return
	}
	drop := len(m.asked) - m.rows
	m.asked = slices.DeleteFunc(m.asked, func(id string) bool {
		a := m.approvals[id]
		if drop <= 0 || m.open(a, now) {
			return false
		}
		drop--
		delete(m.approvals, id)
		if m.latest[a.ApprovalIdentity] == id {
			delete(m.latest, a.ApprovalIdentity)
		}
		ref := callRef{a.Tenant, a.Run, a.CallID}
		if m.byCall[ref] = slices.DeleteFunc(m.byCall[ref], func(o string) bool { return o == id }); len(m.byCall[ref]) == 0 {
			delete(m.byCall, ref)
		}
		return true
	})
}

// Approval is [Approvals.Approval].
func (m *MemoryStore) Approval(_ context.Context, id string) (*Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.approvals[id]
	if a == nil {
		return nil, ErrNoApproval
	}
	m.open(a, time.Now())
	return a.clone(), nil
}

// Decide is [Approvals.Decide].
func (m *MemoryStore) Decide(_ context.Context, id string, d *Decision) (*Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	a := m.approvals[id]
	switch {
	case a == nil:
		return nil, ErrNoApproval
	case d.ArgumentsDigest != (Digest{}) && d.ArgumentsDigest != a.ArgumentsDigest:
		return nil, ErrApprovalMismatch
	}
	m.open(a, now)
	switch {
	case a.State == ApprovalExpired:
		return nil, ErrApprovalExpired
	case a.State != ApprovalPending:
		if approved := a.State != ApprovalDenied; approved != d.Approve || !bytes.Equal(d.Arguments, a.Edited) {
			return a.clone(), ErrDecided
		}
		return a.clone(), nil
	}
	a.State = ApprovalDenied
	if d.Approve {
		a.State, a.Edited = ApprovalApproved, d.Arguments.Clone()
	}
	a.DecidedBy, a.DecidedAt, a.DecisionReason = d.By, now, d.Reason
	return a.clone(), nil
}

// ListApprovals is [Approvals.ListApprovals].
func (m *MemoryStore) ListApprovals(_ context.Context, f ApprovalFilter) ([]*Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	var out []*Approval
	for _, id := range m.asked {
		a := m.approvals[id]
		m.open(a, now)
		if a.Tenant == f.Tenant && (f.Run == "" || a.Run == f.Run) && (f.State == "" || a.State == f.State) {
			out = append(out, a.clone())
		}
	}
	return out, nil
}

// usable is the second step of [ClaimParams].
func (m *MemoryStore) usable(c *Consume, now time.Time) error {
	a := m.approvals[c.ID]
	switch {
	case a == nil:
		return ErrNoApproval
	case a.ApprovalIdentity != c.Identity:
		return ErrApprovalMismatch
	case m.open(a, now) && a.State == ApprovalApproved:
		return nil
	case a.State == ApprovalConsumed:
		return ErrApprovalConsumed
	case a.State == ApprovalExpired:
		return ErrApprovalExpired
	}
	return ErrApprovalMismatch
}

func (m *MemoryStore) consume(id string) { m.approvals[id].State = ApprovalConsumed }

func (a *Approval) clone() *Approval {
	c := *a
	c.Arguments, c.Edited = a.Arguments.Clone(), a.Edited.Clone()
	return &c
}
