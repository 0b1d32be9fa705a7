package schema_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/internal/dialect"
	"helve.dev/helve/schema"
)

// lowerCases are the public cases (shared/cases/public-bugs.md) and one case for each rule of Lower. What becomes of each in each
// dialect stands in testdata/lower.
var lowerCases = []struct{ name, text string }{
	{"B09-struct", `{"type":"object","properties":{},"additionalProperties":false}`},
	{"B09-bare", `{"type":"object"}`},
	{"B11-any-of-required", `{"type":"object","properties":{"title":{"type":"string"},"note":{"type":"string"}},"anyOf":[{"required":["title"]},{"required":["note"]}]}`},
	{"B13-untyped", `{"properties":{"a":{"type":"string"}}}`},
	{"B13-nullable", `{"type":["object","null"],"properties":{"a":{"type":"string"}}}`},
	{"B13-every-level", `{"type":"object","properties":{"any":{"anyOf":[{"properties":{"a":{"type":"string"}}},{"type":"integer"}]},"items":{"type":"array","items":{"type":["object","null"],"properties":{"a":{"type":"string"}}}},"all":{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}},"required":["b"]}]},"ref":{"$ref":"#/$defs/d"}},"required":["any","items","all","ref"],"$defs":{"d":{"properties":{"a":{"type":"string"}}}}}`},
	{"B14-default", `{"type":"object","properties":{"limit":{"type":"integer","default":20,"description":"How many"},"after":{"type":["string","null"],"default":null}}}`},
	{"B15-map", `{"type":"object","properties":{"labels":{"type":"object","additionalProperties":{"type":"string"}}}}`},
	{"B15-free-form", `{"type":"object","properties":{"meta":{"type":"object","additionalProperties":{}},"any":true}}`},
	{"B23-optional", `{"type":"object","properties":{"zone":{"type":"string"},"list":{"type":"array","items":{"type":"object","properties":{"zone":{"type":"string"},"note":{"type":["string","null"]}}}}},"required":["list"]}`},
	{"names", `{"type":"object","properties":{"additionalProperties":{"type":"string"},"strict":{"type":"boolean"},"$ref":{"type":"string"},"format":{"type":"integer"},"properties":{"type":"object","properties":{"default":{"type":"string"},"type":{"type":"string"}},"required":["default","type"]},"$defs":{"type":"string"},"enum":{"type":"string"}},"required":["additionalProperties","strict","$ref","format","properties","$defs","enum"],"$defs":{"required":{"type":"string"}}}`},
	{"recursion", `{"type":"object","properties":{"tree":{"$ref":"#/$defs/Node"}},"required":["tree"],"$defs":{"Node":{"type":"object","properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/Node"}},"required":["name"]}}}`},
	{"recursion-required", `{"type":"object","properties":{"name":{"type":"string"},"sub":{"type":"array","items":{"$ref":"#"}}},"required":["name","sub"]}`},
	{"recursion-mutual", `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}}}}}`},
	{"recursion-merged", `{"type":"object","properties":{"sub":{"allOf":[{"$ref":"#"},{"description":"Nested"}]}}}`},
	{"recursion-described", `{"type":"object","properties":{"t":{"$ref":"#/$defs/T","description":"The top"}},"required":["t"],"$defs":{"T":{"type":"object","properties":{"left":{"$ref":"#/$defs/T","description":"Left"},"right":{"$ref":"#/$defs/T"}}}}}`},
	{"root-one-of", `{"type":"object","description":"Moves it","properties":{"id":{"type":"string"}},"required":["id"],"oneOf":[{"properties":{"kind":{"const":"file"},"path":{"type":"string"}},"required":["kind","path"]},{"properties":{"kind":{"const":"mail"},"to":{"type":"string"}},"required":["kind","to"]}]}`},
	{"root-all-of", `{"allOf":[{"$ref":"#/$defs/base"},{"type":"object","properties":{"b":{"type":"integer"}},"required":["b"]}],"$defs":{"base":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}`},
	{"root-ref", `{"$ref":"#/$defs/in","$defs":{"in":{"type":"object","properties":{"a":{"type":"string"},"sub":{"$ref":"#/$defs/in"}},"additionalProperties":false}}}`},
	{"root-conditional", `{"type":"object","properties":{"a":{"type":"string"}},"if":{"properties":{"a":{"const":"x"}},"required":["a"]},"then":{"properties":{"b":{"type":"string"}},"required":["b"]},"not":{"required":["c"]},"dependentSchemas":{"a":{"properties":{"d":{"type":"string"}}}}}`},
	{"union", `{"type":"object","properties":{"v":{"description":"Text or more","oneOf":[{"type":"string"},{"type":"object","properties":{"z":{"type":"number"}},"required":["z"]},{"type":"null"}]},"t":{"type":["string","integer","null"]}},"required":["v","t"]}`},
	{"union-beside", `{"type":"object","properties":{"n":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}},"required":["n"]}`},
	{"ref-siblings", `{"type":"object","properties":{"from":{"$ref":"#/$defs/day","description":"First day"},"to":{"$ref":"#/$defs/day","minLength":3}},"required":["from","to"],"$defs":{"day":{"type":"string","description":"A day","format":"date"}}}`},
	{"enum", `{"type":"object","properties":{"n":{"type":["string","null"],"enum":["a","b",null]},"i":{"enum":[1,2.5]},"b":{"enum":[true]},"m":{"enum":["a",1,null]},"c":{"const":"x"},"k":{"const":null}},"required":["n","i","b","m","c","k"]}`},
	{"enum-optional", `{"type":"object","properties":{"n":{"type":"string","enum":["a","b"]},"c":{"const":"x"},"i":{"enum":[1,2]}}}`},
	{"enum-complex", `{"type":"object","properties":{"o":{"enum":[{"a":1},{"a":2}]},"e":{"type":"string","enum":[]}}}`},
	{"bounds", `{"type":"object","properties":{"s":{"type":"string","minLength":1,"maxLength":5},"n":{"type":"number","minimum":0,"exclusiveMaximum":9,"multipleOf":3},"l":{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":4,"uniqueItems":true},"one":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["s","n","l","one"]}`},
	{"text", `{"type":"object","properties":{"u":{"type":"string","format":"uri"},"d":{"type":"string","format":"date-time"},"r":{"type":"string","format":"regex"},"simple":{"type":"string","pattern":"^[a-z]{2}\\d+$"},"look":{"type":"string","pattern":"^(?!x)"},"word":{"type":"string","pattern":"\\bx\\b"},"many":{"type":"string","pattern":"^a{1,5000}$"},"raw":{"type":"string","contentEncoding":"base64","contentMediaType":"image/png"}},"required":["u","d","r","simple","look","word","many","raw"]}`},
	{"notes", `{"type":"object","properties":{"a":{"type":"string","title":"A","examples":["x","y"],"deprecated":true,"readOnly":true,"$comment":"no","x-order":1}},"required":["a"]}`},
	{"tuple", `{"type":"object","properties":{"p":{"type":"array","prefixItems":[{"type":"number"},{"type":"number"},{"type":"string"}],"items":false},"open":{"type":"array","prefixItems":[{"type":"string"}]}},"required":["p","open"]}`},
	{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"p":{"type":"array","items":[{"type":"number"},{"$ref":"#/definitions/d"}],"additionalItems":false},"r":{"$ref":"#/definitions/d","minLength":99,"description":"kept"}},"required":["p","r"],"definitions":{"d":{"type":"string"}},"dependencies":{"p":["r"]}}`},
	{"conditional", `{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"type":"string"}},"if":{"required":["a"]},"then":{"properties":{"b":{"type":"string"}},"required":["b"]},"else":{"maxProperties":0},"not":{"required":["z"]},"dependentRequired":{"a":["b"]},"minProperties":1,"propertyNames":{"maxLength":3}}},"required":["o"]}`},
	{"unevaluated", `{"type":"object","properties":{"o":{"allOf":[{"properties":{"a":{"type":"string"}}}],"properties":{"b":{"type":"string"}},"unevaluatedProperties":false,"type":"object"},"l":{"type":"array","prefixItems":[{"type":"string"}],"unevaluatedItems":false}},"required":["o","l"]}`},
	{"pattern-properties", `{"type":"object","properties":{"m":{"type":"object","patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false,"propertyNames":{"maxLength":9}}},"required":["m"]}`},
	{"open-object", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":true}`},
	{"booleans", `{"type":"object","properties":{"yes":true,"no":false,"list":{"type":"array","items":true}},"required":["yes"]}`},
	{"array-without-items", `{"type":"object","properties":{"l":{"type":"array"}},"required":["l"]}`},
	{"anchors", `{"$id":"https://example.com/in","type":"object","properties":{"a":{"$ref":"#day"},"b":{"$ref":"days#/$defs/x"},"c":{"$dynamicRef":"#node"}},"required":["a","b","c"],"$defs":{"d":{"$anchor":"day","type":"string"},"e":{"$id":"days","$defs":{"x":{"type":"integer"}}},"f":{"$dynamicAnchor":"node","type":"boolean"}}}`},
}

var wideConfig = &schema.LowerConfig{MapsAsPairs: true, AnyAsText: true, CloseOpen: true, ExpandDepth: 2}

// TestLowerCases compares what becomes of each case with the files of testdata/lower. HELVE_UPDATE=1 writes them.
func TestLowerCases(t *testing.T) {
	t.Parallel()
	for _, c := range lowerCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, filepath.Join("testdata", "lower", c.name+".txt"), lowerEverywhere(t, c.text))
		})
	}
}

// lowerEverywhere writes down what becomes of a schema in each dialect, and holds it against the independent rules.
func lowerEverywhere(t *testing.T, text string) string {
	t.Helper()
	canonical := schema.MustParse(text)
	var b strings.Builder
	fmt.Fprintf(&b, "canonical %s\n", canonical)
	show := func(title string, d schema.Dialect, cfg *schema.LowerConfig) {
		low, err := schema.Lower(canonical, d, cfg)
		if err != nil {
			fmt.Fprintf(&b, "\n-- %s --\nerror: %v\n", title, err)
			return
		}
		fmt.Fprintf(&b, "\n-- %s --\nstrict: %v\n%s\n", title, low.Strict, low.Schema)
		for _, loss := range low.Report {
			fmt.Fprintf(&b, "loss: %q %s: %s\n", loss.Path, loss.Keyword, loss.What)
		}
		for _, fault := range dialect.Check(receiver(d), low.Schema.Raw(), low.Strict) {
			t.Errorf("%s: %s in %s", title, fault, low.Schema)
		}
	}
	for _, d := range dialects {
		show(d.String(), d, nil)
	}
	for _, d := range []schema.Dialect{schema.AnthropicStrict, schema.OpenAIStrict} {
		show(d.String()+", all encodings", d, wideConfig)
	}
	if !canonical.Equal(schema.MustParse(text)) {
		t.Error("the canonical schema has changed")
	}
	return b.String()
}

// golden compares got with a file; with HELVE_UPDATE=1 or a flag -update that is set, it writes the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if f := flag.Lookup("update"); os.Getenv("HELVE_UPDATE") == "1" || f != nil && f.Value.String() == "true" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (HELVE_UPDATE=1 writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (HELVE_UPDATE=1 writes it):\n%s", file, diff)
	}
}

// TestLowerPublic tells the public cases in their own words.
func TestLowerPublic(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		d      schema.Dialect
		want   string
		strict bool
	}{
		"B09 anthropic":    {`{"type":"object"}`, schema.AnthropicStrict, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`, true},
		"B09 openai":       {`{"type":"object"}`, schema.OpenAIStrict, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`, true},
		"B09 openai plain": {`{"type":"object"}`, schema.OpenAIPlain, `{"type":"object","properties":{}}`, false},
		"B09 gemini":       {`{"type":"object"}`, schema.Gemini, `{"type":"object","properties":{}}`, false},
		"B09 mcp":          {`{"type":"object"}`, schema.MCP, `{"type":"object","properties":{}}`, false},
		"B09 nothing said": {`{"$schema":"http://json-schema.org/draft-07/schema#"}`, schema.MCP, `{"type":"object","properties":{},"$schema":"http://json-schema.org/draft-07/schema#"}`, false},
		"B11": {
			lowerCases[2].text, schema.AnthropicPlain,
			`{"type":"object","description":"At least one of these must be given: \"title\"; \"note\".","properties":{"title":{"type":"string"},"note":{"type":"string"}}}`, false,
		},
		"B13": {
			`{"properties":{"a":{"type":"string"}}}`, schema.OpenAIStrict,
			`{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"],"additionalProperties":false}`, true,
		},
		"B14": {
			`{"type":"object","properties":{"limit":{"type":"integer","default":20}}}`, schema.OpenAIStrict,
			`{"type":"object","properties":{"limit":{"type":["integer","null"],"description":"Default: 20."}},"required":["limit"],"additionalProperties":false}`, true,
		},
		"B15": {
			`{"type":"object","properties":{"labels":{"type":"object","additionalProperties":{"type":"string"}}}}`, schema.OpenAIStrict,
			`{"type":"object","properties":{"labels":{"type":"object","additionalProperties":{"type":"string"}}}}`, false,
		},
	} {
		low, err := schema.Lower(schema.MustParse(c.text), c.d, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, low.Schema.String()); diff != "" || low.Strict != c.strict {
			t.Errorf("%s: strict %v, want %v; %s", name, low.Strict, c.strict, diff)
		}
	}
}

// TestLowerEnforced shows that what the wire schema no longer says is still enforced, and what it added is taken back (B11, B14,
// B23): with Restore, and by Normalize alone where no union is in the way.
func TestLowerEnforced(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, sent, want, fault string }{
		"B11 neither":        {lowerCases[2].text, `{"title":null,"note":null}`, "", "missing"},
		"B11 one":            {lowerCases[2].text, `{"title":"x","note":null}`, `{"title":"x"}`, ""},
		"B14 null":           {lowerCases[6].text, `{"limit":null,"after":null}`, `{"after":null,"limit":20}`, ""},
		"B14 given":          {lowerCases[6].text, `{"limit":3,"after":"x"}`, `{"limit":3,"after":"x"}`, ""},
		"B23 nested":         {lowerCases[9].text, `{"zone":null,"list":[{"zone":null,"note":null}]}`, `{"list":[{"note":null}]}`, ""},
		"required, not null": {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"a":null}`, "", "must be a string"},
	} {
		canonical := schema.MustParse(c.text)
		low, err := schema.Lower(canonical, schema.OpenAIStrict, nil)
		if err != nil || !low.Strict {
			t.Fatalf("%s: %v", name, err)
		}
		v := compile(t, c.text, &schema.Config{Closed: true})
		restored, err := low.Restore([]byte(c.sent))
		if err != nil {
			t.Fatal(err)
		}
		for way, in := range map[string][]byte{"restored": restored, "as sent": []byte(c.sent)} {
			got, report := v.Normalize(in)
			switch {
			case c.fault == "" && (!report.OK() || string(got) != c.want):
				t.Errorf("%s, %s: got %s, %+v; want %s", name, way, got, report, c.want)
			case c.fault != "" && (report.OK() || !strings.Contains(report.Faults[0].Problem, c.fault)):
				t.Errorf("%s, %s: got %s, %+v; want a fault with %q", name, way, got, report, c.fault)
			}
		}
	}
}

func TestLowerErrors(t *testing.T) {
	t.Parallel()
	big := `{"type":"object","properties":{"a":{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"anyOf":[{"minLength":1},{"maxLength":9},{"pattern":"a"}]},`, 12), ",") + `]}}}`
	for name, c := range map[string]struct {
		text string
		d    schema.Dialect
		want string
	}{
		"no dialect":      {`{}`, 0, "Dialect(0) is not a dialect"},
		"unknown dialect": {`{}`, 99, "Dialect(99) is not a dialect"},
		"false":           {`false`, schema.MCP, "accepts no object"},
		"no object":       {`{"type":"string"}`, schema.AnthropicStrict, "accepts no object"},
		"no object, all":  {`{"allOf":[{"type":"string"}]}`, schema.OpenAIPlain, "accepts no object"},
		"does not compile": {
			`{"properties":{"a":{"exclusiveMinimum":true}}}`, schema.MCP,
			`at "/properties/a/exclusiveMinimum": exclusiveMinimum must be a number`,
		},
		"remote":    {`{"properties":{"a":{"$ref":"https://example.com/a"}}}`, schema.MCP, "no loader is configured"},
		"too large": {big, schema.Gemini, "too large"},
	} {
		low, err := schema.Lower(schema.MustParse(c.text), c.d, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v; want an error with %q", name, low, err, c.want)
		}
	}
	if low, err := schema.Lower(schema.MustParse(big), schema.OpenAIStrict, nil); err != nil || low.Strict || !strings.Contains(low.Report[0].What, "too large") {
		t.Errorf("too large for strict: %+v, %v", low, err)
	}
	if low, err := schema.Lower(nil, schema.MCP, nil); err != nil || low.Schema.String() != `{"type":"object","properties":{}}` {
		t.Errorf("nil schema: %v, %v", low, err)
	}
}

func TestLowerLoader(t *testing.T) {
	t.Parallel()
	cfg := &schema.LowerConfig{Loader: func(string) ([]byte, error) { return []byte(`{"type":"string","minLength":2}`), nil }}
	low, err := schema.Lower(schema.MustParse(`{"type":"object","properties":{"a":{"$ref":"https://example.com/day"}},"required":["a"]}`), schema.OpenAIPlain, cfg)
	want := `{"type":"object","properties":{"a":{"$ref":"#/$defs/day"}},"required":["a"],"$defs":{"day":{"type":"string","minLength":2}}}`
	if err != nil || low.Schema.String() != want {
		t.Errorf("got %v, %v, want %s", low, err, want)
	}
}

// TestLowerLimits degrades a tool that alone is too large.
func TestLowerLimits(t *testing.T) {
	t.Parallel()
	many := func(n int, prop string) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(`"p%d":%s`, i, prop))
		}
		return `{"type":"object","properties":{` + strings.Join(parts, ",") + `}}`
	}
	for name, c := range map[string]struct {
		text, want string
		d          schema.Dialect
	}{
		"24 optional":  {many(24, `{"type":"string"}`), "", schema.AnthropicStrict},
		"25 optional":  {many(25, `{"type":"string"}`), "25 optional properties, where the provider takes 24", schema.AnthropicStrict},
		"17 unions":    {many(17, `{"type":["string","null"]}`), "17 unions, where the provider takes 16", schema.AnthropicStrict},
		"5001":         {many(5001, `{"type":"string"}`), "5001 properties, where the provider takes 5000", schema.OpenAIStrict},
		"11 levels":    {`{"type":"object","properties":{"a":` + strings.Repeat(`{"type":"array","items":`, 10) + `{"type":"string"}` + strings.Repeat("}", 10) + `}}`, "11 levels of nesting", schema.OpenAIStrict},
		"through $ref": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/o"},"b":{"$ref":"#/$defs/o"}},"required":["a","b"],"$defs":{"o":` + many(13, `{"type":"string"}`) + `}}`, "26 optional properties", schema.AnthropicStrict},
	} {
		low, err := schema.Lower(schema.MustParse(c.text), c.d, nil)
		if err != nil {
			t.Fatal(err)
		}
		if low.Strict != (c.want == "") || c.want != "" && !strings.Contains(low.Report[0].What, c.want) {
			t.Errorf("%s: strict %v, report %v, want %q", name, low.Strict, low.Report[:min(2, len(low.Report))], c.want)
		}
	}
	low, err := schema.Lower(schema.MustParse(many(11, `{"type":"string"}`)), schema.AnthropicStrict, &schema.LowerConfig{Limits: &schema.Limits{Optional: 10}})
	if err != nil || low.Strict {
		t.Errorf("own limits: %v, %v", low, err)
	}
}

// TestLowerHostile lowers what is made to take forever, or to grow without end.
func TestLowerHostile(t *testing.T) {
	t.Parallel()
	var doubling strings.Builder
	doubling.WriteString(`{"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range 40 {
		fmt.Fprintf(&doubling, `"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d","description":"a"},"b":{"$ref":"#/$defs/d%d","minProperties":0}}},`, i, i+1, i+1)
	}
	doubling.WriteString(`"d40":{"type":"string"}}}`)
	wide := `{"type":"object","properties":{"x":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{` +
		strings.TrimSuffix(strings.Repeat(`"%d":{"$ref":"#/$defs/n"},`, 30), ",") + `}}}}`
	for i := range 30 {
		wide = strings.Replace(wide, "%d", fmt.Sprint("p", i), 1)
	}
	for name, text := range map[string]string{
		"doubling":  doubling.String(),
		"wide":      wide,
		"deep":      `{"type":"object","properties":{"x":` + strings.Repeat(`{"type":"array","items":`, 3000) + `{}` + strings.Repeat("}", 3000) + `}}`,
		"deep anys": `{"type":"object","properties":{"x":` + strings.Repeat(`{"anyOf":[{"type":"string"},`, 1000) + `{"type":"null"}` + strings.Repeat("]}", 1000) + `}}`,
		"deep root": strings.Repeat(`{"allOf":[`, 1000) + `{"type":"object"}` + strings.Repeat("]}", 1000),
		"product":   `{"type":"object","allOf":[` + strings.TrimSuffix(strings.Repeat(`{"anyOf":[{"required":["a"]},{"required":["b"]}]},`, 200), ",") + `]}`,
		"many refs": `{"type":"object","properties":{` + strings.TrimSuffix(strings.Repeat(`"R":{"$ref":"#"},`, 1), ",") + `}}`,
	} {
		for _, d := range dialects {
			for _, cfg := range []*schema.LowerConfig{nil, {MapsAsPairs: true, AnyAsText: true, CloseOpen: true, ExpandDepth: 50}} {
				low, err := schema.Lower(schema.MustParse(text), d, cfg)
				if err == nil && len(low.Schema.String()) > 20<<20 {
					t.Errorf("%s: %v: grew to %d bytes", name, d, len(low.Schema.String()))
				}
			}
		}
	}
}
