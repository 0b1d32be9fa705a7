package postgres

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestMigrationsAreNumbered(t *testing.T) {
	t.Parallel()
	all, err := readMigrations(migrations)
	if err != nil || len(all) == 0 || all[0].version != 1 {
		t.Fatalf("%d migrations, %v", len(all), err)
	}
	for name, files := range map[string][]string{
		"gap":       {"migrations/0001_a.sql", "migrations/0003_b.sql"},
		"twice":     {"migrations/0001_a.sql", "migrations/0001_b.sql"},
		"no number": {"migrations/first.sql"},
	} {
		from := fstest.MapFS{}
		for _, f := range files {
			from[f] = &fstest.MapFile{}
		}
		if _, err := readMigrations(from); err == nil || !strings.Contains(err.Error(), "was expected") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
