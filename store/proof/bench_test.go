package proof_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
)

// writers is how many callers come at once where there are many.
const writers = 16

// manyRows is how large a ledger is that must cost no more than an empty one.
const manyRows = 1_000_000

// BenchmarkLedger measures a call with effects through an executor on each
// database, beside the two statements of the store that it needs.
func BenchmarkLedger(b *testing.B) {
	for _, kind := range []string{"sqlite", "postgres"} {
		b.Run(kind, func(b *testing.B) {
			b.Run("bare", func(b *testing.B) { benchBare(b, openBench(b, kind, 0)) })
			b.Run("call", func(b *testing.B) { benchCall(b, openBench(b, kind, 0)) })
			b.Run("call-many-rows", func(b *testing.B) { benchCall(b, openBench(b, kind, manyRows)) })
			b.Run("call-16-writers", func(b *testing.B) { benchWriters(b, openBench(b, kind, 0)) })
			b.Run("replay", func(b *testing.B) { benchReplay(b, openBench(b, kind, 0)) })
		})
	}
}

// openBench opens a new database with so many rows.
func openBench(b *testing.B, kind string, rows int) helve.Store {
	b.Helper()
	where := "sqlite:" + filepath.Join(b.TempDir(), "store.db")
	if kind == "postgres" {
		where = newPostgres(b)
	}
	s, closeStore, err := open(b.Context(), where)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := closeStore(); err != nil {
			b.Error(err)
		}
	})
	if rows > 0 {
		fill(b, where, rows)
	}
	return s
}

// fill adds rows of other calls to the ledger.
func fill(tb testing.TB, where string, rows int) {
	tb.Helper()
	path, ok := strings.CutPrefix(where, "sqlite:")
	if !ok {
		fillPostgres(tb, where, rows)
		return
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(tb.Context(), `
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
		INSERT INTO ledger (tenant, scope, key, state, fence, claim, fingerprint, ran, arguments, run, call_id, in_run, dedupe, dedupe_until,
			approval, repeatable, attempts, record, claimed, updated, lease_until)
		SELECT 'bench', 'send', 'old' || i, 'succeeded', 1, 'cl', x'01', x'00', '{}', 'run' || (i % 1000), 'c', 1, '', 0, '', 0, 1, '{"data":"sent"}', i, i, 0 FROM n`, rows)
	if err != nil {
		tb.Fatal(err)
	}
}

func benchExecutor(b *testing.B, store helve.Store) (*helve.Executor, context.Context) {
	b.Helper()
	send := helve.Must(helve.Func(helve.Contract{
		Name: "send", Effect: helve.Write, Description: "Sends a message to a person and says that it did.",
	}, func(context.Context, struct {
		To string `json:"to"`
	},
	) (string, error) {
		return "sent", nil
	}))
	reg, err := helve.NewRegistry(send)
	if err != nil {
		b.Fatal(err)
	}
	x, err := helve.NewExecutor(reg, &helve.Config{Store: store})
	if err != nil {
		b.Fatal(err)
	}
	return x, helve.WithScope(b.Context(), helve.Scope{Tenant: "bench", Run: "bench", Autonomy: helve.Auto})
}

func sendOnce(ctx context.Context, tb testing.TB, x *helve.Executor, id string) *helve.Result {
	tb.Helper()
	res := x.Execute(ctx, &helve.Call{ID: id, Tool: "send", Arguments: jsontext.Value(`{"to":"` + id + `"}`)})
	if !res.OK() {
		tb.Error(show(res))
	}
	return res
}

// benchBare is a claim and a finish with what an executor writes.
func benchBare(b *testing.B, store helve.Store) {
	b.Helper()
	ctx := b.Context()
	entry := func(kind helve.AuditKind) []helve.AuditEntry {
		return []helve.AuditEntry{{
			Kind: kind, Tenant: "bench", CallID: "c", Tool: "send", Effect: helve.Write, Contract: helve.Digest{1}, ArgumentsDigest: helve.Digest{2},
		}}
	}
	for i := 0; b.Loop(); i++ {
		c, err := store.Claim(ctx, &helve.ClaimParams{Lease: time.Minute, Audit: entry(helve.AuditClaimed), Entry: &helve.Entry{
			Token:       helve.Token{LedgerKey: helve.LedgerKey{Tenant: "bench", Scope: "send", Key: strconv.Itoa(i)}},
			Fingerprint: helve.Digest{2}, Run: "bench", CallID: "c", Arguments: jsontext.Value(`{"to":"ann"}`),
		}})
		if err != nil || !c.Won {
			b.Fatal(c, err)
		}
		err = store.Finish(ctx, &helve.FinishParams{
			Token: &c.Entry.Token, State: helve.EntrySucceeded, Record: &helve.Record{Data: jsontext.Value(`"sent"`)}, Audit: entry(helve.AuditFinished),
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func benchCall(b *testing.B, store helve.Store) {
	b.Helper()
	x, ctx := benchExecutor(b, store)
	for i := 0; b.Loop(); i++ {
		sendOnce(ctx, b, x, strconv.Itoa(i))
	}
	reportCommits(b, store)
}

func benchWriters(b *testing.B, store helve.Store) {
	b.Helper()
	x, ctx := benchExecutor(b, store)
	var next atomic.Int64
	work := make(chan struct{})
	done := make(chan struct{})
	for range writers {
		go func() {
			for range work {
				sendOnce(ctx, b, x, fmt.Sprint("w", next.Add(1)))
			}
			done <- struct{}{}
		}()
	}
	for b.Loop() {
		work <- struct{}{}
	}
	close(work)
	for range writers {
		<-done
	}
	reportCommits(b, store)
}

// benchReplay is a call that was made before.
func benchReplay(b *testing.B, store helve.Store) {
	b.Helper()
	x, ctx := benchExecutor(b, store)
	sendOnce(ctx, b, x, "same")
	for b.Loop() {
		if !sendOnce(ctx, b, x, "same").Replayed {
			b.Fatal("it was not replayed")
		}
	}
}

// reportCommits tells how many transactions a call took, where the store knows.
func reportCommits(b *testing.B, store helve.Store) {
	b.Helper()
	if s, ok := store.(interface{ Commits() int64 }); ok {
		b.ReportMetric(float64(s.Commits())/float64(b.N), "commits/op")
	}
}
