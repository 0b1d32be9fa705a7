package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"helve.dev/helve"
)

const (
	reserveSQL = `SELECT reserve($1, $2, $3, $4, $5, $6, $7, $8)`

	spentSQL = `SELECT b.calls - coalesce(gone.calls, 0)::bigint, b.cost - coalesce(gone.cost, 0)::bigint FROM budgets b, LATERAL (
		SELECT sum(r.calls) AS calls, sum(r.cost) AS cost FROM reservations r
		WHERE r.budget = b.id AND r.read AND r.until <= statement_timestamp()) gone WHERE b.id = $1`
)

func budgetID(tenant, budget string) []byte { return identity(tenant, budget) }

func reservationID(r *helve.Reservation) []byte { return identity(r.Tenant, r.Budget, r.ID) }

func reservationArgs(r *helve.Reservation) []any {
	return []any{
		budgetID(r.Tenant, r.Budget), reservationID(r), r.Limit.Calls, r.Limit.Cost, r.Calls, r.Cost, micros(r.Lease), r.Read,
	}
}

// Reserve is [helve.Budgets.Reserve].
func (s *Store) Reserve(ctx context.Context, r helve.Reservation) error {
	enough := false
	err := s.row(ctx, "reserve budget", reserveSQL, reservationArgs(&r), func(r pgx.Rows) error { return r.Scan(&enough) })
	if err == nil && !enough {
		return helve.ErrBudget
	}
	return err
}

// Spent is [helve.Budgets.Spent].
func (s *Store) Spent(ctx context.Context, tenant, budget string) (helve.Spent, error) {
	var spent helve.Spent
	err := s.row(ctx, "look up a budget", spentSQL, []any{budgetID(tenant, budget)}, func(r pgx.Rows) error {
		return r.Scan(&spent.Calls, &spent.Cost)
	})
	return spent, err
}
