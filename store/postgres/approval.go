package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"helve.dev/helve"
)

const (
	approvalColumns = `a.id, a.tenant, a.run, a.subject, a.tool, a.contract, a.arguments_digest, a.call_id, a.effect, a.arguments, a.edited,
		a.policy_version, a.rule, a.reason, a.asked, a.expires, a.state, a.decided_by, a.decided_at, a.decision_reason`

	askSQL = `SELECT c.verdict, ` + approvalColumns + ` FROM ask(
		$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) c, LATERAL (SELECT (c.a).*) a`

	decideSQL = `SELECT c.verdict, ` + approvalColumns + ` FROM decide(
		$1, $2, $3, $4, $5, $6, $7, $8, $9) c, LATERAL (SELECT (c.a).*) a`

	// Whoever looks notes that the time of what he looks at is over.
	noteExpiredSQL = `UPDATE approvals SET state = 'expired' WHERE pk = ANY (ARRAY(
		SELECT pk FROM approvals WHERE state IN ('pending', 'approved') AND expires <= statement_timestamp() AND `
	noteOneSQL = noteExpiredSQL + `pk = $1 FOR UPDATE SKIP LOCKED))`
	noteAllSQL = noteExpiredSQL + `tenant = $1 FOR UPDATE SKIP LOCKED))`

	approvalSQL = `SELECT ` + approvalColumns + ` FROM approvals a WHERE a.pk = $1`

	approvalsSQL = `SELECT ` + approvalColumns + ` FROM approvals a WHERE hashtextextended(a.tenant, 0) = hashtextextended($?, 0) AND a.tenant = $?`
)

func approvalPK(tenant, id string) []byte { return identity(tenant, id) }

func approvalIdentity(id *helve.ApprovalIdentity) []byte {
	return identity(id.Tenant, id.Run, id.Subject, id.Tool, string(id.Contract[:]), string(id.ArgumentsDigest[:]))
}

// Ask is [helve.Approvals.Ask].
func (s *Store) Ask(ctx context.Context, a *helve.Approval, ttl time.Duration, audit ...helve.AuditEntry) (*helve.Approval, error) {
	l, err := s.lines(audit)
	if err != nil {
		return nil, err
	}
	var call []byte
	if a.Run != "" {
		call = identity(a.Tenant, a.Run, a.CallID)
	}
	args := append([]any{
		approvalPK(a.Tenant, a.ID), escape(a.ID), approvalIdentity(&a.ApprovalIdentity), call,
		escape(a.Tenant), escape(a.Run), escape(a.Subject), escape(a.Tool), a.Contract[:], a.ArgumentsDigest[:],
		escape(a.CallID), int16(a.Effect), rawText(a.Arguments), escape(a.PolicyVersion), escape(a.Rule), escape(a.Reason), micros(ttl),
		escape(a.Follows),
	}, l.args()...)
	verdict, got, err := s.approval(ctx, "ask a person", askSQL, args)
	if err != nil {
		return nil, err
	}
	if verdict == "mismatch" {
		return nil, helve.ErrApprovalMismatch
	}
	return got, nil
}

// Decide is [helve.Approvals.Decide].
func (s *Store) Decide(ctx context.Context, tenant, id string, d *helve.Decision, audit ...helve.AuditEntry) (*helve.Approval, error) {
	l, err := s.lines(audit)
	if err != nil {
		return nil, err
	}
	var digest []byte
	if d.ArgumentsDigest != (helve.Digest{}) {
		digest = d.ArgumentsDigest[:]
	}
	args := append([]any{
		approvalPK(tenant, id), d.Approve, escape(d.By), escape(d.Reason), rawText(d.Arguments), digest,
	}, l.args()...)
	verdict, a, err := s.approval(ctx, "decide an approval", decideSQL, args)
	if err != nil || verdict == "decided" || verdict == "same" {
		return a, err
	}
	return a, verdictError(verdict)
}

// approval runs a function that answers with a verdict and an approval, or nil.
func (s *Store) approval(ctx context.Context, verb, sql string, args []any) (verdict string, a *helve.Approval, err error) {
	err = s.row(ctx, verb, sql, args, func(r pgx.Rows) (err error) {
		dest := make([]any, len(r.FieldDescriptions()))
		dest[0] = &verdict
		if err := r.Scan(dest...); err != nil || r.RawValues()[1] == nil {
			return err
		}
		a, err = scanApproval(r, nil)
		return err
	})
	return verdict, a, err
}

// scanApproval reads approvalColumns, which come after skip others.
func scanApproval(r scanner, skip ...any) (*helve.Approval, error) {
	var (
		a                 helve.Approval
		contract, digest  []byte
		effect            int16
		arguments, edited *string
		state             string
		decided           *time.Time
	)
	err := r.Scan(append(skip,
		&a.ID, &a.Tenant, &a.Run, &a.Subject, &a.Tool, &contract, &digest, &a.CallID, &effect, &arguments, &edited,
		&a.PolicyVersion, &a.Rule, &a.Reason, &a.Asked, &a.Expires, &state, &a.DecidedBy, &decided, &a.DecisionReason)...)
	if err != nil {
		return nil, err
	}
	for _, text := range []*string{
		&a.ID, &a.Tenant, &a.Run, &a.Subject, &a.Tool, &a.CallID, &a.PolicyVersion, &a.Rule, &a.Reason, &a.DecidedBy, &a.DecisionReason,
	} {
		*text = unescape(*text)
	}
	copy(a.Contract[:], contract)
	copy(a.ArgumentsDigest[:], digest)
	a.Effect, a.State = helve.Effect(effect), helve.ApprovalState(state)
	a.Arguments, a.Edited = rawValue(arguments), rawValue(edited)
	a.Asked, a.Expires = a.Asked.UTC(), a.Expires.UTC()
	if decided != nil {
		a.DecidedAt = decided.UTC()
	}
	return &a, nil
}

// Approval is [helve.Approvals.Approval].
func (s *Store) Approval(ctx context.Context, tenant, id string) (*helve.Approval, error) {
	b := &pgx.Batch{}
	pk := approvalPK(tenant, id)
	b.Queue(noteOneSQL, pk)
	b.Queue(approvalSQL, pk)
	list, err := s.approvals(ctx, "look up an approval", b)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, helve.ErrNoApproval
	}
	return list[0], nil
}

// ListApprovals is [helve.Approvals.ListApprovals].
func (s *Store) ListApprovals(ctx context.Context, f helve.ApprovalFilter) ([]*helve.Approval, error) {
	q := &query{}
	q.add(approvalsSQL, escape(f.Tenant))
	q.filter(" AND hashtextextended(a.run, 0) = hashtextextended($?, 0) AND a.run = $?", escape(f.Run))
	q.filter(" AND a.state = $?", string(f.State))
	q.sql.WriteString(" ORDER BY a.seq")
	b := &pgx.Batch{}
	b.Queue(noteAllSQL, escape(f.Tenant)) // first, so that it is seen
	b.Queue(q.sql.String(), q.args...)
	return s.approvals(ctx, "list approvals", b)
}

func (s *Store) approvals(ctx context.Context, verb string, b *pgx.Batch) ([]*helve.Approval, error) {
	return collect(ctx, s, verb, b, func(r pgx.CollectableRow) (*helve.Approval, error) { return scanApproval(r) })
}
