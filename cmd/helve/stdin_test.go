package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"helve.dev/helve/cmd/helvecmd"
)

// Whoever writes cases has the answer to each complete line at once, also when
// the beginning of the next came with it; and an interrupt ends the wait for the
// rest.
func TestCasesOfASlowWriter(t *testing.T) {
	t.Parallel()
	stdin, lines := io.Pipe()
	answers, stdout := io.Pipe()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stderr strings.Builder
	status := make(chan int, 1)
	go func() {
		status <- helvecmd.Run(ctx, newRoot(), []string{"schema", "validate", "--cases", "-"}, stdin, stdout, &stderr)
	}()
	if _, err := io.WriteString(lines, `{"schema":{},"data":1}`+"\n"+`{"schema":`); err != nil {
		t.Fatal(err)
	}
	if got, err := bufio.NewReader(answers).ReadString('\n'); got != `{"valid":true}`+"\n" {
		t.Fatalf("got %q, %v", got, err)
	}
	interrupt()
	if got := <-status; got != helvecmd.ExitFailed || !strings.HasSuffix(stderr.String(), "interrupted\n") {
		t.Errorf("exit status %d, %q", got, stderr.String())
	}
}

// A command that waits for its input is ended by an interrupt.
func TestInterruptEndsTheWaitForInput(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"schema validate --schema - x", "schema diff - x", "schema lower --to mcp -"} {
		stdin, input := io.Pipe()
		ctx, interrupt := context.WithCancel(t.Context())
		var stderr strings.Builder
		go func() {
			_, _ = io.WriteString(input, "{") // once it is taken, the command waits for the rest
			interrupt()
		}()
		got := helvecmd.Run(ctx, newRoot(), strings.Fields(args), stdin, io.Discard, &stderr)
		if got != helvecmd.ExitFailed || !strings.HasSuffix(stderr.String(), ": interrupted\n") {
			t.Errorf("%s: exit status %d, %q", args, got, stderr.String())
		}
	}
}
