package helvecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helve.dev/helve/schema"
)

// ErrInterrupted is the cause of the context that Ctrl-C has ended.
var ErrInterrupted = errors.New("interrupted")

// Run runs a command tree and returns the exit status: that of an [ExitError],
// [ExitUsage] for whatever goes wrong before a command's RunE is entered
// (unknown commands and flags, wrong arguments), else [ExitFailed]. It says on
// stderr what was wrong.
//
// An interrupt or a request to terminate cancels the context of the command,
// which then ends what it does. At the second one Run returns [ExitKilled]
// at once, while the command may still run: end the process then.
func Run(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)

	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(append([]string{}, args...)) // nil would mean those of the process
	done := make(chan int, 1)
	go func() { done <- execute(ctx, root, stderr) }()
	for interrupted := false; ; interrupted = true {
		select {
		case status := <-done:
			return status
		case <-signals:
		}
		if interrupted {
			return ExitKilled
		}
		fmt.Fprintf(stderr, "\n%s: interrupted; ending what runs. Press Ctrl-C again to stop at once.\n", root.Name())
		cancel(ErrInterrupted)
	}
}

// Stdin returns the standard input of a command that reads all of it. A read that
// waits when the command is interrupted ends with [ErrInterrupted].
func Stdin(cmd *cobra.Command) io.Reader {
	r, w := io.Pipe()
	go func() { // a read from a terminal cannot be ended, so it is left
		_, err := io.Copy(w, cmd.InOrStdin())
		w.CloseWithError(err)
	}()
	context.AfterFunc(cmd.Context(), func() { w.CloseWithError(ErrInterrupted) })
	return r
}

// execute runs the tree and says what was wrong.
func execute(ctx context.Context, root *cobra.Command, stderr io.Writer) int {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(flagError)
	entered := false
	watch(root, &entered)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return ExitOK
	}
	status := ExitFailed
	exit, ok := errors.AsType[*ExitError](err)
	switch {
	case ok && exit.Err == nil:
		return exit.Status
	case errors.Is(err, ErrInterrupted): // which is no wrong usage
	case ok:
		status = exit.Status
	case !entered:
		status = ExitUsage
	}
	fmt.Fprintf(stderr, "%s: %s\n", root.Name(), plain(strings.TrimSpace(err.Error()))) // it may quote names of files
	if status == ExitUsage {
		fmt.Fprintf(stderr, "Run '%s --help' for how to use it.\n", cmd.CommandPath())
	}
	return status
}

// watch notes in entered when the work of any command begins: what goes wrong
// before is wrong usage.
func watch(cmd *cobra.Command, entered *bool) {
	if work := cmd.RunE; work != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*entered = true
			return work(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		watch(sub, entered)
	}
}

// wants says what the flags of a type take.
var wants = map[string]string{
	"int":      "a whole number",
	"int64":    "a whole number",
	"bool":     "true or false",
	"duration": "a time such as 90m or 24h",
}

// flagError adds what was probably meant to the error of an unknown flag, and
// says of a wrong value what the flag takes.
func flagError(cmd *cobra.Command, err error) error {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if kind := wants[wrong.GetFlag().Value.Type()]; kind != "" {
			return fmt.Errorf("--%s must be %s, not %q", wrong.GetFlag().Name, kind, wrong.GetValue())
		}
		return err
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := schema.Nearest(unknown.GetSpecifiedName(), names); len(near) > 0 {
		return fmt.Errorf("%w; did you mean --%s?", err, near[0])
	}
	return err
}
