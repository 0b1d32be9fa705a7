package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"helve.dev/helve"
)

func reservation(id string, calls, cost int64) helve.Reservation {
	return helve.Reservation{ID: id, Tenant: "a", Budget: "b", Limit: helve.Budget{Calls: 10, Cost: 100}, Calls: calls, Cost: cost, Lease: time.Hour}
}

func (s *suite) settle(r helve.Reservation, calls, cost int64) {
	s.Helper()
	s.ok(s.Finish(s.Context(), &helve.FinishParams{Settle: &helve.Settlement{Reservation: r, SpentCalls: calls, SpentCost: cost}}))
}

func budgetsReserve(s *suite) {
	s.equal(s.spent("b"), helve.Spent{})
	first := reservation("1", 4, 60)
	s.ok(s.Reserve(s.Context(), first))
	s.equal(s.spent("b"), helve.Spent{Calls: 4, Cost: 60})
	s.fails(s.Reserve(s.Context(), reservation("2", 7, 0)), helve.ErrBudget)
	s.fails(s.Reserve(s.Context(), reservation("3", 0, 41)), helve.ErrBudget)
	s.equal(s.spent("b"), helve.Spent{Calls: 4, Cost: 60})
	s.settle(first, 1, 10)
	s.equal(s.spent("b"), helve.Spent{Calls: 1, Cost: 10})
	s.ok(s.Reserve(s.Context(), reservation("4", 9, 90)))
	s.fails(s.Reserve(s.Context(), reservation("5", 1, 0)), helve.ErrBudget)
	// What cannot be added cannot be reserved; no limit is no limit.
	s.fails(s.Reserve(s.Context(), reservation("6", 0, 1<<62)), helve.ErrBudget)
	free := helve.Reservation{ID: "7", Tenant: "a", Budget: "free", Calls: 1000, Cost: 1 << 40, Lease: time.Hour}
	s.ok(s.Reserve(s.Context(), free))
	s.equal(s.spent("free"), helve.Spent{Calls: 1000, Cost: 1 << 40})
	stranger := reservation("8", 10, 100)
	stranger.Tenant = "b"
	s.ok(s.Reserve(s.Context(), stranger))
}

func budgetsRace(s *suite) {
	var taken, refused atomic.Int64
	second := s.other()
	s.side(40, func(i int) {
		store := []helve.Store{s.Store, second}[i%2]
		r := reservation(fmt.Sprint(i), 1, 1)
		var err error
		if i%4 == 0 {
			_, err = store.Claim(s.Context(), &helve.ClaimParams{Entry: entry(fmt.Sprint(i)), Lease: time.Hour, Reserve: &r})
		} else {
			err = store.Reserve(s.Context(), r)
		}
		switch {
		case err == nil:
			taken.Add(1)
		case errors.Is(err, helve.ErrBudget):
			refused.Add(1)
		default:
			s.Error(err)
		}
	})
	s.equal([]int64{taken.Load(), refused.Load()}, []int64{10, 30})
	s.equal(s.spent("b"), helve.Spent{Calls: 10, Cost: 10})
}

// A process dies between reservation and settlement.
func budgetsLeases(s *suite) {
	read, write := reservation("read", 2, 20), reservation("write", 3, 30)
	read.Lease, read.Read, write.Lease = Lease, true, Lease
	s.ok(s.Reserve(s.Context(), read))
	s.ok(s.Reserve(s.Context(), write))
	s.equal(s.spent("b"), helve.Spent{Calls: 5, Cost: 50})
	s.lapse()
	s.equal(s.spent("b"), helve.Spent{Calls: 3, Cost: 30}) // the read's is returned, the write's is spent
	// Whoever was only slow settles after all, once.
	s.settle(read, 1, 5)
	s.settle(write, 1, 6)
	s.equal(s.spent("b"), helve.Spent{Calls: 2, Cost: 11})
	slow := reservation("slow", 8, 0)
	slow.Lease, slow.Read = Lease, true
	s.ok(s.Reserve(s.Context(), slow))
	s.fails(s.Reserve(s.Context(), reservation("more", 1, 0)), helve.ErrBudget)
	s.lapse()
	s.ok(s.Reserve(s.Context(), reservation("more", 8, 0)))
}

func runs(s *suite) {
	r := &helve.RunRecord{Tenant: "a", ID: "run", Kind: "test/1", Title: "A brief", State: "running", Data: []byte{0, 1, 255}}
	s.ok(s.SaveRun(s.Context(), r))
	s.equal([]any{r.Version, r.Created.IsZero()}, []any{int64(1), false})
	got, err := s.other().LoadRun(s.Context(), "a", "run")
	s.ok(err)
	s.equal(got, r)
	stale := *got
	got.State, got.Data, got.Ended = "done", []byte("more"), true
	s.ok(s.SaveRun(s.Context(), got))
	s.equal(got.Version, int64(2))
	s.fails(s.SaveRun(s.Context(), &stale), helve.ErrRunChanged)
	s.fails(s.SaveRun(s.Context(), &helve.RunRecord{Tenant: "a", ID: "run"}), helve.ErrRunChanged)
	s.fails(s.SaveRun(s.Context(), &helve.RunRecord{Tenant: "a", ID: "never", Version: 3}), helve.ErrRunChanged)
	got, err = s.LoadRun(s.Context(), "a", "run")
	s.ok(err)
	s.equal([]any{got.State, string(got.Data), got.Ended, got.Created.Equal(r.Created)}, []any{"done", "more", true, true})
	_, err = s.LoadRun(s.Context(), "a", "never")
	s.fails(err, helve.ErrNoRun)
	s.ok(s.SaveRun(s.Context(), &helve.RunRecord{Tenant: "a", ID: "second", Kind: "test/2", State: "suspended", Data: []byte("x")}))
	s.ok(s.SaveRun(s.Context(), &helve.RunRecord{Tenant: "b", ID: "run", Kind: "test/1", State: "done"}))
	list := func(f helve.RunFilter) []string {
		f.Tenant = "a"
		all, err := s.ListRuns(s.Context(), f)
		s.ok(err)
		ids := []string{}
		for _, r := range all {
			ids = append(ids, r.ID)
			if r.Data != nil {
				s.Error("a list has the data")
			}
		}
		return ids
	}
	s.equal(list(helve.RunFilter{}), []string{"second", "run"})
	s.equal(list(helve.RunFilter{Limit: 1}), []string{"second"})
	s.equal(list(helve.RunFilter{State: "done"}), []string{"run"})
	s.equal(list(helve.RunFilter{Kind: "test/2"}), []string{"second"})
}

func runsRace(s *suite) {
	var wins atomic.Int64
	second := s.other()
	s.side(16, func(i int) {
		store := []helve.Store{s.Store, second}[i%2]
		switch err := store.SaveRun(s.Context(), &helve.RunRecord{Tenant: "a", ID: "run", Kind: "k", State: "s"}); {
		case err == nil:
			wins.Add(1)
		case !errors.Is(err, helve.ErrRunChanged):
			s.Error(err)
		}
	})
	s.equal(wins.Load(), int64(1))
}

func audit(s *suite) {
	before := time.Now()
	whole := helve.AuditEntry{
		Kind: helve.AuditFinished, Tenant: "a", Subject: "ann", Run: "r", CallID: "c", Parent: "p", Tool: "act", Effect: helve.Destructive,
		Contract: helve.Digest{1}, ArgumentsDigest: helve.Digest{2}, Arguments: raw(`{"x":"ü"}`), Approval: "ap", Rule: "rule", By: "sam",
		Code: helve.CodeToolFailed, State: helve.EntryFailed, Note: "line\nline",
	}
	s.ok(s.AppendAudit(s.Context(), whole, note(helve.AuditRefused, "second")))
	s.ok(s.AppendAudit(s.Context()))
	s.ok(s.other().AppendAudit(s.Context(), note(helve.AuditReplayed, "third")))
	other := note(helve.AuditClaimed, "of b")
	other.Tenant = "b"
	s.ok(s.AppendAudit(s.Context(), other))
	var all []helve.AuditEntry
	var err error
	s.eventually("the replay is in the audit", func() bool { return len(s.auditOf(helve.AuditFilter{})) == 3 })
	all, err = s.Audit(s.Context(), helve.AuditFilter{Tenant: "a"})
	s.ok(err)
	s.equal(s.auditOf(helve.AuditFilter{}), []string{"finished line\nline", "refused second", "replayed third"})
	if off := all[0].At.Sub(before); off < -time.Minute || off > time.Minute {
		s.Errorf("the first is of %s", all[0].At)
	}
	for i := 1; i < len(all); i++ {
		if all[i].Seq <= all[i-1].Seq || all[i].At.Before(all[i-1].At) {
			s.Errorf("entry %d comes after %d", all[i].Seq, all[i-1].Seq)
		}
	}
	got := all[0]
	whole.Seq, whole.At = got.Seq, got.At
	s.equal(got, whole)
	s.equal(s.auditOf(helve.AuditFilter{Run: "r2"}), []string{})
	s.equal(s.auditOf(helve.AuditFilter{Kind: helve.AuditRefused}), []string{"refused second"})
	s.equal(s.auditOf(helve.AuditFilter{Approval: "ap"}), []string{"finished line\nline"})
	s.equal(s.auditOf(helve.AuditFilter{Tool: "act", CallID: "c", Run: "r", Limit: 1}), []string{"finished line\nline"})
	s.equal(s.auditOf(helve.AuditFilter{After: all[0].Seq}), []string{"refused second", "replayed third"})
	s.equal(s.auditOf(helve.AuditFilter{Since: time.Now().Add(time.Hour)}), []string{})
	s.equal(s.auditOf(helve.AuditFilter{Tenant: "b"}), []string{"claimed of b"})
}

func auditRace(s *suite) {
	second := s.other()
	s.side(8, func(i int) {
		store := []helve.Store{s.Store, second}[i%2]
		for n := range 10 {
			if err := store.AppendAudit(s.Context(), note(helve.AuditRefused, fmt.Sprint(i, " ", n))); err != nil {
				s.Error(err)
			}
		}
	})
	all, err := s.Audit(s.Context(), helve.AuditFilter{Tenant: "a"})
	s.ok(err)
	s.equal(len(all), 80)
	seen := map[int64]bool{}
	next := map[string]int{}
	for _, e := range all {
		seen[e.Seq] = true
		var who string
		var n int
		if _, err := fmt.Sscan(e.Note, &who, &n); err != nil {
			s.Fatal(err)
		}
		s.equal(n, next[who]) // each writer's entries are in its order
		next[who]++
	}
	s.equal(len(seen), 80)
}

// A tenant sees and changes nothing of another's.
func tenants(s *suite) {
	ctx := s.Context()
	mine := s.won(entry("k", dedupe("d", time.Hour)))
	s.ask(approval("ap", identity(1)))
	s.ok(s.Reserve(ctx, reservation("rs", 5, 5)))
	s.ok(s.SaveRun(ctx, &helve.RunRecord{Tenant: "a", ID: "run", Kind: "k", State: "s", Data: []byte("secret")}))
	s.ok(s.AppendAudit(ctx, note(helve.AuditRefused, "mine")))
	for _, thief := range []string{"b", "", "a\x00", "A", "a ", "%"} {
		key := mine.LedgerKey
		key.Tenant = thief
		s.equal(s.recall(&helve.RecallParams{LedgerKey: key, Fingerprint: helve.Digest{1}, Run: "r", Dedupe: "d"}) == nil, true)
		stolen := mine.Token
		stolen.Tenant = thief
		s.fails(s.finish(stolen, helve.EntrySucceeded), helve.ErrFenced)
		s.fails(s.Beat(ctx, stolen, time.Hour), helve.ErrFenced)
		_, err := s.Approval(ctx, thief, "ap")
		s.fails(err, helve.ErrNoApproval)
		_, err = s.Decide(ctx, thief, "ap", &helve.Decision{Approve: true})
		s.fails(err, helve.ErrNoApproval)
		use := identity(1)
		use.Tenant = thief
		_, err = s.Claim(ctx, &helve.ClaimParams{Approval: &helve.Consume{ID: "ap", Identity: use}})
		if !errors.Is(err, helve.ErrApprovalMismatch) && !errors.Is(err, helve.ErrNoApproval) {
			s.Errorf("tenant %q used another's approval: %v", thief, err)
		}
		_, err = s.LoadRun(ctx, thief, "run")
		s.fails(err, helve.ErrNoRun)
		spent, err := s.Spent(ctx, thief, "b")
		s.ok(err)
		entries, err := s.Entries(ctx, helve.EntryFilter{Tenant: thief})
		s.ok(err)
		approvals, err := s.ListApprovals(ctx, helve.ApprovalFilter{Tenant: thief})
		s.ok(err)
		records, err := s.ListRuns(ctx, helve.RunFilter{Tenant: thief})
		s.ok(err)
		lines, err := s.Audit(ctx, helve.AuditFilter{Tenant: thief})
		s.ok(err)
		s.equal([]any{spent, len(entries), len(approvals), len(records), len(lines)}, []any{helve.Spent{}, 0, 0, 0, 0})
		settle := reservation("rs", 5, 5)
		settle.Tenant = thief
		s.settle(settle, 0, 0)
		s.equal(s.spent("b"), helve.Spent{Calls: 5, Cost: 5})
	}
	s.equal([]any{s.recallEntry(entry("k")).State, s.stateOf("ap")}, []any{helve.EntryRunning, helve.ApprovalPending})
}

// Keys, names and texts are any text: what one database cannot hold as it is,
// the store spells otherwise, and nothing meets that differs.
func texts(s *suite) {
	odd := []string{"", " ", "a\x00b", "a\x00", "\\0", `a\x00b`, "'; drop table x; --", "ü漢😀", "\u0301", "é", "e\u0301", "\xff\xfe", strings.Repeat("k", 5000), "%", "_", `\`, `\\`}
	for _, text := range odd {
		s.done(entry(text, ofRun(text), func(e *helve.Entry) { e.Scope, e.CallID = text, text }), helve.EntrySucceeded)
	}
	for _, text := range odd {
		e := s.recall(&helve.RecallParams{LedgerKey: helve.LedgerKey{Tenant: "a", Scope: text, Key: text}, Fingerprint: helve.Digest{1}})
		if e == nil {
			s.Fatalf("the entry of %q is not found", text)
		}
		s.equal([]string{e.Scope, e.Key, e.Run, e.CallID}, []string{text, text, text, text})
	}
	for i, text := range odd {
		id := identity(i)
		id.Subject, id.Tool = text, text
		a := approval(fmt.Sprint("ap", i), id)
		a.CallID, a.Reason = text, text
		if text != "" {
			id.Run = ""
		}
		s.ask(a)
		got, err := s.Approval(s.Context(), "a", a.ID)
		s.ok(err)
		s.equal([]string{got.Subject, got.Tool, got.CallID, got.Reason}, []string{text, text, text, text})
		s.ok(s.SaveRun(s.Context(), &helve.RunRecord{Tenant: "a", ID: text, Kind: text, Title: text, State: text}))
		r, err := s.LoadRun(s.Context(), "a", text)
		s.ok(err)
		s.equal([]string{r.ID, r.Kind, r.Title, r.State}, []string{text, text, text, text})
	}
	for _, text := range odd {
		if text == "\xff\xfe" {
			continue // an audit entry is JSON, which is UTF-8
		}
		s.ok(s.AppendAudit(s.Context(), note(helve.AuditRefused, text)))
	}
	s.equal(len(s.auditOf(helve.AuditFilter{})), len(odd)-1)
}

// A context that is done ends a method with an error, and changes nothing.
func cancelled(s *suite) {
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	if c, err := s.Claim(ctx, &helve.ClaimParams{Entry: entry("k"), Lease: time.Hour}); err == nil && c.Won {
		return // a store that needs not wait need not look
	}
	s.equal(s.recallEntry(entry("k")) == nil, true)
	s.won(entry("k"))
}
