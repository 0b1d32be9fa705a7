package helvecmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"helve.dev/helve"
)

// newRuns returns the subcommand runs.
func newRuns(open OpenDesk) *cobra.Command {
	var f deskFlags
	cmd := group("runs", "See the runs of agents", `See the runs of agents that the store keeps: those that wait, and those that are
over. Only the program that a run belongs to can read what is in it.`, &f, runsList(open, &f), runsShow(open, &f))
	cmd.Example = "  NAME runs list --state suspended\n  NAME runs show RUN"
	return cmd
}

func runsList(open OpenDesk, f *deskFlags) *cobra.Command {
	var filter helve.RunFilter
	cmd := &cobra.Command{
		Use: "list", Short: "List runs, the latest first", Args: noArguments,
		RunE: f.run(open, func(ctx context.Context, d *desk, _ []string) error {
			filter.Tenant = d.tenant
			list, err := d.Store.ListRuns(ctx, filter)
			if err != nil {
				return err
			}
			var rows [][]string
			for _, r := range list {
				if d.json {
					if err := d.print(r); err != nil {
						return err
					}
				}
				rows = append(rows, []string{r.ID, r.State, r.Kind, stamp(r.Created), stamp(r.Updated), r.Title})
			}
			if d.json {
				return nil
			}
			return d.table("There are none.", []string{"RUN", "STATE", "KIND", "CREATED", "UPDATED", "TITLE"}, rows, "RUN")
		}),
	}
	cmd.Flags().StringVar(&filter.State, "state", "", "only those in this `state`")
	cmd.Flags().IntVarP(&filter.Limit, "limit", "n", 50, "how many at most; 0: 1,000")
	cmd.PreRunE = func(*cobra.Command, []string) error { return notNegative("--limit", filter.Limit) }
	return cmd
}

func runsShow(open OpenDesk, f *deskFlags) *cobra.Command {
	var data bool
	cmd := &cobra.Command{
		Use: "show RUN", Short: "Show one run, with what waits in it", Args: Exactly("RUN"),
		RunE: f.run(open, func(ctx context.Context, d *desk, args []string) error {
			r, err := d.Store.LoadRun(ctx, d.tenant, args[0])
			if errors.Is(err, helve.ErrNoRun) {
				return d.missing("run", args[0], "runs list")
			}
			switch {
			case err != nil:
				return err
			case data:
				_, err := d.cmd.OutOrStdout().Write(r.Data)
				return err
			case d.json:
				return d.print(r)
			}
			waits, err := d.Store.ListApprovals(ctx, helve.ApprovalFilter{Tenant: d.tenant, Run: r.ID, State: helve.ApprovalPending})
			if err != nil {
				return err
			}
			pairs := []string{
				"run", r.ID, "title", r.Title, "state", r.State, "kind", r.Kind, "version", fmt.Sprint(r.Version),
				"size", fmt.Sprintf("%d bytes", len(r.Data)), "created", stamp(r.Created), "updated", stamp(r.Updated),
			}
			for _, a := range waits {
				pairs = append(pairs, "waits for", a.ID+" ("+a.Tool+")")
			}
			return d.fields(pairs...)
		}),
	}
	cmd.Flags().BoolVar(&data, "data", false, "write the run as it is stored; it may hold what the model read")
	return cmd
}
