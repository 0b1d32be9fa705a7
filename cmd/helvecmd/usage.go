package helvecmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// noArguments checks the arguments of a command that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, got %q", cmd.Name(), args[0])
	}
	return nil
}

// Exactly makes a command refuse other arguments than those that are named. Without
// names it takes none. The error says what the command wants.
func Exactly(names ...string) cobra.PositionalArgs {
	if len(names) == 0 {
		return noArguments
	}
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fmt.Errorf("%s wants %s", cmd.CommandPath(), strings.Join(names, " "))
		case len(args) > len(names):
			return fmt.Errorf("%s does not take %q: it wants %s", cmd.CommandPath(), args[len(names)], strings.Join(names, " "))
		}
		return nil
	}
}

// notNegative refuses a flag's number below zero.
func notNegative(flag string, n int) error {
	if n < 0 {
		return Usagef("%s must be 0 or more, not %d", flag, n)
	}
	return nil
}
