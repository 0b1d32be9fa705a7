package schema_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/dialect"
	"helve.dev/helve/schema"
)

// TestLowerSuite lowers every schema of the conformance suite, as the root and as a property, to every dialect: whatever a schema
// may say, the outcome is right by the independent rules, and what a strict provider could send for it is accepted or refused for
// a rule of the report.
func TestLowerSuite(t *testing.T) {
	t.Parallel()
	for _, draft := range []string{"draft2020-12", "draft7"} {
		t.Run(draft, func(t *testing.T) {
			t.Parallel()
			lowered, refused, strict := 0, 0, 0
			var e emitted
			for _, c := range readLines[suiteCase](t, filepath.Join(corpora(t), "json-schema", draft+".jsonl")) {
				for _, text := range wrapped(string(c.Case.Schema), draft) {
					tool := corpusTool{c.File + ": " + c.Case.Description, jsontext.Value(text)}
					canonical, err := schema.Parse(tool.text)
					if err != nil {
						continue // the suite has lone surrogates
					}
					for _, cfg := range lowerConfigs {
						for _, d := range dialects {
							low, err := schema.Lower(canonical, d, cfg)
							if err != nil {
								refused++
								continue
							}
							lowered++
							if low.Strict {
								strict++
								e.tool(t, tool, d, cfg, 1)
							}
							for _, fault := range dialect.Check(receiver(d), low.Schema.Raw(), low.Strict) {
								t.Errorf("%s: %v: %s\n canonical %s\n wire %s", tool.id, d, fault, text, low.Schema)
							}
							if _, err := schema.Compile(low.Schema, nil); err != nil && !strings.Contains(text, "://") {
								t.Errorf("%s: %v: %v\n canonical %s\n wire %s", tool.id, d, err, text, low.Schema)
							}
						}
					}
				}
			}
			t.Logf("%d lowered (%d strict), %d refused; %d calls, %d accepted", lowered, strict, refused, e.calls, e.accepted)
		})
	}
}

// wrapped returns the schema, and a tool that has it as a property.
func wrapped(text, draft string) []string {
	list := []string{text}
	if !strings.Contains(text, `"#`) && !strings.Contains(text, `"$id"`) && !strings.Contains(text, `"$schema"`) {
		dialect := ""
		if draft == "draft7" {
			dialect = `,"$schema":"http://json-schema.org/draft-07/schema#"`
		}
		list = append(list, `{"type":"object","properties":{"x":`+text+`},"required":["x"]`+dialect+`}`)
	}
	return list
}
