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
		if r := open[c.Tool].Validate(c.Arguments); !r.OK() {
			t.Errorf("%s: %s is refused: %v", c.ID, c.Arguments, r.Faults)
		}
		if c.ID == "live_multiple_189-83-0/0" { // its body has names of its own beside those that the schema lists: Closed refuses them
			if closed[c.Tool].Validate(c.Arguments).OK() {
				t.Errorf("%s is an exception, but it is accepted", c.ID)
			}
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
	bad := readLines[bfclCall](t, filepath.Join(corpora(t), "bfcl", "gold_invalid.jsonl"))
	if len(calls) != 2989 || len(bad) != 24 {
		t.Errorf("%d gold calls and %d bad ones, want 2989 and 24", len(calls), len(bad))
	}
	for _, c := range bad {
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

// servedTools calls f for each schema that the real servers of the corpora serve, with the corpus and the tool that has it. It
// returns how many tools each corpus has.
func servedTools(t *testing.T, f func(corpus, tool string, text jsontext.Value)) map[string]int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpora(t), "mcp-tools", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
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
		server := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, tool := range list.Tools {
			counts["mcp-tools"]++
			f("mcp-tools", server+"/"+tool.Name, tool.Input)
			if tool.Output != nil {
				f("mcp-tools", server+"/"+tool.Name, tool.Output)
			}
		}
	}
	for _, tool := range readLines[struct {
		Set        string         `json:"set"`
		ID         string         `json:"id"`
		Parameters jsontext.Value `json:"parameters"`
	}](t, filepath.Join(corpora(t), "toolret", "tools.jsonl")) {
		counts[tool.Set]++
		if tool.Parameters.Kind() == '{' {
			f(tool.Set, tool.ID, tool.Parameters)
		}
	}
	return counts
}

// TestServedSchemas compiles the schemas that real servers serve, but for those in a list, each with its reason; what compiles
// checks an empty object without a panic.
func TestServedSchemas(t *testing.T) {
	t.Parallel()
	broken := listed(t, "corpora-broken.txt", 4)
	compiled := 0
	counts := servedTools(t, func(corpus, tool string, text jsontext.Value) {
		v, err := compileText(text, closed)
		key := corpus + " | " + tool
		switch want := broken[key]; {
		case err == nil:
			compiled++
			v.Normalize([]byte(`{}`))
		case want == nil:
			t.Errorf("%s: %v", key, err)
		case !strings.Contains(err.Error(), want[0]):
			t.Errorf("%s: got %v, want an error with %q", key, err, want[0])
		default:
			delete(broken, key)
		}
	})
	for key := range broken {
		t.Errorf("in the list of broken schemas, but it compiles or is not there: %s", key)
	}
	for corpus, want := range map[string]int{"mcp-tools": 1435, "livemcp": 527} {
		if counts[corpus] != want {
			t.Errorf("%s: %d tools, want %d", corpus, counts[corpus], want)
		}
	}
	t.Logf("%d schemas of %v tools compile", compiled, counts)
}
