package helvecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"helve.dev/helve"
)

// callFlags are the flags of the subcommand call.
type callFlags struct {
	json, ask bool
	autonomy  helve.Autonomy
}

// newCall returns the subcommand call.
func newCall(open Open) *cobra.Command {
	var flags callFlags
	cmd := &cobra.Command{
		Use:   "call TOOL JSON",
		Short: "Call one tool as a model would",
		Long: `Call one tool through the same executor as a model, and print the result: as
text, or with --json exactly the envelope that a model reads.

JSON is the arguments: the text itself, @FILE for the content of a file, or -
for standard input. For no arguments write '{}'.

The exit status is 0 when the call worked, 1 when it did not, 2 for wrong usage
and 3 when the call waits for a person's approval. With --ask the person is you.`,
		Example: `  NAME call TOOL '{"limit":5}'
  NAME call TOOL @arguments.json --json
  echo '{"limit":5}' | NAME call TOOL - --json`,
		Args: toolAndJSON,
	}
	cmd.Flags().BoolVar(&flags.json, "json", false, "print the envelope as JSON")
	cmd.Flags().BoolVar(&flags.ask, "ask", false, "ask here when the call needs a person's approval")
	cmd.Flags().TextVar(&flags.autonomy, "autonomy", helve.Gated, "for which calls a person is asked: `manual, gated or auto`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		raw, err := readArguments(cmd, args[1])
		if err != nil {
			return err
		}
		return With(cmd, open, func(ctx context.Context, x *helve.Executor) error {
			scope := helve.ScopeFrom(ctx)
			if cmd.Flags().Changed("autonomy") {
				scope.Autonomy = flags.autonomy
			}
			c := caller{cmd: cmd, x: x, flags: flags}
			return c.call(helve.WithScope(ctx, scope), &helve.Call{Tool: args[0], Arguments: raw})
		})
	}
	return cmd
}

// toolAndJSON checks the arguments of call.
func toolAndJSON(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("call needs the name of a tool and its arguments as JSON")
	case 1:
		return fmt.Errorf("call %s needs the arguments as JSON; for none write '{}'", args[0])
	case 2:
		return nil
	}
	return errors.New("call takes a tool and one JSON text; put the JSON into single quotes")
}

// readArguments returns the text itself, the content of @FILE, or all of stdin
// for "-", unless cmd is nil. It reads no more than is needed to see that it is
// too much.
func readArguments(cmd *cobra.Command, text string) (jsontext.Value, error) {
	var in io.Reader
	name, isFile := strings.CutPrefix(text, "@")
	switch {
	case isFile:
		f, err := os.Open(name)
		if err != nil {
			return nil, Usagef("read arguments: %w", err)
		}
		defer f.Close()
		in = f
	case text == "-" && cmd != nil:
		in = Stdin(cmd)
	default:
		return jsontext.Value(text), nil
	}
	raw, err := io.ReadAll(io.LimitReader(in, helve.MaxArguments+1))
	if err != nil {
		return nil, Usagef("read arguments: %w", err)
	}
	return raw, nil
}

// caller runs one call for the person at the prompt.
type caller struct {
	cmd   *cobra.Command
	x     *helve.Executor
	flags callFlags
}

// call runs the call, asks the person where that is wanted, and prints the
// result.
func (c *caller) call(ctx context.Context, call *helve.Call) error {
	res := c.x.Execute(ctx, call)
	if res.Pending != nil && res.Pending.Approval != "" && c.flags.ask {
		prompt := NewPrompt(c.cmd.InOrStdin(), c.cmd.ErrOrStderr())
		if _, err := prompt.Decide(ctx, c.x, res.Pending.Approval); err == nil {
			call.ID = res.CallID // the same call, which now has its decision
			res = c.x.Execute(ctx, call)
		} else if ctx.Err() != nil {
			return fmt.Errorf("%s was not run: the question was interrupted", res.Tool)
		} else if !errors.Is(err, ErrNoAnswer) {
			return fmt.Errorf("decide on %s: %w", res.Tool, err)
		}
	}
	if err := c.print(ctx, res); err != nil {
		return err
	}
	return exitOf(res)
}

// print prints a result, and for a call that waits how to go on.
func (c *caller) print(ctx context.Context, res *helve.Result) error {
	if c.flags.json {
		raw, err := res.MarshalJSON()
		if err != nil {
			return fmt.Errorf("encode the envelope: %w", err)
		}
		_, err = fmt.Fprintf(c.cmd.OutOrStdout(), "%s\n", raw)
		return err
	}
	if _, err := fmt.Fprintln(c.cmd.OutOrStdout(), helve.Render(res, helve.Terminal)); err != nil {
		return err
	}
	if res.Pending != nil {
		c.guide(ctx, res.Pending)
	}
	return nil
}

// guide says how to go on with a call that waits.
func (c *caller) guide(ctx context.Context, p *helve.Pending) {
	w := c.cmd.ErrOrStderr()
	if p.Approval == "" {
		fmt.Fprintln(w, "Nothing is lost: send the same call again later to see how it stands.")
		return
	}
	if a, err := c.x.Store().Approval(ctx, helve.ScopeFrom(ctx).Tenant, p.Approval); err == nil {
		fmt.Fprintf(w, "\nThis would run:\n%s\n", helve.RenderCall(a, helve.Terminal))
	}
	fmt.Fprintln(w, "\nNothing was done. To decide on it yourself, run the same command with --ask.")
}
