package schema_test

import (
	"errors"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// The declared types of TestLaw. Those of infer_test.go that obey it are in the list too.
type (
	lawBase struct {
		ID   string `json:"id"`
		Kind int16
	}
	lawNamed struct {
		Base lawBase `json:"base"`
		lawExtra
	}
	lawExtra struct{ Extra []string }
	lawDeep  struct {
		lawNamed
		ID int `json:"id"`
	}
	lawTagged struct {
		lawBase `json:"inner"`
		Note    string
	}
	LawPublic   struct{ Public *int }
	lawPointers struct {
		*LawPublic
		A  *int     `json:"a"`
		B  **string `json:"b,omitempty"`
		C  *[]int   `json:"c,omitzero"`
		D  *map[string]bool
		E  *lawBase
		F  *time.Time
		G  *[2]bool
		At *url.URL
	}
	lawPair[K, V any] struct {
		Key   K `json:"key"`
		Value V `json:"value"`
	}
	lawNest[T any] struct {
		Pairs []lawPair[string, T]        `json:"pairs"`
		Opt   *lawPair[T, []T]            `json:"opt"`
		Map   map[string]lawPair[int8, T] `json:"map"`
	}
	lawList[T any] struct {
		Head T
		Tail *lawList[T] `json:",omitempty"`
	}
	lawExpr struct {
		Op   string    `json:"op"`
		Args []lawExpr `json:"args,omitempty"`
	}
	lawA struct {
		B *lawB           `json:"b,omitempty"`
		M map[string]lawB `json:"m,omitempty"`
	}
	lawB struct {
		A  []lawA `json:"a,omitempty"`
		C  *lawC  `json:"c,omitempty"`
		ID int32  `json:"id"`
	}
	lawC       struct{ A *lawA }
	lawSelf    []lawSelf
	lawDict    map[string]*lawDict
	lawNumbers struct {
		I   int
		I8  int8
		I16 int16
		I32 int32
		I64 int64
		U   uint
		U8  uint8
		U16 uint16
		U32 uint32
		U64 uint64
		F32 float32
		F64 float64
	}
	lawQuoted struct {
		I   int     `json:",string"`
		I8  int8    `json:"i8,string"`
		U64 uint64  `json:"u64,string,omitzero"`
		U16 uint16  `json:",string"`
		F32 float32 `json:",string"`
		F64 float64 `json:"f,string"`
		P   *int64  `json:"p,string"`
	}
	lawZeros struct {
		S string    `json:"s,omitempty"`
		I int       `json:"i,omitzero"`
		T time.Time `json:"t,omitzero"`
		L []int     `json:"l,omitempty"`
		M map[string]int
		E struct{}         `json:"e,omitzero"`
		X lawShape         `json:"x,omitzero"`
		R jsontext.Value   `json:"r,omitzero"`
		P *lawZeros        `json:"p,omitempty"`
		N map[string][]int `json:"n,omitempty"`
	}
	lawKeys struct {
		S map[string]int
		I map[int]string
		J map[int8]bool
		U map[uint16]string
		V map[uint64]int
		F map[float64]int
		A map[netip.Addr]int
		C map[color]int
		T map[lawTextKey]int
		D map[lawDate]string
		N map[lawName]lawBase
	}
	lawName    string
	lawTextKey struct{ n int }
	lawStd     struct {
		T  time.Time
		D  time.Duration
		U  url.URL
		B  big.Int
		P  *big.Int
		R  *big.Rat
		F  *big.Float
		A  netip.Addr
		AP netip.AddrPort
		N  netip.Prefix
		J  jsontext.Value
		Y  []byte
		Z  [5]byte
	}
	lawArrays struct {
		A [3]int
		B [2][2]string
		C [0]int
		D [1]lawBase
		E [2]*int
		F [4]byte
		G []lawByte
		H [2]lawByte
	}
	lawByte uint8
	lawRest struct {
		A     int              `json:"a"`
		Other map[string]int16 `json:",embed"`
	}
	lawRestText struct {
		Other map[string]string `json:",embed"`
		B     bool              `json:"b"`
	}
	lawRestRaw struct {
		A     int            `json:"a"`
		Other jsontext.Value `json:",embed"`
	}
	lawEnums struct {
		A color
		B []color
		C map[string]color
		D *color
		E [2]color
		F map[color]*lawWeekday
		G lawWeekday `json:"g,omitzero"`
		H []*lawSize
	}
	lawWeekday int
	lawSize    float64
	lawTexts   struct {
		A lawText
		B *lawText
		C []lawText
		D lawTextHolder
		E lawDate
		F *lawDate `json:",omitempty"`
	}
	lawText       struct{ text string }
	lawTextHolder struct{ lawText } // its methods are promoted
	lawDate       struct{ days int }
	lawDateJSON   struct{ lawInner lawDate } // a date as JSON
	lawJSON       struct{ raw string }
	lawJSONHolder struct {
		lawJSON
		Ignored int
	}
	lawMoney    struct{ cents int64 }
	lawSupplied struct {
		Price  lawMoney
		Prices []lawMoney
		Other  *lawMoney
		Map    map[string]lawMoney
	}
	lawDefaults struct {
		A int            `json:"a" default:"3" doc:"How many"`
		B []string       `json:"b" default:"[\"x\"]"`
		C *lawBase       `json:"c" default:"null"`
		D time.Duration  `json:"d" default:"1m" example:"2s"`
		E map[string]int `json:"e" default:"{}"`
	}
	lawNames struct {
		A int `json:"with space"`
		B int `json:"a~b/c"`
		D int `json:"ünï"`
		E int `json:"$ref"`
		F int `json:"properties"`
		G int `json:"case,case:ignore"`
	}
	lawAnys struct {
		A any
		B []any
		C map[string]any
		D *any
		E [1]any
	}
	lawEmpty      struct{}
	lawBig        struct{ *big.Int } // its methods are promoted
	lawEmpties    struct{ A, B struct{} }
	lawUnexported struct {
		A int
		b int //nolint:unused // that it is not written is what is tested
	}
	lawShadow struct {
		ambiguousA
		ambiguousB
		Z string
	}
	lawEmbeddedTwice struct {
		lawLeft
		lawRight
	}
	lawLeft   struct{ lawBase }
	lawRight  struct{ Right *lawBase }
	lawShapes struct {
		One   lawShape
		Many  []lawShape
		Maybe *lawShape
		Named map[string]lawShape
	}
	lawTree struct {
		Root lawNode
		Name string
	}
)

// Shapes: a union of structs and a pointer; nodes: a union that recurses.
type (
	lawFigure interface{ figure() }
	lawCircle struct {
		Radius float64 `json:"radius"`
	}
	lawSquare struct {
		Side int8 `json:"side"`
		Tags []string
	}
	lawNothing struct{}
	lawLabel   struct {
		Text  string            `json:"text,omitempty"`
		Other map[string]string `json:",embed"`
	}
	lawFigures struct{}
	lawShape   = schema.Union[lawFigure, lawFigures]

	lawTerm  interface{ term() }
	lawTerms struct{}
	lawNode  = schema.Union[lawTerm, lawTerms]
	lawLeaf  struct{ Value int64 }
	lawSum   struct {
		Left  lawNode   `json:"left"`
		Right *lawNode  `json:"right"`
		More  []lawNode `json:"more,omitempty"`
		Self  *lawSum   `json:"self,omitempty"`
	}
)

func (lawCircle) figure()  {}
func (*lawSquare) figure() {}
func (lawNothing) figure() {}
func (lawLabel) figure()   {}
func (lawLeaf) term()      {}
func (lawSum) term()       {}

func (lawFigures) Variants() (string, []schema.Variant) {
	return "type", []schema.Variant{
		schema.VariantOf[lawCircle]("circle"), schema.VariantOf[*lawSquare]("square"),
		schema.VariantOf[lawNothing]("nothing"), schema.VariantOf[lawLabel]("label"),
	}
}

func (lawTerms) Variants() (string, []schema.Variant) {
	return "op", []schema.Variant{schema.VariantOf[lawLeaf]("leaf"), schema.VariantOf[lawSum]("sum")}
}

func (lawWeekday) Enum() []lawWeekday { return []lawWeekday{0, 1, 2, 3, 4, 5, 6} }
func (lawSize) Enum() []any           { return []any{0.5, 1, 2.25} }

func (k lawTextKey) MarshalText() ([]byte, error) { return []byte("k" + strconv.Itoa(k.n)), nil }
func (k *lawTextKey) UnmarshalText(text []byte) error {
	k.n, _ = strconv.Atoi(strings.TrimPrefix(string(text), "k"))
	return nil
}

func (t lawText) MarshalText() ([]byte, error) { return []byte("text " + t.text), nil }
func (t *lawText) UnmarshalText(text []byte) error {
	t.text = strings.TrimPrefix(string(text), "text ")
	return nil
}

var lawEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func (d lawDate) MarshalText() ([]byte, error) {
	return lawEpoch.AddDate(0, 0, d.days).AppendFormat(nil, time.DateOnly), nil
}

func (d *lawDate) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.DateOnly, string(text))
	d.days = int((t.Unix() - lawEpoch.Unix()) / (24 * 60 * 60))
	return err
}

func (d lawDateJSON) MarshalJSON() ([]byte, error) {
	text, err := d.lawInner.MarshalText()
	return []byte(strconv.Quote(string(text))), err
}

func (d *lawDateJSON) UnmarshalJSON(raw []byte) error {
	text, err := strconv.Unquote(string(raw))
	if err != nil {
		return err
	}
	return d.lawInner.UnmarshalText([]byte(text))
}

func (j lawJSON) MarshalJSON() ([]byte, error) {
	if j.raw == "" {
		return []byte(`[]`), nil
	}
	return []byte(j.raw), nil
}

func (j *lawJSON) UnmarshalJSON(raw []byte) error {
	j.raw = string(raw)
	return nil
}

func (lawMoney) JSONSchema() *schema.Schema {
	return schema.MustParse(`{"type":"string","pattern":"^-?[0-9]{1,15} EUR$"}`)
}

func (m lawMoney) MarshalText() ([]byte, error) {
	return strconv.AppendInt(nil, m.cents%1e15, 10), nil
}

func (m lawMoney) MarshalJSON() ([]byte, error) {
	return []byte(strconv.Quote(strconv.FormatInt(m.cents%1e15, 10) + " EUR")), nil
}

func (m *lawMoney) UnmarshalJSON(raw []byte) (err error) {
	text, ok := strings.CutSuffix(strings.Trim(string(raw), `"`), " EUR")
	if !ok {
		return errors.New("no currency")
	}
	m.cents, err = strconv.ParseInt(text, 10, 64)
	return err
}

// lawTypes are the types that TestLaw tries.
var lawTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](),
	reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](),
	reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[any](),
	reflect.TypeFor[*int](), reflect.TypeFor[**int64](), reflect.TypeFor[*string](), reflect.TypeFor[[]string](), reflect.TypeFor[[]*uint64](),
	reflect.TypeFor[[][]int8](), reflect.TypeFor[[3]float32](), reflect.TypeFor[[0]string](), reflect.TypeFor[[]byte](), reflect.TypeFor[[16]byte](),
	reflect.TypeFor[[]lawByte](), reflect.TypeFor[map[string]int](), reflect.TypeFor[map[int]string](), reflect.TypeFor[map[int8][]bool](),
	reflect.TypeFor[map[uint64]any](), reflect.TypeFor[map[float32]int](), reflect.TypeFor[map[netip.Prefix]int](), reflect.TypeFor[map[lawName]*int](),
	reflect.TypeFor[map[string]map[string]any](), reflect.TypeFor[time.Time](), reflect.TypeFor[*time.Time](), reflect.TypeFor[time.Duration](),
	reflect.TypeFor[[]time.Duration](), reflect.TypeFor[url.URL](), reflect.TypeFor[*url.URL](), reflect.TypeFor[big.Int](), reflect.TypeFor[*big.Int](),
	reflect.TypeFor[big.Rat](), reflect.TypeFor[*big.Float](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[netip.AddrPort](), reflect.TypeFor[netip.Prefix](),
	reflect.TypeFor[jsontext.Value](), reflect.TypeFor[struct{}](), reflect.TypeFor[lawBase](), reflect.TypeFor[lawNamed](), reflect.TypeFor[lawDeep](),
	reflect.TypeFor[lawTagged](), reflect.TypeFor[lawPointers](), reflect.TypeFor[lawPair[int, string]](), reflect.TypeFor[lawPair[lawPair[bool, any], *float32]](),
	reflect.TypeFor[lawNest[uint8]](), reflect.TypeFor[lawNest[lawPair[string, lawList[int]]]](), reflect.TypeFor[lawList[string]](), reflect.TypeFor[lawExpr](),
	reflect.TypeFor[lawA](), reflect.TypeFor[lawB](), reflect.TypeFor[lawC](), reflect.TypeFor[lawSelf](), reflect.TypeFor[lawDict](), reflect.TypeFor[lawNumbers](),
	reflect.TypeFor[lawQuoted](), reflect.TypeFor[lawZeros](), reflect.TypeFor[lawKeys](), reflect.TypeFor[lawStd](), reflect.TypeFor[lawArrays](),
	reflect.TypeFor[lawRest](), reflect.TypeFor[lawRestText](), reflect.TypeFor[lawRestRaw](), reflect.TypeFor[lawEnums](), reflect.TypeFor[color](),
	reflect.TypeFor[*lawWeekday](), reflect.TypeFor[lawSize](), reflect.TypeFor[lawTexts](), reflect.TypeFor[lawTextHolder](), reflect.TypeFor[lawDate](),
	reflect.TypeFor[lawDateJSON](), reflect.TypeFor[lawJSON](), reflect.TypeFor[lawJSONHolder](), reflect.TypeFor[lawMoney](), reflect.TypeFor[lawSupplied](),
	reflect.TypeFor[lawDefaults](), reflect.TypeFor[lawNames](), reflect.TypeFor[lawAnys](), reflect.TypeFor[lawEmpty](),
	reflect.TypeFor[lawEmpties](), reflect.TypeFor[lawUnexported](), reflect.TypeFor[lawShadow](), reflect.TypeFor[lawEmbeddedTwice](), reflect.TypeFor[lawShape](),
	reflect.TypeFor[lawShapes](), reflect.TypeFor[lawNode](), reflect.TypeFor[lawTree](), reflect.TypeFor[*lawShape](), reflect.TypeFor[outer](),
	reflect.TypeFor[tree](), reflect.TypeFor[forest](), reflect.TypeFor[ping](), reflect.TypeFor[generics](), reflect.TypeFor[optionalBase](), reflect.TypeFor[twice](),
}

// lawVariants are the types that the law's unions hold, by interface.
var lawVariants = map[reflect.Type][]reflect.Type{
	reflect.TypeFor[lawFigure](): {reflect.TypeFor[lawCircle](), reflect.TypeFor[*lawSquare](), reflect.TypeFor[lawNothing](), reflect.TypeFor[lawLabel]()},
	reflect.TypeFor[lawTerm]():   {reflect.TypeFor[lawLeaf](), reflect.TypeFor[lawSum]()},
}
