package postgres_test

import (
	"context"
	"crypto/sha256"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"

	"helve.dev/helve"
	"helve.dev/helve/store/internal/pgtest"
	"helve.dev/helve/store/postgres"
)

func entry(key string) *helve.Entry {
	return &helve.Entry{
		Token:       helve.Token{LedgerKey: helve.LedgerKey{Tenant: "acme", Scope: "send_mail", Key: key}},
		Fingerprint: sha256.Sum256([]byte(key)), Run: "run_1", CallID: "call_" + key,
		Arguments: jsontext.Value(`{"to":"ann@example.com","subject":"the minutes","body":"attached"}`),
	}
}

func line(kind helve.AuditKind, e *helve.Entry) helve.AuditEntry {
	return helve.AuditEntry{
		Kind: kind, Tenant: e.Tenant, Run: e.Run, CallID: e.CallID, Tool: e.Scope, Effect: helve.Write,
		Contract: helve.Digest{1}, ArgumentsDigest: e.Fingerprint,
	}
}

var outcome = &helve.Record{Data: jsontext.Value(`{"id":"msg_1","status":"sent"}`)}

// claimAndFinish is what a call with an effect costs.
func claimAndFinish(ctx context.Context, s *postgres.Store, key string, audited bool) error {
	e := entry(key)
	p, f := &helve.ClaimParams{Entry: e, Lease: time.Minute}, &helve.FinishParams{State: helve.EntrySucceeded, Record: outcome}
	if audited {
		p.Audit, f.Audit = []helve.AuditEntry{line(helve.AuditClaimed, e)}, []helve.AuditEntry{line(helve.AuditFinished, e)}
	}
	c, err := s.Claim(ctx, p)
	if err != nil {
		return err
	}
	f.Token = &c.Entry.Token
	return s.Finish(ctx, f)
}

// bare puts the same row in and changes it, and decides nothing.
func bare(ctx context.Context, pool *pgxpool.Pool, key string) error {
	e := entry(key)
	id := sha256.Sum256([]byte(key))
	_, err := pool.Exec(ctx, `INSERT INTO ledger VALUES ($1, $2, $3, $4, 1, $5, 'running', $6, $7, $8, $9, $10, false, NULL, '', 0, NULL, '', false, 1, NULL,
		statement_timestamp(), statement_timestamp(), statement_timestamp() + interval '1 minute')`,
		id[:], e.Tenant, e.Scope, e.Key, "cl_1", e.Fingerprint[:], e.Ran[:], string(e.Arguments), e.Run, e.CallID)
	if err != nil {
		return err
	}
	_, err = pool.Exec(ctx, `UPDATE ledger SET state = 'succeeded', record = $2, updated = statement_timestamp(), lease_until = NULL
		WHERE id = $1 AND state = 'running'`, id[:], string(outcome.Data))
	return err
}

// BenchmarkLedger reports medians in microseconds, of calls that take turns, so
// that a busy machine is as hard on each.
func BenchmarkLedger(b *testing.B) {
	dsn := pgtest.DSN(b)
	store := open(b, dsn, nil)
	pool, err := pgxpool.New(b.Context(), dsn+"&search_path=helve")
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	ctx := b.Context()
	kinds := []struct {
		name string
		run  func(key string) error
		took []time.Duration
	}{
		{"bare", func(key string) error { return bare(ctx, pool, key) }, nil},
		{"call", func(key string) error { return claimAndFinish(ctx, store, key, false) }, nil},
		{"audited", func(key string) error { return claimAndFinish(ctx, store, key, true) }, nil},
		{"replay", func(key string) error {
			e := entry(key)
			e.Key = "0audited"
			_, err := store.Recall(ctx, &helve.RecallParams{LedgerKey: e.LedgerKey, Fingerprint: e.Fingerprint, Run: e.Run})
			return err
		}, nil},
	}
	n := 0
	for b.Loop() {
		for i := range kinds {
			k := &kinds[i]
			start := time.Now()
			if err := k.run(strconv.Itoa(n) + k.name); err != nil {
				b.Fatal(err)
			}
			k.took = append(k.took, time.Since(start))
		}
		n++
	}
	for _, k := range kinds {
		slices.Sort(k.took)
		b.ReportMetric(float64(k.took[len(k.took)/10].Microseconds()), k.name+"-µs")
	}
	median := func(i int) float64 { return float64(kinds[i].took[n/10]) }
	b.ReportMetric(median(2)/median(0), "audited/bare")
	b.ReportMetric(0, "ns/op")
}
