package schema_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

// The type that nine other Go libraries were given (30 November 2026; gosdk, mcpgo, eino, genkit, fantasy, anth, adk, trpc and oag
// in the comments are the go-sdk of MCP v1.8.0, mcp-go v1.2.1, eino v0.9.20, genkit v1.10.0, fantasy v0.41.2, anthropic-sdk-go
// v2.15.0, adk v2.2.0, trpc-agent-go v1.11.2 and openai-agents-go v0.1.0). None of them is imported: the facts are from that run.
type (
	peerProbe struct {
		City   string         `json:"city" doc:"Where"`
		Unit   string         `json:"unit" enum:"celsius,fahrenheit"`
		Limit  *int           `json:"limit,omitzero" minimum:"1" maximum:"10"`
		Tags   []string       `json:"tags,omitempty"`
		Labels map[string]int `json:"labels,omitempty"`
		When   time.Time      `json:"when"`
		Extra  any            `json:"extra,omitzero"`
	}
	peerRecursive struct {
		Name string          `json:"name"`
		Kids []peerRecursive `json:"kids"`
	}
	peerBad struct {
		Fn func()   `json:"fn"`
		Ch chan int `json:"ch"`
	}
)

// TestPeersSchema has a row for each property of the probe.
func TestPeersSchema(t *testing.T) {
	t.Parallel()
	s, err := schema.For[peerProbe]()
	if err != nil {
		t.Fatal(err)
	}
	properties := memberOf(t, s.String(), "properties")
	for _, c := range []struct{ peers, property, want string }{
		{"the same in all", "city", `{"type":"string","description":"Where"}`},
		{"gosdk, adk: no enum from a tag at all", "unit", `{"type":"string","enum":["celsius","fahrenheit"]}`},
		{"eino, genkit, fantasy, anth, trpc: not nullable; oag: required too; gosdk, mcpgo, fantasy, adk, trpc: no bounds", "limit", `{"type":["integer","null"],"minimum":1,"maximum":10}`},
		{"gosdk, mcpgo, adk: null is as good as an array", "tags", `{"type":"array","items":{"type":"string"}}`},
		{"fantasy: a property named *; oag: refuses the whole tool", "labels", `{"type":"object","additionalProperties":{"type":"integer"}}`},
		{"fantasy, trpc: an object without properties, so that no call is ever right; gosdk, mcpgo, adk: a string without a format", "when", `{"type":"string","format":"date-time"}`},
		{"fantasy, trpc: an object", "extra", `true`},
	} {
		if got := memberOf(t, properties, c.property); got != c.want {
			t.Errorf("%s: got %s, want %s (%s)", c.property, got, c.want, c.peers)
		}
	}
	// oag requires every property, the optional ones without null.
	if got := memberOf(t, s.String(), "required"); got != `["city","unit","when"]` {
		t.Errorf("required: got %s", got)
	}
	// eino, anth and oag say it and do not check it; mcpgo, fantasy and trpc run a call with an unknown name too.
	if got := memberOf(t, s.String(), "additionalProperties"); got != "false" {
		t.Errorf("additionalProperties: got %s", got)
	}
}

// memberOf returns the text of a member of an object.
func memberOf(t *testing.T, object, name string) string {
	t.Helper()
	var members map[string]jsontext.Value
	if err := json.Unmarshal([]byte(object), &members); err != nil || members[name] == nil {
		t.Fatalf("%s has no member %s: %v", object, name, err)
	}
	return string(members[name])
}

// TestPeersTypes has the types that need more than a table of kinds.
func TestPeersTypes(t *testing.T) {
	t.Parallel()
	// gosdk: panics. mcpgo: prints to stderr and serves an empty schema. eino, anth: the stack overflows and the process dies.
	// genkit: any object. fantasy: an object without properties. adk: an error. oag: a $ref that leads nowhere. trpc: right.
	s, err := schema.For[peerRecursive]()
	if err != nil {
		t.Fatal(err)
	}
	const body = `"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/peerRecursive"}}},"required":["name","kids"],"additionalProperties":false`
	if want := `{` + body + `,"$defs":{"peerRecursive":{` + body + `}}}`; s.String() != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	v := compile(t, s.String(), nil)
	if r := v.Validate([]byte(`{"name":"a","kids":[{"name":"b","kids":[{"name":"c","kids":[]}]}]}`)); !r.OK() {
		t.Error(r.Faults)
	}
	want := []fault{{"/kids/0/kids/0/name", "must be a string, got the number 3", `"3"`}}
	if diff := cmp.Diff(want, faults(v.Validate([]byte(`{"name":"a","kids":[{"name":"b","kids":[{"name":3,"kids":[]}]}]}`)))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	// gosdk, eino, genkit, anth and oag: panic. mcpgo: leaves the fields out and says nothing. fantasy, trpc: required objects.
	_, err = schema.For[peerBad]()
	if err == nil || err.Error() != "infer schema: peerBad.Fn: a func cannot be carried by JSON\ninfer schema: peerBad.Ch: a channel cannot be carried by JSON" {
		t.Errorf("got %v, want both fields named by their Go path", err)
	}
}

// TestPeersCalls sends the wrong calls of that run.
func TestPeersCalls(t *testing.T) {
	t.Parallel()
	s, err := schema.For[peerProbe]()
	if err != nil {
		t.Fatal(err)
	}
	v, err := schema.Compile(s, closed)
	if err != nil {
		t.Fatal(err)
	}
	const when = `"when":"2026-01-31T09:30:00Z"`
	for _, c := range []struct {
		peers, in string
		want      []fault
	}{
		{"fantasy, trpc and oag cannot be called at all: see when and labels", `{"city":"Porto","unit":"celsius","limit":3,"tags":["a"],"labels":{"x":1},` + when + `,"extra":[1]}`, nil},
		{"eino, genkit, fantasy, anth and trpc say integer of a pointer, so that null is against their schema", `{"city":"Porto","unit":"celsius","limit":null,` + when + `}`, nil},
		{
			"mcpgo, eino, fantasy, anth, trpc and oag run it and drop the name", `{"city":"Porto","unit":"celsius","untis":"x",` + when + `}`,
			[]fault{{"/untis", "unknown", "unit"}},
		},
		{
			"gosdk, mcpgo, eino, fantasy, anth, adk, trpc and oag run it: two values that their schema forbids, or that it cannot forbid", `{"city":"Porto","unit":"kelvin","limit":99,` + when + `}`,
			[]fault{{"/unit", `must be "celsius" or "fahrenheit", got "kelvin"`, ""}, {"/limit", "must be at most 10, got 99", ""}},
		},
		{"to gosdk, mcpgo and adk null is as good as an array", `{"city":"Porto","unit":"celsius","tags":null,` + when + `}`, []fault{{"/tags", "must be an array of strings, got null", ""}}},
		{
			"five faults: genkit tells five; gosdk, eino, fantasy, anth, adk, trpc and oag one; mcpgo all when asked to validate, as Go structs; fantasy, anth, trpc and oag name Go types",
			`{"unit":"Celsius","limit":"5","tags":["a",2],"labels":{"x":1.5},"untis":1}`,
			[]fault{
				{"/unit", `must be "celsius" or "fahrenheit", got "Celsius"`, "celsius"},
				{"/limit", `must be an integer or null, got the string "5"`, "5"},
				{"/tags/1", "must be a string, got the number 2", `"2"`},
				{"/labels/x", "must be an integer, got the number 1.5, which is not whole", ""},
				{"/untis", "unknown", "unit"},
				{"/city", "missing; wants a string", ""},
				{"/when", "missing; wants a date and time such as 2026-01-31T09:30:00Z", ""},
			},
		},
	} {
		if diff := cmp.Diff(c.want, faults(v.Validate([]byte(c.in)))); diff != "" {
			t.Errorf("%s\n%s: faults (-want +got):\n%s", c.peers, c.in, diff)
		}
		for _, f := range faults(v.Validate([]byte(c.in))) {
			if strings.Contains(f.Problem, "Go ") || strings.Contains(f.Problem, "struct") || strings.Contains(f.Problem, "peerProbe") {
				t.Errorf("%s: a Go type in %q", c.in, f.Problem)
			}
		}
	}
}
