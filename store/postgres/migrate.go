package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed migrations/*.sql
var migrations embed.FS

// A migration takes a schema from one version to the next.
type migration struct {
	version int
	name    string
	sql     string
}

// readMigrations reads files named 0001_what.sql, numbered from 1 without gaps.
func readMigrations(from fs.FS) ([]migration, error) {
	names, err := fs.Glob(from, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	var all []migration
	for i, path := range names {
		name := strings.TrimSuffix(strings.TrimPrefix(path, "migrations/"), ".sql")
		number, _, _ := strings.Cut(name, "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s: number %d was expected", name, i+1)
		}
		sql, err := fs.ReadFile(from, path)
		if err != nil {
			return nil, err
		}
		all = append(all, migration{i + 1, name, string(sql)})
	}
	return all, nil
}

// oldestServer has all that the migrations use.
const oldestServer = 130000

// migrate brings the schema, which must be the search path of conn, to the
// version of this program, in one transaction. Several processes may do it at once.
func migrate(ctx context.Context, conn *pgx.Conn, schema string, all []migration) error {
	var server int
	var encoding string
	err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_encoding')`).Scan(&server, &encoding)
	switch {
	case err != nil:
		return fmt.Errorf("ask for the server's version: %w", err)
	case server < oldestServer:
		return fmt.Errorf("the server is PostgreSQL %d: at least %d is needed", server/10000, oldestServer/10000)
	case encoding != "UTF8":
		return fmt.Errorf("the database's encoding is %s: create one with ENCODING 'UTF8' TEMPLATE template0", encoding)
	}
	// Who finds all in place needs neither the lock nor the right to create.
	if at, err := version(ctx, conn, schema); err != nil || at == len(all) {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('helve migrations of ' || $1, 0))`, schema); err != nil {
			return fmt.Errorf("wait for other processes to migrate: %w", err)
		}
		at, err := version(ctx, tx, schema)
		if err != nil {
			return err
		}
		if at > len(all) {
			return fmt.Errorf("the schema %s is at version %d and this program knows versions up to %d: "+
				"it was migrated by a newer one; run that, or restore the backup that was made before it", schema, at, len(all))
		}
		for _, m := range all[at:] {
			if err := apply(ctx, tx, schema, m); err != nil {
				return fmt.Errorf("migration %s of the schema %s: %w", m.name, schema, err)
			}
		}
		return nil
	})
}

func apply(ctx context.Context, tx pgx.Tx, schema string, m migration) error {
	sql := m.sql
	if m.version == 1 {
		sql = `CREATE TABLE helve_version (version integer PRIMARY KEY, name text NOT NULL, applied timestamptz NOT NULL DEFAULT statement_timestamp());` + sql
		var there bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, schema).Scan(&there); err != nil {
			return err
		}
		if !there {
			sql = `CREATE SCHEMA ` + quote(schema) + `;` + sql
		}
	}
	// Several statements at once need the simple protocol.
	if _, err := tx.Conn().PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO helve_version (version, name) VALUES ($1, $2)`, m.version, m.name)
	return err
}

// querier is a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// version returns that of the schema. Zero: nothing is there.
func version(ctx context.Context, q querier, schema string) (int, error) {
	var there bool
	// The tables are asked, and not to_regclass: that may answer from a cache which
	// is older than the wait for a lock in this transaction.
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relname = 'helve_version')`, schema).Scan(&there)
	if err != nil {
		return 0, fmt.Errorf("look for the schema %s: %w", schema, err)
	}
	if !there {
		return 0, nil
	}
	var at *int
	if err := q.QueryRow(ctx, `SELECT max(version) FROM `+quote(schema)+`.helve_version`).Scan(&at); err != nil {
		return 0, fmt.Errorf("read the version of the schema %s: %w", schema, err)
	}
	if at == nil {
		return 0, errors.New("the table helve_version of the schema " + schema + " is empty: restore it from a backup")
	}
	return *at, nil
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
