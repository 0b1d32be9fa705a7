package schema_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

type tagSize int

func (tagSize) Enum() []tagSize { return []tagSize{1, 2} }

// TestInferElements has enums and tags that are about the items of slices and the values of maps.
func TestInferElements(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		got  func() (*schema.Schema, error)
		want string // of the only field
	}{
		{"Enum() as an item", schema.For[struct{ F []color }], `{"type":"array","items":{"type":"string","enum":["red","green"]}}`},
		{"Enum() as a nullable item", schema.For[struct{ F []*color }], `{"type":"array","items":{"type":["string","null"],"enum":["red","green",null]}}`},
		{"Enum() as a value of a map", schema.For[struct{ F map[string]color }], `{"type":"object","additionalProperties":{"type":"string","enum":["red","green"]}}`},
		{"Enum() as a key of a map", schema.For[struct{ F map[color]bool }], `{"type":"object","propertyNames":{"enum":["red","green"]},"additionalProperties":{"type":"boolean"}}`},
		{"Enum() of numbers, deep", schema.For[struct{ F []map[string][2]tagSize }], `{"type":"array","items":{"type":"object","additionalProperties":{"type":"array","minItems":2,"maxItems":2,"items":{"type":"integer","enum":[1,2]}}}}`},
		{"enum of items", schema.For[struct {
			F []string `enum:"a,b"`
		}], `{"type":"array","items":{"type":"string","enum":["a","b"]}}`},
		{"B06 enum of nullable items", schema.For[struct {
			F []*string `enum:"a,b"`
		}], `{"type":"array","items":{"type":["string","null"],"enum":["a","b",null]}}`},
		{"enum of values", schema.For[struct {
			F map[string]int `enum:"1,2"`
		}], `{"type":"object","additionalProperties":{"type":"integer","enum":[1,2]}}`},
		{"bounds of values", schema.For[struct {
			F map[string]float64 `minimum:"0" exclusiveMaximum:"1"`
		}], `{"type":"object","additionalProperties":{"type":"number","minimum":0,"exclusiveMaximum":1}}`},
		{"bounds of nullable items", schema.For[struct {
			F []*int `minimum:"0" maximum:"9" maxItems:"3" uniqueItems:"true"`
		}], `{"type":"array","maxItems":3,"uniqueItems":true,"items":{"type":["integer","null"],"minimum":0,"maximum":9}}`},
		{"a bound that the type cannot hold", schema.For[struct {
			F []int8 `maximum:"300" minimum:"-5"`
		}], `{"type":"array","items":{"type":"integer","minimum":-5,"maximum":127}}`},
		{"a bound below an unsigned type", schema.For[struct {
			F *uint `minimum:"-5"`
		}], `{"type":["integer","null"],"minimum":0}`},
		{"texts deep inside", schema.For[struct {
			F map[string][]string `minLength:"1" format:"email" pattern:"@"`
		}], `{"type":"object","additionalProperties":{"type":"array","items":{"type":"string","format":"email","pattern":"@","minLength":1}}}`},
		{"the outer of two slices", schema.For[struct {
			F [][]int `minItems:"1" multipleOf:"5"`
		}], `{"type":"array","minItems":1,"items":{"type":"array","items":{"type":"integer","multipleOf":5}}}`},
		{"a default and an example of a map", schema.For[struct {
			F map[string]int `default:"{\"a\":1}" example:"{}"`
		}], `{"type":"object","default":{"a":1},"examples":[{}],"additionalProperties":{"type":"integer"}}`},
		{"a civil date by how it behaves", schema.For[struct{ F lawDate }], `{"type":"string","format":"date"}`},
		{"a civil date in JSON", schema.For[struct{ F *lawDateJSON }], `{"type":["string","null"],"format":"date"}`},
		{"bytes with a name of their own are numbers to json/v2", schema.For[struct{ F []lawByte }], `{"type":"array","items":{"type":"integer","minimum":0,"maximum":255}}`},
		{"a format that nothing checks", schema.For[struct {
			F string `format:"password"`
		}], `{"type":"string","format":"password"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := c.got()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, memberOf(t, memberOf(t, s.String(), "properties"), "F")); diff != "" {
				t.Errorf("schema (-want +got):\n%s", diff)
			}
		})
	}
}

// TestInferUnknownTags has a row for each way in which a tag can say nothing, or something that is not understood.
func TestInferUnknownTags(t *testing.T) {
	t.Parallel()
	type deep struct {
		Filters []struct {
			Name string `json:"name" minlength:"1"`
		}
	}
	for _, c := range []struct {
		got  func() (*schema.Schema, error)
		want string // after "infer schema: "
	}{
		{schema.For[deep], "deep.Filters[].Name: the tag minlength is unknown; did you mean minLength?"},
		{schema.For[lawTagDescription], "lawTagDescription.F: the tag description is unknown: the tag doc is the description"},
		{schema.For[lawTagRequired], "lawTagRequired.F: the tag required is unknown: a field is required unless"},
		{schema.For[lawTagExamples], "lawTagExamples.F: the tag examples is unknown: the tag example is one example"},
		{schema.For[lawTagFormat], `lawTagFormat.F: the tag format must be the name of a format, got "emial"`},
		{schema.For[lawTagUnique], `lawTagUnique.F: the tag uniqueItems must be true or false, got "yes"`},
		{schema.For[lawTagCount], `lawTagCount.F: the tag maxItems must be a count, got "1.5"`},
		{schema.For[lawTagNumber], `lawTagNumber.F: the tag multipleOf must be a number above 0, got "0x10"`},
		{schema.For[lawTagZero], `lawTagZero.F: the tag multipleOf must be a number above 0, got "0"`},
		{schema.For[lawTagEmpty], `lawTagEmpty.F: the tag pattern must be a regular expression, got ""`},
		{schema.For[lawTagScope], "lawTagScope.F: the tag minLength says nothing about map[string]int"},
		{schema.For[lawTagStruct], "lawTagStruct.F: the tag minimum says nothing about struct {}"},
		{schema.For[lawTagOption], "lawTagOption.F: the json option omitblank is unknown"},
		{schema.For[lawTagEmbed], "lawTagEmbed.F: only a struct, a map or a jsontext.Value can be embedded, not string"},
		{schema.For[lawTagJSONFormat], "Go struct field F has unsupported `format` tag option"},
		{schema.For[lawTagExample], `lawTagExample.F: the example "x": must be a date such as 2026-01-31, got "x"`},
	} {
		if s, err := c.got(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v and %v\nwant an error %s", s, err, c.want)
		}
	}
}

type (
	lawTagDescription struct {
		F string `description:"x"`
	}
	lawTagRequired struct {
		F string `required:"true"`
	}
	lawTagExamples struct {
		F string `examples:"x"`
	}
	lawTagFormat struct {
		F string `format:"emial"`
	}
	lawTagUnique struct {
		F []int `uniqueItems:"yes"`
	}
	lawTagCount struct {
		F []int `maxItems:"1.5"`
	}
	lawTagNumber struct {
		F int `multipleOf:"0x10"`
	}
	lawTagZero struct {
		F int `multipleOf:"0"`
	}
	lawTagEmpty struct {
		F string `pattern:""`
	}
	lawTagScope struct {
		F map[string]int `minLength:"1"`
	}
	lawTagStruct struct {
		F struct{} `minimum:"1"`
	}
	lawTagOption struct {
		F int `json:"f,omitblank"` //nolint:staticcheck // SA5008: the unknown option is what is tested
	}
	lawTagEmbed struct {
		F string `json:",embed"`
	}
	lawTagJSONFormat struct {
		F time.Time `json:"f,format:unix"`
	}
	lawTagExample struct {
		F string `format:"date" example:"x"`
	}
)

// TestInferTagText has struct tags that only a program can make, or that go vet finds: each is read whole or refused.
func TestInferTagText(t *testing.T) {
	t.Parallel()
	type point struct {
		X int `json:"x"`
	}
	for _, c := range []struct {
		typ       reflect.Type
		tag, want string // want: a part of the error; "" for none
	}{
		{reflect.TypeFor[string](), `doc:"no end`, "F: the struct tag is not a list of key:\"value\", at doc:\"no end"},
		{reflect.TypeFor[string](), `doc: "a space"`, "F: the struct tag is not a list of key:\"value\", at doc: "},
		{reflect.TypeFor[string](), `doc:'quotes'`, "F: the struct tag is not a list of key:\"value\", at doc:'quotes'"},
		{reflect.TypeFor[string](), `doc`, "F: the struct tag is not a list"},
		{reflect.TypeFor[string](), `json:"f" minLength="1"`, "F: the struct tag is not a list of key:\"value\", at minLength="},
		{reflect.TypeFor[string](), `doc:"a" doc:"b"`, "F: the tag doc is given twice"},
		{reflect.TypeFor[string](), `xml:"a" xml:"b"  yaml:"\"c\"" `, ""},
		{reflect.TypeFor[string](), `Doc:"x"`, "F: the tag Doc is unknown; did you mean doc?"},
		{reflect.TypeFor[string](), `enum:"a, b,a"`, `F: the tag enum holds "a" twice`},
		{reflect.TypeFor[string](), `pattern:"["`, `F: the tag pattern must be a regular expression, got "["`},
		{reflect.TypeFor[string](), `pattern:"^(?!x)"`, ""},
		{reflect.TypeFor[int](), `multipleOf:"-1"`, `F: the tag multipleOf must be a number above 0, got "-1"`},
		{reflect.TypeFor[float64](), `multipleOf:"1e-8"`, ""},
		{reflect.TypeFor[point](), `default:"{}"`, `F: the default {}: at /x: missing; wants an integer`},
		{reflect.TypeFor[int](), `json:"f,string" default:"3" example:"5"`, ""},
		{reflect.TypeFor[int8](), `json:"f,string" default:"300"`, `F: the default "300" does not fit the type int8`},
	} {
		s, err := schema.Of(reflect.StructOf([]reflect.StructField{{Name: "F", Type: c.typ, Tag: reflect.StructTag(c.tag)}}))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %s and %v\nwant an error %s", c.tag, s, err, c.want)
		}
	}
}

// FuzzTags holds for any struct tag: nothing panics, and what is inferred compiles and, where it has a default, fills it in.
func FuzzTags(f *testing.F) {
	for _, tag := range []string{
		`json:"f,omitempty" doc:"x"`, `default:"3" minimum:"1"`, `enum:"a,b" default:"a"`, `json:",string"`, `pattern:"("`, `json:"f,omitEmpty"`, `json:"'`,
		`minItems:"1" uniqueItems:"true" default:"[1]"`, `jsonschema:"a=b"`, `example:"{" format:"date"`, `json:"-"`, `json:"-,"`, `json:",embed"`, `required:"x"`, "\x00:\"\"",
		`multipleOf:"1e999999999"`, `maxLength:"99999999999"`, `default:"null"`, `json:"f,case:ignore"`, `exclusiveMaximum:"-0"`,
	} {
		f.Add(tag)
	}
	types := []reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[*int](), reflect.TypeFor[[]float64](), reflect.TypeFor[map[string]*string](), reflect.TypeFor[time.Time](), reflect.TypeFor[any](),
	}
	f.Fuzz(func(t *testing.T, tag string) {
		for _, typ := range types {
			s, err := schema.Of(reflect.StructOf([]reflect.StructField{{Name: "F", Type: typ, Tag: reflect.StructTag(tag)}}))
			if err != nil {
				continue
			}
			v, err := schema.Compile(s, &schema.Config{Closed: true, CheckDefaults: true})
			if err != nil {
				t.Fatalf("%v `%s`: %s: %v", typ, tag, s, err)
			}
			if got, r := v.Normalize([]byte(`{}`)); r.OK() && strings.Contains(s.String(), `"default":`) && !strings.Contains(s.String(), "description") && string(got) == `{}` {
				t.Fatalf("%v `%s`: %s: the default is not filled in", typ, tag, s)
			}
		}
	})
}
