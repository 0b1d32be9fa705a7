// Package pgtest gives tests a PostgreSQL database each.
//
// The server is a private cluster on 127.0.0.1, with everything that makes it
// durable turned off, in a folder of the user below [os.TempDir]. Test programs
// that run at the same time share it; the last of them stops and removes it, even
// where it was killed.
// Where the server's programs are missing and the tests run as root on Debian,
// its package is installed.
//
// The environment variable HELVE_POSTGRES says what happens otherwise:
//
//	(unset)      tests skip where there is no server
//	require      they fail then
//	durable      they fail then, and the server keeps its word, as one in use
//	             does: for measurements
//	off          they skip
//	postgres://  the server to use, with a user that may create databases
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Main runs the tests of a package and returns the exit code. A package whose
// tests call [DSN] has
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
func Main(m *testing.M) int {
	if Watch() {
		return 0
	}
	defer Stop()
	return m.Run()
}

var watched bool

// Watch must be the first thing that a program does which calls [New], and [Stop]
// the last. Where it returns true the process was started to watch over the
// server, has done so, and ends.
func Watch() bool {
	watched = true
	dir := os.Getenv(watchEnv)
	if dir != "" {
		watch(dir)
	}
	return dir != ""
}

// Stop ends the use of the server and waits until it is gone, if nobody else uses
// it.
func Stop() { release() }

// DSN returns the URL of an empty database, which is dropped when the test is over.
func DSN(tb testing.TB) string {
	tb.Helper()
	dsn, drop, err := New(context.Background())
	if err != nil {
		if where := os.Getenv("HELVE_POSTGRES"); where == "" || where == "off" {
			tb.Skipf("no PostgreSQL for tests: %v", err)
		}
		tb.Fatalf("no PostgreSQL for tests: %v", err)
	}
	tb.Cleanup(func() {
		if err := drop(); err != nil {
			tb.Error(err)
		}
	})
	return dsn
}

// New returns the URL of an empty database, and what drops it.
func New(ctx context.Context) (dsn string, drop func() error, err error) {
	if !watched {
		return "", nil, errors.New("the program must begin with pgtest.Watch, or the tests with pgtest.Main")
	}
	server, err := shared()
	if err != nil {
		return "", nil, err
	}
	name := "helve_test_" + strings.ToLower(rand.Text()[:12])
	if err := admin(ctx, server, "CREATE DATABASE "+name+" ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"); err != nil {
		return "", nil, err
	}
	u := *server
	u.Path = "/" + name
	return u.String(), func() error {
		return admin(context.WithoutCancel(ctx), server, "DROP DATABASE "+name+" WITH (FORCE)")
	}, nil
}

// shared finds the server once for this process.
var shared = sync.OnceValues(func() (*url.URL, error) {
	switch where := os.Getenv("HELVE_POSTGRES"); where {
	case "off":
		return nil, errors.New("HELVE_POSTGRES is off")
	case "", "require", "durable":
		return acquire(where == "durable")
	default:
		u, err := url.Parse(where)
		if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
			return nil, errors.New("HELVE_POSTGRES is neither a URL of the scheme postgres nor require nor durable nor off")
		}
		return u, nil
	}
})

func admin(ctx context.Context, server *url.URL, sql string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, server.String())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql)
	return err
}
