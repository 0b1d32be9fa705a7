package schema_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

const (
	quotedSchema = `{"type":"object","properties":{"depth":{"type":"integer"},"deep":{"type":"boolean"},"name":{"type":"string"},"id":{"type":"integer"}}}`
	quotedInput  = `{"depth":"3","deep":"true","name":"007","id":"1234567890123456789"}`
	taskSchema   = `{"type":"object","properties":{"title":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"n":{"type":"integer"},"sub":{"$ref":"#"}}}`
)

// stepSchema has a union whose forms a discriminator tells apart, and which holds itself.
const stepSchema = `{"type":"object","properties":{"u":{"$ref":"#/$defs/step"}},"$defs":{"step":{"oneOf":[` +
	`{"type":"object","properties":{"op":{"const":"wait"},"n":{"type":"integer"}},"required":["op"],"additionalProperties":false},` +
	`{"type":"object","properties":{"op":{"const":"say"},"n":{"type":"string"},"loud":{"type":"boolean"}},"required":["op"],"additionalProperties":false},` +
	`{"type":"object","properties":{"op":{"const":"all"},"of":{"type":"array","items":{"$ref":"#/$defs/step"}}},"required":["op","of"],"additionalProperties":false}]}}}`

// coercions makes the list that a report holds: path, from, to, path...
func coercions(parts ...string) (out []schema.Coercion) {
	for i := 0; i < len(parts); i += 3 {
		out = append(out, schema.Coercion{Path: parts[i], From: parts[i+1], To: parts[i+2]})
	}
	return out
}

func TestCoerce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, schema, in, want string
		coerced                []schema.Coercion
	}{
		{
			"B19 as reported", quotedSchema, quotedInput, `{"depth":3,"deep":true,"name":"007","id":1234567890123456789}`,
			coercions("/depth", `"3"`, "3", "/deep", `"true"`, "true", "/id", `"1234567890123456789"`, "1234567890123456789"),
		},
		{"B19 a number", `{"type":"number"}`, `"3.70"`, `3.70`, coercions("", `"3.70"`, "3.70")},
		{"B19 a number with an exponent", `{"type":"number"}`, `"-1e3"`, `-1e3`, coercions("", `"-1e3"`, "-1e3")},
		{"B19 false", `{"type":"boolean"}`, `"false"`, `false`, coercions("", `"false"`, "false")},
		{"B19 spelled with escapes", `{"type":"integer"}`, `"\u0033"`, `3`, coercions("", `"\u0033"`, "3")},
		{"B19 beyond 64 bits", `{"type":"integer"}`, `"123456789012345678901234567890"`, `123456789012345678901234567890`, coercions("", `"123456789012345678901234567890"`, "123456789012345678901234567890")},
		{"B19 in an array", `{"items":{"type":"integer"}}`, `[1, "2" ,"3"]`, `[1, 2 ,3]`, coercions("/1", `"2"`, "2", "/2", `"3"`, "3")},
		{"B19 prefix items", `{"prefixItems":[{"type":"string"},{"type":"integer"}]}`, `["1","2"]`, `["1",2]`, coercions("/1", `"2"`, "2")},
		{"B19 in a map", `{"additionalProperties":{"type":"boolean"}}`, `{"a~/b":"true"}`, `{"a~/b":true}`, coercions("/a~0~1b", `"true"`, "true")},
		{"B19 nested", `{"properties":{"a":{"properties":{"b":{"type":"integer"}}}}}`, `{"a":{"b":"3"}}`, `{"a":{"b":3}}`, coercions("/a/b", `"3"`, "3")},
		{"B19 through $ref", `{"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`, `{"a":"3"}`, `{"a":3}`, coercions("/a", `"3"`, "3")},
		{"B19 allOf", `{"allOf":[{"type":["integer","string"]},{"type":["integer","null"]}]}`, `"3"`, `3`, coercions("", `"3"`, "3")},
		{"B19 anyOf with null", `{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`, `{"a":"3"}`, `{"a":3}`, coercions("/a", `"3"`, "3")},
		{"B19 type with null", `{"properties":{"a":{"type":["boolean","null"]}}}`, `{"a":"true"}`, `{"a":true}`, coercions("/a", `"true"`, "true")},
		{"B19 one of two types", `{"oneOf":[{"type":"integer"},{"type":"boolean"}]}`, `"true"`, `true`, coercions("", `"true"`, "true")},
		{"B19 an enum of numbers", `{"enum":[1,2,null]}`, `"2"`, `2`, coercions("", `"2"`, "2")},
		{"B19 a const", `{"const":true}`, `"true"`, `true`, coercions("", `"true"`, "true")},
		{"B19 beside defaults and nulls", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":{"type":"integer","default":7}}}`, `{"b":null,"a":"3"}`, `{"a":3,"c":7}`, coercions("/a", `"3"`, "3")},
		{"B19 the form that a discriminator names", stepSchema, `{"u":{"op":"wait","n":"3"}}`, `{"u":{"op":"wait","n":3}}`, coercions("/u/n", `"3"`, "3")},
		{"B19 a string where the form has a string", stepSchema, `{"u":{"op":"say","n":"3","loud":"true"}}`, `{"u":{"op":"say","n":"3","loud":true}}`, coercions("/u/loud", `"true"`, "true")},
		{"B19 a form in a form", stepSchema, `{"u":{"op":"all","of":[{"op":"say","n":"3"},{"op":"all","of":[{"op":"wait","n":"3"}]}]}}`, `{"u":{"op":"all","of":[{"op":"say","n":"3"},{"op":"all","of":[{"op":"wait","n":3}]}]}}`, coercions("/u/of/1/of/0/n", `"3"`, "3")},
		{"B20 the text of a form", stepSchema, `{"u":"{\"op\":\"wait\",\"n\":3}"}`, `{"u":{"op":"wait","n":3}}`, coercions("/u", `"{\"op\":\"wait\",\"n\":3}"`, `{"op":"wait","n":3}`)},
		{"B20 text in a form", stepSchema, `{"u":{"op":"all","of":"[]"}}`, `{"u":{"op":"all","of":[]}}`, coercions("/u/of", `"[]"`, `[]`)},
		{"B19 the only form that can be meant", `{"oneOf":[{"items":{"type":"integer"}},{"items":{"type":"boolean"}}]}`, `["true"]`, `[true]`, coercions("/0", `"true"`, "true")},
		{"B19 forms that read it alike", `{"anyOf":[{"properties":{"n":{"type":"integer"}}},{"properties":{"n":{"type":"number"}},"required":["n"]}]}`, `{"n":"3"}`, `{"n":3}`, coercions("/n", `"3"`, "3")},
		{"B19 a number or a word", `{"anyOf":[{"type":"integer"},{"enum":["auto"]}]}`, `"3"`, `3`, coercions("", `"3"`, "3")},
		{"B19 a form that takes other strings", `{"anyOf":[{"type":"integer"},{"type":"string","minLength":3}]}`, `"3"`, `3`, coercions("", `"3"`, "3")},
		{"B20 an object or a word", `{"properties":{"o":{"anyOf":[{"enum":["none"]},{"type":"object"}]}}}`, `{"o":"{}"}`, `{"o":{}}`, coercions("/o", `"{}"`, `{}`)},
		{"B19 beside a union, with defaults and nulls", `{"properties":{"z":{"type":"integer","default":7},"y":{"type":"string"}},"oneOf":[{"properties":{"q":{"const":1}},"required":["q"]},{"properties":{"q":{"const":2}},"required":["q"]}]}`, `{"y":null,"q":"2"}`, `{"q":2,"z":7}`, coercions("/q", `"2"`, "2")},
		{"B19 two unions of one value", `{"allOf":[{"oneOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"a":{"const":2}},"required":["a"]}]},{"anyOf":[{"properties":{"b":{"const":true}},"required":["b"]},{"required":["c"]}]}]}`, `{"a":"2","b":"true"}`, `{"a":2,"b":true}`, coercions("/a", `"2"`, "2", "/b", `"true"`, "true")},
		{"B19 by a pattern of the name", `{"patternProperties":{"^n_":{"type":"integer"}}}`, `{"n_a":"3"}`, `{"n_a":3}`, coercions("/n_a", `"3"`, "3")},
		{"B19 by a pattern with look-ahead", `{"patternProperties":{"^n_(?!x)":{"type":"integer"}},"additionalProperties":{"type":"boolean"}}`, `{"n_a":"3","n_x":"true"}`, `{"n_a":3,"n_x":true}`, coercions("/n_a", `"3"`, "3", "/n_x", `"true"`, "true")},
		{"B19 by a pattern of a listed name", `{"properties":{"n_a":{}},"patternProperties":{"^n_":{"type":"integer"}}}`, `{"n_\u0061":"3"}`, `{"n_\u0061":3}`, coercions("/n_a", `"3"`, "3")},
		{"B19 inside B20 by a pattern", `{"patternProperties":{"":{"type":"object","properties":{"a":{"type":"integer"}}}}}`, `{"x":"{\"a\":\"1\"}"}`, `{"x":{"a":1}}`, coercions("/x", `"{\"a\":\"1\"}"`, `{"a":1}`, "/x/a", `"1"`, "1")},
		{"B20 the whole arguments", taskSchema, `"{\"title\":\"x\"}"`, `{"title":"x"}`, coercions("", `"{\"title\":\"x\"}"`, `{"title":"x"}`)},
		{"B20 an object", `{"properties":{"task":{"type":"object","properties":{"title":{"type":"string"}}}}}`, `{"task":"{\"title\":\"x\"}"}`, `{"task":{"title":"x"}}`, coercions("/task", `"{\"title\":\"x\"}"`, `{"title":"x"}`)},
		{"B20 an array", taskSchema, `{"tags":"[\"a\"]"}`, `{"tags":["a"]}`, coercions("/tags", `"[\"a\"]"`, `["a"]`)},
		{"B20 white space in the text", taskSchema, `{"tags":" [ \"a\" ]\n"}`, `{"tags":[ "a" ]}`, coercions("/tags", `" [ \"a\" ]\n"`, `[ "a" ]`)},
		{"B20 nullable", `{"properties":{"o":{"anyOf":[{"type":"null"},{"type":"object"}]}}}`, `{"o":"{}"}`, `{"o":{}}`, coercions("/o", `"{}"`, `{}`)},
		{"B20 recursion", taskSchema, `{"sub":{"sub":"{\"n\":1}"}}`, `{"sub":{"sub":{"n":1}}}`, coercions("/sub/sub", `"{\"n\":1}"`, `{"n":1}`)},
		{"B19 inside B20", taskSchema, `{"sub":"{\"n\":\"1\",\"title\":null}"}`, `{"sub":{"n":1}}`, coercions("/sub", `"{\"n\":\"1\",\"title\":null}"`, `{"n":1}`, "/sub/n", `"1"`, "1")},
		{"B19 inside B20, at the root, after an edit", taskSchema, ` "{\"title\":null,\"n\":\"12\"}"`, ` {"n":12}`, coercions("", `"{\"title\":null,\"n\":\"12\"}"`, `{"n":12}`, "/n", `"12"`, "12")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := compile(t, c.schema, &schema.Config{Closed: true, Coerce: true})
			got, r := v.Normalize([]byte(c.in))
			if !r.OK() || string(got) != c.want {
				t.Fatalf("got %s with %+v\nwant %s", got, faults(r), c.want)
			}
			if diff := cmp.Diff(c.coerced, r.Coerced); diff != "" {
				t.Errorf("coerced (-want +got):\n%s", diff)
			}
			if r := v.Validate(got); !r.OK() {
				t.Errorf("the result is refused: %+v", r.Faults)
			}
			if v.Validate([]byte(c.in)).OK() {
				t.Error("Validate takes the value as it came")
			}
			off := compile(t, c.schema, &schema.Config{Closed: true})
			if same, r := off.Normalize([]byte(c.in)); r.OK() || r.Coerced != nil || string(same) != c.in {
				t.Errorf("without the option: %s, %+v", same, r)
			}
		})
	}
}

func TestCoerceRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, schema, in string
		want             []fault
	}{
		{"B19 hexadecimal", `{"type":"integer"}`, `"0x10"`, []fault{{"", `must be an integer, got the string "0x10"`, ""}}},
		{"B19 exponent", `{"type":"integer"}`, `"1e3"`, []fault{{"", `must be an integer, got the string "1e3"`, "1e3"}}},
		{"B19 spaces", `{"type":"integer"}`, `" 5 "`, []fault{{"", `must be an integer, got the string " 5 "`, "5"}}},
		{"B19 a fraction", `{"type":"integer"}`, `"3.7"`, []fault{{"", `must be an integer, got the string "3.7"`, ""}}},
		{"B19 a fraction of zero", `{"type":"integer"}`, `"3.0"`, []fault{{"", `must be an integer, got the string "3.0"`, "3.0"}}},
		{"B19 leading zeros", `{"type":"integer"}`, `"007"`, []fault{{"", `must be an integer, got the string "007"`, ""}}},
		{"B19 a sign", `{"type":"integer"}`, `"+5"`, []fault{{"", `must be an integer, got the string "+5"`, ""}}},
		{"B19 nothing", `{"type":"integer"}`, `""`, []fault{{"", `must be an integer, got the string ""`, ""}}},
		{"B19 NaN", `{"type":"number"}`, `"NaN"`, []fault{{"", `must be a number, got the string "NaN"`, ""}}},
		{"B19 a boolean in another case", `{"type":"boolean"}`, `"True"`, []fault{{"", `must be a boolean, got the string "True"`, "true"}}},
		{"B19 yes", `{"type":"boolean"}`, `"yes"`, []fault{{"", `must be a boolean, got the string "yes"`, "true"}}},
		{"B19 a number for a boolean", `{"type":"boolean"}`, `"1"`, []fault{{"", `must be a boolean, got the string "1"`, ""}}},
		{"null is no boolean", `{"type":"null"}`, `"null"`, []fault{{"", `must be null, got the string "null"`, "null"}}},
		{"a coerced value is checked", `{"properties":{"n":{"type":"integer","maximum":10}}}`, `{"n":"11"}`, []fault{{"/n", "must be at most 10, got 11", ""}}},
		{"only from strings", `{"type":"string"}`, `3`, []fault{{"", "must be a string, got the number 3", `"3"`}}},
		{"B20 a second level", `{"type":"object","properties":{"task":{"type":"object"}}}`, `{"task":"\"{}\""}`, []fault{{"/task", `must be an object, got the string "\"{}\""`, ""}}},
		{"B20 text in text", taskSchema, `"{\"tags\":\"[]\"}"`, []fault{{"/tags", "must be an array of strings, got JSON text in a string; send the array itself, without quotes around it", "[]"}}},
		{"B20 bad text", taskSchema, `{"sub":"{title:1}"}`, []fault{{"/sub", `must be an object, got the string "{title:1}"`, ""}}},
		{"B20 duplicate names in the text", taskSchema, `{"sub":"{\"n\":1,\"n\":2}"}`, []fault{{"/sub", `must be an object, got the string "{\"n\":1,\"n\":2}"`, ""}}},
		{"B20 text after the text", taskSchema, `{"sub":"{} {}"}`, []fault{{"/sub", `must be an object, got the string "{} {}"`, ""}}},
		{"B20 an array for an object", taskSchema, `{"sub":"[]"}`, []fault{{"/sub", `must be an object, got the string "[]"`, ""}}},
		{"B20 a fault inside", taskSchema, `{"sub":"{\"n\":true}"}`, []fault{{"/sub/n", "must be an integer, got true", ""}}},
		{"B20 an unknown name inside", taskSchema, `{"sub":"{\"m\":true}"}`, []fault{{"/sub/m", "unknown; accepted: title, tags, n, sub", ""}}},
		{"forms that read it in two ways", `{"anyOf":[{"properties":{"a":{"type":"integer"},"b":{"const":"2"}}},{"properties":{"a":{"const":"1"},"b":{"type":"integer"}}}]}`, `{"a":"1","b":"2"}`, []fault{{"/a", `must be an integer, got the string "1"`, "1"}}},
		{"a form that reads only some of it", `{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"array","items":{"type":"boolean"}}]}`, `["true","1"]`, []fault{{"", "must be an array of integers or an array of booleans, got an array", ""}}},
		{"a form with another fault", stepSchema, `{"u":{"op":"wait","n":"3.5"}}`, []fault{{"/u/n", `must be an integer, got the string "3.5"`, ""}}},
		{"a form that is not there", stepSchema, `{"u":{"op":"sleep","n":"3"}}`, []fault{{"/u/op", `must be "wait", "say" or "all", got "sleep"`, ""}}},
		{"two forms of which one is to fit", `{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `"3"`, []fault{{"", "fits more than one of the accepted forms, an integer and a number; it must fit exactly one", ""}}},
		{"what only a condition asks for", `{"properties":{"k":{"type":"string"},"n":{}},"if":{"required":["k"]},"then":{"properties":{"n":{"type":"integer"}}}}`, `{"k":"a","n":"3"}`, []fault{{"/n", `must be an integer, got the string "3"`, "3"}}},
		{"two patterns that disagree", `{"patternProperties":{"a":{"type":"integer"},"b":{"type":"string"}}}`, `{"ab":"3"}`, []fault{{"/ab", "must be a string, got the number 3", `"3"`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := compile(t, c.schema, &schema.Config{Closed: true, Coerce: true})
			got, r := v.Normalize([]byte(c.in))
			if diff := cmp.Diff(c.want, faults(r)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if string(got) != c.in {
				t.Errorf("refused, but changed to %s", got)
			}
		})
	}
}

// TestCoerceLeavesStrings has strings that look like something else where the schema takes strings.
func TestCoerceLeavesStrings(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `true`, `{"type":"string"}`, `{"type":["string","integer"]}`, `{"type":["integer","string","null"]}`, `{"anyOf":[{"type":"string"},{"type":"integer"}]}`,
		`{"oneOf":[{"type":"string"},{"type":"boolean"}]}`, `{"enum":["3",3,"true",true,"{}","[]"]}`, `{"not":{"type":"integer"}}`, `{"$ref":"#/$defs/s","$defs":{"s":{"type":"string"}}}`,
		`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"minimum":3}`, `{"if":{"type":"string"},"then":{}}`,
	} {
		v := compile(t, text, &schema.Config{Coerce: true})
		for _, in := range []string{`"3"`, `"true"`, `"{}"`, `"[]"`} {
			if got, r := v.Normalize([]byte(in)); r != nil || string(got) != in {
				t.Errorf("%s: %s becomes %s, %+v", text, in, got, r)
			}
		}
	}
}

// TestCoerceAliases reports the present name of a value that came under a former one, in text and out of it.
func TestCoerceAliases(t *testing.T) {
	t.Parallel()
	v := compile(t, quotedSchema, &schema.Config{Closed: true, Coerce: true, Aliases: map[string]string{"level": "depth"}})
	for _, in := range []string{`{"level":"3","id":4}`, `"{\"level\":\"3\",\"id\":4}"`} {
		got, r := v.Normalize([]byte(in))
		if !r.OK() || string(got) != `{"depth":3,"id":4}` {
			t.Fatalf("%s: got %s, %+v", in, got, r)
		}
		if diff := cmp.Diff([]schema.Alias{{From: "level", To: "depth"}}, r.Aliases); diff != "" {
			t.Errorf("%s: aliases (-want +got):\n%s", in, diff)
		}
		if last := r.Coerced[len(r.Coerced)-1]; last != (schema.Coercion{Path: "/depth", From: `"3"`, To: "3"}) {
			t.Errorf("%s: coerced %+v", in, last)
		}
	}
}

// TestCoerceClips keeps long values out of the report.
func TestCoerceClips(t *testing.T) {
	t.Parallel()
	v := compile(t, taskSchema, &schema.Config{Coerce: true})
	_, r := v.Normalize([]byte(`"{\"title\":\"` + strings.Repeat("long ", 100) + `\"}"`))
	if !r.OK() || len(r.Coerced) != 1 || len(r.Coerced[0].From) > 50 || len(r.Coerced[0].To) > 50 {
		t.Errorf("got %+v", r)
	}
}

// TestCoerceCostsNothing shows that a value which needs no coercion comes back as it is, without an allocation.
func TestCoerceCostsNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools drop what they hold")
	}
	v := compile(t, quotedSchema, &schema.Config{Closed: true, Coerce: true})
	in := []byte(`{"depth":3,"deep":true,"name":"007"}`)
	got, r := v.Normalize(in)
	if r != nil || unsafe.SliceData(got) != unsafe.SliceData(in) {
		t.Errorf("got %s and %+v, want the input itself", got, r)
	}
	if n := testing.AllocsPerRun(100, func() { v.Normalize(in) }); n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// FuzzCoerce holds for any bytes: what comes out validates as it is, and stays as it is the second time, and without the option
// nothing is coerced.
func FuzzCoerce(f *testing.F) {
	schemas := append([]string{quotedSchema, taskSchema, stepSchema, `{"patternProperties":{"^n":{"type":"integer"},"s$":{"anyOf":[{"type":"boolean"},{"enum":["no"]}]}}}`}, fuzzSchemas...)
	var on, off []*schema.Validator
	for i, text := range schemas {
		for _, in := range []string{quotedInput, `{"tags":"[\"a\"]","sub":"{\"n\":\"1\"}"}`, `"{\"b\":\"2\",\"o\":\"{}\"}"`, `["1","2026-01-31","3"]`, `{"n":" 1"}`, `"\"{}\""`, `{"u":{"op":"all","of":"[{\"op\":\"wait\",\"n\":\"3\"}]"}}`, `{"n":"1","s":"true","ns":"2"}`} {
			f.Add(uint8(i), []byte(in))
		}
		on = append(on, compile(f, text, &schema.Config{Coerce: true}))
		off = append(off, compile(f, text, nil))
	}
	f.Fuzz(func(t *testing.T, which uint8, in []byte) {
		k := int(which) % len(on)
		got, r := on[k].Normalize(in)
		plain, without := off[k].Normalize(in)
		if without.OK() && (!r.OK() || r != nil && len(r.Coerced) > 0 || string(got) != string(plain)) {
			t.Fatalf("accepted without the option as %s, with it %s, %+v", plain, got, r)
		}
		if !r.OK() {
			return
		}
		if again := off[k].Validate(got); !again.OK() {
			t.Fatalf("coerced to %s, which is refused: %+v", got, again.Faults)
		}
		if twice, r := on[k].Normalize(got); r != nil && len(r.Coerced) > 0 || string(twice) != string(got) {
			t.Fatalf("coerced to %s, then to %s", got, twice)
		}
	})
}
