package sqlite_test

import (
	"path/filepath"
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
// a second process to it.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() helve.Store {
		t.Helper()
		path := filepath.Join(t.TempDir(), "a store with %?#.db")
		return func() helve.Store { return open(t, path, nil) }
	})
}
