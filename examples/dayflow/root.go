package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"helve.dev/helve"
	"helve.dev/helve/cmd/helvecmd"
)

// newRoot returns the command tree.
func newRoot() *cobra.Command {
	opts := &options{}
	root := &cobra.Command{
		Use:   "dayflow",
		Short: "The daily brief over your inbox, calendar and tasks",
		Long: `Dayflow reads mail, calendar and tasks, tells you what matters today, and notes
down what you have to do. Nothing is sent without your yes.

Without --data, --mail and --calendar it works on the mailbox and the calendar
of an invented person, on a day of their own, so that you can try everything.`,
		Example: `  dayflow brief -v
  dayflow brief --data ~/dayflow --state ~/dayflow/tasks.db
  dayflow approvals --state ~/dayflow/tasks.db
  dayflow tools --effect read
  dayflow call read_calendar '{"range":"today"}' --json`,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	opts.addTo(root.PersistentFlags())
	root.AddCommand(newBrief(opts), newResume(opts))
	open := func(ctx context.Context) (*helve.Executor, func() error, error) {
		set, err := opts.resolve()
		if err != nil {
			return nil, nil, err
		}
		return set.open(ctx)
	}
	helvecmd.Add(root, open)
	helvecmd.AddDecisions(root, func(ctx context.Context) (*helvecmd.Desk, error) {
		if opts.state == "" && opts.store == "" {
			return nil, helvecmd.Usagef("name where the brief was kept: --state FILE or --store")
		}
		set, err := opts.resolve()
		if err == nil {
			err = set.mustExist()
		}
		if err != nil {
			return nil, err
		}
		x, closeRest, err := set.open(ctx)
		if err != nil {
			return nil, err
		}
		return &helvecmd.Desk{Store: x.Store(), Decide: x.Decide, Close: func() error { return errors.Join(x.Close(ctx), closeRest()) }}, nil
	})
	return root
}
