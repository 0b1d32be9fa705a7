package main

import (
	"context"
	"errors"
)

func newPostgres(context.Context) (string, func(), error) { return "", nil, errors.New("not yet") }

func openPostgres(context.Context, string) (logged, func() error, error) {
	return nil, nil, errors.New("not yet")
}
