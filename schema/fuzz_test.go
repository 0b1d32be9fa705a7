package schema_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
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

var fuzzValues = []string{
	event, `{"city":"Porto","unit":"celsius","days":null}`, `{"a":null,"b":1,"o":{"b":1},"l":[{"b":1}]}`, `{"kind":"b"}`, `[1,"2026-01-31",3]`,
	`{"max":3,"q":null,"z":{"n":null}}`, `{"a":1,"\u0061":2}`, ``, `null`, ` { } `, `"\ud83d\ude00"`, `[1e5,10000.0,-0,0]`, `{"x":0.9,"b":[],"a":{}}`,
}

// fuzzValidators are the fuzzSchemas, each open and closed; the last has aliases.
func fuzzValidators(f *testing.F) (validators []*schema.Validator) {
	f.Helper()
	for _, text := range fuzzSchemas {
		cfg := &schema.Config{Closed: true}
		if strings.Contains(text, `"limit"`) {
			cfg.Aliases = map[string]string{"max": "limit", "query": "q"}
		}
		validators = append(validators, compile(f, text, nil), compile(f, text, cfg))
	}
	return validators
}

// FuzzValidate holds for any bytes: nothing panics; verdicts are the same each time, and the same for the value with other white
// space; what is accepted is strict JSON as jsontext has it; a fault stands at a place of the value, or at a member missing from
// such a place, and is a short sentence.
func FuzzValidate(f *testing.F) {
	validators := fuzzValidators(f)
	for i := range validators {
		for _, in := range fuzzValues {
			f.Add(uint8(i), []byte(in))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, in []byte) {
		v := validators[int(which)%len(validators)]
		before := bytes.Clone(in)
		r := v.Validate(in)
		if !bytes.Equal(in, before) {
			t.Fatal("the input is changed")
		}
		if again := v.Validate(in); r.OK() != again.OK() || len(faults(r)) != len(faults(again)) {
			t.Fatalf("two verdicts: %+v and %+v", r, again)
		}
		strict := jsontext.Value(in).IsValid()
		if r.OK() && !strict {
			t.Fatal("accepted, but not strict JSON")
		}
		if len(faults(r)) > 32 {
			t.Fatalf("%d faults are listed", len(r.Faults))
		}
		for _, f := range faults(r) {
			if f.Path != "" && f.Path[0] != '/' || f.Problem == "" || len(f.Problem) > 1000 {
				t.Fatalf("fault %+v", f)
			}
			if strict && !strings.Contains(f.Path, "...") && !stands(in, f.Path) && !stands(in, f.Path[:strings.LastIndexByte(f.Path, '/')]) {
				t.Fatalf("fault %+v is about no place of %s", f, in)
			}
		}
		if spaced := jsontext.Value(bytes.Clone(in)); strict && len(in) < 1<<12 && spaced.Indent() == nil {
			if again := v.Validate(spaced); paths(r) != paths(again) {
				t.Fatalf("with other white space: %s, not %s", paths(again), paths(r))
			}
		}
	})
}

// stands reports whether the JSON value has a place with the path.
func stands(in []byte, path string) bool {
	d := jsontext.NewDecoder(bytes.NewReader(in))
	for {
		if _, err := d.ReadToken(); err != nil {
			return path == ""
		}
		if string(d.StackPointer()) == path {
			return true
		}
	}
}

// paths puts the places of the faults into one line.
func paths(r *schema.Report) string {
	var out []string
	for _, f := range faults(r) {
		out = append(out, f.Path)
	}
	return strings.Join(out, " ")
}

// FuzzNormalize holds for any bytes: the input is not changed; only strict JSON, or nothing at all, is settled; a settled value is
// valid and stays as it is when settled again; what was given stays, except nulls and the names that have been renamed; and with
// faults nothing is settled.
func FuzzNormalize(f *testing.F) {
	validators := fuzzValidators(f)
	for i := range validators {
		for _, in := range fuzzValues {
			f.Add(uint8(i), []byte(in))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, in []byte) {
		v := validators[int(which)%len(validators)]
		before := bytes.Clone(in)
		settled, r := v.Normalize(in)
		if !bytes.Equal(in, before) {
			t.Fatal("the input is changed")
		}
		if !r.OK() {
			if !bytes.Equal(settled, in) {
				t.Fatalf("refused, but settled to %s", settled)
			}
			return
		}
		if blank := len(bytes.TrimLeft(in, " \t\r\n")) == 0; !blank && !jsontext.Value(in).IsValid() {
			t.Fatalf("settled to %s, but the input is not strict JSON", settled)
		}
		if r := v.Validate(settled); !r.OK() {
			t.Fatalf("settled to %s, which is refused: %+v", settled, r.Faults)
		}
		twice, r2 := v.Normalize(settled)
		if !r2.OK() || !bytes.Equal(settled, twice) || r2 != nil && len(r2.Aliases) > 0 {
			t.Fatalf("settled to %s, then to %s, %+v", settled, twice, r2)
		}
		var was, is any
		if json.Unmarshal(in, &was) == nil && json.Unmarshal(settled, &is) == nil && (r == nil || len(r.Aliases) == 0) && was != nil && !keeps(was, is) {
			t.Fatalf("settled to %s, which is not what was given", settled)
		}
	})
}

// keeps reports whether is holds everything that was holds, except members that are null.
func keeps(was, is any) bool {
	switch was := was.(type) {
	case map[string]any:
		is, ok := is.(map[string]any)
		for name, value := range was {
			if got, there := is[name]; value != nil && (!there || !keeps(value, got)) {
				return false
			}
		}
		return ok
	case []any:
		is, ok := is.([]any)
		if !ok || len(is) != len(was) {
			return false
		}
		for k := range was {
			if !keeps(was[k], is[k]) {
				return false
			}
		}
		return true
	}
	return was == is
}

// FuzzParse holds for any text: what Parse takes is one strict JSON object or boolean, and stays the same but for white space
// through every way in and out; what compiles checks and settles; and nothing panics or hangs.
func FuzzParse(f *testing.F) {
	for _, text := range fuzzSchemas {
		f.Add([]byte(text), []byte(event))
	}
	f.Fuzz(func(t *testing.T, text, in []byte) {
		s, err := schema.Parse(text)
		compact := jsontext.Value(bytes.Clone(text))
		takes := compact.IsValid() && strings.IndexByte("{tf", byte(compact.Kind())) >= 0
		if takes != (err == nil) {
			t.Fatalf("strict JSON of a kind that a schema may be: %v, but Parse says %v", takes, err)
		}
		if err != nil {
			return
		}
		if err := compact.Compact(); err != nil || s.String() != compact.String() {
			t.Fatalf("got %s, want the text without white space: %s, %v", s, compact, err)
		}
		var again schema.Schema
		if raw, err := json.Marshal(s); err != nil || json.Unmarshal(raw, &again) != nil || !again.Equal(s) {
			t.Fatalf("got %s after a round through JSON, %v", raw, err)
		}
		v, err := schema.Compile(s, &schema.Config{Closed: true, CheckDefaults: true})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "compile schema: ") {
				t.Fatalf("the error does not say where it comes from: %v", err)
			}
			return
		}
		settled, r := v.Normalize(in)
		if r.OK() && !v.Validate(settled).OK() {
			t.Fatalf("settled to %s, which is refused", settled)
		}
	})
}
