package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/store/audit"
)

const selectApproval = `SELECT id, tenant, run, subject, tool, contract, digest, call_id, effect, arguments, edited, policy_version, rule, reason,
	asked, expires, state, decided_by, decided_at, decision_reason FROM approvals `

// scanApproval reads a row as it stands at now. Nil: there is none.
func scanApproval(row scanner, now int64) (*helve.Approval, error) {
	var a helve.Approval
	var contract, args []byte
	var effect, arguments string
	var edited sql.NullString
	var asked, expires, decided int64
	err := row.Scan(&a.ID, &a.Tenant, &a.Run, &a.Subject, &a.Tool, &contract, &args, &a.CallID, &effect, &arguments, &edited,
		&a.PolicyVersion, &a.Rule, &a.Reason, &asked, &expires, &a.State, &a.DecidedBy, &decided, &a.DecisionReason)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, readable(err)
	}
	if err := a.Effect.UnmarshalText([]byte(effect)); err != nil {
		return nil, err
	}
	a.Contract, a.ArgumentsDigest = blobDigest(contract), blobDigest(args)
	if arguments != "" {
		a.Arguments = jsontext.Value(arguments)
	}
	if edited.Valid {
		a.Edited = jsontext.Value(edited.String)
	}
	a.Asked, a.Expires = moment(asked), moment(expires)
	if decided != 0 {
		a.DecidedAt = moment(decided)
	}
	if open(&a) && expires <= now {
		a.State = helve.ApprovalExpired
	}
	return &a, nil
}

func open(a *helve.Approval) bool {
	return a.State == helve.ApprovalPending || a.State == helve.ApprovalApproved
}

// approval returns the row that a query finds, and whether its stored state is
// behind its expiry.
func (t *tx) approval(where string, args ...any) (*helve.Approval, error) {
	st, err := t.stmt(selectApproval + where)
	if err != nil {
		return nil, readable(err)
	}
	return scanApproval(st.QueryRowContext(t.ctx, args...), t.now)
}

// Ask is [helve.Approvals.Ask].
func (s *Store) Ask(ctx context.Context, a *helve.Approval, ttl time.Duration, audit ...helve.AuditEntry) (got *helve.Approval, err error) {
	rows, err := rowsOf(audit)
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, func(t *tx) (err error) {
		got, err = t.ask(a, ttl, rows)
		return err
	})
	if err != nil {
		return nil, err
	}
	return got, nil
}

func (t *tx) ask(a *helve.Approval, ttl time.Duration, rows []audit.Row) (*helve.Approval, error) {
	id := a.ApprovalIdentity
	if a.Run != "" {
		moved := false
		err := t.query(selectApproval+`WHERE tenant = ?1 AND run = ?2 AND call_id = ?3 AND state IN ('pending','approved') AND expires > ?4`,
			[]any{a.Tenant, a.Run, a.CallID, t.now}, func(rows *sql.Rows) error {
				o, err := scanApproval(rows, t.now)
				moved = moved || err == nil && o.ApprovalIdentity != id
				return err
			})
		if err != nil || moved {
			return nil, orMismatch(err)
		}
	}
	last, err := t.approval(`WHERE tenant = ?1 AND run = ?2 AND subject = ?3 AND tool = ?4 AND contract = ?5 AND digest = ?6 ORDER BY n DESC LIMIT 1`,
		id.Tenant, id.Run, id.Subject, id.Tool, digest(id.Contract), digest(id.ArgumentsDigest))
	if err != nil {
		return nil, err
	}
	if last != nil {
		switch {
		case open(last), last.State == helve.ApprovalDenied && last.Expires.UnixMicro() > t.now,
			last.State == helve.ApprovalConsumed && a.Follows != last.ID:
			return last, nil
		case last.State == helve.ApprovalExpired:
			// Told once: by whoever is the first to note it.
			n, err := t.change(`UPDATE approvals SET state = 'expired' WHERE id = ?1 AND state <> 'expired'`, last.ID)
			if err != nil || n > 0 {
				return last, err
			}
		}
	}
	effect, err := a.Effect.MarshalText()
	if err != nil {
		return nil, err
	}
	err = t.exec(`INSERT INTO approvals (id, tenant, run, subject, tool, contract, digest, call_id, effect, arguments, policy_version, rule, reason,
		asked, expires, state, decided_by, decided_at, decision_reason, changed)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, 'pending', '', 0, '', `+nextChange+`)`,
		a.ID, a.Tenant, a.Run, a.Subject, a.Tool, digest(a.Contract), digest(a.ArgumentsDigest), a.CallID, string(effect), string(a.Arguments),
		a.PolicyVersion, a.Rule, a.Reason, t.now, t.now+micros(ttl))
	if err != nil {
		return nil, err
	}
	t.told = true
	if err := t.audit(rows); err != nil {
		return nil, err
	}
	return t.approval(`WHERE id = ?1`, a.ID)
}

const nextChange = `(SELECT ifnull(max(changed), 0) + 1 FROM approvals)`

func orMismatch(err error) error {
	if err != nil {
		return err
	}
	return helve.ErrApprovalMismatch
}

// Approval is [helve.Approvals.Approval]. It notes an expiry, which is then told
// to nobody else.
func (s *Store) Approval(ctx context.Context, tenant, id string) (*helve.Approval, error) {
	a, err := scanApproval(s.queryRow(ctx, selectApproval+`WHERE id = ?1 AND tenant = ?2`, id, tenant), time.Now().UnixMicro())
	switch {
	case err != nil:
		return nil, err
	case a == nil:
		return nil, helve.ErrNoApproval
	case a.State == helve.ApprovalExpired:
		return a, s.noteExpired(ctx, tenant)
	}
	return a, nil
}

// noteExpired stores the expiry of a tenant's approvals, where that is not done.
func (s *Store) noteExpired(ctx context.Context, tenant string) error {
	const behind = ` WHERE tenant = ?1 AND state IN ('pending','approved') AND expires <= ?2`
	var n int
	err := s.queryRow(ctx, `SELECT count(*) FROM approvals`+behind, tenant, time.Now().UnixMicro()).Scan(&n)
	if err != nil || n == 0 {
		return readable(err)
	}
	return s.write(ctx, func(t *tx) error {
		return t.exec(`UPDATE approvals SET state = 'expired'`+behind, tenant, t.now)
	})
}

// Decide is [helve.Approvals.Decide].
func (s *Store) Decide(ctx context.Context, tenant, id string, d *helve.Decision, audit ...helve.AuditEntry) (a *helve.Approval, err error) {
	rows, err := rowsOf(audit)
	if err != nil {
		return nil, err
	}
	var refused error
	err = s.write(ctx, func(t *tx) (err error) {
		refused = nil
		if a, err = t.approval(`WHERE id = ?1 AND tenant = ?2`, id, tenant); err != nil {
			return err
		}
		if a == nil {
			return helve.ErrNoApproval
		}
		decides, err := a.Decidable(d)
		if refused = err; a.State == helve.ApprovalExpired {
			return t.exec(`UPDATE approvals SET state = 'expired' WHERE id = ?1 AND state <> 'expired'`, id)
		}
		if !decides {
			return nil
		}
		state, edited := helve.ApprovalDenied, any(nil)
		if d.Approve {
			state = helve.ApprovalApproved
			if d.Arguments != nil {
				edited = string(d.Arguments)
			}
		}
		err = t.exec(`UPDATE approvals SET state = ?2, edited = ?3, decided_by = ?4, decided_at = ?5, decision_reason = ?6, changed = `+nextChange+` WHERE id = ?1`,
			id, string(state), edited, d.By, t.now, d.Reason)
		if err != nil {
			return err
		}
		t.told = true
		if err := t.audit(rows); err != nil {
			return err
		}
		a, err = t.approval(`WHERE id = ?1`, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return a, refused
}

// consume is step 2 of a claim.
func (t *tx) consume(c *helve.Consume) error {
	a, err := t.approval(`WHERE id = ?1`, c.ID)
	if err != nil {
		return err
	}
	if a == nil {
		return helve.ErrNoApproval
	}
	if err := a.Usable(c); err != nil {
		return err
	}
	return t.exec(`UPDATE approvals SET state = 'consumed' WHERE id = ?1`, c.ID)
}

// ListApprovals is [helve.Approvals.ListApprovals].
func (s *Store) ListApprovals(ctx context.Context, f helve.ApprovalFilter) ([]*helve.Approval, error) {
	if err := s.noteExpired(ctx, f.Tenant); err != nil {
		return nil, err
	}
	now := time.Now().UnixMicro()
	open := ""
	if f.State == helve.ApprovalPending || f.State == helve.ApprovalApproved {
		open = ` AND state IN ('pending','approved')` // which has an index
	}
	rows, err := s.query(ctx, selectApproval+`WHERE tenant = ?1 AND (?2 = '' OR run = ?2) AND (?3 = '' OR state = ?3)`+open+` ORDER BY n`,
		f.Tenant, f.Run, string(f.State))
	var out []*helve.Approval
	err = each(rows, err, func(rows *sql.Rows) error {
		a, err := scanApproval(rows, now)
		out = append(out, a)
		return err
	})
	return out, err
}
