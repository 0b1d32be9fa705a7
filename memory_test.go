package helve_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"helve.dev/helve"
)

func entry(key string, edit ...func(*helve.Entry)) *helve.Entry {
	e := &helve.Entry{Token: helve.Token{LedgerKey: helve.LedgerKey{Scope: "act", Key: key}}, Fingerprint: helve.Digest{1}, Run: "r", Arguments: value(`{}`)}
	for _, f := range edit {
		f(e)
	}
	return e
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

func repeatable(e *helve.Entry)        { e.Repeatable = true }
func otherArguments(e *helve.Entry)    { e.Fingerprint = helve.Digest{2} }
func otherTenant(e *helve.Entry)       { e.Tenant = "b" }
func standingOf(e *helve.Entry) string { return fmt.Sprintf("%s %d", e.State, e.Fence) }

// The state machine of the ledger, transition by transition.
func TestMemoryLedgerStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := helve.NewMemoryStore(nil)
		first := claim(t, m, entry("k"))
		wantEqual(t, []any{first.Won, standingOf(first.Entry)}, []any{true, "running 1"})
		wantEqual(t, claim(t, m, entry("k")).Won, false)                 // in flight
		wantEqual(t, claim(t, m, entry("k", otherArguments)).Won, false) // conflict
		wantEqual(t, claim(t, m, entry("k", otherTenant)).Won, true)
		if err := finish(t, m, first.Entry.Token, helve.EntrySucceeded); err != nil {
			t.Fatal(err)
		}
		if err := finish(t, m, first.Entry.Token, helve.EntryFailed); !errors.Is(err, helve.ErrFenced) {
			t.Errorf("finishing twice: %v", err)
		}
		replay := claim(t, m, entry("k"))
		wantEqual(t, []any{replay.Won, string(replay.Entry.Record.Data)}, []any{false, "1"})

		// Retryable and failed: the key is free for other arguments.
		for _, s := range []helve.EntryState{helve.EntryRetryable, helve.EntryFailed} {
			k := string(s)
			_ = finish(t, m, claim(t, m, entry(k)).Entry.Token, s)
			wantEqual(t, claim(t, m, entry(k)).Won, s == helve.EntryRetryable)
			_ = finish(t, m, helve.Token{LedgerKey: helve.LedgerKey{Scope: "act", Key: k}, Fence: 2}, s)
			if s == helve.EntryFailed {
				wantEqual(t, claim(t, m, entry(k, otherArguments)).Entry.Fence, 2)
			}
		}

		// Suspended: anybody may take it at once.
		susp := claim(t, m, entry("s"))
		if err := finish(t, m, susp.Entry.Token, helve.EntryReserved); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, standingOf(claim(t, m, entry("s")).Entry), "running 2")
		if err := finish(t, m, susp.Entry.Token, helve.EntrySucceeded); !errors.Is(err, helve.ErrFenced) {
			t.Errorf("a zombie finished: %v", err)
		}
		if err := m.Beat(t.Context(), susp.Entry.Token, time.Hour); !errors.Is(err, helve.ErrFenced) {
			t.Errorf("a zombie beats: %v", err)
		}
	})
}

func TestMemoryLedgerLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := helve.NewMemoryStore(nil)
		unsafe, safe := claim(t, m, entry("unsafe")), claim(t, m, entry("safe", repeatable))
		time.Sleep(20 * time.Second)
		if err := m.Beat(t.Context(), unsafe.Entry.Token, 30*time.Second); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second) // the beat keeps it
		wantEqual(t, claim(t, m, entry("unsafe")).Entry.State, helve.EntryRunning)
		wantEqual(t, standingOf(claim(t, m, entry("safe", repeatable)).Entry), "running 2")
		if err := finish(t, m, safe.Entry.Token, helve.EntrySucceeded); !errors.Is(err, helve.ErrFenced) {
			t.Errorf("the dead holder finished what another took: %v", err)
		}
		time.Sleep(20 * time.Second)
		lost := claim(t, m, entry("unsafe"))
		wantEqual(t, []any{lost.Won, lost.Entry.State}, []any{false, helve.EntryUnknown})
		wantEqual(t, claim(t, m, entry("unsafe", repeatable)).Won, false) // asking for a takeover changes nothing
		if err := m.Beat(t.Context(), unsafe.Entry.Token, time.Hour); !errors.Is(err, helve.ErrFenced) {
			t.Errorf("an unknown entry beats: %v", err)
		}
		twin, err := m.Recall(t.Context(), &helve.RecallParams{LedgerKey: helve.LedgerKey{Scope: "act", Key: "another key"}, Fingerprint: helve.Digest{1}, Run: "r"})
		if err != nil || twin == nil || twin.Key != "unsafe" {
			t.Errorf("the unknown twin is not found: %+v, %v", twin, err)
		}
		// A late finish with the same fence resolves it.
		if err := finish(t, m, unsafe.Entry.Token, helve.EntrySucceeded); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, claim(t, m, entry("unsafe")).Entry.State, helve.EntrySucceeded)
		twin, _ = m.Recall(t.Context(), &helve.RecallParams{LedgerKey: helve.LedgerKey{Scope: "act", Key: "another key"}, Fingerprint: helve.Digest{1}, Run: "r"})
		if twin != nil {
			t.Errorf("a resolved entry is still a twin: %+v", twin)
		}
	})
}

// A claim is one transaction: what refuses it leaves nothing behind.
func TestMemoryClaimIsAtomic(t *testing.T) {
	m := helve.NewMemoryStore(nil)
	id := helve.ApprovalIdentity{Tool: "act", ArgumentsDigest: helve.Digest{1}}
	a, err := m.Ask(t.Context(), &helve.Approval{ID: "ap_1", ApprovalIdentity: id}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	full := &helve.Reservation{Budget: "b", Limit: helve.Budget{Calls: 1}, Calls: 2}
	try := func(c *helve.Consume, r *helve.Reservation) error {
		_, err := m.Claim(t.Context(), &helve.ClaimParams{Entry: entry("k"), Approval: c, Reserve: r, Audit: []helve.AuditEntry{{Kind: "claimed"}}})
		return err
	}
	use := &helve.Consume{ID: a.ID, Identity: id}
	if err := try(use, nil); !errors.Is(err, helve.ErrApprovalMismatch) {
		t.Errorf("an undecided approval: %v", err)
	}
	if _, err := m.Decide(t.Context(), a.ID, &helve.Decision{Approve: true}); err != nil {
		t.Fatal(err)
	}
	if err := try(&helve.Consume{ID: a.ID}, nil); !errors.Is(err, helve.ErrApprovalMismatch) {
		t.Errorf("an approval of another identity: %v", err)
	}
	if err := try(&helve.Consume{ID: "none", Identity: id}, nil); !errors.Is(err, helve.ErrNoApproval) {
		t.Errorf("no approval: %v", err)
	}
	if err := try(use, full); !errors.Is(err, helve.ErrBudget) {
		t.Errorf("a full budget: %v", err)
	}
	now, _ := m.Approval(t.Context(), a.ID)
	e, _ := m.Recall(t.Context(), &helve.RecallParams{LedgerKey: entry("k").LedgerKey})
	spent, _ := m.Spent(t.Context(), "", "b")
	audit, _ := m.Audit(t.Context(), "", "")
	wantEqual(t, []any{now.State, e == nil, spent, len(audit)}, []any{helve.ApprovalApproved, true, helve.Spent{}, 0})
	if err := try(use, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Claim(t.Context(), &helve.ClaimParams{Approval: use}); !errors.Is(err, helve.ErrApprovalConsumed) {
		t.Errorf("consuming twice: %v", err)
	}
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
		if err := m.AppendAudit(t.Context(), helve.AuditEntry{Kind: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		id := helve.ApprovalIdentity{ArgumentsDigest: helve.Digest{byte(i)}}
		a, err := m.Ask(t.Context(), &helve.Approval{ID: fmt.Sprint(i), ApprovalIdentity: id, CallID: fmt.Sprint(i)}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if _, err := m.Decide(t.Context(), a.ID, &helve.Decision{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	audit, _ := m.Audit(t.Context(), "", "")
	all, _ := m.ListApprovals(t.Context(), helve.ApprovalFilter{})
	if n := len(audit); n > 6 || audit[n-1].Kind != "49" {
		t.Errorf("%d audit entries", n)
	}
	if n := len(all); n > 7 || all[0].ID != "0" || all[n-1].ID != "49" {
		t.Errorf("%d approvals, the first %s", n, all[0].ID)
	}
}

func TestMemoryHandsOutCopies(t *testing.T) {
	m := helve.NewMemoryStore(nil)
	args := value(`{"a":1}`)
	c := claim(t, m, entry("k", func(e *helve.Entry) { e.Arguments = args }))
	args[1] = 'x'
	c.Entry.Arguments[1] = 'y'
	rec := &helve.Record{Data: value(`1`), Warnings: []string{"w"}, Error: &helve.Error{Message: "m", Details: value(`{}`)}}
	if err := m.Finish(t.Context(), &helve.FinishParams{Token: &c.Entry.Token, State: helve.EntrySucceeded, Record: rec}); err != nil {
		t.Fatal(err)
	}
	rec.Data[0], rec.Warnings[0], rec.Error.Message = '2', "x", "x"
	e, _ := m.Recall(t.Context(), &helve.RecallParams{LedgerKey: c.Entry.LedgerKey})
	e.Record.Data[0], e.Record.Error.Message = '3', "y"
	e, _ = m.Recall(t.Context(), &helve.RecallParams{LedgerKey: c.Entry.LedgerKey})
	wantEqual(t, []string{string(e.Arguments), string(e.Record.Data), e.Record.Warnings[0], e.Record.Error.Message}, []string{`{"a":1}`, "1", "w", "m"})
	asked := value(`{"a":1}`)
	_, _ = m.Ask(t.Context(), &helve.Approval{ID: "a", Arguments: asked}, time.Hour)
	asked[1] = 'x'
	a, _ := m.Approval(t.Context(), "a")
	a.Arguments[1] = 'y'
	a, _ = m.Approval(t.Context(), "a")
	wantEqual(t, string(a.Arguments), `{"a":1}`)
}
