package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A pkg is what the rules need to know of a package.
type pkg struct {
	ImportPath, Name, Dir              string
	Imports, TestImports, XTestImports []string
}

func TestLayers(t *testing.T) {
	pkgs := load(t)
	report(t, layerProblems(layers, pkgs))
	report(t, thirdPartyProblems(thirdParties, pkgs))
}

// layerProblems says which imports break the table.
func layerProblems(table []row, pkgs []pkg) []string {
	var problems []string
	for _, p := range pkgs {
		from, unit := find(table, p.ImportPath)
		if from.layer == noLayer {
			problems = append(problems, fmt.Sprintf("%s has no layer: add it to the table in internal/archtest and to docs/architecture.md", p.ImportPath))
			continue
		}
		for _, imp := range p.Imports {
			if reason := mayImport(table, from, unit, imp); reason != "" {
				problems = append(problems, fmt.Sprintf("%s (layer %d) imports %s: %s", p.ImportPath, from.layer, imp, reason))
			}
		}
		for _, imp := range append(slices.Clone(p.TestImports), p.XTestImports...) {
			if to, other := find(table, imp); ours(imp) && other != unit && (to.layer > 3 || to.layer == house) {
				problems = append(problems, fmt.Sprintf("a test of %s imports %s: tests import public packages of layers 0 to 3", p.ImportPath, imp))
			}
		}
	}
	return problems
}

// mayImport returns why a unit may not import a package, or "".
func mayImport(table []row, from row, unit, imp string) string {
	if !ours(imp) {
		return ""
	}
	to, other := find(table, imp)
	switch {
	case other == unit, slices.Contains(from.also, other):
		return ""
	case to.layer == noLayer:
		return "it has no layer"
	case to.layer == house:
		return "nothing imports the tests of the house"
	case from.layer == house:
		return "the tests of the house import nothing of Helve"
	case from.layer == 4 && strings.HasPrefix(rel(imp), "internal/"):
		return "layer 4 imports public packages only"
	case from.layer == 4:
		return ""
	case to.layer > from.layer:
		return fmt.Sprintf("layer %d is above it", to.layer)
	case to.layer == from.layer:
		return "packages of one layer do not import each other unless the table says so"
	}
	return ""
}

// thirdPartyProblems says which third-party imports nobody allowed.
func thirdPartyProblems(table []allowed, pkgs []pkg) []string {
	var problems []string
	check := func(p pkg, imports []string, tests bool, what string) {
		for _, imp := range imports {
			if ours(imp) || !strings.Contains(strings.Split(imp, "/")[0], ".") {
				continue
			}
			ok := slices.ContainsFunc(table, func(a allowed) bool {
				_, in := match(a.pattern, rel(p.ImportPath))
				return in && (tests || !a.tests) && slices.ContainsFunc(a.paths, func(path string) bool { return below(path, imp) })
			})
			if !ok {
				problems = append(problems, fmt.Sprintf("%s%s imports %s: no line in internal/archtest allows it; a new one needs a reason in docs/design/dependencies.md", what, p.ImportPath, imp))
			}
		}
	}
	for _, p := range pkgs {
		check(p, p.Imports, false, "")
		check(p, p.TestImports, true, "a test of ")
		check(p, p.XTestImports, true, "a test of ")
	}
	return problems
}

// find returns the row of a package and its unit.
func find(table []row, path string) (row, string) {
	for _, r := range table {
		if unit, ok := match(r.pattern, rel(path)); ok {
			return r, unit
		}
	}
	return row{layer: noLayer}, path
}

// match says whether a pattern covers a relative path, and as which unit.
func match(pattern, path string) (unit string, ok bool) {
	if pattern == "..." {
		return path, true
	}
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return base, below(base, path)
	}
	if base, ok := strings.CutSuffix(pattern, "/*"); ok {
		rest, ok := strings.CutPrefix(path, base+"/")
		first, _, _ := strings.Cut(rest, "/")
		return base + "/" + first, ok
	}
	return pattern, pattern == path
}

// below says whether path is base or lies under it.
func below(base, path string) bool {
	return path == base || strings.HasPrefix(path, base+"/")
}

func ours(path string) bool { return below(module, path) }

// rel makes an import path relative to the module path; "." is the root.
func rel(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

// load lists the packages of all modules of the workspace, with the imports
// that they have on any of the systems we build for.
func load(t *testing.T) []pkg {
	t.Helper()
	byPath := map[string]pkg{}
	for _, dir := range moduleDirs(t) {
		for _, goos := range []string{"linux", "darwin", "windows"} {
			out := command(t, dir, []string{"GOOS=" + goos, "CGO_ENABLED=0"},
				"go", "list", "-e", "-json=ImportPath,Name,Dir,Imports,TestImports,XTestImports", "./...")
			for dec := json.NewDecoder(bytes.NewReader(out)); ; {
				var p pkg
				err := dec.Decode(&p)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("read go list: %v", err)
				}
				if p.Name == "" {
					continue // a folder without Go files that build
				}
				old := byPath[p.ImportPath]
				p.Imports = union(p.Imports, old.Imports)
				p.TestImports = union(p.TestImports, old.TestImports)
				p.XTestImports = union(p.XTestImports, old.XTestImports)
				byPath[p.ImportPath] = p
			}
		}
	}
	if len(byPath) == 0 {
		t.Fatal("go list found no package")
	}
	var pkgs []pkg
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		pkgs = append(pkgs, byPath[path])
	}
	return pkgs
}

func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// root returns the folder that go.work lies in.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.work")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// moduleDirs returns the folders of the modules that go.work names.
func moduleDirs(t *testing.T) []string {
	t.Helper()
	var work struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal(command(t, root(t), nil, "go", "work", "edit", "-json"), &work); err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, use := range work.Use {
		dirs = append(dirs, filepath.Join(root(t), use.DiskPath))
	}
	return dirs
}

// command runs a program and returns what it printed.
func command(t *testing.T, dir string, env []string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s in %s: %v\n%s", name, strings.Join(args, " "), dir, err, stderr.Bytes())
	}
	return out
}

func report(t *testing.T, problems []string) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}

// wantProblems is for the tests which show that a rule can fail: there is one
// problem for each of the texts, in order, and it holds that text.
func wantProblems(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d problems, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("problem %d is %q, want one that says %q", i, got[i], want[i])
		}
	}
}

func TestLayersCanFail(t *testing.T) {
	t.Parallel()
	h := func(paths ...string) []string {
		for i, p := range paths {
			paths[i] = strings.TrimSuffix(module+"/"+p, "/.")
		}
		return paths
	}
	tests := map[string]struct {
		path  string
		imps  []string
		tests []string
		want  []string
	}{
		"down":                      {path: "lint", imps: h(".", "schema", "internal/jsonx")},
		"itself":                    {path: "agent/internal/x", imps: h("agent", "model/scripted")},
		"as the table says":         {path: "model/scripted", imps: h("model")},
		"schema on jsonx":           {path: "schema", imps: h("internal/jsonx")},
		"any public package":        {path: "cmd/helve", imps: h("agent", "cmd/helvecmd", "cmd/internal/x")},
		"a test looks up":           {path: ".", tests: h("storetest", "helvetest")},
		"up":                        {path: "schema", imps: h("."), want: []string{"layer 1 is above it"}},
		"root on agent":             {path: ".", imps: h("agent"), want: []string{"layer 3 is above it"}},
		"sideways":                  {path: "lint", imps: h("lock"), want: []string{"do not import each other"}},
		"one store on another":      {path: "store/sqlite", imps: h("store/postgres"), want: []string{"do not import each other"}},
		"jsonx on schema":           {path: "internal/jsonx", imps: h("schema"), want: []string{"do not import each other"}},
		"model on scripted":         {path: "model", imps: h("model/scripted"), want: []string{"do not import each other"}},
		"helvecmd is no command":    {path: "cmd/helvecmd", imps: h("cmd/helve"), want: []string{"layer 4 is above it"}},
		"example on internals":      {path: "examples/dayflow", imps: h("internal/jsonx"), want: []string{"public packages only"}},
		"unknown package":           {path: "util", want: []string{"has no layer"}},
		"import of unknown package": {path: "lint", imps: h("util"), want: []string{"it has no layer"}},
		"house imports":             {path: "internal/archtest", imps: h("schema"), want: []string{"import nothing of Helve"}},
		"house is imported":         {path: "lint", imps: h("internal/archtest"), want: []string{"nothing imports"}},
		"a test on an example":      {path: "lint", tests: h("examples/dayflow"), want: []string{"tests import public packages"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pkg{ImportPath: h(tt.path)[0], Imports: tt.imps, XTestImports: tt.tests}
			wantProblems(t, layerProblems(layers, []pkg{p}), tt.want...)
		})
	}
}

func TestThirdPartiesCanFail(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path, imp string
		test      bool
		want      []string
	}{
		"standard library":       {path: "/schema", imp: "encoding/json"},
		"json in the root":       {path: "", imp: jsonV2 + "/jsontext"},
		"backoff in the root":    {path: "", imp: "github.com/cenkalti/backoff/v5"},
		"go-cmp in a test":       {path: "/lint", imp: "github.com/google/go-cmp/cmp", test: true},
		"sqlite in an example":   {path: "/examples/dayflow/internal/tasks", imp: "modernc.org/sqlite"},
		"go-cmp in code":         {path: "/lint", imp: "github.com/google/go-cmp/cmp", want: []string{"no line in internal/archtest"}},
		"backoff in schema":      {path: "/schema", imp: "github.com/cenkalti/backoff/v5", want: []string{"no line in internal/archtest"}},
		"regexp2 in the root":    {path: "", imp: "github.com/dlclark/regexp2", want: []string{"no line in internal/archtest"}},
		"sqlite in the root":     {path: "", imp: "modernc.org/sqlite", want: []string{"no line in internal/archtest"}},
		"sqlite in a test":       {path: "", imp: "modernc.org/sqlite", test: true, want: []string{"a test of"}},
		"a name with that start": {path: "", imp: jsonV2 + "ish", want: []string{"no line in internal/archtest"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pkg{ImportPath: module + tt.path}
			if tt.test {
				p.XTestImports = []string{tt.imp}
			} else {
				p.Imports = []string{tt.imp}
			}
			wantProblems(t, thirdPartyProblems(thirdParties, []pkg{p}), tt.want...)
		})
	}
}
