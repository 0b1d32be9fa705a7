package helve_test

import (
	"context"
	"strings"
	"testing"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

// The error of a call reads as a sentence, also where it is about no tool or
// about the arguments as a whole.
func TestCallErrorText(t *testing.T) {
	act := helve.Must(helve.Func(contract("act", helve.Read), func(context.Context, text) (string, error) { return "done", nil }))
	x := helvetest.NewExecutor(t, nil, act)
	for _, c := range []struct{ name, tool, arguments, want string }{
		{"no tool", "", `{}`, `helve: unknown_tool: there is no tool named ""`},
		{"no JSON", "act", `{`, "helve: act: invalid_input: 1 problem with the arguments; the value is not valid JSON: it ends too early, at byte 1"},
		{"a fault", "act", `{"text":1}`, "helve: act: invalid_input: 1 problem with the arguments; /text must be a string, got the number 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := x.Call(c.tool, c.arguments).Err(); err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	var n int
	if err := x.Call("act", `{"text":"x"}`).Decode(&n); err == nil || !strings.HasPrefix(err.Error(), "helve: decode the data of act: ") {
		t.Errorf("got %v", err)
	}
}
