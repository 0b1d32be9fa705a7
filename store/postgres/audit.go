package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"helve.dev/helve"
	"helve.dev/helve/internal/jsonx"
	"helve.dev/helve/store/audit"
)

const (
	appendSQL = `SELECT audit_append($1, $2, $3)`

	collectSQL = `SELECT audit_collect($1, $2, $3)`

	inboxSQL = `SELECT DISTINCT tenant FROM audit_inbox`

	rowsSQL = `SELECT a.seq, a.at, a.entry, p.payload FROM audit_head h JOIN audit a ON a.tenant = h.number
		LEFT JOIN audit_payload p ON p.tenant = a.tenant AND p.seq = a.seq WHERE h.id = $?`

	auditTenantsSQL = `SELECT tenant FROM audit_head WHERE size > 0`

	auditSizeSQL = `SELECT size FROM audit_head WHERE id = $1`

	auditHashesSQL = `SELECT a.n, a.hash FROM audit_head h JOIN audit_hash a ON a.tenant = h.number
		WHERE h.id = $1 AND a.level = $2 AND a.n >= $3 ORDER BY a.n LIMIT $4`
)

// lines are entries as they go into the inbox.
type lines struct{ tenants, entries, payloads []string }

func (s *Store) lines(entries []helve.AuditEntry) (*lines, error) {
	n := len(entries)
	text := make([]string, 3*n)
	l := &lines{text[:n:n], text[n : 2*n : 2*n], text[2*n:]}
	for i, e := range entries {
		row, err := audit.NewRow(e)
		if err != nil {
			return nil, err
		}
		l.tenants[i], l.entries[i], l.payloads[i] = escape(e.Tenant), row.Entry, escape(row.Payload)
	}
	if n > 0 {
		s.told.Store(true)
	}
	return l, nil
}

// args are the last three arguments of the functions that append.
func (l *lines) args() []any { return []any{l.tenants, l.entries, l.payloads} }

// only are the arguments of a statement that appends the one line that there is.
func (l *lines) only() []any { return []any{l.tenants[0], l.entries[0], l.payloads[0]} }

func (l *lines) one() bool { return len(l.entries) == 1 }

// AppendAudit is [helve.Audits.AppendAudit].
func (s *Store) AppendAudit(ctx context.Context, entries ...helve.AuditEntry) error {
	if len(entries) == 0 {
		return nil
	}
	l, err := s.lines(entries)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, "append to the audit", appendSQL, l.args()...)
	return err
}

// collectStep bounds how many entries a transaction takes over.
const collectStep = 1000

// collectAudit takes what the inbox has of a tenant over into its log.
func (s *Store) collectAudit(ctx context.Context, tenant string) error {
	args := []any{identity(tenant), escape(tenant), collectStep}
	for {
		taken := 0
		err := s.row(ctx, "collect the audit", collectSQL, args, func(r pgx.Rows) error { return r.Scan(&taken) })
		if err != nil || taken < collectStep {
			return err
		}
	}
}

// collectAll does it for every tenant.
func (s *Store) collectAll(ctx context.Context) error {
	tenants, err := s.tenants(ctx, inboxSQL)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		if err := s.collectAudit(ctx, tenant); err != nil {
			return err
		}
	}
	return nil
}

// tenants returns those that a statement names, sorted.
func (s *Store) tenants(ctx context.Context, sql string) ([]string, error) {
	b := &pgx.Batch{}
	b.Queue(sql)
	tenants, err := collect(ctx, s, "list the audits", b, func(r pgx.CollectableRow) (tenant string, err error) {
		err = r.Scan(&tenant)
		return unescape(tenant), err
	})
	slices.Sort(tenants)
	return tenants, err
}

// Audit is [helve.Audits.Audit]. An error also says that a row is not what was
// recorded.
func (s *Store) Audit(ctx context.Context, f helve.AuditFilter) ([]helve.AuditEntry, error) {
	q := &query{}
	q.add(rowsSQL, identity(f.Tenant))
	q.add(" AND a.seq > $?", f.After)
	if !f.Since.IsZero() {
		q.add(" AND a.at >= $?", f.Since.Add(time.Microsecond-1).UnixMicro()) // entries are not finer
	}
	// The names are those of helve.AuditEntry in JSON; see audit_member.
	q.filter(` AND audit_member(a.entry, '"run":"') = audit_member($?, '"run":"') AND strpos(a.entry, $?) > 0`, member("run", f.Run))
	q.filter(` AND audit_member(a.entry, '"approval":"') = audit_member($?, '"approval":"')
		AND strpos(a.entry, '"approval":"') > 0 AND strpos(a.entry, $?) > 0`, member("approval", f.Approval))
	q.filter(` AND strpos(a.entry, $?) > 0`, member("call_id", f.CallID))
	q.filter(` AND strpos(a.entry, $?) > 0`, member("tool", f.Tool))
	q.filter(` AND strpos(a.entry, $?) > 0`, member("kind", string(f.Kind)))
	rows, err := s.auditRows(ctx, f.Tenant, q, f.Limit)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	entries := make([]helve.AuditEntry, len(rows))
	for i := range rows {
		if entries[i], err = rows[i].Read(); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// member spells a member as it stands in the canonical JSON of an entry. Empty:
// it is not asked for.
func member(name, value string) string {
	if value == "" {
		return ""
	}
	raw, err := json.Marshal(value, jsontext.AllowInvalidUTF8(true))
	if err == nil {
		raw, err = jsonx.Canonical(raw)
	}
	if err != nil {
		return "\"\"" // which stands in no entry; no text fails
	}
	return `"` + name + `":` + string(raw)
}

func (s *Store) auditRows(ctx context.Context, tenant string, q *query, limit int) ([]audit.Row, error) {
	if err := s.collectAudit(ctx, tenant); err != nil {
		return nil, err
	}
	q.sql.WriteString(" ORDER BY a.seq")
	if limit > 0 {
		q.limit(limit)
	}
	return collect(ctx, s, "read the audit", q.batch(), func(r pgx.CollectableRow) (audit.Row, error) {
		row := audit.Row{Tenant: tenant}
		var payload *string
		err := r.Scan(&row.Seq, &row.At, &row.Entry, &payload)
		if payload != nil {
			row.Payload = unescape(*payload)
		}
		return row, err
	})
}

// AuditTenants is [audit.Log.AuditTenants].
func (s *Store) AuditTenants(ctx context.Context) ([]string, error) {
	if err := s.collectAll(ctx); err != nil {
		return nil, err
	}
	return s.tenants(ctx, auditTenantsSQL)
}

// AuditSize is [audit.Log.AuditSize].
func (s *Store) AuditSize(ctx context.Context, tenant string) (size int64, err error) {
	if err := s.collectAudit(ctx, tenant); err != nil {
		return 0, err
	}
	err = s.row(ctx, "read the audit", auditSizeSQL, []any{identity(tenant)}, func(r pgx.Rows) error { return r.Scan(&size) })
	return size, err
}

// AuditRows is [audit.Log.AuditRows]. A limit of zero is 1,000.
func (s *Store) AuditRows(ctx context.Context, tenant string, after int64, limit int) ([]audit.Row, error) {
	q := &query{}
	q.add(rowsSQL, identity(tenant))
	q.add(" AND a.seq > $?", after)
	if limit <= 0 {
		limit = defaultLimit
	}
	return s.auditRows(ctx, tenant, q, limit)
}

// AuditHashes is [audit.Log.AuditHashes].
func (s *Store) AuditHashes(ctx context.Context, tenant string, level int, n int64, limit int) ([]audit.Node, error) {
	b := &pgx.Batch{}
	b.Queue(auditHashesSQL, identity(tenant), level, n, limit)
	var out []audit.Node
	_, err := collect(ctx, s, "read hashes of the audit", b, func(r pgx.CollectableRow) (struct{}, error) {
		var at int64
		var raw []byte
		err := r.Scan(&at, &raw)
		if err == nil && len(raw) == tlog.HashSize {
			out = append(out, audit.Node{N: at, Hash: tlog.Hash(raw)})
		}
		return struct{}{}, err
	})
	return out, err
}
