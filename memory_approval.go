package helve

import (
	"context"
	"slices"
	"time"
)

// Ask is [Approvals.Ask].
func (m *MemoryStore) Ask(_ context.Context, a *Approval, ttl time.Duration, audit ...AuditEntry) (*Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	ref := callRef{a.Tenant, a.Run, a.CallID}
	if a.Run != "" {
		for _, id := range m.byCall[ref] {
			if o := m.approvals[id]; o.ApprovalIdentity != a.ApprovalIdentity && m.open(o, now) {
				return nil, ErrApprovalMismatch
			}
		}
	}
	if o := m.approvals[m.latest[a.ApprovalIdentity]]; o != nil {
		was := o.State
		m.open(o, now)
		stands := o.State == ApprovalDenied && now.Before(o.Expires) || o.State == ApprovalConsumed && a.Follows != o.ID
		if stands || m.open(o, now) || o.State == ApprovalExpired && was != ApprovalExpired {
			return o.clone(), nil
		}
	}
	n := a.clone()
	n.Follows = ""
	n.State, n.Asked, n.Expires = ApprovalPending, now, now.Add(ttl)
	m.approvals[n.ID] = n
	m.latest[n.ApprovalIdentity] = n.ID
	m.asked = append(m.asked, n.ID)
	if n.Run != "" {
		m.byCall[ref] = append(m.byCall[ref], n.ID)
	}
	m.forgetApprovals(now)
	m.append(now, audit)
	m.notify(n)
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
		m.forgetApproval(a)
		return true
	})
}

func (m *MemoryStore) forgetApproval(a *Approval) {
	delete(m.approvals, a.ID)
	if m.latest[a.ApprovalIdentity] == a.ID {
		delete(m.latest, a.ApprovalIdentity)
	}
	ref := callRef{a.Tenant, a.Run, a.CallID}
	if m.byCall[ref] = slices.DeleteFunc(m.byCall[ref], func(id string) bool { return id == a.ID }); len(m.byCall[ref]) == 0 {
		delete(m.byCall, ref)
	}
}

// An approvalWatch is somebody who wants to know of a tenant's approvals.
type approvalWatch struct {
	tenant string
	fn     func(ApprovalNotice)
}

// WatchApprovals is [Approvals.WatchApprovals].
func (m *MemoryStore) WatchApprovals(ctx context.Context, tenant string, fn func(ApprovalNotice)) error {
	w := &approvalWatch{tenant, fn}
	m.mu.Lock()
	m.watchers[w] = struct{}{}
	fn(ApprovalNotice{})
	m.mu.Unlock()
	<-ctx.Done()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.watchers, w)
	return ctx.Err()
}

func (m *MemoryStore) notify(a *Approval) {
	for w := range m.watchers {
		if w.tenant == a.Tenant {
			w.fn(ApprovalNotice{a.ID, a.State})
		}
	}
}

// Approval is [Approvals.Approval].
func (m *MemoryStore) Approval(_ context.Context, tenant, id string) (*Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.approvals[id]
	if a == nil || a.Tenant != tenant {
		return nil, ErrNoApproval
	}
	m.open(a, time.Now())
	return a.clone(), nil
}

// Decide is [Approvals.Decide].
func (m *MemoryStore) Decide(_ context.Context, tenant, id string, d *Decision, audit ...AuditEntry) (*Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	a := m.approvals[id]
	if a == nil || a.Tenant != tenant {
		return nil, ErrNoApproval
	}
	m.open(a, now)
	decides, err := a.Decidable(d)
	if !decides {
		return a.clone(), err
	}
	a.State = ApprovalDenied
	if d.Approve {
		a.State, a.Edited = ApprovalApproved, d.Arguments.Clone()
	}
	a.DecidedBy, a.DecidedAt, a.DecisionReason = d.By, now, d.Reason
	m.append(now, audit)
	m.notify(a)
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

func (a *Approval) clone() *Approval {
	c := *a
	c.Arguments, c.Edited = a.Arguments.Clone(), a.Edited.Clone()
	return &c
}
