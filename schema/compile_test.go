package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

func TestParse(t *testing.T) {
	t.Parallel()
	s, err := schema.Parse([]byte("\n{ \"type\" : \"object\", \"a\": 1.0,\t\"description\":\"x \\u00e9\" } "))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"type":"object","a":1.0,"description":"x \u00e9"}`; s.String() != want {
		t.Errorf("got %s, want %s: compact, all else as it was", s, want)
	}
	for _, c := range []struct{ name, in, want string }{
		{"not JSON", `{"a"`, "parse schema: read JSON: "},
		{"B26 duplicate names", `{"type":"string","type":"object"}`, "parse schema: read JSON: "},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "parse schema: read JSON: "},
		{"trailing text", `{} {}`, "parse schema: read JSON: text after the value at offset 3"},
		{"an array", `[]`, "parse schema: a schema is an object or a boolean, got an array"},
		{"a string", `"x"`, `parse schema: a schema is an object or a boolean, got the string "x"`},
		{"empty", ``, "parse schema: read JSON: the text is empty"},
		{"white space", " \r\n", "parse schema: read JSON: the text is empty"},
		{"a byte order mark", "\ufeff{}", "parse schema: read JSON: the text starts with a byte order mark; leave it out"},
	} {
		if s, err := schema.Parse([]byte(c.in)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v and %v, want an error %q", c.name, s, err, c.want)
		}
	}
}

func TestSchemaDocument(t *testing.T) {
	t.Parallel()
	var nothing *schema.Schema
	var zero schema.Schema
	if nothing.String() != "true" || zero.String() != "true" || !nothing.Equal(schema.None) || !zero.Equal(nothing) {
		t.Error("a nil and a zero Schema are not the schema true")
	}
	s := schema.MustParse(`{"type":"string"}`)
	raw := s.Raw()
	raw[2] = 'X'
	if s.String() != `{"type":"string"}` {
		t.Error("changing the bytes of Raw changes the schema")
	}
	if s.Equal(schema.MustParse(`{"type":"integer"}`)) || !s.Equal(schema.MustParse(`{ "type": "string" }`)) {
		t.Error("Equal compares something else than the documents")
	}
	text, err := s.MarshalJSON()
	var back schema.Schema
	if err := errors.Join(err, back.UnmarshalJSON(text)); err != nil || !back.Equal(s) {
		t.Errorf("got %v and %v after a round trip", &back, err)
	}
	if err := back.UnmarshalJSON([]byte(`3`)); err == nil || !back.Equal(s) {
		t.Errorf("got %v and %v from a number, want an error and no change", &back, err)
	}
	if err := nothing.UnmarshalJSON(text); err == nil {
		t.Error("reading into nil succeeds")
	}
	defer func() {
		if recover() == nil {
			t.Error("MustParse does not panic")
		}
	}()
	schema.MustParse(`[]`)
}

func TestCompileErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, schema string
		cfg          *schema.Config
		want         []string
	}{
		{"all at once", `{"properties":{"a":{"type":"integer","exclusiveMinimum":true},"b":{"pattern":"("}},"allOf":3}`, nil, []string{
			`at "/properties/a/exclusiveMinimum": exclusiveMinimum must be a number, got true`,
			`at "/properties/b/pattern": "(" is not a regular expression: `,
			`at "/allOf": allOf must be an array of at least one schema, got the number 3`,
		}},
		{"draft-4 exclusiveMinimum under draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","exclusiveMinimum":true}`, nil, []string{`at "/exclusiveMinimum": exclusiveMinimum must be a number, got true`}},
		{"unknown dialect", `{"$schema":"http://json-schema.org/draft-04/schema#"}`, nil, []string{`at "/$schema": the dialect "http://json-schema.org/draft-04/schema" is unknown; known are 2020-12, 2019-09, draft-07 and draft-06`}},
		{"dialect that is no string", `{"$schema":1}`, nil, []string{`at "/$schema": must be a string that names the dialect, got the number 1`}},
		{"reference to nothing", `{"properties":{"a":{"$ref":"#/$defs/x"}}}`, nil, []string{`at "/properties/a/$ref": $ref "#/$defs/x" leads nowhere: nothing is at "/$defs/x"`}},
		{"reference to no schema", `{"$ref":"#/$defs","$defs":[1]}`, nil, []string{`at "/$ref": $ref "#/$defs" leads nowhere: what is at "/$defs" is not a schema but an array`}},
		{"anchor that is not there", `{"$ref":"#x"}`, nil, []string{`at "/$ref": $ref "#x" leads nowhere: no anchor "x"`}},
		{"remote reference without a loader", `{"$ref":"https://example.com/a.json"}`, nil, []string{`at "/$ref": $ref "https://example.com/a.json" leads nowhere: "https://example.com/a.json" is not in this document, and no loader is configured`}},
		{"loader that fails", `{"$ref":"https://example.com/a.json"}`, &schema.Config{Loader: func(string) ([]byte, error) { return nil, errors.New("offline") }}, []string{`at "/$ref": $ref "https://example.com/a.json" leads nowhere: load "https://example.com/a.json": offline`}},
		{"loader that serves garbage", `{"$ref":"https://example.com/a.json"}`, &schema.Config{Loader: func(string) ([]byte, error) { return []byte(`[]`), nil }}, []string{`leads nowhere: load "https://example.com/a.json": not a schema but an array`}},
		{"no progress", `{"$ref":"#"}`, nil, []string{`at "": the schema refers to itself without consuming any part of the value`}},
		{"no progress through allOf and not", `{"$defs":{"a":{"allOf":[{"not":{"$ref":"#/$defs/a"}}]}},"$ref":"#/$defs/a"}`, nil, []string{`the schema refers to itself without consuming any part of the value`}},
		{"type", `{"type":"int"}`, nil, []string{`at "/type": type must be one of "null", "boolean", "object", "array", "number", "string", "integer", got the string "int"`}},
		{"type of another kind", `{"type":{}}`, nil, []string{`at "/type": type must be the name of a type or an array of such names, got an object`}},
		{"required", `{"required":"a"}`, nil, []string{`at "/required": required must be an array of property names, got the string "a"`}},
		{"required on a property", `{"properties":{"a":{"required":true}}}`, nil, []string{`at "/properties/a/required": required must be an array of property names, got true`}},
		{"enum", `{"enum":"a"}`, nil, []string{`at "/enum": enum must be an array, got the string "a"`}},
		{"a count that is negative", `{"minLength":-1}`, nil, []string{`at "/minLength": minLength must be a non-negative integer, got the number -1`}},
		{"a count that is a string", `{"maxItems":"3"}`, nil, []string{`at "/maxItems": maxItems must be a number, got the string "3"`}},
		{"multipleOf 0", `{"multipleOf":0}`, nil, []string{`at "/multipleOf": multipleOf must be a number above 0, got the number 0`}},
		{"a number beyond reason", `{"maximum":1e99999999999}`, nil, []string{`at "/maximum": number out of range`}},
		{"items as an array in 2020-12", `{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]}`, nil, []string{`at "/items": items must be a schema (draft 2020-12 has prefixItems for a list of schemas), got an array`}},
		{"properties", `{"properties":[]}`, nil, []string{`at "/properties": properties must be an object whose members are schemas, got an array`}},
		{"a property that is no schema", `{"properties":{"a/b":"string"}}`, nil, []string{`at "/properties/a~1b": must be a schema (an object or a boolean), got the string "string"`}},
		{"pattern of a property", `{"patternProperties":{"[":{}}}`, nil, []string{`at "/patternProperties/[": "[" is not a regular expression: `}},
		{"dependentRequired", `{"dependentRequired":{"a":"b"}}`, nil, []string{`at "/dependentRequired/a": must be an array of property names, got the string "b"`}},
		{"$ref of another type", `{"$ref":1}`, nil, []string{`at "/$ref": $ref must be a string, got the number 1`}},
		{"$ref with a bad fragment", `{"$ref":"#%zz"}`, nil, []string{`the fragment is not valid`}},
		{"$dynamicRef of another type", `{"$dynamicRef":1}`, nil, []string{`at "/$dynamicRef": $dynamicRef must be a string, got the number 1`}},
		{"$dynamicRef to nothing", `{"$dynamicRef":"#x"}`, nil, []string{`at "/$dynamicRef": $dynamicRef "#x" leads nowhere: no anchor "x"`}},
		{"$recursiveRef to elsewhere", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"#/a"}`, nil, []string{`at "/$recursiveRef": $recursiveRef must be the string "#", got the string "#/a"`}},
		{"pattern of another type", `{"pattern":1}`, nil, []string{`at "/pattern": pattern must be a string that holds a regular expression, got the number 1`}},
		{"format of another type", `{"format":1}`, nil, []string{`at "/format": format must be a string, got the number 1`}},
		{"patternProperties of another type", `{"patternProperties":[]}`, nil, []string{`at "/patternProperties": patternProperties must be an object whose members are schemas, got an array`}},
		{"required with a number", `{"required":[1]}`, nil, []string{`at "/required": required must be a property name, got the number 1`}},
		{"dependentRequired of another type", `{"dependentRequired":[]}`, nil, []string{`at "/dependentRequired": dependentRequired must be an object, got an array`}},
		{"dependentRequired with a number", `{"dependentRequired":{"a":[1]}}`, nil, []string{`at "/dependentRequired/a": must be an array of property names, got the number 1 in it`}},
		{"an enum number beyond reason", `{"enum":[1e99999999999]}`, nil, []string{`at "/enum": number out of range`}},
		{"a dialect that the loader does not serve", `{"$schema":"https://example.com/meta"}`, &schema.Config{Loader: func(string) ([]byte, error) { return nil, errors.New("offline") }}, []string{`at "/$schema": the dialect "https://example.com/meta" is unknown: load "https://example.com/meta": offline`}},
		{"a dialect on an unknown one", `{"$schema":"https://example.com/meta"}`, &schema.Config{Loader: func(uri string) ([]byte, error) {
			if uri == "https://example.com/meta" {
				return []byte(`{"$schema":"https://example.com/other"}`), nil
			}
			return nil, errors.New("offline")
		}}, []string{`the dialect "https://example.com/other" is unknown`}},
		{"a dialect that requires an unknown vocabulary", `{"$schema":"https://example.com/meta"}`, &schema.Config{Loader: func(string) ([]byte, error) {
			return []byte(`{"$vocabulary":{"https://example.com/vocab":true}}`), nil
		}}, []string{`the dialect requires the vocabulary "https://example.com/vocab", which is unknown`}},
		{"a dialect that is its own", `{"$schema":"https://example.com/a"}`, &schema.Config{Loader: func(uri string) ([]byte, error) { return []byte(`{"$schema":"` + uri + `x"}`), nil }}, []string{`is unknown; known are`}},
		{"an embedded resource of an unknown dialect", `{"$defs":{"a":{"$id":"https://example.com/a","$schema":"https://example.com/meta"}}}`, nil, []string{`at "/$defs/a/$schema": the dialect "https://example.com/meta" is unknown`}},
		{"loaded text that is not JSON", `{"$ref":"https://example.com/a.json"}`, &schema.Config{Loader: func(string) ([]byte, error) { return []byte(`{`), nil }}, []string{`leads nowhere: load "https://example.com/a.json": read JSON`}},
		{"uniqueItems", `{"uniqueItems":"yes"}`, nil, []string{`at "/uniqueItems": uniqueItems must be a boolean, got the string "yes"`}},
		{"a default that does not fit", `{"properties":{"n":{"type":"integer","default":"3"}}}`, &schema.Config{CheckDefaults: true}, []string{`at "/properties/n/default": the default "3" does not fit its own schema: must be an integer, got the string "3"`}},
		{"an alias of nothing", `{"properties":{"a":{}}}`, &schema.Config{Aliases: map[string]string{"b": "c"}}, []string{`at "": the alias "b" stands for "c", which is not a property`}},
		{"an alias that is a property", `{"properties":{"a":{},"b":{}}}`, &schema.Config{Aliases: map[string]string{"b": "a"}}, []string{`at "": the alias "b" is a property of its own`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := compileText([]byte(c.schema), c.cfg)
			if err == nil {
				t.Fatal("compiles, want an error")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(c.want) {
				t.Fatalf("got %d errors, want %d:\n%v", len(lines), len(c.want), err)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(lines[i], "compile schema: at ") || !strings.Contains(lines[i], want) {
					t.Errorf("got  %s\nwant %s", lines[i], want)
				}
			}
		})
	}
}

func TestDialects(t *testing.T) {
	t.Parallel()
	const draft7 = `"$schema":"http://json-schema.org/draft-07/schema#",`
	for _, c := range []struct {
		name, schema, in string
		valid            bool
	}{
		{"draft-07 ignores siblings of $ref", `{` + draft7 + `"definitions":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/s","maxLength":1}}}`, `{"a":"xx"}`, true},
		{"2020-12 does not", `{"$defs":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/s","maxLength":1}}}`, `{"a":"xx"}`, false},
		{"draft-07 array-form items", `{` + draft7 + `"items":[{"type":"string"}],"additionalItems":false}`, `["a",1]`, false},
		{"array-form items in a document that names no dialect", `{"items":[{"type":"string"}],"additionalItems":{"type":"integer"}}`, `["a",1]`, true},
		{"the same refused", `{"items":[{"type":"string"}],"additionalItems":{"type":"integer"}}`, `["a","b"]`, false},
		{"draft-07 dependencies", `{` + draft7 + `"dependencies":{"a":["b"],"c":{"minProperties":2}}}`, `{"a":1}`, false},
		{"draft-07 anchors by $id", `{` + draft7 + `"properties":{"a":{"$ref":"#x"}},"definitions":{"d":{"$id":"#x","type":"string"}}}`, `{"a":1}`, false},
		{"draft-07 knows no prefixItems", `{` + draft7 + `"prefixItems":[{"type":"string"}]}`, `[1]`, true},
		{"draft-06 knows no if", `{"$schema":"http://json-schema.org/draft-06/schema","if":true,"then":false}`, `1`, true},
		{"https draft-07", `{"$schema":"https://json-schema.org/draft-07/schema","items":[{"type":"string"}]}`, `[1]`, false},
		{"2019-09 recursion", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"type":["array","integer"],"items":{"$recursiveRef":"#"}}`, `[[["a"]]]`, false},
		{"definitions in 2020-12", `{"$ref":"#/definitions/a","definitions":{"a":{"type":"string"}}}`, `1`, false},
		{"the metaschema of 2020-12 needs no loader", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"type":"string","minLength":"a"}`, false},
		{"the metaschema of draft-07 needs no loader", `{"$ref":"http://json-schema.org/draft-07/schema#"}`, `{"type":"string","minLength":1}`, true},
		{"unknown keywords say nothing", `{"x-order":1,"nullable":true,"type":"string"}`, `null`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := compile(t, c.schema, nil).Validate([]byte(c.in)).OK(); got != c.valid {
				t.Errorf("valid is %v, want %v", got, c.valid)
			}
		})
	}
}

// TestVocabulary reads a dialect of its own that leaves the validation vocabulary out (core specification, section 8.1.2).
func TestVocabulary(t *testing.T) {
	t.Parallel()
	const base = "https://json-schema.org/draft/2020-12/vocab/"
	cfg := &schema.Config{Loader: func(string) ([]byte, error) {
		return []byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":{"` + base + `core":true,"` + base + `applicator":true,"https://example.com/x":false}}`), nil
	}}
	v := compile(t, `{"$schema":"https://example.com/meta","properties":{"a":{"minimum":5},"b":false}}`, cfg)
	want := []fault{{"/b", "is not allowed; leave it out", ""}}
	if diff := cmp.Diff(want, faults(v.Validate([]byte(`{"a":1,"b":2}`)))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// TestEmbeddedDialect mixes two drafts in one document (core specification, section 9.3.3).
func TestEmbeddedDialect(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/new","properties":{"old":{"$ref":"old"}},`+
		`"$defs":{"o":{"$id":"old","$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"dependentRequired":{"a":["b"]}}}}`, nil)
	for in, valid := range map[string]bool{`{"old":["a",1]}`: true, `{"old":[1]}`: false, `{"old":{"a":1}}`: true} {
		if got := v.Validate([]byte(in)).OK(); got != valid {
			t.Errorf("%s: valid is %v, want %v", in, got, valid)
		}
	}
}

func TestLoader(t *testing.T) {
	t.Parallel()
	var asked []string
	cfg := &schema.Config{Loader: func(uri string) ([]byte, error) {
		asked = append(asked, uri)
		return []byte(`{"$defs":{"id":{"type":"integer"}},"type":"object","properties":{"id":{"$ref":"#/$defs/id"}}}`), nil
	}}
	v := compile(t, `{"$id":"https://example.com/root.json","properties":{"a":{"$ref":"item.json"},"b":{"$ref":"item.json#/$defs/id"}}}`, cfg)
	if diff := cmp.Diff([]string{"https://example.com/item.json"}, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	want := []fault{{"/a/id", `must be an integer, got the string "x"`, ""}, {"/b", "must be an integer, got null", ""}}
	if diff := cmp.Diff(want, faults(v.Validate([]byte(`{"a":{"id":"x"},"b":null}`)))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestFormatAnnotation(t *testing.T) {
	t.Parallel()
	const text = `{"format":"date"}`
	if compile(t, text, nil).Validate([]byte(`"x"`)).OK() {
		t.Error("a format is not asserted by default")
	}
	if !compile(t, text, &schema.Config{FormatAnnotation: true}).Validate([]byte(`"x"`)).OK() {
		t.Error("a format is asserted though it is to be an annotation")
	}
	if !compile(t, `{"format":"made-up"}`, nil).Validate([]byte(`"x"`)).OK() {
		t.Error("an unknown format is not ignored")
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	v := compile(t, `true`, &schema.Config{MaxSize: 10, MaxDepth: 2})
	for in, valid := range map[string]bool{`[[1]]`: true, `[[[1]]]`: false, `"12345678"`: true, `"123456789"`: false} {
		if got := v.Validate([]byte(in)).OK(); got != valid {
			t.Errorf("%s: valid is %v, want %v", in, got, valid)
		}
	}
}
