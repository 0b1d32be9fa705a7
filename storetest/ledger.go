package storetest

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"helve.dev/helve"
)

func ledgerStates(s *suite) {
	before := time.Now()
	s.equal(s.recallEntry(entry("k")) == nil, true)
	first := s.won(entry("k"))
	s.equal([]any{first.State, first.Fence, first.Attempts, first.Claim != ""}, []any{helve.EntryRunning, int64(1), 1, true})
	if first.Lease <= 0 || first.Lease > time.Hour {
		s.Errorf("the lease is %s", first.Lease)
	}
	if off := first.Claimed.Sub(before); off < -time.Minute || off > time.Minute {
		s.Errorf("claimed at %s", first.Claimed)
	}
	flight := s.lost(entry("k"))
	s.equal([]any{flight.State, flight.Fence, flight.Lease > 0}, []any{helve.EntryRunning, int64(1), true})
	s.ok(s.Beat(s.Context(), first.Token, 2*time.Hour))
	s.ok(s.finish(first.Token, helve.EntrySucceeded))
	s.fails(s.finish(first.Token, helve.EntryFailed), helve.ErrFenced)
	s.fails(s.Beat(s.Context(), first.Token, time.Hour), helve.ErrFenced)
	for _, e := range []*helve.Entry{s.lost(entry("k")), s.recallEntry(entry("k"))} {
		s.equal([]any{e.State, string(e.Record.Data), e.Lease}, []any{helve.EntrySucceeded, "1", time.Duration(0)})
	}
	s.fails(s.finish(helve.Token{LedgerKey: entry("never").LedgerKey, Fence: 1, Claim: "x"}, helve.EntrySucceeded), helve.ErrFenced)
	stolen := s.won(entry("other")).Token
	stolen.Claim = "guessed"
	s.fails(s.finish(stolen, helve.EntrySucceeded), helve.ErrFenced)
}

func ledgerOtherArguments(s *suite) {
	running := s.won(entry("k"))
	s.equal(s.lost(entry("k", otherArguments)).Fingerprint, helve.Digest{1})
	s.ok(s.finish(running.Token, helve.EntrySucceeded))
	s.equal(s.lost(entry("k", otherArguments)).Fingerprint, helve.Digest{1})

	// Nothing happened: the same call may be sent again, the key is free for another.
	s.done(entry("retry"), helve.EntryRetryable)
	again := s.won(entry("retry"))
	s.equal([]any{again.Fence, again.Attempts, again.Record == nil}, []any{int64(2), 2, true})
	s.done(entry("retry2"), helve.EntryRetryable)
	s.equal(s.won(entry("retry2", otherArguments)).Fingerprint, helve.Digest{2})
	// It failed for good: the same call is answered, the key is free for another.
	s.done(entry("fail"), helve.EntryFailed)
	s.equal(s.lost(entry("fail")).State, helve.EntryFailed)
	s.equal(s.won(entry("fail", otherArguments)).Fence, int64(2))
}

func ledgerSuspended(s *suite) {
	e := s.won(entry("k"))
	s.ok(s.finish(e.Token, helve.EntryReserved))
	waiting := s.recallEntry(entry("k"))
	s.equal([]any{waiting.State, waiting.Lease}, []any{helve.EntryReserved, time.Duration(0)})
	s.lost(entry("k", otherArguments))
	again := s.won(entry("k"))
	s.equal(again.Fence, int64(2))
	s.fails(s.finish(e.Token, helve.EntrySucceeded), helve.ErrFenced)
	s.fails(s.Beat(s.Context(), e.Token, time.Hour), helve.ErrFenced)
	s.ok(s.finish(again.Token, helve.EntrySucceeded))
}

func ledgerLeases(s *suite) {
	safe := s.claimFor(Lease, entry("safe", repeatable)).Entry
	kept := s.claimFor(Lease, entry("kept")).Entry
	s.ok(s.Beat(s.Context(), kept.Token, time.Hour))
	s.lapse()
	s.equal(s.lost(entry("kept")).State, helve.EntryRunning) // the beat keeps it
	s.lost(entry("safe", repeatable, otherArguments))
	taken := s.won(entry("safe", repeatable))
	s.equal([]any{taken.Fence, taken.Attempts}, []any{int64(2), 2})
	// The holder that was given up wakes: it can do nothing any more.
	s.fails(s.Beat(s.Context(), safe.Token, time.Hour), helve.ErrFenced)
	s.fails(s.finish(safe.Token, helve.EntrySucceeded), helve.ErrFenced)
	s.ok(s.finish(taken.Token, helve.EntrySucceeded))
}

func ledgerUnknown(s *suite) {
	e := s.claimFor(Lease, entry("k")).Entry
	s.lapse()
	// Nobody has looked at it since: it is unknown all the same.
	unseen := s.recall(&helve.RecallParams{LedgerKey: entry("another").LedgerKey, Fingerprint: helve.Digest{1}, Run: "r"})
	if unseen == nil {
		s.Fatal("the twin of a call whose holder is gone is not found")
	}
	s.equal([]any{unseen.Key, unseen.State}, []any{"k", helve.EntryUnknown})
	lost := s.lost(entry("k"))
	s.equal([]any{lost.State, lost.Fence}, []any{helve.EntryUnknown, int64(1)})
	s.lost(entry("k", repeatable)) // asking for a takeover changes nothing
	s.fails(s.Beat(s.Context(), e.Token, time.Hour), helve.ErrFenced)
	// A call under another key that means the same finds it.
	twin := &helve.RecallParams{LedgerKey: entry("another").LedgerKey, Fingerprint: helve.Digest{1}, Run: "r"}
	s.equal(s.recall(twin).Key, "k")
	for _, other := range []func(*helve.RecallParams){
		func(q *helve.RecallParams) { q.Run = "r2" },
		func(q *helve.RecallParams) { q.Run = "" },
		func(q *helve.RecallParams) { q.Fingerprint = helve.Digest{2} },
		func(q *helve.RecallParams) { q.Scope = "act2" },
		func(q *helve.RecallParams) { q.Tenant = "b" },
	} {
		q := *twin
		other(&q)
		s.equal(s.recall(&q) == nil, true)
	}
	// A late finish under the same token resolves it.
	s.ok(s.finish(e.Token, helve.EntrySucceeded))
	s.equal(s.lost(entry("k")).State, helve.EntrySucceeded)
	s.equal(s.recall(twin) == nil, true)

	// Recall alone notices the loss too.
	s.claimFor(Lease, entry("seen"))
	s.lapse()
	s.equal(s.recallEntry(entry("seen")).State, helve.EntryUnknown)
	// One that a handler left unknown may be repeated where that is harmless.
	safe := entry("another", otherArguments)
	s.done(entry("safe", repeatable, otherArguments), helve.EntryUnknown)
	s.equal(s.recallEntry(safe) == nil, true)
	s.won(entry("safe", repeatable, otherArguments))
	s.done(safe, helve.EntrySucceeded)
}

// A call that may have happened keeps the same call of its run from being sent
// under another key.
func ledgerTwins(s *suite) {
	first := s.done(entry("k"), helve.EntryUnknown)
	for _, e := range []*helve.Entry{s.lost(entry("same")), s.recallEntry(entry("same"))} {
		s.equal([]any{e.Key, e.State}, []any{"k", helve.EntryUnknown})
	}
	for key, edit := range map[string]func(*helve.Entry){
		"arguments": otherArguments, "tenant": otherTenant, "run": ofRun("r2"), "none": ofRun(""),
		"scope": func(e *helve.Entry) { e.Scope = "act2" },
	} {
		s.ok(s.finish(s.won(entry(key, edit)).Token, helve.EntrySucceeded))
	}
	s.equal(s.lost(entry("same", repeatable)).Key, "k") // asking for a takeover changes nothing
	s.ok(s.finish(first.Token, helve.EntryRetryable))
	again := s.won(entry("same"))
	s.equal(again.Fence, int64(1)) // what was refused before has left no row

	// Of two that mean the same, the one that is resolved says nothing of the other.
	one, two := s.won(entry("one", ofRun("r3"))), s.won(entry("two", ofRun("r3")))
	s.ok(s.finish(one.Token, helve.EntryUnknown))
	s.ok(s.finish(two.Token, helve.EntryUnknown))
	s.ok(s.finish(two.Token, helve.EntrySucceeded))
	s.equal(s.lost(entry("three", ofRun("r3"))).Key, "one")
	s.ok(s.finish(one.Token, helve.EntrySucceeded))
	s.won(entry("three", ofRun("r3")))

	// So does one whose holder is gone, though nobody has looked at it since.
	running, gone := s.won(entry("beside", ofRun("r4"))), s.claimFor(Lease, entry("gone", ofRun("r4"))).Entry
	s.lapse()
	found := s.lost(entry("after", ofRun("r4")))
	s.equal([]any{found.Key, found.State}, []any{"gone", helve.EntryUnknown})
	s.equal(s.recallEntry(entry("gone", ofRun("r4"))).State, helve.EntryUnknown)

	// What came to nothing is not sent again while the same call may have happened.
	s.ok(s.finish(running.Token, helve.EntryRetryable))
	for _, e := range []*helve.Entry{s.lost(entry("beside", ofRun("r4"))), s.recallEntry(entry("beside", ofRun("r4")))} {
		s.equal(e.Key, "gone")
	}
	s.ok(s.finish(gone.Token, helve.EntryRetryable))
	s.equal(s.won(entry("beside", ofRun("r4"))).Fence, int64(2))
	// What has an outcome is told for itself.
	s.done(entry("told", ofRun("r5")), helve.EntrySucceeded)
	s.done(entry("open", ofRun("r5")), helve.EntryUnknown)
	for _, e := range []*helve.Entry{s.lost(entry("told", ofRun("r5"))), s.recallEntry(entry("told", ofRun("r5")))} {
		s.equal(e.Key, "told")
	}
	// Nor does it matter to what may be taken over that it has the same second key,
	// for which the other no longer stands.
	s.done(entry("past", ofRun("r7"), dedupe("past", 0)), helve.EntryUnknown)
	s.done(entry("safe", ofRun("r8"), repeatable), helve.EntryUnknown)
	s.equal(s.recallEntry(entry("safe", ofRun("r7"), dedupe("past", 0))).Key, "safe")
	s.equal(s.won(entry("safe", ofRun("r7"), dedupe("past", 0))).Fence, int64(2))
	// One that was suspended before it became unknown is no exception.
	paused := s.done(entry("paused", ofRun("r6")), helve.EntryReserved)
	s.ok(s.finish(paused.Token, helve.EntryUnknown))
	for _, e := range []*helve.Entry{s.lost(entry("next", ofRun("r6"))), s.recallEntry(entry("next", ofRun("r6")))} {
		s.equal(e.Key, "paused")
	}
}

func ledgerDedupe(s *suite) {
	day := dedupe("meeting", time.Hour)
	first := s.won(entry("k1", day))
	standing := s.lost(entry("k2", day, otherArguments))
	s.equal([]any{standing.Key, standing.Dedupe.Key, standing.Fingerprint}, []any{"k1", "meeting", helve.Digest{1}})
	s.equal(s.recallEntry(entry("k2", day)).Key, "k1")
	s.ok(s.finish(first.Token, helve.EntrySucceeded))
	s.equal(s.lost(entry("k2", day)).State, helve.EntrySucceeded)
	s.won(entry("k3", dedupe("another meeting", time.Hour)))
	s.won(entry("k4", day, otherTenant))
	s.won(entry("k5", day, func(e *helve.Entry) { e.Scope = "act2" }))
	// What is known of the key itself comes first, also where nobody has looked since
	// its holder was lost.
	s.claimFor(0, entry("lost", dedupe("lost", 0), ofRun("r1")))
	s.done(entry("since", dedupe("lost", time.Hour), ofRun("r2")), helve.EntrySucceeded)
	itself := s.lost(entry("lost", dedupe("lost", time.Hour), ofRun("r1")))
	s.equal([]any{itself.Key, itself.State}, []any{"lost", helve.EntryUnknown})
	// What came to nothing stands for nothing.
	s.done(entry("f1", dedupe("failed", time.Hour)), helve.EntryFailed)
	s.won(entry("f2", dedupe("failed", time.Hour)))
	s.lost(entry("f3", dedupe("failed", time.Hour)))
	// Who may take its own entry is still told who stands, by Recall as by Claim.
	s.done(entry("r1", dedupe("tried", time.Hour)), helve.EntryRetryable)
	s.equal(s.recallEntry(entry("r1", dedupe("tried", time.Hour))).Key, "r1")
	s.done(entry("r2", dedupe("tried", time.Hour)), helve.EntrySucceeded)
	s.equal(s.recallEntry(entry("r1", dedupe("tried", time.Hour))).Key, "r2")
	s.equal(s.lost(entry("r1", dedupe("tried", time.Hour))).Key, "r2")
	// One that was passed over, because its holder was gone, and succeeded after all
	// stands again.
	slow := s.claimFor(Lease, entry("s1", repeatable, dedupe("slow", time.Hour))).Entry
	s.lapse()
	s.ok(s.finish(s.won(entry("s2", dedupe("slow", time.Hour))).Token, helve.EntryFailed))
	s.ok(s.finish(slow.Token, helve.EntrySucceeded))
	s.equal(s.lost(entry("s3", dedupe("slow", time.Hour))).Key, "s1")
	// Nor does what is out of its window.
	s.done(entry("w1", dedupe("short", Lease)), helve.EntrySucceeded)
	s.lost(entry("w2", dedupe("short", Lease)))
	s.lapse()
	s.won(entry("w2", dedupe("short", Lease)))
}

// Whoever claims at the same time, in whatever process: one wins.
func ledgerRace(s *suite) {
	const keys, callers = 20, 32
	var wins, others atomic.Int64
	second := s.other()
	s.side(callers, func(i int) {
		store := []helve.Store{s.Store, second}[i%2]
		for k := range keys {
			e := entry(fmt.Sprint("k", (k+i)%keys))
			if i%3 == 0 {
				otherArguments(e)
			}
			c, err := store.Claim(s.Context(), &helve.ClaimParams{Entry: e, Lease: time.Hour})
			switch {
			case err != nil:
				s.Error(err)
			case c.Won:
				wins.Add(1)
			default:
				others.Add(1)
			}
		}
	})
	s.equal([]int64{wins.Load(), others.Load()}, []int64{keys, keys * (callers - 1)})
}

func ledgerRaceTakeover(s *suite) {
	s.claimFor(Lease, entry("k", repeatable))
	s.lapse()
	var wins atomic.Int64
	second := s.other()
	s.side(16, func(i int) {
		store := []helve.Store{s.Store, second}[i%2]
		c, err := store.Claim(s.Context(), &helve.ClaimParams{Entry: entry("k", repeatable), Lease: time.Hour})
		if err != nil {
			s.Error(err)
		} else if c.Won {
			wins.Add(1)
		}
	})
	s.equal([]any{wins.Load(), s.recallEntry(entry("k")).Fence}, []any{int64(1), int64(2)})
}

func ledgerRaceDedupe(s *suite) {
	var wins atomic.Int64
	second := s.other()
	s.side(16, func(i int) {
		store := []helve.Store{s.Store, second}[i%2]
		c, err := store.Claim(s.Context(), &helve.ClaimParams{Entry: entry(fmt.Sprint(i), dedupe("one", time.Hour)), Lease: time.Hour})
		if err != nil {
			s.Error(err)
		} else if c.Won {
			wins.Add(1)
		}
	})
	s.equal(wins.Load(), int64(1))
}

func ledgerEntries(s *suite) {
	s.done(entry("done"), helve.EntrySucceeded)
	s.done(entry("other tool", func(e *helve.Entry) { e.Scope = "act2" }), helve.EntryFailed)
	s.claimFor(Lease, entry("lost", ofRun("r2")))
	s.won(entry("of another tenant", otherTenant))
	s.lapse()
	keys := func(f helve.EntryFilter) []string {
		f.Tenant = "a"
		list, err := s.Entries(s.Context(), f)
		s.ok(err)
		out := []string{}
		for _, e := range list {
			out = append(out, e.Key)
		}
		return out
	}
	s.equal(keys(helve.EntryFilter{}), []string{"lost", "other tool", "done"})
	s.equal(keys(helve.EntryFilter{Limit: 1}), []string{"lost"})
	s.equal(keys(helve.EntryFilter{Scope: "act2"}), []string{"other tool"})
	s.equal(keys(helve.EntryFilter{Key: "done"}), []string{"done"})
	s.equal(keys(helve.EntryFilter{Run: "r"}), []string{"other tool", "done"})
	s.equal(keys(helve.EntryFilter{State: helve.EntryUnknown}), []string{"lost"}) // by the clock, not by a sweep
	s.equal(keys(helve.EntryFilter{State: helve.EntryRunning}), []string{})
	list, err := s.Entries(s.Context(), helve.EntryFilter{Tenant: "a", Key: "done"})
	s.ok(err)
	e := list[0]
	s.equal([]any{string(e.Arguments), string(e.Record.Data), e.Run, e.CallID, e.Fence}, []any{`{"n":1}`, "1", "r", "c", int64(1)})
}

func ledgerRetention(s *suite) {
	save := func(id string, ended bool) {
		s.ok(s.SaveRun(s.Context(), &helve.RunRecord{Tenant: "a", ID: id, Kind: "test/1", State: "x", Ended: ended}))
	}
	save("over", true)
	save("open", false)
	s.done(entry("within", ofRun("over"), inRun), helve.EntrySucceeded)
	s.done(entry("across", ofRun("over")), helve.EntrySucceeded)
	s.done(entry("unknown", ofRun("over"), inRun), helve.EntryUnknown)
	s.done(entry("alive", ofRun("open"), inRun), helve.EntrySucceeded)
	s.done(entry("failed", ofRun("open")), helve.EntryFailed)
	s.claimFor(Lease, entry("lost", ofRun("open")))
	over := identity(1)
	over.Run = "over"
	s.ask(approval("ap_over", over))
	s.ask(approval("ap_open", identity(2)))
	s.ok(s.Reserve(s.Context(), helve.Reservation{ID: "rs", Tenant: "a", Budget: "b", Calls: 1, Lease: Lease, Read: true}))

	swept, err := s.Sweep(s.Context(), helve.Retention{Results: time.Hour, Runs: time.Hour})
	s.ok(err)
	s.equal(swept, helve.Swept{})
	s.lapse()
	swept, err = s.Sweep(s.Context(), helve.Retention{})
	s.ok(err)
	s.equal(swept, helve.Swept{Unknown: 1, Reservations: 1})

	swept, err = s.Sweep(s.Context(), helve.Retention{Results: time.Millisecond})
	s.ok(err)
	s.equal(swept, helve.Swept{Results: 4})
	tomb := s.lost(entry("across"))
	s.equal([]any{tomb.State, tomb.Record == nil}, []any{helve.EntrySucceeded, true}) // it never means "run again"
	if s.recallEntry(entry("unknown", ofRun("over"))).Record == nil {
		s.Error("the record of an unknown outcome was forgotten")
	}

	swept, err = s.Sweep(s.Context(), helve.Retention{Runs: time.Millisecond})
	s.ok(err)
	s.equal(swept, helve.Swept{Runs: 1})
	_, err = s.LoadRun(s.Context(), "a", "over")
	s.fails(err, helve.ErrNoRun)
	_, err = s.Approval(s.Context(), "a", "ap_over")
	s.fails(err, helve.ErrNoApproval)
	s.equal(s.stateOf("ap_open"), helve.ApprovalPending)
	left, err := s.Entries(s.Context(), helve.EntryFilter{Tenant: "a"})
	s.ok(err)
	var keys []string
	for _, e := range left {
		keys = append(keys, e.Key)
	}
	slices.Sort(keys)
	s.equal(keys, []string{"across", "alive", "failed", "lost", "unknown"})
}

func ledgerCopies(s *suite) {
	args := raw(`{"a":1}`)
	c := s.claim(entry("k", func(e *helve.Entry) { e.Arguments = args }))
	args[1], c.Entry.Arguments[1] = 'x', 'y'
	rec := &helve.Record{Data: raw(`1`), Warnings: []string{"w"}, Error: &helve.Error{Message: "m", Details: raw(`{}`)}}
	s.ok(s.Finish(s.Context(), &helve.FinishParams{Token: &c.Entry.Token, State: helve.EntryFailed, Record: rec}))
	rec.Data[0], rec.Warnings[0], rec.Error.Message = '2', "x", "x"
	e := s.recallEntry(entry("k"))
	e.Record.Data[0], e.Record.Error.Message, e.Arguments[1] = '3', "y", 'z'
	e = s.recallEntry(entry("k"))
	s.equal([]string{string(e.Arguments), string(e.Record.Data), e.Record.Warnings[0], e.Record.Error.Message}, []string{`{"a":1}`, "1", "w", "m"})
	asked := approval("ap", identity(1))
	got := s.ask(asked)
	asked.Arguments[1], got.Arguments[1] = 'x', 'y'
	a, err := s.Approval(s.Context(), "a", "ap")
	s.ok(err)
	s.equal(string(a.Arguments), `{"to":"ann"}`)
}

// All that a row holds comes back.
func ledgerRecords(s *suite) {
	whole := entry("k", repeatable, inRun, dedupe("d", time.Hour), func(e *helve.Entry) {
		e.Ran, e.Approval = helve.Digest{7}, "ap_1"
	})
	e := s.won(whole)
	rec := &helve.Record{
		Data: raw(`{"n":12345678901234567890,"t":"\u0000ü"}`), Note: "a note", Warnings: []string{"w1", "w2"}, Dropped: true,
		Content: []helve.Content{{Type: "image", MediaType: "image/png", Name: "n", Data: []byte{0, 1, 255}}},
		Error: &helve.Error{
			Code: "own_code", Message: "m", Retryable: true, RetryAfter: 1500 * time.Millisecond, Suggestion: "s",
			Faults: []helve.Fault{{Path: "/a", Problem: "p", Suggestion: "q"}}, Details: raw(`{"d":[1]}`),
		},
	}
	s.ok(s.Finish(s.Context(), &helve.FinishParams{Token: &e.Token, State: helve.EntrySucceeded, Record: rec}))
	got := s.recallEntry(entry("k"))
	s.equal(got.Record, rec)
	s.equal([]any{got.Ran, got.Approval, got.Repeatable, got.InRun, got.Dedupe.Key, got.Run, got.CallID}, []any{helve.Digest{7}, "ap_1", true, true, "d", "r", "c"})
	s.ok(s.finish(s.won(entry("none")).Token, helve.EntryUnknown))
	e = s.won(entry("nothing to keep", otherArguments))
	s.ok(s.Finish(s.Context(), &helve.FinishParams{Token: &e.Token, State: helve.EntryRetryable}))
	s.equal(s.recallEntry(entry("nothing to keep", otherArguments)).Record == nil, true)
}

// What refuses a claim leaves nothing behind.
func claimAtomic(s *suite) {
	s.ask(approval("ap", identity(1)))
	full := &helve.Reservation{ID: "rs", Tenant: "a", Budget: "b", Limit: helve.Budget{Calls: 1}, Calls: 2, Lease: time.Hour}
	try := func(e *helve.Entry, c *helve.Consume, r *helve.Reservation) (*helve.Claim, error) {
		return s.Claim(s.Context(), &helve.ClaimParams{Entry: e, Lease: time.Hour, Approval: c, Reserve: r, Audit: []helve.AuditEntry{note(helve.AuditClaimed, "x")}})
	}
	use := &helve.Consume{ID: "ap", Identity: identity(1)}
	refused := func(want error, c *helve.Consume, r *helve.Reservation) {
		s.Helper()
		_, err := try(entry("k"), c, r)
		s.fails(err, want)
		s.equal(s.recallEntry(entry("k")) == nil, true)
		s.equal([]any{s.spent("b"), len(s.auditOf(helve.AuditFilter{}))}, []any{helve.Spent{}, 0})
	}
	refused(helve.ErrApprovalMismatch, use, nil) // not decided
	s.approve("ap")
	refused(helve.ErrApprovalMismatch, &helve.Consume{ID: "ap", Identity: identity(2)}, nil)
	refused(helve.ErrNoApproval, &helve.Consume{ID: "none", Identity: identity(1)}, nil)
	refused(helve.ErrBudget, use, full)
	s.equal(s.stateOf("ap"), helve.ApprovalApproved)

	held := s.won(entry("held"))
	half := &helve.Reservation{ID: "rs2", Tenant: "a", Budget: "b", Limit: helve.Budget{Calls: 10}, Calls: 2, Cost: 3, Lease: time.Hour}
	c, err := try(entry("held"), use, half) // somebody else runs it
	s.ok(err)
	s.equal([]any{c.Won, c.Entry.Token}, []any{false, held.Token})
	s.equal([]any{s.stateOf("ap"), s.spent("b"), len(s.auditOf(helve.AuditFilter{}))}, []any{helve.ApprovalApproved, helve.Spent{}, 0})

	c, err = try(entry("k"), use, half)
	s.ok(err)
	s.equal([]any{c.Won, s.stateOf("ap"), s.spent("b")}, []any{true, helve.ApprovalConsumed, helve.Spent{Calls: 2, Cost: 3}})
	s.equal(s.auditOf(helve.AuditFilter{}), []string{"claimed x"})
	_, err = try(nil, use, nil)
	s.fails(err, helve.ErrApprovalConsumed)
}

// What refuses a finish leaves nothing behind.
func finishAtomic(s *suite) {
	e := s.won(entry("k"))
	reserve := helve.Reservation{ID: "rs", Tenant: "a", Budget: "b", Calls: 1, Cost: 5, Lease: time.Hour}
	s.ok(s.Reserve(s.Context(), reserve))
	zombie := e.Token
	zombie.Fence = 9
	settle := &helve.Settlement{Reservation: reserve, SpentCalls: 1, SpentCost: 2}
	finish := func(t *helve.Token) error {
		return s.Finish(s.Context(), &helve.FinishParams{
			Token: t, State: helve.EntrySucceeded, Settle: settle, Audit: []helve.AuditEntry{note(helve.AuditFinished, "x")},
		})
	}
	s.fails(finish(&zombie), helve.ErrFenced)
	s.equal([]any{s.spent("b"), len(s.auditOf(helve.AuditFilter{}))}, []any{helve.Spent{Calls: 1, Cost: 5}, 0})
	s.ok(finish(&e.Token))
	s.equal(s.spent("b"), helve.Spent{Calls: 1, Cost: 2})
	s.equal(s.auditOf(helve.AuditFilter{}), []string{"finished x"})
	s.ok(finish(nil)) // a read
}
