package proof_test

import (
	"context"
	"errors"
	"testing"

	"helve.dev/helve"
)

func newPostgres(t *testing.T) string { t.Helper(); t.Skip("not yet"); return "" }

func openPostgres(context.Context, string) (helve.Store, func() error, error) {
	return nil, nil, errors.New("not yet")
}
