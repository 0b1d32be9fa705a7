package schema_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

func TestBuilder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		b    *schema.Builder
		want string
	}{
		{"string", schema.String().Doc("x").Min(1).Max(9).Pattern("^a").Format("hostname"), `{"type":"string","description":"x","format":"hostname","pattern":"^a","minLength":1,"maxLength":9}`},
		{"one order whatever the calls'", schema.Integer().Default(3).Max(10).Doc("n").Min(1), `{"type":"integer","description":"n","minimum":1,"maximum":10,"default":3}`},
		{"number", schema.Number().Min(0.5).Set("multipleOf", 0.25), `{"type":"number","minimum":0.5,"multipleOf":0.25}`},
		{"enum", schema.String().Enum("a", "b"), `{"type":"string","enum":["a","b"]}`},
		{"B06 nullable enum", schema.String().Enum("a", "b").Nullable(), `{"type":["string","null"],"enum":["a","b",null]}`},
		{"nullable enum without a type", schema.Any().Enum("a", 1).Nullable(), `{"enum":["a",1,null]}`},
		{"nullable twice", schema.Boolean().Nullable().Nullable(), `{"type":["boolean","null"]}`},
		{"nullable object", schema.Object().Doc("x").Nullable(), `{"description":"x","anyOf":[{"type":"object","properties":{},"additionalProperties":false},{"type":"null"}]}`},
		{"nullable any", schema.Any().Nullable(), `true`},
		{"const", schema.Any().Const("a"), `{"const":"a"}`},
		{"nullable const", schema.Any().Const("a").Nullable(), `{"anyOf":[{"const":"a"},{"type":"null"}]}`},
		{"array", schema.Array(schema.Integer()).Min(1).Max(3).Unique(), `{"type":"array","minItems":1,"maxItems":3,"uniqueItems":true,"items":{"type":"integer"}}`},
		{"array of anything", schema.Array(nil), `{"type":"array"}`},
		{"map", schema.Map(schema.Number()).Max(2), `{"type":"object","maxProperties":2,"additionalProperties":{"type":"number"}}`},
		{"map of anything", schema.Map(nil), `{"type":"object","additionalProperties":true}`},
		{"object", schema.Object(schema.Required("city", schema.String().Doc("City")), schema.Optional("days", schema.Integer().Default(3))), `{"type":"object","properties":{"city":{"type":"string","description":"City"},"days":{"type":"integer","default":3}},"required":["city"],"additionalProperties":false}`},
		{"open object", schema.Object(schema.Optional("a", schema.Any())).Open(nil), `{"type":"object","properties":{"a":true},"additionalProperties":true}`},
		{"open object of integers", schema.Object().Open(schema.Integer()), `{"type":"object","properties":{},"additionalProperties":{"type":"integer"}}`},
		{"a name that needs escapes", schema.Object(schema.Optional("a\"\n", schema.Null())), `{"type":"object","properties":{"a\"\n":{"type":"null"}},"additionalProperties":false}`},
		{"anyOf", schema.AnyOf(schema.String(), schema.Integer()), `{"anyOf":[{"type":"string"},{"type":"integer"}]}`},
		{"oneOf", schema.OneOf(schema.String(), schema.Null()).Doc("x"), `{"description":"x","oneOf":[{"type":"string"},{"type":"null"}]}`},
		{"examples", schema.String().Example("a").Example("b"), `{"type":"string","examples":["a","b"]}`},
		{"deprecated", schema.String().Deprecated(), `{"type":"string","deprecated":true}`},
		{"escape hatch", schema.Any().Set("x-order", 1).Set("$defs", map[string]*schema.Schema{"a": schema.None}).Set("not", schema.String()).Set("x-raw", jsontext.Value(`1.0`)), `{"x-order":1,"not":{"type":"string"},"x-raw":1.0,"$defs":{"a":true}}`},
		{"from a document", schema.From(schema.MustParse(`{"minLength":1,"type":"string"}`)).Doc("x"), `{"type":"string","description":"x","minLength":1}`},
		{"from nothing", schema.From(nil), `true`},
		{"from false", schema.From(schema.MustParse(`false`)), `{"not":{}}`},
		{"values as they go on the wire", schema.String().Default(90 * time.Minute), `{"type":"string","default":"1h30m0s"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := c.b.Schema()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(c.want, "\n", `\n`), s.String()); diff != "" {
				t.Errorf("schema (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBuilderErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		b    *schema.Builder
		want []string
	}{
		{"a limit of a boolean", schema.Boolean().Min(1), []string{`min: says nothing about the type "boolean"`}},
		{"all at once, with the place", schema.Object(schema.Required("a", schema.Boolean().Max(1)), schema.Required("b", schema.Array(schema.String().Default(func() {})))), []string{`a: max: says nothing`, "b: items: default: "}},
		{"the same name twice", schema.Object(schema.Required("a", schema.String()), schema.Optional("a", schema.String())), []string{`property "a": has no schema or is given twice`}},
		{"no schema", schema.Object(schema.Property{}), []string{`property "": has no schema or is given twice`}},
		{"no alternatives", schema.AnyOf(), []string{"anyOf: needs at least one alternative"}},
		{"nil alternative", schema.OneOf(schema.String(), nil), []string{"oneOf: alternative 1 is nil"}},
		{"no values", schema.String().Enum(), []string{"enum: needs at least one value"}},
		{"an example that is none", schema.Any().Example(make(chan int)), []string{"example: "}},
		{"a pattern that is none", schema.String().Pattern("("), []string{`at "/pattern": "(" is not a regular expression`}},
		{"a default that does not fit", schema.Object(schema.Optional("n", schema.Integer().Default("x"))), []string{`at "/properties/n/default": the default "x" does not fit its own schema`}},
		{"a keyword of the wrong type", schema.Any().Set("required", "a"), []string{`at "/required": required must be an array of property names`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := c.b.Schema()
			if err == nil {
				t.Fatalf("got %s, want an error", s)
			}
			for _, want := range append(c.want, "build schema: ") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got  %v\nwant %s", err, want)
				}
			}
		})
	}
	defer func() {
		if recover() == nil {
			t.Error("Must does not panic")
		}
	}()
	schema.AnyOf().Must()
}

func TestParams(t *testing.T) {
	t.Parallel()
	const text = `[
		{"name":"query","type":"string","description":"What to look for"},
		{"name":"limit","type":"integer","default":10},
		{"name":"ratio","type":"float","optional":true},
		{"name":"deep","type":"boolean","default":false},
		{"name":"tags","type":"list"},
		{"name":"options","type":"dictionary","default":{"a":1}}]`
	p, err := schema.ParseParams([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Schema()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"query":{"type":"string","description":"What to look for"},"limit":{"type":"integer","default":10},` +
		`"ratio":{"type":"number"},"deep":{"type":"boolean","default":false},"tags":{"type":"array"},"options":{"type":"object","default":{"a":1},"additionalProperties":true}},` +
		`"required":["query","tags"],"additionalProperties":false}`
	if diff := cmp.Diff(want, s.String()); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	empty, err := schema.Params(nil).Schema()
	if err != nil || empty.String() != `{"type":"object","properties":{},"additionalProperties":false}` {
		t.Errorf("B09 no parameters: got %s, %v", empty, err)
	}
}

func TestParamsErrors(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`[{"name":"a","type":"int"}]`:                               `parameter "a": the type "int" is unknown; known are string, integer, float, boolean, list and dictionary`,
		`[{"type":"string"}]`:                                       "parameter 0: has no name",
		`[{"name":"a","type":"string"},{"name":"a","type":"list"}]`: `parameter "a": is given twice`,
		`[{"name":"n","type":"integer","default":"x"}]`:             `the default "x" does not fit its own schema`,
	} {
		p, err := schema.ParseParams([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Schema(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", in, err, want)
		}
	}
	for _, in := range []string{`{}`, `[{"name":"a","typ":"string"}]`, `[{"name":"a","name":"b"}]`, `[1]`, ``} {
		if p, err := schema.ParseParams([]byte(in)); err == nil {
			t.Errorf("%s: got %v, want an error", in, p)
		}
	}
}
