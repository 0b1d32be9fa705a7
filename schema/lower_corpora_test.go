package schema_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/dialect"
	"helve.dev/helve/schema"
)

// A corpusTool is a tool that nobody here wrote.
type corpusTool struct {
	id   string
	text jsontext.Value
}

// corpusTools returns the tools of the MCP servers and of BFCL.
func corpusTools(tb testing.TB) map[string][]corpusTool {
	tb.Helper()
	sets := map[string][]corpusTool{}
	files, err := filepath.Glob(filepath.Join(corpora(tb), "mcp-tools", "*.json"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		var list struct {
			Tools []struct {
				Name  string         `json:"name"`
				Input jsontext.Value `json:"inputSchema"`
			} `json:"tools"`
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			continue // the manifest
		}
		for _, tool := range list.Tools {
			sets["mcp-tools"] = append(sets["mcp-tools"], corpusTool{strings.TrimSuffix(filepath.Base(file), ".json") + "/" + tool.Name, tool.Input})
		}
	}
	type line struct {
		Set        string         `json:"set"`
		ID         string         `json:"id"`
		Parameters jsontext.Value `json:"parameters"`
	}
	for _, tool := range readLines[line](tb, filepath.Join(corpora(tb), "toolret", "tools.jsonl")) {
		if tool.Set == "livemcp" {
			sets["livemcp"] = append(sets["livemcp"], corpusTool{tool.ID, tool.Parameters})
		}
	}
	for _, tool := range readLines[line](tb, filepath.Join(corpora(tb), "bfcl", "tools.jsonl")) {
		sets["bfcl"] = append(sets["bfcl"], corpusTool{tool.ID, tool.Parameters})
	}
	return sets
}

var dialects = []schema.Dialect{schema.AnthropicStrict, schema.AnthropicPlain, schema.OpenAIStrict, schema.OpenAIPlain, schema.Gemini, schema.MCP}

// receiver returns whom the independent checker takes for the reader of a dialect.
func receiver(d schema.Dialect) dialect.Dialect {
	switch d {
	case schema.AnthropicStrict, schema.AnthropicPlain:
		return dialect.Anthropic
	case schema.OpenAIStrict, schema.OpenAIPlain:
		return dialect.OpenAI
	case schema.Gemini:
		return dialect.Gemini
	}
	return dialect.MCP
}

// brokenTools are the tools of the corpora whose schema is none: what Lower says about them.
var brokenTools = map[string]string{
	"pdf-reader-mcp/read_pdf": "exclusiveMinimum must be a number, got true", // draft-04
}

// lowerConfigs are the ways in which the corpora are lowered.
var lowerConfigs = map[string]*schema.LowerConfig{
	"default": nil,
	"wide":    {MapsAsPairs: true, AnyAsText: true, CloseOpen: true, ExpandDepth: 2},
}

// TestLowerCorpora lowers every tool of the corpora to every dialect, and has the outcome checked by rules that share no code.
func TestLowerCorpora(t *testing.T) {
	t.Parallel()
	sets := corpusTools(t)
	for name, want := range map[string]int{"mcp-tools": 1435, "livemcp": 527, "bfcl": 2405} {
		if got := len(sets[name]); got != want {
			t.Errorf("%s has %d tools, want %d", name, got, want)
		}
	}
	for way, cfg := range lowerConfigs {
		for _, d := range dialects {
			if way == "wide" && !d.Strict() {
				continue // nothing of it is about the others
			}
			for set, tools := range sets {
				t.Run(fmt.Sprintf("%s/%v/%s", way, d, set), func(t *testing.T) {
					t.Parallel()
					lowerTools(t, d, cfg, tools)
				})
			}
		}
	}
}

func lowerTools(t *testing.T, d schema.Dialect, cfg *schema.LowerConfig, tools []corpusTool) {
	t.Helper()
	strict, losses := 0, 0
	for i, tool := range tools {
		if testing.Short() && i%7 != 0 {
			continue
		}
		canonical, err := schema.Parse(tool.text)
		if err != nil {
			t.Fatal(err)
		}
		low, err := schema.Lower(canonical, d, cfg)
		if want := brokenTools[tool.id]; want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got error %v, want %q", tool.id, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tool.id, err)
			continue
		}
		for _, fault := range dialect.Check(receiver(d), low.Schema.Raw(), low.Strict) {
			t.Errorf("%s: %s\n canonical %s\n wire %s", tool.id, fault, tool.text, low.Schema)
		}
		checkReport(t, tool, d, low)
		again, err := schema.Lower(low.Schema, d, cfg) // which also compiles it
		switch {
		case err != nil:
			t.Errorf("%s: lowered twice: %v\n once %s", tool.id, err, low.Schema)
		case low.Strict == d.Strict() && !again.Schema.Equal(low.Schema):
			t.Errorf("%s: lowered twice\n once  %s\n twice %s", tool.id, low.Schema, again.Schema)
		}
		losses += len(low.Report)
		if low.Strict {
			strict++
		}
	}
	t.Logf("%d tools, %d strict, %d losses", len(tools), strict, losses)
}

// checkReport holds that a report says where and what.
func checkReport(t *testing.T, tool corpusTool, d schema.Dialect, low *schema.Lowered) {
	t.Helper()
	if d.Strict() && !low.Strict && len(low.Report) == 0 {
		t.Errorf("%s: not strict without a reason", tool.id)
	}
	seen := map[string]bool{}
	for _, loss := range low.Report {
		if loss.What != "" && seen[loss.Path] {
			continue
		}
		seen[loss.Path] = true
		if _, ok := pointTo(tool.text, loss.Path); loss.What == "" || !ok {
			t.Errorf("%s: the loss %+v leads nowhere in %s", tool.id, loss, tool.text)
		}
	}
}

// pointTo returns what a JSON Pointer leads to.
func pointTo(doc jsontext.Value, pointer string) (jsontext.Value, bool) {
	at := doc
	for p := jsontext.Pointer(pointer); p != ""; {
		first := ""
		for token := range p.Tokens() {
			first = token
			break
		}
		p = p[1:]
		if i := strings.IndexByte(string(p), '/'); i >= 0 {
			p = p[i:]
		} else {
			p = ""
		}
		var next jsontext.Value
		switch at.Kind() {
		case '{':
			var members map[string]jsontext.Value
			_ = json.Unmarshal(at, &members)
			next = members[first]
		case '[':
			var items []jsontext.Value
			_ = json.Unmarshal(at, &items)
			var i int
			if _, err := fmt.Sscan(first, &i); err == nil && i < len(items) {
				next = items[i]
			}
		}
		if next == nil {
			return nil, false
		}
		at = next
	}
	return at, true
}
