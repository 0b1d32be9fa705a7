package schema_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

const (
	neutral    = schema.Neutral
	compatible = schema.Compatible
	breaking   = schema.Breaking
)

// obj writes an object schema with the property a.
func obj(a string, more ...string) string {
	return `{"type":"object","properties":{"a":` + a + `}` + strings.Join(append([]string{""}, more...), ",") + `}`
}

func TestDiff(t *testing.T) {
	t.Parallel()
	recursive := `{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"v":%s,"kids":{"type":"array","items":{"$ref":"#/$defs/t"}}}}}}`
	cases := []struct {
		name, old, next string
		path            string // of the first change; "-": there is none
		caller, reader  schema.Impact
	}{
		{"nothing", obj(`{"type":"string"}`), obj(`{"type":"string"}`), "-", neutral, neutral},
		{"order of members", `{"type":"string","minLength":1}`, `{"minLength":1,"type":"string"}`, "-", neutral, neutral},
		{"spelling of a number", `{"maximum":10}`, `{"maximum":1e1}`, "-", neutral, neutral},
		{"a default that was said", `{"type":"string","minLength":0}`, `{"type":"string"}`, "-", neutral, neutral},
		{"true and an empty schema", `true`, `{}`, "-", neutral, neutral},
		{"a definition that nobody uses", `{"$defs":{"x":{"type":"string"}}}`, `{"$defs":{"x":{"type":"null"}}}`, "-", neutral, neutral},
		{"a reference in the place of its target", `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}}}`, "-", neutral, neutral},
		{"a renamed definition", `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"properties":{"a":{"$ref":"#/$defs/y"}},"$defs":{"y":{"type":"string"}}}`, "-", neutral, neutral},

		{"a description", obj(`{"description":"x"}`), obj(`{"description":"y"}`), "/properties/a/description", neutral, neutral},
		{"a title is new", `{}`, `{"title":"t"}`, "/title", neutral, neutral},
		{"an unknown keyword", `{}`, `{"x-order":1}`, "/x-order", neutral, neutral},
		{"deprecated", obj(`{}`), obj(`{"deprecated":true}`), "/properties/a/deprecated", compatible, compatible},

		{"an optional property", obj(`{}`), obj(`{}`)[:len(obj(`{}`))-2] + `,"b":{"type":"string"}}}`, "/properties/b", compatible, compatible},
		{"a required property", obj(`{}`), `{"type":"object","properties":{"a":{},"b":{}},"required":["b"]}`, "/properties/b", breaking, compatible},
		{"a property is gone", `{"type":"object","properties":{"a":{},"b":{}}}`, obj(`{}`), "/properties/b", breaking, compatible},
		{"a required property is gone", `{"type":"object","properties":{"a":{},"b":{}},"required":["b"]}`, obj(`{}`), "/properties/b", breaking, breaking},
		{"a renamed property", obj(`{}`), `{"type":"object","properties":{"b":{}}}`, "/properties/b", breaking, compatible},
		{"required now", obj(`{}`), obj(`{}`, `"required":["a"]`), "/properties/a", breaking, compatible},
		{"no longer required", obj(`{}`, `"required":["a"]`), obj(`{}`), "/properties/a", compatible, breaking},
		{"required without being listed", `{"type":"object","additionalProperties":true}`, `{"type":"object","additionalProperties":true,"required":["x"]}`, "/required", breaking, compatible},
		{"not required without being listed", `{"additionalProperties":true,"required":["x"]}`, `{"additionalProperties":true}`, "/required", compatible, breaking},
		{"a property where any was taken", `{"type":"object","additionalProperties":true}`, obj(`{"type":"string"}`, `"additionalProperties":true`), "/properties/a", breaking, compatible},
		{"any property where any was taken", `{"type":"object","additionalProperties":true}`, obj(`{}`, `"additionalProperties":true`), "/properties/a", compatible, compatible},
		{"a property beside a combinator", `{"properties":{"a":{}},"allOf":[{"properties":{"b":{"type":"null"}}}]}`, `{"properties":{"a":{},"b":{}},"allOf":[{"properties":{"b":{"type":"null"}}}]}`, "/properties/b", breaking, compatible},

		{"closed", obj(`{}`, `"additionalProperties":true`), obj(`{}`), "/additionalProperties", breaking, compatible},
		{"opened", obj(`{}`), obj(`{}`, `"additionalProperties":true`), "/additionalProperties", compatible, breaking},
		{"said to be closed", obj(`{}`), obj(`{}`, `"additionalProperties":false`), "-", neutral, neutral},
		{"a map of other values", `{"additionalProperties":{"type":"string"}}`, `{"additionalProperties":{"type":"integer"}}`, "/additionalProperties", breaking, breaking},
		{"a bare object is listed", `{"type":"object"}`, obj(`{}`), "/properties/a", compatible, compatible},

		{"a type more", obj(`{"type":"string"}`), obj(`{"type":["string","null"]}`), "/properties/a", compatible, breaking},
		{"a type less", obj(`{"type":["string","null"]}`), obj(`{"type":"string"}`), "/properties/a", breaking, compatible},
		{"another type", obj(`{"type":"string"}`), obj(`{"type":"integer"}`), "/properties/a", breaking, breaking},
		{"integer to number", obj(`{"type":"integer"}`), obj(`{"type":"number"}`), "/properties/a", compatible, breaking},
		{"number to integer", obj(`{"type":"number"}`), obj(`{"type":"integer"}`), "/properties/a", breaking, compatible},
		{"a type where any was taken", obj(`{}`), obj(`{"type":"string"}`), "/properties/a", breaking, compatible},
		{"nothing any more", obj(`{}`), obj(`false`), "/properties/a", breaking, compatible},
		{"something at last", obj(`false`), obj(`{}`), "/properties/a", compatible, breaking},

		{"an enum value more", obj(`{"enum":["x"]}`), obj(`{"enum":["x","y"]}`), "/properties/a/enum", compatible, breaking},
		{"an enum value less", obj(`{"enum":["x","y"]}`), obj(`{"enum":["x"]}`), "/properties/a/enum", breaking, compatible},
		{"enum in another order", obj(`{"enum":["x",1]}`), obj(`{"enum":[1.0,"x"]}`), "-", neutral, neutral},
		{"an enum is new", obj(`{"type":"string"}`), obj(`{"type":"string","enum":["x"]}`), "/properties/a/enum", breaking, compatible},
		{"an enum is gone", obj(`{"type":"string","enum":["x"]}`), obj(`{"type":"string"}`), "/properties/a/enum", compatible, breaking},
		{"const is an enum of one", obj(`{"const":"x"}`), obj(`{"enum":["x","y"]}`), "/properties/a/enum", compatible, breaking},
		{"another const", obj(`{"const":"x"}`), obj(`{"const":"y"}`), "/properties/a/enum", breaking, breaking},

		{"minimum raised", obj(`{"minimum":1}`), obj(`{"minimum":2}`), "/properties/a/minimum", breaking, compatible},
		{"minimum lowered", obj(`{"minimum":1}`), obj(`{"minimum":0}`), "/properties/a/minimum", compatible, breaking},
		{"minimum is gone", obj(`{"minimum":1}`), obj(`{}`), "/properties/a/minimum", compatible, breaking},
		{"maximum is new", obj(`{}`), obj(`{"maximum":1}`), "/properties/a/maximum", breaking, compatible},
		{"maximum raised beyond floats", obj(`{"maximum":9007199254740992}`), obj(`{"maximum":9007199254740993}`), "/properties/a/maximum", compatible, breaking},
		{"exclusive", obj(`{"exclusiveMaximum":2}`), obj(`{"exclusiveMaximum":1}`), "/properties/a/exclusiveMaximum", breaking, compatible},
		{"maxLength raised", obj(`{"maxLength":1}`), obj(`{"maxLength":2}`), "/properties/a/maxLength", compatible, breaking},
		{"minLength is new", obj(`{}`), obj(`{"minLength":1}`), "/properties/a/minLength", breaking, compatible},
		{"maxItems lowered", obj(`{"maxItems":2}`), obj(`{"maxItems":1}`), "/properties/a/maxItems", breaking, compatible},
		{"minProperties lowered", obj(`{"minProperties":2}`), obj(`{"minProperties":1}`), "/properties/a/minProperties", compatible, breaking},
		{"multipleOf is new", obj(`{}`), obj(`{"multipleOf":2}`), "/properties/a/multipleOf", breaking, compatible},
		{"a multipleOf that divides the old one", obj(`{"multipleOf":0.5}`), obj(`{"multipleOf":0.25}`), "/properties/a/multipleOf", compatible, breaking},
		{"a multipleOf that the old one divides", obj(`{"multipleOf":2}`), obj(`{"multipleOf":4.0}`), "/properties/a/multipleOf", breaking, compatible},
		{"another multipleOf", obj(`{"multipleOf":4}`), obj(`{"multipleOf":6}`), "/properties/a/multipleOf", breaking, breaking},
		{"another pattern", obj(`{"pattern":"a"}`), obj(`{"pattern":"b"}`), "/properties/a/pattern", breaking, breaking},
		{"a pattern is gone", obj(`{"pattern":"a"}`), obj(`{}`), "/properties/a/pattern", compatible, breaking},
		{"a format is new", obj(`{}`), obj(`{"format":"date"}`), "/properties/a/format", breaking, compatible},

		{"the default", obj(`{"default":1}`), obj(`{"default":2}`), "/properties/a/default", breaking, neutral},
		{"a default is new", obj(`{}`), obj(`{"default":2}`), "/properties/a/default", compatible, neutral},
		{"a default is gone", obj(`{"default":2}`), obj(`{}`), "/properties/a/default", breaking, neutral},

		{"items", obj(`{"items":{"type":"string"}}`), obj(`{"items":{"type":["string","null"]}}`), "/properties/a/items", compatible, breaking},
		{"items are said now", obj(`{"type":"array"}`), obj(`{"type":"array","items":{"type":"string"}}`), "/properties/a/items", breaking, compatible},
		{"tuples", obj(`{"prefixItems":[{"type":"string"}]}`), obj(`{"prefixItems":[{"type":"null"}]}`), "/properties/a/prefixItems", breaking, breaking},
		{"uniqueItems", obj(`{}`), obj(`{"uniqueItems":true}`), "/properties/a/uniqueItems", breaking, compatible},
		{"uniqueItems is gone", obj(`{"uniqueItems":true}`), obj(`{"uniqueItems":false}`), "/properties/a/uniqueItems", compatible, breaking},
		{"contains", obj(`{"contains":{"type":"string"}}`), obj(`{"contains":{"type":"null"}}`), "/properties/a/contains", breaking, breaking},

		{"a branch more", obj(`{"anyOf":[{"type":"string"}]}`), obj(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), "/properties/a/anyOf", compatible, breaking},
		{"a branch less", obj(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), obj(`{"anyOf":[{"type":"null"}]}`), "/properties/a/anyOf", breaking, compatible},
		{"branches in another order", obj(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), obj(`{"anyOf":[{"type":"null"},{"type":"string"}]}`), "-", neutral, neutral},
		{"a wider branch", obj(`{"anyOf":[{"maxLength":1},{"type":"null"}]}`), obj(`{"anyOf":[{"type":"null"},{"maxLength":2}]}`), "/properties/a/anyOf/1/maxLength", compatible, breaking},
		{"a wider branch of oneOf", obj(`{"oneOf":[{"maxLength":1},{"type":"null"}]}`), obj(`{"oneOf":[{"maxLength":2},{"type":"null"}]}`), "/properties/a/oneOf/0/maxLength", breaking, breaking},
		{"a branch more of oneOf", obj(`{"oneOf":[{"type":"string"}]}`), obj(`{"oneOf":[{"type":"string"},{"type":"null"}]}`), "/properties/a/oneOf", breaking, breaking},
		{"a condition more", obj(`{"allOf":[{"minLength":1}]}`), obj(`{"allOf":[{"minLength":1},{"maxLength":9}]}`), "/properties/a/allOf", breaking, compatible},
		{"not", obj(`{"not":{"type":"string"}}`), obj(`{"not":{"type":"null"}}`), "/properties/a/not", breaking, breaking},
		{"if", obj(`{"if":{"type":"string"},"then":{"minLength":1}}`), obj(`{"if":{"type":"string"},"then":{"minLength":2}}`), "/properties/a/then", breaking, breaking},

		{"behind a reference", `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"null"}}}`, "/properties/a", breaking, breaking},
		{"behind an anchor", `{"properties":{"a":{"$ref":"#x"}},"$defs":{"y":{"$anchor":"x","maxLength":1}}}`, `{"properties":{"a":{"$ref":"#x"}},"$defs":{"y":{"$anchor":"x","maxLength":2}}}`, "/properties/a/maxLength", compatible, breaking},
		{"in a recursion", fmt.Sprintf(recursive, `{"type":"string"}`), fmt.Sprintf(recursive, `{"type":["string","null"]}`), "/properties/v", compatible, breaking},
		{"an equal recursion", fmt.Sprintf(recursive, `{}`), fmt.Sprintf(recursive, `{}`), "-", neutral, neutral},
		{"a reference that leads out", obj(`{"$ref":"https://example.org/a"}`), obj(`{"$ref":"https://example.org/b"}`), "/properties/a/$ref", breaking, breaking},
		{"the same reference that leads out", obj(`{"$ref":"https://example.org/a"}`), obj(`{"$ref":"https://example.org/a"}`), "-", neutral, neutral},
		{"a property that is called as a keyword", `{"properties":{"required":{"type":"string"}}}`, `{"properties":{"required":{"type":"null"}}}`, "/properties/required", breaking, breaking},
		{"a name that has to be escaped", `{"properties":{"a/b~c":{}}}`, `{"properties":{"a/b~c":{"type":"null"}}}`, "/properties/a~1b~0c", breaking, compatible},
		{"a default beside a reference", `{"properties":{"a":{"$ref":"#/$defs/x","default":1}},"$defs":{"x":{}}}`, `{"properties":{"a":{"$ref":"#/$defs/x","default":2}},"$defs":{"x":{}}}`, "/properties/a/default", breaking, neutral},
		{"a description beside a reference", `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{}}}`, `{"properties":{"a":{"$ref":"#/$defs/x","description":"x"}},"$defs":{"x":{}}}`, "/properties/a/description", neutral, neutral},
		{"behind a reference to a resource", obj(`{"$ref":"y"}`, `"$id":"https://example.org/x","$defs":{"y":{"$id":"y","type":"string"}}`), obj(`{"$ref":"y"}`, `"$id":"https://example.org/x","$defs":{"y":{"$id":"y","type":"null"}}`), "/properties/a", breaking, breaking},
		{"in a resource of its own", obj(`{"$id":"https://example.org/y","$ref":"#/$defs/z","$defs":{"z":{"maxLength":1}}}`, `"$defs":{"z":{}}`), obj(`{"$id":"https://example.org/y","$ref":"#/$defs/z","$defs":{"z":{"maxLength":2}}}`, `"$defs":{"z":{}}`), "/properties/a/maxLength", compatible, breaking},
		{"behind a dynamic reference", obj(`{"$dynamicRef":"#n"}`, `"$defs":{"n":{"$dynamicAnchor":"n","type":"string"}}`), obj(`{"$dynamicRef":"#n"}`, `"$defs":{"n":{"$dynamicAnchor":"n","type":"null"}}`), "/properties/a/$dynamicRef", breaking, breaking},
		{"where a dynamic reference may lead", obj(`{"$dynamicRef":"#n"}`, `"$defs":{"n":{"$dynamicAnchor":"n"}}`), obj(`{"$dynamicRef":"#n"}`, `"$defs":{"n":{"$dynamicAnchor":"n"},"m":{"$id":"m","$dynamicAnchor":"n","type":"null"}}`), "/properties/a/$dynamicRef", breaking, breaking},
		{"said to be closed beside a reference", `{"$ref":"#/$defs/x","type":"object","$defs":{"x":{"properties":{"a":{}}}}}`, `{"$ref":"#/$defs/x","type":"object","additionalProperties":false,"$defs":{"x":{"properties":{"a":{}}}}}`, "/additionalProperties", breaking, compatible},
		{"opened in a part", `{"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, `{"allOf":[{"properties":{"a":{}},"additionalProperties":true},{"properties":{"b":{}}}]}`, "/allOf/0/additionalProperties", compatible, breaking},
		{"closed in a part", `{"allOf":[{"properties":{"a":{}},"additionalProperties":true},{"properties":{"b":{}}}]}`, `{"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, "/allOf/0/additionalProperties", breaking, compatible},
		{"a part that lists nothing closes", `{"type":"object","required":["a"],"allOf":[{"maxProperties":3}]}`, `{"type":"object","required":["a"],"allOf":[{"maxProperties":3,"properties":{}}]}`, "/additionalProperties", breaking, compatible},
		{"the last property of a nullable object", `{"type":["object","null"],"properties":{"a":{"type":"string"}}}`, `{"type":["object","null"]}`, "/properties/a", compatible, breaking},
		{"not listed any more, but required", obj(`{}`), `{"type":"object","required":["a"]}`, "/properties/a", breaking, breaking},
		{"a property that was a value of others", `{"additionalProperties":{"type":"string"}}`, `{"properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"string"}}`, "/properties/a", breaking, breaking},
		{"a property falls under the rest", obj(`{"type":"string"}`, `"unevaluatedProperties":{"type":"null"}`), `{"type":"object","unevaluatedProperties":{"type":"null"}}`, "/properties/a", breaking, breaking},
		{"a wider choice within itself", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"a":{"oneOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}}}}}`, `{"$ref":"#/$defs/n","$defs":{"n":{"type":["object","null"],"properties":{"a":{"oneOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}}}}}`, "", breaking, breaking},
		{"items that a schema says nothing about", `{"allOf":[{"prefixItems":[true]}],"unevaluatedItems":false}`, `{"allOf":[{"prefixItems":[true],"items":true}],"unevaluatedItems":false}`, "/allOf/0/items", breaking, breaking},
		{"a keyword that its dialect does not know", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","dependentRequired":{"a":["b"]}}`, "-", neutral, neutral},
		{"beside a reference of draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/x"}},"definitions":{"x":{}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/x","type":"null","default":3}},"definitions":{"x":{}}}`, "-", neutral, neutral},
		{"another dialect", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, "/$schema", breaking, breaking},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			changes := schema.Diff(schema.MustParse(c.old), schema.MustParse(c.next))
			first := "-"
			if len(changes) > 0 {
				first = changes[0].Path
			}
			got := fmt.Sprint(first, " ", changes.Caller(), " ", changes.Reader())
			if want := fmt.Sprint(c.path, " ", c.caller, " ", c.reader); got != want {
				t.Errorf("got %s, want %s: %+v", got, want, changes)
			}
			if same := schema.Diff(schema.MustParse(c.next), schema.MustParse(c.next)); same != nil {
				t.Errorf("a schema differs from itself: %+v", same)
			}
		})
	}
	t.Logf("%d cases", len(cases))
}

// TestDiffHostile compares schemas of a few lines that stand for endless ones. What is the same is seen at once; of the rest, what
// could not be compared is breaking.
func TestDiffHostile(t *testing.T) {
	t.Parallel()
	doubling := func(end string) string {
		var b strings.Builder
		b.WriteString(`{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`)
		for i := range 40 {
			fmt.Fprintf(&b, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
		}
		return b.String() + `"d40":` + end + `}}`
	}
	circle := func(end string) string { // of which each refers to each
		var b strings.Builder
		b.WriteString(`{"$ref":"#/$defs/n0","$defs":{`)
		for i := range 20 {
			fmt.Fprintf(&b, `"n%d":{"properties":{`, i)
			for k := range 20 {
				fmt.Fprintf(&b, `"p%d":{"$ref":"#/$defs/n%d"},`, k, k)
			}
			b.WriteString(`"q":` + end + `}},`)
		}
		return strings.TrimSuffix(b.String(), ",") + `}}`
	}
	for _, c := range []struct {
		name, old, next string
		want            schema.Impact // for callers
		same            bool
	}{
		{"doubling, the same", doubling(`{"type":"string"}`), doubling(`{"type":"string"}`), schema.Neutral, true},
		{"doubling, the same in another order", doubling(`{"type":"string","minLength":1}`), doubling(`{"minLength":1,"type":"string"}`), schema.Breaking, false},
		{"doubling, another end", doubling(`{"type":"string"}`), doubling(`{"type":"integer"}`), schema.Breaking, false},
		{"a circle, the same", circle(`{}`), circle(`{}`), schema.Neutral, true},
		{"a circle, another end", circle(`{"type":"string"}`), circle(`{}`), schema.Breaking, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			within(t, 10*time.Second, func() {
				got := schema.Diff(schema.MustParse(c.old), schema.MustParse(c.next))
				if got.Caller() != c.want || (len(got) == 0) != c.same {
					t.Errorf("got %d changes, %v for callers, want %v", len(got), got.Caller(), c.want)
				}
			})
		})
	}
}

func TestDiffSteps(t *testing.T) {
	t.Parallel()
	for next, want := range map[string][2]string{
		obj(`{"type":"string"}`):                   {"none", "none"},
		obj(`{"type":"string","description":"x"}`): {"patch", "patch"},
		obj(`{"type":["string","null"]}`):          {"minor", "major"},
		obj(`{"type":"string","minLength":1}`):     {"major", "minor"},
	} {
		cs := schema.Diff(schema.MustParse(obj(`{"type":"string"}`)), schema.MustParse(next))
		if got := [2]string{cs.CallerStep(), cs.ReaderStep()}; got != want {
			t.Errorf("%s: %v, want %v", next, got, want)
		}
	}
	if cs := schema.Diff(nil, schema.None); cs != nil {
		t.Errorf("a nil schema is true: %+v", cs)
	}
	raw, err := json.Marshal(schema.Diff(schema.None, schema.MustParse(`{"title":"x"}`)))
	if err != nil || string(raw) != `[{"path":"/title","what":"title changed","caller":"neutral","reader":"neutral"}]` {
		t.Errorf("as JSON: %s, %v", raw, err)
	}
}

var diffSeed = flag.Uint64("diffseed", 0, "seed of the random edits of TestDiffLaw; 0: another one each time")

// TestDiffLaw: where Diff says that a change is compatible for callers, every call that people wrote for the old schema and
// that it takes, the new one takes too.
func TestDiffLaw(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(corpora(t), "bfcl")
	seed := *diffSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d: repeat with -diffseed", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	calls := map[string][]jsontext.Value{}
	for _, c := range readLines[bfclCall](t, filepath.Join(dir, "calls.jsonl")) {
		calls[c.Tool] = append(calls[c.Tool], c.Arguments)
	}
	edits, judged, checked := 0, 0, 0
	for _, tool := range readLines[struct {
		ID         string         `json:"id"`
		Parameters jsontext.Value `json:"parameters"`
	}](t, filepath.Join(dir, "tools.jsonl")) {
		if len(calls[tool.ID]) == 0 {
			continue
		}
		old := schema.MustParse(string(tool.Parameters))
		if cs := schema.Diff(old, old); cs != nil {
			t.Fatalf("%s differs from itself: %+v", tool.ID, cs)
		}
		before := compile(t, old.String(), &schema.Config{Closed: true})
		for range 6 {
			next := editSchema(t, rnd, tool.Parameters)
			after, err := schema.Compile(next, &schema.Config{Closed: true})
			if err != nil {
				continue
			}
			edits++
			changes := schema.Diff(old, next)
			if changes.Caller() == schema.Breaking {
				continue
			}
			judged++
			for _, args := range variants(t, rnd, calls[tool.ID]) {
				if !before.Validate(args).OK() {
					continue
				}
				checked++
				if rep := after.Validate(args); !rep.OK() {
					t.Fatalf("%s: said to be compatible: %+v\nold %s\nnew %s\ncall %s\nfaults %+v", tool.ID, changes, old, next, args, rep.Faults)
				}
			}
		}
	}
	t.Logf("%d edits, %d of them compatible, checked with %d calls", edits, judged, checked)
	if judged < 1000 || judged == edits {
		t.Errorf("%d of %d edits are compatible: the law is hardly tested", judged, edits)
	}
}

// variants returns the calls, and each of them without one of its arguments.
func variants(t *testing.T, rnd *rand.Rand, calls []jsontext.Value) []jsontext.Value {
	t.Helper()
	out := slices.Clone(calls)
	for _, c := range calls {
		var m map[string]jsontext.Value
		if err := json.Unmarshal(c, &m); err != nil || len(m) == 0 {
			continue
		}
		names := slices.Sorted(mapKeys(m))
		delete(m, names[rnd.IntN(len(names))])
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, raw)
	}
	return out
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// editSchema returns the schema with one to three random edits.
func editSchema(t *testing.T, rnd *rand.Rand, raw jsontext.Value) *schema.Schema {
	t.Helper()
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for range 1 + rnd.IntN(3) {
		var all []map[string]any
		collectSchemas(doc, &all)
		editOne(rnd, all[rnd.IntN(len(all))])
	}
	out, err := json.Marshal(doc, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return schema.MustParse(string(out))
}

// collectSchemas lists the subschemas of a plain schema.
func collectSchemas(v any, into *[]map[string]any) {
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	*into = append(*into, s)
	for _, key := range []string{"items", "additionalProperties"} {
		collectSchemas(s[key], into)
	}
	if props, ok := s["properties"].(map[string]any); ok {
		for _, name := range slices.Sorted(mapKeys(props)) {
			collectSchemas(props[name], into)
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := s[key].([]any)
		for _, sub := range list {
			collectSchemas(sub, into)
		}
	}
}

func pick[T any](rnd *rand.Rand, list ...T) T { return list[rnd.IntN(len(list))] }

// editOne changes one subschema in one way.
func editOne(rnd *rand.Rand, s map[string]any) {
	props, _ := s["properties"].(map[string]any)
	names := slices.Sorted(mapKeys(props))
	required, _ := s["required"].([]any)
	switch rnd.IntN(16) {
	case 0:
		keys := slices.Sorted(mapKeys(s))
		if len(keys) > 0 {
			delete(s, keys[rnd.IntN(len(keys))])
		}
	case 1:
		s[pick(rnd, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")] = rnd.IntN(20) - 5
	case 2:
		s[pick(rnd, "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")] = rnd.IntN(8)
	case 3:
		s["type"] = pick[any](rnd, "string", "integer", "number", "object", []any{"string", "null"}, []any{"integer", "string", "array"})
	case 4:
		if e, ok := s["enum"].([]any); ok && len(e) > 1 {
			s["enum"] = e[:len(e)-1]
		} else {
			s["enum"] = []any{"x", 1, nil}
		}
	case 5:
		if e, ok := s["enum"].([]any); ok {
			s["enum"] = append(slices.Clone(e), fmt.Sprint("more", rnd.IntN(9)))
		}
	case 6:
		if props != nil {
			props[fmt.Sprint("new", rnd.IntN(3))] = pick[any](rnd, true, map[string]any{"type": "string"})
		}
	case 7:
		if len(names) > 0 {
			delete(props, names[rnd.IntN(len(names))])
		}
	case 8:
		if len(names) > 0 {
			s["required"] = append(slices.Clone(required), names[rnd.IntN(len(names))])
		}
	case 9:
		if len(required) > 0 {
			s["required"] = required[1:]
		}
	case 10:
		s["additionalProperties"] = pick[any](rnd, true, false, map[string]any{"type": "string"})
	case 11:
		s[pick(rnd, "pattern", "format")] = pick(rnd, "^a", "date", "email", ".")
	case 12:
		s[pick(rnd, "uniqueItems", "deprecated")] = pick(rnd, true, false)
	case 13:
		inner := map[string]any{}
		maps.Copy(inner, s)
		clear(s)
		s[pick(rnd, "anyOf", "allOf", "oneOf")] = []any{inner, pick[any](rnd, true, map[string]any{"type": "null"}, map[string]any{"properties": map[string]any{"zz": true}})}
	case 14:
		s["description"] = fmt.Sprint("words ", rnd.IntN(9))
	case 15:
		s["patternProperties"] = map[string]any{pick(rnd, "^x", "."): pick[any](rnd, true, false, map[string]any{"type": "string"})}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":1}`)
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`, `{"anyOf":[{"$ref":"#"},{"type":"null"}]}`, `null`)
	f.Add(`{"enum":[1,2]}`, `{"const":2,"enum":[2]}`, `2`)
	f.Fuzz(func(t *testing.T, old, next, value string) {
		a, errA := schema.Parse([]byte(old))
		b, errB := schema.Parse([]byte(next))
		if errA != nil || errB != nil {
			return
		}
		if cs := schema.Diff(a, a); cs != nil {
			t.Fatalf("%s differs from itself: %+v", a, cs)
		}
		changes := schema.Diff(a, b)
		if again := schema.Diff(a, b); !cmp.Equal(changes, again) {
			t.Fatalf("not the same twice: %+v, %+v", changes, again)
		}
		before, errA := schema.Compile(a, &schema.Config{Closed: true})
		after, errB := schema.Compile(b, &schema.Config{Closed: true})
		if errA != nil || errB != nil || changes.Caller() == schema.Breaking {
			return
		}
		if before.Validate([]byte(value)).OK() && !after.Validate([]byte(value)).OK() {
			t.Fatalf("said to be compatible: %+v\nold %s\nnew %s\nvalue %s", changes, a, b, value)
		}
	})
}

func ExampleDiff() {
	old := schema.MustParse(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)
	next := schema.MustParse(`{"type":"object","properties":{"city":{"type":"string","minLength":1},"unit":{"type":"string"}},"required":["city"]}`)
	changes := schema.Diff(old, next)
	for _, c := range changes {
		fmt.Printf("%s %s (callers: %s, readers: %s)\n", c.Path, c.What, c.Caller, c.Reader)
	}
	fmt.Println("as an input:", changes.CallerStep(), "- as an output:", changes.ReaderStep())
	// Output:
	// /properties/city/minLength minLength is 1, was not there (callers: breaking, readers: compatible)
	// /properties/unit is new (callers: compatible, readers: compatible)
	// as an input: major - as an output: minor
}
