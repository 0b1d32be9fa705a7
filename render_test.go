package helve_test

import (
	"context"
	"strings"
	"testing"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

func TestRenderShowsAndDrivesNothing(t *testing.T) {
	hostile := "ok\x1b[2J\x1b]0;owned\x07 <script>alert(1)</script> \u202Eevil\u202C\u2028next"
	tool, _ := counted(contract("act", helve.Read), func(context.Context, text) (string, error) { return hostile, nil })
	own := tool.WithRender(func(res *helve.Result, s helve.Surface) string { return "own: " + string(res.Data) + hostile })
	broken := tool.WithRender(func(*helve.Result, helve.Surface) string { panic("render") })
	for name, tl := range map[string]*helve.Tool{"usual": tool, "own": own, "broken": broken} {
		x := helvetest.NewExecutor(t, nil, tl)
		res := x.Call("act", `{}`)
		for _, s := range []helve.Surface{helve.Terminal, helve.Page} {
			got := helve.Render(res, s)
			if strings.ContainsAny(got, "\x1b\x07\u202E\u2028") || s == helve.Page && strings.Contains(got, "<script>") {
				t.Errorf("%s: %q", name, got)
			}
			if !strings.Contains(got, `\u001b`) || !strings.Contains(got, "evil") {
				t.Errorf("%s: what was there is not shown: %q", name, got)
			}
		}
	}
}

func TestRenderOfFailures(t *testing.T) {
	type In struct {
		Range string `json:"range" enum:"today,week"`
	}
	tool := helve.Must(helve.Func(contract("events", helve.Write), func(context.Context, In) ([]string, error) { return []string{"a", "b"}, nil }))
	x := helvetest.NewExecutor(t, nil, tool)
	bad := helve.Render(x.Call("events", `{"range":"month"}`), helve.Terminal)
	wantEqual(t, bad, "events failed: 1 problem with the arguments (invalid_input)\n  /range: must be \"today\" or \"week\", got \"month\"\nSend the call again with this corrected.")
	res := x.Call("events", `{"range":"week"}`)
	wantEqual(t, helve.Render(res, helve.Terminal), "events waits: writes need a person's approval (approval "+res.Pending.Approval+")")
	x.Approver = helvetest.Approve
	wantEqual(t, helve.Render(x.Call("events", `{"range":"week"}`), helve.Terminal), "[\n  \"a\",\n  \"b\"\n]")
	wantEqual(t, helve.Render(x.Call("events", `{"range":"week"}`), helve.Terminal), "[\n  \"a\",\n  \"b\"\n]\n(replayed: nothing was done again)")
	own := tool.WithRender(func(*helve.Result, helve.Surface) string { return "a and b" })
	if err := x.Tools().Replace(own); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, helve.Render(x.Call("events", `{"range":"week"}`), helve.Terminal), "a and b\n(replayed: nothing was done again)")
}

func TestRenderCallShowsExactlyWhatWillRun(t *testing.T) {
	a := &helve.Approval{Arguments: value(`{"to":"ann@example.org","body":"Hi\n\u001b[1A\u001b[2Kto: bob","n":1,"t":"null","f":"5","e":"","s":" x "}`), Effect: helve.Destructive}
	a.Tool = "send_email"
	wantEqual(t, helve.RenderCall(a, helve.Terminal), "send_email (destructive)\n  to: ann@example.org\n  body: \n    Hi\n    \\u001b[1A\\u001b[2Kto: bob\n  n: 1\n  t: \"null\"\n  f: \"5\"\n  e: \"\"\n  s: \" x \"")
	if page := helve.RenderCall(a, helve.Page); !strings.HasPrefix(page, "<pre>send_email") {
		t.Errorf("page: %s", page)
	}
}

// The names of an open input come from the model too, and a text may hold more
// than can be seen.
func TestRenderCallCannotBeForged(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"note\n  amount":5,"amount":100}`:   "\"note\\n  amount\": 5\n  amount: 100",
		`{"amount: 5\t":1," to":2,"":3}`:      "\"amount: 5\\t\": 1\n  \" to\": 2\n  \"\": 3",
		`{"größe in m":1,"a.b/c":2}`:          "größe in m: 1\n  a.b/c: 2",
		`{"to":"ann\u200b@x.org\u00ad"}`:      "to: ann\\u200b@x.org\\u00ad",
		`{"to":"ok\udb40\udc69\udb40\udc67"}`: "to: ok\\U000e0069\\U000e0067",
		`{"to":"می\u200cخواهم"}`:              "to: می\u200cخواهم",
	} {
		a := &helve.Approval{ApprovalIdentity: helve.ApprovalIdentity{Tool: "pay"}, Effect: helve.Write, Arguments: value(arguments)}
		wantEqual(t, helve.RenderCall(a, helve.Terminal), "pay (write)\n  "+want)
	}
}
