package audit

import (
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// A Log is the audit of a store, as it is stored.
type Log interface {
	// AuditTenants returns the tenants that have a log.
	AuditTenants(ctx context.Context) ([]string, error)
	// AuditSize returns how many entries a tenant's log should have.
	AuditSize(ctx context.Context, tenant string) (int64, error)
	// AuditRows returns up to n rows of a tenant's log after a number, in order.
	AuditRows(ctx context.Context, tenant string, after int64, n int) ([]Row, error)
	// AuditHashes returns up to limit stored hashes of one level of a tenant's tree,
	// from node n on, in order. Level 0 has the leaves; node n of a level stands over
	// nodes 2n and 2n+1 of the one below. What is no hash any more is left out.
	AuditHashes(ctx context.Context, tenant string, level int, n int64, limit int) ([]Node, error)
}

// A Node is a stored hash.
type Node struct {
	// N is its number within its level.
	N    int64
	Hash tlog.Hash
}

// hashes reads a tenant's tree in the order of package tlog.
func hashes(ctx context.Context, log Log, tenant string) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			level, n := tlog.SplitStoredHashIndex(index)
			found, err := log.AuditHashes(ctx, tenant, level, n, 1)
			if err != nil {
				return nil, err
			}
			if len(found) == 0 || found[0].N != n {
				return nil, fmt.Errorf("the audit of tenant %q lacks hash %d of level %d: run verify", tenant, n, level)
			}
			out[i] = found[0].Hash
		}
		return out, nil
	})
}

// pageSize is how many rows or hashes are read at once.
const pageSize = 500

// A range over a tenant's rows.
func rows(ctx context.Context, log Log, tenant string, each func(*Row) error) error {
	for after := int64(0); ; {
		page, err := log.AuditRows(ctx, tenant, after, pageSize)
		if err != nil || len(page) == 0 {
			return err
		}
		for i := range page {
			if err := each(&page[i]); err != nil {
				return err
			}
		}
		after = page[len(page)-1].Seq
	}
}
