package helve_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
	"helve.dev/helve/schema"
)

// Each stage that ends a call does so before the handler: one test a stage.

func TestStage1UnknownTool(t *testing.T) {
	secret := contract("internal_step", helve.Read)
	secret.Hidden = true
	hidden, ran := counted(secret, done)
	x := helvetest.NewExecutor(t, nil, cityPopulation(), hidden)
	res := x.Call("city_populaton", `{}`)
	wantCode(t, res, helve.CodeUnknownTool)
	wantEqual(t, res.Error.Suggestion, `Did you mean "city_population"?`)
	// A hidden tool looks as one that is not there.
	mask := func(s string) string { return strings.ReplaceAll(s, "internal_step", "xxxxxxxx_step") }
	wantEqual(t, mask(envelope(t, x.Call("internal_step", `{}`))), envelope(t, x.Call("xxxxxxxx_step", `{}`)))
	wantEqual(t, ran.Load(), 0)
	// From Go it can be called.
	got, err := helve.ExecuteAs[string](t.Context(), x.Executor, &helve.Call{Tool: "internal_step"})
	if err != nil || got != "done" {
		t.Errorf("from Go: %q, %v", got, err)
	}
}

func TestStage2InvalidInput(t *testing.T) {
	type In struct {
		Range string `json:"range" enum:"today,week"`
		Limit int    `json:"limit,omitzero"`
	}
	ran := 0
	tool := helve.Must(helve.Func(contract("events", helve.Write), func(context.Context, In) (string, error) {
		ran++
		return "", nil
	}))
	policy := helve.PolicyFunc(func(context.Context, *helve.Request) (helve.Ruling, error) {
		t.Error("the policy was asked about arguments that are not valid")
		return helve.Ruling{}, nil
	})
	x := helvetest.NewExecutor(t, &helve.Config{Policy: policy}, tool)
	helvetest.Golden(t, "envelope_invalid_input", x.Call("events", `{"range":"month","limt":3}`))
	for _, garbage := range []string{
		`{"range":"today","range":"week"}`, `{"range":"today","r\u0061nge":"week"}`, // B26
		`{"range":`, `[1]`, `"today"`, `{"range":"today"} x`, "{\"range\":\"\xff\"}", `{'range':'today'}`, `{"range":"today",}`, `NaN`,
		strings.Repeat(`{"a":`, 100), `{"range":"` + strings.Repeat("x", helve.MaxArguments) + `"}`,
	} {
		res := x.Call("events", garbage)
		wantCode(t, res, helve.CodeInvalidInput)
		if e := envelope(t, res); len(e) > 2000 || strings.Contains(e, "Go ") || strings.Contains(e, "helve_test") {
			t.Errorf("the envelope is long or names Go: %s", e)
		}
	}
	wantEqual(t, ran, 0)
}

// B22, B23: nothing is {}; null is absent where the schema says optional.
func TestEmptyArgumentsAndNulls(t *testing.T) {
	type In struct {
		Zone string  `json:"zone" default:"UTC"`
		Note *string `json:"note,omitzero"`
	}
	var got []In
	tool := helve.Must(helve.Func(contract("now", helve.Read), func(_ context.Context, in In) (string, error) {
		got = append(got, in)
		return "", nil
	}))
	x := helvetest.NewExecutor(t, nil, tool)
	for _, args := range []string{"", "null", " \n\t", "{}", `{"zone":null}`, `{"zone":null,"note":null}`} {
		if res := x.Call("now", args); !res.OK() {
			t.Errorf("%q: %s", args, envelope(t, res))
		}
	}
	for _, in := range got {
		wantEqual(t, in, In{Zone: "UTC"})
	}
	type Must struct {
		City string `json:"city"`
	}
	x = helvetest.NewExecutor(t, nil, helve.Must(helve.Func(contract("must", helve.Read), func(context.Context, Must) (string, error) { return "", nil })))
	for _, args := range []string{"", "null", "{}", `{"city":null}`} {
		res := x.Call("must", args)
		wantCode(t, res, helve.CodeInvalidInput)
		wantEqual(t, res.Error.Faults[0].Path, "/city")
	}
}

// B17: integers are exact, or refused.
func TestB17ExactIntegers(t *testing.T) {
	type In struct {
		ID   int64  `json:"id"`
		Unit string `json:"unit" default:"m"`
	}
	var got int64
	tool := helve.Must(helve.Func(contract("get", helve.Read), func(_ context.Context, in In) (int64, error) {
		got = in.ID
		return in.ID, nil
	}))
	x := helvetest.NewExecutor(t, nil, tool)
	for args, want := range map[string]int64{
		`{"id":9007199254740993}`: 9007199254740993, `{"id":9223372036854775807}`: 9223372036854775807,
		`{"id":-9223372036854775808}`: -9223372036854775808, `{"id":1.0}`: 1, `{"id":1e3}`: 1000, `{"id":9007199254740993.0}`: 9007199254740993,
	} {
		wantData(t, x.Call("get", args), fmt.Sprint(want))
		wantEqual(t, got, want)
	}
	for _, bad := range []string{`{"id":9223372036854775808}`, `{"id":1.5}`, `{"id":1e400}`} {
		res := x.Call("get", bad)
		wantCode(t, res, helve.CodeInvalidInput)
		wantEqual(t, res.Error.Faults[0].Path, "/id")
		if strings.Contains(envelope(t, res), "int64") {
			t.Errorf("a Go type is named: %s", envelope(t, res))
		}
	}
}

func TestStage3Denied(t *testing.T) {
	boom := errors.New("no policy server")
	policies := map[string]helve.Policy{
		"says no": helve.PolicyFunc(func(context.Context, *helve.Request) (helve.Ruling, error) {
			return helve.Ruling{Reason: "not on Sundays"}, nil
		}),
		"fails": helve.PolicyFunc(func(context.Context, *helve.Request) (helve.Ruling, error) {
			return helve.Ruling{Verdict: helve.Preapprove}, boom
		}),
		"panics":  helve.PolicyFunc(func(context.Context, *helve.Request) (helve.Ruling, error) { panic("policy") }),
		"unknown": helve.PolicyFunc(func(context.Context, *helve.Request) (helve.Ruling, error) { return helve.Ruling{Verdict: 99}, nil }),
	}
	for name, p := range policies {
		t.Run(name, func(t *testing.T) {
			read, reads := counted(contract("read", helve.Read), done)
			write, writes := counted(contract("write", helve.Write), done)
			x := auto(helvetest.NewExecutor(t, &helve.Config{Policy: p}, read, write))
			wantCode(t, x.Call("read", `{}`), helve.CodeDenied)
			wantCode(t, x.Call("write", `{}`), helve.CodeDenied)
			wantEqual(t, reads.Load()+writes.Load(), 0)
		})
	}
}

func TestForbidAndViewsRefuse(t *testing.T) {
	wipe, wiped := counted(contract("wipe", helve.Destructive), done)
	x := auto(helvetest.NewExecutor(t, &helve.Config{Forbid: []helve.Effect{helve.Destructive}}, wipe))
	wantCode(t, x.Call("wipe", `{}`), helve.CodeDenied)

	type In struct {
		Command string `json:"command" enum:"view,create"`
	}
	con := contract("memory", helve.Write)
	con.EffectBy = helve.EffectBy{Arg: "command", Values: map[string]helve.Effect{"view": helve.Read}}
	ran := 0
	memory := helve.Must(helve.Func(con, func(context.Context, In) (string, error) { ran++; return "", nil }))
	reg, err := helve.NewRegistry(wipe, memory)
	if err != nil {
		t.Fatal(err)
	}
	readOnly, err := helve.NewExecutor(reg.Only(helve.Read), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := helve.WithScope(t.Context(), helve.Scope{Autonomy: helve.Auto})
	call := func(tool, args string) *helve.Result {
		return readOnly.Execute(ctx, &helve.Call{Tool: tool, Arguments: value(args)})
	}
	wantCode(t, call("wipe", `{}`), helve.CodeUnknownTool)
	wantCode(t, call("memory", `{"command":"create"}`), helve.CodeDenied)
	wantEqual(t, []any{ran, wiped.Load()}, []any{0, int32(0)})
	wantCode(t, call("memory", `{"command":"view"}`), "")
	wantEqual(t, ran, 1)
}

func TestWhoIsAsked(t *testing.T) {
	always := func(c *helve.Contract) { c.Approval = helve.AskAlways }
	cases := []struct {
		name     string
		effect   helve.Effect
		edit     func(*helve.Contract)
		autonomy helve.Autonomy
		verdict  helve.Verdict
		asked    bool
	}{
		{"a read under gated", helve.Read, nil, helve.Gated, helve.Allow, false},
		{"a write under gated", helve.Write, nil, helve.Gated, helve.Allow, true},
		{"a preapproved write under gated", helve.Write, nil, helve.Gated, helve.Preapprove, false},
		{"a write under auto", helve.Write, nil, helve.Auto, helve.Allow, false},
		{"a read under manual", helve.Read, nil, helve.Manual, helve.Allow, true},
		{"a preapproved read under manual", helve.Read, nil, helve.Manual, helve.Preapprove, true},
		{"a destructive call under auto", helve.Destructive, nil, helve.Auto, helve.Allow, true},
		{"a preapproved destructive call", helve.Destructive, nil, helve.Auto, helve.Preapprove, false},
		{"the contract, preapproved under auto", helve.Write, always, helve.Auto, helve.Preapprove, true},
		{"the contract of a read", helve.Read, always, helve.Auto, helve.Allow, true},
		{"the policy under auto", helve.Read, nil, helve.Auto, helve.Ask, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			con := contract("act", c.effect)
			if c.edit != nil {
				c.edit(&con)
			}
			tool, ran := counted(con, done)
			policy := helve.PolicyFunc(func(context.Context, *helve.Request) (helve.Ruling, error) {
				return helve.Ruling{Verdict: c.verdict}, nil
			})
			x := helvetest.NewExecutor(t, &helve.Config{Policy: policy}, tool)
			x.Scope.Autonomy = c.autonomy
			res := x.Call("act", `{}`)
			wantEqual(t, res.Pending != nil, c.asked)
			wantEqual(t, ran.Load() == 0, c.asked)
		})
	}
}

func TestRulesDenyBeatsAskBeatsTheRest(t *testing.T) {
	fails := func(context.Context, *helve.Request) (bool, error) { return false, errors.New("no data") }
	panics := func(context.Context, *helve.Request) (bool, error) { panic("no data") }
	deny, ask, pre := helve.Rule{Verdict: helve.Deny, Name: "deny"}, helve.Rule{Verdict: helve.Ask, Name: "ask"}, helve.Rule{Verdict: helve.Preapprove, Name: "pre"}
	for _, c := range []struct {
		rules helve.Rules
		want  helve.Verdict
	}{
		{nil, helve.Allow},
		{helve.Rules{pre}, helve.Preapprove},
		{helve.Rules{pre, ask}, helve.Ask},
		{helve.Rules{ask, deny, pre}, helve.Deny},
		{helve.Rules{{Tools: []string{"other"}, Verdict: helve.Deny}}, helve.Allow},
		{helve.Rules{{Effects: []helve.Effect{helve.Write}, Verdict: helve.Deny}}, helve.Allow},
		{helve.Rules{{When: fails, Verdict: helve.Preapprove}}, helve.Ask},
		{helve.Rules{{When: panics, Verdict: helve.Allow}}, helve.Ask},
		{helve.Rules{{}}, helve.Deny},
	} {
		con := contract("act", helve.Read)
		got, err := c.rules.Decide(t.Context(), &helve.Request{Contract: &con, Effect: helve.Read})
		if err != nil || got.Verdict != c.want {
			t.Errorf("%+v: %v, %v; want %v", c.rules, got.Verdict, err, c.want)
		}
		both, err := helve.Policies(helve.Rules{pre}, c.rules).Decide(t.Context(), &helve.Request{Contract: &con, Effect: helve.Read})
		if want := max(c.want, helve.Preapprove); err != nil || c.want >= helve.Allow && both.Verdict != want {
			t.Errorf("combined: %v, %v", both.Verdict, err)
		}
	}
	none, err := helve.Policies().Decide(t.Context(), &helve.Request{})
	if err != nil || none.Verdict != helve.Deny {
		t.Errorf("no policies: %v, %v", none, err)
	}
}

func TestStage6Credentials(t *testing.T) {
	con := contract("fetch", helve.Write)
	con.Credentials, con.Key = []string{"api-key"}, helve.KeyFrom("key")
	ran := 0
	tool := helve.Must(helve.Func(con, func(context.Context, keyed) (string, error) { ran++; return "", nil }))
	for name, creds := range map[string]helve.Credentials{
		"none": nil,
		"fails": helve.CredentialFunc(func(context.Context, helve.Scope, string) (helve.Secret, error) {
			return helve.Secret{}, errors.New("vault 10.1.2.3 is sealed")
		}),
		"empty":  helve.CredentialFunc(func(context.Context, helve.Scope, string) (helve.Secret, error) { return helve.NewSecret(""), nil }),
		"panics": helve.CredentialFunc(func(context.Context, helve.Scope, string) (helve.Secret, error) { panic("vault") }),
	} {
		t.Run(name, func(t *testing.T) {
			x := auto(helvetest.NewExecutor(t, &helve.Config{Credentials: creds}, tool))
			res := x.Call("fetch", `{"key":"k"}`)
			wantCode(t, res, helve.CodeUnavailable)
			if strings.Contains(envelope(t, res), "10.1.2.3") {
				t.Error("where the credentials lie is told to the model")
			}
			if e := entryOf(t, x, "fetch", "argument:k"); e != nil {
				t.Errorf("something was claimed: %+v", e)
			}
		})
	}
	wantEqual(t, ran, 0)
}

func TestStage6RateAndConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		con := contract("fast", helve.Read)
		con.Rate = helve.Rate{Calls: 2, Per: time.Minute}
		tool, ran := counted(con, done)
		x := helvetest.NewExecutor(t, nil, tool)
		x.Call("fast", `{"text":"1"}`)
		x.Call("fast", `{"text":"2"}`)
		res := x.Call("fast", `{"text":"3"}`)
		wantCode(t, res, helve.CodeRateLimited)
		wantEqual(t, []any{res.Error.Retryable, res.Error.RetryAfter}, []any{true, 30 * time.Second})
		time.Sleep(res.Error.RetryAfter)
		wantCode(t, x.Call("fast", `{"text":"3"}`), "")
		wantEqual(t, ran.Load(), 3)
	})
	synctest.Test(t, func(t *testing.T) {
		con := contract("narrow", helve.Read)
		con.Limit, con.Timeout = 1, time.Second
		con.Attempts = 1
		var inside, most atomic.Int32
		tool := helve.Must(helve.Func(con, func(ctx context.Context, in text) (string, error) {
			most.Store(max(most.Load(), inside.Add(1)))
			defer inside.Add(-1)
			time.Sleep(600 * time.Millisecond)
			return "", nil
		}))
		x := helvetest.NewExecutor(t, nil, tool)
		var calls []*helve.Call
		for i := range 3 {
			calls = append(calls, &helve.Call{Tool: "narrow", Arguments: value(fmt.Sprintf(`{"text":"%d"}`, i))})
		}
		codes := map[helve.Code]int{}
		for _, res := range x.ExecuteAll(t.Context(), calls) {
			codes[res.Code()]++
		}
		wantEqual(t, most.Load(), 1)
		// The second waits its turn and is ended by its own deadline; waiting
		// ends at the deadline too.
		if codes[""] == 0 || codes[helve.CodeRateLimited]+codes[helve.CodeTimeout] == 0 {
			t.Errorf("codes: %v", codes)
		}
	})
}

func TestReadCachePerScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		con := contract("list", helve.Read)
		con.Idempotent, con.CacheFor = true, time.Minute
		list, reads := counted(con, done)
		write, _ := counted(contract("write", helve.Write), done)
		x := auto(helvetest.NewExecutor(t, nil, list, write))
		first := x.Call("list", `{}`)
		wantEqual(t, first.Cached, false)
		copy(first.Data, `"evil"`) // it belongs to the caller
		second := x.Call("list", `{}`)
		wantEqual(t, []any{second.Cached, string(second.Data)}, []any{true, `"done"`})
		wantEqual(t, x.Call("list", `{"text":"other"}`).Cached, false)
		x.Scope.Tenant = "other"
		wantEqual(t, x.Call("list", `{}`).Cached, false)
		x.Scope.Tenant = ""
		x.Call("write", `{}`) // a finished effect empties its scope
		wantEqual(t, x.Call("list", `{}`).Cached, false)
		wantEqual(t, x.Call("list", `{}`).Cached, true)
		time.Sleep(2 * time.Minute)
		wantEqual(t, x.Call("list", `{}`).Cached, false)
		wantEqual(t, reads.Load(), 5)
	})
}

// Memory: a view after a write shows the write; a view is never a replay.
func TestBehaviour15ViewsAreNoReplays(t *testing.T) {
	type In struct {
		Command string `json:"command" enum:"view,create"`
		Path    string `json:"path,omitzero"`
	}
	con := contract("memory", helve.Write)
	con.EffectBy = helve.EffectBy{Arg: "command", Values: map[string]helve.Effect{"view": helve.Read}}
	var files []string
	tool := helve.Must(helve.Func(con, func(_ context.Context, in In) ([]string, error) {
		if in.Command == "create" {
			files = append(files, in.Path)
		}
		return files, nil
	}))
	x := helvetest.NewExecutor(t, nil, tool)
	x.Approver = helvetest.Approve
	x.Call("memory", `{"command":"create","path":"a"}`)
	wantData(t, x.Call("memory", `{"command":"view"}`), `["a"]`)
	x.Call("memory", `{"command":"create","path":"b"}`)
	wantData(t, x.Call("memory", `{"command":"view"}`), `["a","b"]`)
	x.Approver = nil
	wantEqual(t, x.Call("memory", `{"command":"create","path":"c"}`).Pending != nil, true)
}

func TestAliasesAndDeprecation(t *testing.T) {
	type In struct {
		MaxDepth int    `json:"maxDepth" default:"3"`
		Old      string `json:"old,omitzero" doc:"An old thing."`
	}
	con := contract("tree", helve.Read)
	con.Aliases, con.Deprecated = []string{"list_tree", "dir"}, "use walk"
	con.ParamAliases = map[string]string{"depth": "maxDepth"}
	con.DeprecatedParams = map[string]string{"old": "it does nothing."}
	tool := helve.Must(helve.Func(con, func(_ context.Context, in In) (int, error) { return in.MaxDepth, nil })).
		WithAdapter("dir", func(args jsontext.Value) (jsontext.Value, error) {
			return jsontext.Value(strings.ReplaceAll(string(args), "levels", "maxDepth")), nil
		})
	x := helvetest.NewExecutor(t, nil, tool)
	res := x.Call("list_tree", `{"depth":1,"old":"x"}`)
	wantData(t, res, "1")
	wantEqual(t, res.Tool, "tree")
	ended := helvetest.Of[helve.CallEnded](x.Events)[0]
	wantEqual(t, ended.Alias, "list_tree")
	wantEqual(t, ended.Deprecated, []string{"list_tree", "/depth", "/old"})
	wantData(t, x.Call("dir", `{"levels":7}`), "7")
	both := x.Call("tree", `{"depth":1,"maxDepth":2}`)
	wantCode(t, both, helve.CodeInvalidInput)
	c := tool.Contract()
	if m := c.ModelText(); !strings.Contains(m, "Deprecated: use walk") {
		t.Errorf("the model is not told: %s", m)
	}
	if s := c.Input.String(); !strings.Contains(s, "An old thing. Deprecated: it does nothing.") || !strings.Contains(s, `"deprecated":true`) {
		t.Errorf("the parameter does not say so: %s", s)
	}
}

// B25: an unknown argument is refused at any depth, with the likely name.
func TestB25UnknownArgument(t *testing.T) {
	type Filter struct {
		MaxDepth int `json:"maxDepth,omitzero"`
	}
	type In struct {
		MaxDepth int    `json:"maxDepth,omitzero"`
		Filter   Filter `json:"filter,omitzero"`
	}
	tool := helve.Must(helve.Func(contract("tree", helve.Read), func(context.Context, In) (string, error) { return "", nil }))
	x := helvetest.NewExecutor(t, nil, tool)
	for args, path := range map[string]string{`{"depth":1}`: "/depth", `{"filter":{"depth":1}}`: "/filter/depth"} {
		res := x.Call("tree", args)
		wantCode(t, res, helve.CodeInvalidInput)
		wantEqual(t, res.Error.Faults, []helve.Fault{{Path: path, Problem: "unknown", Suggestion: "maxDepth"}})
	}
}

// What a raw handler gets are the bytes that were authorised.
func TestRawHandlerGetsSettledBytes(t *testing.T) {
	con := contract("proxy", helve.Read)
	con.Input = schema.MustParse(`{"type":"object","properties":{"id":{"type":"integer"},"unit":{"type":"string","default":"m"}},"required":["id"]}`)
	var got string
	tool := helve.Must(helve.New(con, func(_ context.Context, inv *helve.Invocation) (*helve.Reply, error) {
		args := inv.Arguments()
		got = string(args)
		args[0] = 'x' // a copy: it changes nothing
		if string(inv.Arguments()) != got {
			t.Error("the arguments can be changed")
		}
		return nil, nil
	}))
	x := helvetest.NewExecutor(t, nil, tool)
	wantData(t, x.Call("proxy", `{"id":1.0}`), "null")
	wantEqual(t, got, `{"id":1.0,"unit":"m"}`)
	sent := []byte(`{"id":12345,"unit":"k"}`)
	policy := helve.PolicyFunc(func(_ context.Context, r *helve.Request) (helve.Ruling, error) {
		copy(sent, `{"id":99999`) // the caller reuses its buffer while the call runs
		r.Arguments[1] = 'x'
		r.Contract.Effect = 0
		return helve.Ruling{Verdict: helve.Allow}, nil
	})
	x = helvetest.NewExecutor(t, &helve.Config{Policy: policy}, tool)
	x.Execute(t.Context(), &helve.Call{Tool: "proxy", Arguments: sent})
	wantEqual(t, got, `{"id":12345,"unit":"k"}`)
}

// B19, B20: nothing is coerced unless the executor says so; then it is exact,
// and stands in the audit.
func TestB19Coerce(t *testing.T) {
	type Task struct {
		Title string `json:"title"`
	}
	type In struct {
		Depth int    `json:"depth"`
		Deep  bool   `json:"deep"`
		Name  string `json:"name"`
		ID    int64  `json:"id"`
		Task  *Task  `json:"task,omitzero"`
	}
	var got In
	tool := helve.Must(helve.Func(contract("get", helve.Read), func(_ context.Context, in In) (string, error) {
		got = in
		return "", nil
	}))
	args := `{"depth":"3","deep":"true","name":"007","id":"1234567890123456789"}`
	strict := helvetest.NewExecutor(t, nil, tool)
	res := strict.Call("get", args)
	wantCode(t, res, helve.CodeInvalidInput)
	var sends []string
	for _, f := range res.Error.Faults {
		sends = append(sends, f.Path+" "+f.Suggestion)
	}
	wantEqual(t, sends, []string{"/depth 3", "/deep true", "/id 1234567890123456789"})

	x := helvetest.NewExecutor(t, &helve.Config{Coerce: true}, tool)
	res = x.Call("get", args)
	wantCode(t, res, "")
	wantEqual(t, got, In{Depth: 3, Deep: true, Name: "007", ID: 1234567890123456789})
	audit, _ := x.Store().Audit(t.Context(), helve.AuditFilter{Run: "test"})
	if len(audit) != 1 || audit[0].Kind != "coerced" || !strings.Contains(audit[0].Note, "/depth was read as 3") || len(res.Warnings) != 1 {
		t.Errorf("audit %+v, warnings %q", audit, res.Warnings)
	}
	for _, bad := range []string{`"0x10"`, `"1e3"`, `" 5 "`, `"3.7"`} {
		wantCode(t, x.Call("get", `{"depth":`+bad+`,"deep":true,"name":"x","id":1}`), helve.CodeInvalidInput)
	}
	whole := `"{\"depth\":1,\"deep\":false,\"name\":\"x\",\"id\":1}"`
	wantCode(t, strict.Call("get", whole), helve.CodeInvalidInput)
	wantCode(t, x.Call("get", whole), "")
	wantCode(t, x.Call("get", `{"depth":1,"deep":true,"name":"x","id":1,"task":"{\"title\":\"y\"}"}`), "")
	wantEqual(t, got.Task.Title, "y")
}
