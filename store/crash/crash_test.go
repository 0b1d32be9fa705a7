package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"helve.dev/helve/store/internal/pgtest"
)

// The tests' program is its own worker, as the command is.
func TestMain(m *testing.M) {
	if os.Getenv(envWorker) != "" {
		os.Exit(work())
	}
	os.Exit(pgtest.Main(m))
}

// A short form of make crash: whatever is killed when, nothing happens twice and
// nothing is lost.
func TestNothingHappensTwice(t *testing.T) {
	for _, store := range []string{"sqlite", "postgres"} {
		t.Run(store, func(t *testing.T) {
			if store == "postgres" {
				pgtest.DSN(t) // skips where there is none
			}
			out := filepath.Join(t.TempDir(), "out", "crash.json")
			var log bytes.Buffer
			if err := run(t.Context(), []string{"--store", store, "--calls", "150", "--kills", "25", "--out", out}, &log); err != nil {
				t.Errorf("%v\n%s", err, &log)
			}
			raw, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			var report map[string]*result
			if err := json.Unmarshal(raw, &report); err != nil {
				t.Fatal(err)
			}
			r := report[store]
			t.Logf("%+v", *r)
			if r.Kills != 25 || r.Keys != 150 || r.Calls < r.Keys || r.Succeeded == 0 || r.Replays == 0 || r.AuditEntries == 0 {
				t.Errorf("it has not tried enough: %+v", *r)
			}
		})
	}
}

// The check can fail: each of the counts that must be zero is missed when it is not.
func TestCheckFails(t *testing.T) {
	if err := (&result{Unknown: 3, Kills: 3}).check("good"); err != nil {
		t.Error(err)
	}
	for says, r := range map[string]*result{
		"doubled": {Doubled: 1}, "lost": {Lost: 1}, "invented": {Invented: 1}, "came to no end": {Open: 1}, "without a kill": {UnknownWithoutAKill: 1}, "audit": {AuditBad: "entry 7"},
	} {
		if err := r.check("bad"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if err := run(t.Context(), []string{"--store", "mysql"}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "sqlite or postgres") {
		t.Errorf("another kind of store: %v", err)
	}
}

// The harness notices a ledger that forgets: two effects under one key, and an
// effect that no row tells of.
func TestHarnessNotices(t *testing.T) {
	h := &harness{cfg: config{log: io.Discard}, effects: map[string]int{"act-1": 2, "act-2": 1}, killed: map[string]bool{}}
	r := &result{}
	h.judge(r, "act-1", "act", nil)
	h.judge(r, "act-2", "act", nil)
	if r.Doubled != 1 || r.Lost != 2 || r.Open != 2 {
		t.Errorf("%+v", *r)
	}
}
