package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"helve.dev/helve"
)

// SaveRun is [helve.Runs.SaveRun].
func (s *Store) SaveRun(ctx context.Context, r *helve.RunRecord) error {
	saved := *r
	err := s.write(ctx, func(t *tx) error {
		n, err := t.saveRun(r)
		if err != nil {
			return err
		}
		if n == 0 {
			return helve.ErrRunChanged
		}
		var created int64
		if err := t.row(`SELECT created FROM runs WHERE tenant = ?1 AND id = ?2`, []any{r.Tenant, r.ID}, &created); err != nil {
			return err
		}
		saved.Version, saved.Created, saved.Updated = r.Version+1, moment(created), moment(t.now)
		return nil
	})
	if err == nil {
		*r = saved
	}
	return err
}

func (t *tx) saveRun(r *helve.RunRecord) (int64, error) {
	args := []any{r.Tenant, r.ID, r.Version, r.Kind, r.Title, r.State, r.Ended, r.Data, t.now}
	if r.Version == 0 {
		return t.change(`INSERT INTO runs (tenant, id, version, kind, title, state, ended, data, created, updated)
			VALUES (?1, ?2, ?3 + 1, ?4, ?5, ?6, ?7, ?8, ?9, ?9) ON CONFLICT DO NOTHING`, args...)
	}
	return t.change(`UPDATE runs SET version = ?3 + 1, kind = ?4, title = ?5, state = ?6, ended = ?7, data = ?8, updated = ?9
		WHERE tenant = ?1 AND id = ?2 AND version = ?3`, args...)
}

// LoadRun is [helve.Runs.LoadRun].
func (s *Store) LoadRun(ctx context.Context, tenant, id string) (*helve.RunRecord, error) {
	r, err := scanRun(s.queryRow(ctx, `SELECT tenant, id, version, kind, title, state, ended, created, updated, data
		FROM runs WHERE tenant = ?1 AND id = ?2`, tenant, id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, helve.ErrNoRun
	}
	return r, readable(err)
}

func scanRun(row scanner) (*helve.RunRecord, error) {
	var r helve.RunRecord
	var created, updated int64
	err := row.Scan(&r.Tenant, &r.ID, &r.Version, &r.Kind, &r.Title, &r.State, &r.Ended, &created, &updated, &r.Data)
	if err != nil {
		return nil, err
	}
	r.Created, r.Updated = moment(created), moment(updated)
	return &r, nil
}

// ListRuns is [helve.Runs.ListRuns].
func (s *Store) ListRuns(ctx context.Context, f helve.RunFilter) ([]*helve.RunRecord, error) {
	rows, err := s.query(ctx, `SELECT tenant, id, version, kind, title, state, ended, created, updated, NULL
		FROM runs WHERE tenant = ?1 AND (?2 = '' OR state = ?2) AND (?3 = '' OR kind = ?3) ORDER BY updated DESC, id LIMIT ?4`,
		f.Tenant, f.State, f.Kind, limit(f.Limit))
	var out []*helve.RunRecord
	err = each(rows, err, func(rows *sql.Rows) error {
		r, err := scanRun(rows)
		out = append(out, r)
		return err
	})
	return out, err
}
