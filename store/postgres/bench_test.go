package postgres_test

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"

	"helve.dev/helve"
	"helve.dev/helve/store/internal/pgtest"
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

// What a call with an effect costs, beside two statements that do nothing but
// put the same row in and change it.
func BenchmarkLedger(b *testing.B) {
	dsn := pgtest.DSN(b)
	store := open(b, dsn, nil)
	for _, audited := range []bool{false, true} {
		b.Run(fmt.Sprint("claim and finish/audited=", audited), func(b *testing.B) {
			n := 0
			for b.Loop() {
				e := entry(b.Name() + strconv.Itoa(n))
				n++
				p, f := &helve.ClaimParams{Entry: e, Lease: time.Minute}, &helve.FinishParams{State: helve.EntrySucceeded, Record: outcome}
				if audited {
					p.Audit, f.Audit = []helve.AuditEntry{line(helve.AuditClaimed, e)}, []helve.AuditEntry{line(helve.AuditFinished, e)}
				}
				c, err := store.Claim(b.Context(), p)
				if err != nil {
					b.Fatal(err)
				}
				f.Token = &c.Entry.Token
				if err := store.Finish(b.Context(), f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	pool, err := pgxpool.New(b.Context(), dsn+"&search_path=helve")
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	b.Run("two bare statements", func(b *testing.B) {
		n := 0
		for b.Loop() {
			e := entry(b.Name() + strconv.Itoa(n))
			n++
			id := sha256.Sum256([]byte(e.Key))
			_, err := pool.Exec(b.Context(), `INSERT INTO ledger VALUES ($1, $2, $3, $4, 1, $5, 'running', $6, $7, $8, $9, $10, false, NULL, '', 0, NULL, '', false, 1, NULL,
				statement_timestamp(), statement_timestamp(), statement_timestamp() + interval '1 minute')`,
				id[:], e.Tenant, e.Scope, e.Key, "cl_1", e.Fingerprint[:], e.Ran[:], string(e.Arguments), e.Run, e.CallID)
			if err != nil {
				b.Fatal(err)
			}
			_, err = pool.Exec(b.Context(), `UPDATE ledger SET state = 'succeeded', record = $2, updated = statement_timestamp(), lease_until = NULL
				WHERE id = $1 AND state = 'running'`, id[:], string(outcome.Data))
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("replay", func(b *testing.B) {
		e := entry(b.Name())
		if _, err := store.Claim(b.Context(), &helve.ClaimParams{Entry: e, Lease: time.Minute}); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := store.Recall(b.Context(), &helve.RecallParams{LedgerKey: e.LedgerKey, Fingerprint: e.Fingerprint, Run: e.Run}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
