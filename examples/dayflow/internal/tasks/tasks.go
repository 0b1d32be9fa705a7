// Package tasks keeps a person's tasks in SQLite, in a file or in memory.
//
// Creating a task is idempotent by its key: whoever asks twice, because an
// answer was lost, gets the first task again and not a second one.
package tasks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"helve.dev/helve/examples/dayflow/internal/day"
)

// The errors of a Store. All of them are wrapped; use errors.Is.
var (
	// ErrUnavailable is in every error of Open.
	ErrUnavailable = errors.New("task store unavailable")
	// ErrNotDatabase says that the file holds something else than tasks.
	ErrNotDatabase = errors.New("the file is not a task database")
	// ErrNewer says that the file was written by a later version.
	ErrNewer = errors.New("the file is from a newer version")
	// ErrInvalid says that a task has no title, or too long a title or key.
	ErrInvalid = errors.New("not a valid task")
	// ErrNotFound says that there is no task with the ID.
	ErrNotFound = errors.New("no such task")
	// ErrKeyConflict says that the key was used for another task; see
	// KeyConflictError.
	ErrKeyConflict = errors.New("the key belongs to another task")
)

// KeyConflictError is returned by Create when the key was used before for a
// task with another title or another due date. It is an ErrKeyConflict.
type KeyConflictError struct {
	// First is the task that was created with the key.
	First Task
}

// Error names the key and the first task.
func (e *KeyConflictError) Error() string {
	return fmt.Sprintf("%v: key %q, task %s", ErrKeyConflict, e.First.Key, e.First.ID)
}

// Unwrap returns ErrKeyConflict.
func (e *KeyConflictError) Unwrap() error { return ErrKeyConflict }

// The bounds of a task, in bytes.
const (
	// MaxTitle is the length of the longest title.
	MaxTitle = 1000
	// MaxKey is the length of the longest key.
	MaxKey = 500
)

// Task is something to do.
type Task struct {
	// ID is given by the store, such as "task_1". IDs are never used again.
	ID string
	// Title says what is to be done. White space at its ends is dropped.
	Title string
	// Due is the day by which it is to be done; nil for none.
	Due *day.Date
	// Done says that it was done.
	Done bool
	// Key is what makes creating it idempotent; "" for no such protection.
	Key string
	// CreatedAt is the time of creation in UTC, to the millisecond.
	CreatedAt time.Time
}

// Store holds tasks. It is safe for concurrent use, also by several processes
// that have opened the same file.
type Store struct {
	db *sql.DB
}

// Create adds a task with the title, the due date and the key of t; the other
// fields are set by the store. If the key is known, nothing is added: for the
// same title and due date the first task comes back and created is false,
// whether or not it has been done since, and for others the error is a
// *KeyConflictError. The error is ErrInvalid for a task out of bounds.
func (s *Store) Create(ctx context.Context, t Task) (task Task, created bool, err error) {
	t.Title = strings.TrimSpace(t.Title)
	if t.Title == "" || len(t.Title) > MaxTitle || len(t.Key) > MaxKey {
		return Task{}, false, fmt.Errorf("%w: a title has 1 to %d bytes, a key at most %d", ErrInvalid, MaxTitle, MaxKey)
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return Task{}, false, fmt.Errorf("create task: %w", err)
	}
	defer tx.Rollback()
	if t.Key != "" {
		first, err := one(tx.QueryRowContext(ctx, selectTasks+"WHERE key = ?", t.Key))
		if err == nil {
			return same(first, t)
		}
		if !errors.Is(err, ErrNotFound) {
			return Task{}, false, err
		}
	}
	if task, err = insert(ctx, tx, t); err != nil {
		return Task{}, false, err
	}
	if err := tx.Commit(); err != nil {
		return Task{}, false, fmt.Errorf("create task: %w", err)
	}
	return task, true, nil
}

// same returns the first task if t asks for the same.
func same(first, t Task) (Task, bool, error) {
	if first.Title != t.Title || dueText(first.Due) != dueText(t.Due) {
		return Task{}, false, &KeyConflictError{First: first}
	}
	return first, false, nil
}

// insert writes t and returns it as it was written.
func insert(ctx context.Context, tx *sql.Tx, t Task) (Task, error) {
	t.Done, t.CreatedAt = false, time.Now().UTC().Truncate(time.Millisecond)
	due := dueText(t.Due)
	res, err := tx.ExecContext(ctx, `INSERT INTO tasks (title, due, key, created_at) VALUES (?, ?, ?, ?)`,
		t.Title, sql.NullString{String: due, Valid: due != ""},
		sql.NullString{String: t.Key, Valid: t.Key != ""}, t.CreatedAt.UnixMilli())
	if err != nil {
		return Task{}, fmt.Errorf("insert task: %w", err)
	}
	n, err := res.LastInsertId()
	if err != nil {
		return Task{}, fmt.Errorf("insert task: %w", err)
	}
	t.ID = idPrefix + strconv.FormatInt(n, 10)
	return t, nil
}

// List returns the tasks in the order of their due dates, those without one
// last, and of equals the older first. Done ones are among them if includeDone
// is set.
func (s *Store) List(ctx context.Context, includeDone bool) ([]Task, error) {
	rows, err := s.db.QueryContext(ctx, selectTasks+"WHERE NOT done OR ? ORDER BY due IS NULL, due, number", includeDone)
	if err != nil {
		return nil, fmt.Errorf("list tasks: %w", err)
	}
	defer rows.Close()
	var list []Task
	for rows.Next() {
		t, err := one(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list tasks: %w", err)
	}
	return list, nil
}

// Complete marks a task as done and returns it. Doing so again changes
// nothing. The error is ErrNotFound when there is no task with the ID.
func (s *Store) Complete(ctx context.Context, id string) (Task, error) {
	n, err := number(id)
	if err != nil {
		return Task{}, err
	}
	return one(s.db.QueryRowContext(ctx, "UPDATE tasks SET done = 1 WHERE number = ? RETURNING "+columns, n))
}

// Close closes the store. One in memory is gone then.
func (s *Store) Close() error { return s.db.Close() }

// idPrefix stands before the number of a task in its ID.
const idPrefix = "task_"

// number returns the number of a task from its ID.
func number(id string) (int64, error) {
	digits, ok := strings.CutPrefix(id, idPrefix)
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || strconv.FormatInt(n, 10) != digits {
		return 0, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	return n, nil
}

// The columns of a task, and the query for them.
const (
	columns     = "number, title, due, done, key, created_at"
	selectTasks = "SELECT " + columns + " FROM tasks "
)

// one reads the columns of one task. Without a row the error is ErrNotFound.
func one(row interface{ Scan(...any) error }) (Task, error) {
	var t Task
	var n, created int64
	var due, key sql.NullString
	err := row.Scan(&n, &t.Title, &due, &t.Done, &key, &created)
	if errors.Is(err, sql.ErrNoRows) {
		return Task{}, ErrNotFound
	}
	if err != nil {
		return Task{}, fmt.Errorf("read task: %w", err)
	}
	t.ID, t.Key, t.CreatedAt = idPrefix+strconv.FormatInt(n, 10), key.String, time.UnixMilli(created).UTC()
	if due.Valid {
		d, err := day.Parse(due.String)
		if err != nil {
			return Task{}, fmt.Errorf("read due date of %s: %w", t.ID, err)
		}
		t.Due = &d
	}
	return t, nil
}

// dueText returns a due date as it is stored, "" for none.
func dueText(d *day.Date) string {
	if d == nil {
		return ""
	}
	return d.String()
}
