// Package storetest checks that a [helve.Store] keeps the promises of its
// interface. Whoever writes a store runs it:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) func() helve.Store { ... })
//	}
package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
)

// An Opener makes a new, empty store and returns what opens a handle on it. Each
// handle stands for a process of its own: a store that lives in one process
// returns the same each time. Handles are closed by the cleanup of t.
type Opener func(t *testing.T) (open func() helve.Store)

// Lease is the lease that the suite claims with where it waits for the end of
// one. A store that is slower than this cannot be tested so.
const Lease = 600 * time.Millisecond

// Run runs the whole suite, each test on a store of its own, side by side.
func Run(t *testing.T, open Opener) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*suite)
	}{
		{"ledger/states", ledgerStates},
		{"ledger/other_arguments", ledgerOtherArguments},
		{"ledger/suspended", ledgerSuspended},
		{"ledger/leases", ledgerLeases},
		{"ledger/unknown", ledgerUnknown},
		{"ledger/twins", ledgerTwins},
		{"ledger/dedupe", ledgerDedupe},
		{"ledger/race", ledgerRace},
		{"ledger/race_takeover", ledgerRaceTakeover},
		{"ledger/race_dedupe", ledgerRaceDedupe},
		{"ledger/entries", ledgerEntries},
		{"ledger/retention", ledgerRetention},
		{"ledger/copies", ledgerCopies},
		{"ledger/records", ledgerRecords},
		{"claim/atomic", claimAtomic},
		{"finish/atomic", finishAtomic},
		{"approvals/ask", approvalsAsk},
		{"approvals/decide", approvalsDecide},
		{"approvals/expiry", approvalsExpiry},
		{"approvals/consume", approvalsConsume},
		{"approvals/race", approvalsRace},
		{"approvals/race_decisions", approvalsRaceDecisions},
		{"approvals/list", approvalsList},
		{"approvals/watch", approvalsWatch},
		{"budgets/reserve", budgetsReserve},
		{"budgets/race", budgetsRace},
		{"budgets/leases", budgetsLeases},
		{"runs", runs},
		{"runs/race", runsRace},
		{"audit", audit},
		{"audit/race", auditRace},
		{"tenants", tenants},
		{"texts", texts},
		{"cancelled", cancelled},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if v := recover(); v != nil { // the others tell what the store does wrong, too
					t.Errorf("the test panicked over what the store did: %v\n%s", v, debug.Stack())
				}
			}()
			handle := open(t)
			test.run(&suite{T: t, Store: handle(), other: handle})
		})
	}
}

// A suite is one test on one store.
type suite struct {
	*testing.T
	helve.Store
	other func() helve.Store // another process's handle
}

func (s *suite) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) fails(err, want error) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Fatalf("error %v, want %v", err, want)
	}
}

func (s *suite) equal(got, want any) {
	s.Helper()
	if !reflect.DeepEqual(got, want) {
		s.Fatalf("got  %+v\nwant %+v", got, want)
	}
}

// side runs n functions at once and waits for them.
func (s *suite) side(n int, fn func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			fn(i)
		})
	}
	close(start)
	wg.Wait()
}

// lapse waits until a lease is over.
func (s *suite) lapse() { s.wait(Lease + Lease/2) }

func (s *suite) wait(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.Context().Done():
	}
}

func raw(text string) jsontext.Value { return jsontext.Value(text) }

// entry describes a claim of the tool "act".
func entry(key string, edit ...func(*helve.Entry)) *helve.Entry {
	e := &helve.Entry{
		Token:       helve.Token{LedgerKey: helve.LedgerKey{Tenant: "a", Scope: "act", Key: key}},
		Fingerprint: helve.Digest{1}, Run: "r", CallID: "c", Arguments: raw(`{"n":1}`),
	}
	for _, f := range edit {
		f(e)
	}
	return e
}

func repeatable(e *helve.Entry)     { e.Repeatable = true }
func otherArguments(e *helve.Entry) { e.Fingerprint = helve.Digest{2} }
func otherTenant(e *helve.Entry)    { e.Tenant = "b" }
func inRun(e *helve.Entry)          { e.InRun = true }
func ofRun(run string) func(*helve.Entry) {
	return func(e *helve.Entry) { e.Run = run }
}

func dedupe(key string, window time.Duration) func(*helve.Entry) {
	return func(e *helve.Entry) { e.Dedupe = helve.Dedupe{Key: key, Window: window} }
}

func (s *suite) claimFor(lease time.Duration, e *helve.Entry) *helve.Claim {
	s.Helper()
	c, err := s.Claim(s.Context(), &helve.ClaimParams{Entry: e, Lease: lease})
	s.ok(err)
	return c
}

// claim claims for longer than any test takes.
func (s *suite) claim(e *helve.Entry) *helve.Claim {
	s.Helper()
	return s.claimFor(time.Hour, e)
}

// won claims and must win.
func (s *suite) won(e *helve.Entry) *helve.Entry {
	s.Helper()
	c := s.claim(e)
	if !c.Won {
		s.Fatalf("the claim of %s was not won: it is %s", e.Key, c.Entry.State)
	}
	return c.Entry
}

// lost claims and must not win.
func (s *suite) lost(e *helve.Entry) *helve.Entry {
	s.Helper()
	c := s.claim(e)
	if c.Won {
		s.Fatalf("the claim of %s was won", e.Key)
	}
	return c.Entry
}

func (s *suite) finish(tok helve.Token, state helve.EntryState) error {
	s.Helper()
	return s.Finish(s.Context(), &helve.FinishParams{Token: &tok, State: state, Record: &helve.Record{Data: raw(`1`)}})
}

// done claims e and finishes it with a state.
func (s *suite) done(e *helve.Entry, state helve.EntryState) *helve.Entry {
	s.Helper()
	c := s.won(e)
	s.ok(s.finish(c.Token, state))
	return c
}

func (s *suite) recall(q *helve.RecallParams) *helve.Entry {
	s.Helper()
	e, err := s.Recall(s.Context(), q)
	s.ok(err)
	return e
}

func (s *suite) recallEntry(e *helve.Entry) *helve.Entry {
	s.Helper()
	return s.recall(&helve.RecallParams{LedgerKey: e.LedgerKey, Fingerprint: e.Fingerprint, Run: e.Run, Dedupe: e.Dedupe.Key})
}

// identity is that of a call of the tool "act" in the tenant "a".
func identity(n int) helve.ApprovalIdentity {
	return helve.ApprovalIdentity{
		Tenant: "a", Run: "r", Tool: "act", Contract: helve.Digest{9},
		ArgumentsDigest: helve.Digest{byte(n), byte(n >> 8)},
	}
}

func approval(id string, of helve.ApprovalIdentity) *helve.Approval {
	return &helve.Approval{
		ID: id, ApprovalIdentity: of, CallID: "call of " + id, Effect: helve.Write, Arguments: raw(`{"to":"ann"}`),
		PolicyVersion: "7", Rule: "autonomy", Reason: "writes need a person's approval",
	}
}

func (s *suite) ask(a *helve.Approval) *helve.Approval {
	s.Helper()
	got, err := s.Ask(s.Context(), a, time.Hour)
	s.ok(err)
	return got
}

func (s *suite) approve(id string) *helve.Approval {
	s.Helper()
	a, err := s.Decide(s.Context(), "a", id, &helve.Decision{Approve: true, By: "sam"})
	s.ok(err)
	return a
}

// approved asks and approves, and returns what consumes it.
func (s *suite) approved(id string, of helve.ApprovalIdentity) *helve.Consume {
	s.Helper()
	s.ask(approval(id, of))
	s.approve(id)
	return &helve.Consume{ID: id, Identity: of}
}

func (s *suite) stateOf(id string) helve.ApprovalState {
	s.Helper()
	a, err := s.Approval(s.Context(), "a", id)
	s.ok(err)
	return a.State
}

func (s *suite) spent(budget string) helve.Spent {
	s.Helper()
	spent, err := s.Spent(s.Context(), "a", budget)
	s.ok(err)
	return spent
}

func (s *suite) auditOf(f helve.AuditFilter) []string {
	s.Helper()
	if f.Tenant == "" {
		f.Tenant = "a"
	}
	entries, err := s.Audit(s.Context(), f)
	s.ok(err)
	lines := []string{}
	for _, e := range entries {
		lines = append(lines, fmt.Sprintf("%s %s", e.Kind, e.Note))
	}
	return lines
}

func note(kind helve.AuditKind, text string) helve.AuditEntry {
	return helve.AuditEntry{Kind: kind, Tenant: "a", Run: "r", CallID: "c", Tool: "act", Effect: helve.Write, Note: text}
}
