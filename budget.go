package helve

import (
	"context"
	"time"
)

// Budgets keeps what runs have spent.
type Budgets interface {
	// Reserve takes r from its budget, or returns [ErrBudget] and takes nothing.
	// Claim does the same inside its transaction for calls with effects.
	Reserve(ctx context.Context, r Reservation) error
	// Spent returns what is taken from a budget so far, reservations included.
	Spent(ctx context.Context, tenant, budget string) (Spent, error)
}

// A Budget bounds what may be spent under one name. Every executor on the same
// store counts against the same budget.
type Budget struct {
	// ID names the budget within the tenant. Empty: the run's id, or the subject's
	// where there is no run. Runs that share an ID share the budget, as an agent
	// and the agents that it calls do.
	ID string
	// Calls bounds how many handlers are started. Zero: unbounded.
	Calls int64
	// Cost bounds the sum of costs, in the unit of [Contract.Cost]. Zero: unbounded.
	Cost int64
}

// A Reservation is taken from a budget before a call runs, so that calls side
// by side cannot exceed it together. One that is not settled within its lease,
// because its process died, counts as spent where the call has effects, and is
// returned for a read.
type Reservation struct {
	// ID names the reservation.
	ID             string
	Tenant, Budget string
	Limit          Budget
	Calls, Cost    int64
	Lease          time.Duration
	// Read says that the call has no effects.
	Read bool
}

// A Settlement puts what was really spent in the place of a reservation, once.
// One that comes after a reservation was returned takes what was spent.
type Settlement struct {
	Reservation
	SpentCalls, SpentCost int64
}

// Spent is what was taken from a budget.
type Spent struct{ Calls, Cost int64 }

// budgetKey returns the name of the scope's budget, or "" where there is none.
func (s Scope) budgetKey() string {
	switch {
	case s.Budget == nil:
		return ""
	case s.Budget.ID != "":
		return "id:" + s.Budget.ID
	case s.Run != "":
		return "run:" + s.Run
	}
	return "subject:" + s.Subject
}
