package proof_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve"
)

// Every store answers alike, whatever comes in whatever order: the memory store
// is held against the others with operations at random, and each store's claims
// are refused with what it recalls. HELVE_SEED repeats a run.
func TestStoresAnswerAlike(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("HELVE_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("HELVE_SEED=%d", seed)
	onDatabases(t, func(t *testing.T, where string) {
		t.Helper()
		s, end, err := open(t.Context(), where)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = end() }()
		for n := range 60 {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			tenant := fmt.Sprint("tenant ", n)
			a, b := newSubject(t, helve.NewMemoryStore(nil), tenant), newSubject(t, s, tenant)
			var said []string
			for range 40 {
				op := randomOp(r)
				x, y := op(a), op(b)
				said = append(said, x)
				if x != y || t.Failed() {
					t.Fatalf("sequence %d:\n%s\nthe other store: %s", n, strings.Join(said, "\n"), y)
				}
			}
			if d := cmp.Diff(a.audit(), b.audit()); d != "" {
				t.Fatalf("sequence %d: the audit differs (-memory +other)\n%s\n%s", n, d, strings.Join(said, "\n"))
			}
		}
	})
}

// A subject is a store under test, with the tokens that it gave out.
type subject struct {
	t      *testing.T
	s      helve.Store
	ctx    context.Context
	tenant string
	tokens []*helve.Token
	asked  int
	spent  []helve.Reservation
}

func newSubject(t *testing.T, s helve.Store, tenant string) *subject {
	t.Helper()
	return &subject{t: t, s: s, ctx: t.Context(), tenant: tenant}
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// randomOp returns an operation, which says what came of it.
func randomOp(r *rand.Rand) func(*subject) string {
	state := pick(r, helve.EntrySucceeded, helve.EntryFailed, helve.EntryRetryable, helve.EntryUnknown, helve.EntryReserved)
	n := r.IntN(1 << 20)
	lease := pick(r, 0, time.Hour, time.Hour)
	call := r.IntN(3)
	switch k := r.IntN(20); {
	case k < 8:
		e := helve.Entry{
			Token:       helve.Token{LedgerKey: helve.LedgerKey{Scope: "act", Key: pick(r, "k1", "k2", "k3\x00\xff")}},
			Fingerprint: helve.Digest{byte(1 + r.IntN(2))}, Run: pick(r, "", "r1", "r1", "r2"), CallID: "c",
			Repeatable: r.IntN(3) == 0, Approval: pick(r, "", "ap"),
		}
		if r.IntN(3) == 0 {
			e.Dedupe = helve.Dedupe{Key: pick(r, "d1", "d2"), Window: pick(r, 0, time.Hour, time.Hour)}
		}
		consume, reserve, limit := r.IntN(4) == 0, r.IntN(3) == 0, int64(1+r.IntN(6))
		return func(s *subject) string { return s.claim(e, lease, consume, call, reserve, limit) }
	case k < 13:
		return func(s *subject) string { return s.finish(n, state) }
	case k < 14:
		return func(s *subject) string { return s.beat(n, lease) }
	case k < 16:
		follows, id := r.IntN(2) == 0, fmt.Sprint("call ", r.IntN(4))
		return func(s *subject) string { return s.ask(call, id, lease, follows) }
	case k < 18:
		d := helve.Decision{Approve: r.IntN(4) > 0, By: "ana\x00", Reason: pick(r, "", "no\xff")}
		if d.Approve && r.IntN(3) == 0 {
			d.Arguments = []byte(`{"n":2}`)
		}
		return func(s *subject) string { return s.decide(n, d) }
	case k < 19:
		return func(s *subject) string { return s.settle(n) }
	default:
		read, limit := r.IntN(2) == 0, int64(r.IntN(6))
		return func(s *subject) string { return s.reserve(read, lease, limit) }
	}
}

func (s *subject) note(kind helve.AuditKind, text string) helve.AuditEntry {
	return helve.AuditEntry{Kind: kind, Tenant: s.tenant, Run: "r", Tool: "act", Effect: helve.Write, Note: text}
}

func (s *subject) reservation(read bool, lease time.Duration, limit int64) *helve.Reservation {
	return &helve.Reservation{
		ID: fmt.Sprint("rs ", len(s.spent)), Tenant: s.tenant, Budget: "b", Limit: helve.Budget{Calls: limit}, Calls: 1, Cost: 3,
		Lease: lease, Read: read,
	}
}

// as says what an entry is, but for what is each store's own.
func (s *subject) as(e *helve.Entry, key string) string {
	if e == nil {
		return "nothing"
	}
	if e.Key != key { // there may be several, and any of them will do
		return fmt.Sprintf("another %s", e.State)
	}
	return fmt.Sprintf("its own %s fence %d attempts %d held %v record %v run %q fp %x", e.State, e.Fence, e.Attempts, e.Lease > 0, e.Record != nil, e.Run, e.Fingerprint[:1])
}

func (s *subject) claim(e helve.Entry, lease time.Duration, consume bool, call int, reserve bool, limit int64) string {
	e.Tenant = s.tenant
	p := &helve.ClaimParams{Entry: &e, Lease: lease, Audit: []helve.AuditEntry{s.note(helve.AuditClaimed, e.Key)}}
	if consume {
		p.Approval = &helve.Consume{ID: s.ap(s.asked - 1), Identity: s.identity(call)}
	}
	if reserve {
		p.Reserve = s.reservation(false, lease, limit)
	}
	known, err := s.s.Recall(s.ctx, &helve.RecallParams{LedgerKey: e.LedgerKey, Fingerprint: e.Fingerprint, Run: e.Run, Dedupe: e.Dedupe.Key})
	if err != nil {
		s.t.Fatal(err)
	}
	did := fmt.Sprintf("claim %q fp %x run %q dedupe %v repeatable %v lease %s: ", e.Key, e.Fingerprint[:1], e.Run, e.Dedupe, e.Repeatable, lease)
	c, err := s.s.Claim(s.ctx, p)
	if err != nil {
		return did + s.says(err)
	}
	if !c.Won {
		if s.as(known, e.Key) != s.as(c.Entry, e.Key) {
			s.t.Errorf("%srefused with %s, recalled %s", did, s.as(c.Entry, e.Key), s.as(known, e.Key))
		}
		return did + "refused: " + s.as(c.Entry, e.Key)
	}
	if known != nil && (known.LedgerKey != e.LedgerKey || !known.Takable(&e)) {
		s.t.Errorf("%swon, recalled %s", did, s.as(known, e.Key))
	}
	s.tokens = append(s.tokens, &c.Entry.Token)
	if reserve {
		s.spent = append(s.spent, *p.Reserve)
	}
	return fmt.Sprintf("%swon, fence %d attempts %d; %s", did, c.Entry.Fence, c.Entry.Attempts, s.standing())
}

func (s *subject) finish(n int, state helve.EntryState) string {
	p := &helve.FinishParams{State: state, Audit: []helve.AuditEntry{s.note(helve.AuditFinished, string(state))}}
	if len(s.tokens) > 0 {
		p.Token = s.tokens[max(0, len(s.tokens)-1-n%4)]
	}
	if state != helve.EntryReserved {
		p.Record = &helve.Record{Data: []byte(`"a\u0000b"`), Note: "a\x00\xff"}
	}
	if n%3 == 0 && len(s.spent) > 0 {
		p.Settle = &helve.Settlement{Reservation: s.spent[n%len(s.spent)], SpentCalls: 1, SpentCost: int64(n % 4)}
	}
	return fmt.Sprintf("finish %d as %s: %s; %s", len(s.tokens)-1-n%4, state, s.says(s.s.Finish(s.ctx, p)), s.standing())
}

func (s *subject) beat(n int, lease time.Duration) string {
	if len(s.tokens) == 0 {
		return "no beat"
	}
	return fmt.Sprintf("beat %s: %s", lease, s.says(s.s.Beat(s.ctx, *s.tokens[max(0, len(s.tokens)-1-n%4)], lease)))
}

func (s *subject) identity(call int) helve.ApprovalIdentity {
	return helve.ApprovalIdentity{Tenant: s.tenant, Run: pickRun[call], Subject: "", Tool: "act", ArgumentsDigest: helve.Digest{byte(call)}}
}

var pickRun = [...]string{"r1", "r1", ""}

func (s *subject) ask(call int, id string, ttl time.Duration, follows bool) string {
	a := &helve.Approval{ID: s.ap(s.asked), ApprovalIdentity: s.identity(call), CallID: id, Effect: helve.Write, Arguments: []byte(`{"n":1}`), Reason: "why\x00"}
	if follows {
		a.Follows = s.ap(s.asked - 1)
	}
	list, err := s.s.ListApprovals(s.ctx, helve.ApprovalFilter{Tenant: s.tenant}) // an expiry is told once, here
	if err != nil {
		s.t.Fatal(err)
	}
	var states strings.Builder
	for _, a := range list {
		fmt.Fprintf(&states, " %s %s %s", a.ID, a.State, a.Edited)
	}
	got, err := s.s.Ask(s.ctx, a, ttl, s.note(helve.AuditAsked, a.ID))
	did := fmt.Sprintf("having%s, ask %d %s for %s: ", states.String(), call, id, ttl)
	if err != nil {
		return did + s.says(err)
	}
	if got.ID == a.ID {
		s.asked++
		return did + "asked " + got.ID
	}
	return fmt.Sprintf("%sfound %s %s", did, got.ID, got.State)
}

func (s *subject) decide(n int, d helve.Decision) string {
	id := s.ap(s.asked - 1 - n%3)
	a, err := s.s.Decide(s.ctx, s.tenant, id, &d, s.note(helve.AuditDecided, id))
	state := helve.ApprovalState("")
	if a != nil {
		state = a.State
	}
	return fmt.Sprintf("decide %s %v: %s %s", id, d.Approve, state, s.says(err))
}

func (s *subject) reserve(read bool, lease time.Duration, limit int64) string {
	r := s.reservation(read, lease, limit)
	err := s.s.Reserve(s.ctx, *r)
	if err == nil {
		s.spent = append(s.spent, *r)
	}
	return fmt.Sprintf("reserve read %v lease %s limit %d: %s; %s", read, lease, limit, s.says(err), s.standing())
}

func (s *subject) settle(n int) string {
	if len(s.spent) == 0 {
		return "nothing to settle"
	}
	err := s.s.Finish(s.ctx, &helve.FinishParams{Settle: &helve.Settlement{Reservation: s.spent[n%len(s.spent)], SpentCalls: 1, SpentCost: int64(n % 4)}})
	return fmt.Sprintf("settle: %s; %s", s.says(err), s.standing())
}

// standing is what was spent.
func (s *subject) standing() string {
	spent, err := s.s.Spent(s.ctx, s.tenant, "b")
	return fmt.Sprintf("spent %v %s", spent, s.says(err))
}

func (s *subject) says(err error) string {
	for _, known := range []error{
		helve.ErrFenced, helve.ErrBudget, helve.ErrNoApproval, helve.ErrDecided, helve.ErrApprovalExpired, helve.ErrApprovalMismatch, helve.ErrApprovalConsumed,
	} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return "ok"
}

func (s *subject) audit() []string {
	entries, err := s.s.Audit(s.ctx, helve.AuditFilter{Tenant: s.tenant})
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, fmt.Sprint(e.Seq, e.Kind, strings.ToValidUTF8(e.Note, "\ufffd"))) // it is JSON there
	}
	return out
}

// ap is the id of the nth approval.
func (s *subject) ap(n int) string { return fmt.Sprint(s.tenant, " ap ", max(0, n)) }
