package helvecmd

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"helve.dev/helve"
)

// newLedger returns the subcommand ledger.
func newLedger(open OpenDesk) *cobra.Command {
	var f deskFlags
	cmd := group("ledger", "See which calls with effects ran, and settle unknown outcomes",
		`See which calls with effects ran and what became of them. An outcome that is
unknown, because a process died or a connection broke in the middle, is settled
by a person who knows: "resolve".

The exit status is 0 when it worked and 1 when it did not.`, &f,
		ledgerList(open, &f), ledgerShow(open, &f), ledgerResolve(open, &f))
	cmd.Example = "  NAME ledger list --state unknown\n  NAME ledger resolve send_mail KEY --did-not-happen --why 'not in the outbox'"
	return cmd
}

// entryForm is an entry as JSON.
type entryForm struct {
	Tool        string           `json:"tool"`
	Key         string           `json:"key"`
	State       helve.EntryState `json:"state"`
	Run         string           `json:"run,omitzero"`
	CallID      string           `json:"call_id"`
	Approval    string           `json:"approval,omitzero"`
	Attempts    int              `json:"attempts"`
	Fingerprint helve.Digest     `json:"fingerprint"`
	Ran         helve.Digest     `json:"ran,omitzero"`
	Arguments   jsontext.Value   `json:"arguments,omitzero"`
	Result      *helve.Record    `json:"result,omitzero"`
	Claimed     time.Time        `json:"claimed"`
	Updated     time.Time        `json:"updated"`
	LeaseMS     int64            `json:"lease_ms,omitzero"`
}

func formOf(e *helve.Entry) entryForm {
	return entryForm{
		e.Scope, e.Key, e.State, e.Run, e.CallID, e.Approval, e.Attempts, e.Fingerprint, e.Ran, e.Arguments, e.Record,
		e.Claimed, e.Updated, e.Lease.Milliseconds(),
	}
}

func ledgerList(open OpenDesk, f *deskFlags) *cobra.Command {
	var filter helve.EntryFilter
	var state string
	cmd := &cobra.Command{
		Use: "list", Short: "List calls with effects, the latest first", Args: noArguments,
		RunE: f.run(open, func(ctx context.Context, d *desk, _ []string) error {
			filter.Tenant, filter.State = d.tenant, helve.EntryState(state)
			list, err := d.Store.Entries(ctx, filter)
			if err != nil {
				return err
			}
			var rows [][]string
			for _, e := range list {
				if d.json {
					if err := d.print(formOf(e)); err != nil {
						return err
					}
				}
				rows = append(rows, []string{e.Scope, string(e.State), e.Run, e.CallID, stamp(e.Updated), e.Key})
			}
			if d.json {
				return nil
			}
			return d.table("There are none.", []string{"TOOL", "STATE", "RUN", "CALL", "UPDATED", "KEY"}, rows, "KEY")
		}),
	}
	cmd.Flags().StringVar(&filter.Scope, "tool", "", "only those of this `tool`")
	cmd.Flags().StringVar(&filter.Run, "run", "", "only those of this `run`")
	cmd.Flags().StringVar(&state, "state", "", "only those in this `state`: reserved, running, retryable, succeeded, failed, unknown")
	cmd.Flags().IntVarP(&filter.Limit, "limit", "n", 50, "how many at most; 0: 1,000")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if err := notNegative("--limit", filter.Limit); err != nil {
			return err
		}
		return oneOf("--state", state, helve.EntryReserved, helve.EntryRunning, helve.EntryRetryable, helve.EntrySucceeded, helve.EntryFailed, helve.EntryUnknown)
	}
	return cmd
}

func (d *desk) entry(ctx context.Context, tool, key string) (*helve.Entry, error) {
	list, err := d.Store.Entries(ctx, helve.EntryFilter{Tenant: d.tenant, Scope: tool, Key: key, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, d.missing("call of "+plain(tool)+" under the key", key, "ledger list")
	}
	return list[0], nil
}

func ledgerShow(open OpenDesk, f *deskFlags) *cobra.Command {
	return &cobra.Command{
		Use: "show TOOL KEY", Short: "Show one call and what became of it", Args: Exactly("TOOL", "KEY"),
		RunE: f.run(open, func(ctx context.Context, d *desk, args []string) error {
			e, err := d.entry(ctx, args[0], args[1])
			if err != nil {
				return err
			}
			return d.showEntry(e)
		}),
	}
}

func (d *desk) showEntry(e *helve.Entry) error {
	if d.json {
		return d.print(formOf(e))
	}
	err := d.fields(
		"tool", e.Scope, "key", e.Key, "state", string(e.State), "run", e.Run, "call", e.CallID, "approval", e.Approval,
		"attempts", fmt.Sprint(e.Attempts), "claimed", stamp(e.Claimed), "updated", stamp(e.Updated), "fingerprint", e.Fingerprint.String(), "ran", e.Ran.String(),
	)
	if err != nil {
		return err
	}
	out := d.cmd.OutOrStdout()
	shown := &helve.Approval{ApprovalIdentity: helve.ApprovalIdentity{Tool: e.Scope}, CallID: e.CallID, Arguments: e.Arguments}
	fmt.Fprintf(out, "\n%s\n", helve.RenderCall(shown, helve.Terminal))
	if r := e.Record; r != nil {
		res := &helve.Result{Tool: e.Scope, CallID: e.CallID, Data: r.Data, Content: r.Content, Note: r.Note, Error: r.Error, Warnings: r.Warnings}
		fmt.Fprintf(out, "\n%s\n", helve.Render(res, helve.Terminal))
	}
	return nil
}

func ledgerResolve(open OpenDesk, f *deskFlags) *cobra.Command {
	var happened, not bool
	var by, why string
	cmd := &cobra.Command{
		Use: "resolve TOOL KEY", Short: "Say what became of a call whose outcome is unknown",
		Long: `Say what became of a call whose outcome is unknown. With --happened the same call
is answered with that from now on; with --did-not-happen it may be sent again.`,
		Args: Exactly("TOOL", "KEY"),
		PreRunE: func(*cobra.Command, []string) error {
			switch {
			case happened == not:
				return Usagef("say one of --happened and --did-not-happen")
			case why == "":
				return Usagef("say --why: how it is known")
			}
			return nil
		},
		RunE: f.run(open, func(ctx context.Context, d *desk, args []string) error {
			e, err := d.entry(ctx, args[0], args[1])
			if err != nil {
				return err
			}
			if e.State != helve.EntryUnknown {
				return fmt.Errorf("the call is %s: only an unknown outcome can be resolved", e.State)
			}
			if by == "" {
				by = who()
			}
			return d.resolve(ctx, e, happened, by, why)
		}),
	}
	cmd.Flags().BoolVar(&happened, "happened", false, "it happened")
	cmd.Flags().BoolVar(&not, "did-not-happen", false, "it did not, and may be sent again")
	cmd.Flags().StringVar(&why, "why", "", "how it is known: a `sentence` for the audit, and for the model where it happened")
	byFlag(cmd, &by)
	return cmd
}

func (d *desk) resolve(ctx context.Context, e *helve.Entry, happened bool, by, why string) error {
	p := &helve.FinishParams{Token: &e.Token, State: helve.EntryRetryable, Audit: []helve.AuditEntry{{
		Kind: helve.AuditResolved, Tenant: e.Tenant, Run: e.Run, CallID: e.CallID, Tool: e.Scope, Effect: helve.Write,
		ArgumentsDigest: e.Fingerprint, Approval: e.Approval, By: by, Note: "it did not happen: " + why,
	}}}
	if happened {
		p.State, p.Audit[0].Note = helve.EntrySucceeded, "it happened: "+why
		p.Record = &helve.Record{Note: "A person found out that this happened: " + why}
	}
	p.Audit[0].State = p.State
	if err := d.Store.Finish(ctx, p); err != nil {
		return fmt.Errorf("the call could not be resolved, because it has changed since: %w", err)
	}
	now, err := d.entry(ctx, e.Scope, e.Key)
	if err != nil {
		return err
	}
	if d.json {
		return d.print(formOf(now))
	}
	_, err = fmt.Fprintf(d.cmd.OutOrStdout(), "%s is %s.\n", plain(now.Scope), now.State)
	return err
}
