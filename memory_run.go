package helve

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// SaveRun is [Runs.SaveRun].
func (m *MemoryStore) SaveRun(_ context.Context, r *RunRecord) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	ref, now := runRef{r.Tenant, r.ID}, time.Now()
	created, version := now, int64(0)
	if old := m.runs[ref]; old != nil {
		created, version = old.Created, old.Version
	}
	if r.Version != version {
		return ErrRunChanged
	}
	r.Version, r.Created, r.Updated = version+1, created, now
	c := *r
	c.Data = bytes.Clone(r.Data)
	m.runs[ref] = &c
	return nil
}

// LoadRun is [Runs.LoadRun].
func (m *MemoryStore) LoadRun(_ context.Context, tenant, id string) (*RunRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[runRef{tenant, id}]
	if r == nil {
		return nil, ErrNoRun
	}
	c := *r
	c.Data = bytes.Clone(r.Data)
	return &c, nil
}

// ListRuns is [Runs.ListRuns].
func (m *MemoryStore) ListRuns(_ context.Context, f RunFilter) ([]*RunRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []*RunRecord
	for _, r := range m.runs {
		if r.Tenant == f.Tenant && (f.State == "" || r.State == f.State) && (f.Kind == "" || r.Kind == f.Kind) {
			c := *r
			c.Data = nil
			out = append(out, &c)
		}
	}
	slices.SortFunc(out, func(a, b *RunRecord) int {
		return cmp.Or(b.Updated.Compare(a.Updated), strings.Compare(a.ID, b.ID))
	})
	return atMost(out, f.Limit), nil
}

// forgetRun removes a run with its approvals and those of its entries that mean
// nothing outside of it.
func (m *MemoryStore) forgetRun(ref runRef) {
	delete(m.runs, ref)
	for _, e := range m.entries {
		if e.Tenant == ref.tenant && e.Run == ref.id && e.InRun && e.finished() {
			m.forget(e)
		}
	}
	m.asked = slices.DeleteFunc(m.asked, func(id string) bool {
		a := m.approvals[id]
		if a.Tenant != ref.tenant || a.Run != ref.id {
			return false
		}
		m.forgetApproval(a)
		return true
	})
}
