// Command crash kills processes in the middle of calls, and counts what became of
// the calls.
//
// Workers run tools with effects against a backend that remembers every effect
// that it gets. They are killed with SIGKILL at random: before the effect, after
// it, between effect and record, during a heartbeat. They are started again, and
// the calls are sent again under the same keys. In the end no effect of a tool
// that is not repeatable may have happened twice, and none may be lost.
//
//	go run ./crash --store sqlite --calls 2000 --kills 200 --out crash.json
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/store/internal/pgtest"
)

func main() {
	if os.Getenv(envWorker) != "" {
		os.Exit(work())
	}
	if pgtest.Watch() {
		return
	}
	defer pgtest.Stop()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1) //nolint:gocritic // exitAfterDefer: the process ends
	}
}

// run runs the harness on each store and writes the report.
func run(ctx context.Context, args []string, log io.Writer) error {
	flags := flag.NewFlagSet("crash", flag.ContinueOnError)
	flags.SetOutput(log)
	stores := flags.String("store", "sqlite,postgres", "which `stores`: sqlite, postgres, or both with a comma")
	cfg := config{log: log}
	flags.IntVar(&cfg.calls, "calls", 2000, "how many calls on each store at least")
	flags.IntVar(&cfg.kills, "kills", 200, "how many kills on each store at least")
	flags.IntVar(&cfg.workers, "workers", 6, "how many worker processes")
	flags.Uint64Var(&cfg.seed, "seed", 0, "what chance begins with; 0: the clock")
	out := flags.String("out", "", "the `file` for the report; default: standard output")
	if err := flags.Parse(args); err != nil {
		return err
	}
	report := map[string]*result{}
	var bad []error
	for name := range strings.SplitSeq(*stores, ",") {
		r, err := runOn(ctx, name, cfg)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		report[name] = r
		bad = append(bad, r.check(name))
	}
	raw, err := json.Marshal(report, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if *out == "" {
		_, err = fmt.Printf("%s\n", raw)
	} else {
		if err := os.MkdirAll(filepath.Dir(*out), 0o750); err != nil {
			return err
		}
		err = os.WriteFile(*out, append(raw, '\n'), 0o600)
	}
	return errors.Join(append(bad, err)...)
}
