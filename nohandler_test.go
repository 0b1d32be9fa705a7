package helve_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

// A refused, pending or replayed call never reaches a handler: a case for each
// way in which each stage ends a call. The last case shows that the counter
// counts.
func TestNoHandlerIsReached(t *testing.T) {
	down := errors.New("down")
	type setup struct {
		x     *helvetest.Executor
		store *helvetest.FailingStore
	}
	cases := []struct {
		name    string
		edit    func(*helve.Contract)
		cfg     helve.Config
		gated   bool
		budget  *helve.Budget
		prepare func(setup) // brings about the state in which the call is met
		call    string
		code    helve.Code
		replay  bool
	}{
		{name: "1 resolve: unknown", call: "other {}", code: helve.CodeUnknownTool},
		{name: "1 resolve: hidden", edit: func(c *helve.Contract) { c.Hidden = true }, code: helve.CodeUnknownTool},
		{name: "2 validate", call: `act {"key":5}`, code: helve.CodeInvalidInput},
		{name: "3 authorize: denied", cfg: helve.Config{Policy: helve.Rules{{Verdict: helve.Deny}}}, code: helve.CodeDenied},
		{name: "3 authorize: forbidden", cfg: helve.Config{Forbid: []helve.Effect{helve.Write}}, code: helve.CodeDenied},
		{name: "4 recall: succeeded", prepare: func(s setup) { s.x.Call("act", `{"key":"k"}`) }, replay: true},
		{name: "4 recall: failed", prepare: func(s setup) { s.x.Call("act", `{"key":"k","other":"error"}`) }, call: `act {"key":"k","other":"error"}`, code: "own", replay: true},
		{name: "4 recall: conflict", prepare: func(s setup) { s.x.Call("act", `{"key":"k","other":"x"}`) }, code: helve.CodeConflict},
		{name: "4 recall: unknown", prepare: func(s setup) { s.x.Call("act", `{"key":"k","other":"crash"}`) }, call: `act {"key":"k","other":"crash"}`, code: helve.CodeOutcomeUnknown},
		{name: "4 recall: store down", budget: &helve.Budget{Cost: 9}, prepare: func(s setup) { s.store.Fail("Recall", down) }, code: helve.CodeUnavailable},
		{name: "5 approve: pending", gated: true, code: helve.CodePending},
		{name: "5 approve: denied", gated: true, prepare: func(s setup) {
			s.x.Decide(s.x.Call("act", `{"key":"k"}`).Pending.Approval, helvetest.Deny)
		}, code: helve.CodeApprovalDenied},
		{name: "5 approve: store down", gated: true, prepare: func(s setup) { s.store.Fail("Ask", down) }, code: helve.CodeUnavailable},
		{name: "6 admit: budget of a read", edit: func(c *helve.Contract) { c.Effect = helve.Read }, budget: &helve.Budget{Cost: 1}, code: helve.CodeBudgetExhausted},
		{name: "6 admit: credentials", edit: func(c *helve.Contract) { c.Credentials = []string{"x"} }, code: helve.CodeUnavailable},
		{name: "7 claim: budget", budget: &helve.Budget{Cost: 1}, code: helve.CodeBudgetExhausted},
		{name: "7 claim: store down", prepare: func(s setup) { s.store.Fail("Claim", down) }, code: helve.CodeUnavailable},
		{name: "7 claim: expired", gated: true, prepare: func(s setup) {
			s.x.Decide(s.x.Call("act", `{"key":"k"}`).Pending.Approval, helvetest.Approve)
			s.store.Fail("Claim", helve.ErrApprovalExpired)
		}, code: helve.CodeApprovalExpired},
		{name: "none", code: ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			con := contract("act", helve.Write)
			con.Key, con.Cost = helve.KeyFrom("key"), 2
			if c.edit != nil {
				c.edit(&con)
			}
			ran := 0
			tool := helve.Must(helve.Func(con, func(_ context.Context, in keyed) (string, error) {
				ran++
				switch in.Other {
				case "error":
					return "", helve.Errorf("own", "no")
				case "crash":
					panic("crash")
				}
				return "done", nil
			}))
			var store helvetest.FailingStore
			c.cfg.Store = &store
			x := helvetest.NewExecutor(t, &c.cfg, tool)
			x.Scope = helve.Scope{Run: "r", Autonomy: helve.Auto, Budget: c.budget}
			if c.gated {
				x.Scope.Autonomy = helve.Gated
			}
			if c.prepare != nil {
				c.prepare(setup{x, &store})
			}
			ran = 0
			name, args, _ := strings.Cut(cmp.Or(c.call, `act {"key":"k"}`), " ")
			res := x.Call(name, args)
			wantCode(t, res, c.code)
			wantEqual(t, res.Replayed, c.replay)
			if reached := ran > 0; reached != (c.name == "none") {
				t.Errorf("the handler ran %d times", ran)
			}
		})
	}
}
