package main

import (
	"context"
	"time"

	"helve.dev/helve/store/internal/pgtest"
	"helve.dev/helve/store/postgres"
)

func newPostgres(ctx context.Context) (string, func(), error) {
	dsn, drop, err := pgtest.New(ctx)
	if err != nil {
		return "", nil, err
	}
	return dsn, func() { _ = drop() }, nil // the server goes with it
}

func openPostgres(ctx context.Context, where string) (logged, func() error, error) {
	s, err := postgres.Open(ctx, where, &postgres.Config{Sweep: time.Second})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}
