package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"helve.dev/helve"
)

func TestMain(m *testing.M) {
	maps.Copy(models, testModels)
	testscript.Main(m, map[string]func(){"dayflow": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "interrupt": interrupt, "document": checkDocument, "ids": setIDs,
		},
	})
}

// checkDocument reads the standard output as the one document that brief --json
// prints: document STATUS TOOL=CODE..., where the code of a good call is ok.
func checkDocument(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: document STATUS TOOL=CODE...")
	}
	var doc document
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &doc, json.RejectUnknownMembers(true)))
	got := []string{doc.Status}
	for _, c := range doc.Calls {
		var res helve.Result
		ts.Check(json.Unmarshal(c.Result, &res))
		code := string(res.Code())
		if code == "" {
			code = "ok"
		}
		got = append(got, c.Tool+"="+code)
	}
	if diff := cmp.Diff(args, got); diff != "" {
		ts.Fatalf("the document differs (-want +got):\n%s", diff)
	}
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

// interrupt runs a program and interrupts it, once for each pattern, when its
// standard error matches: interrupt STATUS 'PATTERN[;PATTERN...]' PROGRAM
// ARGS... The outputs are then in the files out and err.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupt STATUS PATTERNS PROGRAM ARGS...")
	}
	path := ""
	for dir := range strings.SplitSeq(ts.Getenv("PATH"), string(os.PathListSeparator)) {
		if _, err := os.Stat(dir + "/" + args[2]); err == nil && path == "" {
			path = dir + "/" + args[2]
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"))
	var stdout bytes.Buffer
	w := &signaller{stop: func() { ts.Check(cmd.Process.Signal(os.Interrupt)) }}
	for p := range strings.SplitSeq(args[1], ";") {
		w.patterns = append(w.patterns, regexp.MustCompile(p))
	}
	cmd.Stdout, cmd.Stderr = &stdout, w
	in, err := cmd.StdinPipe() // stays open, so that a question waits
	ts.Check(err)
	defer in.Close()
	ts.Check(cmd.Start())
	_ = cmd.Wait() // the status is looked at
	ts.Check(os.WriteFile(ts.MkAbs("out"), stdout.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("err"), w.text.Bytes(), 0o600))
	ts.Logf("[out]\n%s[err]\n%s", stdout.String(), w.text.String())
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("got exit status %s, want %s", got, args[0])
	}
}

// A signaller keeps what is written and calls stop each time that the next
// pattern is found.
type signaller struct {
	mu       sync.Mutex
	text     bytes.Buffer
	patterns []*regexp.Regexp
	stop     func()
}

var _ io.Writer = (*signaller)(nil)

func (s *signaller) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(b)
	if len(s.patterns) > 0 && s.patterns[0].Match(s.text.Bytes()) {
		s.patterns = s.patterns[1:]
		s.stop()
	}
	return len(b), nil
}

// setIDs sets RUN and APPROVAL from what brief --json has printed: ids FILE.
func setIDs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ids FILE")
	}
	var doc struct {
		Run   string
		Calls []struct {
			Result struct{ Pending struct{ Approval string } }
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc, json.MatchCaseInsensitiveNames(true)))
	ts.Setenv("RUN", doc.Run)
	for _, c := range doc.Calls {
		if c.Result.Pending.Approval != "" {
			ts.Setenv("APPROVAL", c.Result.Pending.Approval)
		}
	}
}
