package helvecmd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"helve.dev/helve/cmd/helvecmd"
)

// An error quotes what was typed, or the name of a file from anywhere. It stays
// in its lines, and does not drive the terminal.
func TestRunShowsErrorsPlainly(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "desk", RunE: func(*cobra.Command, []string) error {
		return fmt.Errorf("open \x1b[2J\u202egpj.exe: no such file\nand a second line")
	}}
	var stderr strings.Builder
	if got := helvecmd.Run(t.Context(), root, nil, nil, nil, &stderr); got != helvecmd.ExitFailed {
		t.Errorf("exit status %d", got)
	}
	want := "desk: open \\u001b[2J\\u202egpj.exe: no such file\nand a second line\n"
	if got := stderr.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
