package archtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A weight is what the core costs those who require it.
type weight struct {
	direct   []string // direct requirements that non-test code needs
	modules  []string // go list -m all
	packages []string // third-party packages compiled into package helve
}

func TestWeight(t *testing.T) {
	dir, off := root(t), []string{"GOWORK=off"}
	lines := func(args ...string) []string {
		return strings.Fields(string(command(t, dir, off, "go", append([]string{"list"}, args...)...)))
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(command(t, dir, off, "go", "mod", "edit", "-json"), &mod); err != nil {
		t.Fatal(err)
	}
	inCode := lines("-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./...")
	var w weight
	for _, r := range mod.Require {
		if !r.Indirect && slices.Contains(inCode, r.Path) {
			w.direct = append(w.direct, r.Path)
		}
	}
	w.modules = lines("-m", "-f", "{{.Path}}", "all")
	for _, p := range lines("-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".") {
		if !ours(p) {
			w.packages = append(w.packages, p)
		}
	}
	t.Logf("%d direct requirements, %d modules, %d third-party packages in package helve", len(w.direct), len(w.modules), len(w.packages))
	report(t, weightProblems(w))
}

func weightProblems(w weight) []string {
	var problems []string
	check := func(what string, have []string, limit int) {
		if len(have) > limit {
			problems = append(problems, fmt.Sprintf("%d %s, at most %d are allowed: %s", len(have), what, limit, strings.Join(have, " ")))
		}
	}
	check("direct requirements of the root module", w.direct, maxDirect)
	check("modules in go list -m all", w.modules, maxModules)
	check("third-party packages in package helve", w.packages, maxPackages)
	return problems
}

func TestWeightCanFail(t *testing.T) {
	t.Parallel()
	many := func(n int) []string { return slices.Repeat([]string{"example.com/x"}, n) }
	wantProblems(t, weightProblems(weight{many(maxDirect), many(maxModules), many(maxPackages)}))
	wantProblems(t, weightProblems(weight{many(maxDirect + 1), many(maxModules + 1), many(maxPackages + 1)}),
		"direct requirements", "go list -m all", "third-party packages")
}
