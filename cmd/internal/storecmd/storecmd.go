// Package storecmd is what the helve command does with a store: approvals,
// ledger, runs and audit.
package storecmd

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"helve.dev/helve"
	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/store/audit"
	"helve.dev/helve/store/postgres"
	"helve.dev/helve/store/sqlite"
)

// envStore names the store where no flag does.
const envStore = "HELVE_STORE"

// A database is what every store of the command is.
type database interface {
	helve.Store
	audit.Log
	Close() error
}

// Add adds the subcommands to root. They expect to be run by
// [helve.dev/helve/cmd/helvecmd.Run], for their exit statuses.
func Add(root *cobra.Command) {
	var where string
	open := func(ctx context.Context) (database, error) { return openStore(ctx, where) }
	helvecmd.AddDesk(root, func(ctx context.Context) (*helvecmd.Desk, error) {
		db, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return &helvecmd.Desk{Store: db, Close: db.Close}, nil
	})
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "audit":
			addLog(cmd, open)
			fallthrough
		case "approvals", "ledger", "runs":
			cmd.PersistentFlags().StringVar(&where, "store", "", "the `store`: sqlite:FILE or postgres://... (default $"+envStore+")")
		}
	}
}

// openStore opens the store that a flag or the environment names.
func openStore(ctx context.Context, where string) (database, error) {
	if where == "" {
		where = os.Getenv(envStore)
	}
	scheme, rest, _ := strings.Cut(where, ":")
	switch scheme {
	case "":
		return nil, helvecmd.Usagef("name the store: --store sqlite:FILE, --store postgres://..., or %s", envStore)
	case "sqlite":
		// To look at a store must not make one.
		switch info, err := os.Stat(rest); {
		case rest == "":
			return nil, helvecmd.Usagef("name the file of the store: sqlite:FILE")
		case errors.Is(err, os.ErrNotExist):
			return nil, noFile(rest)
		case err == nil && info.IsDir():
			return nil, helvecmd.Usagef("%s is a folder: name the file in it, as in sqlite:FILE", rest)
		case err == nil && info.Mode().IsRegular() && info.Size() == 0:
			return nil, helvecmd.Usagef("%s is empty: it is the store of no program", rest)
		}
		return sqlite.Open(ctx, rest, &sqlite.Config{SweepEvery: -1})
	case "postgres", "postgresql":
		return postgres.Open(ctx, where, &postgres.Config{Sweep: -1})
	}
	if _, err := os.Stat(where); err == nil {
		return nil, helvecmd.Usagef("%q names no kind of store: did you mean sqlite:%s?", where, where)
	}
	return nil, helvecmd.Usagef("%q is no kind of store: write sqlite:FILE or postgres://...", scheme)
}

// noFile says that there is no such file, and that slashes belong to its name.
func noFile(path string) error {
	if after, ok := strings.CutPrefix(path, "//"); ok {
		return helvecmd.Usagef("there is no file %s: sqlite: is followed by the path alone; did you mean sqlite:%s?", path, after)
	}
	return helvecmd.Usagef("there is no file %s", path)
}
