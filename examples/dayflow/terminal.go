package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// terminal returns where to ask a person: the input and the error output where
// both are a terminal, or else the terminal that the process belongs to.
func terminal(stdin io.Reader, stderr io.Writer) (in io.Reader, out io.Writer, ok bool) {
	if !isTerminal(stdin) {
		return nil, nil, false
	}
	if isTerminal(stderr) {
		return stdin, stderr, true
	}
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return nil, nil, false
	}
	return stdin, tty, true // open until the process ends
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
