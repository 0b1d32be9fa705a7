package daytools

import (
	"errors"
	"io/fs"
	"os"

	"helve.dev/helve/examples/dayflow/internal/calendar"
	"helve.dev/helve/examples/dayflow/internal/mailbox"
)

// A Source is where mail or events lie: a path on disk or, with FS, in a file
// system, where "" is the whole of it. The zero Source is none.
type Source struct {
	FS   fs.FS
	Path string
}

// errNoSource is the error of the zero Source.
var errNoSource = errors.New("none was given")

// open opens a source with one of two functions.
func open[T any](s Source, onDisk func(string) (T, error), inFS func(fs.FS, string) (T, error)) (T, error) {
	switch {
	case s.FS != nil && s.Path == "":
		return inFS(s.FS, ".")
	case s.FS != nil:
		return inFS(s.FS, s.Path)
	case s.Path == "":
		var none T
		return none, errNoSource
	}
	return onDisk(s.Path)
}

// reason returns what went wrong without the path, and without the words that
// say no more than that something did.
func reason(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		if errors.Is(pathErr, fs.ErrNotExist) {
			return "it is not there"
		}
		return pathErr.Err.Error()
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err.Error()
	}
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		for _, e := range joined.Unwrap() {
			if e != mailbox.ErrUnavailable && e != calendar.ErrUnavailable { //nolint:errorlint // the sentinel itself is looked for
				return e.Error()
			}
		}
	}
	return err.Error()
}
