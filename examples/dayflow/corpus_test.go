package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve"
	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/examples/dayflow/internal/daytools"
)

// corpus returns the folder with the mail and the calendar that nobody here
// wrote, or skips the test where it isn't.
func corpus(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("HELVE_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpora")
	}
	dir = filepath.Join(dir, "dayflow")
	if !isDir(dir) {
		t.Skipf("there is no corpus at %s; set HELVE_CORPORA to the folder that has dayflow in it", dir)
	}
	return dir
}

// dayflow runs a command that must succeed and returns its output.
func dayflow(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := helvecmd.Run(context.Background(), newRoot(), args, strings.NewReader(""), &stdout, &stderr); status != 0 {
		t.Fatalf("dayflow %s: exit status %d\n%s%s", strings.Join(args, " "), status, &stdout, &stderr)
	}
	return stdout.Bytes()
}

// "What must be seen" 2 of the second issue.
func TestCorpusTwice(t *testing.T) {
	t.Parallel()
	flags := []string{"--data", corpus(t), "--today", "2024-05-15", "--tz", "UTC", "--state", filepath.Join(t.TempDir(), "state.db")}
	brief := func() (doc document) {
		t.Helper()
		if err := json.Unmarshal(dayflow(t, append([]string{"brief", "--json"}, flags...)...), &doc, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err)
		}
		if doc.Status != "ok" || doc.Brief == "" {
			t.Fatalf("got status %q and the brief %q", doc.Status, doc.Brief)
		}
		return doc
	}
	tasks := func() string {
		t.Helper()
		return string(dayflow(t, append([]string{"call", "read_tasks", `{"include_done":true}`, "--json"}, flags...)...))
	}

	first := brief()
	var reads []string
	for _, c := range first.Calls {
		if c.Step == 1 {
			reads = append(reads, c.Tool)
		}
	}
	if diff := cmp.Diff([]string{"read_inbox", "read_calendar", "read_calendar", "read_tasks"}, reads); diff != "" {
		t.Errorf("the reads of the first step differ (-want +got):\n%s", diff)
	}
	if n := created(t, first); n == 0 || n > 2 {
		t.Errorf("%d tasks were created, want one or two", n)
	}

	before := tasks()
	if n := created(t, brief()); n != 0 {
		t.Errorf("%d tasks were created the second time, want none", n)
	}
	if diff := cmp.Diff(before, tasks()); diff != "" {
		t.Errorf("the tasks have changed (-before +after):\n%s", diff)
	}
}

// created counts the tasks that a run has created.
func created(t *testing.T, doc document) (n int) {
	t.Helper()
	for _, c := range doc.Calls {
		var res helve.Result
		if err := res.UnmarshalJSON(c.Result); err != nil {
			t.Fatal(err)
		}
		if err := res.Err(); err != nil {
			t.Error(err)
			continue
		}
		if c.Tool != daytools.CreateTask {
			continue
		}
		var task daytools.CreatedTask
		if err := res.Decode(&task); err != nil {
			t.Fatal(err)
		}
		if task.Created {
			n++
		}
	}
	return n
}
