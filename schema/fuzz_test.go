package schema_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

var fuzzSchemas = []string{
	`true`,
	forecastSchema,
	eventSchema,
	`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"],"default":2},"o":{"$ref":"#"},"l":{"type":"array","uniqueItems":true,"items":{"$ref":"#"}}},"required":["b"],"minProperties":1}`,
	`{"anyOf":[{"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"integer"}},"required":["kind"]},{"type":"object","properties":{"kind":{"const":"b"}},"required":["kind"]},{"type":"array","items":{"$ref":"#"}},{"type":"null"}]}`,
	`{"allOf":[{"properties":{"a":{"default":{}},"b":{"not":{"type":"null"}}}},{"patternProperties":{"^x":{"multipleOf":0.3}}}],"unevaluatedProperties":{"type":"string","maxLength":3,"pattern":"(?!z)"},"dependentRequired":{"a":["b"]},"propertyNames":{"maxLength":4}}`,
	`{"prefixItems":[{"enum":[1,"a",{"b":null},[2.50]]},{"type":"string","format":"date"}],"contains":{"type":"integer"},"minContains":1,"maxContains":2,"unevaluatedItems":{"type":"integer"},"if":{"minItems":3},"then":{"maxItems":4},"else":{"uniqueItems":true}}`,
	`{"properties":{"limit":{"type":"integer","deprecated":true},"q":{"type":"string","default":"x"}},"additionalProperties":{"type":"object","properties":{"n":{"type":"integer","default":1}}}}`,
}

// FuzzValidate holds for any bytes: nothing panics; verdicts are the same each time; what is accepted is strict JSON as jsontext
// has it, and what jsontext refuses is refused; a settled value is valid and stays as it is when settled again.
func FuzzValidate(f *testing.F) {
	for i := range fuzzSchemas {
		for _, in := range []string{
			event, `{"city":"Porto","unit":"celsius","days":null}`, `{"a":null,"b":1,"o":{"b":1},"l":[{"b":1}]}`, `{"kind":"b"}`, `[1,"2026-01-31",3]`,
			`{"max":3,"q":null,"z":{"n":null}}`, `{"a":1,"\u0061":2}`, ``, `null`, ` { } `, `"\ud83d\ude00"`, `[1e5,10000.0,-0,0]`, `{"x":0.9,"b":[],"a":{}}`,
		} {
			f.Add(uint8(i), []byte(in))
		}
	}
	validators := make([]*schema.Validator, 0, 2*len(fuzzSchemas))
	for _, text := range fuzzSchemas {
		cfg := &schema.Config{Closed: true}
		if strings.Contains(text, `"limit"`) {
			cfg.Aliases = map[string]string{"max": "limit", "query": "q"}
		}
		validators = append(validators, compile(f, text, nil), compile(f, text, cfg))
	}
	f.Fuzz(func(t *testing.T, which uint8, in []byte) {
		v := validators[int(which)%len(validators)]
		before := bytes.Clone(in)
		r := v.Validate(in)
		if again := v.Validate(in); r.OK() != again.OK() || len(faults(r)) != len(faults(again)) {
			t.Fatalf("two verdicts: %+v and %+v", r, again)
		}
		if strict := jsontext.Value(in).IsValid(); r.OK() && !strict {
			t.Fatal("accepted, but not strict JSON")
		}
		for _, f := range faults(r) {
			if f.Path != "" && f.Path[0] != '/' || f.Problem == "" || len(f.Problem) > 1000 {
				t.Fatalf("fault %+v", f)
			}
		}
		settled, r := v.Normalize(in)
		if !bytes.Equal(in, before) {
			t.Fatal("the input is changed")
		}
		if !r.OK() {
			return
		}
		if r := v.Validate(settled); !r.OK() {
			t.Fatalf("settled to %s, which is refused: %+v", settled, r.Faults)
		}
		twice, r2 := v.Normalize(settled)
		if !r2.OK() || !bytes.Equal(settled, twice) || r2 != nil && len(r2.Aliases) > 0 {
			t.Fatalf("settled to %s, then to %s, %+v", settled, twice, r2)
		}
	})
}

// FuzzCompile holds for any schema: nothing panics or hangs, and what compiles checks.
func FuzzCompile(f *testing.F) {
	for _, text := range fuzzSchemas {
		f.Add([]byte(text), []byte(event))
	}
	f.Add([]byte(`{"$ref":"#/$defs/a","$defs":{"a":{"$dynamicRef":"#b","$id":"x","items":{"$dynamicAnchor":"b"}}}}`), []byte(`[[1]]`))
	f.Add([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"$id":"#a"}],"dependencies":{"a":["b"]}}`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, text, in []byte) {
		v, err := compileText(text, &schema.Config{Closed: true, CheckDefaults: true})
		if err != nil {
			return
		}
		settled, r := v.Normalize(in)
		if r.OK() && !v.Validate(settled).OK() {
			t.Fatalf("settled to %s, which is refused", settled)
		}
	})
}
