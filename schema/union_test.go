package schema_test

import (
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

// The unions of union_test.go that are wrong, each in one way.
type (
	unionNone      struct{}
	unionNoName    struct{}
	unionUnnamed   struct{}
	unionTwice     struct{}
	unionTypeTwice struct{}
	unionForeign   struct{}
	unionScalar    struct{}
	unionClash     struct{}
	unionOpaque    struct{}
	unionBad       struct{}
	unionPanics    struct{}

	unionInt    int
	unionKinded struct {
		Kind string `json:"kind"`
	}
	unionText struct{}
	unionChan struct{ C chan int }
)

func (unionInt) figure()                       {}
func (unionKinded) figure()                    {}
func (unionText) figure()                      {}
func (unionChan) figure()                      {}
func (unionText) MarshalText() ([]byte, error) { return nil, nil }

func (unionNone) Variants() (string, []schema.Variant) { return "kind", nil }
func (unionNoName) Variants() (string, []schema.Variant) {
	return "", []schema.Variant{schema.VariantOf[lawCircle]("a")}
}

func (unionUnnamed) Variants() (string, []schema.Variant) {
	return "kind", []schema.Variant{schema.VariantOf[lawCircle](""), {}}
}

func (unionTwice) Variants() (string, []schema.Variant) {
	return "kind", []schema.Variant{schema.VariantOf[lawCircle]("a"), schema.VariantOf[lawNothing]("a")}
}

func (unionTypeTwice) Variants() (string, []schema.Variant) {
	return "kind", []schema.Variant{schema.VariantOf[lawCircle]("a"), schema.VariantOf[*lawCircle]("b")}
}

func (unionForeign) Variants() (string, []schema.Variant) {
	return "kind", []schema.Variant{schema.VariantOf[lawLeaf]("a")}
}

func (unionScalar) Variants() (string, []schema.Variant) {
	return "kind", []schema.Variant{schema.VariantOf[unionInt]("a")}
}

func (unionClash) Variants() (string, []schema.Variant) {
	return "kind", []schema.Variant{schema.VariantOf[unionKinded]("a")}
}

func (unionOpaque) Variants() (string, []schema.Variant) {
	return "kind", []schema.Variant{schema.VariantOf[unionText]("a")}
}

func (unionBad) Variants() (string, []schema.Variant) {
	return "kind", []schema.Variant{schema.VariantOf[unionChan]("a")}
}
func (unionPanics) Variants() (string, []schema.Variant) { panic("no list") }

func TestUnionSchema(t *testing.T) {
	t.Parallel()
	const (
		circle  = `{"type":"object","properties":{"type":{"type":"string","const":"circle"},"radius":{"type":"number"}},"required":["type","radius"],"additionalProperties":false}`
		square  = `{"type":"object","properties":{"type":{"type":"string","const":"square"},"side":{"type":"integer","minimum":-128,"maximum":127},"Tags":{"type":"array","items":{"type":"string"}}},"required":["type","side","Tags"],"additionalProperties":false}`
		nothing = `{"type":"object","properties":{"type":{"type":"string","const":"nothing"}},"required":["type"],"additionalProperties":false}`
		label   = `{"type":"object","properties":{"type":{"type":"string","const":"label"},"text":{"type":"string"}},"required":["type"],"additionalProperties":{"type":"string"}}`
		shape   = `{"anyOf":[` + circle + `,` + square + `,` + nothing + `,` + label + `]}`
	)
	for _, c := range []struct {
		name string
		got  func() (*schema.Schema, error)
		want string
	}{
		{"alone", schema.For[lawShape], shape},
		{"a pointer", schema.For[*lawShape], `{"anyOf":[` + shape + `,{"type":"null"}]}`},
		{"items", schema.For[[]lawShape], `{"type":"array","items":` + shape + `}`},
		{"a field with a description", schema.For[struct {
			S lawShape `json:"s,omitzero" doc:"What to draw"`
		}], `{"type":"object","properties":{"s":{"description":"What to draw",` + shape[1:] + `},"additionalProperties":false}`},
		{"recursion", schema.For[[]lawNode], `{"type":"array","items":{"$ref":"#/$defs/lawTerm"},"$defs":{"lawTerm":{"anyOf":[` +
			`{"type":"object","properties":{"op":{"type":"string","const":"leaf"},"Value":{"type":"integer"}},"required":["op","Value"],"additionalProperties":false},` +
			`{"type":"object","properties":{"op":{"type":"string","const":"sum"},"left":{"$ref":"#/$defs/lawTerm"},"right":{"anyOf":[{"$ref":"#/$defs/lawTerm"},{"type":"null"}]},"more":{"type":"array","items":{"$ref":"#/$defs/lawTerm"}},"self":{"anyOf":[{"$ref":"#/$defs/lawSum"},{"type":"null"}]}},"required":["op","left","right"],"additionalProperties":false}]},` +
			`"lawSum":{"type":"object","properties":{"left":{"$ref":"#/$defs/lawTerm"},"right":{"anyOf":[{"$ref":"#/$defs/lawTerm"},{"type":"null"}]},"more":{"type":"array","items":{"$ref":"#/$defs/lawTerm"}},"self":{"anyOf":[{"$ref":"#/$defs/lawSum"},{"type":"null"}]}},"required":["left","right"],"additionalProperties":false}}}`},
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

func TestUnionErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		got  func() (*schema.Schema, error)
		want string
	}{
		"no variants":       {schema.For[schema.Union[lawFigure, unionNone]], "there are no variants"},
		"no discriminator":  {schema.For[schema.Union[lawFigure, unionNoName]], "the discriminator has no name"},
		"a variant unnamed": {schema.For[schema.Union[lawFigure, unionUnnamed]], "variant 1 has no name"},
		"a name twice":      {schema.For[schema.Union[lawFigure, unionTwice]], `the name "a" is listed twice`},
		"a type twice":      {schema.For[schema.Union[lawFigure, unionTypeTwice]], "the type schema_test.lawCircle is listed twice"},
		"another interface": {schema.For[schema.Union[lawFigure, unionForeign]], "the variant schema_test.lawLeaf is not a struct that implements the interface"},
		"no struct":         {schema.For[schema.Union[lawFigure, unionScalar]], "the variant schema_test.unionInt is not a struct that implements the interface"},
		"pointer receivers": {schema.For[schema.Union[interface{ nobody() }, lawFigures]], "is not a struct that implements the interface"},
		"the name is taken": {schema.For[schema.Union[lawFigure, unionClash]], `(a): the variant schema_test.unionKinded has a property "kind" of its own`},
		"encodes itself":    {schema.For[schema.Union[lawFigure, unionOpaque]], "does not encode field by field"},
		"a field of no use": {schema.For[struct {
			U schema.Union[lawFigure, unionBad]
		}], ".U(a).C: a channel cannot be carried by JSON"},
		"a list that panics":  {schema.For[schema.Union[lawFigure, unionPanics]], "the method Variants panics on the zero value: no list"},
		"not of an interface": {schema.For[schema.Union[int, lawFigures]], "the union of int: is not an interface"},
	} {
		if s, err := c.got(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v and %v, want an error %s", name, s, err, c.want)
		}
	}
	for name, v := range map[string]any{
		"no value":       lawShape{},
		"nil pointer":    lawShape{Value: (*lawSquare)(nil)},
		"foreign value":  lawShape{Value: unionKinded{}},
		"a wrong union":  schema.Union[lawFigure, unionTwice]{Value: lawCircle{}},
		"a wrong value":  lawShape{Value: lawCircle{Radius: inf()}},
		"among the rest": lawShapes{One: lawShape{Value: lawNothing{}}, Many: []lawShape{{}}},
	} {
		if raw, err := json.Marshal(v, schema.JSONOptions()); err == nil {
			t.Errorf("%s: written as %s, want an error", name, raw)
		}
	}
	if err := json.Unmarshal([]byte(`{"kind":"a"}`), new(schema.Union[lawFigure, unionTwice])); err == nil {
		t.Error("a wrong union is read")
	}
}

func inf() float64 {
	zero := 0.0
	return 1 / zero
}

func TestUnionWire(t *testing.T) {
	t.Parallel()
	s, err := schema.For[lawShapes]()
	if err != nil {
		t.Fatal(err)
	}
	v, err := schema.Compile(s, closed)
	if err != nil {
		t.Fatal(err)
	}
	in := lawShapes{
		One: lawShape{Value: lawCircle{1.5}}, Many: []lawShape{{Value: &lawSquare{Side: 3}}, {Value: &lawCircle{2}}, {Value: lawNothing{}}},
		Maybe: &lawShape{Value: lawLabel{Text: "x", Other: map[string]string{"more": "y"}}},
	}
	const want = `{"One":{"type":"circle","radius":1.5},"Many":[{"type":"square","side":3,"Tags":[]},{"type":"circle","radius":2},{"type":"nothing"}],"Maybe":{"type":"label","text":"x","more":"y"},"Named":{}}`
	raw, err := json.Marshal(in, schema.JSONOptions())
	if err != nil || string(raw) != want {
		t.Fatalf("written as %s, %v\nwant %s", raw, err, want)
	}
	if r := v.Validate(raw); !r.OK() {
		t.Errorf("refused: %+v", r.Faults)
	}
	var back lawShapes
	if err := json.Unmarshal([]byte(`{"One":{"radius":1.5,"\u0074ype":"circle"},"Many":[ { "side" : 3 , "type" : "square" , "Tags" : [] } ]}`), &back, schema.JSONOptions()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lawShapes{One: lawShape{Value: lawCircle{1.5}}, Many: []lawShape{{Value: &lawSquare{Side: 3, Tags: []string{}}}}}, back); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	indented, err := json.Marshal(in.One, schema.JSONOptions(), jsontext.WithIndent(" "))
	if err != nil || string(indented) != "{\n \"type\": \"circle\",\n \"radius\": 1.5\n}" {
		t.Errorf("indented: %s, %v", indented, err)
	}
	for text, want := range map[string]string{
		`3`:                                "must be an object, got the number 3",
		`null`:                             "must be an object, got null",
		`{}`:                               `the property "type" must be one of circle, square, nothing, label`,
		`{"type":3}`:                       `the property "type" must be one of circle, square, nothing, label`,
		`{"type":"cirle"}`:                 `the property "type" must be one of circle, square, nothing, label, got "cirle"`,
		`{"type":"circle","radius":"x"}`:   "cannot unmarshal",
		`{"type":"circle","type":"label"}`: "duplicate",
	} {
		err := json.Unmarshal([]byte(text), new(lawShape), schema.JSONOptions())
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "unable to unmarshal", "cannot unmarshal"), want) {
			t.Errorf("%s: %v, want an error %q", text, err, want)
		}
	}
}

// TestUnionFaults shows that a fault in one form is told as one of that form.
func TestUnionFaults(t *testing.T) {
	t.Parallel()
	s, err := schema.For[struct {
		S lawShape `json:"s"`
	}]()
	if err != nil {
		t.Fatal(err)
	}
	v, err := schema.Compile(s, closed)
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]fault{
		`{"s":{"type":"circle","radius":"2"}}`:          {"/s/radius", `must be a number, got the string "2"`, "2"},
		`{"s":{"type":"square","side":300,"Tags":[]}}`:  {"/s/side", "must be at most 127, got 300", ""},
		`{"s":{"type":"Circle","radius":2}}`:            {"/s/type", `must be "circle", "square", "nothing" or "label", got "Circle"`, "circle"},
		`{"s":{"radius":2}}`:                            {"/s/type", `missing; wants "circle", "square", "nothing" or "label"`, ""},
		`{"s":{"type":"nothing","radius":2}}`:           {"/s/radius", "unknown; accepted: type", ""},
		`{"s":{"type":"circle","radius":1,"colour":3}}`: {"/s/colour", "unknown; accepted: type, radius", ""},
	} {
		if diff := cmp.Diff([]fault{want}, faults(v.Validate([]byte(in)))); diff != "" {
			t.Errorf("%s: faults (-want +got):\n%s", in, diff)
		}
	}
}

// racing is a union that nothing but TestUnionRace uses, so that its first use happens there.
type racing struct{}

func (racing) Variants() (string, []schema.Variant) {
	return "k", []schema.Variant{schema.VariantOf[lawCircle]("circle")}
}

func TestUnionRace(t *testing.T) {
	t.Parallel()
	type union = schema.Union[lawFigure, racing]
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			raw, err := json.Marshal(union{Value: lawCircle{1}}, schema.JSONOptions())
			if err != nil || string(raw) != `{"k":"circle","radius":1}` {
				t.Errorf("got %s, %v", raw, err)
			}
			if _, err := schema.Of(reflect.TypeFor[union]()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
