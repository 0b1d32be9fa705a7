package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"helve.dev/helve"
)

const (
	insertRunSQL = `INSERT INTO runs (pk, tenant, id, version, kind, title, state, ended, data, created, updated)
		VALUES ($1, $2, $3, 1, $4, $5, $6, $7, $8, statement_timestamp(), statement_timestamp())
		ON CONFLICT (pk) DO NOTHING RETURNING created, updated`

	updateRunSQL = `UPDATE runs SET version = version + 1, kind = $3, title = $4, state = $5, ended = $6, data = $7, updated = statement_timestamp()
		WHERE pk = $1 AND version = $2 RETURNING created, updated`

	runColumns = `tenant, id, version, kind, title, state, ended, created, updated`

	loadRunSQL = `SELECT ` + runColumns + `, data FROM runs WHERE pk = $1`

	listRunsSQL = `SELECT ` + runColumns + ` FROM runs WHERE hashtextextended(tenant, 0) = hashtextextended($?, 0) AND tenant = $?`
)

// SaveRun is [helve.Runs.SaveRun].
func (s *Store) SaveRun(ctx context.Context, r *helve.RunRecord) error {
	pk := identity(r.Tenant, r.ID)
	sql, args := updateRunSQL, []any{pk, r.Version}
	if r.Version == 0 {
		sql, args = insertRunSQL, []any{pk, escape(r.Tenant), escape(r.ID)}
	}
	args = append(args, escape(r.Kind), escape(r.Title), escape(r.State), r.Ended, r.Data)
	var created, updated time.Time
	err := s.row(ctx, "save a run", sql, args, func(rows pgx.Rows) error { return rows.Scan(&created, &updated) })
	if err != nil {
		return err
	}
	if created.IsZero() {
		return helve.ErrRunChanged
	}
	r.Version, r.Created, r.Updated = r.Version+1, created.UTC(), updated.UTC()
	return nil
}

// LoadRun is [helve.Runs.LoadRun].
func (s *Store) LoadRun(ctx context.Context, tenant, id string) (*helve.RunRecord, error) {
	var r *helve.RunRecord
	err := s.row(ctx, "load a run", loadRunSQL, []any{identity(tenant, id)}, func(rows pgx.Rows) (err error) {
		var data []byte
		if r, err = scanRun(rows, &data); err == nil {
			r.Data = data
		}
		return err
	})
	if err == nil && r == nil {
		err = helve.ErrNoRun
	}
	return r, err
}

// ListRuns is [helve.Runs.ListRuns].
func (s *Store) ListRuns(ctx context.Context, f helve.RunFilter) ([]*helve.RunRecord, error) {
	q := &query{}
	q.add(listRunsSQL, escape(f.Tenant))
	q.filter(" AND state = $?", escape(f.State))
	q.filter(" AND kind = $?", escape(f.Kind))
	q.sql.WriteString(` ORDER BY updated DESC, id COLLATE "C"`)
	q.limit(f.Limit)
	return collect(ctx, s, "list runs", q.batch(), func(r pgx.CollectableRow) (*helve.RunRecord, error) { return scanRun(r) })
}

// scanRun reads runColumns, before more.
func scanRun(rows scanner, more ...any) (*helve.RunRecord, error) {
	r := &helve.RunRecord{}
	err := rows.Scan(append([]any{&r.Tenant, &r.ID, &r.Version, &r.Kind, &r.Title, &r.State, &r.Ended, &r.Created, &r.Updated}, more...)...)
	if err != nil {
		return nil, err
	}
	for _, text := range []*string{&r.Tenant, &r.ID, &r.Kind, &r.Title, &r.State} {
		*text = unescape(*text)
	}
	r.Created, r.Updated = r.Created.UTC(), r.Updated.UTC()
	return r, nil
}
