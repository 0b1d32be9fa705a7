package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"helve.dev/helve"
)

// Reserve is [helve.Budgets.Reserve].
func (s *Store) Reserve(ctx context.Context, r helve.Reservation) error {
	return s.write(ctx, func(t *tx) error { return t.reserve(&r) })
}

func (t *tx) reserve(r *helve.Reservation) error {
	if _, err := t.returnReads(); err != nil {
		return err
	}
	spent, err := t.spent(r.Tenant, r.Budget)
	if err != nil {
		return err
	}
	if r.Limit.Calls > 0 && r.Calls > r.Limit.Calls-spent.Calls || r.Limit.Cost > 0 && r.Cost > r.Limit.Cost-spent.Cost {
		return helve.ErrBudget
	}
	if err := t.spend(r.Tenant, r.Budget, r.Calls, r.Cost); err != nil {
		return err
	}
	return t.exec(`INSERT INTO reservations (tenant, budget, id, calls, cost, lease_until, read) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
		r.Tenant, r.Budget, r.ID, r.Calls, r.Cost, t.now+micros(r.Lease), r.Read)
}

func (t *tx) spent(tenant, budget string) (s helve.Spent, err error) {
	err = t.row(`SELECT calls, cost FROM budgets WHERE tenant = ?1 AND budget = ?2`, []any{tenant, budget}, &s.Calls, &s.Cost)
	if errors.Is(err, sql.ErrNoRows) {
		return helve.Spent{}, nil
	}
	return s, err
}

func (t *tx) spend(tenant, budget string, calls, cost int64) error {
	return t.exec(`INSERT INTO budgets (tenant, budget, calls, cost) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT DO UPDATE SET calls = calls + ?3, cost = cost + ?4`, tenant, budget, calls, cost)
}

// returnReads gives back what reads reserved whose process is gone.
func (t *tx) returnReads() (returned int, err error) {
	type gone struct {
		tenant, budget, id string
		calls, cost        int64
	}
	var all []gone
	err = t.query(`SELECT tenant, budget, id, calls, cost FROM reservations WHERE read = 1 AND lease_until <= ?1`, []any{t.now}, func(rows *sql.Rows) error {
		var g gone
		err := rows.Scan(&g.tenant, &g.budget, &g.id, &g.calls, &g.cost)
		all = append(all, g)
		return err
	})
	for _, g := range all {
		if err == nil {
			err = t.unreserve(g.tenant, g.budget, g.id, g.calls, g.cost)
		}
	}
	return len(all), err
}

func (t *tx) unreserve(tenant, budget, id string, calls, cost int64) error {
	if err := t.spend(tenant, budget, -calls, -cost); err != nil {
		return err
	}
	return t.exec(`DELETE FROM reservations WHERE tenant = ?1 AND budget = ?2 AND id = ?3`, tenant, budget, id)
}

func (t *tx) settle(s *helve.Settlement) error {
	if _, err := t.returnReads(); err != nil {
		return err
	}
	var calls, cost int64
	err := t.row(`SELECT calls, cost FROM reservations WHERE tenant = ?1 AND budget = ?2 AND id = ?3`, []any{s.Tenant, s.Budget, s.ID}, &calls, &cost)
	if err == nil {
		err = t.unreserve(s.Tenant, s.Budget, s.ID, calls, cost)
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return t.spend(s.Tenant, s.Budget, s.SpentCalls, s.SpentCost)
}

// Spent is [helve.Budgets.Spent].
func (s *Store) Spent(ctx context.Context, tenant, budget string) (spent helve.Spent, err error) {
	err = s.queryRow(ctx, `SELECT
		calls - ifnull((SELECT sum(r.calls) FROM reservations r WHERE r.tenant = ?1 AND r.budget = ?2 AND read = 1 AND lease_until <= ?3), 0),
		cost - ifnull((SELECT sum(r.cost) FROM reservations r WHERE r.tenant = ?1 AND r.budget = ?2 AND read = 1 AND lease_until <= ?3), 0)
		FROM budgets WHERE tenant = ?1 AND budget = ?2`, tenant, budget, time.Now().UnixMicro()).Scan(&spent.Calls, &spent.Cost)
	if errors.Is(err, sql.ErrNoRows) {
		return helve.Spent{}, nil
	}
	return spent, readable(err)
}
