package helvecmd

import (
	"fmt"

	"helve.dev/helve"
)

// The exit statuses of the subcommands.
const (
	ExitOK      = 0   // it worked
	ExitFailed  = 1   // it did not
	ExitUsage   = 2   // the command was used wrongly, and nothing was done
	ExitPending = 3   // it waits for a person
	ExitKilled  = 130 // it was interrupted twice and ended at once
)

// An ExitError ends a command with a status of its own. [Run] prints Err, if
// there is one, on standard error.
type ExitError struct {
	Status int
	// Err says what is wrong. Nil: the command has said everything itself.
	Err error
}

// Error returns the text of Err, or names the status.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Status)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *ExitError) Unwrap() error { return e.Err }

// Usagef returns an [ExitError] of status [ExitUsage]. The text should say what
// to write instead.
func Usagef(format string, args ...any) error {
	return &ExitError{Status: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// exitOf returns how a command ends whose call has this result, of which it has
// told the user already.
func exitOf(res *helve.Result) error {
	switch {
	case res.Pending != nil:
		return &ExitError{Status: ExitPending}
	case res.Error != nil:
		return &ExitError{Status: ExitFailed}
	}
	return nil
}
