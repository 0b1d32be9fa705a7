package plain_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/internal/plain"
	"helve.dev/helve/schema"
)

type (
	kind  string
	level int8
	leaf  struct {
		Text string   `json:"text"`
		Nums []int32  `json:"nums,omitempty"`
		Real *float64 `json:"real"`
	}
	tree struct {
		Name     string           `json:"name"`
		Children []tree           `json:"children"`
		By       map[string]*tree `json:"by,omitzero"`
	}
	shout string // reads itself
	whole struct {
		Bool    bool
		Int     int
		I8      int8
		U16     uint16
		U64     uint64
		F32     float32
		F64     float64
		Kind    kind             `json:"kind"`
		Level   level            `json:"level"`
		Text    string           `json:"text"`
		Maybe   *string          `json:"maybe"`
		Twice   **int            `json:"twice"`
		Leaf    leaf             `json:"leaf"`
		Leaves  []leaf           `json:"leaves"`
		Grid    [][]bool         `json:"grid"`
		Words   []string         `json:"words"`
		Map     map[kind]float64 `json:"map"`
		Tree    *tree            `json:"tree"`
		Bytes   []byte           `json:"bytes"`
		Three   [3]int           `json:"three"`
		When    time.Time        `json:"when"`
		Long    time.Duration    `json:"long"`
		Link    *url.URL         `json:"link"`
		Any     any              `json:"any"`
		Raw     jsontext.Value   `json:"raw"`
		Shout   shout            `json:"shout"`
		Shouts  map[shout]shout  `json:"shouts"`
		Loud    *shout           `json:"loud"`
		Hidden  string           `json:"-"`
		Quoted  struct{ N int }  `json:"quoted"`
		Numbers numbers          `json:"numbers"`
		Outer   outer            `json:"outer"`
		Ünicode string
	}
	numbers struct {
		N int `json:"n,string"`
	}
	Inner struct {
		A int `json:"a"`
	}
	outer struct {
		Inner
		B int `json:"b"`
	}
)

func (s *shout) UnmarshalText(b []byte) error {
	*s = shout(strings.ToUpper(string(b)))
	return nil
}

var (
	options = json.JoinOptions(schema.JSONOptions(), jsontext.AllowDuplicateNames(true))
	decoder = plain.DecoderFor(reflect.TypeFor[whole](), options, reflect.TypeFor[time.Duration](), reflect.TypeFor[url.URL]())
	compare = cmp.Options{cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })}
)

// check holds the plan against json/v2: what it decodes is the same, and it
// decodes nothing that json/v2 refuses.
func check(t *testing.T, text string) (decoded bool) {
	t.Helper()
	var fast, want whole
	ok := decoder.Into([]byte(text), reflect.ValueOf(&fast).Elem())
	err := json.Unmarshal([]byte(text), &want, options)
	if !ok {
		return false
	}
	if err != nil {
		t.Fatalf("%s was decoded, and json/v2 says: %v", text, err)
	}
	if d := cmp.Diff(want, fast, compare); d != "" {
		t.Fatalf("%s: (-json/v2 +plan)\n%s", text, d)
	}
	return true
}

func TestEveryKindIsDecodedAsByJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, ` { } `, `null`,
		`{"Bool":true,"Int":-7,"I8":127,"U16":65535,"U64":18446744073709551615,"F32":0.1,"F64":-1e-7}`,
		`{"kind":"a","level":-128,"text":"t\u0065xt \"q\" \ud83d\ude00","maybe":null,"twice":3}`,
		`{"maybe":"","leaf":{"text":"x","nums":[1,2,3,4,5,6,7],"real":-0},"leaves":[{},{"nums":[]},{"nums":null},null]}`,
		`{"grid":[[true,false],[],null],"map":{"a":1,"b":2.5,"c":null},"tree":{"name":"r","children":[{"name":"c"}],"by":{"k":{"name":"v"},"n":null}}}`,
		`{"bytes":"aGk=","three":[1,2,3],"when":"2024-05-15T10:00:00Z","long":"1h30m","link":"https://example.org/a?b=c"}`,
		`{"any":{"deep":[1,"2",null]},"raw":{"kept": [1]},"shout":"loud","shouts":{"a":"b"},"loud":"c","quoted":{"N":1},"numbers":{"n":"12"},"outer":{"a":1,"b":2}}`,
		`{"words":["a","b\n","c","d","e", null ,""]}`, `{"words":[]}`, `{"words":null}`, `{"words":[ ]}`,
		`{"unknown":{"a":[1,{"b":"}"}]},"text":"after","Hidden":"no"}`,
		"{\n \"text\" : \"spaced\" ,\t\"Int\" : 1\r\n}",
		`{"te\u0078t":"escaped name"}`,
		`{"text":"` + strings.Repeat("long ", 400) + `","kind":"k"}`,
	} {
		if !check(t, text) {
			t.Errorf("%s was left to json/v2", text)
		}
	}
}

// What a type cannot hold is left to json/v2, for its error or its leniency.
func TestWhatDoesNotFitIsLeftToJSON(t *testing.T) {
	for _, text := range []string{
		`{"Int":1.0}`, `{"Int":1e3}`, `{"Int":-0}`, `{"Int":"1"}`, `{"I8":128}`, `{"U16":-1}`, `{"U64":18446744073709551616}`, `{"F32":1e39}`, `{"F64":1e400}`,
		`{"Bool":1}`, `{"Bool":"true"}`, `{"text":1}`, `{"text":{}}`, `{"leaf":[]}`, `{"leaves":{}}`, `{"words":[1]}`, `{"words":["a"`, `{"words":"a"}`, `{"words":["a",]}`, `{"map":[]}`, `{"bytes":"?"}`, `{"three":[1]}`,
		`{"when":"today"}`, `{"long":5}`, `{"numbers":{"n":12}}`, `[]`, `"text"`, `1`, ``, `{`, `{"text"`, `{"text":`, `{"text":"`, `{"text":"a"`, `{"leaves":[`, `{} {}`,
	} {
		if check(t, text) {
			t.Errorf("%s was decoded", text)
		}
	}
}

// A string that is kept holds a small text at most, not a large one.
func TestStringsOfLargeTextsAreTheirOwn(t *testing.T) {
	text := []byte(`{"text":"kept","kind":"` + strings.Repeat("x", 2000) + `"}`)
	var v whole
	if !decoder.Into(text, reflect.ValueOf(&v).Elem()) || v.Text != "kept" {
		t.Fatal(v.Text)
	}
	copy(text, strings.Repeat(" ", len(text)))
	if v.Text != "kept" {
		t.Error("the string is a part of the caller's bytes")
	}
}

// Values at random: what json/v2 writes of one is read as json/v2 reads it,
// with its members in any order.
func TestRandomDocuments(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	decoded := 0
	const n = 3000
	for range n {
		if check(t, randomObject(r, 3)) {
			decoded++
		}
	}
	if decoded < n/4 {
		t.Errorf("only %d of %d documents were decoded", decoded, n)
	}
	t.Logf("%d of %d documents decoded, the others left to json/v2", decoded, n)
}

var names = []string{
	"Bool", "Int", "I8", "U16", "U64", "F32", "F64", "kind", "level", "text", "maybe", "twice", "leaf", "leaves", "grid", "words", "map", "tree", "bytes", "three",
	"any", "raw", "shout", "shouts", "loud", "quoted", "numbers", "outer", "unknown", "nums", "real", "name", "children", "by", "N", "n", "a", "b",
}

// right are values that fit their names, so that most documents fit the type.
var right = map[string][]string{
	"Bool": {"true", "false"}, "Int": {"0", "-12", "9007199254740993"}, "I8": {"-128"}, "U16": {"65535"}, "U64": {"1"}, "F32": {"1.5", "3"}, "F64": {"1e300", "-0.0"},
	"kind": {`"a"`, `"\u00e9"`}, "level": {"3"}, "text": {`"x"`, `""`, `"a\nb"`}, "maybe": {`"m"`, "null"}, "twice": {"2", "null"}, "leaf": {`{"text":"l"}`},
	"grid": {"[[true],[]]", "[]"}, "words": {`["w","\u00e9"]`, "[]", "[null]"}, "map": {`{"k":1}`, "{}"}, "tree": {`{"name":"t","children":[]}`}, "bytes": {`"AA=="`}, "three": {"[1,2,3]"},
	"any": {"[1]", "null", `"s"`}, "raw": {`{"a":1}`}, "shout": {`"s"`}, "shouts": {`{"a":"b"}`}, "loud": {`"l"`}, "quoted": {`{"N":4}`}, "numbers": {`{"n":"4"}`},
	"outer": {`{"a":1,"b":2}`}, "leaves": {`[{"text":"a","nums":[1,2]},{}]`},
}

func randomObject(r *rand.Rand, depth int) string {
	var members []string
	for _, i := range r.Perm(len(names))[:r.IntN(12)] {
		var value string
		if fits := right[names[i]]; len(fits) > 0 && r.IntN(20) > 0 {
			value = fits[r.IntN(len(fits))]
		} else {
			value = randomValue(r, depth-1)
		}
		members = append(members, fmt.Sprintf("%q:%s", names[i], value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func randomValue(r *rand.Rand, depth int) string {
	scalars := []string{"null", "true", "0", "-1", "1.0", "1e2", "300", `"s"`, `"\ud83d\ude00"`, "[]", "{}"}
	switch {
	case depth <= 0 || r.IntN(2) == 0:
		return scalars[r.IntN(len(scalars))]
	case r.IntN(2) == 0:
		var items []string
		for range r.IntN(4) {
			items = append(items, randomValue(r, depth-1))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return randomObject(r, depth)
}

// FuzzInto never panics and never differs from json/v2 on valid text.
func FuzzInto(f *testing.F) {
	f.Add(`{"text":"a\u0000b","leaves":[{"nums":[1]}],"Int":5}`)
	f.Add(`{"tree":{"children":[{"children":[null]}]},"map":{"":1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if jsontext.Value(text).IsValid() {
			check(t, text)
			return
		}
		var v whole
		decoder.Into([]byte(text), reflect.ValueOf(&v).Elem())
	})
}
