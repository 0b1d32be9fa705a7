// Package logtest checks that a store's audit is a Merkle log: that it verifies,
// and that whatever is done to its rows behind its back is found.
package logtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/sumdb/note"

	"helve.dev/helve"
	"helve.dev/helve/store/audit"
)

// A Store has an audit that is a log.
type Store interface {
	helve.Audits
	audit.Log
}

// A damage is something that is done to the rows of a log of ten entries.
type damage struct {
	name string
	sql  []string
	bad  int64 // the first entry that is wrong
	says string
	// signed damage is consistent in itself: only a checkpoint finds it.
	signed bool
}

var damages = []damage{
	{"an edited entry", []string{`UPDATE audit SET entry = replace(entry, '"note":"5"', '"note":"6"') WHERE seq = 5`}, 5, "changed", false},
	{"an edited time", []string{`UPDATE audit SET at = at + 1 WHERE seq = 3`}, 3, "changed", false},
	{"a removed entry", []string{`DELETE FROM audit WHERE seq = 4`}, 4, "missing", false},
	{"a removed tail", []string{`DELETE FROM audit WHERE seq > 8`}, 9, "should have 10", false},
	{"everything removed", []string{`DELETE FROM audit`}, 1, "missing", false},
	{
		"two entries that changed places",
		[]string{`UPDATE audit SET seq = 100 WHERE seq = 2`, `UPDATE audit SET seq = 2 WHERE seq = 6`, `UPDATE audit SET seq = 6 WHERE seq = 100`},
		2, "changed", false,
	},
	{"a removed entry whose place was closed", []string{`DELETE FROM audit WHERE seq = 10`, `UPDATE audit_head SET size = 9`, `DELETE FROM audit_hash WHERE level = 0 AND n = 9`}, 10, "a checkpoint was signed at 10", true},
	{"an added entry", []string{`INSERT INTO audit (tenant, seq, at, entry) SELECT tenant, 11, at, entry FROM audit WHERE seq = 1`}, 11, "its hash is missing", false},
	{"an edited payload", []string{`UPDATE audit_payload SET payload = replace(payload, 'ann', 'eve') WHERE seq = 7`}, 7, "payload", false},
	{"a removed hash", []string{`DELETE FROM audit_hash WHERE level = 0 AND n = 0`}, 1, "its hash is missing", false},
	{"an edited inner hash", []string{`UPDATE audit_hash SET hash = (SELECT h.hash FROM audit_hash h WHERE h.level = 0 AND h.n = 0) WHERE level = 1 AND n = 2`}, 5, "entries 5 to 6", false},
	{"another tenant's entry", []string{`UPDATE audit SET entry = replace(entry, '"tenant":"a"', '"tenant":"b"') WHERE seq = 1`}, 1, "another tenant", false},
}

// Run checks the logs that open makes, each new and empty. Tamper runs SQL on the
// database of the store that was opened last.
func Run(t *testing.T, open func(t *testing.T) (s Store, tamper func(sql string))) {
	t.Helper()
	t.Run("verifies", func(t *testing.T) { verifies(t, open) })
	t.Run("many entries", func(t *testing.T) { many(t, open) })
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) { found(t, open, d) })
	}
}

func fill(t *testing.T, s Store, n int) {
	t.Helper()
	for i := range n {
		e := helve.AuditEntry{Kind: helve.AuditClaimed, Tenant: "a", Run: "r", Tool: "act", Effect: helve.Write, Note: fmt.Sprint(i + 1)}
		if i%3 == 0 {
			e.Arguments = jsontext.Value(`{"to":"ann"}`)
		}
		if err := s.AppendAudit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// many: a log that is read in several pages.
func many(t *testing.T, open func(t *testing.T) (Store, func(string))) {
	t.Helper()
	const size = 1203
	s, tamper := open(t)
	entries := make([]helve.AuditEntry, size)
	for i := range entries {
		entries[i] = helve.AuditEntry{Kind: helve.AuditClaimed, Tenant: "a", Tool: "act", Note: fmt.Sprint(i + 1)}
	}
	if err := s.AppendAudit(t.Context(), entries...); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, s); r.Bad != nil || r.Entries != size {
		t.Fatalf("%+v", r)
	}
	for _, c := range []struct {
		sql string
		bad int64
	}{ // from the end to the beginning, so that each is the first
		{`UPDATE audit_hash SET hash = substr(hash, 1, 31) WHERE level = 0 AND n = 1202`, 1203},
		{`DELETE FROM audit_hash WHERE level = 0 AND n = 1000`, 1001},
		{`UPDATE audit SET entry = replace(entry, '"note":"777"', '"note":"778"') WHERE seq = 777`, 777},
		{`DELETE FROM audit_hash WHERE level = 2 AND n = 130`, 521},
		{`DELETE FROM audit WHERE seq = 501`, 501},
	} {
		tamper(c.sql)
		if r := verify(t, s); r.Bad == nil || r.Bad.Seq != c.bad {
			t.Errorf("after %s: %v, want entry %d", c.sql, r.Bad, c.bad)
		}
	}
}

// Keys makes a pair of keys for checkpoints.
func Keys(t *testing.T) (note.Signer, note.Verifiers) {
	t.Helper()
	private, public, err := note.GenerateKey(nil, "test")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	return signer, note.VerifierList(verifier)
}

func verify(t *testing.T, s Store, known ...*audit.Checkpoint) *audit.Report {
	t.Helper()
	r, err := audit.Verify(t.Context(), s, "a", known...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// verifies: logs of every small size, proofs of each entry, checkpoints in between,
// erased payloads.
func verifies(t *testing.T, open func(t *testing.T) (Store, func(string))) {
	t.Helper()
	s, tamper := open(t)
	signer, verifiers := Keys(t)
	var file []byte
	for size := range 21 {
		if size > 0 {
			fill(t, s, 1)
		}
		signed, err := audit.Sign(t.Context(), s, "a", signer)
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, signed...)
		known, err := audit.ParseCheckpoints(file, verifiers)
		if err != nil {
			t.Fatal(err)
		}
		r := verify(t, s, known...)
		if r.Bad != nil || r.Entries != int64(size) || r.Checkpoints != size+1 || size > 0 && r.Root != known[size].Root {
			t.Fatalf("size %d: %+v, %v", size, r, r.Bad)
		}
		for seq := 1; seq <= size; seq++ {
			p, err := audit.Prove(t.Context(), s, "a", int64(seq), 0)
			if err != nil {
				t.Fatalf("entry %d of %d: %v", seq, size, err)
			}
			if p.Root != r.Root || !strings.Contains(p.Leaf, fmt.Sprintf(`"seq":%d}`, seq)) {
				t.Fatalf("the proof of %d: %+v", seq, p)
			}
			p.Leaf += " "
			if p.Check() == nil {
				t.Fatal("a forged proof holds")
			}
		}
	}
	if _, err := audit.Prove(t.Context(), s, "a", 21, 0); err == nil {
		t.Error("an entry that does not exist was proved")
	}
	tamper(`DELETE FROM audit_payload WHERE seq = 1`)
	if r := verify(t, s); r.Bad != nil || r.Erased != 1 {
		t.Errorf("after a payload was erased: %+v, %v", r, r.Bad)
	}
	tenants, err := s.AuditTenants(t.Context())
	if err != nil || len(tenants) != 1 || tenants[0] != "a" {
		t.Errorf("tenants %q, %v", tenants, err)
	}
	r, err := audit.Verify(t.Context(), s, "nobody")
	if err != nil || r.Bad != nil || r.Entries != 0 {
		t.Errorf("a log that does not exist: %+v, %v", r, err)
	}
}

// found: the damage is found, at its entry; and without it the log verifies.
func found(t *testing.T, open func(t *testing.T) (Store, func(string)), d damage) {
	t.Helper()
	s, tamper := open(t)
	fill(t, s, 10)
	signer, verifiers := Keys(t)
	signed, err := audit.Sign(t.Context(), s, "a", signer)
	if err != nil {
		t.Fatal(err)
	}
	c, err := audit.ParseCheckpoint(signed, verifiers)
	if err != nil {
		t.Fatal(err)
	}
	if r := verify(t, s, c); r.Bad != nil {
		t.Fatalf("before the damage: %v", r.Bad)
	}
	for _, sql := range d.sql {
		tamper(sql)
	}
	if d.signed {
		if r := verify(t, s); r.Bad != nil {
			t.Fatalf("without the checkpoint: %v", r.Bad)
		}
	}
	r := verify(t, s, c)
	if r.Bad == nil || r.Bad.Seq != d.bad || !strings.Contains(r.Bad.Why, d.says) {
		t.Fatalf("found %v, want entry %d: %s", r.Bad, d.bad, d.says)
	}
}
