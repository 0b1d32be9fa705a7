package sqlite_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"helve.dev/helve"
	"helve.dev/helve/store/sqlite"
	"helve.dev/helve/storetest"
)

func open(t *testing.T, path string, cfg *sqlite.Config) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// The store keeps the promises of its interface; a second handle on the file is
// a second process to it. None of its statements reads a whole table.
func TestStore(t *testing.T) {
	var statements sync.Map
	t.Run("suite", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) func() helve.Store {
			t.Helper()
			path := filepath.Join(t.TempDir(), "a store with %?#.db")
			return func() helve.Store {
				s := open(t, path, nil)
				t.Cleanup(func() {
					for _, text := range s.Statements(context.Background()) {
						statements.Store(text, true)
					}
				})
				return s
			}
		})
	})
	s := open(t, filepath.Join(t.TempDir(), "plans.db"), nil)
	n := 0
	statements.Range(func(text, _ any) bool {
		n++
		steps, err := s.Plan(t.Context(), text.(string))
		if err != nil {
			t.Errorf("%v: %s", err, text)
		}
		for _, step := range steps {
			if readsAll(step) {
				t.Errorf("%s: %s", step, text)
			}
		}
		return true
	})
	if n < 30 {
		t.Errorf("only %d statements were seen", n)
	}
}

// readsAll reports whether a step reads all rows of a table, or all of a tenant
// or tool in the ledger.
func readsAll(step string) bool {
	return strings.HasPrefix(step, "SCAN ") && step != "SCAN CONSTANT ROW" ||
		strings.HasPrefix(step, "SEARCH ledger USING PRIMARY KEY (tenant=?") && !strings.Contains(step, "key=?")
}

func TestReadsAll(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "store.db"), nil)
	for text, want := range map[string]bool{
		"SELECT 1 FROM ledger WHERE run = ?1":                                   true,
		"SELECT 1 FROM ledger WHERE tenant = ?1 AND scope = ?2 AND state = 'x'": true,
		"SELECT 1 FROM ledger WHERE tenant = ?1 AND scope = ?2 AND key = ?3":    false,
	} {
		steps, err := s.Plan(t.Context(), text)
		if err != nil || slices.ContainsFunc(steps, readsAll) != want {
			t.Errorf("%s: %v, %v", text, steps, err)
		}
	}
}
