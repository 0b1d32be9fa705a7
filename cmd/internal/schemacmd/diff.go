package schemacmd

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/schema"
)

// comparison is what the flags of diff ask for.
type comparison struct {
	json bool
	as   string
}

// A difference is the answer of diff as JSON.
type difference struct {
	Changes []schema.Change `json:"changes"`
	Input   effect          `json:"input"`
	Output  effect          `json:"output"`
	// As is the use that decided about Breaking: input or output.
	As       string `json:"as"`
	Breaking bool   `json:"breaking"`
}

// An effect is what all changes together mean to one use of the schema.
type effect struct {
	Impact schema.Impact `json:"impact"`
	// Step is the step that a version has to take: none, patch, minor or major.
	Step string `json:"step"`
}

// newDiff returns the subcommand diff.
func newDiff() *cobra.Command {
	var c comparison
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what changed between two schemas, and whom it breaks",
		Long: `Say what changed from one schema to the next, and what each change means: to
callers when the schema is a tool's input, to readers when it is its output. At
the end stands the step that a version has to take for each (https://semver.org).

Where it cannot see that a change is harmless, it says breaking.

The exit status is 0 when nothing changed or the change is compatible, 1 when it
breaks, and 2 when the schemas cannot be compared. --as says which use counts.`,
		Example: `  helve schema diff old.schema.json new.schema.json
  helve schema diff old.schema.json new.schema.json --as output --json
  git show HEAD~1:tool.schema.json | helve schema diff - tool.schema.json`,
		Args: c.checkArgs,
		RunE: c.run,
	}
	cmd.Flags().BoolVar(&c.json, "json", false, "print the changes as JSON")
	cmd.Flags().StringVar(&c.as, "as", "input", "the `use` that decides about the exit status: input or output")
	return cmd
}

// checkArgs checks the arguments and flags.
func (c *comparison) checkArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) != 2:
		return fmt.Errorf("diff needs two schemas, OLD and NEW, got %s", count(len(args), "argument"))
	case args[0] == "-" && args[1] == "-":
		return errors.New("standard input can be read only once: name a file for OLD or NEW")
	case c.as != "input" && c.as != "output":
		return fmt.Errorf("--as must be input or output, not %q", c.as)
	}
	return nil
}

// run compares.
func (c *comparison) run(cmd *cobra.Command, args []string) error {
	old, err := readSchema(cmd, args[0])
	if err != nil {
		return err
	}
	next, err := readSchema(cmd, args[1])
	if err != nil {
		return err
	}
	changes := schema.Diff(old, next)
	d := difference{
		Changes: changes, As: c.as,
		Input:  effect{changes.Caller(), changes.CallerStep()},
		Output: effect{changes.Reader(), changes.ReaderStep()},
	}
	d.Breaking = c.as == "input" && d.Input.Impact == schema.Breaking || c.as == "output" && d.Output.Impact == schema.Breaking
	tell := d.print
	if c.json {
		tell = func(w io.Writer) error { return printJSON(w, d) }
	}
	if err := tell(cmd.OutOrStdout()); err != nil {
		return err
	}
	if d.Breaking {
		return exit(helvecmd.ExitFailed)
	}
	return nil
}

// print prints the changes for people.
func (d *difference) print(w io.Writer) error {
	var b strings.Builder
	for _, c := range d.Changes {
		path := c.Path
		if path == "" {
			path = "the root"
		}
		fmt.Fprintf(&b, "%s (%s)\n", oneLine(path+": "+c.What), meaning(c.Caller, c.Reader))
	}
	if len(d.Changes) == 0 {
		b.WriteString("no changes\n")
	}
	fmt.Fprintf(&b, "as input: %s, version step %s\n", d.Input.Impact, d.Input.Step)
	fmt.Fprintf(&b, "as output: %s, version step %s\n", d.Output.Impact, d.Output.Step)
	_, err := io.WriteString(w, plainText(b.String()))
	return err
}

// meaning says what a change means to callers and readers.
func meaning(caller, reader schema.Impact) string {
	if caller == reader {
		return caller.String()
	}
	return fmt.Sprintf("%s for callers, %s for readers", caller, reader)
}
