package pgtest_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"helve.dev/helve/store/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// Each test has an empty database of its own, which is gone afterwards.
func TestDSN(t *testing.T) {
	count := func(dsn, sql string) (n int, err error) {
		conn, err := pgx.Connect(context.Background(), dsn)
		if err != nil {
			return 0, err
		}
		defer conn.Close(context.Background())
		err = conn.QueryRow(context.Background(), sql).Scan(&n)
		return n, err
	}
	var dsns [2]string
	t.Run("inner", func(t *testing.T) {
		for i := range dsns {
			dsns[i] = pgtest.DSN(t)
			if n, err := count(dsns[i], `SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`); err != nil || n != 0 {
				t.Errorf("%d tables, %v", n, err)
			}
		}
		if dsns[0] == dsns[1] {
			t.Error("two tests share a database")
		}
	})
	if dsns[0] == "" {
		t.Skip("no PostgreSQL for tests")
	}
	for _, dsn := range dsns {
		if _, err := count(dsn, `SELECT 1`); err == nil {
			t.Error("a database is left")
		}
	}
}
