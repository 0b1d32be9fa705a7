package helvetest

import (
	"context"
	"sync"
	"time"

	"helve.dev/helve"
)

// A FailingStore is a store whose methods fail on demand. The zero value is a
// new memory store that does not fail. It is safe for concurrent use.
type FailingStore struct {
	// Store is what answers when nothing is to fail. Nil: a new memory store.
	Store helve.Store

	mu    sync.Mutex
	fails map[string][]error
	calls map[string]int
}

// Fail lets the next calls of a method fail, one for each error; a nil error
// lets one pass. Method is the name of a method of [helve.Store].
func (s *FailingStore) Fail(method string, errs ...error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails == nil {
		s.fails = map[string][]error{}
	}
	s.fails[method] = append(s.fails[method], errs...)
}

// Calls returns how often a method was called.
func (s *FailingStore) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

func (s *FailingStore) next(method string) (helve.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Store == nil {
		s.Store = helve.NewMemoryStore(nil)
	}
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[method]++
	if errs := s.fails[method]; len(errs) > 0 {
		s.fails[method] = errs[1:]
		return s.Store, errs[0]
	}
	return s.Store, nil
}

// Recall is [helve.Ledger.Recall].
func (s *FailingStore) Recall(ctx context.Context, q *helve.RecallParams) (*helve.Entry, error) {
	store, err := s.next("Recall")
	if err != nil {
		return nil, err
	}
	return store.Recall(ctx, q)
}

// Claim is [helve.Ledger.Claim].
func (s *FailingStore) Claim(ctx context.Context, p *helve.ClaimParams) (*helve.Claim, error) {
	store, err := s.next("Claim")
	if err != nil {
		return nil, err
	}
	return store.Claim(ctx, p)
}

// Beat is [helve.Ledger.Beat].
func (s *FailingStore) Beat(ctx context.Context, t helve.Token, lease time.Duration) error {
	store, err := s.next("Beat")
	if err != nil {
		return err
	}
	return store.Beat(ctx, t, lease)
}

// Finish is [helve.Ledger.Finish].
func (s *FailingStore) Finish(ctx context.Context, p *helve.FinishParams) error {
	store, err := s.next("Finish")
	if err != nil {
		return err
	}
	return store.Finish(ctx, p)
}

// Entries is [helve.Ledger.Entries].
func (s *FailingStore) Entries(ctx context.Context, f helve.EntryFilter) ([]*helve.Entry, error) {
	store, err := s.next("Entries")
	if err != nil {
		return nil, err
	}
	return store.Entries(ctx, f)
}

// Sweep is [helve.Ledger.Sweep].
func (s *FailingStore) Sweep(ctx context.Context, r helve.Retention) (helve.Swept, error) {
	store, err := s.next("Sweep")
	if err != nil {
		return helve.Swept{}, err
	}
	return store.Sweep(ctx, r)
}

// Ask is [helve.Approvals.Ask].
func (s *FailingStore) Ask(ctx context.Context, a *helve.Approval, ttl time.Duration, audit ...helve.AuditEntry) (*helve.Approval, error) {
	store, err := s.next("Ask")
	if err != nil {
		return nil, err
	}
	return store.Ask(ctx, a, ttl, audit...)
}

// Approval is [helve.Approvals.Approval].
func (s *FailingStore) Approval(ctx context.Context, tenant, id string) (*helve.Approval, error) {
	store, err := s.next("Approval")
	if err != nil {
		return nil, err
	}
	return store.Approval(ctx, tenant, id)
}

// Decide is [helve.Approvals.Decide].
func (s *FailingStore) Decide(ctx context.Context, tenant, id string, d *helve.Decision, audit ...helve.AuditEntry) (*helve.Approval, error) {
	store, err := s.next("Decide")
	if err != nil {
		return nil, err
	}
	return store.Decide(ctx, tenant, id, d, audit...)
}

// ListApprovals is [helve.Approvals.ListApprovals].
func (s *FailingStore) ListApprovals(ctx context.Context, f helve.ApprovalFilter) ([]*helve.Approval, error) {
	store, err := s.next("ListApprovals")
	if err != nil {
		return nil, err
	}
	return store.ListApprovals(ctx, f)
}

// WatchApprovals is [helve.Approvals.WatchApprovals].
func (s *FailingStore) WatchApprovals(ctx context.Context, tenant string, fn func(helve.ApprovalNotice)) error {
	store, err := s.next("WatchApprovals")
	if err != nil {
		return err
	}
	return store.WatchApprovals(ctx, tenant, fn)
}

// Reserve is [helve.Budgets.Reserve].
func (s *FailingStore) Reserve(ctx context.Context, r helve.Reservation) error {
	store, err := s.next("Reserve")
	if err != nil {
		return err
	}
	return store.Reserve(ctx, r)
}

// Spent is [helve.Budgets.Spent].
func (s *FailingStore) Spent(ctx context.Context, tenant, budget string) (helve.Spent, error) {
	store, err := s.next("Spent")
	if err != nil {
		return helve.Spent{}, err
	}
	return store.Spent(ctx, tenant, budget)
}

// SaveRun is [helve.Runs.SaveRun].
func (s *FailingStore) SaveRun(ctx context.Context, r *helve.RunRecord) error {
	store, err := s.next("SaveRun")
	if err != nil {
		return err
	}
	return store.SaveRun(ctx, r)
}

// LoadRun is [helve.Runs.LoadRun].
func (s *FailingStore) LoadRun(ctx context.Context, tenant, id string) (*helve.RunRecord, error) {
	store, err := s.next("LoadRun")
	if err != nil {
		return nil, err
	}
	return store.LoadRun(ctx, tenant, id)
}

// ListRuns is [helve.Runs.ListRuns].
func (s *FailingStore) ListRuns(ctx context.Context, f helve.RunFilter) ([]*helve.RunRecord, error) {
	store, err := s.next("ListRuns")
	if err != nil {
		return nil, err
	}
	return store.ListRuns(ctx, f)
}

// AppendAudit is [helve.Audits.AppendAudit].
func (s *FailingStore) AppendAudit(ctx context.Context, entries ...helve.AuditEntry) error {
	store, err := s.next("AppendAudit")
	if err != nil {
		return err
	}
	return store.AppendAudit(ctx, entries...)
}

// Audit is [helve.Audits.Audit].
func (s *FailingStore) Audit(ctx context.Context, f helve.AuditFilter) ([]helve.AuditEntry, error) {
	store, err := s.next("Audit")
	if err != nil {
		return nil, err
	}
	return store.Audit(ctx, f)
}
