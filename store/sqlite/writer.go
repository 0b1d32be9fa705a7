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
			w.commit(op)
		case <-w.s.closing:
			for {
				select {
				case op := <-w.s.queue:
					w.commit(op)
				default:
					return
				}
			}
		}
	}
}

// commit runs first, and what comes while that lasts, in one transaction.
func (w *writer) commit(first *operation) {
	ops := []*operation{first}
	patience := &patience{w: w}
	defer patience.end()
	next := func(i int) *operation {
		if i == len(ops) {
			op := patience.next(i)
			if op == nil {
				return nil
			}
			ops = append(ops, op)
		}
		return ops[i]
	}
	err := w.transact(next, false)
	if errors.Is(err, errHalfDone) {
		err = w.transact(next, true)
	}
	w.last = len(ops)
	for _, op := range ops {
		if op.err == nil {
			op.err = err
		}
		close(op.done)
	}
}

// patience finds the operations that share a commit. A caller who is alone is
// never kept waiting; where the last batch had several, those that it set free are
// given a part of a commit's time to come back, so that all of them go together
// and not by turns.
type patience struct {
	w     *writer
	timer *time.Timer
	over  bool
}

// next returns the operation that comes after n, or nil.
func (p *patience) next(n int) *operation {
	if n == maxBatch {
		return nil
	}
	select {
	case op := <-p.w.s.queue:
		return op
	default:
	}
	if p.over || n >= p.w.last {
		return nil
	}
	if p.timer == nil {
		p.timer = time.NewTimer(p.w.pace / 2)
	}
	select {
	case op := <-p.w.s.queue:
		return op
	case <-p.timer.C:
		p.over = true
		return nil
	}
}

func (p *patience) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
}

// errHalfDone: an operation failed after it had written, which only a savepoint
// can undo alone.
var errHalfDone = errors.New("an operation was half done")

// transact runs operations in one transaction. Few fail after they have written
// something, so a savepoint for each is only had when one did: with careful.
func (w *writer) transact(next func(int) *operation, careful bool) (err error) {
	t := &tx{w: w, ctx: context.Background(), careful: careful}
	if err := t.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	kept := w.s.kept.take()
	defer func() {
		if err != nil {
			_ = t.exec("ROLLBACK")
			clear(w.heads)
			w.s.kept.giveBack(kept)
		}
	}()
	if err := w.refresh(t); err != nil {
		return err
	}
	t.now = time.Now().UnixMicro()
	changed, err := w.appendKept(t, kept)
	for i := 0; err == nil; i++ {
		op := next(i)
		if op == nil {
			break
		}
		var stays bool
		stays, err = w.runOne(t, op)
		changed = changed || stays
	}
	if err != nil {
		return err
	}
	if !changed { // all of it was refused: there is nothing to sync
		return t.exec("ROLLBACK")
	}
	if err := t.storeHeads(); err != nil {
		return err
	}
	began := time.Now()
	if err := t.exec("COMMIT"); err != nil {
		return err
	}
	w.pace += (time.Since(began) - w.pace) / 8
	w.s.commits.Add(1)
	if t.told {
		w.s.changes.tell()
	}
	return nil
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
func (w *writer) appendKept(t *tx, kept []helve.AuditEntry) (stays bool, err error) {
	if len(kept) == 0 {
		return false, nil
	}
	op := &operation{ctx: t.ctx, do: func(t *tx) error {
		rows, err := rowsOf(kept)
		if err != nil {
			return err
		}
		return t.audit(rows)
	}}
	stays, err = w.runOne(t, op)
	if op.err != nil && err == nil {
		w.s.cfg.Logger.Error("entries of the audit could not be written", "store", w.s.path, "error", op.err.Error())
	}
	return stays, err
}

// runOne runs an operation and reports whether something of it is to stay. Its
// own error is the operation's; what is returned ends the transaction.
func (w *writer) runOne(t *tx, op *operation) (stays bool, err error) {
	t.wrote = false
	if !t.careful {
		op.err = t.try(op)
		if _, broken := errors.AsType[*driver.Error](op.err); op.err != nil && (t.wrote || broken) {
			return false, errHalfDone
		}
		return t.wrote, nil
	}
	if err := t.exec("SAVEPOINT op"); err != nil {
		return false, err
	}
	told := t.told
	t.before = map[string]*head{}
	if op.err = t.try(op); op.err != nil {
		t.told, t.wrote = told, false
		maps.Copy(w.heads, t.before)
		if err := t.exec("ROLLBACK TO op"); err != nil {
			return false, err
		}
	}
	return t.wrote, t.exec("RELEASE op")
}

// try runs an operation; a panic of it is its error.
func (t *tx) try(op *operation) (err error) {
	defer func() {
		if v := recover(); v != nil {
			t.wrote, err = true, fmt.Errorf("panic: %v", v)
		}
	}()
	if err := op.ctx.Err(); err != nil {
		return err
	}
	return op.do(t)
}

// A tx is what an operation works with.
type tx struct {
	w       *writer
	ctx     context.Context
	now     int64 // microseconds since 1970; one time for all of a batch
	careful bool  // each operation has a savepoint
	wrote   bool  // the operation did
	told    bool  // an approval was asked for or decided

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
