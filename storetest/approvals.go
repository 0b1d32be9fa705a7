package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"helve.dev/helve"
)

func approvalsAsk(s *suite) {
	asked := approval("ap_1", identity(1))
	a, err := s.Ask(s.Context(), asked, time.Hour, note(helve.AuditAsked, "first"))
	s.ok(err)
	s.equal([]any{a.ID, a.State, a.ApprovalIdentity, a.CallID, a.Effect, string(a.Arguments), a.PolicyVersion, a.Rule, a.Reason},
		[]any{"ap_1", helve.ApprovalPending, identity(1), "call of ap_1", helve.Write, `{"to":"ann"}`, "7", "autonomy", "writes need a person's approval"})
	if d := a.Expires.Sub(a.Asked); d != time.Hour {
		s.Errorf("it expires %s after it was asked", d)
	}
	got, err := s.Approval(s.Context(), "a", "ap_1")
	s.ok(err)
	s.equal(got, a)
	// The same call again, from another process too: the same approval.
	again, err := s.other().Ask(s.Context(), approval("ap_2", identity(1)), time.Hour, note(helve.AuditAsked, "second"))
	s.ok(err)
	s.equal(again.ID, "ap_1")
	s.equal(s.auditOf(helve.AuditFilter{}), []string{"asked first"})
	_, err = s.Approval(s.Context(), "a", "ap_2")
	s.fails(err, helve.ErrNoApproval)
	// Any part of the identity makes another call.
	for i, edit := range []func(*helve.ApprovalIdentity){
		func(id *helve.ApprovalIdentity) { id.Tenant = "b" },
		func(id *helve.ApprovalIdentity) { id.Run = "r2" },
		func(id *helve.ApprovalIdentity) { id.Subject = "eve" },
		func(id *helve.ApprovalIdentity) { id.Tool = "act2" },
		func(id *helve.ApprovalIdentity) { id.Contract = helve.Digest{8} },
		func(id *helve.ApprovalIdentity) { id.ArgumentsDigest = helve.Digest{8} },
	} {
		id, name := identity(1), fmt.Sprint("other_", i)
		edit(&id)
		s.equal(s.ask(approval(name, id)).ID, name)
	}
	// The id of a call that waits cannot be moved to other arguments.
	moved := approval("ap_3", identity(3))
	moved.CallID = asked.CallID
	_, err = s.Ask(s.Context(), moved, time.Hour)
	s.fails(err, helve.ErrApprovalMismatch)
	s.approve("ap_1")
	_, err = s.Ask(s.Context(), moved, time.Hour)
	s.fails(err, helve.ErrApprovalMismatch)
	s.equal(s.ask(approval("ap_4", identity(1))).State, helve.ApprovalApproved)
}

func approvalsDecide(s *suite) {
	s.ask(approval("yes", identity(1)))
	yes, err := s.Decide(s.Context(), "a", "yes", &helve.Decision{Approve: true, By: "sam", Arguments: raw(`{"to":"bob"}`), ArgumentsDigest: identity(1).ArgumentsDigest},
		note(helve.AuditDecided, "yes"))
	s.ok(err)
	s.equal([]any{yes.State, yes.DecidedBy, string(yes.Edited), string(yes.Arguments), yes.DecidedAt.IsZero()}, []any{helve.ApprovalApproved, "sam", `{"to":"bob"}`, `{"to":"ann"}`, false})
	stored, err := s.Approval(s.Context(), "a", "yes")
	s.ok(err)
	s.equal(stored, yes)
	// The same once more is the same; anything else is too late.
	again, err := s.Decide(s.Context(), "a", "yes", &helve.Decision{Approve: true, By: "eve", Arguments: raw(`{"to":"bob"}`)}, note(helve.AuditDecided, "again"))
	s.ok(err)
	s.equal(again, yes)
	for _, d := range []*helve.Decision{{}, {Approve: true}, {Approve: true, Arguments: raw(`{"to":"eve"}`)}} {
		a, err := s.Decide(s.Context(), "a", "yes", d, note(helve.AuditDecided, "late"))
		s.fails(err, helve.ErrDecided)
		s.equal(a, yes) // and the one who was too late sees how it stands
	}
	s.ask(approval("no", identity(2)))
	_, err = s.Decide(s.Context(), "a", "no", &helve.Decision{Approve: true, ArgumentsDigest: helve.Digest{5}})
	s.fails(err, helve.ErrApprovalMismatch)
	no, err := s.Decide(s.Context(), "a", "no", &helve.Decision{By: "sam", Reason: "not today"}, note(helve.AuditDecided, "no"))
	s.ok(err)
	s.equal([]any{no.State, no.DecisionReason, no.Edited == nil}, []any{helve.ApprovalDenied, "not today", true})
	s.equal(s.ask(approval("no again", identity(2))).ID, "no") // a no holds as long as a yes would
	_, err = s.Decide(s.Context(), "a", "nobody asked", &helve.Decision{Approve: true})
	s.fails(err, helve.ErrNoApproval)
	s.equal(s.auditOf(helve.AuditFilter{}), []string{"decided yes", "decided no"})
}

func approvalsExpiry(s *suite) {
	brief := func(id string, n int) *helve.Approval {
		a, err := s.Ask(s.Context(), approval(id, identity(n)), Lease)
		s.ok(err)
		return a
	}
	brief("pending", 1)
	brief("approved", 2)
	brief("denied", 3)
	s.approve("approved")
	_, err := s.Decide(s.Context(), "a", "denied", &helve.Decision{})
	s.ok(err)
	s.lapse()
	s.equal([]helve.ApprovalState{s.stateOf("pending"), s.stateOf("approved"), s.stateOf("denied")},
		[]helve.ApprovalState{helve.ApprovalExpired, helve.ApprovalExpired, helve.ApprovalDenied})
	_, err = s.Decide(s.Context(), "a", "pending", &helve.Decision{Approve: true})
	s.fails(err, helve.ErrApprovalExpired)
	_, err = s.Claim(s.Context(), &helve.ClaimParams{Approval: &helve.Consume{ID: "approved", Identity: identity(2)}})
	s.fails(err, helve.ErrApprovalExpired)
	// The next equal call asks anew.
	s.equal(s.ask(approval("denied again", identity(3))).State, helve.ApprovalPending)
	s.equal(s.ask(approval("pending again", identity(1))).State, helve.ApprovalPending)
	// One that nobody looked at since it expired is told once.
	brief("unseen", 4)
	s.lapse()
	told := s.ask(approval("unseen again", identity(4)))
	s.equal([]any{told.ID, told.State}, []any{"unseen", helve.ApprovalExpired})
	s.equal(s.ask(approval("unseen again", identity(4))).State, helve.ApprovalPending)
	// So is one to the call that asked for it, and one that expired in use is told then.
	brief("same", 5)
	brief("decided late", 6)
	brief("used late", 7)
	s.approve("used late")
	s.lapse()
	same := approval("same again", identity(5))
	same.CallID = "call of same"
	s.equal(s.ask(same).State, helve.ApprovalExpired)
	s.equal(s.ask(same).State, helve.ApprovalPending)
	_, err = s.Decide(s.Context(), "a", "decided late", &helve.Decision{Approve: true})
	s.fails(err, helve.ErrApprovalExpired)
	s.equal(s.ask(approval("decided late again", identity(6))).State, helve.ApprovalPending)
	_, err = s.Claim(s.Context(), &helve.ClaimParams{Approval: &helve.Consume{ID: "used late", Identity: identity(7)}})
	s.fails(err, helve.ErrApprovalExpired)
	s.equal(s.ask(approval("used late again", identity(7))).State, helve.ApprovalPending)
}

func approvalsConsume(s *suite) {
	use := s.approved("ap", identity(1))
	c, err := s.Claim(s.Context(), &helve.ClaimParams{Approval: use}) // a read
	s.ok(err)
	s.equal([]any{c.Won, c.Entry == nil, s.stateOf("ap")}, []any{true, true, helve.ApprovalConsumed})
	_, err = s.Claim(s.Context(), &helve.ClaimParams{Approval: use})
	s.fails(err, helve.ErrApprovalConsumed)
	a, err := s.Decide(s.Context(), "a", "ap", &helve.Decision{Approve: true}) // a double click
	s.ok(err)
	s.equal(a.State, helve.ApprovalConsumed)
	// Only who knows that it was used asks anew.
	used := s.ask(approval("next", identity(1)))
	s.equal([]any{used.ID, used.State}, []any{"ap", helve.ApprovalConsumed})
	next := approval("next", identity(1))
	next.Follows = "ap"
	s.equal(s.ask(next).ID, "next")
	next.ID = "one more"
	s.equal(s.ask(next).ID, "next")
	_, err = s.Decide(s.Context(), "a", "next", &helve.Decision{})
	s.ok(err)
	_, err = s.Claim(s.Context(), &helve.ClaimParams{Approval: &helve.Consume{ID: "next", Identity: identity(1)}})
	s.fails(err, helve.ErrApprovalMismatch)
}

// One approval is used once, whoever tries.
func approvalsRace(s *suite) {
	use := s.approved("ap", identity(1))
	var wins, used atomic.Int64
	second := s.other()
	s.side(50, func(i int) {
		store := []helve.Store{s.Store, second}[i%2]
		p := &helve.ClaimParams{Entry: entry(fmt.Sprint(i)), Lease: time.Hour, Approval: use}
		if i%5 == 0 {
			p.Entry = nil
		}
		switch _, err := store.Claim(s.Context(), p); {
		case err == nil:
			wins.Add(1)
		case errors.Is(err, helve.ErrApprovalConsumed):
			used.Add(1)
		default:
			s.Error(err)
		}
	})
	s.equal([]int64{wins.Load(), used.Load()}, []int64{1, 49})
}

// Many ask and decide at once: one question, one decision.
func approvalsRaceDecisions(s *suite) {
	ids := make([]string, 16)
	second := s.other()
	s.side(len(ids), func(i int) {
		store := []helve.Store{s.Store, second}[i%2]
		a, err := store.Ask(s.Context(), approval(fmt.Sprint("ap_", i), identity(1)), time.Hour, note(helve.AuditAsked, "q"))
		if err != nil {
			s.Error(err)
			return
		}
		ids[i] = a.ID
	})
	for _, id := range ids {
		s.equal(id, ids[0])
	}
	var yes, no, late atomic.Int64
	s.side(16, func(i int) {
		store := []helve.Store{s.Store, second}[i%2]
		_, err := store.Decide(s.Context(), "a", ids[0], &helve.Decision{Approve: i%4 < 2}, note(helve.AuditDecided, "d"))
		switch {
		case errors.Is(err, helve.ErrDecided):
			late.Add(1)
		case err != nil:
			s.Error(err)
		case i%4 < 2:
			yes.Add(1)
		default:
			no.Add(1)
		}
	})
	if y, n := yes.Load(), no.Load(); y+n != 8 || y*n != 0 || late.Load() != 8 {
		s.Errorf("%d yes, %d no, %d too late", y, n, late.Load())
	}
	s.equal(s.auditOf(helve.AuditFilter{}), []string{"asked q", "decided d"})
}

func approvalsList(s *suite) {
	s.ask(approval("1", identity(1)))
	s.ask(approval("2", identity(2)))
	far := identity(3)
	far.Run = "r2"
	s.ask(approval("3", far))
	strange := identity(4)
	strange.Tenant = "b"
	s.ask(approval("4", strange))
	s.approve("2")
	list := func(f helve.ApprovalFilter) []string {
		f.Tenant = "a"
		all, err := s.ListApprovals(s.Context(), f)
		s.ok(err)
		ids := []string{}
		for _, a := range all {
			ids = append(ids, a.ID)
		}
		return ids
	}
	s.equal(list(helve.ApprovalFilter{}), []string{"1", "2", "3"})
	s.equal(list(helve.ApprovalFilter{Run: "r"}), []string{"1", "2"})
	s.equal(list(helve.ApprovalFilter{State: helve.ApprovalPending}), []string{"1", "3"})
	s.equal(list(helve.ApprovalFilter{State: helve.ApprovalApproved}), []string{"2"})
	_, err := s.Ask(s.Context(), approval("5", identity(5)), Lease)
	s.ok(err)
	s.lapse()
	s.equal(list(helve.ApprovalFilter{State: helve.ApprovalPending}), []string{"1", "3"}) // by the clock
	s.equal(list(helve.ApprovalFilter{State: helve.ApprovalExpired}), []string{"5"})
}

// Who waits for a decision learns of it, in whatever process it is made.
func approvalsWatch(s *suite) {
	ctx, stop := context.WithCancel(s.Context())
	defer stop()
	var mu sync.Mutex
	seen := map[string]bool{}
	ready, over := make(chan struct{}), make(chan error, 1)
	var once sync.Once
	go func() {
		over <- s.WatchApprovals(ctx, "a", func(n helve.ApprovalNotice) {
			mu.Lock()
			defer mu.Unlock()
			if n.ID == "" {
				once.Do(func() { close(ready) })
				return
			}
			seen[fmt.Sprint(n.ID, " ", n.State)] = true
		})
	}()
	<-ready
	elsewhere := s.other()
	_, err := elsewhere.Ask(s.Context(), approval("ap", identity(1)), time.Hour)
	s.ok(err)
	strange := identity(1)
	strange.Tenant = "b"
	_, err = elsewhere.Ask(s.Context(), approval("of b", strange), time.Hour)
	s.ok(err)
	has := func(what string) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return seen[what]
		}
	}
	s.eventually("the question is told", has("ap pending"))
	_, err = elsewhere.Decide(s.Context(), "a", "ap", &helve.Decision{Approve: true})
	s.ok(err)
	s.eventually("the decision is told", has("ap approved"))
	mu.Lock()
	for what := range seen {
		if what != "ap pending" && what != "ap approved" {
			s.Errorf("a stranger's approval was told: %s", what)
		}
	}
	mu.Unlock()
	stop()
	s.fails(<-over, context.Canceled)
}

func (s *suite) eventually(what string, holds func() bool) {
	s.Helper()
	for range 500 {
		if holds() {
			return
		}
		s.wait(10 * time.Millisecond)
	}
	s.Fatalf("not within 5 s: %s", what)
}
