package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"helve.dev/helve"
)

const (
	entryColumns = `e.tenant, e.scope, e.key, e.fence, e.claim, e.state, e.fingerprint, e.ran, e.arguments, e.run, e.call_id, e.in_run,
		e.dedupe_key, e.dedupe_window, e.approval, e.repeatable, e.attempts, e.record, e.claimed, e.updated, e.lease_until, statement_timestamp()`

	// What may be known of a call, in the order in which it counts.
	recallSQL       = `SELECT e.rank, ` + entryColumns + ` FROM (SELECT 1 AS rank, * FROM ledger WHERE id = $1`
	recallDedupeSQL = ` UNION ALL (SELECT 2, * FROM standing($?, $1) ORDER BY claimed DESC LIMIT 1)`
	recallTwinSQL   = ` UNION ALL (SELECT 3, * FROM twins($2, $3, $4, $5) WHERE id <> $1 LIMIT 1)`
	recallEndSQL    = `) e ORDER BY e.rank`

	noteSQL = `UPDATE ledger SET state = 'unknown', updated = statement_timestamp()
		WHERE id = $1 AND state = 'running' AND NOT repeatable AND lease_until <= statement_timestamp()`

	claimSQL = `SELECT c.verdict, c.fence, c.attempts, statement_timestamp(), ` + entryColumns + ` FROM claim(
		$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
		$18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30) c, LATERAL (SELECT (c.e).*) e`

	// Most claims are of a key that nobody has used, with no more to decide, and
	// with one line for the audit.
	claimNewSQL = `WITH
		new AS (INSERT INTO ledger SELECT
			$1::bytea, $2, $3, $4, 1, $5, 'running', $6, $7, $8, $9, $10, $11, NULL, '', $12, NULL, $13, $14, 1, NULL,
			statement_timestamp(), statement_timestamp(), statement_timestamp() + $15 * interval '1 microsecond'
			WHERE NOT EXISTS (SELECT FROM twins($6, $9, $3, $2))
			ON CONFLICT (id) DO NOTHING RETURNING claimed),
		told AS (INSERT INTO audit_inbox (tenant, at, entry, payload)
			SELECT $16, claimed, $17, nullif($18, '') FROM new)
		SELECT claimed FROM new`

	beatSQL = `UPDATE ledger SET lease_until = statement_timestamp() + $4 * interval '1 microsecond'
		WHERE id = $1 AND fence = $2 AND claim = $3 AND state = 'running' AND (repeatable OR lease_until > statement_timestamp())`

	finishSQL = `SELECT finish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

	// The usual finish has nothing to settle and one line for the audit.
	finishHeldSQL = `WITH
		held AS (UPDATE ledger SET state = $4, record = $5, updated = statement_timestamp(), lease_until = NULL
			WHERE id = $1 AND fence = $2 AND claim = $3 AND state IN ('reserved', 'running', 'unknown') RETURNING updated),
		told AS (INSERT INTO audit_inbox (tenant, at, entry, payload)
			SELECT $6, updated, $7, nullif($8, '') FROM held)
		SELECT true FROM held`

	finishedSQL = `SELECT FROM ledger WHERE id = $1 AND fence = $2 AND claim = $3 AND state = $4`

	noteLostSQL = `UPDATE ledger SET state = 'unknown', updated = statement_timestamp() WHERE id = ANY (ARRAY(
		SELECT id FROM ledger WHERE state = 'running' AND NOT repeatable AND lease_until <= statement_timestamp() AND tenant = $1
		FOR UPDATE SKIP LOCKED))`

	entriesSQL = `SELECT ` + entryColumns + ` FROM ledger e WHERE hashtextextended(e.tenant, 0) = hashtextextended($?, 0) AND e.tenant = $?`

	sweepSQL = `SELECT lost, results, runs, returned FROM sweep($1, $2, $3)`
)

// Recall is [helve.Ledger.Recall].
func (s *Store) Recall(ctx context.Context, q *helve.RecallParams) (*helve.Entry, error) {
	sql := &query{args: []any{ledgerID(q.LedgerKey)}}
	sql.sql.WriteString(recallSQL)
	if q.Run != "" {
		sql.args = append(sql.args, q.Fingerprint[:], escape(q.Run), escape(q.Scope), escape(q.Tenant))
		sql.sql.WriteString(recallTwinSQL)
	}
	if q.Dedupe != "" {
		sql.add(recallDedupeSQL, dedupeID(q.LedgerKey, q.Dedupe))
	}
	sql.sql.WriteString(recallEndSQL)
	for {
		found, err := s.candidates(ctx, "recall a key", sql)
		e := mostTelling(found, q)
		if err != nil || e == nil || !e.Lost() {
			return e, err
		}
		if _, err := s.exec(ctx, "recall a key", noteSQL, ledgerID(e.LedgerKey)); err != nil {
			return nil, err
		}
	}
}

// A candidate is what may be known of a call, with its rank in recallSQL.
type candidate struct {
	*helve.Entry
	rank int
}

const dedupeRank = 2

func (s *Store) candidates(ctx context.Context, verb string, q *query) (found []candidate, err error) {
	err = s.try(ctx, verb, func() error {
		rows, err := s.pool.Query(ctx, q.sql.String(), q.args...)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (c candidate, err error) {
			c.Entry, err = scanEntry(r, &c.rank)
			return c, err
		})
		return err
	})
	return found, err
}

// mostTelling returns the first of found that counts, or nil: the call's own
// entry gives way where it may be taken to one that stands for the dedupe key,
// and where it came to nothing to the same call under another key.
func mostTelling(found []candidate, q *helve.RecallParams) *helve.Entry {
	if len(found) == 0 {
		return nil
	}
	own := found[0].Entry
	if own.LedgerKey != q.LedgerKey || len(found) == 1 || !own.Takable(&helve.Entry{Fingerprint: q.Fingerprint}) {
		return own
	}
	if found[1].rank == dedupeRank || own.State == helve.EntryRetryable || own.State == helve.EntryFailed {
		return found[1].Entry
	}
	return own
}

func ledgerID(k helve.LedgerKey) []byte { return identity(k.Tenant, k.Scope, k.Key) }

func dedupeID(k helve.LedgerKey, dedupe string) []byte {
	if dedupe == "" {
		return nil
	}
	return identity(k.Tenant, k.Scope, dedupe)
}

// scanEntry reads entryColumns, which come after skip others.
func scanEntry(r scanner, skip ...any) (*helve.Entry, error) {
	var (
		e                 helve.Entry
		state             string
		window            int64
		fingerprint, ran  []byte
		arguments, record *string
		lease             *time.Time
		now               time.Time
	)
	err := r.Scan(append(skip,
		&e.Tenant, &e.Scope, &e.Key, &e.Fence, &e.Claim, &state, &fingerprint, &ran, &arguments, &e.Run, &e.CallID, &e.InRun,
		&e.Dedupe.Key, &window, &e.Approval, &e.Repeatable, &e.Attempts, &record, &e.Claimed, &e.Updated, &lease, &now)...)
	if err != nil {
		return nil, err
	}
	for _, text := range []*string{&e.Tenant, &e.Scope, &e.Key, &e.Claim, &e.Run, &e.CallID, &e.Dedupe.Key, &e.Approval} {
		*text = unescape(*text)
	}
	e.State, e.Dedupe.Window = helve.EntryState(state), time.Duration(window)
	copy(e.Fingerprint[:], fingerprint)
	copy(e.Ran[:], ran)
	e.Arguments = rawValue(arguments)
	e.Claimed, e.Updated = e.Claimed.UTC(), e.Updated.UTC()
	if lease != nil {
		e.Lease = max(0, lease.Sub(now))
	}
	if record != nil {
		e.Record = &helve.Record{}
		if err := json.Unmarshal([]byte(*record), e.Record); err != nil {
			return nil, fmt.Errorf("read the record of an entry: %w", err)
		}
	}
	return &e, nil
}

// rawText and rawValue carry JSON, which is stored as it is. Nil stays nil.
func rawText(v jsontext.Value) *string {
	if v == nil {
		return nil
	}
	text := string(v)
	return &text
}

func rawValue(text *string) jsontext.Value {
	if text == nil {
		return nil
	}
	return jsontext.Value(*text)
}

var recordOptions = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))

func recordText(r *helve.Record) (*string, error) {
	if r == nil {
		return nil, nil
	}
	raw, err := json.Marshal(r, recordOptions)
	if err != nil {
		return nil, fmt.Errorf("write a record: %w", err)
	}
	text := strings.ToValidUTF8(string(raw), "\ufffd") // what is no UTF-8 is no JSON either
	return &text, nil
}

// Claim is [helve.Ledger.Claim]. Where the connection breaks on the way, it is
// sent again: what it did then is known by the claim's id.
func (s *Store) Claim(ctx context.Context, p *helve.ClaimParams) (*helve.Claim, error) {
	l, err := s.lines(p.Audit)
	if err != nil {
		return nil, err
	}
	claim := "cl_" + rand.Text()[:20]
	if p.Entry == nil { // nothing would tell that it was done
		return s.claim(ctx, p, claim, l)
	}
	var c *helve.Claim
	err = persist(ctx, 3, cut, func() (err error) {
		c, err = s.claim(ctx, p, claim, l)
		return err
	})
	if err == nil && !c.Won && c.Entry.Claim == claim {
		c.Won = true
	}
	return c, err
}

func (s *Store) claim(ctx context.Context, p *helve.ClaimParams, claim string, l *lines) (*helve.Claim, error) {
	if e := p.Entry; e != nil && e.Dedupe.Key == "" && p.Approval == nil && p.Reserve == nil && l.one() {
		if c, err := s.claimNew(ctx, p, claim, l); c != nil || err != nil {
			return c, err
		}
	}
	args := make([]any, 27, 30)
	if e := p.Entry; e != nil {
		copy(args, []any{
			ledgerID(e.LedgerKey), escape(e.Tenant), escape(e.Scope), escape(e.Key), claim, e.Fingerprint[:], e.Ran[:], rawText(e.Arguments),
			escape(e.Run), escape(e.CallID), e.InRun, dedupeID(e.LedgerKey, e.Dedupe.Key), escape(e.Dedupe.Key), int64(e.Dedupe.Window),
			escape(e.Approval), e.Repeatable, micros(p.Lease),
		})
	}
	if c := p.Approval; c != nil {
		args[17], args[18] = approvalPK(c.Identity.Tenant, c.ID), approvalIdentity(&c.Identity)
	}
	if r := p.Reserve; r != nil {
		copy(args[19:], reservationArgs(r))
	}
	var c *helve.Claim
	err := s.row(ctx, "claim a key", claimSQL, append(args, l.args()...), func(r pgx.Rows) (err error) {
		c, err = scanClaim(r, p, claim)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// claimNew claims a key that has no entry. It returns nil where there is one, or
// where the same call under another key may have happened.
func (s *Store) claimNew(ctx context.Context, p *helve.ClaimParams, claim string, l *lines) (*helve.Claim, error) {
	e := p.Entry
	args := append([]any{
		ledgerID(e.LedgerKey), escape(e.Tenant), escape(e.Scope), escape(e.Key), claim, e.Fingerprint[:], e.Ran[:], rawText(e.Arguments),
		escape(e.Run), escape(e.CallID), e.InRun, int64(e.Dedupe.Window), escape(e.Approval), e.Repeatable, micros(p.Lease),
	}, l.only()...)
	var c *helve.Claim
	err := s.row(ctx, "claim a key", claimNewSQL, args, func(r pgx.Rows) error {
		var now time.Time
		err := r.Scan(&now)
		c = wonClaim(p, claim, 1, 1, now)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// wonClaim is the claim with the entry as it was stored.
func wonClaim(p *helve.ClaimParams, claim string, fence int64, attempts int, now time.Time) *helve.Claim {
	e := *p.Entry
	e.Token = helve.Token{LedgerKey: p.Entry.LedgerKey, Fence: fence, Claim: claim}
	e.State, e.Attempts, e.Record = helve.EntryRunning, attempts, nil
	e.Arguments = e.Arguments.Clone()
	e.Claimed, e.Updated, e.Lease = now.UTC(), now.UTC(), max(0, p.Lease)
	return &helve.Claim{Won: true, Entry: &e}
}

func scanClaim(r pgx.Rows, p *helve.ClaimParams, claim string) (*helve.Claim, error) {
	var (
		verdict  string
		fence    *int64
		attempts *int
		now      time.Time
	)
	dest := make([]any, len(r.FieldDescriptions())) // nil skips a column
	dest[0], dest[1], dest[2], dest[3] = &verdict, &fence, &attempts, &now
	if err := r.Scan(dest...); err != nil {
		return nil, err
	}
	switch {
	case verdict == "held":
		e, err := scanEntry(r, nil, nil, nil, nil)
		return &helve.Claim{Entry: e}, err
	case verdict != "won":
		return nil, verdictError(verdict)
	case p.Entry == nil:
		return &helve.Claim{Won: true}, nil
	}
	return wonClaim(p, claim, *fence, *attempts, now), nil
}

// verdictError returns the error of a decision that the database made.
func verdictError(verdict string) error {
	switch verdict {
	case "no_approval":
		return helve.ErrNoApproval
	case "mismatch":
		return helve.ErrApprovalMismatch
	case "consumed":
		return helve.ErrApprovalConsumed
	case "expired":
		return helve.ErrApprovalExpired
	case "otherwise":
		return helve.ErrDecided
	case "budget":
		return helve.ErrBudget
	}
	return fmt.Errorf("the database answered %q", verdict)
}

// Beat is [helve.Ledger.Beat].
func (s *Store) Beat(ctx context.Context, t helve.Token, lease time.Duration) error {
	n, err := s.exec(ctx, "prolong a lease", beatSQL, ledgerID(t.LedgerKey), t.Fence, escape(t.Claim), micros(lease))
	if err == nil && n == 0 {
		return helve.ErrFenced
	}
	return err
}

// Finish is [helve.Ledger.Finish]. Where the connection is lost it is sent again,
// for ten seconds at most: what a call did should not become unknown because the
// server was away for a moment.
func (s *Store) Finish(ctx context.Context, p *helve.FinishParams) error {
	l, err := s.lines(p.Audit)
	if err != nil {
		return err
	}
	args := make([]any, 5, 12)
	if t := p.Token; t != nil {
		record, err := recordText(p.Record)
		if err != nil {
			return err
		}
		copy(args, []any{ledgerID(t.LedgerKey), t.Fence, escape(t.Claim), string(p.State), record})
	}
	sql := finishSQL
	switch r := p.Settle; {
	case r != nil:
		args = append(args, budgetID(r.Tenant, r.Budget), reservationID(&r.Reservation), r.SpentCalls, r.SpentCost)
		args = append(args, l.args()...)
	case p.Token != nil && l.one():
		sql, args = finishHeldSQL, append(args, l.only()...)
	default:
		args = append(append(args, nil, nil, nil, nil), l.args()...)
	}
	held := false
	finish := func() error {
		return s.row(ctx, "finish a call", sql, args, func(r pgx.Rows) error { return r.Scan(&held) })
	}
	if p.Token == nil { // nothing would tell that it was done
		return finish()
	}
	tries := 0
	err = persist(ctx, 14, func(err error) bool { return cut(err) || away(err) }, func() error {
		if tries++; tries > 1 {
			if held, err = s.finished(ctx, args); err != nil || held {
				return err
			}
		}
		return finish()
	})
	if err == nil && !held && tries > 1 { // one that was on its way may have done it since
		held, err = s.finished(ctx, args)
	}
	if err == nil && !held {
		return helve.ErrFenced
	}
	return err
}

// finished reports whether an entry is in the state that a finish of args puts it to.
func (s *Store) finished(ctx context.Context, args []any) (bool, error) {
	n, err := s.exec(ctx, "finish a call", finishedSQL, args[:4]...)
	return n > 0, err
}

// Entries is [helve.Ledger.Entries].
func (s *Store) Entries(ctx context.Context, f helve.EntryFilter) ([]*helve.Entry, error) {
	q := &query{}
	q.add(entriesSQL, escape(f.Tenant))
	q.filter(" AND e.scope = $?", escape(f.Scope))
	q.filter(" AND e.key = $?", escape(f.Key))
	q.filter(" AND hashtextextended(e.run, 0) = hashtextextended($?, 0) AND e.run = $?", escape(f.Run))
	if f.Scope != "" && f.Key != "" { // then it is one row
		q.add(" AND e.id = $?", ledgerID(helve.LedgerKey{Tenant: f.Tenant, Scope: f.Scope, Key: f.Key}))
	}
	if f.State == helve.EntryUnknown {
		q.sql.WriteString(" AND e.state = 'unknown'") // no argument, because the plan depends on it
	} else {
		q.filter(" AND e.state = $?", string(f.State))
	}
	q.sql.WriteString(` ORDER BY e.updated DESC, e.key COLLATE "C"`)
	q.limit(f.Limit)
	b := &pgx.Batch{}
	b.Queue(noteLostSQL, escape(f.Tenant)) // first, so that it is seen
	b.Queue(q.sql.String(), q.args...)
	return collect(ctx, s, "list the ledger", b, func(r pgx.CollectableRow) (*helve.Entry, error) { return scanEntry(r) })
}

// sweepStep bounds how many rows a transaction of Sweep changes of each kind.
const sweepStep = 1000

// Sweep is [helve.Ledger.Sweep], in transactions of at most 1,000 rows of each
// kind. What others hold at the moment is left to the next one. It also takes the
// inbox of the audit over into the logs.
func (s *Store) Sweep(ctx context.Context, r helve.Retention) (helve.Swept, error) {
	var all helve.Swept
	if err := s.collectAll(ctx); err != nil {
		return all, err
	}
	for {
		var step helve.Swept
		err := s.row(ctx, "sweep", sweepSQL, []any{atLeast1(r.Results), atLeast1(r.Runs), sweepStep}, func(r pgx.Rows) error {
			return r.Scan(&step.Unknown, &step.Results, &step.Runs, &step.Reservations)
		})
		if err != nil {
			return all, err
		}
		all.Unknown += step.Unknown
		all.Results += step.Results
		all.Runs += step.Runs
		all.Reservations += step.Reservations
		if max(step.Unknown, step.Results, step.Runs, step.Reservations) < sweepStep {
			return all, nil
		}
	}
}

// atLeast1 is d in microseconds, where less than one is not none.
func atLeast1(d time.Duration) int64 {
	if d > 0 {
		return max(1, micros(d))
	}
	return 0
}
