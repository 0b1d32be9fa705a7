package schema_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// bfclTools compiles the tools of BFCL by their ids.
func bfclTools(t *testing.T, cfg *schema.Config) map[string]*schema.Validator {
	t.Helper()
	tools := map[string]*schema.Validator{}
	for _, tool := range readLines[struct {
		ID         string         `json:"id"`
		Parameters jsontext.Value `json:"parameters"`
	}](t, filepath.Join(corpora(t), "bfcl", "tools.jsonl")) {
		tools[tool.ID] = compile(t, string(tool.Parameters), cfg)
	}
	return tools
}

type bfclCall struct {
	ID             string         `json:"id"`
	Tool           string         `json:"tool"`
	Arguments      jsontext.Value `json:"arguments"`
	Property       string         `json:"property"`
	Reason         string         `json:"reason"`
	ValidIfAllowed bool           `json:"valid_if_additional_allowed"`
}

// TestGoldCalls accepts what people wrote as right calls, and refuses what is wrong with the property's name.
func TestGoldCalls(t *testing.T) {
	t.Parallel()
	open, closed := bfclTools(t, nil), bfclTools(t, closed)
	calls := readLines[bfclCall](t, filepath.Join(corpora(t), "bfcl", "calls.jsonl"))
	for _, c := range calls {
		if c.ID == "live_multiple_189-83-0/0" { // its body has names of its own beside the schema's examples
			continue
		}
		if r := closed[c.Tool].Validate(c.Arguments); !r.OK() {
			t.Errorf("%s: %s is refused: %v", c.ID, c.Arguments, r.Faults)
		}
		settled, r := closed[c.Tool].Normalize(c.Arguments)
		if !r.OK() || !closed[c.Tool].Validate(settled).OK() {
			t.Errorf("%s: %s settles to %s, %v", c.ID, c.Arguments, settled, r)
		}
	}
	t.Logf("%d gold calls are accepted", len(calls))
	for _, c := range readLines[bfclCall](t, filepath.Join(corpora(t), "bfcl", "gold_invalid.jsonl")) {
		if got := open[c.Tool].Validate(c.Arguments).OK(); got != c.ValidIfAllowed {
			t.Errorf("%s: with open objects, valid is %v, want %v", c.ID, got, c.ValidIfAllowed)
		}
		found := faults(closed[c.Tool].Validate(c.Arguments))
		if !slices.ContainsFunc(found, func(f fault) bool { return slices.Contains(strings.Split(f.Path, "/"), c.Property) }) {
			t.Errorf("%s: %s: no fault names %q: %v", c.ID, c.Arguments, c.Property, found)
		}
		t.Logf("%s: %+v", c.Reason, found)
	}
}

// TestServedSchemas compiles the schemas that real MCP servers serve.
func TestServedSchemas(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(corpora(t), "mcp-tools", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Tools []struct {
				Name   string         `json:"name"`
				Input  jsontext.Value `json:"inputSchema"`
				Output jsontext.Value `json:"outputSchema"`
			} `json:"tools"`
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			continue // the manifest
		}
		for _, tool := range list.Tools {
			for _, text := range []jsontext.Value{tool.Input, tool.Output} {
				if text == nil {
					continue
				}
				count++
				if _, err := compileText(text, closed); err != nil {
					t.Errorf("%s: %s: %v", filepath.Base(file), tool.Name, err)
				}
			}
		}
	}
	if count < 1000 {
		t.Errorf("%d schemas found, want those of the %d files", count, len(files))
	}
	t.Logf("%d schemas compile", count)
}

// TestServedBroken shows what is wrong with the one schema of the corpus of tools that no validator takes.
func TestServedBroken(t *testing.T) {
	t.Parallel()
	failed := map[string]string{}
	count := 0
	for _, tool := range readLines[map[string]jsontext.Value](t, filepath.Join(corpora(t), "toolret", "tools.jsonl")) {
		if text := tool["parameters"]; text.Kind() == '{' {
			count++
			if _, err := compileText(text, nil); err != nil {
				failed[string(tool["id"])] = err.Error()
			}
		}
	}
	const broken = "pdf-reader-mcp/read_pdf" // says `exclusiveMinimum: true`, as draft-04 had it
	if count < 3000 || len(failed) != 1 || !strings.Contains(failed[`"`+broken+`"`], "exclusiveMinimum must be a number, got true") {
		t.Errorf("%d schemas, refused: %v, want only %s", count, failed, broken)
	}
}
