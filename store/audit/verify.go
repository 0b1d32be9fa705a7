package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// A Report is what [Verify] found.
type Report struct {
	Tenant string `json:"tenant"`
	// Entries were read and are in the tree.
	Entries int64 `json:"entries"`
	// Erased counts entries whose payload is gone.
	Erased int64 `json:"erased"`
	// Root is the hash of the whole tree.
	Root tlog.Hash `json:"root"`
	// Checkpoints is how many were compared.
	Checkpoints int `json:"checkpoints"`
	// Bad is the first entry that is not what was recorded. Nil: none.
	Bad *Bad `json:"bad,omitempty"`
}

// Bad is where a log differs from what was recorded.
type Bad struct {
	// Seq is the number of the first entry that is wrong, or might be.
	Seq int64  `json:"seq"`
	Why string `json:"why"`
}

// String says it in a sentence.
func (b *Bad) String() string { return fmt.Sprintf("entry %d: %s", b.Seq, b.Why) }

// Verify reads a tenant's whole log, computes its tree anew, and compares it with
// the stored one and with checkpoints that were kept elsewhere. What was changed,
// removed, added or put in another place is found; who can write the database can
// hide it from the stored tree, but not from a checkpoint. The error is one of
// reading; what is wrong with the log is in the report.
func Verify(ctx context.Context, log Log, tenant string, known ...*Checkpoint) (*Report, error) {
	size, err := log.AuditSize(ctx, tenant)
	if err != nil {
		return nil, err
	}
	v := &verifier{ctx: ctx, log: log, report: &Report{Tenant: tenant}}
	for _, c := range known {
		if c.Tenant == tenant {
			v.known = append(v.known, c)
		}
	}
	slices.SortStableFunc(v.known, func(a, b *Checkpoint) int { return cmp.Compare(a.Size, b.Size) })
	v.compare()
	if err := rows(ctx, log, tenant, v.row); err != nil {
		return nil, err
	}
	r := v.report
	r.Root = v.root()
	switch {
	case r.Bad != nil:
	case r.Entries < size:
		r.Bad = &Bad{r.Entries + 1, fmt.Sprintf("it is missing, with all after it: the log should have %d entries", size)}
	case len(v.known) > 0:
		c := v.known[0]
		r.Bad = &Bad{r.Entries + 1, fmt.Sprintf("it is missing, with all after it: a checkpoint was signed at %d entries", c.Size)}
	}
	return r, nil
}

// A verifier computes a tree from the left to the right.
type verifier struct {
	ctx    context.Context
	log    Log
	report *Report
	edge   []tlog.Hash // of the complete subtrees, the largest first; bit i of the size has one of level i
	known  []*Checkpoint
	stored [][]Node // of each level, what was read ahead
}

func (v *verifier) row(row *Row) error {
	r := v.report
	if r.Bad != nil {
		return nil
	}
	if want := r.Entries + 1; row.Seq != want {
		r.Bad = &Bad{want, "it is missing"}
		if row.Seq < want {
			r.Bad = &Bad{row.Seq, "it is there twice, or has no place in the log"}
		}
		return nil
	}
	if r.Bad = unreadable(row); r.Bad != nil {
		return nil
	}
	if err := v.add(row.Seq-1, row.Hash()); err != nil || r.Bad != nil {
		return err
	}
	r.Entries++
	if row.erased() {
		r.Erased++
	}
	v.compare()
	return nil
}

// unreadable returns what keeps a row from being read, or nil.
func unreadable(row *Row) *Bad {
	if _, err := row.Read(); err != nil {
		return &Bad{row.Seq, err.Error()}
	}
	return nil
}

// add puts leaf n into the tree, and compares the nodes that it completes with
// those that are stored.
func (v *verifier) add(n int64, h tlog.Hash) error {
	for level := 0; ; level++ {
		stored, ok, err := v.next(level, n)
		if err != nil {
			return err
		}
		if !ok || stored != h {
			first := n<<level + 1
			why := "it was changed after it was recorded"
			switch {
			case !ok:
				why = "its hash is missing"
			case level > 0:
				why = fmt.Sprintf("one of entries %d to %d was changed together with its hash", first, first+1<<level-1)
			}
			v.report.Bad = &Bad{first, why}
			return nil
		}
		if n&1 == 0 {
			v.edge = append(v.edge, h)
			return nil
		}
		h = tlog.NodeHash(v.edge[len(v.edge)-1], h)
		v.edge = v.edge[:len(v.edge)-1]
		n /= 2
	}
}

// next returns the stored hash of node n, which is asked for after those before it.
func (v *verifier) next(level int, n int64) (h tlog.Hash, ok bool, err error) {
	if level == len(v.stored) {
		v.stored = append(v.stored, nil)
	}
	ahead := v.stored[level]
	if len(ahead) == 0 {
		if ahead, err = v.log.AuditHashes(v.ctx, v.report.Tenant, level, n, pageSize); err != nil {
			return h, false, err
		}
	}
	if len(ahead) == 0 || ahead[0].N != n {
		return h, false, nil
	}
	v.stored[level] = ahead[1:]
	return ahead[0].Hash, true, nil
}

// root returns the hash of the tree so far.
func (v *verifier) root() tlog.Hash {
	if len(v.edge) == 0 {
		return tlog.Hash{}
	}
	h := v.edge[len(v.edge)-1]
	for _, left := range slices.Backward(v.edge[:len(v.edge)-1]) {
		h = tlog.NodeHash(left, h)
	}
	return h
}

// compare holds the tree against the checkpoints of its size.
func (v *verifier) compare() {
	r := v.report
	for len(v.known) > 0 && v.known[0].Size <= r.Entries {
		c := v.known[0]
		v.known = v.known[1:]
		if c.Size > 0 && c.Root != v.root() {
			r.Bad = &Bad{1, fmt.Sprintf("the first %d entries are not those of the checkpoint that was signed at this size", c.Size)}
			return
		}
		r.Checkpoints++
	}
}
