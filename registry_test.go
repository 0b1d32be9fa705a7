package helve_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

func named(name string, effect helve.Effect, edit ...func(*helve.Contract)) *helve.Tool {
	return helve.Must(helve.Func(contract(name, effect, edit...), done))
}

func names(r *helve.Registry) string {
	var out []string
	for t := range r.All() {
		out = append(out, t.Name())
	}
	return strings.Join(out, " ")
}

func TestRegistryFindsWhatShowsAmongSeveral(t *testing.T) {
	uses := func(names ...string) func(*helve.Contract) {
		return func(c *helve.Contract) { c.Uses = names }
	}
	alias := func(c *helve.Contract) { c.Aliases = []string{"old"} }
	cases := []struct {
		name  string
		tools []*helve.Tool
		says  []string
	}{
		{"a name twice", []*helve.Tool{named("a", helve.Read), named("a", helve.Write)}, []string{`tool "a" collides`, "Replace"}},
		{"an alias that is a name", []*helve.Tool{named("a", helve.Read, alias), named("old", helve.Read)}, []string{`alias "old" of tool "a"`}},
		{"an alias twice", []*helve.Tool{named("a", helve.Read, alias), named("b", helve.Read, alias)}, []string{"collides"}},
		{"a circle", []*helve.Tool{named("a", helve.Read, uses("b")), named("b", helve.Read, uses("c")), named("c", helve.Read, uses("a"))}, []string{"a -> b -> c -> a"}},
		{"a nil tool", []*helve.Tool{nil}, []string{"nil tool"}},
		{"an adapter of no alias", []*helve.Tool{named("a", helve.Read).WithAdapter("x", nil)}, []string{`"x"`, "Aliases"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			reg, err := helve.NewRegistry(named("kept", helve.Read))
			if err != nil {
				t.Fatal(err)
			}
			wantErrors(t, reg.Add(c.tools...), c.says...)
			wantEqual(t, names(reg), "kept") // all or none
		})
	}
	reg, err := helve.NewRegistry(named("a", helve.Read, uses("raed_file"), func(c *helve.Contract) { c.Verify = "cc" }), named("read_file", helve.Read))
	if err != nil {
		t.Fatal(err)
	}
	_, err = helve.NewExecutor(reg, nil)
	wantErrors(t, err, `Uses names "raed_file"`, `Verify names "cc"`, `did you mean "read_file"`)
	_, err = helve.NewExecutor(reg, &helve.Config{Observers: []helve.Observer{42}})
	wantErrors(t, err, "observer 1 (int)", "Uses")
	_, err = helve.NewExecutor(nil, nil)
	wantErrors(t, err, "registry")
}

func TestViewsAreLive(t *testing.T) {
	tag := func(area, team string) func(*helve.Contract) {
		return func(c *helve.Contract) { c.Tags = map[string]string{"area": area, "team": team} }
	}
	reg, err := helve.NewRegistry(named("w", helve.Write, tag("mail", "x")), named("r", helve.Read, tag("mail", "y")))
	if err != nil {
		t.Fatal(err)
	}
	reads := reg.Only(helve.Read)
	both := reg.Tagged(map[string]string{"area": "mail", "team": "x"})
	short := reg.Only(helve.Read, helve.Write).Filter(func(t *helve.Tool) bool { return len(t.Name()) < 3 })
	wantEqual(t, []string{names(reads), names(both), names(short), names(reg.Only())}, []string{"r", "w", "r w", ""})
	if err := reg.Add(named("r2", helve.Read, tag("mail", "x")), named("long", helve.Read)); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, []string{names(reads), names(both), names(short)}, []string{"long r r2", "r2 w", "r r2 w"})
	if err := reg.Remove("r2", "nobody"); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, names(both), "w")
	for _, err := range []error{reads.Add(named("x", helve.Read)), reads.Remove("r"), reads.Replace(named("r", helve.Read))} {
		wantErrors(t, err, "view")
	}
	wantErrors(t, reg.Replace(named("x", helve.Read)), "none to replace")
	wantErrors(t, reg.Replace(nil), "nil")
	if _, ok := reads.Lookup("w"); ok {
		t.Error("a view of reads has a write")
	}
	var zero helve.Registry
	wantEqual(t, zero.Len(), 0)
}

// A view may leave out what its tools name: the model is then not sent to a tool
// that it cannot call.
func TestViewsMayLeaveOutWhatToolsName(t *testing.T) {
	act := helve.Must(helve.Func(contract("act", helve.Write, func(c *helve.Contract) { c.Verify = "look" }), func(context.Context, text) (string, error) {
		return "", errBackend
	}))
	reg, err := helve.NewRegistry(act, named("look", helve.Read))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tools *helve.Registry
		says  string
	}{{reg, "Check with look"}, {reg.Only(helve.Write), "Ask the user to check"}} {
		x, err := helve.NewExecutor(c.tools, nil)
		if err != nil {
			t.Fatal(err)
		}
		res := x.Execute(helve.WithScope(t.Context(), helve.Scope{Autonomy: helve.Auto}), &helve.Call{Tool: "act"})
		if !strings.Contains(res.Error.Suggestion, c.says) {
			t.Errorf("suggestion: %s", res.Error.Suggestion)
		}
	}
}

func TestHiddenToolsAreNotShown(t *testing.T) {
	reg, err := helve.NewRegistry(named("a", helve.Read), named("h", helve.Read, func(c *helve.Contract) { c.Hidden = true }))
	if err != nil {
		t.Fatal(err)
	}
	var visible []string
	for _, c := range reg.Contracts() {
		visible = append(visible, c.Name)
	}
	wantEqual(t, visible, []string{"a"})
	wantEqual(t, reg.Len(), 2)
}

// A call sees the registry as it was when it began.
func TestReplacingDuringACall(t *testing.T) {
	var reg *helve.Registry
	inner := func(answer string) *helve.Tool {
		return helve.Must(helve.Func(contract("inner", helve.Read), func(context.Context, text) (string, error) { return answer, nil }))
	}
	outer := helve.Must(helve.Func(contract("outer", helve.Read, func(c *helve.Contract) { c.Uses = []string{"inner"} }),
		func(ctx context.Context, _ text) (string, error) {
			if err := reg.Replace(inner("new")); err != nil {
				return "", err
			}
			var s string
			err := helve.Invoke(ctx, "inner", nothing{}).Decode(&s)
			return s, err
		}))
	reg, err := helve.NewRegistry(inner("old"), outer)
	if err != nil {
		t.Fatal(err)
	}
	x, err := helve.NewExecutor(reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantData(t, x.Execute(t.Context(), &helve.Call{Tool: "outer"}), `"old"`)
	wantData(t, x.Execute(t.Context(), &helve.Call{Tool: "inner"}), `"new"`)
}

func TestMiddlewareWrapsExecutionOnly(t *testing.T) {
	var log []string
	mw := func(name string) helve.Middleware {
		return func(next helve.Handler) helve.Handler {
			return func(ctx context.Context, inv *helve.Invocation) (*helve.Reply, error) {
				log = append(log, name+" "+inv.Tool())
				return next(ctx, inv)
			}
		}
	}
	plain := named("act", helve.Write)
	tool := helve.Wrap(plain, mw("inner 1"), mw("inner 2"))
	wantEqual(t, tool.Digest(), plain.Digest())
	x := helvetest.NewExecutor(t, &helve.Config{Middleware: []helve.Middleware{mw("outer")}}, tool)
	wantEqual(t, x.Call("act", `{}`).Pending != nil, true)
	wantEqual(t, len(log), 0)
	auto(x).Call("act", `{}`)
	x.Call("act", `{}`) // a replay
	wantEqual(t, log, []string{"outer act", "inner 1 act", "inner 2 act"})
	// A tool can be wrapped into another one by its handler.
	con := contract("other", helve.Read)
	con.Input = plain.Contract().Input
	again := helve.Must(helve.New(con, func(ctx context.Context, inv *helve.Invocation) (*helve.Reply, error) {
		return plain.Handler()(ctx, inv)
	}))
	y := helvetest.NewExecutor(t, nil, again)
	wantData(t, y.Call("other", `{"text":"x"}`), `"done"`)
}

func TestCloseDrains(t *testing.T) {
	started := make(chan struct{}, 2)
	release := make(chan struct{})
	tool := helve.Must(helve.Func(contract("wait", helve.Read), func(ctx context.Context, in text) (string, error) {
		started <- struct{}{}
		if in.Text == "stubborn" {
			<-release
			return "late", nil
		}
		select {
		case <-release:
			return "done", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}))
	open := func() (*helve.Executor, func(string) chan *helve.Result) {
		reg, err := helve.NewRegistry(tool)
		if err != nil {
			t.Fatal(err)
		}
		x, err := helve.NewExecutor(reg, &helve.Config{Grace: 20 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		return x, func(s string) chan *helve.Result {
			c := make(chan *helve.Result, 1)
			go func() {
				c <- x.Execute(context.Background(), &helve.Call{Tool: "wait", Arguments: value(`{"text":"` + s + `"}`)})
			}()
			<-started
			return c
		}
	}
	x, begin := open()
	res := begin("a")
	closed := make(chan error)
	go func() { closed <- x.Close(context.Background()) }()
	for { // until the close has begun, and then forever
		if r := x.Execute(t.Context(), &helve.Call{Tool: "nobody"}); r.Code() == helve.CodeUnavailable {
			break
		}
	}
	release <- struct{}{}
	wantData(t, <-res, `"done"`)
	if err := <-closed; err != nil {
		t.Error(err)
	}

	// What runs on after the deadline of the close is cancelled.
	x, begin = open()
	res = begin("a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.Close(ctx); err != nil {
		t.Error(err)
	}
	wantCode(t, <-res, helve.CodeCanceled)

	// What ignores its cancellation is told.
	x, begin = open()
	res = begin("stubborn")
	wantErrors(t, x.Close(ctx), "1 handlers")
	wantCode(t, <-res, helve.CodeCanceled)
	close(release)
	if err := x.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestObserversSeeAndChangeNothing(t *testing.T) {
	fails := true
	tool := helve.Must(helve.Func(contract("act", helve.Read), func(ctx context.Context, in text) (string, error) {
		helve.Progress(ctx, 1, 4, "a quarter")
		if fails {
			fails = false
			return "", errBackend
		}
		return "done", nil
	}))
	for _, content := range []bool{false, true} {
		fails = true
		rec := &helvetest.Recorder{}
		x := helvetest.NewExecutor(t, &helve.Config{ObserveContent: content, Observers: []helve.Observer{panickingObserver{}, rec, helve.LogObserver(slog.New(slog.DiscardHandler))}}, tool)
		wantData(t, x.Call("act", `{"text":"in"}`), `"done"`)
		wantData(t, x.Call("act", `{"text":"in"}`), `"done"`)
		start, end := helvetest.Of[helve.CallStarted](rec)[0], helvetest.Of[helve.CallEnded](rec)[0]
		progress, retry := helvetest.Of[helve.CallProgressed](rec)[0], helvetest.Of[helve.CallRetried](rec)[0]
		want := []string{"", "", "", ""}
		if content {
			want = []string{`{"text":"in"}`, `{"ok":true,"data":"done"}`, "a quarter", "connection reset by peer"}
		}
		wantEqual(t, []string{string(start.Arguments), string(end.Envelope), progress.Message, retry.Message}, want)
		wantEqual(t, []any{end.Attempts, end.Size, progress.Done, retry.Attempt, retry.Code}, []any{2, 6, 1.0, 1, helve.CodeToolFailed})
	}
}

func TestInvocationTellsWhatACallIs(t *testing.T) {
	con := contract("act", helve.Write)
	con.Key = helve.KeyFrom("key")
	var inv *helve.Invocation
	var outside error
	tool := helve.Must(helve.Func(con, func(ctx context.Context, _ keyed) (string, error) {
		inv = helve.InvocationFrom(ctx)
		_, outside = helve.Credential(ctx, "none")
		return "", nil
	}))
	x := auto(helvetest.NewExecutor(t, nil, tool))
	x.Scope.Budget = &helve.Budget{Calls: 5}
	x.Call("act", `{"key":"k-1"}`)
	wantEqual(t, []any{inv.Key(), inv.Tool(), inv.Attempt(), inv.Effect(), inv.Resumed()}, []any{"k-1", "act", 1, helve.Write, false})
	inv.Scope().Budget.Calls = 999
	wantEqual(t, x.Scope.Budget.Calls, 5)
	wantErrors(t, outside, "not declared", "Contract.Credentials")
	if _, err := helve.Credential(t.Context(), "x"); err == nil {
		t.Error("a credential outside of a handler")
	}
	if helve.InvocationFrom(t.Context()) != nil {
		t.Error("an invocation outside of a handler")
	}
	if res := helve.Invoke(t.Context(), "act", nil); res.OK() {
		t.Error("a nested call outside of a handler")
	}
	helve.Progress(t.Context(), 1, 1, "does nothing")
	// An opaque key is the same for the same call, and another for another tenant.
	key := func(tenant, args string) string {
		x.Scope = helve.Scope{Tenant: tenant, Run: "r", Autonomy: helve.Auto}
		x.Call("plain", args)
		return inv.Key()
	}
	plain := helve.Must(helve.Func(contract("plain", helve.Write, func(c *helve.Contract) { c.Idempotent = true }), func(ctx context.Context, _ text) (string, error) {
		inv = helve.InvocationFrom(ctx)
		return "", nil
	}))
	if err := x.Tools().Add(plain); err != nil {
		t.Fatal(err)
	}
	keys := []string{key("a", `{"text":"1"}`), key("b", `{"text":"1"}`), key("a", `{"text":"2"}`)}
	slices.Sort(keys)
	wantEqual(t, len(slices.Compact(keys)), 3)
	wantEqual(t, strings.HasPrefix(keys[0], "helve_"), true)
}

func TestCallerKeyHoldsAcrossRuns(t *testing.T) {
	tool, ran := counted(contract("act", helve.Write), done)
	x := auto(helvetest.NewExecutor(t, nil, tool))
	call := func(run, key string) *helve.Result {
		x.Scope.Run = run
		return x.Execute(helve.WithScope(t.Context(), x.Scope), &helve.Call{Tool: "act", Key: key})
	}
	call("1", "k")
	wantEqual(t, call("2", "k").Replayed, true)
	wantEqual(t, call("2", "other").Replayed, false)
	wantEqual(t, ran.Load(), 2)
}

func TestKeyCallMeansEveryCall(t *testing.T) {
	tool, ran := counted(contract("act", helve.Write, func(c *helve.Contract) { c.Key = helve.KeyCall }), done)
	x := auto(helvetest.NewExecutor(t, nil, tool))
	ctx := helve.WithScope(t.Context(), x.Scope)
	for _, id := range []string{"c1", "c2", "c1"} {
		x.Execute(ctx, &helve.Call{ID: id, Tool: "act"})
	}
	wantEqual(t, ran.Load(), 2)
	// Without a run, the default behaves the same, and subjects do not share ids.
	plain, ran := counted(contract("plain", helve.Write), done)
	if err := x.Tools().Add(plain); err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{"ann", "bob", "ann"} {
		ctx := helve.WithScope(t.Context(), helve.Scope{Subject: subject, Autonomy: helve.Auto})
		x.Execute(ctx, &helve.Call{ID: "c1", Tool: "plain"})
	}
	wantEqual(t, ran.Load(), 2)
}

// An unknown outcome of a call in the run is found by what it does, also where
// each call has a key of its own.
func TestUnknownTwinIsFound(t *testing.T) {
	tool, ran := counted(contract("act", helve.Write, func(c *helve.Contract) { c.Key = helve.KeyCall }), func(context.Context, text) (string, error) {
		return "", errBackend
	})
	x := auto(helvetest.NewExecutor(t, nil, tool))
	wantCode(t, x.Call("act", `{}`), helve.CodeToolFailed)
	wantCode(t, x.Call("act", `{}`), helve.CodeOutcomeUnknown)
	wantEqual(t, ran.Load(), 1)
}
