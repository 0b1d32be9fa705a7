// Package licensetest checks the licences of what is compiled into Helve.
package licensetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// licenses are the licences that we know, each with words that only its text
// has. The first that fits counts. Those that are not allowed are listed so
// that the test can name them.
var licenses = []struct {
	name    string
	allowed string // "yes", "tests" (not in what is shipped) or "no"
	words   []string
}{
	{"AGPL", "no", []string{"GNU AFFERO GENERAL PUBLIC LICENSE"}},
	{"LGPL", "no", []string{"GNU LESSER GENERAL PUBLIC LICENSE"}},
	{"GPL", "no", []string{"GNU GENERAL PUBLIC LICENSE"}},
	{"BUSL", "no", []string{"Business Source License"}},
	{"MPL-2.0", "tests", []string{"Mozilla Public License Version 2.0"}},
	{"Apache-2.0", "yes", []string{"Apache License", "Version 2.0"}},
	{"BSD-3-Clause", "yes", []string{"Redistribution and use in source and binary forms", "endorse or promote"}},
	{"BSD-2-Clause", "yes", []string{"Redistribution and use in source and binary forms", "this list of conditions"}},
	{"MIT", "yes", []string{"Permission is hereby granted, free of charge", "without restriction"}},
	{"ISC", "yes", []string{"Permission to use, copy, modify, and/or distribute this software for any purpose"}},
	{"ISC", "yes", []string{"Permission to use, copy, modify, and distribute this software for any purpose"}},
}

func TestLicenses(t *testing.T) {
	shipped, tested := map[string]string{}, map[string]string{}
	var work struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal(run(t, "../..", "", "go", "work", "edit", "-json"), &work); err != nil {
		t.Fatal(err)
	}
	const format = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}"
	for _, use := range work.Use {
		dir := filepath.Join("../..", use.DiskPath)
		for _, goos := range []string{"linux", "darwin", "windows"} {
			collect(shipped, run(t, dir, goos, "go", "list", "-e", "-deps", "-f", format, "./..."))
		}
		collect(tested, run(t, dir, "", "go", "list", "-e", "-deps", "-test", "-f", format, "./..."))
	}
	for _, path := range slices.Sorted(maps.Keys(tested)) {
		if _, ok := shipped[path]; !ok {
			check(t, path, tested[path], true)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(shipped)) {
		check(t, path, shipped[path], false)
	}
}

func check(t *testing.T, path, dir string, testOnly bool) {
	t.Helper()
	name, problem := judge(read(t, dir), testOnly)
	if problem != "" {
		t.Errorf("%s: %s", path, problem)
	} else {
		t.Logf("%-14s %s (only in tests: %t)", name, path, testOnly)
	}
}

// judge names the licence of a text and says what is wrong with it, if
// anything is.
func judge(text string, testOnly bool) (name, problem string) {
	text = strings.Join(strings.Fields(text), " ")
	for _, l := range licenses {
		if slices.ContainsFunc(l.words, func(w string) bool { return !strings.Contains(text, w) }) {
			continue
		}
		if l.allowed == "no" || l.allowed == "tests" && !testOnly {
			return l.name, fmt.Sprintf("licence %s is not allowed here", l.name)
		}
		return l.name, ""
	}
	return "", "no licence that we know"
}

// read returns the text of the licence files at the top of a module.
func read(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	for _, pattern := range []string{"LICENSE*", "LICENCE*", "License*", "license*", "COPYING*"} {
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, f := range files {
			if data, err := os.ReadFile(f); err == nil && !strings.Contains(f, "3RD-PARTY") {
				text.Write(data)
			}
		}
	}
	return text.String()
}

func collect(into map[string]string, out []byte) {
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(path, "helve.dev/") {
			into[path] = dir
		}
	}
}

func run(t *testing.T, dir, goos string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if goos != "" {
		cmd.Env = append(cmd.Env, "GOOS="+goos)
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s in %s: %v", name, strings.Join(args, " "), dir, err)
	}
	return out
}

func TestJudge(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text          string
		testOnly      bool
		name, problem string
	}{
		"MIT":           {"Permission is hereby granted, free of charge, to\nany person, without restriction", false, "MIT", ""},
		"MPL shipped":   {"Mozilla Public License Version 2.0", false, "MPL-2.0", "licence MPL-2.0 is not allowed here"},
		"MPL in a test": {"Mozilla Public License\nVersion 2.0", true, "MPL-2.0", ""},
		"GPL":           {"GNU GENERAL PUBLIC LICENSE Version 3", true, "GPL", "licence GPL is not allowed here"},
		"none":          {"", false, "", "no licence that we know"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name, problem := judge(tt.text, tt.testOnly); name != tt.name || problem != tt.problem {
				t.Errorf("got %q, %q, want %q, %q", name, problem, tt.name, tt.problem)
			}
		})
	}
}
