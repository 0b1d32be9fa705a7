package schema_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

// bodyOfAnyNames is a gold call whose body has names of its own beside the schema's examples: a closed object refuses it.
const bodyOfAnyNames = "live_multiple_189-83-0/0"

// TestLowerGoldCalls holds the other direction: what people wrote as right calls can be said in every dialect that leaves optional
// properties out, so that lowering has not narrowed a tool unseen.
func TestLowerGoldCalls(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, tool := range corpusTools(t)["bfcl"] {
		texts[tool.id] = string(tool.text)
	}
	calls := readLines[bfclCall](t, filepath.Join(corpora(t), "bfcl", "calls.jsonl"))
	for _, d := range dialects {
		if d == schema.OpenAIStrict {
			continue // says null for what is not given
		}
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			wires := map[string]*schema.Validator{}
			for _, c := range calls {
				v, ok := wires[c.Tool]
				if !ok {
					low, err := schema.Lower(schema.MustParse(texts[c.Tool]), d, nil)
					if err != nil {
						t.Fatal(err)
					}
					v = compile(t, low.Schema.String(), nil)
					wires[c.Tool] = v
				}
				if r := v.Validate(c.Arguments); !r.OK() && c.ID != bodyOfAnyNames {
					t.Errorf("%s: the wire schema of %s refuses %s: %v", c.ID, c.Tool, c.Arguments, r.Faults)
				}
			}
			t.Logf("%d calls of %d tools can be said", len(calls), len(wires))
		})
	}
}

// TestLowerGoldNulls says the gold calls as OpenAI's strict mode would, with null for what is not given: the wire schema takes them,
// and they come back as they were.
func TestLowerGoldNulls(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, tool := range corpusTools(t)["bfcl"] {
		texts[tool.id] = string(tool.text)
	}
	type lowered struct {
		low             *schema.Lowered
		wire, canonical *schema.Validator
		doc             map[string]any
	}
	tools := map[string]lowered{}
	said := 0
	for _, c := range readLines[bfclCall](t, filepath.Join(corpora(t), "bfcl", "calls.jsonl")) {
		tool, ok := tools[c.Tool]
		if !ok {
			low, err := schema.Lower(schema.MustParse(texts[c.Tool]), schema.OpenAIStrict, nil)
			if err != nil {
				t.Fatal(err)
			}
			tool = lowered{low: low, wire: compile(t, low.Schema.String(), nil), canonical: compile(t, texts[c.Tool], closed)}
			if err := json.Unmarshal(low.Schema.Raw(), &tool.doc); err != nil {
				t.Fatal(err)
			}
			tools[c.Tool] = tool
		}
		if !tool.low.Strict || c.ID == bodyOfAnyNames {
			continue
		}
		sent := withNulls(t, tool.doc, c.Arguments)
		if r := tool.wire.Validate(sent); !r.OK() {
			t.Errorf("%s: the wire schema %s refuses %s: %v", c.ID, tool.low.Schema, sent, r.Faults)
			continue
		}
		restored, err := tool.low.Restore(sent)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		got, r := tool.canonical.Normalize(restored)
		want, _ := tool.canonical.Normalize(c.Arguments)
		if !r.OK() || !sameJSON(t, got, want) {
			t.Errorf("%s: %s comes back as %s, %v; want %s", c.ID, sent, got, r, want)
		}
		said++
	}
	t.Logf("%d calls", said)
}

// withNulls adds null for each property that the wire schema requires and the arguments leave out.
func withNulls(t *testing.T, wire map[string]any, args jsontext.Value) jsontext.Value {
	t.Helper()
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(fillNulls(wire, value))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func fillNulls(wire map[string]any, value any) any {
	if branches, ok := wire["anyOf"].([]any); ok {
		for _, b := range branches {
			branch := b.(map[string]any)
			kind := map[string]any{"object": map[string]any{}, "array": []any{}}[fmt.Sprint(branch["type"])]
			if kind != nil && fmt.Sprintf("%T", kind) == fmt.Sprintf("%T", value) {
				return fillNulls(branch, value)
			}
		}
		return value
	}
	switch value := value.(type) {
	case []any:
		items, _ := wire["items"].(map[string]any)
		for i := range value {
			value[i] = fillNulls(items, value[i])
		}
	case map[string]any:
		props, _ := wire["properties"].(map[string]any)
		for name, sub := range props {
			if have, ok := value[name]; ok {
				value[name] = fillNulls(sub.(map[string]any), have)
			} else {
				value[name] = nil
			}
		}
	}
	return value
}

func sameJSON(t *testing.T, a, b jsontext.Value) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return cmp.Equal(x, y)
}

// TestTold shows that the guard of TestLowerEmitted can fail.
func TestTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		loss  schema.Loss
		fault schema.Fault
		want  bool
	}{
		"the rule":         {schema.Loss{Path: "/properties/a", Keyword: "minimum"}, schema.Fault{Path: "/a", Problem: "must be at least 3"}, true},
		"another rule":     {schema.Loss{Path: "/properties/a", Keyword: "maximum"}, schema.Fault{Path: "/a", Problem: "must be at least 3"}, false},
		"another place":    {schema.Loss{Path: "/properties/b", Keyword: "minimum"}, schema.Fault{Path: "/a", Problem: "must be at least 3"}, false},
		"of the items":     {schema.Loss{Path: "/properties/a/items", Keyword: "minLength"}, schema.Fault{Path: "/a/7", Problem: "must not be empty"}, true},
		"no rule":          {schema.Loss{Path: "/properties/a", Keyword: "default"}, schema.Fault{Path: "/a", Problem: "must be a string"}, false},
		"of the root":      {schema.Loss{Path: "", Keyword: "anyOf"}, schema.Fault{Path: "/a", Problem: "missing"}, true},
		"of a definition":  {schema.Loss{Path: "/$defs/d/properties/a", Keyword: "minimum"}, schema.Fault{Path: "/x/0/a", Problem: "must be at least 3"}, true},
		"of another union": {schema.Loss{Path: "/properties/u/anyOf/0", Keyword: "minimum"}, schema.Fault{Path: "/a", Problem: "must be at least 3"}, false},
	} {
		if got := told(`{}`, []schema.Loss{c.loss}, c.fault); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
