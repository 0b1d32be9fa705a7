package helvecmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"helve.dev/helve"
)

// followEvery is how often tail --follow looks.
const followEvery = time.Second

// newAudit returns the subcommand audit.
func newAudit(open OpenDesk) *cobra.Command {
	var f deskFlags
	cmd := group("audit", "Read the audit trail",
		`Read the audit trail: who asked, who decided, what ran and what became of it.`, &f, auditTail(open, &f), auditQuery(open, &f))
	cmd.Example = "  NAME audit tail --follow\n  NAME audit query --run RUN --kind decided"
	return cmd
}

func (d *desk) printAudit(entries []helve.AuditEntry) error {
	for i := range entries {
		e := &entries[i]
		if d.json {
			if err := d.print(e); err != nil {
				return err
			}
			continue
		}
		_, err := fmt.Fprintf(d.cmd.OutOrStdout(), "%6d  %s  %-11s  %s\n", e.Seq, stamp(e.At), e.Kind, safeLine(sentence(e)))
		if err != nil {
			return err
		}
	}
	return nil
}

// sentence says in words what an entry is about.
func sentence(e *helve.AuditEntry) string {
	text := e.Tool
	add := func(format string, value string) {
		if value != "" {
			text += " " + fmt.Sprintf(format, value)
		}
	}
	add("(%s)", e.Effect.String())
	add("%s", string(e.State))
	add("%s", string(e.Code))
	add("by %s", e.By)
	add("rule %s", e.Rule)
	add("run %s", e.Run)
	add("call %s", e.CallID)
	add("- %s", e.Note)
	return text
}

func auditTail(open OpenDesk, f *deskFlags) *cobra.Command {
	var n int
	var follow bool
	cmd := &cobra.Command{
		Use: "tail", Short: "Show the last entries", Args: noArguments,
		RunE: f.run(open, func(ctx context.Context, d *desk, _ []string) error {
			filter := helve.AuditFilter{Tenant: d.tenant}
			// A store that numbers its entries without gaps need not show all of them.
			if log, ok := d.Store.(interface {
				AuditSize(ctx context.Context, tenant string) (int64, error)
			}); ok {
				size, err := log.AuditSize(ctx, d.tenant)
				if err != nil {
					return err
				}
				filter.After = max(0, size-int64(n))
			}
			all, err := d.Store.Audit(ctx, filter)
			if err != nil {
				return err
			}
			last := filter.After
			if len(all) > 0 {
				last = all[len(all)-1].Seq
			}
			if err := d.printAudit(all[max(0, len(all)-n):]); err != nil || !follow {
				return err
			}
			tick := time.NewTicker(followEvery)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return nil
				case <-tick.C:
				}
				more, err := d.Store.Audit(ctx, helve.AuditFilter{Tenant: d.tenant, After: last})
				if ctx.Err() != nil {
					return nil
				}
				if err != nil {
					return err
				}
				if err := d.printAudit(more); err != nil {
					return err
				}
				if len(more) > 0 {
					last = more[len(more)-1].Seq
				}
			}
		}),
	}
	cmd.PreRunE = func(*cobra.Command, []string) error { return notNegative("--lines", n) }
	cmd.Flags().IntVarP(&n, "lines", "n", 20, "how many")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what comes, until it is interrupted")
	return cmd
}

func auditQuery(open OpenDesk, f *deskFlags) *cobra.Command {
	var filter helve.AuditFilter
	var kind string
	var since time.Duration
	cmd := &cobra.Command{
		Use: "query", Short: "Show the entries that match, oldest first", Args: noArguments,
		RunE: f.run(open, func(ctx context.Context, d *desk, _ []string) error {
			filter.Tenant, filter.Kind = d.tenant, helve.AuditKind(kind)
			if since > 0 {
				filter.Since = time.Now().Add(-since)
			}
			entries, err := d.Store.Audit(ctx, filter)
			if err != nil {
				return err
			}
			if len(entries) == 0 && !d.json {
				_, err := fmt.Fprintln(d.cmd.OutOrStdout(), "There are none.")
				return err
			}
			return d.printAudit(entries)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&filter.Run, "run", "", "only those of this `run`")
	flags.StringVar(&filter.CallID, "call", "", "only those of the call with this `id`")
	flags.StringVar(&filter.Tool, "tool", "", "only those of this `tool`")
	flags.StringVar(&filter.Approval, "approval", "", "only those of this `approval`")
	flags.StringVar(&kind, "kind", "", "only this `kind`: coerced, refused, asked, decided, claimed, finished, replayed, late_result, resolved")
	flags.DurationVar(&since, "since", 0, "only those of the last so much `time`, such as 24h")
	flags.IntVarP(&filter.Limit, "limit", "n", 1000, "how many at most; 0: all")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if err := notNegative("--limit", filter.Limit); err != nil {
			return err
		}
		if since < 0 {
			return Usagef("--since must be 0 or more, not %s: it goes back from now", since)
		}
		return oneOf("--kind", kind, helve.AuditCoerced, helve.AuditRefused, helve.AuditAsked, helve.AuditDecided, helve.AuditClaimed,
			helve.AuditFinished, helve.AuditReplayed, helve.AuditLate, helve.AuditResolved)
	}
	return cmd
}
