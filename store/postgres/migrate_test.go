package postgres_test

import (
	"strings"
	"sync"
	"testing"

	"helve.dev/helve/store/internal/pgtest"
	"helve.dev/helve/store/postgres"
)

// Many processes start at once on an empty database; later ones find all there.
func TestMigrate(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := postgres.Open(t.Context(), dsn, &postgres.Config{MaxConns: 2})
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Close()
		})
	}
	all.Wait()
	ok(t, claimAndFinish(t.Context(), open(t, dsn, nil), "k", true))
	var rows, last int
	ok(t, connect(t, dsn).QueryRow(t.Context(), `SELECT count(*), max(version) FROM helve_version`).Scan(&rows, &last))
	if rows != last {
		t.Errorf("%d versions, the last is %d", rows, last)
	}
	// The data is still there for who comes later.
	if err := claimAndFinish(t.Context(), open(t, dsn, nil), "k", false); err == nil {
		t.Error("the key could be claimed again")
	}
}

func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	refused := func(t *testing.T, dsn string, want ...string) {
		t.Helper()
		_, err := postgres.Open(t.Context(), dsn, nil)
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("error %v, want one that says %q", err, w)
			}
		}
	}
	t.Run("newer", func(t *testing.T) {
		t.Parallel()
		dsn := pgtest.DSN(t)
		_ = open(t, dsn, nil).Close()
		run(t, connect(t, dsn), `INSERT INTO helve_version (version, name) VALUES (99, 'of tomorrow')`)
		refused(t, dsn, "schema helve is at version 99", "migrated by a newer one; run that, or restore")
	})
	t.Run("emptied", func(t *testing.T) {
		t.Parallel()
		dsn := pgtest.DSN(t)
		_ = open(t, dsn, nil).Close()
		run(t, connect(t, dsn), `DELETE FROM helve_version`)
		refused(t, dsn, "restore it from a backup")
	})
	// A migration that fails leaves nothing behind.
	t.Run("half", func(t *testing.T) {
		t.Parallel()
		dsn := pgtest.DSN(t)
		conn := connect(t, dsn)
		run(t, conn, `CREATE SCHEMA helve`)
		run(t, conn, `CREATE TABLE helve.runs (mine int)`)
		refused(t, dsn, "0001_tables", "already exists")
		var n int
		ok(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_tables WHERE schemaname = 'helve'`).Scan(&n))
		if n != 1 {
			t.Errorf("%d tables", n)
		}
		run(t, conn, `DROP TABLE helve.runs`)
		open(t, dsn, nil)
	})
}
