package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/store/audit"
)

// Recall is [helve.Ledger.Recall]. It writes only where it finds that a holder is
// lost.
func (s *Store) Recall(ctx context.Context, q *helve.RecallParams) (*helve.Entry, error) {
	now := time.Now().UnixMicro()
	e, err := s.recall(ctx, q, now)
	if err != nil || e == nil || !e.Lost() {
		return e, err
	}
	if err := s.write(ctx, func(t *tx) error { return t.expire(&e.LedgerKey) }); err != nil {
		return nil, err
	}
	return s.recall(ctx, q, now)
}

func (s *Store) recall(ctx context.Context, q *helve.RecallParams, now int64) (*helve.Entry, error) {
	one := func(query string, args ...any) (*helve.Entry, error) {
		return scanEntry(s.queryRow(ctx, query, args...), now)
	}
	e, err := one(selectEntry+byKey, q.Tenant, q.Scope, q.Key)
	if err != nil || e != nil && !e.Takable(&helve.Entry{Fingerprint: q.Fingerprint}) {
		return e, err
	}
	if q.Dedupe != "" {
		if other, err := one(selectEntry+byDedupe, q.Tenant, q.Scope, q.Key, q.Dedupe, now); err != nil || other != nil && other.Stands() {
			return other, err
		}
	}
	if q.Run == "" || !mayBeTwin(e) {
		return e, nil
	}
	if other, err := one(selectEntry+byTwin, q.Tenant, q.Scope, q.Run, q.Fingerprint[:], now); err != nil || other != nil {
		return other, err
	}
	return e, nil
}

// mayBeTwin reports whether a call with the entry e, which it may take, is kept
// from that by the same call under another key.
func mayBeTwin(e *helve.Entry) bool {
	return e == nil || e.State == helve.EntryRetryable || e.State == helve.EntryFailed
}

const (
	selectEntry = `SELECT tenant, scope, key, state, fence, claim, fingerprint, ran, arguments, run, call_id, in_run, dedupe, dedupe_until,
		approval, repeatable, attempts, record, claimed, updated, lease_until FROM ledger `
	byKey = `WHERE tenant = ?1 AND scope = ?2 AND key = ?3`
	// The latest of another key that may stand for the dedupe key ?4.
	byDedupe = `WHERE tenant = ?1 AND scope = ?2 AND key <> ?3 AND dedupe = ?4 AND dedupe <> '' AND dedupe_until > ?5
		AND (state IN ('succeeded','reserved') OR state = 'running' AND (repeatable = 0 OR lease_until > ?5) OR state = 'unknown' AND repeatable = 0)
		ORDER BY claimed DESC LIMIT 1`
	// SQLite uses an index of some rows only where the statement repeats its
	// condition word for word, that of ledger_open here.
	unsettled = `state IN ('reserved','running','unknown')`
	running   = unsettled + ` AND state = 'running'`
)

// byTwin selects the same call under another key that may have happened, of the
// run ?3 and the fingerprint ?4 at ?5.
var byTwin = `WHERE tenant = ?1 AND scope = ?2 AND key = ` + twinKey("?3", "?4", "?5")

// unlessHeld ends the INSERT of put: no row is added where the key has one, or the
// same call under another key may have happened.
var unlessHeld = ` WHERE ?9 = '' OR ` + twinKey("?9", "?6", "?17") + ` IS NULL ON CONFLICT DO NOTHING`

// twinKey is the key of a call that means the same and is unknown, or would be if
// somebody had looked since its holder was lost.
func twinKey(run, fingerprint, now string) string {
	same := ` AND repeatable = 0 AND tenant = ?1 AND scope = ?2 AND run = ` + run + ` AND fingerprint = ` + fingerprint + ` LIMIT 1`
	return `coalesce((SELECT key FROM ledger INDEXED BY ledger_twin WHERE state = 'unknown'` + same + `),
		(SELECT key FROM ledger WHERE ` + running + ` AND lease_until <= ` + now + same + `))`
}

type scanner interface{ Scan(into ...any) error }

// scanEntry reads a row as it stands at now. Nil: there is none.
func scanEntry(row scanner, now int64) (*helve.Entry, error) {
	var e helve.Entry
	var fingerprint, ran []byte
	var arguments string
	var record sql.NullString
	var dedupeUntil, claimed, updated, lease int64
	err := row.Scan(&e.Tenant, &e.Scope, &e.Key, &e.State, &e.Fence, &e.Claim, &fingerprint, &ran, &arguments, &e.Run, &e.CallID,
		&e.InRun, &e.Dedupe.Key, &dedupeUntil, &e.Approval, &e.Repeatable, &e.Attempts, &record, &claimed, &updated, &lease)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, readable(err)
	}
	copy(e.Fingerprint[:], fingerprint)
	copy(e.Ran[:], ran)
	if arguments != "" {
		e.Arguments = jsontext.Value(arguments)
	}
	if record.Valid {
		e.Record = new(helve.Record)
		if err := json.Unmarshal([]byte(record.String), e.Record); err != nil {
			return nil, err
		}
	}
	e.Claimed, e.Updated = moment(claimed), moment(updated)
	if e.Dedupe.Key != "" {
		e.Dedupe.Window = span(dedupeUntil - claimed)
	}
	e.Lease = span(max(0, lease-now))
	return &e, nil
}

func moment(micro int64) time.Time   { return time.UnixMicro(micro).UTC() }
func span(micro int64) time.Duration { return time.Duration(micro) * time.Microsecond }
func micros(d time.Duration) int64   { return d.Microseconds() }
func digest(d helve.Digest) []byte   { return d[:] }
func blobDigest(b []byte) (d helve.Digest) {
	copy(d[:], b)
	return d
}

// expire makes entries unknown whose holder is lost; a nil key means all.
func (t *tx) expire(k *helve.LedgerKey) error {
	_, err := t.expired(k)
	return err
}

func (t *tx) expired(k *helve.LedgerKey) (int64, error) {
	const lost = `UPDATE ledger SET state = 'unknown', updated = ?1 WHERE ` + running + ` AND lease_until <= ?1 AND repeatable = 0`
	if k == nil {
		return t.change(lost, t.now)
	}
	return t.change(lost+` AND tenant = ?2 AND scope = ?3 AND key = ?4`, t.now, k.Tenant, k.Scope, k.Key)
}

// entry returns the row that a query finds, after noting the loss of its holder.
func (t *tx) entry(where string, args ...any) (*helve.Entry, error) {
	st, err := t.stmt(selectEntry + where)
	if err != nil {
		return nil, readable(err)
	}
	e, err := scanEntry(st.QueryRowContext(t.ctx, args...), t.now)
	if err != nil || e == nil || !e.Lost() {
		return e, err
	}
	e.State, e.Updated = helve.EntryUnknown, moment(t.now)
	return e, t.expire(&e.LedgerKey)
}

// Claim is [helve.Ledger.Claim].
func (s *Store) Claim(ctx context.Context, p *helve.ClaimParams) (c *helve.Claim, err error) {
	if e := p.Entry; e != nil { // what is held needs no turn at the writer
		held, err := s.held(ctx, e)
		if err != nil || held != nil {
			return &helve.Claim{Entry: held}, err
		}
	}
	rows, err := rowsOf(p.Audit)
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, func(t *tx) (err error) {
		c, err = t.claim(p, rows)
		return err
	})
	if errors.Is(err, helve.ErrApprovalExpired) { // it is told now
		return nil, errors.Join(err, s.noteExpired(ctx, p.Approval.Identity.Tenant))
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// held returns the entry that keeps e from being claimed, where nothing has to be
// written to say so.
func (s *Store) held(ctx context.Context, e *helve.Entry) (*helve.Entry, error) {
	old, err := s.recall(ctx, &helve.RecallParams{LedgerKey: e.LedgerKey, Fingerprint: e.Fingerprint, Dedupe: e.Dedupe.Key}, time.Now().UnixMicro())
	if err != nil || old == nil || old.Lost() || old.LedgerKey == e.LedgerKey && old.Takable(e) {
		return nil, err
	}
	return old, nil
}

// claim takes the entry first: most keys are new, and then nothing needs to be
// looked up. What is refused later undoes it.
func (t *tx) claim(p *helve.ClaimParams, rows []audit.Row) (*helve.Claim, error) {
	c := &helve.Claim{Won: true}
	if e := p.Entry; e != nil {
		if e.Dedupe.Key != "" {
			own, err := t.entry(byKey, e.Tenant, e.Scope, e.Key) // what it says comes first
			if err != nil || own != nil && !own.Takable(e) {
				return &helve.Claim{Entry: own}, err
			}
			other, err := t.entry(byDedupe, e.Tenant, e.Scope, e.Key, e.Dedupe.Key, t.now)
			if err != nil || other != nil && other.Stands() {
				return &helve.Claim{Entry: other}, err
			}
		}
		var err error
		if c, err = t.take(p); err != nil || !c.Won {
			return c, err
		}
	}
	if p.Approval != nil {
		if err := t.consume(p.Approval); err != nil {
			return nil, err
		}
	}
	if p.Reserve != nil {
		if err := t.reserve(p.Reserve); err != nil {
			return nil, err
		}
	}
	return c, t.audit(rows)
}

// take puts the entry to running under a new token, unless it is held.
func (t *tx) take(p *helve.ClaimParams) (*helve.Claim, error) {
	e := *p.Entry
	e.Token = helve.Token{LedgerKey: p.Entry.LedgerKey, Fence: 1, Claim: "cl_" + rand.Text()}
	e.State, e.Attempts, e.Record = helve.EntryRunning, 1, nil
	e.Arguments = p.Entry.Arguments.Clone()
	e.Claimed, e.Updated, e.Lease = moment(t.now), moment(t.now), p.Lease
	n, err := t.put("INSERT", &e, unlessHeld)
	if err != nil || n > 0 {
		return &helve.Claim{Won: true, Entry: &e}, err
	}
	old, err := t.entry(byKey, e.Tenant, e.Scope, e.Key)
	if err != nil || old != nil && !old.Takable(p.Entry) {
		return &helve.Claim{Entry: old}, err
	}
	if e.Run != "" && mayBeTwin(old) {
		if twin, err := t.entry(byTwin, e.Tenant, e.Scope, e.Run, digest(e.Fingerprint), t.now); err != nil || twin != nil {
			return &helve.Claim{Entry: twin}, err
		}
	}
	e.Fence, e.Attempts = old.Fence+1, old.Attempts+1
	_, err = t.put("REPLACE", &e, "")
	return &helve.Claim{Won: true, Entry: &e}, err
}

// put writes the row of an entry that has been taken.
func (t *tx) put(verb string, e *helve.Entry, end string) (int64, error) {
	until := int64(0)
	if e.Dedupe.Key != "" {
		until = t.now + micros(e.Dedupe.Window)
	}
	return t.change(verb+` INTO ledger
		(tenant, scope, key, state, fence, claim, fingerprint, ran, arguments, run, call_id, in_run, dedupe, dedupe_until,
		 approval, repeatable, attempts, record, claimed, updated, lease_until)
		SELECT ?1, ?2, ?3, 'running', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, NULL, ?17, ?17, ?18`+end,
		e.Tenant, e.Scope, e.Key, e.Fence, e.Claim, digest(e.Fingerprint), digest(e.Ran), string(e.Arguments), e.Run, e.CallID, e.InRun,
		e.Dedupe.Key, until, e.Approval, e.Repeatable, e.Attempts, t.now, t.now+micros(e.Lease))
}

const held = ` WHERE tenant = ?1 AND scope = ?2 AND key = ?3 AND fence = ?4 AND claim = ?5 AND state IN `

// Beat is [helve.Ledger.Beat].
func (s *Store) Beat(ctx context.Context, k helve.Token, lease time.Duration) error {
	fenced := false
	err := s.write(ctx, func(t *tx) error {
		if err := t.expire(&k.LedgerKey); err != nil {
			return err
		}
		n, err := t.change(`UPDATE ledger SET lease_until = ?6`+held+`('running')`, k.Tenant, k.Scope, k.Key, k.Fence, k.Claim, t.now+micros(lease))
		fenced = n == 0
		return err
	})
	if err == nil && fenced {
		return helve.ErrFenced
	}
	return err
}

// Finish is [helve.Ledger.Finish].
func (s *Store) Finish(ctx context.Context, p *helve.FinishParams) error {
	var record any
	if p.Record != nil {
		raw, err := json.Marshal(p.Record, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return err
		}
		record = string(raw)
	}
	rows, err := rowsOf(p.Audit)
	if err != nil {
		return err
	}
	return s.write(ctx, func(t *tx) error {
		if k := p.Token; k != nil {
			n, err := t.change(`UPDATE ledger SET state = ?6, record = ?7, updated = ?8, lease_until = 0`+held+`('reserved','running','unknown')`,
				k.Tenant, k.Scope, k.Key, k.Fence, k.Claim, string(p.State), record, t.now)
			if err != nil {
				return err
			}
			if n == 0 {
				return helve.ErrFenced
			}
		}
		if p.Settle != nil {
			if err := t.settle(p.Settle); err != nil {
				return err
			}
		}
		return t.audit(rows)
	})
}

const defaultLimit = 1000 // of what a filter without one returns

func limit(n int) int {
	if n <= 0 {
		return defaultLimit
	}
	return n
}

// Entries is [helve.Ledger.Entries].
func (s *Store) Entries(ctx context.Context, f helve.EntryFilter) ([]*helve.Entry, error) {
	now := time.Now().UnixMicro()
	// Those that have lost their holder are unknown from now on.
	var lost int
	err := s.queryRow(ctx, `SELECT count(*) FROM ledger WHERE `+running+` AND lease_until <= ?1 AND repeatable = 0 AND tenant = ?2`, now, f.Tenant).Scan(&lost)
	if err != nil {
		return nil, readable(err)
	}
	if lost > 0 {
		if err := s.write(ctx, func(t *tx) error { return t.expire(nil) }); err != nil {
			return nil, err
		}
	}
	rows, err := s.query(ctx, selectEntry+entriesOf(&f)+` ORDER BY updated DESC, key LIMIT ?6`,
		f.Tenant, f.Scope, f.Key, f.Run, string(f.State), limit(f.Limit))
	var out []*helve.Entry
	err = each(rows, err, func(rows *sql.Rows) error {
		e, err := scanEntry(rows, now)
		out = append(out, e)
		return err
	})
	return out, err
}

// entriesOf selects the entries that match, by the index that leaves least to read.
func entriesOf(f *helve.EntryFilter) string {
	const rest = ` tenant = ?1 AND (?2 = '' OR scope = ?2) AND (?3 = '' OR key = ?3) AND (?4 = '' OR run = ?4) AND (?5 = '' OR state = ?5)`
	switch {
	case f.Scope != "" && f.Key != "":
		return `WHERE scope = ?2 AND key = ?3 AND` + rest
	case f.State == helve.EntryRunning || f.State == helve.EntryUnknown || f.State == helve.EntryReserved:
		return `INDEXED BY ledger_open WHERE ` + unsettled + ` AND state = ?5 AND` + rest
	}
	return `INDEXED BY ledger_updated WHERE` + rest
}

// Sweep is [helve.Ledger.Sweep].
func (s *Store) Sweep(ctx context.Context, r helve.Retention) (swept helve.Swept, err error) {
	err = s.write(ctx, func(t *tx) error {
		swept = helve.Swept{}
		n, err := t.expired(nil)
		if err != nil {
			return err
		}
		swept.Unknown = int(n)
		if swept.Reservations, err = t.returnReads(); err != nil {
			return err
		}
		if r.Results > 0 {
			n, err = t.change(`UPDATE ledger SET record = NULL WHERE record IS NOT NULL AND state IN ('succeeded','failed','retryable') AND updated < ?1`, t.now-micros(r.Results))
			if err != nil {
				return err
			}
			swept.Results = int(n)
		}
		if r.Runs > 0 {
			swept.Runs, err = t.forgetRuns(t.now - micros(r.Runs))
		}
		return err
	})
	return swept, err
}

// forgetRuns removes runs that ended before then, with what belonged to them.
func (t *tx) forgetRuns(then int64) (int, error) {
	const ended = ` AND (tenant, run) IN (SELECT tenant, id FROM runs WHERE ended = 1 AND updated < ?1)`
	for _, query := range []string{
		`DELETE FROM ledger INDEXED BY ledger_run WHERE in_run = 1 AND state IN ('succeeded','failed','retryable')` + ended,
		`DELETE FROM approvals WHERE 1` + ended,
	} {
		if _, err := t.change(query, then); err != nil {
			return 0, err
		}
	}
	n, err := t.change(`DELETE FROM runs WHERE ended = 1 AND updated < ?1`, then)
	return int(n), err
}
