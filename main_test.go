package helve_test

import (
	"context"
	"flag"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
	"helve.dev/helve/schema"
)

var _ = flag.Bool("update", false, "write the golden files")

// about is a description that is long enough.
const about = "Does what its test says, and nothing else at all."

// contract returns a contract for a test; edit changes it.
func contract(name string, effect helve.Effect, edit ...func(*helve.Contract)) helve.Contract {
	c := helve.Contract{Name: name, Effect: effect, Description: about}
	for _, e := range edit {
		e(&c)
	}
	return c
}

// nothing is the input of tools without arguments.
type nothing struct{}

// text is the input of tools with one argument.
type text struct {
	Text string `json:"text,omitzero"`
}

// counted returns a tool that counts how often its handler was entered.
func counted(c helve.Contract, fn func(context.Context, text) (string, error)) (*helve.Tool, *atomic.Int32) {
	var n atomic.Int32
	return helve.Must(helve.Func(c, func(ctx context.Context, in text) (string, error) {
		n.Add(1)
		return fn(ctx, in)
	})), &n
}

func done(context.Context, text) (string, error) { return "done", nil }

// raw returns a tool with any arguments and a handler of its own.
func rawTool(c helve.Contract, h helve.Handler) *helve.Tool {
	if c.Input == nil {
		c.Input = schema.MustParse(`{"type":"object","properties":{},"additionalProperties":true}`)
	}
	return helve.Must(helve.New(c, h))
}

func envelope(t *testing.T, res *helve.Result) string {
	t.Helper()
	b, err := res.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func wantCode(t *testing.T, res *helve.Result, want helve.Code) {
	t.Helper()
	if got := res.Code(); got != want {
		t.Fatalf("code %q, want %q: %s", got, want, envelope(t, res))
	}
}

func wantData(t *testing.T, res *helve.Result, want string) {
	t.Helper()
	if got := string(res.Data); got != want || !res.OK() {
		t.Fatalf("data %s, want %s: %s", got, want, envelope(t, res))
	}
}

func wantErrors(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("the error does not say %q:\n%v", p, err)
		}
	}
}

func wantEqual[T any](t *testing.T, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func auto(x *helvetest.Executor) *helvetest.Executor {
	x.Scope.Autonomy = helve.Auto
	return x
}

func value(s string) jsontext.Value { return jsontext.Value(s) }
