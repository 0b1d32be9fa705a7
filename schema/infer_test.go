package schema_test

import (
	"bytes"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

type (
	stamped struct {
		time.Time
		Note string
	}
	stampedPointer struct{ *time.Time }
	ownTime        struct{ time.Time } // its own MarshalJSON
	color          string
	level          int
	civil          struct{ Year, Month, Day int }
	opaque         struct{ hidden int }  //nolint:unused // that it cannot be seen is what is tested
	reader         struct{ Text string } // only reads itself
	money          struct{ Cents int64 }
	failing        struct{}
	panicking      struct{}
	UUID           [16]byte

	tree struct {
		Value int    `json:"value"`
		Kids  []tree `json:"kids"`
		Next  *tree  `json:"next"`
	}
	forest     map[string]forest
	ping       struct{ Pong *pong }
	pong       struct{ Ping *ping }
	generics   struct{ Box box[box[int]] }
	box[T any] struct {
		Item T       `json:"item"`
		More *box[T] `json:"more,omitempty"`
	}

	point  struct{ X, Y float64 }
	twice  struct{ From, To point }
	base   struct{ ID, Name string }
	middle struct{ base }
	outer  struct {
		middle
		Name int `json:"Name"`
	}
	optionalBase struct{ *Public }
	Public       struct{ ID string }
	rest         struct {
		A     int            `json:"a"`
		Other map[string]any `json:",embed"`
	}
	restInts struct {
		Other map[string]int8 `json:",embed"`
	}
	restRaw struct {
		Other jsontext.Value `json:",embed"`
	}
)

func (ownTime) MarshalJSON() ([]byte, error) { return []byte(`0`), nil }
func (color) Enum() []color                  { return []color{"red", "green"} }
func (*level) Enum() []any                   { return []any{1, 2, 3} }
func (civil) MarshalText() ([]byte, error)   { return []byte("2026-01-31"), nil }
func (*civil) UnmarshalText([]byte) error    { return nil }
func (opaque) MarshalJSON() ([]byte, error)  { return []byte(`{}`), nil }
func (*reader) UnmarshalJSON([]byte) error   { return nil }
func (UUID) MarshalText() ([]byte, error)    { return []byte("x"), nil }
func (money) JSONSchema() *schema.Schema {
	return schema.MustParse(`{"type":"string","pattern":"^[0-9]+ EUR$"}`)
}

func (failing) JSONSchema() (*schema.Schema, error) {
	return schema.Parse([]byte(`[]`))
}
func (panicking) JSONSchema() *schema.Schema { panic("no zero value") }

func TestInferTypes(t *testing.T) {
	t.Parallel()
	const treeDefs = `"$defs":{"tree":{"type":"object","properties":{"value":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}},"next":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}},"required":["value","kids","next"],"additionalProperties":false}}`
	for _, c := range []struct {
		name string
		got  func() (*schema.Schema, error)
		want string
	}{
		{"city", schema.For[struct {
			City string `json:"city"`
		}], `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`},
		{"B09 no fields", schema.For[struct{}], `{"type":"object","properties":{},"additionalProperties":false}`},
		{"bool", schema.For[bool], `{"type":"boolean"}`},
		{"B17 int has the full range", schema.For[int64], `{"type":"integer"}`},
		{"int8", schema.For[int8], `{"type":"integer","minimum":-128,"maximum":127}`},
		{"int32", schema.For[int32], `{"type":"integer","minimum":-2147483648,"maximum":2147483647}`},
		{"uint16", schema.For[uint16], `{"type":"integer","minimum":0,"maximum":65535}`},
		{"uint64", schema.For[uint64], `{"type":"integer","minimum":0}`},
		{"float32", schema.For[float32], `{"type":"number"}`},
		{"any", schema.For[any], `true`},
		{"jsontext.Value", schema.For[jsontext.Value], `true`},
		{"pointer", schema.For[*int], `{"type":["integer","null"]}`},
		{"pointer to pointer", schema.For[**int], `{"type":["integer","null"]}`},
		{"pointer to a struct", schema.For[*point], `{"anyOf":[{"type":"object","properties":{"X":{"type":"number"},"Y":{"type":"number"}},"required":["X","Y"],"additionalProperties":false},{"type":"null"}]}`},
		{"B08 slice", schema.For[[]string], `{"type":"array","items":{"type":"string"}}`},
		{"array", schema.For[[2]bool], `{"type":"array","minItems":2,"maxItems":2,"items":{"type":"boolean"}}`},
		{"bytes", schema.For[[]byte], `{"type":"string","contentEncoding":"base64"}`},
		{"byte array", schema.For[[4]byte], `{"type":"string","contentEncoding":"base64"}`},
		{"map", schema.For[map[string]int], `{"type":"object","additionalProperties":{"type":"integer"}}`},
		{"map of int", schema.For[map[int]any], `{"type":"object","propertyNames":{"pattern":"^-?(0|[1-9][0-9]*)$"},"additionalProperties":true}`},
		{"map of enum", schema.For[map[color]int], `{"type":"object","propertyNames":{"enum":["red","green"]},"additionalProperties":{"type":"integer"}}`},
		{"time", schema.For[time.Time], `{"type":"string","format":"date-time"}`},
		{"B01 embedded time", schema.For[stamped], `{"type":"string","format":"date-time"}`},
		{"B01 embedded pointer to time", schema.For[stampedPointer], `{"type":"string","format":"date-time"}`},
		{"B01 embedded time with a method of its own", schema.For[ownTime], `true`},
		{"duration", schema.For[time.Duration], `{"type":"string","pattern":"^-?([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$","examples":["1h30m"]}`},
		{"url", schema.For[url.URL], `{"type":"string","format":"uri-reference"}`},
		{"pointer to url", schema.For[*url.URL], `{"type":["string","null"],"format":"uri-reference"}`},
		{"big.Int", schema.For[*big.Int], `{"type":["integer","null"]}`},
		{"B01 embedded big.Int", schema.For[lawBig], `{"type":"integer"}`},
		{"B01 embedded address", schema.For[struct{ netip.Addr }], `{"type":"string"}`},
		{"netip.Addr", schema.For[netip.Addr], `{"type":"string"}`},
		{"uuid by its text", schema.For[UUID], `{"type":"string","format":"uuid"}`},
		{"civil date by its text", schema.For[civil], `{"type":"string"}`},
		{"JSON marshaler", schema.For[opaque], `true`},
		{"JSON unmarshaler", schema.For[reader], `true`},
		{"schema of its own", schema.For[money], `{"type":"string","pattern":"^[0-9]+ EUR$"}`},
		{"schema of its own, nullable", schema.For[*money], `{"type":["string","null"],"pattern":"^[0-9]+ EUR$"}`},
		{"enum", schema.For[color], `{"type":"string","enum":["red","green"]}`},
		{"B06 nullable enum", schema.For[*color], `{"type":["string","null"],"enum":["red","green",null]}`},
		{"enum as an item", schema.For[[]color], `{"type":"array","items":{"type":"string","enum":["red","green"]}}`},
		{"enum with a pointer method", schema.For[level], `{"type":"integer","enum":[1,2,3]}`},
		{"B03 a type seen twice", schema.For[twice], `{"type":"object","properties":{"From":{"type":"object","properties":{"X":{"type":"number"},"Y":{"type":"number"}},"required":["X","Y"],"additionalProperties":false},"To":{"type":"object","properties":{"X":{"type":"number"},"Y":{"type":"number"}},"required":["X","Y"],"additionalProperties":false}},"required":["From","To"],"additionalProperties":false}`},
		{"B04 recursion", schema.For[struct{ T tree }], `{"type":"object","properties":{"T":{"$ref":"#/$defs/tree"}},"required":["T"],"additionalProperties":false,` + treeDefs + `}`},
		{"B04 recursion at the root", schema.For[tree], `{"type":"object","properties":{"value":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}},"next":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}},"required":["value","kids","next"],"additionalProperties":false,` + treeDefs + `}`},
		{"B04 recursion of a map", schema.For[forest], `{"type":"object","additionalProperties":{"$ref":"#/$defs/forest"},"$defs":{"forest":{"type":"object","additionalProperties":{"$ref":"#/$defs/forest"}}}}`},
		{"embedding", schema.For[outer], `{"type":"object","properties":{"ID":{"type":"string"},"Name":{"type":"integer"}},"required":["ID","Name"],"additionalProperties":false}`},
		{"embedded pointer", schema.For[optionalBase], `{"type":"object","properties":{"ID":{"type":"string"}},"additionalProperties":false}`},
		{"flexible", schema.For[rest], `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":true}`},
		{"flexible, of one type", schema.For[restInts], `{"type":"object","properties":{},"additionalProperties":{"type":"integer","minimum":-128,"maximum":127}}`},
		{"flexible, raw", schema.For[restRaw], `{"type":"object","properties":{},"additionalProperties":true}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := c.got()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, s.String()); diff != "" {
				t.Errorf("schema (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInferMutualRecursion(t *testing.T) {
	t.Parallel()
	for name, infer := range map[string]func() (*schema.Schema, error){"ping": schema.For[ping], "pong": schema.For[pong], "generics": schema.For[generics]} {
		s, err := infer()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if strings.Contains(s.String(), "box[") {
			t.Errorf("%s: type arguments in a name: %s", name, s)
		}
		if _, err := schema.Compile(s, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, _ := schema.For[ping]()
	v, err := schema.Compile(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := v.Validate([]byte(`{"Pong":{"Ping":{"Pong":null}}}`)); !r.OK() {
		t.Error(r.Faults)
	}
	want := []fault{{"/Pong/Ping/Pong", "missing; wants an object or null", ""}}
	if diff := cmp.Diff(want, faults(v.Validate([]byte(`{"Pong":{"Ping":{}}}`)))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestInferTags(t *testing.T) {
	t.Parallel()
	field := func(schema string) string { return schema }
	for _, c := range []struct {
		name     string
		got      func() (*schema.Schema, error)
		want     string // of the field f
		optional bool
	}{
		{"doc", schema.For[struct {
			F string `json:"f" doc:"A city, \"as on the map\""`
		}], field(`{"type":"string","description":"A city, \"as on the map\""}`), false},
		{"jsonschema", schema.For[struct {
			F string `json:"f" jsonschema:"A city"`
		}], `{"type":"string","description":"A city"}`, false},
		{"omitempty", schema.For[struct {
			F string `json:"f,omitempty"`
		}], `{"type":"string"}`, true},
		{"omitzero", schema.For[struct {
			F int `json:"f,omitzero"`
		}], `{"type":"integer"}`, true},
		{"pointer is nullable, not optional", schema.For[struct {
			F *int `json:"f"`
		}], `{"type":["integer","null"]}`, false},
		{"default is optional, not nullable", schema.For[struct {
			F int `json:"f" default:"3"`
		}], `{"type":"integer","default":3}`, true},
		{"default of a string", schema.For[struct {
			F string `json:"f" default:"US"`
		}], `{"type":"string","default":"US"}`, true},
		{"default of a slice", schema.For[struct {
			F []string `json:"f" default:"[ \"a\" ]" maxItems:"2" minItems:"1" uniqueItems:"true"`
		}], `{"type":"array","minItems":1,"maxItems":2,"uniqueItems":true,"default":["a"],"items":{"type":"string"}}`, true},
		{"default of a pointer", schema.For[struct {
			F *string `json:"f" default:"x"`
		}], `{"type":["string","null"],"default":"x"}`, true},
		{"default of a duration", schema.For[struct {
			F time.Duration `json:"f" default:"30s" doc:"How long"`
		}], `{"type":"string","description":"How long","pattern":"^-?([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$","default":"30s","examples":["1h30m"]}`, true},
		{"numbers", schema.For[struct {
			F float64 `json:"f" minimum:"1" maximum:"1e3" exclusiveMinimum:"0" exclusiveMaximum:"1000.5" multipleOf:"0.5" example:"1.5"`
		}], `{"type":"number","minimum":1,"exclusiveMinimum":0,"maximum":1e3,"exclusiveMaximum":1000.5,"multipleOf":0.5,"examples":[1.5]}`, false},
		{"a tag replaces the limit of the type", schema.For[struct {
			F uint8 `json:"f" minimum:"1" maximum:"7"`
		}], `{"type":"integer","minimum":1,"maximum":7}`, false},
		{"strings", schema.For[struct {
			F string `json:"f" minLength:"1" maxLength:"9" pattern:"^[a-z]+$" format:"hostname"`
		}], `{"type":"string","format":"hostname","pattern":"^[a-z]+$","minLength":1,"maxLength":9}`, false},
		{"enum", schema.For[struct {
			F string `json:"f" enum:"low, high" default:"low"`
		}], `{"type":"string","enum":["low","high"],"default":"low"}`, true},
		{"enum of numbers", schema.For[struct {
			F int `json:"f" enum:"1,2"`
		}], `{"type":"integer","enum":[1,2]}`, false},
		{"B06 enum of a pointer", schema.For[struct {
			F *string `json:"f" enum:"a,b"`
		}], `{"type":["string","null"],"enum":["a","b",null]}`, false},
		{"enum of the items", schema.For[struct {
			F []string `json:"f" enum:"a,b" minLength:"1"`
		}], `{"type":"array","items":{"type":"string","enum":["a","b"],"minLength":1}}`, false},
		{"string option", schema.For[struct {
			F int64 `json:"f,string"`
		}], `{"type":"string","pattern":"^-?(0|[1-9][0-9]*)$"}`, false},
		{"doc on a struct pointer stands outside", schema.For[struct {
			F *struct{} `json:"f" doc:"x"`
		}], `{"description":"x","anyOf":[{"type":"object","properties":{},"additionalProperties":false},{"type":"null"}]}`, false},
		{"doc on any", schema.For[struct {
			F any `json:"f" doc:"x" example:"{\"a\":1}"`
		}], `{"description":"x","examples":[{"a":1}]}`, false},
		{"foreign tags", schema.For[struct {
			F string `json:"f" yaml:"f" db:"f" validate:"required" bson:"f" env:"F"`
		}], `{"type":"string"}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := c.got()
			if err != nil {
				t.Fatal(err)
			}
			want := `{"type":"object","properties":{"f":` + c.want + `},"required":["f"],"additionalProperties":false}`
			if c.optional {
				want = strings.Replace(want, `"required":["f"],`, "", 1)
			}
			if diff := cmp.Diff(want, s.String()); diff != "" {
				t.Errorf("schema (-want +got):\n%s", diff)
			}
		})
	}
}

type (
	badEnum   int
	noEnum    string
	panicEnum string
	funcEnum  string
	enumText  int
	tagged    struct {
		base
		Other string `json:"ID"`
	}
	ambiguousA struct{ X, Y int }
	ambiguousB struct{ X, Z int }
	ambiguous  struct {
		ambiguousA
		ambiguousB
	}
)

func (badEnum) Enum() []string                { return []string{"one"} }
func (noEnum) Enum() []noEnum                 { return nil }
func (panicEnum) Enum() []panicEnum           { panic("no zero value") }
func (funcEnum) Enum() []any                  { return []any{func() {}} }
func (enumText) Enum() []string               { return []string{"low", "high"} }
func (enumText) MarshalText() ([]byte, error) { return []byte("low"), nil }

func TestInferMore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		got  func() (*schema.Schema, error)
		want string
	}{
		{"enum of a text marshaler", schema.For[enumText], `{"type":"string","enum":["low","high"]}`},
		{"map of uint", schema.For[map[uint8]bool], `{"type":"object","propertyNames":{"pattern":"^(0|[1-9][0-9]*)$"},"additionalProperties":{"type":"boolean"}}`},
		{"map of text", schema.For[map[netip.Addr]bool], `{"type":"object","additionalProperties":{"type":"boolean"}}`},
		{"quoted uint", schema.For[struct {
			N uint `json:",string"`
		}], `{"type":"object","properties":{"N":{"type":"string","pattern":"^(0|[1-9][0-9]*)$"}},"required":["N"],"additionalProperties":false}`},
		{"quoted float", schema.For[struct {
			N float64 `json:"n,string"`
		}], `{"type":"object","properties":{"n":{"type":"string","pattern":"^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?$"}},"required":["n"],"additionalProperties":false}`},
		{"no name but an option", schema.For[struct {
			N int `json:",omitempty"`
		}], `{"type":"object","properties":{"N":{"type":"integer"}},"additionalProperties":false}`},
		{"left out", schema.For[struct {
			N int `json:"-"`
			m int
			O int
		}], `{"type":"object","properties":{"O":{"type":"integer"}},"required":["O"],"additionalProperties":false}`},
		{"the shallower field wins", schema.For[tagged], `{"type":"object","properties":{"Name":{"type":"string"},"ID":{"type":"string"}},"required":["Name","ID"],"additionalProperties":false}`},
		{"two at one depth cancel out", schema.For[ambiguous], `{"type":"object","properties":{"Y":{"type":"integer"},"Z":{"type":"integer"}},"required":["Y","Z"],"additionalProperties":false}`},
		{"slice of pointers", schema.For[[]*int], `{"type":"array","items":{"type":["integer","null"]}}`},
		{"interface in a slice", schema.For[[]any], `{"type":"array","items":true}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := c.got()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, s.String()); diff != "" {
				t.Errorf("schema (-want +got):\n%s", diff)
			}
		})
	}
	for _, c := range []struct {
		got  func() (*schema.Schema, error)
		want string
	}{
		{schema.For[badEnum], `badEnum: the method Enum of schema_test.badEnum lists "one", but the type must be an integer, got the string "one"`},
		{schema.For[noEnum], "noEnum: the method Enum of schema_test.noEnum lists no values"},
		{schema.For[panicEnum], "panicEnum: the method Enum panics on the zero value: no zero value"},
		{schema.For[funcEnum], "funcEnum: the method Enum of schema_test.funcEnum: "},
		{schema.For[struct {
			T time.Duration `default:"soon"`
		}], `must match the pattern`},
		{schema.For[struct {
			T netip.Addr `default:"soon"`
		}], `the default "soon" does not fit the type netip.Addr`},
		{schema.For[struct {
			T point `enum:"a"`
		}], `the tag enum holds "a", which is not a value of schema_test.point`},
		{schema.For[struct {
			T point `enum:"1"`
		}], `the tag enum says nothing about schema_test.point`},
		{schema.For[struct {
			T []point `minimum:"1"`
		}], `the tag minimum says nothing about []schema_test.point`},
	} {
		if s, err := c.got(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v and %v, want an error %s", s, err, c.want)
		}
	}
}

type broken struct {
	Filters  []struct{ Fn func() }
	Channel  chan int
	Complex  map[string]complex128
	Iface    interface{ Close() error }
	Number   int               `default:"x" minimum:"q"`
	Misspelt string            `minLenght:"3"`
	Small    int8              `default:"300"`
	Choice   string            `default:"zz" enum:"a,b"`
	Inline   map[string]any    `json:",inline"`
	OnString string            `minimum:"1"`
	Count    []int             `minItems:"-1"`
	Key      map[[2]int]string `json:"key"`
	Doc      string            `doc:"a" jsonschema:"b"`
	Pairs    string            `jsonschema:"required=true"`
	Example  int               `example:"1.5"`
	Pattern  string            `pattern:"(" default:"x"`
	Enum     int               `enum:"1,two"`
	Quoted   bool              `json:",string"`
	Failing  failing
	Panics   panicking
}

// TestInferSealed has embedded pointers through which a value can be written but not read: what validates must decode.
func TestInferSealed(t *testing.T) {
	t.Parallel()
	type inner struct {
		A int `json:"a"`
	}
	type Outer struct {
		A int `json:"a"`
	}
	type between struct{ *inner }
	type In struct {
		*inner
		B int `json:"b"`
	}
	const want = "the property a cannot be read through an embedded pointer to a type that is not exported; embed the type itself, or export it"
	for _, c := range []struct {
		got  func() (*schema.Schema, error)
		want string // a part of the error; "" for none
	}{
		{schema.For[In], "In.inner: " + want},
		{schema.For[[]struct{ between }], "[].between.inner: " + want},
		{schema.For[struct{ inner }], ""},
		{schema.For[struct{ *Outer }], ""},
		{schema.For[struct {
			*inner
			A string `json:"a"`
		}], ""},
	} {
		s, err := c.got()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %s, %v; want an error with %q", s, err, c.want)
		}
	}
}

func TestInferErrors(t *testing.T) {
	t.Parallel()
	s, err := schema.For[broken]()
	if err == nil {
		t.Fatalf("got %s, want errors", s)
	}
	got := err.Error()
	for _, want := range []string{
		"broken.Filters[].Fn: a func cannot be carried by JSON",
		"broken.Channel: a channel cannot be carried by JSON",
		"broken.Complex[]: a complex number cannot be carried by JSON",
		"broken.Iface: the interface interface { Close() error } says nothing about its values",
		`broken.Number: the tag minimum must be a number, got "q"`,
		`broken.Number: the tag default is not JSON: "x"`,
		"broken.Misspelt: the tag minLenght is unknown; did you mean minLength?",
		"broken.Small: the default 300: must be at most 127, got 300",
		`broken.Choice: the default "zz": must be "a" or "b", got "zz"`,
		"broken.Inline: the json option inline means nothing to this version of json/v2; the embedded fallback is `json:\",embed\"`",
		"broken.OnString: the tag minimum says nothing about string",
		`broken.Count: the tag minItems must be a count, got "-1"`,
		"broken.Key: the key type [2]int of a map cannot be written as a property name",
		"broken.Doc: the tags doc and jsonschema both give a description",
		`broken.Pairs: the tag jsonschema holds a description, not key=value: "required=true"`,
		"broken.Example: the example 1.5: must be an integer, got the number 1.5, which is not whole",
		`broken.Pattern: the tag pattern must be a regular expression, got "("`,
		`broken.Enum: the tag enum holds "two", which is not a value of int`,
		"broken.Quoted: the json option string is for numbers, not for bool",
		"broken.Failing: the schema that schema_test.failing supplies: parse schema: a schema is an object or a boolean",
		"broken.Panics: the method JSONSchema panics on the zero value: no zero value",
	} {
		if !strings.Contains(got, "infer schema: "+want) {
			t.Errorf("no error %q", want)
		}
	}
	if n := strings.Count(got, "\n") + 1; n != 21 {
		t.Errorf("%d errors, want 21:\n%s", n, got)
	}
}

// conflicting is made at run time, because go vet rightly refuses it in a source file.
var conflicting = reflect.StructOf([]reflect.StructField{
	{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
	{Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
})

// TestInferBadJSONTag shows that what json/v2 refuses to encode has no schema.
func TestInferBadJSONTag(t *testing.T) {
	t.Parallel()
	for name, infer := range map[string]func() (*schema.Schema, error){
		"two fields, one name": func() (*schema.Schema, error) { return schema.Of(conflicting) },
		"malformed option": schema.For[struct {
			A int `json:"x,omitEmpty"` //nolint:staticcheck // SA5008: the malformed option is what is tested
		}],
		"embedded marshaler": schema.For[struct {
			A opaque `json:",embed"`
		}],
		"unsupported option in an embedded struct": schema.For[struct {
			badFormat
			B int
		}],
		"string for a type that supplies a schema": schema.For[struct {
			A suppliedNumber `json:",string"`
		}],
	} {
		if s, err := infer(); err == nil {
			t.Errorf("%s: got %s, want an error", name, s)
		}
	}
	if _, err := schema.Of(nil); err == nil {
		t.Error("nil type: no error")
	}
}

type badFormat struct {
	A []string `json:"a,format:unix"`
}

type suppliedNumber int

func (suppliedNumber) JSONSchema() *schema.Schema { return schema.MustParse(`{"type":"integer"}`) }

// TestQuotedNumbers has the json option string on types that are more than numbers, and tags on arrays whose length is fixed.
func TestQuotedNumbers(t *testing.T) {
	t.Parallel()
	type in struct {
		For   time.Duration `json:"for,string"`
		Day   lawWeekday    `json:"day,string"`
		Size  *lawSize      `json:"size,string"`
		Pair  [2]string     `json:"pair" maxItems:"3"`
		Other [2]string     `json:"other" minItems:"1"`
	}
	s, err := schema.For[in]()
	if err != nil {
		t.Fatal(err)
	}
	size := lawSize(0.5)
	raw, err := json.Marshal(in{For: time.Minute, Day: 3, Size: &size}, schema.JSONOptions())
	if want := `{"for":"1m0s","day":"3","size":"0.5","pair":["",""],"other":["",""]}`; err != nil || string(raw) != want {
		t.Fatalf("json/v2 writes %s, %v; want %s", raw, err, want)
	}
	v := compile(t, s.String(), nil)
	if r := v.Validate(raw); !r.OK() {
		t.Errorf("%s is refused: %+v", raw, r.Faults)
	}
	for path, part := range map[string][2]string{"/for": {"1m0s", "60"}, "/day": {`"3"`, `"9"`}, "/size": {`"0.5"`, `"0.25"`}, "/pair": {`"pair":["",""]`, `"pair":["","",""]`}, "/other": {`"other":["",""]`, `"other":[""]`}} {
		bad := strings.Replace(string(raw), part[0], part[1], 1)
		if r := v.Validate([]byte(bad)); paths(r) != path {
			t.Errorf("%s: got %+v, want a fault at %s", bad, faults(r), path)
		}
	}
}

type everything struct {
	base
	At    time.Time      `json:"at"`
	Stamp stamped        `json:"stamp"`
	For   time.Duration  `json:"for"`
	Link  url.URL        `json:"link"`
	Links []*url.URL     `json:"links"`
	Big   *big.Int       `json:"big"`
	IP    netip.Addr     `json:"ip"`
	Data  []byte         `json:"data"`
	Nums  map[int8]bool  `json:"nums"`
	Color color          `json:"color"`
	Maybe *color         `json:"maybe"`
	Tree  tree           `json:"tree"`
	Trees []tree         `json:"trees"`
	Text  civil          `json:"text"`
	Quote int64          `json:"quote,string"`
	Rest  map[string]int `json:",embed"`
}

// TestWire shows that the schema of a type accepts what json/v2 with JSONOptions writes for its values, and that what is written
// can be read back: inference, encoding and decoding agree.
func TestWire(t *testing.T) {
	t.Parallel()
	link := url.URL{Scheme: "https", Host: "example.com", Path: "/a b"}
	s, err := schema.For[everything]()
	if err != nil {
		t.Fatal(err)
	}
	v, err := schema.Compile(s, &schema.Config{Closed: true, CheckDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	red := color("red")
	for name, in := range map[string]everything{
		"B08 zero": {Color: "green", Link: link},
		"full": {
			base: base{"1", "x"}, At: time.Now(), For: 90 * time.Minute, Link: link, Links: []*url.URL{&link, nil}, Big: big.NewInt(1).Lsh(big.NewInt(1), 80),
			IP: netip.MustParseAddr("::1"), Data: []byte{1, 2}, Nums: map[int8]bool{-3: true}, Color: "red", Maybe: &red,
			Tree: tree{Kids: []tree{{}}, Next: &tree{}}, Trees: []tree{{}}, Quote: 1 << 60, Rest: map[string]int{"more": 1},
		},
	} {
		raw, err := json.Marshal(in, schema.JSONOptions())
		if err != nil {
			t.Fatal(err)
		}
		got, r := v.Normalize(raw)
		if r != nil || !bytes.Equal(got, raw) {
			t.Errorf("%s: %s\nbecomes %s with %+v", name, raw, got, r)
		}
		var back everything
		if err := json.Unmarshal(raw, &back, schema.JSONOptions()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		again, err := json.Marshal(back, schema.JSONOptions())
		if err != nil || !bytes.Equal(again, raw) {
			t.Errorf("%s: a round trip gives %s, %v", name, again, err)
		}
	}
	for _, bad := range []string{`"soon"`, `3`, `"1h x"`} {
		var d time.Duration
		if err := json.Unmarshal([]byte(bad), &d, schema.JSONOptions()); err == nil {
			t.Errorf("the duration %s is read as %v", bad, d)
		}
	}
	var u url.URL
	if err := json.Unmarshal([]byte(`"http://[::1"`), &u, schema.JSONOptions()); err == nil {
		t.Error("a URL that does not parse is read")
	}
}
