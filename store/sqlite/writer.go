package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"helve.dev/helve"
)

// maxBatch is how many operations share one commit at most.
const maxBatch = 128

var errClosed = errors.New("the store is closed")

// An operation is a piece of work for the writer: it happens as a whole or, on an
// error, not at all.
type operation struct {
	ctx  context.Context
	do   func(*tx) error
	done chan struct{}
	err  error
}

// write has the writer run do and waits until it is committed.
func (s *Store) write(ctx context.Context, do func(*tx) error) error {
	op := &operation{ctx: ctx, do: do, done: make(chan struct{})}
	if err := s.submit(op); err != nil {
		return err
	}
	// From here on it must be waited for: to go would leave open what became of it.
	<-op.done
	return op.err
}

func (s *Store) submit(op *operation) error {
	s.taking.RLock() // the writer goes on until nobody holds it
	defer s.taking.RUnlock()
	if s.shut {
		return errClosed
	}
	select {
	case s.queue <- op:
		return nil
	case <-op.ctx.Done():
		return op.ctx.Err()
	}
}

// A writer owns the one connection that writes.
type writer struct {
	s     *Store
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	heads map[string]*head // of the audit, as long as nobody else writes
	seen  int64            // data_version when they were read

	last int           // how many operations the last batch had
	pace time.Duration // how long a commit takes of late
}

func newWriter(ctx context.Context, s *Store) (*writer, error) {
	conn, err := s.writes.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &writer{s: s, conn: conn, stmts: map[string]*sql.Stmt{}, heads: map[string]*head{}}, nil
}

// run commits batches until the store closes. What came before is still done.
func (w *writer) run() {
	defer func() {
		for _, st := range w.stmts {
			_ = st.Close()
		}
		_ = w.conn.Close()
	}()
	for {
		select {
		case op := <-w.s.queue:
			w.commit(w.batch(op))
		case <-w.s.closing:
			for {
				select {
				case op := <-w.s.queue:
					w.commit(w.batch(op))
				default:
					return
				}
			}
		}
	}
}

// batch gathers what waits already. A caller who is alone is never kept waiting;
// where the last batch had several, those that it set free are given a part of a
// commit's time to come back, so that all of them go together and not by turns.
func (w *writer) batch(first *operation) []*operation {
	ops := []*operation{first}
	var over <-chan time.Time
	for len(ops) < maxBatch {
		select {
		case op := <-w.s.queue:
			ops = append(ops, op)
			continue
		default:
		}
		if w.last < 2 || len(ops) >= 2*w.last {
			return ops
		}
		if over == nil {
			timer := time.NewTimer(w.pace / 4)
			defer timer.Stop()
			over = timer.C
		}
		select {
		case op := <-w.s.queue:
			ops = append(ops, op)
		case <-over:
			return ops
		}
	}
	return ops
}

// commit runs operations in one transaction, each in a savepoint of its own.
func (w *writer) commit(ops []*operation) {
	began := time.Now()
	defer func() {
		w.last = len(ops)
		w.pace += (time.Since(began) - w.pace) / 8
		for _, op := range ops {
			close(op.done)
		}
	}()
	fail := func(err error) {
		for _, op := range ops {
			if op.err == nil {
				op.err = err
			}
		}
	}
	ctx := context.Background()
	t := &tx{w: w, ctx: ctx}
	if err := t.exec("BEGIN IMMEDIATE"); err != nil {
		fail(err)
		return
	}
	if err := w.refresh(t); err != nil {
		_ = t.exec("ROLLBACK")
		fail(err)
		return
	}
	t.now = time.Now().UnixMicro()
	kept := w.s.kept.take()
	changed := w.appendKept(t, kept)
	for _, op := range ops {
		changed = w.runOne(t, op) || changed
	}
	end := "COMMIT"
	if !changed {
		end = "ROLLBACK" // all of it was refused: there is nothing to sync
	}
	err := t.storeHeads()
	if err == nil {
		err = t.exec(end)
	}
	if err != nil {
		_ = t.exec("ROLLBACK")
		clear(w.heads)
		w.s.kept.giveBack(kept)
		fail(err)
		return
	}
	if changed {
		w.s.commits.Add(1)
		if t.told {
			w.s.changes.tell()
		}
	}
}

// refresh forgets what another process may have changed since the last batch.
func (w *writer) refresh(t *tx) error {
	var version int64
	if err := t.row("PRAGMA data_version", nil, &version); err != nil {
		return err
	}
	if version != w.seen {
		clear(w.heads)
		w.seen = version
	}
	return nil
}

// appendKept writes what was kept back until there was something to write.
func (w *writer) appendKept(t *tx, kept []helve.AuditEntry) bool {
	if len(kept) == 0 {
		return false
	}
	op := &operation{ctx: t.ctx, do: func(t *tx) error { return t.audit(kept) }}
	stays := w.runOne(t, op)
	if op.err != nil {
		w.s.cfg.Logger.Error("entries of the audit could not be written", "store", w.s.path, "error", op.err.Error())
	}
	return stays
}

// runOne runs an operation and reports whether something of it is to stay.
func (w *writer) runOne(t *tx, op *operation) (stays bool) {
	if op.err = op.ctx.Err(); op.err != nil {
		return false
	}
	if op.err = t.exec("SAVEPOINT op"); op.err != nil {
		return false
	}
	told, wrote := t.told, t.wrote
	t.wrote, t.before = false, map[string]*head{}
	defer func() {
		if v := recover(); v != nil {
			op.err = fmt.Errorf("panic: %v", v)
		}
		if op.err != nil {
			t.told, t.wrote = told, false
			maps.Copy(w.heads, t.before)
			_ = t.exec("ROLLBACK TO op")
		}
		if err := t.exec("RELEASE op"); err != nil && op.err == nil {
			op.err = err
		}
		stays = t.wrote
		t.wrote = t.wrote || wrote
	}()
	op.err = op.do(t)
	return false
}

// A tx is what an operation works with.
type tx struct {
	w     *writer
	ctx   context.Context
	now   int64 // microseconds since 1970; one time for all of a batch
	wrote bool
	told  bool // an approval was asked for or decided

	before map[string]*head // the heads that the operation has touched, as they were
}

func (t *tx) stmt(query string) (*sql.Stmt, error) {
	if st := t.w.stmts[query]; st != nil {
		return st, nil
	}
	st, err := t.w.conn.PrepareContext(t.ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%w in %s", err, query)
	}
	t.w.stmts[query] = st
	return st, nil
}

func (t *tx) exec(query string, args ...any) error {
	_, err := t.change(query, args...)
	return err
}

// change runs a statement and returns how many rows it changed.
func (t *tx) change(query string, args ...any) (int64, error) {
	st, err := t.stmt(query)
	if err != nil {
		return 0, readable(err)
	}
	res, err := st.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, readable(err)
	}
	n, err := res.RowsAffected()
	if n > 0 && len(args) > 0 {
		t.wrote = true
	}
	return n, err
}

// row runs a query for one row; sql.ErrNoRows where there is none.
func (t *tx) row(query string, args []any, into ...any) error {
	st, err := t.stmt(query)
	if err != nil {
		return readable(err)
	}
	return readable(st.QueryRowContext(t.ctx, args...).Scan(into...))
}

// query runs a query and hands each row to scan.
func (t *tx) query(query string, args []any, scan func(*sql.Rows) error) error {
	st, err := t.stmt(query)
	if err != nil {
		return readable(err)
	}
	rows, err := st.QueryContext(t.ctx, args...)
	return each(rows, err, scan)
}

func each(rows *sql.Rows, err error, scan func(*sql.Rows) error) error {
	if err != nil {
		return readable(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return readable(rows.Err())
}

// readable says in words what the operator can do about an error of SQLite.
func readable(err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if e, ok := errors.AsType[*driver.Error](err); ok {
		if advice := advices[e.Code()&0xff]; advice != "" { // the rest of the code says more than anybody needs
			return fmt.Errorf("%s: %w", advice, err)
		}
	}
	return err
}

// busy reports whether another process was in the way.
func busy(err error) bool {
	e, ok := errors.AsType[*driver.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

var advices = map[int]string{
	sqlite3.SQLITE_BUSY:     "another process has held the file for too long",
	sqlite3.SQLITE_FULL:     "the disk is full",
	sqlite3.SQLITE_READONLY: "the file, or its folder, may not be written",
	sqlite3.SQLITE_CORRUPT:  "the file is damaged: restore it from a backup",
	sqlite3.SQLITE_NOTADB:   "the file is no SQLite database",
	sqlite3.SQLITE_IOERR:    "the disk failed",
	sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
}

// A broadcast wakes everybody who waits.
type broadcast struct {
	mu sync.Mutex
	ch chan struct{}
}

// next returns what is closed at the next tell.
func (b *broadcast) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch == nil {
		b.ch = make(chan struct{})
	}
	return b.ch
}

func (b *broadcast) tell() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch != nil {
		close(b.ch)
		b.ch = nil
	}
}
