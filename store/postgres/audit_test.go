package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/tlog"

	"helve.dev/helve"
	"helve.dev/helve/store/internal/logtest"
	"helve.dev/helve/store/internal/pgtest"
	"helve.dev/helve/store/postgres"
)

// reader gives tlog the hashes that the database made.
func reader(ctx context.Context, s *postgres.Store, tenant string) tlog.HashReaderFunc {
	return func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i, x := range indexes {
			level, n := tlog.SplitStoredHashIndex(x)
			found, err := s.AuditHashes(ctx, tenant, level, n, 1)
			if err != nil || len(found) != 1 || found[0].N != n {
				return nil, fmt.Errorf("hash %d of level %d: %v, %w", n, level, found, err)
			}
			out[i] = found[0].Hash
		}
		return out, nil
	}
}

// Whatever is done to the rows behind the store's back is found in the audit.
func TestLog(t *testing.T) {
	t.Parallel()
	logtest.Run(t, func(t *testing.T) (logtest.Store, func(string)) {
		t.Helper()
		dsn := pgtest.DSN(t)
		store, beside := open(t, dsn, nil), connect(t, dsn)
		return store, func(sql string) {
			// Nothing is in the inbox any more when somebody gets at the log.
			_, err := store.AuditTenants(t.Context())
			ok(t, err)
			tag, err := beside.Exec(t.Context(), sql)
			ok(t, err)
			if tag.RowsAffected() == 0 {
				t.Fatalf("nothing was changed by %s", sql)
			}
		}
	})
}

// The hashes of the database are those of tlog: its proofs check.
func TestAuditTree(t *testing.T) {
	t.Parallel()
	store := open(t, pgtest.DSN(t), nil)
	ctx := t.Context()
	const size = 133
	for i := range size {
		e := line(helve.AuditRefused, entry(fmt.Sprint(i)))
		e.Note = "a\x00b ü \"quoted\" \\ " + fmt.Sprint(i)
		if i%3 == 0 {
			e.Arguments = []byte(`{"n":"\u0000"}`)
		}
		ok(t, store.AppendAudit(ctx, e))
	}
	// Together with those of others, in whatever order.
	other, odd := line(helve.AuditRefused, entry("x")), line(helve.AuditRefused, entry("y"))
	other.Tenant, odd.Tenant = "other", "odd\x00\\"
	ok(t, store.AppendAudit(ctx, other, odd, other))
	tenants, err := store.AuditTenants(ctx)
	ok(t, err)
	if d := cmp.Diff([]string{"acme", odd.Tenant, "other"}, tenants); d != "" {
		t.Errorf("tenants (-want +got)\n%s", d)
	}
	n, err := store.AuditSize(ctx, "acme")
	ok(t, err)
	rows, err := store.AuditRows(ctx, "acme", 0, size+1)
	ok(t, err)
	if n != size || len(rows) != size {
		t.Fatalf("size %d, %d rows", n, len(rows))
	}
	var hashes []tlog.Hash // as tlog would store them
	own := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i, x := range indexes {
			out[i] = hashes[x]
		}
		return out, nil
	})
	for i, r := range rows {
		if r.Seq != int64(i+1) || r.Tenant != "acme" || i > 0 && r.At < rows[i-1].At {
			t.Fatalf("row %d: %+v", i, r)
		}
		more, err := tlog.StoredHashesForRecordHash(int64(i), r.Hash(), own)
		ok(t, err)
		hashes = append(hashes, more...)
	}
	indexes := make([]int64, len(hashes))
	for i := range indexes {
		indexes[i] = int64(i)
	}
	stored, err := reader(ctx, store, "acme").ReadHashes(indexes)
	ok(t, err)
	if d := cmp.Diff(hashes, stored); d != "" {
		t.Fatalf("hashes (-tlog +database)\n%s", d)
	}
	root, err := tlog.TreeHash(size, reader(ctx, store, "acme"))
	ok(t, err)
	proof, err := tlog.ProveRecord(size, 100, reader(ctx, store, "acme"))
	ok(t, err)
	ok(t, tlog.CheckRecord(proof, size, root, 100, rows[100].Hash()))
	for tenant, node := range map[string][2]int64{"acme": {0, size}, "other": {40, 0}, "nobody": {0, 0}} {
		if found, err := store.AuditHashes(ctx, tenant, int(node[0]), node[1], 1); found != nil || err != nil {
			t.Errorf("hash %d of %s: %v, %v", node, tenant, found, err)
		}
	}
	some, err := store.AuditRows(ctx, "acme", 130, 2)
	ok(t, err)
	if len(some) != 2 || some[0].Seq != 131 {
		t.Errorf("rows after 130: %+v", some)
	}
}

// A filter finds what it asks for, exactly, whatever stands in the values.
func TestAuditFilters(t *testing.T) {
	t.Parallel()
	store := open(t, pgtest.DSN(t), nil)
	ctx := t.Context()
	odd := []string{"plain", "pla", `quo"te`, `quo`, `back\slash`, "nul\x00", "ü", `","run":"plain`, `"run":"plain"`, "%", " "}
	for _, v := range odd {
		ok(t, store.AppendAudit(ctx,
			helve.AuditEntry{Kind: helve.AuditAsked, Effect: helve.Write, Tool: "t", Run: v, Note: `"run":"plain"`},
			helve.AuditEntry{Kind: helve.AuditAsked, Effect: helve.Write, Tool: "t", Approval: v, Rule: "plain"},
			helve.AuditEntry{Kind: helve.AuditAsked, Effect: helve.Write, Tool: v, CallID: v}))
	}
	for _, v := range odd {
		for name, f := range map[string]helve.AuditFilter{
			"run": {Run: v}, "approval": {Approval: v}, "tool": {Tool: v}, "call": {CallID: v},
		} {
			got, err := store.Audit(ctx, f)
			ok(t, err)
			if len(got) != 1 || got[0].Run+got[0].Approval+got[0].CallID != v {
				t.Errorf("%s %q: %+v", name, v, got)
			}
		}
	}
	got, err := store.Audit(ctx, helve.AuditFilter{Kind: helve.AuditAsked, Limit: 4, After: 2})
	ok(t, err)
	if len(got) != 4 || got[0].Seq != 3 {
		t.Errorf("%d entries from %d", len(got), got[0].Seq)
	}
	since, err := store.Audit(ctx, helve.AuditFilter{Since: got[3].At})
	ok(t, err)
	later, err := store.Audit(ctx, helve.AuditFilter{Since: got[3].At.Add(1)})
	ok(t, err)
	if len(since) == 0 || since[0].At.Before(got[3].At) || len(later) >= len(since) {
		t.Errorf("%d since %s, %d later", len(since), got[3].At, len(later))
	}
}

// Audit does not hand out what is not what was recorded.
func TestAuditTampered(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	store := open(t, dsn, nil)
	e := line(helve.AuditClaimed, entry("k"))
	e.Arguments = []byte(`{"to":"ann"}`)
	ok(t, store.AppendAudit(t.Context(), e))
	_, err := store.Audit(t.Context(), helve.AuditFilter{Tenant: "acme"})
	ok(t, err)
	run(t, connect(t, dsn), `UPDATE audit_payload SET payload = replace(payload, 'ann', 'eve')`)
	if _, err := store.Audit(t.Context(), helve.AuditFilter{Tenant: "acme"}); err == nil {
		t.Error("a changed payload was read")
	}
	run(t, connect(t, dsn), `DELETE FROM audit_payload`) // erased
	got, err := store.Audit(t.Context(), helve.AuditFilter{Tenant: "acme"})
	ok(t, err)
	if len(got) != 1 || got[0].Arguments != nil {
		t.Errorf("%+v", got)
	}
}
