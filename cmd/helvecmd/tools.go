package helvecmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"helve.dev/helve"
)

// toolsFlags are the flags of the subcommand tools.
type toolsFlags struct {
	effects, tags []string
	json          bool
}

// newTools returns the subcommand tools.
func newTools(open Open) *cobra.Command {
	var flags toolsFlags
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools that a model is shown",
		Long: `List the tools that a model is shown: name, effect, what each does and its
parameters. With --json it prints an array of contracts, sorted by name; the
same tools are the same bytes each time, so that two surfaces can be compared.`,
		Example: "  NAME tools\n  NAME tools --effect read\n  NAME tools --effect read,write --tag area=tasks --json",
		Args:    noArguments,
	}
	cmd.Flags().StringSliceVar(&flags.effects, "effect", nil, "only tools with one of these `effects`: read, write, destructive")
	cmd.Flags().StringSliceVar(&flags.tags, "tag", nil, "only tools with this tag, as `key=value`; may be repeated, all must match")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print contracts as JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		effects, tags, err := flags.parse()
		if err != nil {
			return err
		}
		return With(cmd, open, func(_ context.Context, x *helve.Executor) error {
			view := x.Tools().Tagged(tags)
			if len(effects) > 0 {
				view = view.Only(effects...)
			}
			if flags.json {
				return printContracts(cmd.OutOrStdout(), view.Contracts())
			}
			return listTools(cmd.OutOrStdout(), view.Contracts())
		})
	}
	return cmd
}

// parse returns what the flags ask for.
func (f *toolsFlags) parse() ([]helve.Effect, map[string]string, error) {
	var effects []helve.Effect
	for _, name := range f.effects {
		var e helve.Effect
		if e.UnmarshalText([]byte(strings.TrimSpace(name))) != nil {
			return nil, nil, Usagef("--effect must be read, write or destructive, not %q", name)
		}
		effects = append(effects, e)
	}
	tags := map[string]string{}
	for _, tag := range f.tags {
		key, value, ok := strings.Cut(tag, "=")
		if !ok || key == "" {
			return nil, nil, Usagef("--tag must look like key=value, not %q", tag)
		}
		tags[key] = value
	}
	return effects, tags, nil
}

// printContracts prints an array of contracts on one line.
func printContracts(w io.Writer, contracts []helve.Contract) error {
	raw, err := json.Marshal(slices.Concat([]helve.Contract{}, contracts), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode contracts: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", raw)
	return err
}

// listTools prints a list for people.
func listTools(w io.Writer, contracts []helve.Contract) error {
	var b strings.Builder
	for i := range contracts {
		c := &contracts[i]
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s (%s)\n  %s\n", c.Name, strings.Join(traits(c), ", "), firstSentence(c.Description))
		b.WriteString(listParameters(c.Input))
	}
	if len(contracts) == 0 {
		b.WriteString("no tools\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// traits says in a few words what a caller must know of a tool.
func traits(c *helve.Contract) []string {
	out := []string{c.Effect.String()}
	if c.OpenWorld {
		out = append(out, "open world")
	}
	if c.Approval == helve.AskAlways {
		out = append(out, "always asks a person")
	}
	if c.Deprecated != "" {
		out = append(out, "deprecated")
	}
	return out
}

// firstSentence returns the beginning of a text, on one line.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for i := range text {
		if strings.HasPrefix(text[i:], ". ") {
			return text[:i+1]
		}
	}
	return text
}
