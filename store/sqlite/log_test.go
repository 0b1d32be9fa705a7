package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"helve.dev/helve/store/internal/logtest"
)

// Whatever is done to the file behind the store's back is found in the audit.
func TestLog(t *testing.T) {
	logtest.Run(t, func(t *testing.T) (logtest.Store, func(string)) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "store.db")
		return open(t, path, nil), func(query string) { tamper(t, path, query) }
	})
}

func tamper(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	res, err := db.ExecContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := res.RowsAffected(); n == 0 {
		t.Fatalf("nothing was changed by %s", query)
	}
}
