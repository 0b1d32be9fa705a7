package tasks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// version is the version of the schema, which lies in user_version.
const version = 1

// schema makes an empty database one of tasks.
const schema = `
CREATE TABLE tasks (
	number     INTEGER PRIMARY KEY AUTOINCREMENT,
	title      TEXT NOT NULL CHECK (title <> ''),
	due        TEXT CHECK (due GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
	done       INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
	key        TEXT UNIQUE CHECK (key <> ''),
	created_at INTEGER NOT NULL
) STRICT;
PRAGMA user_version = 1;`

// Open opens the tasks in the file at path. A file that doesn't exist is made,
// readable by its owner alone, but not a folder for it. With the path "" the
// tasks are in memory and end with the Store.
//
// The error is ErrUnavailable. It is ErrNotDatabase too when the file holds
// something else, which is left as it is, and ErrNewer when it was written by
// a later version.
func Open(path string) (*Store, error) {
	s, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return s, nil
}

// open is Open without ErrUnavailable.
func open(path string) (*Store, error) {
	name := ":memory:"
	if path != "" {
		if err := touch(path); err != nil {
			return nil, err
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		name = (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String()
	}
	db, err := sql.Open("sqlite", name+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	// One connection is enough for a person's tasks, and a database in memory
	// belongs to its connection.
	db.SetMaxOpenConns(1)
	ctx := context.Background()
	err = migrate(ctx, db)
	if err == nil {
		// Not before: somebody else's database is left as it is.
		_, err = db.ExecContext(ctx, "PRAGMA journal_mode = WAL")
	}
	if err != nil {
		return nil, errors.Join(explain(err), db.Close())
	}
	return &Store{db: db}, nil
}

// touch makes the file, which SQLite would make readable by others. What is
// no regular file is refused: a pipe would never open.
func touch(path string) error {
	info, err := os.Stat(path)
	if err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%w: not a regular file", ErrNotDatabase)
		}
		return nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// migrate brings an empty database to the schema and checks any other.
func migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var found, tables, ours int
	const look = `SELECT (SELECT user_version FROM pragma_user_version), count(*), count(*) FILTER (WHERE name = 'tasks') FROM sqlite_schema`
	if err := tx.QueryRowContext(ctx, look).Scan(&found, &tables, &ours); err != nil {
		return err
	}
	switch {
	case found == 0 && tables == 0:
		if _, err := tx.ExecContext(ctx, schema); err != nil {
			return fmt.Errorf("create schema: %w", err)
		}
		return tx.Commit()
	case ours == 0 || found == 0:
		return fmt.Errorf("%w: it is a database of another program", ErrNotDatabase)
	case found > version:
		return fmt.Errorf("%w: schema %d, this one knows %d", ErrNewer, found, version)
	}
	return nil
}

// explain makes ErrNotDatabase of SQLite's own word for it.
func explain(err error) error {
	if sqliteErr, ok := errors.AsType[*sqlite.Error](err); ok && sqliteErr.Code() == sqlite3.SQLITE_NOTADB {
		return fmt.Errorf("%w: %w", ErrNotDatabase, err)
	}
	return err
}
