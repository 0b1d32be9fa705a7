package schema_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// TestCoerceLaw puts values of valid documents in quotes, one at a time: with Coerce the document is refused, or accepted as it
// was before; without Coerce and valid all the same, the schema takes strings there, and the string stays.
func TestCoerceLaw(t *testing.T) {
	t.Parallel()
	t.Run("any schema", func(t *testing.T) {
		t.Parallel()
		coerceLaw(t, func(g generator) string { return g.defaultSchema(3) }, func(g generator) string { return g.value(3) })
	})
	t.Run("unions and patterns", func(t *testing.T) {
		t.Parallel()
		coerceLaw(t, generator.formSchema, generator.formValue)
	})
}

func coerceLaw(t *testing.T, makeSchema, makeValue func(generator) string) {
	t.Helper()
	coerced, refused, kept := 0, 0, 0
	for seed := range uint64(1200) {
		g := generator{rand.New(rand.NewPCG(seed, 3))}
		text := strings.TrimSuffix(makeSchema(g), "}") + `,"$defs":{"d":{"properties":{"a":{"type":"integer"},"b":{"type":"boolean"}}},"e":{"properties":{"c":{"$ref":"#/$defs/d","type":"object"}}}}}`
		on, err := compileText([]byte(text), &schema.Config{Coerce: true})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		off := compile(t, text, nil)
		for range 20 {
			in := makeValue(g)
			want, r := off.Normalize([]byte(in))
			if !r.OK() || in == "null" {
				continue
			}
			quoted := quoteOne(g, in)
			got, r := on.Normalize(quoted)
			plain, r2 := off.Normalize(quoted)
			switch {
			case r2.OK():
				kept++
				if !r.OK() || r != nil && len(r.Coerced) > 0 || string(got) != string(plain) {
					t.Fatalf("seed %d: %s\n%s is valid as it is, and becomes %s, %+v", seed, text, quoted, got, r)
				}
			case !r.OK():
				refused++
			default:
				coerced++
				if len(r.Coerced) != 1 || !same(decode(t, got), decode(t, want)) {
					t.Fatalf("seed %d: %s\n%s becomes %s, want %s; coerced %+v", seed, text, quoted, got, want, r.Coerced)
				}
			}
		}
	}
	t.Logf("%d coerced, %d refused, %d kept", coerced, refused, kept)
	if coerced < 200 || refused < 20 || kept < 200 {
		t.Error("too few of one kind for the law to say anything")
	}
}

// formSchema is a schema of an object which has several forms, some told apart by a discriminator, or whose properties have, or are
// found by patterns of their names.
func (g generator) formSchema() string {
	scalar := func() string {
		return g.pick(`{"type":"integer"}`, `{"type":"string"}`, `{"type":"boolean"}`, `{"type":["number","null"]}`, `{"enum":["x","3"]}`, `{"type":"array"}`)
	}
	form := func() string {
		return `{"type":"object","properties":{` + fmt.Sprintf(`"a":{"enum":[%d,%d]},"b":`, g.IntN(3), g.IntN(3)) + scalar() + `},"required":["a"]}`
	}
	switch g.IntN(4) {
	case 0:
		return `{"properties":{"c":` + scalar() + `},"oneOf":` + g.list(3, form) + `}`
	case 1:
		return `{"patternProperties":{"^a|b":` + scalar() + `,"[bc]":` + g.pick(form(), scalar()) + `},"additionalProperties":{"anyOf":` + g.list(2, form) + `}}`
	case 2:
		return `{"properties":{"a":{"anyOf":` + g.list(3, form) + `},"b":{"items":{"oneOf":` + g.list(3, scalar) + `}}}}`
	}
	return `{"anyOf":[` + form() + `,{"properties":{"d":{"oneOf":` + g.list(2, form) + `}},"required":["d"]}]}`
}

// formValue is a value that may be of one of those forms.
func (g generator) formValue() string {
	scalar := func() string { return g.pick(`1`, `2`, `true`, `"x"`, `"3"`, `"1"`, `[]`, `null`, `[1,"2"]`) }
	form := func() string { return fmt.Sprintf(`{"a":%d,"b":%s}`, g.IntN(3), scalar()) }
	return g.pick(form(), `{"a":`+form()+`,"b":[`+scalar()+`]}`, `{"d":`+form()+`}`, `{"a":1,"b":`+scalar()+`,"c":`+scalar()+`}`, `{"c":`+form()+`}`)
}

// quoteOne puts one number, boolean, array or object of the value into a string.
func quoteOne(g generator, in string) []byte {
	dec := jsontext.NewDecoder(strings.NewReader(in))
	type span struct{ from, to int }
	var spans []span
	var open []int
	for {
		before := int(dec.InputOffset())
		token, err := dec.ReadToken()
		if err != nil {
			break
		}
		kind, end := token.Kind(), int(dec.InputOffset())
		for before < end && strings.IndexByte(" \t\r\n:,", in[before]) >= 0 {
			before++
		}
		switch kind {
		case '{', '[':
			open = append(open, before)
		case '}', ']':
			spans = append(spans, span{open[len(open)-1], end})
			open = open[:len(open)-1]
		case '0', 't', 'f':
			spans = append(spans, span{before, end})
		}
	}
	if len(spans) == 0 {
		return []byte(in)
	}
	s := spans[g.IntN(len(spans))]
	return slices.Concat([]byte(in[:s.from]), []byte(quote(in[s.from:s.to])), []byte(in[s.to:]))
}

// TestCoerceHostile sends text in strings that is made to cost much.
func TestCoerceHostile(t *testing.T) {
	const nested = `{"type":"object","properties":{"a":{"$ref":"#"},"n":{"type":"integer"},"l":{"type":"array","items":{"type":"integer"}}}}`
	v := compile(t, nested, &schema.Config{Closed: true, Coerce: true})
	level := `{}`
	for range 12 { // each level doubles the escapes
		level = `{"a":` + quote(level) + `}`
	}
	for _, c := range []struct{ name, in, want string }{ // want: a part of the first problem; "" for valid
		{"text in text in text", level, "must be an object, got JSON text in a string"},
		{"deep text", `{"a":` + quote(strings.Repeat(`{"a":`, 9000)+`{}`+strings.Repeat(`}`, 9000)) + `}`, "is nested too deep"},
		{"deeper than JSON may be", `{"a":` + quote(strings.Repeat(`[`, 200_000)) + `}`, "must be an object, got the string"},
		{"many numbers", `{"l":[` + strings.Repeat(`"7",`, 100_000) + `"7"]}`, ""},
		{"many numbers in text", `{"l":` + quote(`[`+strings.Repeat(`"7",`, 100_000)+`"7"]`) + `}`, ""},
		{"a long number", `{"n":"` + strings.Repeat("7", 500_000) + `"}`, ""},
		{"a long string", `{"n":"` + strings.Repeat("x", 500_000) + `"}`, "must be an integer"},
		{"spaces", `{"l":"` + strings.Repeat(" ", 500_000) + `[]"}`, ""},
	} {
		within(t, 2*time.Second, func() {
			got, r := v.Normalize([]byte(c.in))
			switch {
			case c.want == "" && !r.OK():
				t.Errorf("%s: refused: %.200v", c.name, r.Faults)
			case c.want != "" && (r.OK() || !strings.Contains(r.Faults[0].Problem, c.want)):
				t.Errorf("%s: got %.100s, %.300v, want a fault %q", c.name, got, faults(r), c.want)
			}
		})
	}
}

// TestCoerceManyForms reads a value of a union of many forms that hold each other.
func TestCoerceManyForms(t *testing.T) {
	t.Parallel()
	forms := make([]string, 100)
	for i := range forms {
		forms[i] = fmt.Sprintf(`{"type":"object","properties":{"k":{"const":"k%d"},"v":{"type":"integer"},"c":{"type":"array","items":{"$ref":"#/$defs/n"}}},"required":["k"]}`, i)
	}
	v := compile(t, `{"$ref":"#/$defs/n","$defs":{"n":{"oneOf":[`+strings.Join(forms, ",")+`]}}}`, &schema.Config{Coerce: true})
	deep := strings.Repeat(`{"k":"k7","v":"3","c":[`, 12) + `{"k":"k99","v":"4"}` + strings.Repeat(`]}`, 12)
	within(t, 2*time.Second, func() {
		got, r := v.Normalize([]byte(deep))
		if want := strings.NewReplacer(`"3"`, `3`, `"4"`, `4`).Replace(deep); !r.OK() || string(got) != want || len(r.Coerced) != 13 {
			t.Errorf("got %.300s, %+v", got, r)
		}
	})
}

// TestCoerceHostileForms has schemas whose unions ask for many guesses, with values that fit none of them.
func TestCoerceHostileForms(t *testing.T) {
	t.Parallel()
	const (
		twice = `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","anyOf":[{"properties":{"l":{"$ref":"#/$defs/n"},"v":{"type":"integer"}},"required":["x"]},{"properties":{"l":{"$ref":"#/$defs/n"},"v":{"type":"boolean"}},"required":["y"]}]}}}`
		slow  = `{"patternProperties":{"^(a+)+$(?!b)":{"type":"integer"}}}`
	)
	many := `{"allOf":[` + strings.Repeat(`{"anyOf":[{"properties":{"a":{"const":1}}},{"properties":{"b":{"const":2}}},{"properties":{"c":{"const":3}}}]},`, 60) + `true],"required":["z"]}`
	for _, c := range []struct{ name, schema, in string }{
		{"forms in forms", twice, strings.Repeat(`{"v":"3","l":`, 60) + `{}` + strings.Repeat(`}`, 60)},
		{"forms in forms, as text", twice, quote(strings.Repeat(`{"v":"3","l":`, 60) + `{}` + strings.Repeat(`}`, 60))},
		{"a long value", twice, `{"l":{"l":[` + strings.Repeat(`"7",`, 100_000) + `"7"]}}`},
		{"unions side by side", many, `{"a":"1","b":"2","c":"3"}`},
		{"names that take long to match", slow, `{"x":"` + strings.Repeat("x", 100) + `","` + strings.Repeat("a", 41) + `!":1,"aa":"x"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			within(t, 4*time.Second, func() {
				v := compile(t, c.schema, &schema.Config{Coerce: true})
				if got, r := v.Normalize([]byte(c.in)); r.OK() || string(got) != c.in {
					t.Errorf("got %.100s, %+v", got, r)
				}
			})
		})
	}
}

// TestManyDeprecated shows that reporting many places takes one walk, not one for each.
func TestManyDeprecated(t *testing.T) {
	v := compile(t, `{"items":{"properties":{"old":{"deprecated":true}}}}`, nil)
	in := []byte("[" + strings.Repeat(`{"old":1},`, 50_000) + `{"old":1}]`)
	within(t, 2*time.Second, func() {
		if _, r := v.Normalize(in); r == nil || len(r.Deprecated) != 50_001 || r.Deprecated[0] != "/0/old" || r.Deprecated[50_000] != "/50000/old" {
			t.Errorf("got %.200v", r)
		}
	})
}
