package audit

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// A Proof shows that an entry is in the log that has a root, without the rest of
// the log.
type Proof struct {
	Tenant string `json:"tenant"`
	Seq    int64  `json:"seq"`
	// Leaf is the text that the log hashes.
	Leaf string `json:"leaf"`
	// Payload is what the leaf has a digest of, where it is still there.
	Payload string           `json:"payload,omitempty"`
	Size    int64            `json:"size"`
	Root    tlog.Hash        `json:"root"`
	Path    tlog.RecordProof `json:"path"`
}

// Prove makes the proof of an entry in the log of a size; zero means as it stands.
func Prove(ctx context.Context, log Log, tenant string, seq, size int64) (*Proof, error) {
	now, err := log.AuditSize(ctx, tenant)
	if err != nil {
		return nil, err
	}
	switch {
	case size == 0:
		size = now
	case size < 0 || size > now:
		return nil, fmt.Errorf("there is no log of size %d: it has %d entries", size, now)
	}
	if seq < 1 || seq > size {
		return nil, fmt.Errorf("there is no entry %d: the log has %d", seq, size)
	}
	found, err := log.AuditRows(ctx, tenant, seq-1, 1)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || found[0].Seq != seq {
		return nil, fmt.Errorf("entry %d is missing: run verify", seq)
	}
	p := &Proof{Tenant: tenant, Seq: seq, Leaf: string(found[0].Leaf()), Payload: found[0].Payload, Size: size}
	tree := hashes(ctx, log, tenant)
	if p.Root, err = tlog.TreeHash(size, tree); err != nil {
		return nil, err
	}
	if p.Path, err = tlog.ProveRecord(size, seq-1, tree); err != nil {
		return nil, err
	}
	return p, p.Check()
}

// Check reports whether the leaf is entry Seq of a log of this size and root.
// Whether that root is the right one, a checkpoint says.
func (p *Proof) Check() error {
	if p.Seq < 1 || p.Seq > p.Size {
		return errors.New("the proof is of no entry")
	}
	if err := tlog.CheckRecord(p.Path, p.Size, p.Root, p.Seq-1, tlog.RecordHash([]byte(p.Leaf))); err != nil {
		return fmt.Errorf("entry %d is not in the log: %w", p.Seq, err)
	}
	return nil
}
