// Package helvecmd gives any program that has a [helve.Executor] the
// subcommands tools, call and version, and a way to run a command tree that
// knows exit statuses and Ctrl-C.
//
// A program adds the subcommands to its own cobra tree with [Add], or version
// alone with [AddVersion], and runs the tree with [Run]. Its own subcommands can use [With] to open and drain an
// executor as those do, [Usagef] and [ExitError] for their exit statuses, and a
// [Prompt] to ask the person at the terminal.
package helvecmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve.dev/helve"
)

// DrainTime is how long [With] waits for handlers that still run when the work
// of a subcommand is done or was interrupted.
const DrainTime = 2 * time.Second

// An Open makes the executor of a subcommand. It is called once the flags are
// parsed, and only by subcommands that need it. The function that it returns
// closes what lies beneath the executor, such as a database, and is called
// after the executor was drained; nil means that there is nothing to close.
type Open func(ctx context.Context) (x *helve.Executor, closeRest func() error, err error)

// Add adds the subcommands tools, call and version to root.
func Add(root *cobra.Command, open Open) {
	add(root, newTools(open), newCall(open))
	AddVersion(root)
}

// AddVersion adds the subcommand version alone, for a program without an
// executor.
func AddVersion(root *cobra.Command) { add(root, newVersion()) }

// add adds subcommands whose examples name the program.
func add(root *cobra.Command, subs ...*cobra.Command) {
	for _, cmd := range subs {
		cmd.Example = strings.ReplaceAll(cmd.Example, "NAME", root.CommandPath())
		root.AddCommand(cmd)
	}
}

// With opens an executor, lets use work with it, and drains and closes it
// afterwards. What could not be drained or closed is said on the command's
// standard error. The error is that of open or of use; where only closing
// failed, it is an [ExitError] of status [ExitFailed].
func With(cmd *cobra.Command, open Open, use func(ctx context.Context, x *helve.Executor) error) error {
	ctx := cmd.Context()
	x, closeRest, err := open(ctx)
	if err != nil {
		return err
	}
	err = use(ctx, x)
	left := drain(ctx, x, closeRest)
	for _, e := range left {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", cmd.Root().Name(), e)
	}
	if err == nil && len(left) > 0 {
		return &ExitError{Status: ExitFailed}
	}
	return err
}

// drain ends what runs and closes what lies beneath, and returns what it could
// not end or close.
func drain(ctx context.Context, x *helve.Executor, closeRest func() error) (left []error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), DrainTime)
	defer cancel()
	if err := x.Close(ctx); err != nil {
		left = append(left, err)
	}
	if closeRest == nil {
		return left
	}
	if err := closeRest(); err != nil {
		left = append(left, err)
	}
	return left
}
