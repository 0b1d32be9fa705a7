package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestDocs(t *testing.T) {
	base := root(t)
	all := sources(t)
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(base, name))
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(base, filepath.FromSlash(name)))
		return err == nil
	}
	var core, tested []string
	for _, s := range all {
		if s.dir() == "." && !s.test {
			core = append(core, s.path)
		}
		if s.test || below("examples", s.dir()) {
			tested = append(tested, read(s.path))
		}
	}
	t.Run("architecture", func(t *testing.T) {
		report(t, mapProblems(read("docs/architecture.md"), core, exists))
	})
	t.Run("agents", func(t *testing.T) { report(t, agentsProblems(read("AGENTS.md"))) })
	t.Run("readme", func(t *testing.T) { report(t, snippetProblems(read("README.md"), tested)) })
}

var goFile = regexp.MustCompile("`([\\w./-]+\\.go)`")

// mapProblems compares the tables of docs/architecture.md with the files that
// are there: each named file exists, and each file of package helve is named.
func mapProblems(page string, core []string, exists func(string) bool) []string {
	var problems, named []string
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		for _, m := range goFile.FindAllStringSubmatch(line, -1) {
			if named = append(named, m[1]); !exists(m[1]) {
				problems = append(problems, fmt.Sprintf("docs/architecture.md names %s, which is not there", m[1]))
			}
		}
	}
	for _, file := range core {
		if !slices.Contains(named, file) {
			problems = append(problems, fmt.Sprintf("no table of docs/architecture.md names %s", file))
		}
	}
	return problems
}

// agentsProblems keeps AGENTS.md short enough to be read.
func agentsProblems(page string) []string {
	if n := strings.Count(page, "\n"); n > maxAgents {
		return []string{fmt.Sprintf("AGENTS.md has %d lines, at most %d are allowed", n, maxAgents)}
	}
	return nil
}

// snippetProblems finds Go code in README.md that is not, line for line but
// for the indent, in a test or an example, where the compiler sees it.
func snippetProblems(readme string, files []string) []string {
	for i, f := range files {
		files[i] = flatten(f)
	}
	var problems []string
	var block []string
	start := 0 // line of the opening fence, 0 outside of a block
	n := 0
	for line := range strings.Lines(readme) {
		n++
		switch trimmed := strings.TrimSpace(line); {
		case start == 0 && trimmed == "```go":
			start, block = n, nil
		case start != 0 && trimmed == "```":
			code := flatten(strings.Join(block, "\n"))
			if !slices.ContainsFunc(files, func(f string) bool { return strings.Contains(f, code) }) {
				problems = append(problems, fmt.Sprintf("README.md:%d: this code is in no test and no example of the repository", start))
			}
			start = 0
		case start != 0:
			block = append(block, line)
		}
	}
	return problems
}

// flatten takes the indent and the empty lines away.
func flatten(code string) string {
	var b strings.Builder
	b.WriteByte('\n')
	for line := range strings.Lines(code) {
		if trimmed := strings.TrimSpace(line); trimmed != "" {
			b.WriteString(trimmed + "\n")
		}
	}
	return b.String()
}

func TestDocsCanFail(t *testing.T) {
	t.Parallel()
	exists := func(name string) bool { return name == "call.go" || name == "lint/lint.go" }
	page := "| call | `call.go` |\n| lint | `lint/lint.go` |\n`prose.go` is no table\n"
	wantProblems(t, mapProblems(page, []string{"call.go"}, exists))
	wantProblems(t, mapProblems(page+"| gone | `gone.go` |\n", []string{"call.go", "new.go"}, exists),
		"names gone.go, which is not there", "names new.go")

	wantProblems(t, agentsProblems(strings.Repeat("x\n", maxAgents)))
	wantProblems(t, agentsProblems(strings.Repeat("x\n", maxAgents+1)), "61 lines")

	code := []string{"package x\n\nfunc Example() {\n\tif a {\n\n\t\tb()\n\t}\n}\n"}
	wantProblems(t, snippetProblems("```go\nif a {\n    b()\n}\n```\n", slices.Clone(code)))
	wantProblems(t, snippetProblems("text\n```go\nif a {\n\tc()\n}\n```\n```sh\nmake\n```\n", slices.Clone(code)), "README.md:2")
	wantProblems(t, snippetProblems("```go\nf a {\n```\n", slices.Clone(code)), "README.md:1")
}
