package storetest_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"helve.dev/helve"
	"helve.dev/helve/storetest"
)

const envForgetful = "HELVE_STORETEST_FORGETFUL"

// forgetful is a store that keeps no outcome.
type forgetful struct{ helve.Store }

func (forgetful) Finish(context.Context, *helve.FinishParams) error { return nil }

// Whoever writes a store sees every test that it fails, not the first panic.
func TestRunTellsOfAllFailures(t *testing.T) {
	if os.Getenv(envForgetful) != "" {
		storetest.Run(t, func(*testing.T) func() helve.Store {
			return func() helve.Store { return forgetful{helve.NewMemoryStore(nil)} }
		})
		return
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$/^ledger$/^(copies|records)$")
	cmd.Env = append(os.Environ(), envForgetful+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("a forgetful store passes")
	}
	for _, want := range []string{"FAIL: " + t.Name() + "/ledger/copies", "the test panicked over what the store did: ", "FAIL: " + t.Name() + "/ledger/records"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(string(out), "[recovered") {
		t.Errorf("it ended with a panic:\n%s", out)
	}
}
