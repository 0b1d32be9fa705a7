package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"helve.dev/helve/cmd/helvecmd"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"helve": func() {
			os.Exit(helvecmd.Run(context.Background(), newRoot(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "fill": fill, "store": store, "tamper": tamper,
		},
	})
}

// exits runs a program that must end with a status: exits STATUS PROGRAM ARGS...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGS...")
	}
	status := 0
	err := ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("run %s: %v", args[1], err)
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("got exit status %d, want %s", status, args[0])
	}
}

// fill writes a file of texts and repeated texts, each a Go string literal,
// where N*TEXT is TEXT N times: fill FILE [N*]TEXT...
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fill FILE [N*]TEXT...")
	}
	var b strings.Builder
	for _, arg := range args[1:] {
		times, text, ok := strings.Cut(arg, "*")
		n, err := strconv.Atoi(times)
		if !ok || err != nil {
			n, text = 1, arg
		}
		if text, err = strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`); err != nil {
			ts.Fatalf("%s: %v", arg, err)
		}
		b.WriteString(strings.Repeat(text, n))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o600))
}
