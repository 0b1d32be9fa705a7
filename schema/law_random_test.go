package schema_test

import (
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"helve.dev/helve/schema"
)

// TestLawOfRandomTypes holds the law of inference for struct types that are put together at random: a type is refused at definition,
// or what json/v2 writes of it is valid unless a tag says more than the type, and what is valid decodes.
func TestLawOfRandomTypes(t *testing.T) {
	t.Parallel()
	refused, written, read := 0, 0, 0
	for seed := range uint64(6000) {
		g := typeGenerator{Rand: rand.New(rand.NewPCG(seed, 9))}
		typ := g.structure(2)
		if _, err := schema.Of(typ); err != nil {
			refused++
			continue
		}
		l := newLaw(t, typ, seed)
		for range 6 {
			v := reflect.New(typ)
			l.fill(v.Elem(), 3)
			raw, err := json.Marshal(v.Interface(), schema.JSONOptions())
			if err != nil {
				t.Fatalf("seed %d: %v: %+v cannot be written: %v", seed, typ, v.Elem(), err)
			}
			for _, validator := range []*schema.Validator{l.open, l.closed} {
				if r := validator.Validate(raw); !g.ruled && !r.OK() {
					t.Fatalf("seed %d: %v writes %s, which is refused: %+v\nschema: %s", seed, typ, raw, r.Faults, l.text)
				}
			}
			written++
			for _, text := range [][]byte{raw, l.mutate(raw), []byte(l.value(l.document, 4))} {
				if l.decodes(t, text) {
					read++
				}
			}
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
	t.Logf("%d types refused, %d values written, %d read", refused, written, read)
	if refused < 500 || written < 5000 || read < 10_000 {
		t.Error("too few of one kind for the law to say anything")
	}
}

type typeGenerator struct {
	*rand.Rand
	ruled bool // a tag takes values away that the type has
}

var randomTypes = []reflect.Type{
	reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[*int8](), reflect.TypeFor[[]string](), reflect.TypeFor[map[string]int](), reflect.TypeFor[map[int8]string](),
	reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[*time.Duration](), reflect.TypeFor[[]byte](), reflect.TypeFor[float32](), reflect.TypeFor[uint64](),
	reflect.TypeFor[bool](), reflect.TypeFor[*big.Int](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[[2]string](), reflect.TypeFor[[0]int](), reflect.TypeFor[struct{}](), reflect.TypeFor[**string](),
	reflect.TypeFor[lawWeekday](), reflect.TypeFor[lawSize](), reflect.TypeFor[color](), reflect.TypeFor[[]*color](), reflect.TypeFor[map[time.Duration]int](), reflect.TypeFor[lawText](), reflect.TypeFor[map[lawTextKey]int](),
}

func (g *typeGenerator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *typeGenerator) typ(depth int) reflect.Type {
	if depth > 0 {
		switch g.IntN(6) {
		case 0:
			return reflect.SliceOf(g.typ(depth - 1))
		case 1:
			return reflect.MapOf(reflect.TypeFor[string](), g.typ(depth-1))
		case 2, 3:
			return g.structure(depth - 1)
		}
	}
	return randomTypes[g.IntN(len(randomTypes))]
}

func (g *typeGenerator) structure(depth int) reflect.Type {
	fields := make([]reflect.StructField, 1+g.IntN(3))
	for i := range fields {
		tag := `json:"` + g.pick("", "", "a", "b", "-", "é", "a/b~c", "$ref") +
			g.pick("", "", ",omitempty", ",omitzero", ",string", ",case:ignore", ",embed", ",embed", ",format:unix", ",omitzero,omitempty") + `"`
		if g.IntN(4) == 0 {
			g.ruled = true
			tag += g.pick(` minimum:"-1000"`, ` maximum:"300"`, ` enum:"1,2"`, ` default:"1"`, ` minLength:"2"`, ` minItems:"1"`, ` maxItems:"3"`, ` multipleOf:"2"`, ` uniqueItems:"true"`)
		}
		fields[i] = reflect.StructField{Name: "F" + strconv.Itoa(i), Type: g.typ(depth), Tag: reflect.StructTag(tag)}
	}
	return reflect.StructOf(fields)
}
