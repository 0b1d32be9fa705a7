package postgres_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/store/internal/pgtest"
)

// notices collects what a watch tells.
type notices struct {
	mu  sync.Mutex
	all []helve.ApprovalNotice
}

func (n *notices) add(a helve.ApprovalNotice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, a)
}

func (n *notices) count(a helve.ApprovalNotice) (c int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, b := range n.all {
		if a == b {
			c++
		}
	}
	return c
}

func ask(t *testing.T, s helve.Store, tenant, id string) {
	t.Helper()
	a := &helve.Approval{ID: id, ApprovalIdentity: helve.ApprovalIdentity{Tenant: tenant, Tool: "t" + id}, Effect: helve.Write}
	_, err := s.Ask(t.Context(), a, time.Hour)
	ok(t, err)
}

// The connection that listens is lost: who watches is told to look, and the next
// one listens.
func TestWatchReconnects(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	store := open(t, dsn, nil)
	ctx, stop := context.WithCancel(t.Context())
	var first, second notices
	var all sync.WaitGroup
	for _, n := range []*notices{&first, &second} {
		all.Go(func() { _ = store.WatchApprovals(ctx, "acme", n.add) })
	}
	zero := helve.ApprovalNotice{}
	eventually(t, "both watch", func() bool { return first.count(zero) > 0 && second.count(zero) > 0 })
	before := first.count(zero)
	beside := connect(t, dsn)
	run(t, beside, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
	// Once when it is lost and once when it is there again.
	eventually(t, "both are told to look", func() bool { return first.count(zero) >= before+2 && second.count(zero) >= before+2 })
	ask(t, store, "acme", "ap")
	pending := helve.ApprovalNotice{ID: "ap", State: helve.ApprovalPending}
	eventually(t, "both are told again", func() bool { return first.count(pending) == 1 && second.count(pending) == 1 })
	stop()
	all.Wait()
	eventually(t, "nobody listens for nobody", func() bool {
		var n int
		ok(t, beside.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`).Scan(&n))
		return n == 0
	})
	// And once more.
	var third notices
	go func() { _ = store.WatchApprovals(t.Context(), "acme", third.add) }()
	eventually(t, "it is watched again", func() bool { return third.count(zero) > 0 })
	ask(t, store, "acme", "ap2")
	eventually(t, "it is told", func() bool { return third.count(helve.ApprovalNotice{ID: "ap2", State: helve.ApprovalPending}) == 1 })
}

// Odd tenants and ids are told; an id that is too long for a notice says "look".
func TestWatchOddNames(t *testing.T) {
	t.Parallel()
	store := open(t, pgtest.DSN(t), nil)
	tenant := "a\x00\\ b"
	var got notices
	go func() { _ = store.WatchApprovals(t.Context(), tenant, got.add) }()
	zero := helve.ApprovalNotice{}
	eventually(t, "it is watched", func() bool { return got.count(zero) == 1 })
	ask(t, store, tenant, "with space\x00")
	ask(t, store, "a", "of another")
	ask(t, store, tenant, strings.Repeat("long", 3000))
	eventually(t, "it is told to look", func() bool { return got.count(zero) == 2 })
	if len(got.all) != 3 || got.all[1] != (helve.ApprovalNotice{ID: "with space\x00", State: helve.ApprovalPending}) {
		t.Errorf("%d notices: %q", len(got.all), got.all[1].ID)
	}
}
