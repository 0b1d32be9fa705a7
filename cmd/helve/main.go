// Command helve works with JSON Schemas from the command line: it validates
// values, compares schemas, and writes tools in the form that a provider takes.
//
//	helve schema validate --schema S.json [FILE...]
//	helve schema diff OLD NEW
//	helve schema lower --to PROVIDER TOOLS.json
//	helve version
//
// See helve --help.
package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/cmd/internal/schemacmd"
)

func main() {
	os.Exit(helvecmd.Run(context.Background(), newRoot(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// newRoot returns the command tree.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "helve",
		Short: "Work with the contracts of tools",
		Long: `Work with the contracts of tools: check values against a JSON Schema, see what a
change of a schema breaks, and write tools as a model's provider takes them.

The exit status is 0 when all is well, 1 when a value is not valid, a change
breaks or a tool is refused, and 2 for wrong usage, which includes files that
cannot be read and schemas that do not compile.`,
		Example: `  helve schema validate --schema order.schema.json order.json
  helve schema diff old.schema.json new.schema.json
  helve schema lower --to openai --strict tools.json`,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	schemacmd.Add(root)
	helvecmd.AddVersion(root)
	return root
}
