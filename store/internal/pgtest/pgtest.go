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
	if dir := os.Getenv(watchEnv); dir != "" {
		watch(dir)
		return 0
	}
	inMain = true
	code := m.Run()
	release()
	return code
}

var inMain bool

// DSN returns the URL of an empty database, which is dropped when the test is over.
func DSN(tb testing.TB) string {
	tb.Helper()
	if !inMain { // the watcher would run the tests once more
		tb.Fatal("the package needs a TestMain that calls pgtest.Main")
	}
	server, err := shared()
	if err != nil {
		if where := os.Getenv("HELVE_POSTGRES"); where == "" || where == "off" {
			tb.Skipf("no PostgreSQL for tests: %v", err)
		}
		tb.Fatalf("no PostgreSQL for tests: %v", err)
	}
	name := "helve_test_" + strings.ToLower(rand.Text()[:12])
	admin(tb, server, "CREATE DATABASE "+name+" ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
	tb.Cleanup(func() { admin(tb, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	u := *server
	u.Path = "/" + name
	return u.String()
}

// shared finds the server once for this process.
var shared = sync.OnceValues(func() (*url.URL, error) {
	switch where := os.Getenv("HELVE_POSTGRES"); where {
	case "off":
		return nil, errors.New("HELVE_POSTGRES is off")
	case "", "require":
		return acquire()
	default:
		u, err := url.Parse(where)
		if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
			return nil, errors.New("HELVE_POSTGRES is neither a URL of the scheme postgres nor require nor off")
		}
		return u, nil
	}
})

func admin(tb testing.TB, server *url.URL, sql string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, server.String())
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, sql); err != nil {
		tb.Fatal(err)
	}
}
