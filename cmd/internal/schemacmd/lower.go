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

// lowering is what the flags of lower ask for.
type lowering struct {
	to           string
	strict, json bool

	provider provider
	dialect  schema.Dialect
}

// A lowerReport is what became of a set of tools.
type lowerReport struct {
	Dialect string `json:"dialect"`
	// Strict and Plain count the tools of each form, Refused those left out.
	Strict  int `json:"strict"`
	Plain   int `json:"plain"`
	Refused int `json:"refused"`
	// Tools are in the order of the list.
	Tools []toolReport `json:"tools"`
}

// A toolReport is what became of one tool.
type toolReport struct {
	Name   string `json:"name"`
	Strict bool   `json:"strict"`
	// Losses are the steps in which the wire schema says less than the tool's own.
	Losses []schema.Loss `json:"losses,omitzero"`
	// Warning says why the provider may refuse the tool as it was written.
	Warning string `json:"warning,omitzero"`
	// Error says why the tool was left out.
	Error string `json:"error,omitzero"`
}

// newLower returns the subcommand lower.
func newLower() *cobra.Command {
	var l lowering
	cmd := &cobra.Command{
		Use:   "lower --to PROVIDER TOOLS",
		Short: "Write tools in the form that a provider takes",
		Long: `Write tools in the form that a provider takes, and report each step in which the
schema that is sent says less than the tool's own. A tool whose name the provider
does not take is written all the same, and the report warns of it.

TOOLS is a JSON file, or - for standard input: an answer to tools/list
{"tools":[...]}, an array of tools, or tools line by line. Each has a name, a
description, and a schema called inputSchema, input_schema or parameters.

Standard output is the field tools of a request, standard error the report.
With --json both are one document {"tools":...,"report":{...}} on standard output.

With --strict each tool is sent in the form that the provider enforces, as far
as its schema can be said in it and the whole set stays within the limits of the
provider; the others are sent in the plain form, and the report says why. Gemini
and MCP have the plain form only.

The exit status is 0 when all tools are written, 1 when some were left out,
because their schema does not compile or takes no object, and 2 for wrong usage.`,
		Example: `  helve schema lower --to anthropic tools.json
  helve schema lower --to openai --strict tools.json >wire.json
  helve schema lower --to gemini --json - <tools.jsonl`,
		Args: l.checkArgs,
		RunE: l.run,
	}
	cmd.Flags().StringVar(&l.to, "to", "", "the `provider`: anthropic, openai, openai-chat, gemini or mcp")
	cmd.Flags().BoolVar(&l.strict, "strict", false, "use the form that the provider enforces, where it can be")
	cmd.Flags().BoolVar(&l.json, "json", false, "print tools and report as one JSON document")
	return cmd
}

// checkArgs checks the arguments and flags.
func (l *lowering) checkArgs(_ *cobra.Command, args []string) (err error) {
	switch {
	case l.to == "":
		return errors.New("lower needs --to with a provider: anthropic, openai, openai-chat, gemini or mcp")
	case len(args) != 1:
		return fmt.Errorf("lower needs one file of tools, or - for standard input, got %s", count(len(args), "argument"))
	}
	if l.provider, err = providerOf(l.to); err != nil {
		return err
	}
	l.dialect = l.provider.dialect(l.strict)
	return nil
}

// run lowers.
func (l *lowering) run(cmd *cobra.Command, args []string) error {
	raw, err := readDocument(cmd, args[0])
	if err != nil {
		return helvecmd.Usagef("read tools: %w", err)
	}
	listed, err := readTools(raw)
	if err != nil {
		return helvecmd.Usagef("%s: read tools: %w", title(args[0]), err)
	}
	lowered, report, err := l.lower(listed)
	if err != nil {
		return err
	}
	wire := l.provider.wire(lowered)
	if l.json {
		err = printJSON(cmd.OutOrStdout(), struct {
			Tools  any          `json:"tools"`
			Report *lowerReport `json:"report"`
		}{wire, report})
	} else if err = printJSON(cmd.OutOrStdout(), wire); err == nil {
		report.print(cmd.ErrOrStderr())
	}
	if err == nil && l.strict && l.provider.strict == 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s has no strict form: every tool is plain\n", l.provider.name)
	}
	if err == nil && report.Refused > 0 {
		return exit(helvecmd.ExitFailed)
	}
	return err
}

// lower lowers the tools that can be, and reports on all of them.
func (l *lowering) lower(listed []listedTool) ([]schema.LoweredTool, *lowerReport, error) {
	report := &lowerReport{Dialect: l.dialect.String(), Tools: make([]toolReport, len(listed))}
	var tools []schema.LowerTool
	var at []int // where in the report each of them is
	seen := map[string]bool{}
	for i, t := range listed {
		report.Tools[i].Name = t.Name
		if err := l.refusal(&t, seen); err != nil {
			report.Tools[i].Error = err.Error()
			report.Refused++
			continue
		}
		seen[t.Name] = true
		report.Tools[i].Warning = l.provider.warning(t.Name)
		tools, at = append(tools, t.LowerTool), append(at, i)
	}
	lowered, set, err := schema.LowerAll(tools, l.dialect, nil)
	if err != nil {
		return nil, nil, err
	}
	report.Strict, report.Plain = set.Strict, set.Plain
	for i, t := range lowered {
		entry := &report.Tools[at[i]]
		entry.Strict, entry.Losses = t.Strict, t.Report
	}
	return lowered, report, nil
}

// refusal says why a tool has to be left out, or nil. Without it one bad tool
// would cost the whole set.
func (l *lowering) refusal(t *listedTool, seen map[string]bool) error {
	switch {
	case t.err != nil:
		return t.err
	case seen[t.Name]:
		return errors.New("the name is given twice; only the first is kept")
	}
	_, err := schema.Lower(t.Schema, l.dialect, nil)
	return err
}

// print prints the report for people.
func (r *lowerReport) print(w io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %d strict, %d plain, %d left out\n", r.Dialect, count(len(r.Tools), "tool"), r.Strict, r.Plain, r.Refused)
	for _, t := range r.Tools {
		form := "plain"
		switch {
		case t.Error != "":
			fmt.Fprintf(&b, "%s: left out: %s\n", oneLine(t.Name), oneLine(t.Error))
			continue
		case t.Strict:
			form = "strict"
		}
		fmt.Fprintf(&b, "%s: %s, %s\n", oneLine(t.Name), form, count(len(t.Losses), "lossy step"))
		if t.Warning != "" {
			fmt.Fprintf(&b, "  %s\n", t.Warning)
		}
		for _, loss := range t.Losses {
			fmt.Fprintf(&b, "  %s\n", oneLine(lossText(loss)))
		}
	}
	fmt.Fprint(w, plainText(b.String()))
}

// lossText says a loss in one line.
func lossText(loss schema.Loss) string {
	where := loss.Path
	if loss.Keyword != "" {
		where += "/" + loss.Keyword
	}
	if where == "" {
		where = "the root"
	}
	return where + ": " + loss.What
}
