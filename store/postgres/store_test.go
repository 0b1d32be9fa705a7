package postgres_test

import (
	"os"
	"testing"

	"helve.dev/helve"
	"helve.dev/helve/store/internal/pgtest"
	"helve.dev/helve/store/postgres"
	"helve.dev/helve/storetest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func open(t testing.TB, dsn string, cfg *postgres.Config) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), dsn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// The store keeps the promises of its interface, with each handle a process.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() helve.Store {
		t.Helper()
		dsn := pgtest.DSN(t)
		return func() helve.Store { return open(t, dsn, nil) }
	})
}
