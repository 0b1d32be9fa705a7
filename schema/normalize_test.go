package schema_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	const (
		nested = `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"integer","default":1}}},` +
			`"l":{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer","default":7}},"required":["x"]}}}}`
		plain = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"type":"integer"}}}`
	)
	for _, c := range []struct{ name, schema, in, want string }{
		{"defaults, in the schema's order", forecastSchema, `{"city":"Porto","unit":"celsius"}`, `{"city":"Porto","unit":"celsius","days":3,"mode":"daily"}`},
		{"what is given stays", forecastSchema, `{"mode":"hourly","city":"Porto","unit":"celsius"}`, `{"mode":"hourly","city":"Porto","unit":"celsius","days":3}`},
		{"null means absent, then the default counts", forecastSchema, `{"city":"Porto","days":null,"unit":"celsius","mode":"daily"}`, `{"city":"Porto","unit":"celsius","mode":"daily","days":3}`},
		{"B23 null for an optional property", plain, `{"a":null,"c":1}`, `{"c":1}`},
		{"B23 first, middle and last", plain, ` { "a" : null , "b" : null , "c" : null } `, ` {"b" : null} `},
		{"B23 all", plain, `{ "a":null, "c":null }`, `{}`},
		{"B23 nested, and defaults there", nested, `{"a":{"b":null},"l":[{"x":1,"y":null},{"x":2,"y":3}]}`, `{"a":{"c":1},"l":[{"x":1,"y":7},{"x":2,"y":3}]}`},
		{"null that the schema accepts stays", plain, `{"b":null}`, `{"b":null}`},
		{"null where the schema says nothing stays", `{"properties":{"a":{}}}`, `{"a":null}`, `{"a":null}`},
		{"spelling and white space stay", forecastSchema, "{\n  \"city\": \"\\u0050orto\",\n  \"unit\": \"celsius\"\n}", "{\n  \"city\": \"\\u0050orto\",\n  \"unit\": \"celsius\",\"days\":3,\"mode\":\"daily\"\n}"},
		{"B22 empty", forecastlike(`{}`), ``, `{}`},
		{"B22 white space", forecastlike(`{}`), " \n", `{}`},
		{"B22 null", forecastlike(`{}`), `null`, `{}`},
		{"B22 empty arguments get defaults", forecastlike(`{"n":{"default":1}}`), ``, `{"n":1}`},
		{"B22 nothing where anything goes", `true`, ``, `{}`},
		{"null where anything goes stays", `true`, `null`, `null`},
		{"default through $ref", `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"integer","default":5}}}`, `{}`, `{"a":5}`},
		{"default in a part of allOf", `{"allOf":[{"properties":{"a":{"default":1}}},{"properties":{"b":{"default":2}}}]}`, `{}`, `{"a":1,"b":2}`},
		{"no default from a branch of anyOf", `{"anyOf":[{"properties":{"a":{"default":1}}},{"properties":{"b":{"default":2}}}]}`, `{}`, `{}`},
		{"a nullable object counts in any case", `{"properties":{"o":{"anyOf":[{"type":"object","properties":{"a":{"default":1}}},{"type":"null"}]}}}`, `{"o":{}}`, `{"o":{"a":1}}`},
		{"a nullable object that is null", `{"properties":{"o":{"anyOf":[{"type":"object","properties":{"a":{"default":1}}},{"type":"null"}]}}}`, `{"o":null}`, `{"o":null}`},
		{"no default from then", `{"if":true,"then":{"properties":{"a":{"default":1}}}}`, `{}`, `{}`},
		{"a default is settled itself", `{"properties":{"o":{"default":{},"properties":{"a":{"default":1},"b":{"type":"string"}}}}}`, `{}`, `{"o":{"a":1}}`},
		{"a default that its schema refuses is none", `{"properties":{"n":{"type":"integer","default":"3"}}}`, `{}`, `{}`},
		{"a default that would hold itself ends", `{"properties":{"child":{"$ref":"#","default":{}}}}`, `{}`, `{"child":{}}`},
		{"defaults of map values", `{"additionalProperties":{"type":"object","properties":{"a":{"default":1}}}}`, `{"x":{},"y":{"a":2}}`, `{"x":{"a":1},"y":{"a":2}}`},
		{"defaults in prefix items", `{"prefixItems":[{"properties":{"a":{"default":1}}}],"items":{"properties":{"b":{"default":2}}}}`, `[{},{}]`, `[{"a":1},{"b":2}]`},
		{"null in a map stays", `{"additionalProperties":{"type":["integer","null"]}}`, `{"a":null}`, `{"a":null}`},
		{"recursion", `{"properties":{"v":{"default":0},"next":{"$ref":"#"}}}`, `{"next":{"next":{}}}`, `{"next":{"next":{"v":0},"v":0},"v":0}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := compile(t, c.schema, nil)
			got, r := v.Normalize([]byte(c.in))
			if r != nil {
				t.Fatalf("report %+v, want none", r)
			}
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			again, r := v.Normalize(got)
			if r != nil || string(again) != string(got) {
				t.Errorf("a second time: %s, %+v", again, r)
			}
		})
	}
}

func forecastlike(properties string) string {
	return `{"type":"object","properties":` + properties + `}`
}

func TestNormalizeFaults(t *testing.T) {
	t.Parallel()
	aliases := &schema.Config{Closed: true, Aliases: map[string]string{"max": "limit", "maximum": "limit"}}
	const limit = `{"type":"object","properties":{"limit":{"type":"integer"},"q":{"type":"string"}}}`
	for _, c := range []struct {
		name, schema string
		cfg          *schema.Config
		in           string
		want         []fault
	}{
		{"null for a required property", forecastSchema, nil, `{"city":null,"unit":"celsius"}`, []fault{{"/city", "must be a string, got null", ""}}},
		{"null for a required property deep inside", `{"items":{"properties":{"x":{"type":"integer"}},"required":["x"]}}`, nil, `[{"x":null}]`, []fault{{"/0/x", "must be an integer, got null", ""}}},
		{"null in a map is a value", `{"additionalProperties":{"type":"integer"}}`, nil, `{"a":null}`, []fault{{"/a", "must be an integer, got null", ""}}},
		{"an alias beside the present name", limit, aliases, `{"max":3,"limit":4}`, []fault{{"/max", `the former name of "limit", which is given too; send only "limit"`, ""}}},
		{"two former names of one", limit, aliases, `{"max":3,"maximum":4}`, []fault{{"/maximum", `the former name of "limit", which is given too; send only "limit"`, ""}}},
		{"a fault under an alias has the present name", limit, aliases, `{"max":"3"}`, []fault{{"/limit", `must be an integer, got the string "3"`, "3"}}},
		{"aliases are for the root alone", `{"type":"object","properties":{"limit":{"properties":{"q":{}}}}}`, &schema.Config{Closed: true, Aliases: map[string]string{"max": "limit"}}, `{"limit":{"max":1}}`, []fault{{"/limit/max", "unknown; accepted: q", ""}}},
		{"faults and nulls together", forecastSchema, nil, `{"days":null,"unit":"x","city":"a"}`, []fault{{"/unit", `must be "celsius" or "fahrenheit", got "x"`, ""}}},
		{"B26 null twice", limit, nil, `{"q":null,"q":null}`, []fault{{"/q", "must be a string, got null", ""}, {"/q", "duplicate key", ""}}},
		{"B26 null, then a value", limit, nil, `{"limit":null,"\u006cimit":3}`, []fault{{"/limit", "must be an integer, got null", ""}, {"/limit", "duplicate key", ""}}},
		{"B26 a value, then null", limit, nil, `{"q":"a","q":null}`, []fault{{"/q", "duplicate key", ""}, {"/q", "must be a string, got null", ""}}},
		{"B26 twice elsewhere", `{"properties":{"o":{"properties":{"q":{"type":"string"}}},"l":{}}}`, nil, `{"o":{"q":null},"l":[{"a":1,"a":1}]}`, []fault{{"/o/q", "must be a string, got null", ""}, {"/l/0/a", "duplicate key", ""}}},
		{"malformed", forecastSchema, nil, `{"days":`, []fault{{"", "is not valid JSON: it ends too early, at byte 8", ""}}},
		{"nothing where an array is wanted", `{"type":"array"}`, nil, ``, []fault{{"", "is empty, which is not JSON", ""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, r := compile(t, c.schema, c.cfg).Normalize([]byte(c.in))
			if diff := cmp.Diff(c.want, faults(r)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if string(got) != c.in {
				t.Errorf("refused, but changed to %s", got)
			}
		})
	}
}

// TestNormalizeTwice hides a name that is there twice behind more faults than are kept: nulls that would be dropped.
func TestNormalizeTwice(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"properties":{"l":{"items":{"properties":{"q":{"type":"string"}}}},"q":{"type":"string"}}}`, nil)
	in := `{"l":[` + strings.Repeat(`{"q":null},`, 600) + `{}],"q":null,"q":null}`
	if got, r := v.Normalize([]byte(in)); r.OK() {
		t.Errorf("accepted, as %.60s", got)
	}
}

func TestNormalizeReports(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"type":"object","properties":{"limit":{"type":"integer"},"o":{"type":"object","properties":{"old":{"$ref":"#/$defs/old"}}},"q":{"type":"string"}},"$defs":{"old":{"deprecated":true,"type":"string"}}}`,
		&schema.Config{Closed: true, Aliases: map[string]string{"max": "limit", "query": "q"}})
	got, r := v.Normalize([]byte(`{"m\u0061x":3,"o":{"old":"x"},"query":null}`))
	if want := `{"limit":3,"o":{"old":"x"}}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := &schema.Report{Aliases: []schema.Alias{{From: "max", To: "limit"}, {From: "query", To: "q"}}, Deprecated: []string{"/o/old"}}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if !r.OK() {
		t.Error("a report without faults is not OK")
	}
	if r := v.Validate([]byte(`{"max":3}`)); r.OK() {
		t.Error("Validate takes a former name, want it unknown")
	}
}

// TestNormalizeSame shows that a value which needs no change comes back as it is, not as a copy.
func TestNormalizeSame(t *testing.T) {
	t.Parallel()
	in := []byte(`{"city":"Porto","unit":"celsius","days":1,"mode":"daily"}`)
	got, r := compile(t, forecastSchema, nil).Normalize(in)
	if r != nil || unsafe.SliceData(got) != unsafe.SliceData(in) || len(got) != len(in) {
		t.Errorf("got %s and %+v, want the input itself", got, r)
	}
}

// TestDefaultsDoNotBreak shows that a value with defaults filled in is checked again.
func TestDefaultsDoNotBreak(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"properties":{"a":{"default":1}},"maxProperties":1}`, nil)
	if _, r := v.Normalize([]byte(`{"b":1}`)); r.OK() {
		t.Error("two properties are accepted, want one at most")
	}
}
