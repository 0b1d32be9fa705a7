package helve_test

import (
	"fmt"
	"testing"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/storetest"
)

// The memory store keeps the promises of its interface.
func TestMemoryStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) func() helve.Store {
		m := helve.NewMemoryStore(nil)
		return func() helve.Store { return m }
	})
}

func entry(key string) *helve.Entry {
	return &helve.Entry{Token: helve.Token{LedgerKey: helve.LedgerKey{Scope: "act", Key: key}}, Fingerprint: helve.Digest{1}, Arguments: value(`{}`)}
}

func claim(t *testing.T, m *helve.MemoryStore, e *helve.Entry) *helve.Claim {
	t.Helper()
	c, err := m.Claim(t.Context(), &helve.ClaimParams{Entry: e, Lease: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func finish(t *testing.T, m *helve.MemoryStore, tok helve.Token, s helve.EntryState) error {
	t.Helper()
	return m.Finish(t.Context(), &helve.FinishParams{Token: &tok, State: s, Record: &helve.Record{Data: value(`1`)}})
}

// The bound drops what is final and never what is not.
func TestMemoryStoreIsBounded(t *testing.T) {
	m := helve.NewMemoryStore(&helve.MemoryConfig{Rows: 3})
	open := claim(t, m, entry("open"))
	for i := range 10 {
		c := claim(t, m, entry(fmt.Sprint(i)))
		if err := finish(t, m, c.Entry.Token, helve.EntrySucceeded); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Beat(t.Context(), open.Entry.Token, time.Minute); err != nil {
		t.Errorf("the open entry is gone: %v", err)
	}
	wantEqual(t, claim(t, m, entry("9")).Won, false)
	claim(t, m, entry("x"))
	claim(t, m, entry("y"))
	if _, err := m.Claim(t.Context(), &helve.ClaimParams{Entry: entry("z")}); err == nil {
		t.Error("a full ledger took another claim")
	}
	for i := range 50 {
		if err := m.AppendAudit(t.Context(), helve.AuditEntry{Note: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		id := helve.ApprovalIdentity{ArgumentsDigest: helve.Digest{byte(i)}}
		a, err := m.Ask(t.Context(), &helve.Approval{ID: fmt.Sprint(i), ApprovalIdentity: id, CallID: fmt.Sprint(i)}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if _, err := m.Decide(t.Context(), "", a.ID, &helve.Decision{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	audit, _ := m.Audit(t.Context(), helve.AuditFilter{})
	all, _ := m.ListApprovals(t.Context(), helve.ApprovalFilter{})
	if n := len(audit); n > 6 || audit[n-1].Note != "49" {
		t.Errorf("%d audit entries", n)
	}
	if n := len(all); n > 7 || all[0].ID != "0" || all[n-1].ID != "49" {
		t.Errorf("%d approvals, the first %s", n, all[0].ID)
	}
}
