package postgres_test

import (
	"context"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/store/internal/pgtest"
	"helve.dev/helve/store/postgres"
)

// A wire is a way to the server that can be cut.
type wire struct {
	server string
	down   atomic.Bool // nobody gets through
	drop   atomic.Bool // the answer to the next statement is lost, and the connection with it

	mu    sync.Mutex
	conns []net.Conn
}

// newWire returns a wire to the server of dsn, and the DSN that goes through it.
func newWire(t *testing.T, dsn string) (*wire, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	ok(t, err)
	l := &wire{server: u.Host}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	ok(t, err)
	t.Cleanup(func() {
		_ = listener.Close()
		l.cut()
	})
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go l.carry(c)
		}
	}()
	u.Host = listener.Addr().String()
	return l, u.String()
}

func (l *wire) carry(client net.Conn) {
	server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", l.server)
	if err != nil || l.down.Load() {
		_ = client.Close()
		return
	}
	l.mu.Lock()
	l.conns = append(l.conns, client, server)
	l.mu.Unlock()
	var lost atomic.Bool
	go pass(client, server, func(sent []byte) bool {
		if sent[0] == 'B' && l.drop.CompareAndSwap(true, false) { // Bind: it is carried out, not only prepared
			lost.Store(true)
		}
		return true
	})
	pass(server, client, func([]byte) bool { return !lost.Load() })
}

// pass copies what comes until one of both ends, or let says no.
func pass(from, to net.Conn, let func([]byte) bool) {
	defer func() {
		_ = from.Close()
		_ = to.Close()
	}()
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if err != nil || !let(buf[:n]) {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// cut ends all connections.
func (l *wire) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		_ = c.Close()
	}
	l.conns = nil
}

func claimOf(key string) *helve.ClaimParams {
	return &helve.ClaimParams{Lease: time.Minute, Entry: &helve.Entry{
		Token: helve.Token{LedgerKey: helve.LedgerKey{Tenant: "a", Scope: "act", Key: key}}, Fingerprint: helve.Digest{1},
	}}
}

// A transaction whose answer is lost on the way has happened, and is known: it is
// not taken for another holder's, and what a call did is not unknown.
func TestAnswerLost(t *testing.T) {
	t.Parallel()
	l, dsn := newWire(t, pgtest.DSN(t))
	s := open(t, dsn, &postgres.Config{Sweep: -1})
	for _, reserve := range []*helve.Reservation{nil, {Tenant: "a", Budget: "b", ID: "r", Calls: 1, Lease: time.Minute}} {
		p := claimOf("new")
		if p.Reserve = reserve; reserve != nil {
			p.Entry.Key = "with a budget"
		}
		l.drop.Store(true)
		c, err := s.Claim(t.Context(), p)
		ok(t, err)
		if !c.Won || c.Entry.Fence != 1 || c.Entry.Attempts != 1 || c.Entry.State != helve.EntryRunning {
			t.Fatalf("the claim: %+v, %+v", c, c.Entry)
		}
		f := &helve.FinishParams{Token: &c.Entry.Token, State: helve.EntrySucceeded, Record: &helve.Record{Note: "done"}}
		if reserve != nil {
			f.Settle = &helve.Settlement{Reservation: *reserve, SpentCalls: 1}
		}
		l.drop.Store(true)
		ok(t, s.Finish(t.Context(), f))
		e, err := s.Recall(t.Context(), &helve.RecallParams{LedgerKey: p.Entry.LedgerKey, Fingerprint: helve.Digest{1}})
		ok(t, err)
		if e.State != helve.EntrySucceeded || e.Record.Note != "done" || l.drop.Load() {
			t.Errorf("the entry: %+v, an answer was lost: %t", e, !l.drop.Load())
		}
	}
	if spent, err := s.Spent(t.Context(), "a", "b"); err != nil || spent.Calls != 1 {
		t.Errorf("spent: %+v, %v", spent, err)
	}
	c, err := s.Claim(t.Context(), claimOf("new"))
	ok(t, err)
	if c.Won {
		t.Error("it can be claimed again")
	}
}

// While the server is away for a moment, what a call did waits to be recorded; a
// call that has not begun is refused.
func TestServerAway(t *testing.T) {
	t.Parallel()
	l, dsn := newWire(t, pgtest.DSN(t))
	s := open(t, dsn, &postgres.Config{Sweep: -1})
	c, err := s.Claim(t.Context(), claimOf("k"))
	ok(t, err)
	l.down.Store(true)
	l.cut()
	if other, err := s.Claim(t.Context(), claimOf("other")); err == nil {
		t.Errorf("claimed without a server: %+v", other)
	}
	time.AfterFunc(time.Second, func() { l.down.Store(false) })
	ok(t, s.Finish(t.Context(), &helve.FinishParams{Token: &c.Entry.Token, State: helve.EntrySucceeded}))
	other, err := s.Claim(t.Context(), claimOf("other"))
	ok(t, err)
	if !other.Won {
		t.Errorf("it is held: %+v", other.Entry)
	}
	ok(t, s.Finish(t.Context(), &helve.FinishParams{Token: &other.Entry.Token, State: helve.EntrySucceeded}))
	if err := s.Finish(t.Context(), &helve.FinishParams{Token: &other.Entry.Token, State: helve.EntryFailed}); err == nil {
		t.Error("finished twice")
	}
}
