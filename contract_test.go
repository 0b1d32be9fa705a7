package helve_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"helve.dev/helve"
	"helve.dev/helve/schema"
)

func TestDefinitionErrors(t *testing.T) {
	ok := func(context.Context, text) (string, error) { return "", nil }
	cases := []struct {
		name string
		edit func(*helve.Contract)
		says []string
	}{
		{"a bad name", func(c *helve.Contract) { c.Name = "a.b" }, []string{`"a.b"`, "letters, digits"}},
		{"a long name", func(c *helve.Contract) { c.Name = strings.Repeat("x", 65) }, []string{"64"}},
		{"an empty name", func(c *helve.Contract) { c.Name = "" }, []string{"letters, digits"}},
		{"an accent", func(c *helve.Contract) { c.Name = "é" }, []string{"letters, digits"}},
		{"a raising EffectBy", func(c *helve.Contract) {
			c.EffectBy = helve.EffectBy{Arg: "text", Values: map[string]helve.Effect{"x": helve.Destructive}}
		}, []string{"EffectBy raises", `"x"`}},
		{"an unknown key argument", func(c *helve.Contract) { c.Key = helve.KeyFrom("txt") }, []string{`"txt"`, `did you mean "text"`}},
		{"an unknown key rule", func(c *helve.Contract) { c.Key = "often" }, []string{`"often"`, "KeyFrom"}},
		{"an unknown paging argument", func(c *helve.Contract) { c.Paging.Offset = "offset" }, []string{"Paging", `"offset"`}},
		{"an alias of nothing", func(c *helve.Contract) { c.ParamAliases = map[string]string{"old": "new"} }, []string{"ParamAliases", `"new"`}},
		{"an alias in the way", func(c *helve.Contract) { c.ParamAliases = map[string]string{"text": "text"} }, []string{"collides"}},
		{"an alias twice", func(c *helve.Contract) { c.Aliases = []string{"old", "old", "act"} }, []string{`"old" collides`, `"act" collides`}},
		{"caching a write", func(c *helve.Contract) { c.CacheFor = time.Second }, []string{"CacheFor", "ledger"}},
		{"a negative timeout", func(c *helve.Contract) { c.Timeout = -1 }, []string{"Timeout"}},
		{"half a rate", func(c *helve.Contract) { c.Rate.Calls = 3 }, []string{"Rate"}},
		{"a tiny output", func(c *helve.Contract) { c.MaxOutput = 10 }, []string{"MaxOutput", "1024"}},
		{"a reserved code", func(c *helve.Contract) { c.Errors = []helve.ErrorSpec{{Code: "timeout", When: "x"}} }, []string{`"timeout"`, "pipeline"}},
		{"a code without a when", func(c *helve.Contract) { c.Errors = []helve.ErrorSpec{{Code: "own"}} }, []string{`"own"`, "When"}},
		{"a bad example", func(c *helve.Contract) { c.Examples = append(c.Examples, value(`{"txt":1}`)) }, []string{"example 1", "/txt"}},
		{"an example that is no JSON", func(c *helve.Contract) { c.Examples = append(c.Examples, value(`{`)) }, []string{"example 1 is not a valid call: the value is not valid JSON"}},
		{"no description", func(c *helve.Contract) { c.Description = " " }, []string{"0 characters", "of its description"}},
		{"a doc comment that says nothing", func(c *helve.Contract) { c.Description, c.Doc = "", "---" }, []string{"0 characters", "of its doc comment"}},
		{"an unknown effect", func(c *helve.Contract) { c.Effect = 9 }, []string{"the effect 9 is unknown", "helve.Destructive"}},
		{"an unknown approval mode", func(c *helve.Contract) { c.Approval = 9 }, []string{"the approval mode 9 is unknown", "helve.AskAlways"}},
		{"an unknown concurrency", func(c *helve.Contract) { c.Concurrency = 9 }, []string{"the concurrency 9 is unknown"}},
		{"verifying itself", func(c *helve.Contract) { c.Verify = "act" }, []string{"Verify names the tool itself"}},
		{"a credential without a name", func(c *helve.Contract) { c.Credentials = []string{""} }, []string{"a credential has no name"}},
		{"an EffectBy of a number", func(c *helve.Contract) {
			c.Input = schema.MustParse(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
			c.EffectBy = helve.EffectBy{Arg: "n", Values: map[string]helve.Effect{"1": helve.Read}}
		}, []string{`"n"`, "of type integer: it must be a string"}},
		{"an EffectBy of no value", func(c *helve.Contract) {
			c.Input = schema.MustParse(`{"type":"object","properties":{"do":{"type":"string","enum":["view","create"]}}}`)
			c.EffectBy = helve.EffectBy{Arg: "do", Values: map[string]helve.Effect{"veiw": helve.Read, "view": helve.Read}}
		}, []string{`the value "veiw", which the parameter "do" cannot have: it takes view, create`}},
		{"using itself", func(c *helve.Contract) { c.Uses = []string{"act"} }, []string{"uses itself"}},
		{"a schema that does not compile", func(c *helve.Contract) {
			c.Input = schema.MustParse(`{"type":"object","properties":{"a":{"type":"strnig"}}}`)
		}, []string{"input schema", "strnig"}},
		{"a default that its schema rejects", func(c *helve.Contract) {
			c.Input = schema.MustParse(`{"type":"object","properties":{"a":{"type":"integer","default":"x"}}}`)
		}, []string{"input schema", "default"}},
		{"an input that is no object", func(c *helve.Contract) { c.Input = schema.MustParse(`{"type":"string"}`) }, []string{"an object"}},
		{"everything at once", func(c *helve.Contract) {
			c.Effect, c.Description, c.Name, c.Timeout = 0, "short", "no name", -1
		}, []string{"effect", "5 characters", "letters, digits", "Timeout"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			con := contract("act", helve.Write)
			c.edit(&con)
			_, err := helve.Func(con, ok)
			wantErrors(t, err, append(c.says, "helve: tool ")...)
		})
	}
	_, err := helve.Func(contract("act", helve.Read), func(context.Context, string) (string, error) { return "", nil })
	wantErrors(t, err, "the arguments of a tool are an object")
	_, err = helve.Func(contract("act", helve.Read), func(context.Context, struct{ Fn func() }) (chan int, error) { return nil, nil })
	wantErrors(t, err, "Fn", "its input", "its output")
	_, err = helve.Func[text, string](contract("act", helve.Read), nil)
	wantErrors(t, err, "no handler")
	_, err = helve.New(contract("act", helve.Read), nil)
	wantErrors(t, err, "no input schema", "no handler")
	for _, effect := range []helve.Effect{helve.Read, helve.Write, helve.Destructive} {
		for _, idempotent := range []bool{true, false} {
			con := contract("act", effect)
			con.Idempotent = idempotent
			if _, err := helve.Func(con, ok); err != nil {
				t.Errorf("%s, idempotent %v: %v", effect, idempotent, err)
			}
		}
	}
}

func TestMustPanicsWithTheReason(t *testing.T) {
	defer func() {
		if err, _ := recover().(error); err == nil || !strings.Contains(err.Error(), "effect") {
			t.Errorf("recovered %v", err)
		}
	}()
	helve.Must(helve.Func(contract("act", 0), done))
}

func TestContractIsACopy(t *testing.T) {
	con := contract("act", helve.Read)
	con.Tags = map[string]string{"area": "mail"}
	con.Aliases = []string{"old"}
	tool := helve.Must(helve.Func(con, done))
	before := tool.Digest()
	con.Tags["area"], con.Aliases[0] = "x", "x"
	got := tool.Contract()
	got.Tags["area"], got.Aliases[0] = "y", "y"
	wantEqual(t, tool.Contract().Tags["area"]+tool.Contract().Aliases[0], "mailold")
	wantEqual(t, tool.Digest(), before)
}

// The digest covers what a person reviewed, and leaves tuning out.
func TestDigestCoverage(t *testing.T) {
	base := contract("act", helve.Write)
	base.Input = schema.MustParse(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`)
	digest := func(edit func(*helve.Contract)) helve.Digest {
		c := base
		edit(&c)
		return helve.Must(helve.New(c, func(context.Context, *helve.Invocation) (*helve.Reply, error) { return nil, nil })).Digest()
	}
	same := digest(func(*helve.Contract) {})
	covered := map[string]func(*helve.Contract){
		"name": func(c *helve.Contract) { c.Name = "other" }, "title": func(c *helve.Contract) { c.Title = "T" },
		"description": func(c *helve.Contract) { c.Description += "!" }, "version": func(c *helve.Contract) { c.Version = "2.0.0" },
		"input": func(c *helve.Contract) {
			c.Input = schema.MustParse(`{"type":"object","properties":{"a":{"type":"string"}}}`)
		},
		"output": func(c *helve.Contract) { c.Output = schema.MustParse(`{"type":"string"}`) },
		"effect": func(c *helve.Contract) { c.Effect = helve.Destructive },
		"effectBy": func(c *helve.Contract) {
			c.EffectBy = helve.EffectBy{Arg: "a", Values: map[string]helve.Effect{"v": helve.Read}}
		},
		"idempotent": func(c *helve.Contract) { c.Idempotent = true }, "open world": func(c *helve.Contract) { c.OpenWorld = true },
		"approval": func(c *helve.Contract) { c.Approval = helve.AskAlways }, "key": func(c *helve.Contract) { c.Key = helve.KeyCall },
		"credentials": func(c *helve.Contract) { c.Credentials = []string{"k"} }, "uses": func(c *helve.Contract) { c.Uses = []string{"x"} },
		"aliases": func(c *helve.Contract) { c.Aliases = []string{"x"} }, "param aliases": func(c *helve.Contract) { c.ParamAliases = map[string]string{"x": "a"} },
		"deprecated": func(c *helve.Contract) { c.Deprecated = "x" }, "hidden": func(c *helve.Contract) { c.Hidden = true },
		"errors":   func(c *helve.Contract) { c.Errors = []helve.ErrorSpec{{Code: "own", When: "x"}} },
		"examples": func(c *helve.Contract) { c.Examples = append(c.Examples, value(`{"a":"x"}`)) },
	}
	seen := map[helve.Digest]string{same: "the base"}
	for name, edit := range covered {
		d := digest(edit)
		if other, taken := seen[d]; taken {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[d] = name
	}
	outside := map[string]func(*helve.Contract){
		"timeout": func(c *helve.Contract) { c.Timeout = time.Hour }, "stall": func(c *helve.Contract) { c.Stall = time.Hour },
		"attempts": func(c *helve.Contract) { c.Attempts = 9 }, "size": func(c *helve.Contract) { c.MaxOutput = 9999 },
		"rate": func(c *helve.Contract) { c.Rate = helve.Rate{Calls: 1, Per: 1} }, "limit": func(c *helve.Contract) { c.Limit = 1 },
		"cost": func(c *helve.Contract) { c.Cost = 1 }, "poll": func(c *helve.Contract) { c.Poll = 1 },
		"concurrency": func(c *helve.Contract) { c.Concurrency = helve.ConcurrencyShared }, "paging": func(c *helve.Contract) { c.Paging.Offset = "a" },
		"tags": func(c *helve.Contract) { c.Tags = map[string]string{"a": "b"} },
	}
	for name, edit := range outside {
		if digest(edit) != same {
			t.Errorf("%s changes the digest", name)
		}
	}
	// A promise: what was locked yesterday is valid today.
	wantEqual(t, same.String(), "sha256:3c9bd3d56530654a18992ba713d0042259427281391d8e6dd20840dab134b3b3")
	var back helve.Digest
	if err := back.UnmarshalText([]byte(same.String())); err != nil || back != same {
		t.Errorf("the digest does not read back: %v", err)
	}
	for _, bad := range []string{"sha256:", "sha256:zz", "md5:" + strings.Repeat("0", 64), "sha256:" + strings.Repeat("z", 64)} {
		if err := back.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was read as a digest", bad)
		}
	}
}

func TestContractJSONRoundTrip(t *testing.T) {
	con := contract("act", helve.Write)
	con.Timeout, con.Rate = 90*time.Second, helve.Rate{Calls: 3, Per: time.Minute}
	con.EffectBy = helve.EffectBy{Arg: "text", Values: map[string]helve.Effect{"b": helve.Read, "a": helve.Read}}
	con.Errors = []helve.ErrorSpec{{Code: "own", When: "it is so", Retryable: true}}
	con.Tags = map[string]string{"b": "1", "a": "2"}
	tool := helve.Must(helve.Func(con, done))
	raw, err := json.Marshal(tool.Contract())
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // byte-stable
		if again, _ := json.Marshal(tool.Contract()); string(again) != string(raw) {
			t.Fatalf("the JSON form changes:\n%s\n%s", raw, again)
		}
	}
	var back helve.Contract
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, back.Digest(), tool.Digest())
	wantEqual(t, back.Timeout, con.Timeout)
	if err := json.Unmarshal([]byte(`{"name":"x","efect":"read"}`), &back); err == nil {
		t.Error("an unknown field was read")
	}
	c := tool.Contract()
	if m := c.ModelText(); m != about+"\n\nErrors:\n- own: it is so (may be retried)" {
		t.Errorf("the model reads %q", m)
	}
}

func TestEnumsReadAndWrite(t *testing.T) {
	var e helve.Effect
	if _, err := e.MarshalText(); err == nil {
		t.Error("the zero effect was written")
	}
	wantEqual(t, []string{helve.Read.String(), helve.Auto.String(), helve.Preapprove.String(), helve.ConcurrencyExclusive.String(), helve.AskAlways.String(), e.String()},
		[]string{"read", "auto", "preapprove", "exclusive", "always", "invalid(0)"})
	if err := e.UnmarshalText([]byte("destructive")); err != nil || e != helve.Destructive {
		t.Errorf("read %v, %v", e, err)
	}
	if err := e.UnmarshalText([]byte("")); err == nil {
		t.Error("an empty effect was read")
	}
	var a helve.Autonomy
	var v helve.Verdict
	var c helve.Concurrency
	var m helve.ApprovalMode
	for text, into := range map[string]interface{ UnmarshalText([]byte) error }{"manual": &a, "ask": &v, "shared": &c, "always": &m} {
		if err := into.UnmarshalText([]byte(text)); err != nil {
			t.Error(err)
		}
		if err := into.UnmarshalText([]byte("no such")); err == nil {
			t.Errorf("%T read nonsense", into)
		}
	}
	wantEqual(t, []any{a, v, c, m}, []any{helve.Manual, helve.Ask, helve.ConcurrencyShared, helve.AskAlways})
}
