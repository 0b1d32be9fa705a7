// Command helve works with JSON Schemas and with stores from the command line: it
// validates values, compares schemas, writes tools in the form that a provider
// takes, decides on approvals, and shows what ran.
//
//	helve schema validate --schema S.json [FILE...]
//	helve schema diff OLD NEW
//	helve schema lower --to PROVIDER TOOLS.json
//	helve approvals list|show|approve|deny|edit
//	helve ledger list|show|resolve
//	helve runs list|show
//	helve audit tail|query|verify|prove|checkpoint|key
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
	"helve.dev/helve/cmd/internal/storecmd"
)

func main() {
	os.Exit(helvecmd.Run(context.Background(), newRoot(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// newRoot returns the command tree.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "helve",
		Short: "Work with the contracts of tools, and with what they did",
		Long: `Work with the contracts of tools: check values against a JSON Schema, see what a
change of a schema breaks, and write tools as a model's provider takes them. And
with the store of a program: decide on what waits for a person, see what ran,
settle what is unknown, and verify the audit.

The exit status is 0 when all is well, 1 when a value is not valid, a change
breaks, a tool is refused or a record is not as it should be, and 2 for wrong
usage, which includes files that cannot be read and schemas that do not compile.`,
		Example: `  helve schema validate --schema order.schema.json order.json
  helve schema diff old.schema.json new.schema.json
  helve schema lower --to openai --strict tools.json
  helve approvals list --store sqlite:helve.db
  helve audit verify --store postgres://localhost/helve`,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	schemacmd.Add(root)
	storecmd.Add(root)
	helvecmd.AddVersion(root)
	return root
}
