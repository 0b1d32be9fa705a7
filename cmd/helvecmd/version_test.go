package helvecmd

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	build := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: version}, Settings: settings}
	}
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "1a2b3c"}
	for _, tt := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"no modules", nil, "(unknown)"},
		{"no version", build(""), "(devel), commit unknown, go1.26.0"},
		{"a release", build("v0.1.0", commit), "v0.1.0, commit 1a2b3c, go1.26.0"},
		{
			"changes", build("(devel)", commit, debug.BuildSetting{Key: "vcs.modified", Value: "true"}, debug.BuildSetting{Key: "vcs.time", Value: "2026-03-11T09:00:00Z"}),
			"(devel), commit 1a2b3c of 2026-03-11T09:00:00Z with changes, go1.26.0",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := version(tt.info); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
