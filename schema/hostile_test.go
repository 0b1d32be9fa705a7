package schema_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"helve.dev/helve/schema"
)

// within fails the test when f takes longer than an attacker should be able to make it.
func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	if raceEnabled {
		limit *= 20
	}
	start := time.Now()
	f()
	if took := time.Since(start); took > limit {
		t.Errorf("took %v, want at most %v", took, limit)
	}
}

const tooComplex = "is too complex to check; send a smaller or simpler value"

// TestHostileValues sends values that are made to cost much.
func TestHostileValues(t *testing.T) {
	deep := &schema.Config{MaxDepth: 10000, MaxSize: 8 << 20}
	names := make([]string, 50_000)
	for i := range names {
		names[i] = fmt.Sprintf(`"n%d":%d`, i, i)
	}
	items := make([]string, 50_000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"a":[%d,"x"]}`, i)
	}
	for _, c := range []struct {
		name, schema string
		cfg          *schema.Config
		in, want     string // the first problem's beginning; "" for valid
	}{
		{"deep nesting", `true`, nil, strings.Repeat(`{"a":`, 100_000), "is nested too deep"},
		{"deep nesting that is allowed", `{"items":{"$ref":"#"},"type":"array"}`, deep, strings.Repeat("[", 9999) + strings.Repeat("]", 9999), ""},
		{"digits", `{"multipleOf":0.7}`, nil, strings.Repeat("7", 1_000_000), ""},
		{"digits against a large divisor", `{"multipleOf":123456789012345678901234567891}`, nil, strings.Repeat("7", 1_000_000), "must be a multiple of"},
		{"an absurd exponent", `{"type":"integer","multipleOf":3}`, nil, `1e999999999999`, "must be a number of a usual size"},
		{"the largest exponent", `{"type":"integer","multipleOf":3}`, nil, `1e1000000000`, "must be a multiple of"},
		{"many names", `{"type":"object"}`, nil, "{" + strings.Join(names, ",") + "}", ""},
		{"many names, the last one twice", `{"type":"object"}`, nil, "{" + strings.Join(names, ",") + `,"n7":1}`, "duplicate key"},
		{"many items, unique", `{"uniqueItems":true}`, nil, "[" + strings.Join(items, ",") + "]", ""},
		{"many large items alike but for the last", `{"uniqueItems":true}`, nil, "[" + strings.Repeat(`[1,2,3,4,5,6,7,8,9],`, 20_000) + `0]`, "is the same as item"},
		{"a catastrophic pattern", `{"pattern":"^(?=a)(a+)+$"}`, nil, `"` + strings.Repeat("a", 40) + `!"`, tooComplex},
		{"a catastrophic pattern, many times", `{"items":{"pattern":"^(?=a)(a+)+$"}}`, nil, `["` + strings.Repeat(strings.Repeat("a", 18)+`!","`, 20_000) + `"]`, tooComplex},
		{"faults without end", `{"items":false}`, nil, "[" + strings.Repeat("0,", 400_000) + "0]", "is not allowed"},
		{"an unknown name of a megabyte", `{"properties":{"abc":{}},"additionalProperties":false}`, nil, `{"` + strings.Repeat("a", 1_000_000) + `":1}`, "unknown"},
		{"enum against a large value", `{"enum":[{"a":1},[2]]}`, nil, "[" + strings.Repeat("2,", 400_000) + "2]", "must be"},
		{"const objects in another order", `{"const":{` + strings.Join(names[:2000], ",") + `}}`, nil, "{" + reversed(names[:2000]) + "}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := compile(t, c.schema, c.cfg)
			within(t, 3*time.Second, func() {
				r := v.Validate([]byte(c.in))
				switch {
				case c.want == "" && !r.OK():
					t.Errorf("got %.200q, want no fault", r.Faults[0].Problem)
				case c.want != "" && (r.OK() || !strings.HasPrefix(r.Faults[0].Problem, c.want)):
					t.Errorf("got %.300v, want a fault %q", r, c.want)
				}
				if !r.OK() {
					for _, f := range r.Faults {
						if len(f.Problem) > 500 {
							t.Errorf("a problem of %d bytes", len(f.Problem))
						}
					}
				}
			})
			within(t, 3*time.Second, func() { v.Normalize([]byte(c.in)) })
		})
	}
}

func reversed(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[len(list)-1-i] = s
	}
	return strings.Join(out, ",")
}

// TestHostileSchemas compiles schemas that are made to cost much, as a gateway meets them.
func TestHostileSchemas(t *testing.T) {
	// Each level applies the next one twice: 2^n paths.
	doubling := func(word string, n int) string {
		defs := make([]string, n)
		for i := range defs {
			defs[i] = fmt.Sprintf(`"d%d":{%q:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, word, i+1, i+1)
		}
		return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s,"d%d":{"type":"string"}}}`, strings.Join(defs, ","), n)
	}
	for _, c := range []struct{ name, schema, in, want string }{
		{"anyOf that doubles", doubling("anyOf", 40), `1`, tooComplex},
		{"allOf that doubles", doubling("allOf", 40), `1`, tooComplex},
		{"oneOf that doubles", doubling("oneOf", 40), `"a"`, tooComplex},
		{"anyOf through every level of the value", `{"anyOf":[{"items":{"$ref":"#"},"minItems":1},{"items":{"$ref":"#"},"minItems":1},{"items":{"$ref":"#"},"minItems":1}]}`, strings.Repeat("[", 60) + strings.Repeat("]", 60), tooComplex},
		{"many properties that double", strings.Replace(doubling("anyOf", 40), `{"$ref":"#/$defs/d0"`, `{"properties":{`+manyProperties(500)+`}`, 1), `{"p1":1}`, tooComplex},
		{"more properties than any tool has", `{"properties":{` + manyProperties(50_000) + `},"$defs":{"d0":{"type":"string"}}}`, `{"p1":[]}`, "must be a string"},
		{"dynamic references in a circle", `{"$dynamicAnchor":"a","$defs":{"x":{"$id":"x","$dynamicAnchor":"a","$dynamicRef":"#a"}},"$ref":"x"}`, `1`, ""},
		{"deep chain of references", chain(3000), `1`, "must be a string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			within(t, 5*time.Second, func() {
				v, err := compileText([]byte(c.schema), nil)
				if c.want == "" {
					if err == nil {
						t.Error("compiles, want an error")
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if r := v.Validate([]byte(c.in)); r.OK() || !strings.HasPrefix(r.Faults[0].Problem, c.want) {
					t.Errorf("got %.300v, want %q", r, c.want)
				}
			})
		})
	}
}

// manyProperties lists properties that need the same schema each, through a node of their own.
func manyProperties(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"p%d":{"$ref":"#/$defs/d0","minLength":%d,"default":"x"}`, i, i)
	}
	return strings.Join(list, ",")
}

func chain(n int) string {
	defs := make([]string, n)
	for i := range defs {
		defs[i] = fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d","minLength":1}`, i, i+1)
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s,"d%d":{"type":"string"}}}`, strings.Join(defs, ","), n)
}

// TestManyErrors has a schema that is wrong in more places than anybody reads.
func TestManyErrors(t *testing.T) {
	t.Parallel()
	_, err := compileText([]byte(`{"properties":{`+manyProperties(1000)+`}}`), nil)
	if err == nil || strings.Count(err.Error(), "leads nowhere") != 100 || !strings.HasSuffix(err.Error(), "compile schema: and 900 errors more") {
		t.Errorf("got %.200v", err)
	}
}
