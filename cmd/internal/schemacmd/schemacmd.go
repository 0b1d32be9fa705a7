// Package schemacmd is the subcommand schema of the helve command: validate,
// diff and lower.
package schemacmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"helve.dev/helve/schema"
)

// Add adds the subcommand schema to root. Its subcommands expect to be run by
// [helve.dev/helve/cmd/helvecmd.Run], for their exit statuses.
func Add(root *cobra.Command) {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Validate, compare and lower JSON Schemas",
		Long: `Validate values against JSON Schemas, compare two versions of a schema, and lower
the schemas of tools to what a provider takes. The rules are JSON Schema draft
2020-12, and draft-07 for schemas that declare it.`,
		Args: noOther,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newValidate(), newDiff(), newLower())
	root.AddCommand(cmd)
}

// noOther refuses what is no subcommand, and says which was probably meant.
func noOther(cmd *cobra.Command, args []string) error {
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
