//go:build !unix

package pgtest

import (
	"errors"
	"net/url"
)

const watchEnv = "HELVE_PGTEST_WATCH"

func acquire(bool) (*url.URL, error) {
	return nil, errors.New("set HELVE_POSTGRES to the URL of a server: a private one is started on Unix only")
}

func release() {}

func watch(string) {}
