package plain_test

import (
	"math"
	"math/rand/v2"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"helve.dev/helve/internal/plain"
	"helve.dev/helve/schema"
)

type (
	row struct {
		whole

		ID string
	}
	lean struct {
		Zero   int            `json:"zero,omitzero"`
		Empty  []int          `json:"empty,omitempty"`
		Text   string         `json:"text,omitempty"`
		Leaf   *leaf          `json:"leaf,omitempty"`
		Inner  *struct{}      `json:"inner,omitempty"`
		Nil    map[string]int `json:"nil"`
		Either any            `json:"either,omitempty"`
		Never  *int           `json:"never,omitzero"`
		Real   float32        `json:"real,omitzero"`
	}
	breaks struct { // a tag may say it, and JSON has to escape it
		Line int `json:"a\nb"`
		Tab  int `json:"c\td"`
	}
	unwritable struct {
		A int `json:"a\xff"` //nolint:staticcheck // SA5008: the name that cannot be written is what is tested
	}
	since struct {
		At time.Time `json:"at,omitzero"`
	}
	chain struct {
		Next *chain `json:"next"`
	}
)

var encodeOptions = schema.JSONOptions()

// checkEncoding holds what the encoder writes against json/v2, and reports
// whether it was left to that.
func checkEncoding[T any](t *testing.T, v T) (encoded bool) {
	t.Helper()
	e := plain.EncoderFor(reflect.TypeFor[T](), encodeOptions, reflect.TypeFor[time.Duration](), reflect.TypeFor[url.URL]())
	got, ok := e.Marshal(reflect.ValueOf(&v).Elem())
	want, err := json.Marshal(v, encodeOptions)
	switch {
	case !ok:
		return false
	case err != nil:
		t.Fatalf("%s was encoded, and json/v2 says: %v", got, err)
	case string(got) != string(want):
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	return true
}

func TestEveryKindIsEncodedAsByJSON(t *testing.T) {
	zero, text, link := 0, "a \"text\"\n\u2028é", url.URL{Scheme: "https", Host: "example.org"}
	pointer := &zero
	for _, v := range []whole{
		{},
		{
			Bool: true, Int: math.MinInt64, I8: -1, U16: 9, U64: math.MaxUint64, F32: 0.1, F64: -1e-7, Kind: "k", Level: 3, Text: text, Maybe: &text,
			Twice: &pointer, Leaf: leaf{Nums: []int32{1, 2}}, Leaves: []leaf{{}, {Text: "x"}}, Grid: [][]bool{nil, {true, false}}, Words: []string{"w", ""},
			Map: map[kind]float64{"b": 1, "a": 2}, Bytes: []byte("hi"), Three: [3]int{1, 2, 3}, When: time.Unix(0, 0).UTC(), Long: time.Hour, Link: &link,
			Any: []any{1, "2", nil}, Raw: []byte(`{"kept": 1}`), Shout: "loud", Shouts: map[shout]shout{"a": "b"}, Hidden: "no", Outer: outer{Inner{1}, 2},
			Tree: &tree{Name: "r", Children: []tree{{}}, By: map[string]*tree{"n": nil}},
		},
		{F64: 1e21, F32: 1e-7},
		{F64: math.Copysign(0, -1)},
		{F64: 123456789.125, F32: math.MaxFloat32},
		{F64: 5e-324},
	} {
		if !checkEncoding(t, v) || !checkEncoding(t, row{whole: v}) || !checkEncoding(t, []*whole{&v, nil}) {
			t.Errorf("%+v was left to json/v2", v)
		}
	}
	for _, v := range []lean{{}, {1, []int{0}, "x", &leaf{}, &struct{}{}, map[string]int{"a": 1}, "", &zero, 0.5}, {Leaf: &leaf{Text: "t"}, Either: []int{}}} {
		if !checkEncoding(t, v) {
			t.Errorf("%+v was left to json/v2", v)
		}
	}
	if !checkEncoding(t, breaks{1, 2}) || !checkEncoding(t, []breaks{{}}) {
		t.Error("names with control characters were not encoded by json/v2")
	}
	if !checkEncoding(t, since{}) || !checkEncoding(t, since{time.Unix(0, 0)}) || !checkEncoding(t, any("x")) || !checkEncoding(t, map[string]int(nil)) {
		t.Error("what is not plain was not encoded by json/v2")
	}
}

// What json/v2 refuses is left to it, for its error, and so is what has no end.
func TestWhatCannotBeWrittenIsLeftToJSON(t *testing.T) {
	endless := &chain{}
	endless.Next = endless
	if checkEncoding(t, endless) {
		t.Error("an endless value was encoded")
	}
	for _, v := range []whole{{Text: "\xff"}, {F64: math.NaN()}, {F32: float32(math.Inf(1))}, {Any: math.NaN()}, {Any: make(chan int)}, {Raw: []byte("{")}, {Leaves: []leaf{{Text: "\xc3"}}}} {
		if checkEncoding(t, v) {
			t.Errorf("%+v was encoded", v)
		}
	}
	if checkEncoding(t, unwritable{}) {
		t.Error("a name that is not UTF-8 was encoded")
	}
	long := &chain{}
	for range 400 {
		long = &chain{long}
	}
	if !checkEncoding(t, long) {
		t.Error("a long chain was left to json/v2")
	}
}

func TestRandomValues(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	values := 0
	for range 3000 {
		var v whole
		if json.Unmarshal([]byte(randomObject(r, 3)), &v, options) != nil {
			continue
		}
		values++
		v.F64, v.F32 = math.Float64frombits(r.Uint64()), float32(math.Float64frombits(r.Uint64()))
		v.Text = strings.Repeat(string(rune(r.IntN(0x300))), r.IntN(20))
		finite := !math.IsNaN(v.F64) && !math.IsInf(v.F64, 0) && !math.IsInf(float64(v.F32), 0) && !math.IsNaN(float64(v.F32))
		if encoded := checkEncoding(t, v); encoded != finite {
			t.Errorf("%+v: encoded is %v", v, encoded)
		}
	}
	if values < 500 {
		t.Errorf("only %d values", values)
	}
}
