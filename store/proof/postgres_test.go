package proof_test

import (
	"context"
	"errors"
	"testing"

	"helve.dev/helve"
)

func newPostgres(t testing.TB) string { t.Helper(); t.Skip("not yet"); return "" }

func fillPostgres(testing.TB, string, int) {}

func openPostgres(context.Context, string) (helve.Store, func() error, error) {
	return nil, nil, errors.New("not yet")
}
