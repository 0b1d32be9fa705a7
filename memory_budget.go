package helve

import (
	"context"
	"time"
)

// memoryBudget is what was taken from one budget, and which part of it is not
// settled yet.
type memoryBudget struct {
	spent    Spent // reservations included
	reserved map[string]memoryReservation
}

type memoryReservation struct {
	Reservation
	until time.Time
}

// Reserve is [Budgets.Reserve].
func (m *MemoryStore) Reserve(_ context.Context, r Reservation) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reserve(&r, time.Now())
}

func (m *MemoryStore) reserve(r *Reservation, now time.Time) error {
	b := m.budget(r.Tenant, r.Budget)
	b.returnReads(now)
	if s := b.spent; r.Limit.Calls > 0 && r.Calls > r.Limit.Calls-s.Calls || r.Limit.Cost > 0 && r.Cost > r.Limit.Cost-s.Cost {
		return ErrBudget
	}
	b.spent.Calls += r.Calls
	b.spent.Cost += r.Cost
	b.reserved[r.ID] = memoryReservation{*r, now.Add(r.Lease)}
	return nil
}

func (m *MemoryStore) budget(tenant, name string) *memoryBudget {
	ref := budgetRef{tenant, name}
	b := m.budgets[ref]
	if b == nil {
		b = &memoryBudget{reserved: map[string]memoryReservation{}}
		m.budgets[ref] = b
	}
	return b
}

// returnReads gives back what reads reserved whose process is gone.
func (b *memoryBudget) returnReads(now time.Time) (returned int) {
	for id, r := range b.reserved {
		if r.Read && !r.until.After(now) {
			b.spent.Calls -= r.Calls
			b.spent.Cost -= r.Cost
			delete(b.reserved, id)
			returned++
		}
	}
	return returned
}

func (m *MemoryStore) settle(s *Settlement, now time.Time) {
	b := m.budget(s.Tenant, s.Budget)
	b.returnReads(now)
	if r, ok := b.reserved[s.ID]; ok {
		delete(b.reserved, s.ID)
		b.spent.Calls -= r.Calls
		b.spent.Cost -= r.Cost
	}
	b.spent.Calls += s.SpentCalls
	b.spent.Cost += s.SpentCost
}

// Spent is [Budgets.Spent].
func (m *MemoryStore) Spent(_ context.Context, tenant, budget string) (Spent, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.budgets[budgetRef{tenant, budget}]
	if b == nil {
		return Spent{}, nil
	}
	b.returnReads(time.Now())
	return b.spent, nil
}
