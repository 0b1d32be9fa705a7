package helve

import (
	"container/list"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// DefaultLedgerRows is how many rows a memory store keeps.
const DefaultLedgerRows = 10_000

// MemoryConfig configures [NewMemoryStore]. The zero value is sensible.
type MemoryConfig struct {
	// Rows bounds ledger, approvals and audit, each. Zero: [DefaultLedgerRows].
	// The oldest final rows make place; a row that is not final never does, and
	// a ledger full of those refuses new claims.
	Rows int
}

// A MemoryStore is a [Store] in the memory of one process. What it forgets by
// its bound, or by the end of the process, may run again: use a database where
// that matters. It is safe for concurrent use.
type MemoryStore struct {
	rows int

	mu        sync.Mutex
	entries   map[LedgerKey]*memoryEntry
	unknown   map[twinKey]LedgerKey
	final     list.List // of LedgerKey, oldest first
	approvals map[string]*Approval
	asked     []string                    // approval ids, oldest first
	latest    map[ApprovalIdentity]string // the newest approval of an identity
	byCall    map[callRef][]string        // open approvals of a run's call id
	spent     map[budgetRef]Spent
	audit     []AuditEntry
}

var _ Store = (*MemoryStore)(nil)

type (
	memoryEntry struct {
		Entry
		leaseUntil time.Time
		final      *list.Element
	}
	twinKey   struct{ tenant, scope, run, fingerprint string }
	callRef   struct{ tenant, run, call string }
	budgetRef struct{ tenant, budget string }
)

// NewMemoryStore returns an empty store. A nil cfg means the zero MemoryConfig.
func NewMemoryStore(cfg *MemoryConfig) *MemoryStore {
	m := &MemoryStore{
		rows:      DefaultLedgerRows,
		entries:   map[LedgerKey]*memoryEntry{},
		unknown:   map[twinKey]LedgerKey{},
		approvals: map[string]*Approval{},
		latest:    map[ApprovalIdentity]string{},
		byCall:    map[callRef][]string{},
		spent:     map[budgetRef]Spent{},
	}
	if cfg != nil && cfg.Rows > 0 {
		m.rows = cfg.Rows
	}
	return m
}

// Recall is [Ledger.Recall].
func (m *MemoryStore) Recall(_ context.Context, q *RecallParams) (*Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	e := m.entries[q.LedgerKey]
	if e == nil && q.Run != "" {
		e = m.entries[m.unknown[twinKey{q.Tenant, q.Scope, q.Run, q.Fingerprint.String()}]]
	}
	if e == nil {
		return nil, nil
	}
	m.expire(e, now)
	return e.snapshot(now), nil
}

// Claim is [Ledger.Claim].
func (m *MemoryStore) Claim(_ context.Context, p *ClaimParams) (*Claim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	var e *memoryEntry
	if p.Entry != nil {
		if e = m.entries[p.Entry.LedgerKey]; e != nil {
			m.expire(e, now)
			if !e.takable(p.Entry, now) {
				return &Claim{Entry: e.snapshot(now)}, nil
			}
		} else if !m.room() {
			return nil, errors.New("helve: the memory ledger is full of calls that have not ended")
		}
	}
	if p.Approval != nil {
		if err := m.usable(p.Approval, now); err != nil {
			return nil, err
		}
	}
	if p.Reserve != nil {
		if err := m.reserve(*p.Reserve); err != nil {
			return nil, err
		}
	}
	if p.Approval != nil {
		m.consume(p.Approval.ID)
	}
	m.append(now, p.Audit)
	if p.Entry == nil {
		return &Claim{Won: true}, nil
	}
	return &Claim{Won: true, Entry: m.take(e, p, now).snapshot(now)}, nil
}

// take puts the entry to running under a new token.
func (m *MemoryStore) take(e *memoryEntry, p *ClaimParams, now time.Time) *memoryEntry {
	fence, attempts := int64(0), 0
	if e != nil {
		fence, attempts = e.Fence, e.Attempts
		m.setFinal(e, false)
	} else {
		e = &memoryEntry{}
	}
	e.Entry = *p.Entry
	e.Arguments = p.Entry.Arguments.Clone()
	e.Token = Token{LedgerKey: p.Entry.LedgerKey, Fence: fence + 1, Claim: newID("cl_")}
	e.State, e.Attempts, e.Record = EntryRunning, attempts+1, nil
	e.Claimed, e.Updated, e.leaseUntil = now, now, now.Add(p.Lease)
	m.entries[e.LedgerKey] = e
	return e
}

// Beat is [Ledger.Beat].
func (m *MemoryStore) Beat(_ context.Context, t Token, lease time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	e := m.entries[t.LedgerKey]
	if e == nil || e.Token != t {
		return ErrFenced
	}
	m.expire(e, now)
	if e.State != EntryRunning {
		return ErrFenced
	}
	e.leaseUntil = now.Add(lease)
	return nil
}

// Finish is [Ledger.Finish].
func (m *MemoryStore) Finish(_ context.Context, p *FinishParams) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if p.Token != nil {
		e := m.entries[p.Token.LedgerKey]
		if e == nil || e.Token != *p.Token || e.State != EntryReserved && e.State != EntryRunning && e.State != EntryUnknown {
			return ErrFenced
		}
		m.setState(e, p.State)
		e.Record, e.Updated, e.leaseUntil = p.Record.clone(), now, time.Time{}
	}
	if s := p.Settle; s != nil {
		ref := budgetRef{s.Tenant, s.Budget}
		spent := m.spent[ref]
		spent.Calls += s.SpentCalls - s.Calls
		spent.Cost += s.SpentCost - s.Cost
		m.spent[ref] = spent
	}
	m.append(now, p.Audit)
	return nil
}

// Reserve is [Budgets.Reserve].
func (m *MemoryStore) Reserve(_ context.Context, r Reservation) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reserve(r)
}

func (m *MemoryStore) reserve(r Reservation) error {
	ref := budgetRef{r.Tenant, r.Budget}
	s := m.spent[ref]
	if r.Limit.Calls > 0 && r.Calls > r.Limit.Calls-s.Calls || r.Limit.Cost > 0 && r.Cost > r.Limit.Cost-s.Cost {
		return ErrBudget
	}
	m.spent[ref] = Spent{s.Calls + r.Calls, s.Cost + r.Cost}
	return nil
}

// Spent is [Budgets.Spent].
func (m *MemoryStore) Spent(_ context.Context, tenant, budget string) (Spent, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent[budgetRef{tenant, budget}], nil
}

// AppendAudit is [Audits.AppendAudit].
func (m *MemoryStore) AppendAudit(_ context.Context, entries ...AuditEntry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.append(time.Now(), entries)
	return nil
}

func (m *MemoryStore) append(now time.Time, entries []AuditEntry) {
	for _, e := range entries {
		e.At, e.Arguments = now, e.Arguments.Clone()
		m.audit = append(m.audit, e)
	}
	// Dropped in one go at twice the bound, so that appending stays cheap.
	if len(m.audit) > 2*m.rows {
		m.audit = slices.Clone(m.audit[len(m.audit)-m.rows:])
	}
}

// Audit is [Audits.Audit].
func (m *MemoryStore) Audit(_ context.Context, tenant, run string) ([]AuditEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []AuditEntry
	for _, e := range m.audit {
		if e.Tenant == tenant && (run == "" || e.Run == run) {
			e.Arguments = e.Arguments.Clone()
			out = append(out, e)
		}
	}
	return out, nil
}

// takable is the first step of [ClaimParams].
func (e *memoryEntry) takable(p *Entry, now time.Time) bool {
	same := e.Fingerprint == p.Fingerprint
	switch e.State {
	case EntryRetryable:
		return true
	case EntryFailed:
		return !same
	case EntryReserved:
		return same && !e.leaseUntil.After(now)
	case EntryRunning:
		return same && !e.leaseUntil.After(now) && e.Repeatable
	case EntryUnknown:
		return same && e.Repeatable
	}
	return false
}

// expire makes a running entry unknown whose holder is gone and must not be
// followed by another.
func (m *MemoryStore) expire(e *memoryEntry, now time.Time) {
	if e.State == EntryRunning && !e.Repeatable && !e.leaseUntil.After(now) {
		m.setState(e, EntryUnknown)
		e.Updated = now
	}
}

func (m *MemoryStore) setState(e *memoryEntry, s EntryState) {
	twin := twinKey{e.Tenant, e.Scope, e.Run, e.Fingerprint.String()}
	if e.State == EntryUnknown && m.unknown[twin] == e.LedgerKey {
		delete(m.unknown, twin)
	}
	e.State = s
	if s == EntryUnknown && e.Run != "" {
		m.unknown[twin] = e.LedgerKey
	}
	m.setFinal(e, s == EntrySucceeded || s == EntryFailed || s == EntryRetryable)
}

func (m *MemoryStore) setFinal(e *memoryEntry, final bool) {
	if e.final != nil {
		m.final.Remove(e.final)
		e.final = nil
	}
	if final {
		e.final = m.final.PushBack(e.LedgerKey)
	}
}

// room reports whether a row can be added, after making place for it.
func (m *MemoryStore) room() bool {
	if len(m.entries) < m.rows {
		return true
	}
	oldest := m.final.Front()
	if oldest == nil {
		return false
	}
	delete(m.entries, m.final.Remove(oldest).(LedgerKey))
	return true
}

func (e *memoryEntry) snapshot(now time.Time) *Entry {
	c := e.Entry
	c.Arguments, c.Record = e.Arguments.Clone(), e.Record.clone()
	c.Lease = max(0, e.leaseUntil.Sub(now))
	if e.leaseUntil.IsZero() {
		c.Lease = 0
	}
	return &c
}

func (r *Record) clone() *Record {
	if r == nil {
		return nil
	}
	c := *r
	c.Data = r.Data.Clone()
	c.Content = slices.Clone(r.Content)
	c.Warnings = slices.Clone(r.Warnings)
	if r.Error != nil {
		e := *r.Error
		e.Faults, e.Details = slices.Clone(r.Error.Faults), r.Error.Details.Clone()
		c.Error = &e
	}
	return &c
}
