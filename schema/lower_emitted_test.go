package schema_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"helve.dev/helve/internal/dialect"
	"helve.dev/helve/schema"
)

// TestLowerEmitted makes arguments that a strict provider could emit for each lowered tool of the corpora. Stage 2 of the canonical
// schema accepts them, or refuses them for a rule that the report names. HELVE_SEED repeats a run.
func TestLowerEmitted(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	if text := os.Getenv("HELVE_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("HELVE_SEED=%d", seed)
	sets := corpusTools(t)
	for way, cfg := range lowerConfigs {
		for _, d := range []schema.Dialect{schema.AnthropicStrict, schema.OpenAIStrict} {
			t.Run(fmt.Sprintf("%s/%v", way, d), func(t *testing.T) {
				t.Parallel()
				var e emitted
				for _, set := range []string{"mcp-tools", "livemcp", "bfcl"} {
					for i, tool := range sets[set] {
						if testing.Short() && i%7 != 0 {
							continue
						}
						e.tool(t, tool, d, cfg, seed)
					}
				}
				if e.calls == 0 || e.accepted*10 < e.calls*8 {
					t.Errorf("%d of %d calls are accepted", e.accepted, e.calls)
				}
				t.Logf("%d calls, %d accepted, %d refused for a rule of the report", e.calls, e.accepted, e.calls-e.accepted)
			})
		}
	}
}

type emitted struct{ calls, accepted int }

func (e *emitted) tool(t *testing.T, tool corpusTool, d schema.Dialect, cfg *schema.LowerConfig, seed uint64) {
	t.Helper()
	canonical, err := schema.Parse(tool.text)
	if err != nil {
		t.Fatal(err)
	}
	low, err := schema.Lower(canonical, d, cfg)
	if err != nil || !low.Strict {
		return
	}
	v, err := schema.Compile(canonical, &schema.Config{Closed: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(6) {
		args, err := dialect.Generate(low.Schema.Raw(), seed+i)
		if err != nil {
			t.Errorf("%s: seed %d: %v in %s", tool.id, seed+i, err, low.Schema)
			return
		}
		restored, err := low.Restore(args)
		if err != nil {
			t.Errorf("%s: restore %s: %v", tool.id, args, err)
			continue
		}
		e.calls++
		_, report := v.Normalize(restored)
		if report.OK() {
			e.accepted++
			continue
		}
		for _, f := range report.Faults {
			if !told(string(tool.text), low.Report, f) {
				t.Errorf("%s: seed %d: %s is refused for a rule that the report does not name: %+v\n canonical %s\n wire %s\n restored %s\n report %v",
					tool.id, seed+i, args, f, tool.text, low.Schema, restored, low.Report)
				return
			}
		}
	}
}

// told reports whether a loss is about what the fault is about: its place fits, and so does its keyword.
func told(canonical string, report []schema.Loss, f schema.Fault) bool {
	at := strings.Split(f.Path, "/")[1:]
	for _, ref := range refPath.FindAllStringSubmatch(canonical, -1) {
		for _, l := range report { // what is said at the target holds wherever it is referred to
			if below, ok := strings.CutPrefix(l.Path, ref[1]); ok {
				report = append(report, schema.Loss{Path: "/$defs/x" + below, Keyword: l.Keyword, What: l.What})
			}
		}
	}
	return slices.ContainsFunc(report, func(l schema.Loss) bool {
		// A fault in a union is told at the branch that is nearest to the value, or at the union itself: any rule of a branch can
		// be the reason.
		if union := unionPath.FindString(l.Path + "/"); union != "" {
			place, anywhere := instancePlace(strings.TrimSuffix(union, "/"))
			return fitsPlace(place, at, anywhere, true)
		}
		place, anywhere := instancePlace(l.Path)
		words, ok := problemWords[l.Keyword]
		if !ok { // rules about more than the value at their own place
			return fitsPlace(place, at, anywhere, true)
		}
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(f.Problem, word) }) && fitsPlace(place, at, anywhere, false)
	})
}

var refPath = regexp.MustCompile(`"\$ref":"#(/properties[^"]*)"`)

var unionPath = regexp.MustCompile(`^.*?/(anyOf|oneOf)/`)

// problemWords is what a fault of a keyword says. Keywords that are no rules have no words.
var problemWords = map[string][]string{
	"minimum": {"at least"}, "maximum": {"at most"}, "exclusiveMinimum": {"more than"}, "exclusiveMaximum": {"less than"},
	"multipleOf": {"multiple of"}, "minLength": {"character", "empty"}, "maxLength": {"character"}, "pattern": {"pattern"}, "format": {"must be"},
	"minItems": {"item", "empty"}, "maxItems": {"item"}, "uniqueItems": {"item", "twice"},
	"default": nil, "required": nil, "title": nil, "type": nil, "examples": nil, "deprecated": nil, "description": nil,
}

// instancePlace turns a place in a schema into the place of a value, with * for any name; anywhere: below a definition.
func instancePlace(path string) (place []string, anywhere bool) {
	if before, after, ok := strings.Cut(path, "#"); ok && strings.Contains(before, "://") {
		path, anywhere = after, true // of another document
	}
	tokens := strings.Split(path, "/")[1:]
	for i := 0; i < len(tokens); i++ {
		switch tokens[i] {
		case "properties":
			i++
			place = append(place, tokens[i])
		case "items", "prefixItems":
			place = append(place, "*")
			if i+1 < len(tokens) && tokens[i+1][0] >= '0' && tokens[i+1][0] <= '9' {
				i++
			}
		case "additionalProperties", "unevaluatedProperties", "contains", "unevaluatedItems", "additionalItems":
			place = append(place, "*")
		case "patternProperties":
			i++
			place = append(place, "*")
		case "$defs", "definitions":
			i++
			place, anywhere = nil, true
		case "anyOf", "oneOf", "allOf", "dependentSchemas":
			i++
		}
	}
	return place, anywhere
}

func fitsPlace(place, at []string, anywhere, below bool) bool {
	fits := func(at []string) bool {
		if len(at) < len(place) || len(at) > len(place) && !below {
			return false
		}
		for i, token := range place {
			if token != "*" && token != at[i] {
				return false
			}
		}
		return true
	}
	for start := 0; start <= len(at); start++ {
		if fits(at[start:]) {
			return true
		}
		if !anywhere {
			break
		}
	}
	return false
}
