package helvecmd

import (
	"fmt"

	"github.com/spf13/cobra"
)

// noArguments checks the arguments of a command that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, got %q", cmd.Name(), args[0])
	}
	return nil
}

// notNegative refuses a flag's number below zero.
func notNegative(flag string, n int) error {
	if n < 0 {
		return Usagef("%s must be 0 or more, not %d", flag, n)
	}
	return nil
}
