package helvetest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

var _ = flag.Bool("update", false, "write the golden files")

func send() *helve.Tool {
	return helve.Must(helve.Func(helve.Contract{
		Name: "send_email", Effect: helve.Write, Approval: helve.AskAlways,
		Description: "Sends an email, which cannot be unsent. Returns a confirmation.",
	}, func(_ context.Context, mail struct {
		To string `json:"to"`
	},
	) (string, error) {
		return "sent to " + mail.To, nil
	}))
}

func Example() {
	// In a test, t is the one that the test has.
	var t testing.TB = &testing.T{}
	_ = func() {
		x := helvetest.NewExecutor(t, nil, send())
		x.Approver = helvetest.Approve
		res := x.Call("send_email", `{"to":"ann@example.org"}`)
		helvetest.Golden(t, "send_email", res)
		fmt.Println(len(helvetest.Of[helve.CallEnded](x.Events)))
	}
	fmt.Println("see the tests of this package")
	// Output: see the tests of this package
}

func TestApprovers(t *testing.T) {
	x := helvetest.NewExecutor(t, nil, send())
	args := `{"to":"ann@example.org"}`
	if res := x.Call("send_email", args); res.Pending == nil {
		t.Errorf("nobody was asked: %+v", res)
	}
	x.Approver = func(a *helve.Approval) helve.Decision {
		return helve.Decision{Approve: string(a.Arguments) == args, ArgumentsDigest: a.ArgumentsDigest}
	}
	if res := x.Call("send_email", args); string(res.Data) != `"sent to ann@example.org"` {
		t.Errorf("approved: %+v", res)
	}
	x.Approver = helvetest.Deny
	if res := x.Call("send_email", `{"to":"bob@example.org"}`); res.Code() != helve.CodeApprovalDenied {
		t.Errorf("denied: %+v", res)
	}
	if got := helvetest.Of[helve.ApprovalChanged](x.Events); len(got) != 4 {
		t.Errorf("%d changes of approvals: %+v", len(got), got)
	}
	if got := len(x.Events.All()); got < 10 {
		t.Errorf("%d events", got)
	}
}

func TestGoldenComparesAndWrites(t *testing.T) {
	res := &helve.Result{Data: []byte(`"id-17"`)}
	helvetest.Golden(t, "golden", res, "id-17", "ID")
	t.Chdir(t.TempDir())
	probe := &recorder{TB: t}
	helvetest.Golden(probe, "golden", res)
	if !probe.failed {
		t.Error("a missing golden file passes")
	}
	t.Setenv("HELVE_UPDATE", "1")
	helvetest.Golden(t, "golden", res)
	t.Setenv("HELVE_UPDATE", "")
	if b, err := os.ReadFile(filepath.Join("testdata", "golden.json")); err != nil || string(b) != "{\"ok\":true,\"data\":\"id-17\"}\n" {
		t.Errorf("written: %q, %v", b, err)
	}
	probe = &recorder{TB: t}
	helvetest.Golden(probe, "golden", &helve.Result{Data: []byte(`2`)})
	if !probe.failed {
		t.Error("another envelope passes")
	}
}

// recorder is a test that may fail.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Fatalf(string, ...any) { r.failed = true }
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestFailingStoreFailsOnDemand(t *testing.T) {
	down := errors.New("down")
	var s helvetest.FailingStore
	ctx := t.Context()
	calls := map[string]func() error{
		"Recall":        func() error { _, err := s.Recall(ctx, &helve.RecallParams{}); return err },
		"Claim":         func() error { _, err := s.Claim(ctx, &helve.ClaimParams{}); return err },
		"Beat":          func() error { return s.Beat(ctx, helve.Token{}, time.Second) },
		"Finish":        func() error { return s.Finish(ctx, &helve.FinishParams{}) },
		"Ask":           func() error { _, err := s.Ask(ctx, &helve.Approval{ID: "a"}, time.Hour); return err },
		"Approval":      func() error { _, err := s.Approval(ctx, "", "a"); return err },
		"Decide":        func() error { _, err := s.Decide(ctx, "", "a", &helve.Decision{}); return err },
		"ListApprovals": func() error { _, err := s.ListApprovals(ctx, helve.ApprovalFilter{}); return err },
		"Reserve":       func() error { return s.Reserve(ctx, helve.Reservation{}) },
		"Spent":         func() error { _, err := s.Spent(ctx, "", ""); return err },
		"AppendAudit":   func() error { return s.AppendAudit(ctx) },
		"Audit":         func() error { _, err := s.Audit(ctx, helve.AuditFilter{}); return err },
	}
	for name, call := range calls {
		s.Fail(name, nil, down)
		if err := call(); errors.Is(err, down) {
			t.Errorf("%s failed too soon", name)
		}
		if err := call(); !errors.Is(err, down) {
			t.Errorf("%s did not fail: %v", name, err)
		}
		if err := call(); errors.Is(err, down) {
			t.Errorf("%s goes on failing", name)
		}
		if n := s.Calls(name); n != 3 {
			t.Errorf("%s was called %d times", name, n)
		}
	}
}
