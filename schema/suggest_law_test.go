package schema_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// TestSuggestionsFit sends what models write by mistake to random schemas of one property: what is suggested for a value is accepted
// in its place, as it stands or in quotes. JSON text is the exception: there the form is the point, and what is in it is told next.
func TestSuggestionsFit(t *testing.T) {
	t.Parallel()
	checked := 0
	for seed := range uint64(3000) {
		g := generator{rand.New(rand.NewPCG(seed, 6))}
		text := g.wantedSchema(2)
		v := compile(t, `{"type":"object","properties":{"a":`+text+`}}`, &schema.Config{Closed: true})
		for range 12 {
			in := g.mistake()
			r := v.Validate([]byte(`{"a":` + in + `}`))
			for _, f := range faults(r) {
				if f.Path != "/a" || f.Suggestion == "" || strings.Contains(f.Problem, " text in a string") {
					continue
				}
				checked++
				fits := false
				for _, value := range []string{f.Suggestion, quote(f.Suggestion)} {
					fits = fits || jsontext.Value(value).IsValid() && !strings.Contains(paths(v.Validate([]byte(`{"a":`+value+`}`))), "/a")
				}
				if !fits {
					t.Fatalf("seed %d: %s against %s: %+v: the suggestion is refused", seed, in, text, f)
				}
			}
		}
	}
	if t.Logf("%d suggestions", checked); checked < 2000 {
		t.Error("too few for the law to say anything")
	}
}

// wantedSchema is a schema as tools have them.
func (g generator) wantedSchema(depth int) string {
	if depth > 0 && g.IntN(3) == 0 {
		return fmt.Sprintf(`{"anyOf":%s}`, g.list(2, func() string { return g.wantedSchema(depth - 1) }))
	}
	return g.pick(`{"type":"string"}`, `{"type":"integer"}`, `{"type":"integer","minimum":1,"maximum":5}`, `{"type":"number","exclusiveMinimum":0}`, `{"type":"boolean"}`, `{"type":["integer","null"]}`,
		`{"type":"string","enum":["low","high","in_progress"]}`, `{"enum":["low",null]}`, `{"enum":[1,2]}`, `{"enum":["1","2"]}`, `{"const":true}`, `{"type":"integer","multipleOf":2}`,
		`{"type":"string","format":"date"}`, `{"type":"string","format":"date-time"}`, `{"type":"string","format":"date","pattern":"^2026"}`, `{"type":["string","null"],"format":"email","maxLength":9}`,
		`{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"integer","maximum":3},"minItems":1}`, `{"type":"array","items":{"type":"string"},"minItems":2}`,
		`{"type":"object","properties":{"limit":{"type":"integer"}},"required":["limit"]}`, `{"type":"string","minLength":3,"maxLength":5}`)
}

// mistake is a value as models send it.
func (g generator) mistake() string {
	return g.pick("1", "3", "7.5", "1.0", "-1", "true", "null", `"1"`, `" 3 "`, `"1.0"`, `"2"`, `"3.7"`, `"1e3"`, `"007"`, `"12"`, `"true"`, `"True"`, `"no"`, `"LOW"`, `" high"`, `"In Progress"`, `["low"]`, `"lo"`, `"a"`, `"a,b"`,
		`"31/01/2026"`, `"2025-1-5"`, `"2026-01-31 10:00:00Z"`, `"2026-01-31T10:00:00Z"`, `"Jan 5, 2025"`, `"20260131"`, `"ann@example.com "`, `"[1,2]"`, `"['a']"`, `"{'limit': 1}"`, `[]`, `[1]`, `{}`, `"null"`)
}
