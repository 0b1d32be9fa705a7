package postgres_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"helve.dev/helve"
	"helve.dev/helve/store/internal/pgtest"
	"helve.dev/helve/store/postgres"
	"helve.dev/helve/storetest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func open(tb testing.TB, dsn string, cfg *postgres.Config) *postgres.Store {
	tb.Helper()
	s, err := postgres.Open(tb.Context(), dsn, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// connect opens a connection beside the store.
func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn+"&search_path=helve")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func run(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.After(10 * time.Second)
	for !holds() {
		select {
		case <-end:
			t.Fatalf("not within 10 s: %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// The store keeps the promises of its interface, with each handle a process.
// Claims and finishes that leave one line in the audit, as those of executors do,
// go another way than those that leave none: both are tested, and side by side.
func TestStore(t *testing.T) {
	for name, wrap := range map[string]func(handle int, s *postgres.Store) helve.Store{
		"as it is": func(_ int, s *postgres.Store) helve.Store { return s },
		"audited": func(handle int, s *postgres.Store) helve.Store {
			if handle%2 == 0 {
				return audited{s}
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "audited" {
				t.Skip("the way of executors is enough for a short test")
			}
			storetest.Run(t, func(t *testing.T) func() helve.Store {
				t.Helper()
				dsn, handle := pgtest.DSN(t), -1
				return func() helve.Store {
					handle++
					return wrap(handle, open(t, dsn, nil))
				}
			})
		})
	}
}

// audited adds a line to what has none, in the audit of a tenant that nobody asks for.
type audited struct{ *postgres.Store }

var aside = []helve.AuditEntry{{Kind: helve.AuditClaimed, Tenant: "aside", Tool: "t", Effect: helve.Write}}

func (a audited) Claim(ctx context.Context, p *helve.ClaimParams) (*helve.Claim, error) {
	c := *p
	if len(c.Audit) == 0 {
		c.Audit = aside
	}
	return a.Store.Claim(ctx, &c)
}

func (a audited) Finish(ctx context.Context, p *helve.FinishParams) error {
	c := *p
	if len(c.Audit) == 0 {
		c.Audit = aside
	}
	return a.Store.Finish(ctx, &c)
}

// What does not happen leaves no line, whichever way it goes.
func TestOneLineForEach(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	stores := []audited{{open(t, dsn, nil)}, {open(t, dsn, nil)}}
	ctx := t.Context()
	var won, finished atomic.Int64
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for k := range 10 {
				e := entry(strconv.Itoa((k + i) % 10))
				c, err := stores[i%2].Claim(ctx, &helve.ClaimParams{Entry: e, Lease: time.Minute})
				if err != nil {
					t.Error(err)
					continue
				}
				if c.Won {
					won.Add(1)
				}
				switch err := stores[i%2].Finish(ctx, &helve.FinishParams{Token: &c.Entry.Token, State: helve.EntrySucceeded}); {
				case err == nil:
					finished.Add(1)
				case !errors.Is(err, helve.ErrFenced):
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	lines, err := stores[0].AuditSize(ctx, "aside")
	ok(t, err)
	if won.Load() != 10 || finished.Load() != 10 || lines != 20 {
		t.Errorf("10 keys: %d won, %d finished, %d lines", won.Load(), finished.Load(), lines)
	}
}

// Two schemas of one database have nothing to do with each other.
func TestSchemas(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	one, other := open(t, dsn, &postgres.Config{Schema: `it's "one"`}), open(t, dsn, nil)
	ok(t, claimAndFinish(t.Context(), one, "k", true))
	if all, err := other.Entries(t.Context(), helve.EntryFilter{Tenant: "acme"}); err != nil || len(all) != 0 {
		t.Errorf("%d entries, %v", len(all), err)
	}
	if n, err := one.AuditSize(t.Context(), "acme"); err != nil || n != 2 {
		t.Errorf("%d audit entries, %v", n, err)
	}
}

// An operator reads what is wrong, and nobody reads the password.
func TestOpenErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ dsn, want string }{
		"port":               {"postgres://ann:hunter2@127.0.0.1:x/db", "cannot be read"},
		"no host":            {"postgres://ann:hunter2", "cannot be read"},
		"special characters": {"postgres://ann:hun/ter2#hunter2@127.0.0.1/db", "open the Postgres store"},
		"words":              {"host=127.0.0.1 password=hunter2 sslmode=perhaps", "cannot be read"},
		"open quote":         {"host=127.0.0.1 password='hunter2", "cannot be read"},
		"nobody there":       {"postgres://ann:hunter2@127.0.0.1:1/db?sslmode=disable", "127.0.0.1:1"},
		"unknown setting":    {"postgres://ann:hunter2@127.0.0.1:1/db?sslmode=disable&pool_max_conns=many", "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := postgres.Open(t.Context(), tt.dsn, nil)
			if err == nil {
				t.Fatal("it was opened")
			}
			text := err.Error()
			if !strings.Contains(text, tt.want) || strings.Contains(text, "hunter2") || strings.Contains(text, "ter2") {
				t.Errorf("error: %s", text)
			}
		})
	}
}

func TestOpenSchema(t *testing.T) {
	t.Parallel()
	for _, name := range []string{strings.Repeat("s", 64), "a\x00", "\xff"} {
		if _, err := postgres.Open(t.Context(), "postgres://127.0.0.1:1/db", &postgres.Config{Schema: name}); err == nil || !strings.Contains(err.Error(), "name of a schema") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The clocks of the machines play no part: the package never asks for one. The
// server of the tests lives in a time zone far away.
func TestNoClockOfTheClient(t *testing.T) {
	t.Parallel()
	clock := regexp.MustCompile(`time\.(Now|Since|Until)\b|clock_timestamp|\bnow\(\)|current_timestamp|localtime`)
	if !clock.MatchString("x := time.Now()") {
		t.Error("this test finds nothing")
	}
	for _, pattern := range []string{"*.go", "migrations/*.sql"} {
		files, err := filepath.Glob(pattern)
		ok(t, err)
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			text, err := os.ReadFile(f)
			ok(t, err)
			if found := clock.FindString(string(text)); found != "" {
				t.Errorf("%s uses %s", f, found)
			}
		}
	}
}

func TestTimesAreUTC(t *testing.T) {
	t.Parallel()
	store := open(t, pgtest.DSN(t), nil)
	c, err := store.Claim(t.Context(), &helve.ClaimParams{Entry: entry("k"), Lease: time.Minute})
	ok(t, err)
	got, err := store.Recall(t.Context(), &helve.RecallParams{LedgerKey: c.Entry.LedgerKey})
	ok(t, err)
	for _, at := range []time.Time{c.Entry.Claimed, got.Claimed} {
		if at.Location() != time.UTC || at.Nanosecond()%1000 != 0 {
			t.Errorf("claimed at %s", at)
		}
	}
	if !got.Claimed.Equal(c.Entry.Claimed) {
		t.Errorf("the claim says %s, the store %s", c.Entry.Claimed, got.Claimed)
	}
}

// blocked is a store in the middle of a claim: the key is put in, the approval is
// looked at, and the budget is held by another connection.
type blocked struct {
	*postgres.Store
	holder *pgx.Conn
	claim  func(context.Context) error
}

func block(t *testing.T) *blocked {
	t.Helper()
	dsn := pgtest.DSN(t)
	b := &blocked{Store: open(t, dsn, &postgres.Config{Sweep: -1}), holder: connect(t, dsn)}
	ctx := t.Context()
	ok(t, b.Reserve(ctx, helve.Reservation{ID: "first", Tenant: "acme", Budget: "b", Calls: 1, Lease: time.Hour}))
	id := helve.ApprovalIdentity{Tenant: "acme", Run: "run_1", Tool: "send_mail"}
	_, err := b.Ask(ctx, &helve.Approval{ID: "ap", ApprovalIdentity: id, Effect: helve.Write}, time.Hour)
	ok(t, err)
	_, err = b.Decide(ctx, "acme", "ap", &helve.Decision{Approve: true})
	ok(t, err)
	run(t, b.holder, `BEGIN`)
	run(t, b.holder, `SELECT FROM budgets FOR UPDATE`)
	b.claim = func(ctx context.Context) error {
		e := entry("k")
		_, err := b.Claim(ctx, &helve.ClaimParams{
			Entry: e, Lease: time.Hour, Approval: &helve.Consume{ID: "ap", Identity: id},
			Reserve: &helve.Reservation{ID: "second", Tenant: "acme", Budget: "b", Calls: 1, Lease: time.Hour},
			Audit:   []helve.AuditEntry{line(helve.AuditClaimed, e)},
		})
		return err
	}
	return b
}

// waiting returns the server's process that waits for a lock, once there is one.
func (b *blocked) waiting(t *testing.T) (pid int) {
	t.Helper()
	eventually(t, "the claim waits", func() bool {
		err := b.holder.QueryRow(t.Context(), `SELECT coalesce(max(pid), 0) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&pid)
		ok(t, err)
		return pid != 0
	})
	return pid
}

// untouched fails where something of the claim is there.
func (b *blocked) untouched(t *testing.T) {
	t.Helper()
	run(t, b.holder, `ROLLBACK`)
	ctx := t.Context()
	e, err := b.Recall(ctx, &helve.RecallParams{LedgerKey: entry("k").LedgerKey})
	ok(t, err)
	a, err := b.Approval(ctx, "acme", "ap")
	ok(t, err)
	spent, err := b.Spent(ctx, "acme", "b")
	ok(t, err)
	lines, err := b.Audit(ctx, helve.AuditFilter{Tenant: "acme"})
	ok(t, err)
	if e != nil || a.State != helve.ApprovalApproved || spent.Calls != 1 || len(lines) != 0 {
		t.Errorf("entry %v, approval %s, spent %v, %d audit entries", e, a.State, spent, len(lines))
	}
	if err := b.claim(ctx); err != nil {
		t.Errorf("the claim cannot be made again: %v", err)
	}
}

// The server's process dies in the middle of a claim: an error, and nothing of it.
func TestKilledBackend(t *testing.T) {
	t.Parallel()
	b := block(t)
	over := make(chan error, 1)
	go func() { over <- b.claim(t.Context()) }()
	run(t, b.holder, `SELECT pg_terminate_backend($1)`, b.waiting(t))
	if err := <-over; err == nil {
		t.Error("the claim was made")
	}
	b.untouched(t)
}

// The caller gives up in the middle of a claim: the same, and it is told so.
func TestCancelledClaim(t *testing.T) {
	t.Parallel()
	b := block(t)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- b.claim(ctx) }()
	b.waiting(t)
	cancel()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	b.untouched(t)
}

func TestClosed(t *testing.T) {
	t.Parallel()
	store := open(t, pgtest.DSN(t), nil)
	over := make(chan error, 1)
	ready := make(chan struct{}, 10)
	go func() {
		over <- store.WatchApprovals(t.Context(), "acme", func(helve.ApprovalNotice) { ready <- struct{}{} })
	}()
	<-ready
	_ = store.Close()
	if err := <-over; err == nil {
		t.Error("the watch ended without an error")
	}
	if err := store.WatchApprovals(t.Context(), "acme", func(helve.ApprovalNotice) {}); err == nil {
		t.Error("a closed store is watched")
	}
	if err := claimAndFinish(t.Context(), store, "k", false); err == nil {
		t.Error("a closed store took a claim")
	}
}

// What the background does: leases are looked after and the audit is collected.
func TestHousekeeping(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	store := open(t, dsn, &postgres.Config{Sweep: 50 * time.Millisecond})
	beside := connect(t, dsn)
	e := entry("k")
	_, err := store.Claim(t.Context(), &helve.ClaimParams{Entry: e, Lease: time.Millisecond, Audit: []helve.AuditEntry{line(helve.AuditClaimed, e)}})
	ok(t, err)
	eventually(t, "the lost entry is unknown and its line collected", func() bool {
		var n int
		ok(t, beside.QueryRow(t.Context(), `SELECT count(*) FROM ledger, audit WHERE state = 'unknown'`).Scan(&n))
		return n == 1
	})
}

// Close leaves nothing in the inbox, where somebody would have to come by for it.
func TestCloseCollects(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	store := open(t, dsn, nil)
	ok(t, claimAndFinish(t.Context(), store, "k", true))
	_ = store.Close()
	var waiting, collected int
	ok(t, connect(t, dsn).QueryRow(t.Context(), `SELECT (SELECT count(*) FROM audit_inbox), (SELECT count(*) FROM audit)`).Scan(&waiting, &collected))
	if waiting != 0 || collected != 2 {
		t.Errorf("%d entries wait, %d are in the log", waiting, collected)
	}
}

// Many processes do everything at once with the same few rows: nothing waits for
// ever, and no deadlock is found.
func TestNoDeadlocks(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	stores := []*postgres.Store{open(t, dsn, &postgres.Config{Sweep: 20 * time.Millisecond}), open(t, dsn, nil)}
	ctx := t.Context()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			s := stores[i%2]
			for n := range 25 {
				e := entry(string(rune('a' + n%3)))
				e.Repeatable, e.Dedupe = true, helve.Dedupe{Key: string(rune('a' + (n+i)%2)), Window: time.Millisecond}
				r := helve.Reservation{ID: e.Key + string(rune('a'+i)) + string(rune('a'+n)), Tenant: "acme", Budget: "b", Calls: 1, Lease: time.Millisecond, Read: n%2 == 0}
				c, err := s.Claim(ctx, &helve.ClaimParams{Entry: e, Lease: time.Millisecond, Reserve: &r, Audit: []helve.AuditEntry{line(helve.AuditClaimed, e)}})
				if err == nil && c.Won {
					err = s.Finish(ctx, &helve.FinishParams{
						Token: &c.Entry.Token, State: helve.EntryRetryable, Settle: &helve.Settlement{Reservation: r, SpentCalls: 1},
						Audit: []helve.AuditEntry{line(helve.AuditFinished, e)},
					})
				}
				if err != nil && !errors.Is(err, helve.ErrFenced) {
					t.Error(err)
				}
				if _, err := s.Sweep(ctx, helve.Retention{Results: time.Nanosecond, Runs: time.Nanosecond}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	var deadlocks int
	run(t, connect(t, dsn), `SELECT pg_stat_clear_snapshot()`)
	ok(t, connect(t, dsn).QueryRow(ctx, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`).Scan(&deadlocks))
	if deadlocks != 0 {
		t.Errorf("%d deadlocks", deadlocks)
	}
}
