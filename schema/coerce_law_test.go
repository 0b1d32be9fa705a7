package schema_test

import (
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
	coerced, refused, kept := 0, 0, 0
	for seed := range uint64(1200) {
		g := generator{rand.New(rand.NewPCG(seed, 3))}
		text := strings.TrimSuffix(g.defaultSchema(3), "}") + `,"$defs":{"d":{"properties":{"a":{"type":"integer"},"b":{"type":"boolean"}}},"e":{"properties":{"c":{"$ref":"#/$defs/d","type":"object"}}}}}`
		on, err := compileText([]byte(text), &schema.Config{Coerce: true})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		off := compile(t, text, nil)
		for range 20 {
			in := g.value(3)
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
	if coerced < 200 || refused < 100 || kept < 200 {
		t.Error("too few of one kind for the law to say anything")
	}
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
