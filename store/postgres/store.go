// Package postgres keeps a [helve.Store] in PostgreSQL, for any number of
// processes and machines. Version 13 or later of the server is needed.
//
// A method that changes something is one transaction and as a rule one round trip. All
// decisions are made by the clock of the database; those of the machines play no
// part.
//
// The DSN leads to the server or to a pooler in session mode: the store has
// settings, prepared statements and notifications of its own on a connection.
//
// A claim must outlast a crash of the server, or a call may happen twice. Where
// the server's synchronous_commit is off, the store turns it on for itself;
// fsync is left to the operator.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"helve.dev/helve"
	"helve.dev/helve/store/audit"
)

// Config configures [Open]. The zero value is sensible.
type Config struct {
	// Schema holds the tables, and nothing else. It is created where it is missing.
	// Empty: "helve".
	Schema string
	// MaxConns bounds the connections of the pool. One more listens while somebody
	// watches approvals. Zero: pool_max_conns of the DSN, else 4 or the number of
	// CPUs, what is more.
	MaxConns int32
	// Sweep is how often [Store.Sweep] is called in the background. Zero: every
	// minute. Less than zero: never, and nothing else runs in the background.
	Sweep time.Duration
	// Retention is what it forgets. Zero: nothing, but leases are looked after.
	Retention helve.Retention
	// Logger is told where the background has trouble. Nil: nobody is.
	Logger *slog.Logger
}

// A Store is a [helve.Store] in a PostgreSQL database. It is safe for concurrent
// use. Two on the same database and schema are as two processes.
type Store struct {
	pool *pgxpool.Pool
	log  *slog.Logger
	hub  *hub

	told atomic.Bool // something may be in the inbox of the audit

	stop context.CancelFunc // of what runs in the background
	done sync.WaitGroup
}

var (
	_ helve.Store = (*Store)(nil)
	_ audit.Log   = (*Store)(nil)
)

// Open connects to the database that dsn names, as a URL
// ("postgres://user:password@host:port/database") or as words ("host=... user=..."),
// with what libpq reads from the environment, and brings its schema to the version
// of this program. A nil cfg means the zero Config. An error is a sentence for the
// operator and never holds the password. The caller closes the store.
func Open(ctx context.Context, dsn string, cfg *Config) (*Store, error) {
	c := Config{}
	if cfg != nil {
		c = *cfg
	}
	if c.Schema == "" {
		c.Schema = "helve"
	}
	if c.Sweep == 0 {
		c.Sweep = time.Minute
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	pc, err := poolConfig(dsn, &c)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("open the Postgres store: %w", err)
	}
	if err := prepare(ctx, pool, c.Schema); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the Postgres store: %w", err)
	}
	back, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &Store{pool: pool, log: c.Logger, stop: stop}
	s.hub = &hub{connect: listener(pc.ConnConfig), log: c.Logger, back: back, done: &s.done}
	if c.Sweep > 0 {
		s.done.Go(func() { s.housekeep(back, c.Sweep, c.Retention) })
	}
	return s, nil
}

func poolConfig(dsn string, c *Config) (*pgxpool.Config, error) {
	pc, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		// What is wrong with it may be quoted from the middle of a password.
		return nil, errors.New("open the Postgres store: the DSN cannot be read: " +
			"it is postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE, with what is special in the password percent-encoded, " +
			"or words such as host=HOST user=USER dbname=DATABASE")
	}
	if len(c.Schema) > 63 || escape(c.Schema) != c.Schema {
		return nil, fmt.Errorf("open the Postgres store: %q cannot be the name of a schema", c.Schema)
	}
	if c.MaxConns > 0 {
		pc.MaxConns = c.MaxConns
		pc.MinConns = min(pc.MinConns, c.MaxConns)
	}
	params := pc.ConnConfig.RuntimeParams
	if params["application_name"] == "" {
		params["application_name"] = "helve"
	}
	params["search_path"] = quote(c.Schema)
	// What locks rows decides on what it finds after it waited.
	params["default_transaction_isolation"] = "read committed"
	// Every statement looks up rows by an index. To plan one anew for the values of
	// each call costs more than it takes.
	params["plan_cache_mode"] = "force_generic_plan"
	// Who gives up a statement wants to know whether it was carried out: the server
	// is asked to cancel it, and its answer counts.
	pc.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelGrace}
	}
	pc.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`)
		return err
	}
	return pc, nil
}

// listener returns what connects to listen. A connection that only waits has
// nothing to cancel.
func listener(config *pgx.ConnConfig) func(context.Context) (*pgx.Conn, error) {
	config = config.Copy()
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()}
	}
	return func(ctx context.Context) (*pgx.Conn, error) { return pgx.ConnectConfig(ctx, config) }
}

func prepare(ctx context.Context, pool *pgxpool.Pool, schema string) error {
	all, err := readMigrations(migrations)
	if err != nil {
		return err
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return migrate(ctx, conn.Conn(), schema, all)
}

// cancelGrace is how long the server has to answer a statement that was given up.
const cancelGrace = time.Second

// closeGrace bounds what Close does for the audit.
const closeGrace = 2 * time.Second

// Close ends what runs in the background, waits for methods that are under way
// and closes the connections. Methods called afterwards return an error. It
// returns nil: what could not be done in the end is done by whoever opens the
// store next.
func (s *Store) Close() error {
	s.hub.close(s.stop)
	s.done.Wait()
	if s.told.Swap(false) {
		ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
		defer cancel()
		if err := s.collectAll(ctx); err != nil { // it stays where it is until somebody else collects it
			s.log.WarnContext(ctx, "close the Postgres store", "error", err)
		}
	}
	s.pool.Close()
	return nil
}

// housekeep sweeps every so often and collects the audit every second, until ctx
// is done.
func (s *Store) housekeep(ctx context.Context, every time.Duration, r helve.Retention) {
	sweep, second := time.NewTicker(every), time.NewTicker(time.Second)
	defer sweep.Stop()
	defer second.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			_, err = s.Sweep(ctx, r)
		case <-second.C:
			if s.told.Swap(false) {
				err = s.collectAll(ctx)
			}
		}
		if err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "look after the Postgres store", "error", err)
		}
	}
}

// maxAttempts is how often a transaction is tried that others got in the way of.
const maxAttempts = 5

// try calls fn until it is not the victim of a deadlock or of a serialization
// failure, which leave nothing behind. What a method was doing when its error
// came back is in verb.
func (s *Store) try(ctx context.Context, verb string, fn func() error) error {
	for attempt := 1; ; attempt++ {
		err := fn()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w: %w", verb, ctx.Err(), err)
		}
		if attempt == maxAttempts || !again(err) {
			return fmt.Errorf("%s: %w", verb, err)
		}
		jitter := rand.N(time.Duration(attempt) * 20 * time.Millisecond) //nolint:gosec // G404: it is no secret
		if err := pause(ctx, jitter); err != nil {
			return fmt.Errorf("%s: %w", verb, err)
		}
	}
}

func again(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01")
}

// persist calls fn, so many times at most, until its error is none of those that it
// is to persist in.
func persist(ctx context.Context, times int, in func(error) bool, fn func() error) error {
	for d := 50 * time.Millisecond; ; d = min(2*d, time.Second) {
		err := fn()
		if times--; times == 0 || !in(err) {
			return err
		}
		if pause(ctx, d) != nil {
			return err
		}
	}
}

// cut reports whether the connection broke, so that nobody knows whether a
// statement was carried out.
func cut(err error) bool {
	if away(err) {
		return false
	}
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// away reports whether the server shuts down, starts, or cannot be reached: a
// statement was not carried out.
func away(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(pg.Code, "57P")
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	return connecting
}

// pause waits for d or until ctx is done, and returns the reason then.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// row calls scan with the one row of a query, as often as try says. Without a
// row it is not called.
func (s *Store) row(ctx context.Context, verb, sql string, args []any, scan func(pgx.Rows) error) error {
	return s.try(ctx, verb, func() error {
		rows, err := s.pool.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		if rows.Next() {
			if err := scan(rows); err != nil {
				return err
			}
		}
		rows.Close()
		return rows.Err() // which tells whether it was committed
	})
}

// exec returns how many rows a statement changed.
func (s *Store) exec(ctx context.Context, verb, sql string, args ...any) (n int64, err error) {
	err = s.try(ctx, verb, func() error {
		tag, err := s.pool.Exec(ctx, sql, args...)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

// collect reads the rows of the last of several statements, which are sent
// together and are one transaction.
func collect[T any](ctx context.Context, s *Store, verb string, b *pgx.Batch, scan func(pgx.CollectableRow) (T, error)) ([]T, error) {
	list, err := func() ([]T, error) {
		res := s.pool.SendBatch(ctx, b)
		defer res.Close()
		for range b.Len() - 1 {
			if _, err := res.Exec(); err != nil {
				return nil, err
			}
		}
		rows, err := res.Query()
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, scan)
	}()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", verb, err)
	}
	if len(list) == 0 {
		return nil, nil
	}
	return list, nil
}

func micros(d time.Duration) int64 { return d.Microseconds() }
