package helvecmd

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// newVersion returns the subcommand version.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Tell version and commit",
		Example: "  NAME version",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", cmd.Root().Name(), version(info))
			return err
		},
	}
}

// version tells version, commit and Go version of a build. A nil info, of a
// program that was built without modules, has none of them.
func version(info *debug.BuildInfo) string {
	if info == nil {
		return "(unknown)"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	out := info.Main.Version
	if out == "" {
		out = "(devel)"
	}
	switch commit := settings["vcs.revision"]; {
	case commit == "":
		out += ", commit unknown"
	default:
		out += ", commit " + commit
		if at := settings["vcs.time"]; at != "" {
			out += " of " + at
		}
		if settings["vcs.modified"] == "true" {
			out += " with changes"
		}
	}
	return strings.TrimSpace(out + ", " + info.GoVersion)
}
