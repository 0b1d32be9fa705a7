package proof_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"helve.dev/helve"
	"helve.dev/helve/store/internal/pgtest"
	"helve.dev/helve/store/postgres"
)

func newPostgres(tb testing.TB) string {
	tb.Helper()
	return pgtest.DSN(tb)
}

func fillPostgres(tb testing.TB, where string, rows int) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), where)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(tb.Context(), `
		INSERT INTO helve.ledger SELECT sha256(i::text::bytea), 'bench', 'send', 'old' || i, 1, 'cl', 'succeeded', '\x01', '\x00', '{}',
			'run' || (i % 1000), 'c', true, NULL, '', 0, NULL, '', false, 1, '{"data":"sent"}', now(), now() - i * interval '1 second', NULL
		FROM generate_series(1, $1::int) i`, rows)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := conn.Exec(tb.Context(), "ANALYZE helve.ledger"); err != nil { // as a server does by itself, some time later
		tb.Fatal(err)
	}
}

func openPostgres(ctx context.Context, where string) (helve.Store, func() error, error) {
	s, err := postgres.Open(ctx, where, nil)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}
