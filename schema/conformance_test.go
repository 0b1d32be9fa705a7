package schema_test

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// corpora returns the folder of the test data that nobody here wrote, and skips the test when it is absent.
func corpora(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("HELVE_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpora")
	}
	if _, err := os.Stat(dir); err != nil {
		tb.Skipf("no corpora at %s: set HELVE_CORPORA to the folder that holds them", dir)
	}
	return dir
}

// readLines decodes a .jsonl file.
func readLines[T any](tb testing.TB, file string) []T {
	tb.Helper()
	f, err := os.Open(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v, jsontext.AllowInvalidUTF8(true)); err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		out = append(out, v)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return out
}

type suiteCase struct {
	File  string `json:"file"`
	Group string `json:"group"`
	Case  struct {
		Description string         `json:"description"`
		Schema      jsontext.Value `json:"schema"`
		Tests       []struct {
			Description string         `json:"description"`
			Data        jsontext.Value `json:"data"`
			Valid       bool           `json:"valid"`
		} `json:"tests"`
	} `json:"case"`
}

type score struct{ passed, total int }

// runSuite runs a draft's cases and returns the score of each group, and the descriptions of the tests missed.
func runSuite(t *testing.T, draft, dialect string) (scores map[string]score, missed map[string][]string) {
	t.Helper()
	dir := filepath.Join(corpora(t), "json-schema")
	remotes := map[string]jsontext.Value{}
	for _, r := range readLines[struct {
		URI    string         `json:"uri"`
		Schema jsontext.Value `json:"schema"`
	}](t, filepath.Join(dir, "remotes.jsonl")) {
		remotes[r.URI] = r.Schema
	}
	load := func(uri string) ([]byte, error) {
		if raw, ok := remotes[uri]; ok {
			return raw, nil
		}
		return nil, fmt.Errorf("no remote document %q", uri)
	}
	scores, missed = map[string]score{}, map[string][]string{}
	for _, c := range readLines[suiteCase](t, filepath.Join(dir, draft+".jsonl")) {
		text := declare(c.Case.Schema, dialect)
		v, err := compileText(text, &schema.Config{Loader: load, FormatAnnotation: c.Group == "required"})
		for _, test := range c.Case.Tests {
			sc := scores[c.Group]
			sc.total++
			if err == nil && v.Validate(test.Data).OK() == test.Valid {
				sc.passed++
			} else {
				name := fmt.Sprintf("%s: %s: %s", c.File, c.Case.Description, test.Description)
				if err != nil {
					t.Logf("%s: %v", name, err)
				}
				missed[c.Group] = append(missed[c.Group], name)
			}
			scores[c.Group] = sc
		}
	}
	return scores, missed
}

func compileText(text []byte, cfg *schema.Config) (*schema.Validator, error) {
	s, err := schema.Parse(text)
	if err != nil {
		return nil, err
	}
	return schema.Compile(s, cfg)
}

// declare adds the dialect that the suite's folder implies to a schema that names none.
func declare(raw jsontext.Value, dialect string) []byte {
	if dialect == "" || raw.Kind() != '{' || bytes.Contains(raw, []byte(`"$schema"`)) {
		return raw
	}
	if len(raw) == 2 {
		return fmt.Appendf(nil, `{"$schema":%q}`, dialect)
	}
	return fmt.Appendf(nil, `{"$schema":%q,%s`, dialect, raw[1:])
}

// listed reads a list of known exceptions from testdata: lines of fields between bars, the last of which is the reason. It returns
// the other fields by the first two of them.
func listed(tb testing.TB, file string, fields int) map[string][]string {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		tb.Fatal(err)
	}
	list := map[string][]string{}
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " | ")
		if len(parts) != fields || parts[fields-1] == "" {
			tb.Errorf("%s: %q has %d fields, want %d, the last of them a reason", file, line, len(parts), fields)
			continue
		}
		list[parts[0]+" | "+parts[1]] = parts[2:]
	}
	return list
}

// TestConformance runs the suite of the specification as a ratchet: the scores may not fall, and the list of what is missed has to
// be exact. Formats are annotations in the group "required", as 19 of its tests expect, and asserted in the others.
func TestConformance(t *testing.T) {
	known, suites := listed(t, "conformance-misses.txt", 3), 0
	for _, suite := range []struct {
		draft, dialect string
		want           map[string]int // the least that must pass
	}{
		{"draft2020-12", "", map[string]int{"required": 1299, "optional": 162, "format": 764}},
		{"draft7", "http://json-schema.org/draft-07/schema#", map[string]int{"required": 927, "optional": 114, "format": 676}},
	} {
		t.Run(suite.draft, func(t *testing.T) {
			suites++
			scores, missed := runSuite(t, suite.draft, suite.dialect)
			for _, group := range slices.Sorted(maps.Keys(suite.want)) {
				sc := scores[group]
				t.Logf("%s: %d of %d", group, sc.passed, sc.total)
				if sc.passed < suite.want[group] {
					t.Errorf("%s: %d passed, want at least %d", group, sc.passed, suite.want[group])
				}
				for _, name := range missed[group] {
					key := suite.draft + " | " + name
					if known[key] == nil {
						t.Errorf("missed, and not in the list: %s", name)
					}
					delete(known, key)
				}
			}
		})
	}
	if suites == 2 {
		for key := range known {
			t.Errorf("in the list of misses, but it passes or is not there: %s", key)
		}
	}
}
