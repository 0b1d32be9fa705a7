// Package helvetest helps to test tools: an executor with a memory store and a
// scripted approver, a recorder of events, a store that fails on demand, and
// golden envelopes.
package helvetest

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
)

// An Approver answers for a person. A nil Approver never answers, so that calls
// stay pending.
type Approver func(a *helve.Approval) helve.Decision

// Approve says yes to everything.
func Approve(*helve.Approval) helve.Decision { return helve.Decision{Approve: true, By: "helvetest"} }

// Deny says no to everything.
func Deny(*helve.Approval) helve.Decision {
	return helve.Decision{By: "helvetest", Reason: "denied by the test"}
}

// An Executor is a [helve.Executor] for a test.
type Executor struct {
	*helve.Executor
	// Scope is on whose behalf Call calls: run "test" unless changed.
	Scope helve.Scope
	// Approver is asked by Call when a call is pending. Nil: nobody.
	Approver Approver
	// Events is what happened.
	Events *Recorder

	tb testing.TB
}

// NewExecutor returns an executor of tools for a test, with a memory store
// unless cfg has one, and closes it when the test ends: a handler that ignores
// its cancellation fails the test. A nil cfg means the zero Config.
func NewExecutor(tb testing.TB, cfg *helve.Config, tools ...*helve.Tool) *Executor {
	tb.Helper()
	reg, err := helve.NewRegistry(tools...)
	if err != nil {
		tb.Fatal(err)
	}
	var c helve.Config
	if cfg != nil {
		c = *cfg
	}
	rec := &Recorder{}
	c.Observers = append([]helve.Observer{rec}, c.Observers...)
	x, err := helve.NewExecutor(reg, &c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := x.Close(ctx); err != nil {
			tb.Error(err)
		}
	})
	return &Executor{Executor: x, Scope: helve.Scope{Run: "test"}, Events: rec, tb: tb}
}

// Call runs one call with raw JSON arguments. Where it is pending and there is
// an approver, the approver decides and the call is sent again, as an agent
// that is resumed does.
func (x *Executor) Call(tool, arguments string) *helve.Result {
	x.tb.Helper()
	ctx := helve.WithScope(x.tb.Context(), x.Scope)
	call := &helve.Call{Tool: tool, Arguments: jsontext.Value(arguments)}
	res := x.Execute(ctx, call)
	if res.Pending == nil || res.Pending.Approval == "" || x.Approver == nil {
		return res
	}
	call.ID = res.CallID
	x.Decide(res.Pending.Approval, x.Approver)
	return x.Execute(ctx, call)
}

// Decide lets an approver decide on one approval.
func (x *Executor) Decide(approval string, by Approver) *helve.Approval {
	x.tb.Helper()
	ctx := helve.WithScope(x.tb.Context(), x.Scope)
	a, err := x.Store().Approval(ctx, x.Scope.Tenant, approval)
	if err != nil {
		x.tb.Fatal(err)
	}
	a, err = x.Executor.Decide(ctx, approval, by(a))
	if err != nil {
		x.tb.Fatal(err)
	}
	return a
}

// Golden compares the envelope of res, byte for byte, with testdata/NAME.json.
// Where the test binary has a flag -update that is set, or HELVE_UPDATE=1 is in
// the environment, the file is written instead. Ids and times that differ each
// time are the caller's to replace, with the pairs given: old, new, old, new.
func Golden(tb testing.TB, name string, res *helve.Result, replace ...string) {
	tb.Helper()
	got, err := res.MarshalJSON()
	if err != nil {
		tb.Fatal(err)
	}
	for i := 0; i+1 < len(replace); i += 2 {
		got = bytes.ReplaceAll(got, []byte(replace[i]), []byte(replace[i+1]))
	}
	got = append(got, '\n')
	path := filepath.Join("testdata", name+".json")
	if update() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("%v (run the test with HELVE_UPDATE=1 in the environment to write it)", err)
	}
	if !bytes.Equal(got, want) {
		tb.Errorf("the envelope differs from %s\n got: %s\nwant: %s", path, got, want)
	}
}

func update() bool {
	if os.Getenv("HELVE_UPDATE") == "1" {
		return true
	}
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}
