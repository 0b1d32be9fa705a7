package helvecmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"helve.dev/helve"
)

// newApprovals returns the subcommand approvals.
func newApprovals(open OpenDesk) *cobra.Command {
	var f deskFlags
	cmd := group("approvals", "See what waits for a person, and decide on it",
		`See what waits for a person's decision, and decide on it. A decision is about one
exact call, shown by "show"; the call runs when its caller sends it again.

The exit status is 0 when it worked, 1 when it did not: there is no such
approval, it has expired, or it was decided otherwise before.`, &f,
		approvalsList(open, &f, true), approvalsShow(open, &f), approvalsApprove(open, &f), approvalsDeny(open, &f), approvalsEdit(open, &f))
	cmd.Example = "  NAME approvals list\n  NAME approvals show ap_...\n  NAME approvals approve ap_..."
	return cmd
}

// approvalsList returns the subcommand list. A program's own --state may mean
// something else, so that it can be left out.
func approvalsList(open OpenDesk, f *deskFlags, byState bool) *cobra.Command {
	state := string(helve.ApprovalPending)
	var run string
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List approvals: those that wait, or all", Args: noArguments,
		RunE: f.run(open, func(ctx context.Context, d *desk, _ []string) error {
			filter := helve.ApprovalFilter{Tenant: d.tenant, Run: run, State: helve.ApprovalState(state)}
			if all {
				filter.State = ""
			}
			list, err := d.Store.ListApprovals(ctx, filter)
			if err != nil {
				return err
			}
			var rows [][]string
			for _, a := range list {
				if d.json {
					if err := d.print(a); err != nil {
						return err
					}
				}
				rows = append(rows, []string{a.ID, a.Tool, a.Effect.String(), a.Run, string(a.State), stamp(a.Asked), stamp(a.Expires), a.Reason})
			}
			if d.json {
				return nil
			}
			return d.table("Nothing waits.", []string{"ID", "TOOL", "EFFECT", "RUN", "STATE", "ASKED", "EXPIRES", "REASON"}, rows)
		}),
	}
	cmd.Flags().StringVar(&run, "run", "", "only those of this `run`")
	if byState {
		cmd.Flags().StringVar(&state, "state", state, "only those in this `state`: pending, approved, denied, expired, consumed")
	}
	cmd.Flags().BoolVar(&all, "all", false, "those in any state")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		return oneOf("--state", state, helve.ApprovalPending, helve.ApprovalApproved, helve.ApprovalDenied, helve.ApprovalExpired, helve.ApprovalConsumed)
	}
	return cmd
}

// oneOf refuses a flag's value that is none of those it may have.
func oneOf[T ~string](flag, value string, values ...T) error {
	var names []string
	for _, v := range values {
		if value == string(v) || value == "" {
			return nil
		}
		names = append(names, string(v))
	}
	return Usagef("%s must be %s, not %q", flag, strings.Join(names, ", "), value)
}

func approvalsShow(open OpenDesk, f *deskFlags) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show exactly what would run", Args: Exactly("ID"),
		RunE: f.run(open, func(ctx context.Context, d *desk, args []string) error {
			a, err := d.approval(ctx, args[0])
			if err != nil {
				return err
			}
			return d.showApproval(a)
		}),
	}
}

func (d *desk) approval(ctx context.Context, id string) (*helve.Approval, error) {
	a, err := d.Store.Approval(ctx, d.tenant, id)
	if errors.Is(err, helve.ErrNoApproval) {
		list := "approvals list --all"
		if d.cmd.Flag("tenant") == nil {
			list = "approvals --all" // of AddDecisions
		}
		return nil, d.missing("approval", id, list)
	}
	return a, err
}

func (d *desk) showApproval(a *helve.Approval) error {
	if d.json {
		return d.print(a)
	}
	fmt.Fprintln(d.cmd.OutOrStdout(), helve.RenderCall(a, helve.Terminal))
	if a.Edited != nil {
		edited := *a
		edited.Arguments = a.Edited
		fmt.Fprintf(d.cmd.OutOrStdout(), "\nApproved with other arguments, which run instead:\n%s\n", helve.RenderCall(&edited, helve.Terminal))
	}
	fmt.Fprintln(d.cmd.OutOrStdout())
	return d.fields(
		"id", a.ID, "state", string(a.State), "reason", a.Reason, "rule", a.Rule, "policy version", a.PolicyVersion,
		"run", a.Run, "subject", a.Subject, "call", a.CallID, "contract", a.Contract.String(), "arguments", a.ArgumentsDigest.String(),
		"asked", stamp(a.Asked), "expires", stamp(a.Expires), "decided by", a.DecidedBy, "decided", stamp(a.DecidedAt), "because", a.DecisionReason,
	)
}

// decide records a decision and shows the record.
func (d *desk) decide(ctx context.Context, id string, dec helve.Decision) error {
	asked, err := d.approval(ctx, id)
	if err != nil {
		return err
	}
	if dec.By == "" {
		dec.By = who()
	}
	dec.ArgumentsDigest = asked.ArgumentsDigest
	decide := d.Decide
	if decide == nil {
		decide = d.decideInStore
	}
	a, err := decide(ctx, id, dec)
	switch {
	case errors.Is(err, helve.ErrDecided):
		return fmt.Errorf("approval %s was decided before: it is %s, by %s at %s", id, a.State, plain(a.DecidedBy), stamp(a.DecidedAt))
	case errors.Is(err, helve.ErrApprovalExpired):
		return fmt.Errorf("approval %s has expired: the call asks anew when it is sent again", id)
	}
	if refused, ok := errors.AsType[*helve.CallError](err); ok {
		return errors.New(explain(refused))
	}
	if err != nil {
		return err
	}
	if d.json {
		return d.print(a)
	}
	if a.State == helve.ApprovalConsumed { // the same was decided before
		_, err = fmt.Fprintf(d.cmd.OutOrStdout(), "%s: %s was approved before, and the approval is used.\n", a.ID, plain(a.Tool))
		return err
	}
	_, err = fmt.Fprintf(d.cmd.OutOrStdout(), "%s: %s is %s.\n", a.ID, plain(a.Tool), a.State)
	return err
}

func (d *desk) decideInStore(ctx context.Context, id string, dec helve.Decision) (*helve.Approval, error) {
	a, err := d.Store.Approval(ctx, d.tenant, id)
	if err != nil {
		return nil, err
	}
	entry := helve.AuditEntry{
		Kind: helve.AuditDecided, Tenant: a.Tenant, Subject: a.Subject, Run: a.Run, CallID: a.CallID, Tool: a.Tool, Effect: a.Effect,
		Contract: a.Contract, ArgumentsDigest: a.ArgumentsDigest, Approval: a.ID, Rule: a.Rule, By: dec.By, Note: "approved",
	}
	switch {
	case !dec.Approve:
		entry.Note = strings.TrimSuffix("denied: "+dec.Reason, ": ")
	case dec.Arguments != nil:
		entry.Note = "approved with other arguments"
	}
	return d.Store.Decide(ctx, d.tenant, id, &dec, entry)
}

func byFlag(cmd *cobra.Command, by *string) {
	cmd.Flags().StringVar(by, "by", "", "who decides: a `name` (default the user of this process)")
}

func approvalsApprove(open OpenDesk, f *deskFlags) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use: "approve ID", Short: "Let the call run as it was asked for", Args: Exactly("ID"),
		RunE: f.run(open, func(ctx context.Context, d *desk, args []string) error {
			return d.decide(ctx, args[0], helve.Decision{Approve: true, By: by})
		}),
	}
	byFlag(cmd, &by)
	return cmd
}

func approvalsDeny(open OpenDesk, f *deskFlags) *cobra.Command {
	var by, why string
	cmd := &cobra.Command{
		Use: "deny ID", Short: "Refuse the call", Args: Exactly("ID"),
		RunE: f.run(open, func(ctx context.Context, d *desk, args []string) error {
			return d.decide(ctx, args[0], helve.Decision{By: by, Reason: why})
		}),
	}
	byFlag(cmd, &by)
	cmd.Flags().StringVar(&why, "why", "", "the `reason`, which the model reads")
	return cmd
}

func approvalsEdit(open OpenDesk, f *deskFlags) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use: "edit ID ARGUMENTS", Short: "Let the call run with other arguments",
		Long: `Let the call run with other arguments: a JSON object, @FILE, or - for standard
input. They are held against the tool's schema and the policy before they run.`,
		Args: Exactly("ID", "ARGUMENTS"),
		RunE: f.run(open, func(ctx context.Context, d *desk, args []string) error {
			raw, err := readArguments(d.cmd, args[1])
			if err != nil {
				return err
			}
			if err := raw.Compact(); err != nil || raw.Kind() != jsontext.KindBeginObject {
				return Usagef("the arguments are no JSON object: write them as {\"name\": value}, @FILE or -")
			}
			// No schema takes these, and what is decided cannot be edited again.
			if err := jsontext.NewDecoder(bytes.NewReader(raw)).SkipValue(); err != nil {
				return Usagef("the arguments would be refused when the call runs: %w", err)
			}
			return d.decide(ctx, args[0], helve.Decision{Approve: true, By: by, Arguments: raw})
		}),
	}
	byFlag(cmd, &by)
	return cmd
}
