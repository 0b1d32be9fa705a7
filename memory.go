package helve

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"slices"
	"strings"
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
	twins     map[twinKey]*memoryEntry  // what is unknown in a run, or may become it, as a list by its next
	dedupes   map[LedgerKey][]LedgerKey // by tenant, scope and dedupe key: who claimed it, the last one last
	final     list.List                 // of LedgerKey, oldest first
	approvals map[string]*Approval
	asked     []string                    // approval ids, oldest first
	latest    map[ApprovalIdentity]string // the newest approval of an identity
	byCall    map[callRef][]string        // open approvals of a run's call id
	watchers  map[*approvalWatch]struct{}
	budgets   map[budgetRef]*memoryBudget
	runs      map[runRef]*RunRecord
	audit     [][]AuditEntry   // in blocks, so that it grows and shrinks without copying
	seq       map[string]int64 // of the audit, by tenant
}

var _ Store = (*MemoryStore)(nil)

type (
	memoryEntry struct {
		Entry
		leaseUntil  time.Time
		dedupeUntil time.Time
		final       *list.Element
		next        *memoryEntry // in twins
	}
	twinKey struct {
		tenant, scope, run string
		fingerprint        Digest
	}
	callRef   struct{ tenant, run, call string }
	budgetRef struct{ tenant, budget string }
	runRef    struct{ tenant, id string }
)

// NewMemoryStore returns an empty store. A nil cfg means the zero MemoryConfig.
func NewMemoryStore(cfg *MemoryConfig) *MemoryStore {
	m := &MemoryStore{
		rows:      DefaultLedgerRows,
		entries:   map[LedgerKey]*memoryEntry{},
		twins:     map[twinKey]*memoryEntry{},
		dedupes:   map[LedgerKey][]LedgerKey{},
		approvals: map[string]*Approval{},
		latest:    map[ApprovalIdentity]string{},
		byCall:    map[callRef][]string{},
		watchers:  map[*approvalWatch]struct{}{},
		budgets:   map[budgetRef]*memoryBudget{},
		runs:      map[runRef]*RunRecord{},
		seq:       map[string]int64{},
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
	e := m.known(q, now)
	if e == nil {
		return nil, nil
	}
	return e.snapshot(), nil
}

// known returns the entry that says most about a call, or nil.
func (m *MemoryStore) known(q *RecallParams, now time.Time) *memoryEntry {
	e := m.entries[q.LedgerKey]
	if e != nil {
		if m.refresh(e, now); !e.Takable(&Entry{Fingerprint: q.Fingerprint}) {
			return e
		}
	}
	if other := m.standsFor(q.LedgerKey, q.Dedupe, now); other != nil {
		return other
	}
	if e == nil || e.State == EntryRetryable || e.State == EntryFailed {
		for other := m.twins[twinKey{q.Tenant, q.Scope, q.Run, q.Fingerprint}]; other != nil; other = other.next {
			if m.refresh(other, now); other.State == EntryUnknown && !other.Repeatable {
				return other
			}
		}
	}
	return e
}

// standsFor returns the entry of another key that stands for a dedupe key, or nil.
func (m *MemoryStore) standsFor(k LedgerKey, dedupe string, now time.Time) *memoryEntry {
	if dedupe == "" {
		return nil
	}
	for _, claimer := range slices.Backward(m.dedupes[LedgerKey{k.Tenant, k.Scope, dedupe}]) {
		e := m.entries[claimer]
		if claimer == k || !e.dedupeUntil.After(now) {
			continue
		}
		if m.refresh(e, now); e.Stands() {
			return e
		}
	}
	return nil
}

// claimsDedupe notes who claims the second key of e, and forgets those for whom it
// is over.
func (m *MemoryStore) claimsDedupe(e *memoryEntry, now time.Time) {
	second := LedgerKey{e.Tenant, e.Scope, e.Dedupe.Key}
	m.dedupes[second] = append(slices.DeleteFunc(m.dedupes[second], func(k LedgerKey) bool {
		return k == e.LedgerKey || !m.entries[k].dedupeUntil.After(now)
	}), e.LedgerKey)
}

// leavesDedupe forgets that e claimed its second key.
func (m *MemoryStore) leavesDedupe(e *memoryEntry) {
	if e.Dedupe.Key == "" {
		return
	}
	second := LedgerKey{e.Tenant, e.Scope, e.Dedupe.Key}
	m.dedupes[second] = slices.DeleteFunc(m.dedupes[second], func(k LedgerKey) bool { return k == e.LedgerKey })
	if len(m.dedupes[second]) == 0 {
		delete(m.dedupes, second)
	}
}

// Claim is [Ledger.Claim].
func (m *MemoryStore) Claim(_ context.Context, p *ClaimParams) (*Claim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	var e *memoryEntry
	if p.Entry != nil {
		q := &RecallParams{LedgerKey: p.Entry.LedgerKey, Fingerprint: p.Entry.Fingerprint, Run: p.Entry.Run, Dedupe: p.Entry.Dedupe.Key}
		e = m.known(q, now)
		if e != nil && (e.LedgerKey != p.Entry.LedgerKey || !e.Takable(p.Entry)) {
			return &Claim{Entry: e.snapshot()}, nil
		}
		if e == nil && !m.room() {
			return nil, errors.New("helve: the memory ledger is full of calls that have not ended")
		}
	}
	if p.Approval != nil {
		a := m.approvals[p.Approval.ID]
		if a == nil {
			return nil, ErrNoApproval
		}
		m.open(a, now)
		if err := a.Usable(p.Approval); err != nil {
			return nil, err
		}
	}
	if p.Reserve != nil {
		if err := m.reserve(p.Reserve, now); err != nil {
			return nil, err
		}
	}
	if p.Approval != nil {
		m.approvals[p.Approval.ID].State = ApprovalConsumed
	}
	m.append(now, p.Audit)
	if p.Entry == nil {
		return &Claim{Won: true}, nil
	}
	e = m.take(e, p, now)
	m.refresh(e, now)
	return &Claim{Won: true, Entry: e.snapshot()}, nil
}

// take puts the entry to running under a new token.
func (m *MemoryStore) take(e *memoryEntry, p *ClaimParams, now time.Time) *memoryEntry {
	fence, attempts := int64(0), 0
	if e != nil {
		fence, attempts = e.Fence, e.Attempts
		m.leavesTwins(e)
		m.setFinal(e, false)
		m.leavesDedupe(e)
	} else {
		e = &memoryEntry{}
	}
	e.Entry = *p.Entry
	e.Arguments = p.Entry.Arguments.Clone()
	e.Token = Token{LedgerKey: p.Entry.LedgerKey, Fence: fence + 1, Claim: newID("cl_")}
	e.State, e.Attempts, e.Record = EntryRunning, attempts+1, nil
	e.Claimed, e.Updated, e.leaseUntil = now, now, now.Add(p.Lease)
	if d := e.Dedupe; d.Key != "" {
		e.dedupeUntil = now.Add(d.Window)
		m.claimsDedupe(e, now)
	}
	m.entries[e.LedgerKey] = e
	if twin := e.twin(); e.Run != "" {
		e.next, m.twins[twin] = m.twins[twin], e
	}
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
	m.refresh(e, now)
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
	if p.Settle != nil {
		m.settle(p.Settle, now)
	}
	m.append(now, p.Audit)
	return nil
}

// Entries is [Ledger.Entries].
func (m *MemoryStore) Entries(_ context.Context, f EntryFilter) ([]*Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	var out []*Entry
	for _, e := range m.entries {
		m.refresh(e, now)
		if e.Tenant == f.Tenant && (f.Scope == "" || e.Scope == f.Scope) && (f.Key == "" || e.Key == f.Key) &&
			(f.Run == "" || e.Run == f.Run) && (f.State == "" || e.State == f.State) {
			out = append(out, e.snapshot())
		}
	}
	slices.SortFunc(out, func(a, b *Entry) int {
		return cmp.Or(b.Updated.Compare(a.Updated), strings.Compare(a.Key, b.Key))
	})
	return atMost(out, f.Limit), nil
}

const defaultLimit = 1000 // of what a filter without one returns

func atMost[T any](list []T, limit int) []T {
	if limit <= 0 {
		limit = defaultLimit
	}
	return list[:min(len(list), limit)]
}

// Sweep is [Ledger.Sweep].
func (m *MemoryStore) Sweep(_ context.Context, r Retention) (Swept, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	var s Swept
	over := func(t time.Time, keep time.Duration) bool { return keep > 0 && t.Add(keep).Before(now) }
	for _, e := range m.entries {
		was := e.State
		if m.refresh(e, now); e.State != was {
			s.Unknown++
		}
		if e.Record != nil && e.finished() && over(e.Updated, r.Results) {
			e.Record = nil
			s.Results++
		}
	}
	for _, b := range m.budgets {
		s.Reservations += b.returnReads(now)
	}
	for ref, run := range m.runs {
		if run.Ended && over(run.Updated, r.Runs) {
			m.forgetRun(ref)
			s.Runs++
		}
	}
	return s, nil
}

// finished reports whether nothing more happens under e by itself.
func (e *Entry) finished() bool {
	return e.State == EntrySucceeded || e.State == EntryFailed || e.State == EntryRetryable
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
		m.seq[e.Tenant]++
		e.Seq, e.At, e.Arguments = m.seq[e.Tenant], now, e.Arguments.Clone()
		last := len(m.audit) - 1
		block := min(auditBlock, m.rows)
		if last < 0 || len(m.audit[last]) == block {
			m.audit = append(m.audit, make([]AuditEntry, 0, block))
			last++
		}
		m.audit[last] = append(m.audit[last], e)
		if (last-1)*block+len(m.audit[last]) >= m.rows && last > 0 { // enough without the oldest
			m.audit[0] = nil
			m.audit = m.audit[1:]
		}
	}
}

const auditBlock = 64 // entries

// Audit is [Audits.Audit].
func (m *MemoryStore) Audit(_ context.Context, f AuditFilter) ([]AuditEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []AuditEntry
	for _, block := range m.audit {
		for i := range block {
			if !f.matches(&block[i]) {
				continue
			}
			e := block[i]
			e.Arguments = e.Arguments.Clone()
			if out = append(out, e); len(out) == f.Limit {
				return out, nil
			}
		}
	}
	return out, nil
}

func (f *AuditFilter) matches(e *AuditEntry) bool {
	return e.Tenant == f.Tenant && (f.Run == "" || e.Run == f.Run) && (f.CallID == "" || e.CallID == f.CallID) &&
		(f.Tool == "" || e.Tool == f.Tool) && (f.Approval == "" || e.Approval == f.Approval) && (f.Kind == "" || e.Kind == f.Kind) &&
		e.Seq > f.After && !e.At.Before(f.Since)
}

// refresh brings up to date what time has done to e: what is left of its lease,
// and the loss of its holder.
func (m *MemoryStore) refresh(e *memoryEntry, now time.Time) {
	e.Lease = 0
	if !e.leaseUntil.IsZero() {
		e.Lease = max(0, e.leaseUntil.Sub(now))
	}
	if e.Lost() {
		m.setState(e, EntryUnknown)
		e.Updated = now
	}
}

// setState puts e to a state that is not running: nothing but a claim does that.
func (m *MemoryStore) setState(e *memoryEntry, s EntryState) {
	e.State = s
	if s != EntryUnknown && s != EntryReserved {
		m.leavesTwins(e)
	}
	m.setFinal(e, e.finished())
}

// leavesTwins removes e from what is unknown or may become it.
func (m *MemoryStore) leavesTwins(e *memoryEntry) {
	twin := e.twin()
	first := m.twins[twin]
	for at := &first; *at != nil; at = &(*at).next {
		if *at == e {
			*at, e.next = e.next, nil
			break
		}
	}
	if m.twins[twin] = first; first == nil {
		delete(m.twins, twin)
	}
}

func (e *memoryEntry) twin() twinKey { return twinKey{e.Tenant, e.Scope, e.Run, e.Fingerprint} }

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
	m.forget(m.entries[oldest.Value.(LedgerKey)])
	return true
}

// forget removes an entry that is final.
func (m *MemoryStore) forget(e *memoryEntry) {
	m.setFinal(e, false)
	m.leavesDedupe(e)
	delete(m.entries, e.LedgerKey)
}

func (e *memoryEntry) snapshot() *Entry {
	c := e.Entry
	c.Arguments, c.Record = e.Arguments.Clone(), e.Record.clone()
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
