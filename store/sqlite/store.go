// Package sqlite keeps what executors must remember in a SQLite file: for one
// machine, and for the processes on it that share the file.
//
// The file is in WAL mode with synchronous FULL: what a method has returned
// survives a power failure. One writer commits for all callers of a process, so
// that many of them share a sync.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver

	"helve.dev/helve"
)

// A Config configures [Open]. The zero value is sensible.
type Config struct {
	// Retention says what may be forgotten. The zero value keeps everything.
	Retention helve.Retention
	// SweepEvery is how often the store looks for what time asks for. Zero: a
	// minute. Negative: never, somebody else calls Sweep.
	SweepEvery time.Duration
	// Logger gets what goes wrong in the background. Nil: discarded.
	Logger *slog.Logger
}

// A Store is a [helve.Store] in a SQLite file. It is safe for concurrent use, by
// several processes on one machine. Close it.
type Store struct {
	path    string
	cfg     Config
	writes  *sql.DB
	reads   *sql.DB
	queue   chan *operation
	taking  sync.RWMutex
	shut    bool          // no more operations are taken
	closing chan struct{} // closed after that
	once    sync.Once
	closed  error
	work    sync.WaitGroup

	reading sync.Map // prepared statements for reads, by their text
	commits atomic.Int64
	kept    keptBack
	changes broadcast
}

var _ helve.Store = (*Store)(nil)

const (
	busyTimeout  = 15 * time.Second // for a write of another process
	defaultSweep = time.Minute
	maxReaders   = 4
)

// Open opens the store in the file at path, and makes the file where there is
// none, readable by its owner only. A nil cfg means the zero Config. A file that
// a newer Helve has written, or that is none of Helve's, is refused; so are URLs
// and ":memory:", for which there is [helve.NewMemoryStore].
func Open(ctx context.Context, path string, cfg *Config) (*Store, error) {
	s := &Store{path: path, queue: make(chan *operation, maxBatch), closing: make(chan struct{})}
	if cfg != nil {
		s.cfg = *cfg
	}
	if s.cfg.Logger == nil {
		s.cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if s.cfg.SweepEvery == 0 {
		s.cfg.SweepEvery = defaultSweep
	}
	if err := s.open(ctx); err != nil {
		_ = s.closeFiles()
		return nil, fmt.Errorf("open the store %q: %w", path, err)
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) error {
	switch {
	case s.path == "":
		return errors.New("no file is named")
	case s.path == ":memory:":
		return errors.New("a store needs a file; helve.NewMemoryStore makes one in memory")
	case strings.HasPrefix(s.path, "sqlite:"), strings.HasPrefix(s.path, "file:"):
		return errors.New("it is opened by its path, not by a URL: leave out what stands before the path")
	}
	if info, err := os.Stat(s.path); err == nil && info.IsDir() {
		return errors.New("it is a folder: name a file in it")
	}
	// SQLite would make it readable by everybody.
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the folder %s does not exist", filepath.Dir(s.path))
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if s.writes, err = sql.Open("sqlite", dsn(s.path, "journal_mode(WAL)", "synchronous(FULL)", "wal_autocheckpoint(1000)")); err != nil {
		return err
	}
	s.writes.SetMaxOpenConns(1)
	if s.reads, err = sql.Open("sqlite", dsn(s.path, "query_only(1)")); err != nil {
		return err
	}
	s.reads.SetMaxOpenConns(maxReaders)
	s.reads.SetMaxIdleConns(maxReaders)
	if err := s.settle(ctx); err != nil {
		return err
	}
	w, err := newWriter(ctx, s)
	if err != nil {
		return err
	}
	s.work.Go(w.run)
	if s.cfg.SweepEvery > 0 {
		s.work.Go(s.housekeeping)
	}
	return nil
}

// settle brings the file into its mode and version. To change the mode of a new
// file SQLite does not wait for others who do the same, so it is tried again.
func (s *Store) settle(ctx context.Context) error {
	until := time.Now().Add(busyTimeout)
	for {
		err := s.migrate(ctx)
		if !busy(err) || time.Now().After(until) {
			return err
		}
		pause := time.NewTimer(10 * time.Millisecond)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
	}
}

// dsn names the file in the driver's way.
func dsn(path string, pragmas ...string) string {
	q := url.Values{"_pragma": append(pragmas, fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()))}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: q.Encode()}
	return u.String()
}

// Close waits for what is under way and closes the file. What is called after it
// fails. Closing twice is allowed.
func (s *Store) Close() error {
	s.once.Do(func() {
		s.flush(context.Background())
		s.taking.Lock()
		s.shut = true
		s.taking.Unlock()
		close(s.closing)
		s.work.Wait()
		s.closed = s.closeFiles()
	})
	return s.closed
}

func (s *Store) closeFiles() error {
	var errs []error
	s.reading.Range(func(_, st any) bool {
		_ = st.(*sql.Stmt).Close()
		return true
	})
	for _, db := range []*sql.DB{s.reads, s.writes} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// query reads with a statement that is prepared once.
func (s *Store) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	st, err := s.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

// queryRow is query for one row.
func (s *Store) queryRow(ctx context.Context, text string, args ...any) scanner {
	st, err := s.prepared(ctx, text)
	if err != nil {
		return failedRow{err}
	}
	return st.QueryRowContext(ctx, args...)
}

func (s *Store) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	select {
	case <-s.closing:
		return nil, errClosed
	default:
	}
	if st, ok := s.reading.Load(text); ok {
		return st.(*sql.Stmt), nil
	}
	st, err := s.reads.PrepareContext(ctx, text)
	if err != nil {
		return nil, readable(err)
	}
	if first, raced := s.reading.LoadOrStore(text, st); raced {
		_ = st.Close()
		return first.(*sql.Stmt), nil
	}
	return st, nil
}

// A failedRow is the row of a query that could not be made.
type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

// Commits returns how many transactions this store has committed. Calls that come
// at once share one.
func (s *Store) Commits() int64 { return s.commits.Load() }

// housekeeping sweeps now and then.
func (s *Store) housekeeping() {
	tick := time.NewTicker(s.cfg.SweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.closing:
			return
		case <-tick.C:
		}
		if _, err := s.Sweep(context.Background(), s.cfg.Retention); err != nil && !errors.Is(err, errClosed) {
			s.cfg.Logger.Error("the store could not be swept", "store", s.path, "error", err.Error())
		}
	}
}
