package schema_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"helve.dev/helve/schema"
)

// TestLowerTakesWhatBranchesTake says what one branch of a schema takes and the others do not: a dialect that is not strict takes it
// too, and a strict one only says so when it is not marked strict.
func TestLowerTakesWhatBranchesTake(t *testing.T) {
	t.Parallel()
	nested := func(text string) string { return `{"type":"object","properties":{"o":` + text + `}}` }
	for _, c := range []struct{ name, text, in string }{
		{"a branch of any names", `{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}},"additionalProperties":true},{"properties":{"b":{"type":"integer"}},"required":["b"]}]}`, `{"x":1}`},
		{"a branch of some values", `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"integer"}},{"type":"null"}]}`, `{"x":1}`},
		{"a property of one branch under a further name of the other", `{"type":"object","anyOf":[{"properties":{"c":{"type":"object"}}},{"properties":{},"required":["c"],"additionalProperties":{"type":"string"}}]}`, `{"c":"a"}`},
		{"a branch with a pattern of names", `{"type":"object","oneOf":[{"properties":{"a":{"type":"string"}},"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false},{"properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}]}`, `{"x1":1}`},
		{"branches without names", `{"oneOf":[{"type":["string","null"]},{}]}`, `{"x":1}`},
		{"a part of any names in a closed whole", `{"type":"object","properties":{"a":{"type":"string"}},"allOf":[{"additionalProperties":{"type":["string","null"]}}],"unevaluatedProperties":false}`, `{"x":null}`},
		{"a part of any names in a closed whole, nested", nested(`{"type":"object","properties":{"a":{"type":"string"}},"allOf":[{"additionalProperties":{"type":["string","null"]}}],"unevaluatedProperties":false}`), `{"o":{"x":null}}`},
		{"a condition that names a property", `{"type":"object","properties":{"k":{"type":"string"}},"if":{"properties":{"a":{"type":"integer"}},"required":["a"]},"then":{"required":["k"]},"else":{"properties":{"b":{"type":"integer"}}}}`, `{"k":"x","a":1}`},
		{"a property of two conditional schemas", nested(`{"type":"object","properties":{"k":{"enum":["s","i"]}},"allOf":[{"if":{"properties":{"k":{"const":"s"}}},"then":{"properties":{"v":{"type":"string"}}}},{"if":{"properties":{"k":{"const":"i"}}},"then":{"properties":{"v":{"type":"integer"}}}}]}`), `{"o":{"k":"i","v":3}}`},
		{"a conditional schema by reference", nested(`{"type":"object","properties":{"k":{"type":"string"}},"dependentSchemas":{"k":{"allOf":[{"properties":{"v":{"type":"integer"}}}]}}}`), `{"o":{"k":"i","v":3}}`},
		{"a conditional schema of any names", nested(`{"type":"object","properties":{"k":{"type":"string"}},"dependentSchemas":{"k":{"additionalProperties":true}}}`), `{"o":{"k":"i","v":3}}`},
		{"a conditional property of an open object", `{"type":"object","properties":{"k":{"type":"string"}},"additionalProperties":true,"dependentSchemas":{"k":{"properties":{"v":{"type":"integer"}}}}}`, `{"v":"x"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if r := compile(t, c.text, closed).Validate([]byte(c.in)); !r.OK() {
				t.Fatalf("the canonical schema refuses %s: %+v", c.in, r.Faults)
			}
			for _, d := range dialects {
				low, err := schema.Lower(schema.MustParse(c.text), d, nil)
				if err != nil {
					t.Fatal(err)
				}
				if d == schema.OpenAIStrict && low.Strict {
					continue // says null for what is not given: TestLowerGoldNulls
				}
				if r := compile(t, low.Schema.String(), nil).Validate([]byte(c.in)); !r.OK() {
					t.Errorf("%v: the wire schema refuses %s: %+v\n wire %s\n report %v", d, c.in, r.Faults, low.Schema, low.Report)
				}
			}
		})
	}
}

// TestLowerNarrowsNothing lowers random schemas of tools: what they take can be said in every dialect that leaves optional properties
// out, and comes back as it was.
func TestLowerNarrowsNothing(t *testing.T) {
	t.Parallel()
	said, strict := 0, 0
	for seed := range uint64(700) {
		g := generator{rand.New(rand.NewPCG(seed, 5))}
		text := g.toolSchema()
		v, err := compileText([]byte(text), closed)
		if err != nil {
			if !strings.Contains(err.Error(), "refers to itself") {
				t.Fatalf("%s: %v", text, err)
			}
			continue
		}
		var values []string
		for range 40 {
			if in := g.object(func() string { return g.toolValue(2) }); v.Validate([]byte(in)).OK() {
				values = append(values, in)
			}
		}
		for _, d := range dialects {
			low, err := schema.Lower(schema.MustParse(text), d, nil)
			if err != nil {
				if len(values) > 0 {
					t.Fatalf("seed %d: %v, though %s is valid: %s", seed, err, values[0], text)
				}
				continue
			}
			if low.Strict {
				if strict++; d == schema.OpenAIStrict {
					continue
				}
			}
			wire := compile(t, low.Schema.String(), nil)
			for _, in := range values {
				said++
				if r := wire.Validate([]byte(in)); !r.OK() {
					t.Fatalf("seed %d: %v: the wire schema refuses %s: %+v\n canonical %s\n wire %s\n report %v", seed, d, in, r.Faults, text, low.Schema, low.Report)
				}
				if back, err := low.Restore([]byte(in)); err != nil || string(back) != in {
					t.Fatalf("seed %d: %v: %s comes back as %s, %v", seed, d, in, back, err)
				}
			}
		}
	}
	t.Logf("%d values said, %d schemas strict", said, strict)
	if said < 5000 || strict < 150 {
		t.Error("too few of one kind for the law to say anything")
	}
}

// toolSchema is a schema of a tool's input, with definitions, unions, conditions and objects of all kinds.
func (g generator) toolSchema() string {
	for {
		if text := g.toolPart(3); strings.Contains(text, "properties") {
			return strings.TrimSuffix(text, "}") + `,"$defs":{"d":` + g.toolLeaf() + `,"e":{"type":"object","properties":{"a":{"type":"string"},"b":` + g.toolPart(1) + `},"required":["a"]},` +
				`"n":{"type":"object","properties":{"a":{"type":"integer"},"c":{"$ref":"#/$defs/n"}}` + g.pick("", `,"required":["a"]`) + `}}}`
		}
	}
}

func (g generator) toolLeaf() string {
	return g.pick(`{"type":"string"}`, `{"type":"integer"}`, `{"type":["string","null"]}`, `{"type":"boolean"}`, `{"type":"string","enum":["a","b"]}`, `{"enum":["a",null]}`,
		`{"enum":[1,2]}`, `{"const":"a"}`, `{"type":"integer","minimum":1}`, `{"type":"string","default":"a"}`, `{"type":["integer","string"]}`, `{"type":"null"}`,
		`{"type":"array","items":{"type":"string"}}`, `{"type":"string","maxLength":1}`, `{"type":["object","null"],"properties":{"a":{"type":"string"}}}`,
		`{"type":"object","additionalProperties":{"type":"integer"}}`, `{}`, `{"type":"object"}`)
}

func (g generator) toolPart(depth int) string {
	if depth == 0 || g.IntN(5) == 0 {
		return g.pick(g.toolLeaf(), g.toolLeaf(), `{"$ref":"#/$defs/`+g.pick("d", "e", "n")+`"}`)
	}
	sub := func() string { return g.toolPart(depth - 1) }
	props := func() string { return `"properties":` + g.object(sub) }
	required := func() string {
		return `,"required":` + g.list(g.IntN(3), func() string { return fmt.Sprintf("%q", g.pick("a", "b", "c")) })
	}
	switch object := `{"type":"object",` + props(); g.IntN(12) {
	case 0:
		return `{` + g.pick(`"anyOf"`, `"oneOf"`) + `:` + g.list(2, sub) + `}`
	case 1:
		return `{"allOf":` + g.list(1+g.IntN(2), sub) + `}`
	case 2:
		return `{"type":"array","items":` + sub() + `}`
	case 3:
		return `{"anyOf":[` + sub() + `,{"type":"null"}],"description":"D."}`
	case 4:
		return object + required() + `,"anyOf":` + g.list(2, func() string { return `{` + props() + required() + `}` }) + `}`
	case 5:
		return `{"type":["object","null"],` + props() + required() + `,"additionalProperties":` + g.pick("false", "true", sub()) + `}`
	case 6:
		return `{"$ref":"#/$defs/` + g.pick("d", "e", "n") + `","description":"R.",` + props() + `}`
	case 7:
		return object + `,"if":{"properties":{"a":{"const":"a"}},"required":["a"]},"then":{` + props() + `},"else":{` + props() + required() + `}}`
	case 8:
		return object + `,"dependentSchemas":{"a":{` + props() + `},"b":` + sub() + `}}`
	case 9:
		return object + `,"patternProperties":{"^x":` + g.toolLeaf() + `}` + g.pick("", `,"additionalProperties":false`) + `}`
	case 10:
		return `{"type":"array","prefixItems":` + g.list(1+g.IntN(2), sub) + g.pick("", `,"items":false`, `,"items":`+sub()) + `}`
	default:
		return object + required() + `}`
	}
}

func (g generator) toolValue(depth int) string {
	if depth == 0 || g.IntN(2) == 0 {
		return g.pick("null", `"a"`, `"b"`, `""`, "1", "2", "0.5", "true", "[]", "{}")
	}
	if g.IntN(3) == 0 {
		return g.list(g.IntN(3), func() string { return g.toolValue(depth - 1) })
	}
	return g.object(func() string { return g.toolValue(depth - 1) })
}
