package audit

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// A Checkpoint says what a tenant's log was at a size. Signed, and kept where
// those who can write the database cannot write, it makes any later change of
// the log evident. Its text is that of C2SP tlog-checkpoint: origin, size, root.
type Checkpoint struct {
	Tenant string
	Size   int64
	Root   tlog.Hash
}

// originPrefix and the tenant make the origin of a checkpoint.
const originPrefix = "helve-audit/"

// Sign makes the checkpoint of a tenant's log as it stands, signed. It trusts the
// stored tree: verify the log before.
func Sign(ctx context.Context, log Log, tenant string, signer note.Signer) ([]byte, error) {
	size, err := log.AuditSize(ctx, tenant)
	if err != nil {
		return nil, err
	}
	root := tlog.Hash{}
	if size > 0 {
		if root, err = tlog.TreeHash(size, hashes(ctx, log, tenant)); err != nil {
			return nil, err
		}
	}
	text := fmt.Sprintf("%s%s\n%d\n%s\n", originPrefix, url.PathEscape(tenant), size, base64.StdEncoding.EncodeToString(root[:]))
	return note.Sign(&note.Note{Text: text}, signer)
}

// ParseCheckpoint reads one signed checkpoint; a signature of one of the
// verifiers must be good.
func ParseCheckpoint(signed []byte, by note.Verifiers) (*Checkpoint, error) {
	n, err := note.Open(signed, by)
	if err != nil {
		return nil, fmt.Errorf("read a checkpoint: %w", err)
	}
	lines := strings.Split(n.Text, "\n")
	if len(lines) < 4 {
		return nil, errors.New("read a checkpoint: it lacks origin, size or root")
	}
	escaped, ok := strings.CutPrefix(lines[0], originPrefix)
	if !ok {
		return nil, fmt.Errorf("read a checkpoint: %q is no log of Helve", lines[0])
	}
	c := &Checkpoint{}
	if c.Tenant, err = url.PathUnescape(escaped); err != nil {
		return nil, fmt.Errorf("read a checkpoint: %w", err)
	}
	if c.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil || c.Size < 0 {
		return nil, fmt.Errorf("read a checkpoint: %q is no size", lines[1])
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != len(c.Root) {
		return nil, fmt.Errorf("read a checkpoint: %q is no root", lines[2])
	}
	c.Root = tlog.Hash(root)
	return c, nil
}

// ParseCheckpoints reads a file of checkpoints, one after the other.
func ParseCheckpoints(file []byte, by note.Verifiers) ([]*Checkpoint, error) {
	var all []*Checkpoint
	for len(bytes.TrimSpace(file)) > 0 {
		next := len(file)
		if at := bytes.Index(file[1:], []byte("\n"+originPrefix)); at >= 0 {
			next = at + 2
		}
		c, err := ParseCheckpoint(bytes.TrimLeft(file[:next], "\n"), by)
		if err != nil {
			return nil, fmt.Errorf("checkpoint %d: %w", len(all)+1, err)
		}
		all = append(all, c)
		file = file[next:]
	}
	return all, nil
}
