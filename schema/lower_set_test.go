package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/internal/dialect"
	"helve.dev/helve/schema"
)

// optionals is a tool with n optional properties.
func optionals(name string, n int) schema.LowerTool {
	var props []schema.Property
	for i := range n {
		props = append(props, schema.Optional(fmt.Sprint("p", i), schema.String()))
	}
	return schema.LowerTool{Name: name, Description: "Does " + name, Schema: schema.Object(props...).Must()}
}

func strictNames(tools []schema.LoweredTool) (names []string) {
	for _, tool := range tools {
		if tool.Strict {
			names = append(names, tool.Name)
		}
	}
	return names
}

func TestLowerAllBudget(t *testing.T) {
	t.Parallel()
	tools := []schema.LowerTool{optionals("a", 10), optionals("b", 10), optionals("c", 10), optionals("d", 4), optionals("e", 1)}
	out, report, err := schema.LowerAll(tools, schema.AnthropicStrict, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "d"}, strictNames(out)); diff != "" {
		t.Error(diff)
	}
	want := &schema.SetReport{
		Limits: schema.AnthropicStrict.Limits(), Used: schema.Limits{Tools: 3, Optional: 24, Properties: 24, Depth: 1, Characters: 48},
		Strict: 3, Plain: 2,
		Degraded: []schema.Degraded{
			{Tool: "c", What: "not strict: with it the set would have 30 optional properties, where the provider takes 24"},
			{Tool: "e", What: "not strict: with it the set would have 25 optional properties, where the provider takes 24"},
		},
	}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Error(diff)
	}
	if len(out[2].Report) == 0 || out[2].Report[0].What != report.Degraded[0].What {
		t.Errorf("the tool's own report says %v", out[2].Report)
	}
	if out[4].Name != "e" || out[4].Description != "Does e" {
		t.Errorf("the order has changed: %+v", out[4])
	}
	// A tool that is added at the end changes nothing for the others.
	more, _, err := schema.LowerAll(append(tools, optionals("z", 0)), schema.AnthropicStrict, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range out {
		if !out[i].Schema.Equal(more[i].Schema) || out[i].Strict != more[i].Strict {
			t.Errorf("%s: %s, then %s", out[i].Name, out[i].Schema, more[i].Schema)
		}
	}
	tools[2].Priority = 1
	first, _, err := schema.LowerAll(tools, schema.AnthropicStrict, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "c", "d"}, strictNames(first)); diff != "" {
		t.Errorf("with a priority: %s", diff)
	}
}

func TestLowerAllTools(t *testing.T) {
	t.Parallel()
	var tools []schema.LowerTool
	for i := range 25 {
		tools = append(tools, optionals(fmt.Sprint("t", i), 0))
	}
	out, report, err := schema.LowerAll(tools, schema.AnthropicStrict, nil)
	if err != nil || len(strictNames(out)) != 20 || report.Strict != 20 || report.Plain != 5 {
		t.Errorf("anthropic: %d strict, %+v, %v", len(strictNames(out)), report, err)
	}
	out, _, err = schema.LowerAll(tools, schema.OpenAIStrict, nil)
	if err != nil || len(strictNames(out)) != 25 {
		t.Errorf("openai: %d strict, %v", len(strictNames(out)), err)
	}
	out, report, err = schema.LowerAll(tools, schema.Gemini, nil)
	if err != nil || len(strictNames(out)) != 0 || report.Plain != 25 || report.Degraded != nil {
		t.Errorf("gemini: %d strict, %+v, %v", len(strictNames(out)), report, err)
	}
}

func TestLowerAllNote(t *testing.T) {
	t.Parallel()
	out, _, err := schema.LowerAll([]schema.LowerTool{{
		Name: "t", Description: "Notes it",
		Schema: schema.MustParse(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`),
	}}, schema.OpenAIPlain, nil)
	if want := `Notes it. At least one of these must be given: "a"; "b".`; err != nil || out[0].Description != want {
		t.Errorf("got %q, %v, want %q", out[0].Description, err, want)
	}
}

func TestLowerAllErrors(t *testing.T) {
	t.Parallel()
	for want, tools := range map[string][]schema.LowerTool{
		`the name "a" is given twice`: {{Name: "a"}, {Name: "a"}},
		`lower tool "b": lower schema for openai-strict: the schema accepts no object`: {{Name: "a"}, {Name: "b", Schema: schema.MustParse(`false`)}},
	} {
		if _, _, err := schema.LowerAll(tools, schema.OpenAIStrict, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if out, report, err := schema.LowerAll(nil, schema.MCP, nil); err != nil || len(out) != 0 || report == nil {
		t.Errorf("no tools: %v, %v, %v", out, report, err)
	}
}

// TestLowerAllCorpora sends each MCP server's tools in one request.
func TestLowerAllCorpora(t *testing.T) {
	t.Parallel()
	servers := map[string][]schema.LowerTool{}
	for _, tool := range corpusTools(t)["mcp-tools"] {
		server, name, _ := strings.Cut(tool.id, "/")
		servers[server] = append(servers[server], schema.LowerTool{Name: name, Schema: schema.MustParse(string(tool.text))})
	}
	for _, d := range []schema.Dialect{schema.AnthropicStrict, schema.OpenAIStrict} {
		strict, plain := 0, 0
		for server, tools := range servers {
			out, report, err := schema.LowerAll(tools, d, nil)
			if err != nil {
				t.Errorf("%s: %v", server, err)
				continue
			}
			var wires [][]byte
			for _, tool := range out {
				if tool.Strict {
					wires = append(wires, tool.Schema.Raw())
				}
			}
			for _, fault := range dialect.CheckSet(receiver(d), wires) {
				t.Errorf("%s: %s", server, fault)
			}
			strict, plain = strict+report.Strict, plain+report.Plain
		}
		t.Logf("%v: %d servers, %d tools strict, %d plain", d, len(servers), strict, plain)
	}
}
