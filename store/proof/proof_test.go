// Package proof holds what the stores promise together with an executor, shown
// with calls that nobody here wrote and with faults that others have shipped. It
// has tests alone.
package proof_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/schema"
	"helve.dev/helve/store/sqlite"
)

// A process opens the store once more, as a new process would, after the last one
// has ended.
type process func() helve.Store

// onStores runs a test on a new store of every kind.
func onStores(t *testing.T, test func(t *testing.T, restart process)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		m := helve.NewMemoryStore(&helve.MemoryConfig{Rows: 1 << 20})
		test(t, func() helve.Store { return m }) // it cannot be restarted: the program is its store
	})
	onDatabases(t, func(t *testing.T, where string) {
		t.Helper()
		end := func() {}
		t.Cleanup(func() { end() })
		test(t, func() helve.Store {
			end()
			s, closeStore, err := open(context.Background(), where)
			if err != nil {
				t.Fatal(err)
			}
			end = func() {
				if err := closeStore(); err != nil {
					t.Error(err)
				}
			}
			return s
		})
	})
}

// onDatabases runs a test on a new database of every kind, named as open takes it.
func onDatabases(t *testing.T, test func(t *testing.T, where string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, "sqlite:"+filepath.Join(t.TempDir(), "store.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, newPostgres(t)) })
}

// open opens a database.
func open(ctx context.Context, where string) (helve.Store, func() error, error) {
	if path, ok := strings.CutPrefix(where, "sqlite:"); ok {
		s, err := sqlite.Open(ctx, path, nil)
		if err != nil {
			return nil, nil, err
		}
		return s, s.Close, nil
	}
	return openPostgres(ctx, where)
}

// corpus returns the path of a file that nobody here wrote, or skips.
func corpus(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("HELVE_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpora")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no corpus at %s: set HELVE_CORPORA to the folder that holds the corpora", path)
	}
	return path
}

// lines decodes a file of JSON lines.
func lines[T any](t *testing.T, name string) []T {
	t.Helper()
	f, err := os.Open(corpus(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var out []T
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var v T
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, v)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// A tool is one of a corpus.
type tool struct {
	Domain      string
	Suite       string
	Name        string
	Description string
	Parameters  jsontext.Value
	Effect      string
	Destructive bool
}

// UnmarshalJSON reads the names as the corpora write them.
func (d *tool) UnmarshalJSON(b []byte) error {
	type plain tool
	return json.Unmarshal(b, (*plain)(d), json.MatchCaseInsensitiveNames(true))
}

// make binds the tool to a handler.
func (d *tool) make(t *testing.T, h helve.Handler) *helve.Tool {
	t.Helper()
	effect := helve.Read
	switch {
	case d.Destructive:
		effect = helve.Destructive
	case d.Effect == "write":
		effect = helve.Write
	}
	in, err := schema.Parse(d.Parameters)
	if err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	made, err := helve.New(helve.Contract{
		Name: d.Name, Effect: effect, Input: in, Description: d.Description + " (a tool of a corpus, for a test)",
	}, h)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func executor(t *testing.T, store helve.Store, cfg helve.Config, tools ...*helve.Tool) *helve.Executor {
	t.Helper()
	reg, err := helve.NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Store = store
	x, err := helve.NewExecutor(reg, &cfg)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func show(res *helve.Result) string {
	b, err := res.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(b)
}
