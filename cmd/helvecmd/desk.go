package helvecmd

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"helve.dev/helve"
	"helve.dev/helve/schema"
)

// A Desk is where a person looks after a store: what waits for a decision, what
// ran, and what became of it.
type Desk struct {
	Store helve.Store
	// Decide records a decision. Nil: the store itself does, and arguments that a
	// person edited are held against schema and policy when the call runs. A
	// program with an executor gives its Decide, which refuses them at once.
	Decide func(ctx context.Context, id string, d helve.Decision) (*helve.Approval, error)
	// Close closes the store. Nil: nothing is to be closed.
	Close func() error
}

// An OpenDesk opens the store of a subcommand. It is called once the flags are
// parsed.
type OpenDesk func(ctx context.Context) (*Desk, error)

// AddDesk adds the subcommands approvals, ledger, runs and audit to root. They
// work for the tenant of their flag --tenant, which is empty by default.
func AddDesk(root *cobra.Command, open OpenDesk) {
	add(root, newApprovals(open), newLedger(open), newRuns(open), newAudit(open))
}

// AddDecisions adds the subcommands approvals, approve, deny and edit to root, for
// a program whose approvals are its main matter: those of "approvals" in
// [AddDesk], without a flag --tenant.
func AddDecisions(root *cobra.Command, open OpenDesk) {
	var f deskFlags
	list := approvalsList(open, &f, false)
	list.Use = "approvals"
	for _, cmd := range []*cobra.Command{list, approvalsApprove(open, &f), approvalsDeny(open, &f), approvalsEdit(open, &f)} {
		f.addJSON(cmd)
		add(root, cmd)
	}
}

// A desk is what a subcommand works at.
type desk struct {
	*Desk
	cmd    *cobra.Command
	tenant string
	json   bool
}

// missing says that the tenant has no such record, and where to look for it.
func (d *desk) missing(what, id, list string) error {
	if d.tenant != "" {
		return fmt.Errorf("there is no %s %s of tenant %q: see '%s'", what, plain(id), d.tenant, list)
	}
	if d.cmd.Flag("tenant") == nil {
		return fmt.Errorf("there is no %s %s: see '%s'", what, plain(id), list)
	}
	return fmt.Errorf("there is no %s %s: see '%s', or name the --tenant that it is of", what, plain(id), list)
}

// deskFlags are the flags of every subcommand at the desk.
type deskFlags struct {
	tenant string
	json   bool
}

func (f *deskFlags) add(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&f.tenant, "tenant", "", "the `tenant` whose records are meant")
	f.addJSON(cmd)
}

func (f *deskFlags) addJSON(cmd *cobra.Command) {
	cmd.PersistentFlags().BoolVar(&f.json, "json", false, "print JSON, one object a line")
}

// run opens the store and lets use work with it.
func (f *deskFlags) run(open OpenDesk, use func(ctx context.Context, d *desk, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		ctx := helve.WithScope(cmd.Context(), helve.Scope{Tenant: f.tenant})
		opened, err := open(ctx)
		if err != nil {
			return err
		}
		if opened.Close != nil {
			defer func() { err = errors.Join(err, opened.Close()) }()
		}
		return use(ctx, &desk{opened, cmd, f.tenant, f.json}, args)
	}
}

// group makes a subcommand that only holds others.
func group(use, short, long string, f *deskFlags, subs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: noSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f.add(cmd)
	for _, sub := range subs {
		cmd.AddCommand(sub)
	}
	return cmd
}

// noSubcommand refuses what is no subcommand, and says which was probably meant.
func noSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	if near := schema.Nearest(args[0], names); len(near) > 0 {
		return fmt.Errorf("%s has no subcommand %q; did you mean %s?", cmd.CommandPath(), args[0], near[0])
	}
	return fmt.Errorf("%s has no subcommand %q", cmd.CommandPath(), args[0])
}

// who is the person at the keyboard.
func who() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "somebody at a terminal"
}

// print writes a value as one line of JSON.
func (d *desk) print(v any) error {
	raw, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), schema.JSONOptions())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(d.cmd.OutOrStdout(), "%s\n", raw)
	return err
}

// table writes rows under a heading, each cell safe for a terminal and short, but
// for the columns that are there to be typed again. Where there are none it says so.
func (d *desk) table(none string, heading []string, rows [][]string, whole ...string) error {
	out := d.cmd.OutOrStdout()
	if len(rows) == 0 {
		_, err := fmt.Fprintln(out, none)
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(heading, "\t"))
	for _, row := range rows {
		for i, cell := range row {
			if row[i] = oneLine(cell); slices.Contains(whole, heading[i]) {
				row[i] = safeLine(cell)
			}
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// fields writes what a record holds, a line each, and leaves out what it has not.
func (d *desk) fields(pairs ...string) error {
	w := tabwriter.NewWriter(d.cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", pairs[i], safeLine(pairs[i+1]))
		}
	}
	return w.Flush()
}

const maxCell = 80 // characters

// safeLine makes text of others one line that does not drive the terminal.
func safeLine(text string) string { return strings.Join(strings.Fields(plain(text)), " ") }

// oneLine makes text of others short enough for a table, too.
func oneLine(text string) string {
	text = safeLine(text)
	if runes := []rune(text); len(runes) > maxCell {
		return string(runes[:maxCell-1]) + "…"
	}
	if text == "" {
		return "-"
	}
	return text
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}
