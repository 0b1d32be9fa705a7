package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"helve.dev/helve"
	"helve.dev/helve/store/audit"
)

// keptBack are entries that wait to be written with others.
type keptBack struct {
	mu      sync.Mutex
	entries []helve.AuditEntry
	timer   *time.Timer
}

// maxKeptBack bounds how long such an entry waits.
const maxKeptBack = time.Second

// AppendAudit is [helve.Audits.AppendAudit]. Entries that tell of replays only
// are written with the next others, or within a second: a replay needs no write
// of its own.
func (s *Store) AppendAudit(ctx context.Context, entries ...helve.AuditEntry) error {
	if len(entries) == 0 {
		return nil
	}
	for _, e := range entries {
		if e.Kind != helve.AuditReplayed {
			rows, err := rowsOf(entries)
			if err != nil {
				return err
			}
			return s.write(ctx, func(t *tx) error { return t.audit(rows) })
		}
	}
	if s.isShut() {
		return errClosed
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	s.kept.entries = append(s.kept.entries, entries...)
	if s.kept.timer == nil {
		s.kept.timer = time.AfterFunc(maxKeptBack, func() { s.flush(context.Background()) })
	}
	return nil
}

func (s *Store) isShut() bool {
	s.taking.RLock()
	defer s.taking.RUnlock()
	return s.shut
}

// flush writes what was kept back.
func (s *Store) flush(ctx context.Context) {
	if !s.kept.any() {
		return
	}
	if err := s.write(ctx, func(*tx) error { return nil }); err != nil { // the writer takes them along
		s.cfg.Logger.Error("entries of the audit could not be written", "store", s.path, "error", err.Error())
	}
}

func (k *keptBack) any() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.entries) > 0
}

// take hands over what was kept back.
func (k *keptBack) take() []helve.AuditEntry {
	k.mu.Lock()
	defer k.mu.Unlock()
	entries := k.entries
	k.entries = nil
	if k.timer != nil {
		k.timer.Stop()
		k.timer = nil
	}
	return entries
}

// giveBack keeps entries for the next time.
func (k *keptBack) giveBack(entries []helve.AuditEntry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.entries = append(entries, k.entries...)
}

// rowsOf writes entries as rows, which needs no turn at the writer.
func rowsOf(entries []helve.AuditEntry) ([]audit.Row, error) {
	rows := make([]audit.Row, 0, len(entries))
	for _, e := range entries {
		row, err := audit.NewRow(e)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// audit appends rows to the logs of their tenants.
func (t *tx) audit(rows []audit.Row) error {
	for _, row := range rows {
		if err := t.auditOne(row); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) auditOne(row audit.Row) error {
	h, err := t.head(row.Tenant)
	if err != nil {
		return err
	}
	row.Seq, row.At = h.size+1, max(t.now, h.at) // a clock that is set back must not reorder the log
	if err := t.exec(`INSERT INTO audit (tenant, seq, at, entry) VALUES (?1, ?2, ?3, ?4)`, row.Tenant, row.Seq, row.At, row.Entry); err != nil {
		return err
	}
	if row.Payload != "" {
		if err := t.exec(`INSERT INTO audit_payload (tenant, seq, payload) VALUES (?1, ?2, ?3)`, row.Tenant, row.Seq, row.Payload); err != nil {
			return err
		}
	}
	return t.grow(row.Tenant, h, row.Hash(), row.At)
}

// A head is the end of a tenant's log: what is needed to add to its tree.
type head struct {
	size, at int64
	edge     []tlog.Hash // of the complete subtrees, the largest first
	changed  bool        // since it was stored
}

// head returns the head of a tenant's log, which an operation may change.
func (t *tx) head(tenant string) (*head, error) {
	heads := t.w.heads
	h := heads[tenant]
	if h == nil {
		h = &head{}
		if err := t.loadHead(tenant, h); err != nil {
			return nil, err
		}
		if len(heads) >= maxHeads {
			t.forgetHeads()
		}
		heads[tenant] = h
	}
	if t.careful && t.before[tenant] == nil {
		was := *h
		was.edge = slices.Clone(h.edge)
		t.before[tenant] = &was
	}
	return h, nil
}

const maxHeads = 10_000 // of different tenants, kept by one writer

// forgetHeads drops those that are stored.
func (t *tx) forgetHeads() {
	for tenant, h := range t.w.heads {
		if !h.changed {
			delete(t.w.heads, tenant)
		}
	}
}

func (t *tx) loadHead(tenant string, h *head) error {
	err := t.row(`SELECT size, at FROM audit_head WHERE tenant = ?1`, []any{tenant}, &h.size, &h.at)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	for level := 63; level >= 0 && err == nil; level-- {
		if h.size>>level&1 == 0 {
			continue
		}
		var b []byte
		if err = t.row(`SELECT hash FROM audit_hash WHERE tenant = ?1 AND level = ?2 AND n = ?3`, []any{tenant, level, h.size>>level - 1}, &b); err == nil {
			h.edge = append(h.edge, tlog.Hash(b))
		}
	}
	if err != nil {
		return fmt.Errorf("the tree of the audit of tenant %q is damaged: run helve audit verify: %w", tenant, err)
	}
	return nil
}

// grow adds a leaf to the tree: its own hash, and those of the subtrees that it
// completes, one for each trailing one in its number.
func (t *tx) grow(tenant string, h *head, hash tlog.Hash, at int64) error {
	n := h.size
	for level := int64(0); ; level++ {
		if err := t.exec(`INSERT INTO audit_hash (tenant, level, n, hash) VALUES (?1, ?2, ?3, ?4)`, tenant, level, n, hash[:]); err != nil {
			return err
		}
		if n&1 == 0 {
			break
		}
		last := len(h.edge) - 1
		hash, h.edge, n = tlog.NodeHash(h.edge[last], hash), h.edge[:last], n/2
	}
	h.edge = append(h.edge, hash)
	h.size, h.at, h.changed = h.size+1, at, true
	return nil
}

// storeHeads writes the heads that the batch has changed.
func (t *tx) storeHeads() error {
	for tenant, h := range t.w.heads {
		if !h.changed {
			continue
		}
		if err := t.exec(`INSERT INTO audit_head (tenant, size, at) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET size = ?2, at = ?3`, tenant, h.size, h.at); err != nil {
			return err
		}
		h.changed = false
	}
	return nil
}

const selectAudit = `SELECT a.tenant, a.seq, a.at, a.entry, ifnull(p.payload, '') FROM audit a
	LEFT JOIN audit_payload p ON p.tenant = a.tenant AND p.seq = a.seq WHERE a.tenant = ?1 AND a.seq > ?2 `

func scanRow(rows *sql.Rows) (r audit.Row, err error) {
	err = rows.Scan(&r.Tenant, &r.Seq, &r.At, &r.Entry, &r.Payload)
	return r, err
}

// Audit is [helve.Audits.Audit].
func (s *Store) Audit(ctx context.Context, f helve.AuditFilter) ([]helve.AuditEntry, error) {
	s.flush(ctx)
	query := strings.Builder{}
	query.WriteString(selectAudit)
	args := []any{f.Tenant, f.After}
	for _, c := range []struct{ column, value string }{
		{"run", f.Run}, {"call_id", f.CallID}, {"tool", f.Tool}, {"approval", f.Approval}, {"kind", string(f.Kind)},
	} {
		if c.value != "" {
			query.WriteString("AND json_extract(a.entry, '$." + c.column + "') = ? ")
			args = append(args, c.value)
		}
	}
	if !f.Since.IsZero() {
		query.WriteString("AND a.at >= ? ")
		args = append(args, f.Since.UnixMicro())
	}
	query.WriteString("ORDER BY a.seq ")
	if f.Limit > 0 {
		query.WriteString("LIMIT ? ")
		args = append(args, f.Limit)
	}
	rows, err := s.query(ctx, query.String(), args...)
	var out []helve.AuditEntry
	err = each(rows, err, func(rows *sql.Rows) error {
		r, err := scanRow(rows)
		if err != nil {
			return err
		}
		e, err := r.Read()
		out = append(out, e)
		return err
	})
	return out, err
}

// AuditTenants returns the tenants that have a log.
func (s *Store) AuditTenants(ctx context.Context) ([]string, error) {
	s.flush(ctx)
	rows, err := s.query(ctx, `SELECT tenant FROM audit_head UNION SELECT DISTINCT tenant FROM audit ORDER BY 1`)
	var out []string
	err = each(rows, err, func(rows *sql.Rows) error {
		var tenant string
		err := rows.Scan(&tenant)
		out = append(out, tenant)
		return err
	})
	return out, err
}

// AuditSize returns how many entries a tenant's log should have.
func (s *Store) AuditSize(ctx context.Context, tenant string) (size int64, err error) {
	s.flush(ctx)
	err = s.queryRow(ctx, `SELECT size FROM audit_head WHERE tenant = ?1`, tenant).Scan(&size)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return size, readable(err)
}

// AuditRows returns up to n rows of a tenant's log after a number, as they are
// stored.
func (s *Store) AuditRows(ctx context.Context, tenant string, after int64, n int) ([]audit.Row, error) {
	rows, err := s.query(ctx, selectAudit+`ORDER BY a.seq LIMIT ?3`, tenant, after, n)
	var out []audit.Row
	err = each(rows, err, func(rows *sql.Rows) error {
		r, err := scanRow(rows)
		out = append(out, r)
		return err
	})
	return out, err
}

// AuditHashes is [audit.Log.AuditHashes].
func (s *Store) AuditHashes(ctx context.Context, tenant string, level int, n int64, limit int) ([]audit.Node, error) {
	rows, err := s.query(ctx, `SELECT n, hash FROM audit_hash WHERE tenant = ?1 AND level = ?2 AND n >= ?3 ORDER BY n LIMIT ?4`, tenant, level, n, limit)
	var out []audit.Node
	err = each(rows, err, func(rows *sql.Rows) error {
		var at int64
		var b []byte
		err := rows.Scan(&at, &b)
		if err == nil && len(b) == tlog.HashSize {
			out = append(out, audit.Node{N: at, Hash: tlog.Hash(b)})
		}
		return err
	})
	return out, err
}
