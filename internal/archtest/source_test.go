package archtest

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A source is one parsed Go file of the repository.
type source struct {
	path  string // relative to the root, with slashes
	test  bool
	lines int
	ast   *ast.File
	fset  *token.FileSet
}

func (s source) at(pos token.Pos) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(pos).Line)
}

// dir is the folder of the file; "." is the root.
func (s source) dir() string { return filepath.ToSlash(filepath.Dir(s.path)) }

// sources parses every Go file of the workspace, whatever system it is for.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	base := root(t)
	modules := moduleDirs(t)
	for _, dir := range modules {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				nested, _ := filepath.Glob(filepath.Join(path, "go.mod"))
				if path != dir && (len(nested) > 0 || d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")) {
					return filepath.SkipDir
				}
				return nil
			}
			if filepath.Ext(path) != ".go" {
				return nil
			}
			rel, err := filepath.Rel(base, path)
			if err != nil {
				return err
			}
			s, err := parse(filepath.ToSlash(rel), path, nil)
			all = append(all, s)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// parse reads one file; src is as for parser.ParseFile.
func parse(name, path string, src any) (source, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, fmt.Errorf("parse %s: %w", name, err)
	}
	return source{
		path: name, test: strings.HasSuffix(name, "_test.go"),
		lines: fset.File(f.FileStart).LineCount(), ast: f, fset: fset,
	}, nil
}

func TestSources(t *testing.T) {
	all := sources(t)
	for name, rule := range map[string]func([]source) []string{
		"sizes":      sizeProblems,
		"documented": docProblems,
		"examples":   exampleProblems,
		"glossary":   exportedProblems,
		"api":        apiProblems,
		"sleep":      sleepProblems,
	} {
		t.Run(name, func(t *testing.T) { report(t, rule(all)) })
	}
}

// sizeProblems finds files and functions that are too long. Generated files
// may be of any size.
func sizeProblems(all []source) []string {
	var problems []string
	for _, s := range all {
		if ast.IsGenerated(s.ast) {
			continue
		}
		if s.lines > maxFile {
			problems = append(problems, fmt.Sprintf("%s has %d lines, at most %d are allowed: split it by noun", s.path, s.lines, maxFile))
		}
		if s.test {
			continue
		}
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			limit := maxFunc
			if s.dir() == "." && f.Name.Name == "Execute" && receiver(f) == "Executor" {
				limit = maxExecute
			}
			if n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1; n > limit {
				problems = append(problems, fmt.Sprintf("%s: %s has %d lines, at most %d are allowed", s.at(f.Pos()), f.Name.Name, n, limit))
			}
		}
	}
	return problems
}

// docProblems finds packages and exported names without a comment.
func docProblems(all []source) []string {
	var problems []string
	documented := map[string]bool{}
	var dirs []string
	for _, s := range all {
		if s.test {
			continue
		}
		if dirs = append(dirs, s.dir()); s.ast.Doc.Text() != "" {
			documented[s.dir()] = true
		}
		for _, n := range exportedNames(s) {
			if !n.documented {
				problems = append(problems, fmt.Sprintf("%s: exported %s has no comment", s.at(n.pos), n.name))
			}
		}
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if !documented[dir] {
			problems = append(problems, fmt.Sprintf("the package in %s has no package comment", dir))
		}
	}
	return problems
}

// A name is one exported name; a method's is Type.Method.
type name struct {
	name       string
	pos        token.Pos
	documented bool
}

func exportedNames(s source) []name {
	var names []name
	add := func(id *ast.Ident, prefix string, docs ...*ast.CommentGroup) {
		if id.IsExported() {
			names = append(names, name{prefix + id.Name, id.Pos(), slices.ContainsFunc(docs, func(c *ast.CommentGroup) bool { return c.Text() != "" })})
		}
	}
	for _, d := range s.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if r := receiver(d); r == "" {
				add(d.Name, "", d.Doc)
			} else if ast.IsExported(r) {
				add(d.Name, r+".", d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if d.Lparen.IsValid() {
						add(spec.Name, "", spec.Doc, spec.Comment)
					} else {
						add(spec.Name, "", d.Doc, spec.Doc, spec.Comment)
					}
				case *ast.ValueSpec: // the comment of a group speaks for its members
					for _, id := range spec.Names {
						add(id, "", d.Doc, spec.Doc, spec.Comment)
					}
				}
			}
		}
	}
	return names
}

// receiver returns the name of a method's type, or "".
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	typ := f.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// exampleProblems finds public packages without a runnable example, one with
// an Output comment.
func exampleProblems(all []source) []string {
	tests, public := map[string][]*ast.File{}, map[string]bool{}
	for _, s := range all {
		switch dir := s.dir(); {
		case s.test:
			tests[dir] = append(tests[dir], s.ast)
		case s.ast.Name.Name == "main", below("examples", dir), slices.Contains(strings.Split(dir, "/"), "internal"):
		default:
			public[dir] = true
		}
	}
	var problems []string
	for dir := range public {
		runs := slices.ContainsFunc(doc.Examples(tests[dir]...), func(e *doc.Example) bool { return e.Output != "" || e.EmptyOutput })
		if !runs {
			problems = append(problems, fmt.Sprintf("the package in %s has no Example with an Output comment", dir))
		}
	}
	slices.Sort(problems)
	return problems
}

// exportedProblems counts the exported names of package helve: what a reader
// of its glossary has to know. Methods belong to their types.
func exportedProblems(all []source) []string {
	count := 0
	for _, s := range all {
		if s.dir() != "." || s.test {
			continue
		}
		for _, n := range exportedNames(s) {
			if !strings.Contains(n.name, ".") {
				count++
			}
		}
	}
	if count > maxExported {
		return []string{fmt.Sprintf("package helve has %d exported names, at most %d are allowed", count, maxExported)}
	}
	return nil
}

// apiProblems finds third-party types in the API of package helve.
func apiProblems(all []source) []string {
	var problems []string
	for _, s := range all {
		if s.dir() != "." || s.test {
			continue
		}
		imports := map[string]string{}
		for _, imp := range s.ast.Imports {
			path, _ := strconv.Unquote(imp.Path.Value)
			local := path[strings.LastIndex(path, "/")+1:]
			if imp.Name != nil {
				local = imp.Name.Name
			}
			imports[local] = path
		}
		for _, expr := range apiExprs(s.ast) {
			ast.Inspect(expr, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				id, ok := sel.X.(*ast.Ident)
				if !ok {
					return true
				}
				path := imports[id.Name]
				third := !ours(path) && strings.Contains(strings.Split(path, "/")[0], ".")
				if third && !slices.Contains(apiTypes, path+"."+sel.Sel.Name) {
					problems = append(problems, fmt.Sprintf("%s: the API names %s.%s: no type of a dependency appears in it", s.at(sel.Pos()), id.Name, sel.Sel.Name))
				}
				return true
			})
		}
	}
	return problems
}

// apiExprs returns the types that a user of the package sees: those of exported
// functions, methods, fields, variables and constants.
func apiExprs(f *ast.File) []ast.Expr {
	var exprs []ast.Expr
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if r := receiver(d); d.Name.IsExported() && (r == "" || ast.IsExported(r)) {
				exprs = append(exprs, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					if spec.Type != nil && slices.ContainsFunc(spec.Names, (*ast.Ident).IsExported) {
						exprs = append(exprs, spec.Type)
					}
				case *ast.TypeSpec:
					st, isStruct := spec.Type.(*ast.StructType)
					if !spec.Name.IsExported() {
						continue
					}
					if !isStruct {
						exprs = append(exprs, spec.Type)
						continue
					}
					for _, field := range st.Fields.List {
						if len(field.Names) == 0 || slices.ContainsFunc(field.Names, (*ast.Ident).IsExported) {
							exprs = append(exprs, field.Type)
						}
					}
				}
			}
		}
	}
	return exprs
}

// sleepProblems finds tests that wait for real: only in a bubble of
// testing/synctest does Sleep cost nothing.
func sleepProblems(all []source) []string {
	var problems []string
	for _, s := range all {
		bubble := slices.ContainsFunc(s.ast.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` })
		if !s.test || bubble {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sleep" {
				if id, ok := sel.X.(*ast.Ident); ok && id.Name == "time" {
					problems = append(problems, s.at(sel.Pos())+": a test sleeps: use testing/synctest")
				}
			}
			return true
		})
	}
	return problems
}

func TestSourcesCanFail(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("\n", n) }
	tests := map[string]struct {
		rule func([]source) []string
		path string
		src  string
		want []string
	}{
		"file fits":                   {sizeProblems, "a.go", "package a" + long(maxFile), nil},
		"file too long":               {sizeProblems, "a.go", "package a" + long(maxFile+1), []string{"1001 lines"}},
		"test file too long":          {sizeProblems, "a_test.go", "package a" + long(maxFile+1), []string{"1001 lines"}},
		"generated file":              {sizeProblems, "a.go", "// Code generated by x. DO NOT EDIT.\n\npackage a" + long(2*maxFile), nil},
		"function fits":               {sizeProblems, "a.go", "package a\nfunc f() {" + long(maxFunc-1) + "}", nil},
		"function too long":           {sizeProblems, "a.go", "package a\nfunc f() {" + long(maxFunc) + "}", []string{"a.go:2: f has 121 lines"}},
		"Execute too long":            {sizeProblems, "a.go", "package a\nfunc (x *Executor) Execute() {" + long(maxExecute) + "}", []string{"at most 80"}},
		"function of a test":          {sizeProblems, "a_test.go", "package a\nfunc f() {" + long(maxFunc) + "}", nil},
		"documented":                  {docProblems, "a.go", "// Package a is.\npackage a\n\n// F does.\nfunc F() {}\n\nfunc g() {}\n\ntype t int\n\nfunc (t) M() {}", nil},
		"constants with one comment":  {docProblems, "a.go", "// Package a is.\npackage a\n\n// Kinds.\nconst (\n\tA = iota\n\tB\n)", nil},
		"constant with a comment":     {docProblems, "a.go", "// Package a is.\npackage a\n\nconst (\n\tA = 1 // one\n\n\t// B is.\n\tB = 2\n)", nil},
		"no package comment":          {docProblems, "a.go", "package a", []string{"no package comment"}},
		"function without comment":    {docProblems, "a.go", "// Package a is.\npackage a\n\nfunc F() {}", []string{"exported F has"}},
		"method without comment":      {docProblems, "a.go", "// Package a is.\npackage a\n\n// T is.\ntype T[X any] struct{}\n\nfunc (*T[X]) M() {}", []string{"exported T.M has"}},
		"type without comment":        {docProblems, "a.go", "// Package a is.\npackage a\n\n// Types.\ntype (\n\tT int\n)", []string{"exported T has"}},
		"constant without comment":    {docProblems, "a.go", "// Package a is.\npackage a\n\nconst (\n\tA = 1 // one\n\tB = 2\n)", []string{"exported B has"}},
		"directive is no comment":     {docProblems, "a.go", "// Package a is.\npackage a\n\n//go:noinline\nfunc F() {}", []string{"exported F has"}},
		"no example":                  {exampleProblems, "lint/a.go", "package lint", []string{"lint has no Example"}},
		"no example in internals":     {exampleProblems, "internal/a/a.go", "package a", nil},
		"no example in a command":     {exampleProblems, "cmd/helve/a.go", "package main", nil},
		"enough names":                {exportedProblems, "a.go", "package a\n" + names(maxExported), nil},
		"too many names":              {exportedProblems, "a.go", "package a\n" + names(maxExported+1), []string{"251 exported names"}},
		"raw JSON in the API":         {apiProblems, "a.go", "package a\nimport \"" + jsonV2 + "/jsontext\"\ntype T struct { V jsontext.Value }", nil},
		"own package in the API":      {apiProblems, "a.go", "package a\nimport \"" + module + "/schema\"\nfunc F(schema.Schema) {}", nil},
		"unexported dependency":       {apiProblems, "a.go", "package a\nimport \"golang.org/x/time/rate\"\ntype T struct { l rate.Limiter }\nfunc f(rate.Limit) {}", nil},
		"dependency in a function":    {apiProblems, "a.go", "package a\nimport \"golang.org/x/time/rate\"\nfunc F(map[string]*rate.Limiter) {}", []string{"rate.Limiter"}},
		"dependency in a field":       {apiProblems, "a.go", "package a\nimport r \"golang.org/x/time/rate\"\ntype T struct { L r.Limit }", []string{"r.Limit"}},
		"dependency in an interface":  {apiProblems, "a.go", "package a\nimport \"golang.org/x/time/rate\"\ntype T interface { M() rate.Limit }", []string{"rate.Limit"}},
		"other type of the JSON":      {apiProblems, "a.go", "package a\nimport \"" + jsonV2 + "/jsontext\"\nvar V jsontext.Pointer", []string{"jsontext.Pointer"}},
		"sleep in a test":             {sleepProblems, "a_test.go", "package a\nimport \"time\"\nfunc f() { time.Sleep(1) }", []string{"a_test.go:3"}},
		"sleep in a file of synctest": {sleepProblems, "a_test.go", "package a\nimport (\"time\"; \"testing/synctest\")\nfunc f() { time.Sleep(1) }", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := parse(tt.path, tt.path, tt.src)
			if err != nil {
				t.Fatal(err)
			}
			wantProblems(t, tt.rule([]source{s}), tt.want...)
		})
	}
}

func TestExamplesCanPass(t *testing.T) {
	t.Parallel()
	var files []source
	for path, src := range map[string]string{
		"lint/a.go":      "package lint",
		"lint/a_test.go": "package lint_test\nimport \"fmt\"\nfunc Example() {\n\tfmt.Println(1)\n\t// Output: 1\n}",
		"lock/a.go":      "package lock",
		"lock/a_test.go": "package lock_test\nfunc Example() {\n}",
	} {
		s, err := parse(path, path, src)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, s)
	}
	wantProblems(t, exampleProblems(files), "lock has no Example")
}

func names(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "var V%d int\n", i)
	}
	return b.String()
}
