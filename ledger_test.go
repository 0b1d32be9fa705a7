package helve_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

type meeting struct {
	Title string `json:"title"`
	Start string `json:"start"`
	Notes string `json:"notes,omitzero"`
}

// Two calls with the same title and start are the same meeting, whatever their
// runs; in another week, or under another tenant, they are two.
func TestDedupeAcrossRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made int
		fails := false
		x := auto(helvetest.NewExecutor(t, nil, helve.Must(helve.Func(
			contract("book", helve.Write, func(c *helve.Contract) { c.DedupeOn = []string{"title", "start"} }),
			func(context.Context, meeting) (int, error) {
				if fails {
					return 0, helve.Errorf("full", "no room is free")
				}
				made++
				return made, nil
			}))))
		run := func(name string) { x.Scope.Run = name }
		wantData(t, x.Call("book", `{"title":"Review","start":"10:00"}`), "1")
		run("tomorrow's")
		again := x.Call("book", `{"start":"10:00","title":"Review"}`)
		wantData(t, again, "1")
		wantEqual(t, again.Replayed, true)
		other := x.Call("book", `{"title":"Review","start":"10:00","notes":"bring cake"}`)
		wantCode(t, other, helve.CodeConflict)
		if e := envelope(t, other); !strings.Contains(e, `same \"title\" and \"start\"`) || !strings.Contains(e, `"differs":["notes"]`) {
			t.Errorf("envelope: %s", e)
		}
		wantData(t, x.Call("book", `{"title":"Review","start":"11:00"}`), "2")
		x.Scope.Tenant = "other"
		wantData(t, x.Call("book", `{"title":"Review","start":"10:00"}`), "3")
		x.Scope.Tenant = ""
		time.Sleep(helve.DefaultDedupe)
		wantData(t, x.Call("book", `{"title":"Review","start":"10:00"}`), "4")
		// What came to nothing stands for nothing.
		fails = true
		wantCode(t, x.Call("book", `{"title":"Party","start":"20:00"}`), "full")
		fails = false
		run("third")
		wantData(t, x.Call("book", `{"title":"Party","start":"20:00"}`), "5")
	})
}

// A call that came to nothing is answered with the same action of another run that
// was carried out since, and at once.
func TestDedupeStandsBeforeARetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails, made := true, 0
		x := auto(helvetest.NewExecutor(t, nil, helve.Must(helve.Func(
			contract("book", helve.Write, func(c *helve.Contract) { c.DedupeOn = []string{"title"} }),
			func(context.Context, meeting) (int, error) {
				if fails {
					return 0, helve.NotDone(errors.New("the calendar is locked"))
				}
				made++
				return made, nil
			}))))
		wantCode(t, x.Call("book", `{"title":"Review","start":"10:00"}`), helve.CodeToolFailed)
		fails = false
		x.Scope.Run = "another"
		wantData(t, x.Call("book", `{"title":"Review","start":"10:00"}`), "1")
		x.Scope.Run = "test"
		began := time.Now()
		res := x.Call("book", `{"title":"Review","start":"10:00"}`)
		wantData(t, res, "1")
		wantEqual(t, []any{res.Replayed, time.Since(began)}, []any{true, time.Duration(0)})
	})
}

// A key that is a number is one key in all of its spellings.
func TestNumbersAreOneKeyInAnySpelling(t *testing.T) {
	type order struct {
		Number int64  `json:"number"`
		Item   string `json:"item"`
	}
	n := 0
	x := auto(helvetest.NewExecutor(t, nil, helve.Must(helve.Func(
		contract("order", helve.Write, func(c *helve.Contract) { c.Key = helve.KeyFrom("number") }),
		func(ctx context.Context, _ order) (string, error) {
			n++
			return helve.InvocationFrom(ctx).Key(), nil
		}))))
	for i, number := range []string{"100", "100.0", "1e2", "1.00E+2"} {
		res := x.Call("order", `{"item":"a","number":`+number+`}`)
		wantData(t, res, `"100"`)
		wantEqual(t, []any{res.Replayed, n}, []any{i > 0, 1})
	}
	other := x.Call("order", `{"number":1e2,"item":"b"}`)
	wantCode(t, other, helve.CodeConflict)
	if e := envelope(t, other); !strings.Contains(e, `"differs":["item"]`) {
		t.Errorf("envelope: %s", e)
	}
	wantData(t, x.Call("order", `{"number":9007199254740993,"item":"a"}`), `"9007199254740993"`)
	wantData(t, x.Call("order", `{"number":9007199254740992,"item":"a"}`), `"9007199254740992"`)
}

func TestDedupeIsCheckedAtDefinition(t *testing.T) {
	_, err := helve.Func(contract("book", helve.Write, func(c *helve.Contract) { c.DedupeOn = []string{"titel"} }),
		func(context.Context, meeting) (int, error) { return 0, nil })
	wantErrors(t, err, `DedupeOn names the parameter "titel"`, `did you mean "title"`)
	_, err = helve.Func(contract("look", helve.Read, func(c *helve.Contract) { c.DedupeOn = []string{"title"} }),
		func(context.Context, meeting) (int, error) { return 0, nil })
	wantErrors(t, err, "DedupeOn is for tools with effects")
}

// What the ledger has forgotten is never done again in silence.
func TestForgottenResultsAnswerWithTheirState(t *testing.T) {
	tool, n := counted(contract("act", helve.Write), func(_ context.Context, in text) (string, error) {
		if in.Text == "bad" {
			return "", helve.Errorf("own", "this cannot work")
		}
		return "done", nil
	})
	x := auto(helvetest.NewExecutor(t, nil, tool))
	wantData(t, x.Call("act", `{}`), `"done"`)
	wantCode(t, x.Call("act", `{"text":"bad"}`), "own")
	time.Sleep(2 * time.Millisecond)
	swept, err := x.Store().Sweep(t.Context(), helve.Retention{Results: time.Millisecond})
	if err != nil || swept.Results != 2 {
		t.Fatal(swept, err)
	}
	res := x.Call("act", `{}`)
	if e := envelope(t, res); !res.Replayed || !res.OK() || !strings.Contains(e, "was carried out at") {
		t.Errorf("envelope: %s", e)
	}
	bad := x.Call("act", `{"text":"bad"}`)
	wantCode(t, bad, helve.CodeToolFailed)
	wantEqual(t, []int32{n.Load()}, []int32{2})
}

// The audit tells of every decision and of every call with effects.
func TestAuditHasEveryDecision(t *testing.T) {
	x := helvetest.NewExecutor(t, &helve.Config{Policy: helve.Rules{
		{Name: "no-root", Tools: []string{"act"}, Verdict: helve.Deny, Reason: "not as root", When: func(_ context.Context, r *helve.Request) (bool, error) {
			return strings.Contains(string(r.Arguments), "root"), nil
		}},
	}}, helve.Must(helve.Func(contract("act", helve.Write), done)))
	first := x.Call("act", `{"text":"password=hunter22"}`)
	x.Decide(first.Pending.Approval, func(*helve.Approval) helve.Decision { return helve.Decision{Approve: true, By: "ann"} })
	wantData(t, x.Call("act", `{"text":"password=hunter22"}`), `"done"`)
	wantData(t, x.Call("act", `{"text":"password=hunter22"}`), `"done"`) // replayed
	wantCode(t, x.Call("act", `{"text":"root"}`), helve.CodeDenied)
	second := x.Call("act", `{"text":"b"}`)
	x.Decide(second.Pending.Approval, func(*helve.Approval) helve.Decision {
		return helve.Decision{By: "ann", Reason: "token=abcdefgh1234 is wrong"}
	})
	wantCode(t, x.Call("act", `{"text":"b"}`), helve.CodeApprovalDenied)
	all, err := x.Store().Audit(t.Context(), helve.AuditFilter{Run: "test"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range all {
		got = append(got, strings.TrimSpace(strings.Join([]string{string(e.Kind), string(e.State), string(e.Code), e.Rule, e.By, e.Note}, " ")))
		if s := string(e.Arguments) + e.Note; strings.Contains(s, "hunter22") || strings.Contains(s, "abcdefgh1234") {
			t.Errorf("a secret is in the audit: %s", s)
		}
	}
	wantEqual(t, got, []string{
		"asked   autonomy", "decided   autonomy ann approved", "claimed   autonomy", "finished succeeded  autonomy", "replayed succeeded",
		"refused  denied no-root  not as root", "asked   autonomy", "decided   autonomy ann denied: token=[redacted] is wrong",
		"refused  approval_denied   a person said no: token=[redacted] is wrong",
	})
	if all[0].Arguments == nil || all[0].ArgumentsDigest == (helve.Digest{}) {
		t.Error("what a person was asked cannot be told later")
	}
}

// Whoever waits for a decision gets it, and so does one who comes late.
func TestAwaitDecision(t *testing.T) {
	x := helvetest.NewExecutor(t, nil, helve.Must(helve.Func(contract("act", helve.Write), done)))
	x.Scope.Tenant = "acme"
	ctx := helve.WithScope(t.Context(), x.Scope)
	id := x.Call("act", `{}`).Pending.Approval
	got := make(chan *helve.Approval)
	go func() {
		a, err := x.AwaitDecision(ctx, id)
		if err != nil {
			t.Error(err)
		}
		got <- a
	}()
	x.Decide(id, helvetest.Approve)
	wantEqual(t, (<-got).State, helve.ApprovalApproved)
	a, err := x.AwaitDecision(ctx, id)
	if err != nil || a.State != helve.ApprovalApproved {
		t.Fatal(a, err)
	}
	if _, err := x.AwaitDecision(t.Context(), id); !errors.Is(err, helve.ErrNoApproval) {
		t.Errorf("another tenant waits for it: %v", err)
	}
	pending := x.Call("act", `{"text":"x"}`).Pending.Approval
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if _, err := x.AwaitDecision(short, pending); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the end of patience: %v", err)
	}
}

// An approval expires while somebody waits for it.
func TestAwaitDecisionSeesTheExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := helvetest.NewExecutor(t, &helve.Config{ApprovalTTL: time.Hour}, helve.Must(helve.Func(contract("act", helve.Write), done)))
		a, err := x.AwaitDecision(t.Context(), x.Call("act", `{}`).Pending.Approval)
		if err != nil || a.State != helve.ApprovalExpired {
			t.Fatal(a, err)
		}
	})
}

// An approval belongs to its tenant: nobody else decides on it.
func TestDecideIsWithinTheTenant(t *testing.T) {
	x := helvetest.NewExecutor(t, nil, helve.Must(helve.Func(contract("act", helve.Write), done)))
	x.Scope.Tenant = "acme"
	id := x.Call("act", `{}`).Pending.Approval
	thief := helve.WithScope(t.Context(), helve.Scope{Tenant: "evil"})
	for _, ctx := range []context.Context{t.Context(), thief} {
		if _, err := x.Executor.Decide(ctx, id, helve.Decision{Approve: true}); !errors.Is(err, helve.ErrNoApproval) {
			t.Errorf("a stranger decided: %v", err)
		}
	}
	wantEqual(t, x.Decide(id, helvetest.Approve).State, helve.ApprovalApproved)
}

// A read borrows the caller's bytes while the call lasts. A handler that
// outlives its call still sees what was sent.
func TestLateHandlerKeepsItsArguments(t *testing.T) {
	for name, tool := range map[string]func(helve.Contract, helve.Handler) *helve.Tool{
		"typed": func(c helve.Contract, h helve.Handler) *helve.Tool {
			return helve.Must(helve.FuncReply(c, func(ctx context.Context, _ text) (*helve.Reply, error) { return h(ctx, helve.InvocationFrom(ctx)) }))
		},
		"raw": rawTool,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				seen := make(chan string, 2)
				x := helvetest.NewExecutor(t, nil, tool(contract("look", helve.Read, func(c *helve.Contract) { c.Timeout, c.Attempts = time.Second, 1 }),
					func(_ context.Context, inv *helve.Invocation) (*helve.Reply, error) {
						seen <- string(inv.Arguments())
						time.Sleep(time.Minute)
						seen <- string(inv.Arguments())
						return nil, nil
					}))
				sent := value(`{"text":"mine"}`)
				wantCode(t, x.Execute(t.Context(), &helve.Call{Tool: "look", Arguments: sent}), helve.CodeTimeout)
				copy(sent, `{"text":"evil"}`)
				wantEqual(t, []string{<-seen, <-seen}, []string{`{"text":"mine"}`, `{"text":"mine"}`})
				if err := x.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A handler that outlived its call succeeds after all: the run is told with its
// next call, once, and nobody else is.
func TestLateSuccessIsToldInTheNextCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := helve.Must(helve.Func(contract("send", helve.Write, func(c *helve.Contract) { c.Timeout = time.Second }),
			func(_ context.Context, in text) (string, error) {
				time.Sleep(time.Minute)
				if in.Text == "bad" {
					return "", helve.Errorf("own", "there is no such person")
				}
				return "sent", nil
			}))
		look := helve.Must(helve.Func(contract("look", helve.Read), func(context.Context, nothing) (string, error) { return "here", nil }))
		x := auto(helvetest.NewExecutor(t, nil, slow, look))
		wantCode(t, x.Call("send", `{}`), helve.CodeOutcomeUnknown)
		wantCode(t, x.Call("send", `{"text":"bad"}`), helve.CodeOutcomeUnknown)
		if e := envelope(t, x.Call("look", `{}`)); strings.Contains(e, "warnings") {
			t.Errorf("told before it is known: %s", e)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		x.Scope.Run = "another"
		if e := envelope(t, x.Call("look", `{}`)); strings.Contains(e, "warnings") {
			t.Errorf("another run is told: %s", e)
		}
		x.Scope.Run = "test"
		e := envelope(t, x.Call("look", `{}`))
		for _, says := range []string{"The outcome of send (call call_", "was not known: it was carried out, 1m0s after it was sent", "it failed and did nothing"} {
			if !strings.Contains(e, says) {
				t.Errorf("not told %q: %s", says, e)
			}
		}
		if e := envelope(t, x.Call("look", `{}`)); strings.Contains(e, "warnings") {
			t.Errorf("told twice: %s", e)
		}
		res := x.Call("send", `{}`)
		wantData(t, res, `"sent"`)
		wantEqual(t, res.Replayed, true)
		if err := x.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A call whose outcome is unknown is not sent again in its run, whoever sent it
// and under whatever key: a handler, a caller with a key of its own, the model.
func TestUnknownStandsUnderEveryKey(t *testing.T) {
	senders := map[string]func(x *helvetest.Executor) *helve.Result{
		"the model": func(x *helvetest.Executor) *helve.Result { return x.Call("charge", `{"text":"10"}`) },
		"a caller": func(x *helvetest.Executor) *helve.Result {
			call := &helve.Call{Tool: "charge", Arguments: value(`{"text":"10"}`), Key: "order-1"}
			return x.Execute(helve.WithScope(t.Context(), x.Scope), call)
		},
		"one handler":     func(x *helvetest.Executor) *helve.Result { return x.Call("order", `{"text":"10"}`) },
		"another handler": func(x *helvetest.Executor) *helve.Result { return x.Call("reorder", `{"text":"10"}`) },
	}
	for first, send := range senders {
		for second, again := range senders {
			if first == second {
				continue
			}
			t.Run(first+", then "+second, func(t *testing.T) {
				charge, n := counted(contract("charge", helve.Write), func(context.Context, text) (string, error) {
					return "", errors.New("connection reset")
				})
				passOn := func(name string) *helve.Tool {
					c := contract(name, helve.Write, func(c *helve.Contract) { c.Uses, c.Key = []string{"charge"}, helve.KeyCall })
					return helve.Must(helve.Func(c, func(ctx context.Context, in text) (string, error) {
						return "", helve.Invoke(ctx, "charge", in).Err()
					}))
				}
				x := auto(helvetest.NewExecutor(t, nil, charge, passOn("order"), passOn("reorder")))
				send(x)
				res := again(x)
				if e := envelope(t, res); res.OK() || !strings.Contains(e, "outcome is not known") {
					t.Errorf("envelope: %s", e)
				}
				wantEqual(t, n.Load(), 1)
			})
		}
	}
}

// What a person says to have happened is replayed, without data, whatever the type.
func TestResolvedByAPersonIsReplayed(t *testing.T) {
	x := auto(helvetest.NewExecutor(t, nil, helve.Must(helve.Func(contract("create", helve.Write), func(context.Context, text) (createdTask, error) {
		return createdTask{}, errors.New("connection reset")
	}))))
	wantCode(t, x.Call("create", `{}`), helve.CodeToolFailed)
	all, err := x.Store().Entries(t.Context(), helve.EntryFilter{Run: "test", State: helve.EntryUnknown})
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	err = x.Store().Finish(t.Context(), &helve.FinishParams{
		Token: &all[0].Token, State: helve.EntrySucceeded, Record: &helve.Record{Note: "A person found out that this happened."},
	})
	if err != nil {
		t.Fatal(err)
	}
	res := x.Call("create", `{}`)
	wantEqual(t, envelope(t, res), `{"ok":true,"note":"A person found out that this happened.","replayed":true}`)
}
