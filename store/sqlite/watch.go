package sqlite

import (
	"context"
	"database/sql"
	"time"

	"helve.dev/helve"
)

// pollEvery is how often a watcher looks for what other processes did. SQLite
// tells nobody; a look is one row of an index.
const pollEvery = 250 * time.Millisecond

// WatchApprovals is [helve.Approvals.WatchApprovals]. What this process does is
// told at once, what others do within a quarter of a second.
func (s *Store) WatchApprovals(ctx context.Context, tenant string, fn func(helve.ApprovalNotice)) error {
	var seen int64
	if err := s.queryRow(ctx, `SELECT ifnull(max(changed), 0) FROM approvals`).Scan(&seen); err != nil {
		return readable(err)
	}
	fn(helve.ApprovalNotice{})
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		next := s.changes.next()
		rows, err := s.query(ctx, `SELECT id, tenant, state, changed FROM approvals WHERE changed > ?1 ORDER BY changed`, seen)
		err = each(rows, err, func(rows *sql.Rows) error {
			var n helve.ApprovalNotice
			var of string
			if err := rows.Scan(&n.ID, &of, &n.State, &seen); err != nil {
				return err
			}
			if of == tenant {
				fn(n)
			}
			return nil
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.closing:
			return errClosed
		case <-next:
		case <-tick.C:
		}
	}
}
