package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks a file as Helve's: "helv", see PRAGMA application_id.
const applicationID = 0x68656c76

// migrate brings the file to this version, in one transaction.
func (s *Store) migrate(ctx context.Context) error {
	files, err := fs.Glob(migrations, "migrations/*.sql") // in the order of their numbers
	if err != nil {
		return err
	}
	conn, err := s.writes.Conn(ctx)
	if err != nil {
		return readable(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return readable(err)
	}
	if err := migrateTo(ctx, conn, files); err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return readable(err)
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return readable(err)
}

func migrateTo(ctx context.Context, conn *sql.Conn, files []string) error {
	var id, version, tables int
	err := conn.QueryRowContext(ctx, `SELECT a.application_id, v.user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id a, pragma_user_version v`).Scan(&id, &version, &tables)
	if err != nil {
		return err
	}
	switch {
	case id != applicationID && (tables > 0 || id != 0):
		return errors.New("it is a database of another program: name another file")
	case version > len(files):
		return fmt.Errorf("it was written by a newer Helve (version %d of the tables, this one knows %d): use that one, or another file", version, len(files))
	case version == len(files):
		return nil
	}
	for _, file := range files[version:] {
		text, err := migrations.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	_, err = conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(files)))
	return err
}
