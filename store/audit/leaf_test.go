package audit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve"
	"helve.dev/helve/store/audit"
)

func entry() helve.AuditEntry {
	return helve.AuditEntry{
		Kind: helve.AuditClaimed, Tenant: "acme", Run: "r", CallID: "c", Tool: "send", Effect: helve.Destructive,
		Contract: helve.Digest{1}, ArgumentsDigest: helve.Digest{2}, Arguments: jsontext.Value(`{"to":"ann"}`), Note: "a\x00b \"q\" ü",
	}
}

func row(t *testing.T, e helve.AuditEntry) audit.Row {
	t.Helper()
	r, err := audit.NewRow(e)
	if err != nil {
		t.Fatal(err)
	}
	r.Seq, r.At = 7, 1700000000123456
	return r
}

func TestRowGivesTheEntryBack(t *testing.T) {
	r := row(t, entry())
	got, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	want := entry()
	want.Seq, want.At = 7, time.UnixMicro(1700000000123456).UTC()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if leaf := string(r.Leaf()); !strings.HasPrefix(leaf, `{"at":1700000000123456,"entry":{`) || !strings.HasSuffix(leaf, `,"seq":7}`) || strings.Contains(leaf, "ann") {
		t.Errorf("leaf: %s", leaf)
	}
	// The arguments can be erased; the leaf is the same.
	erased := r
	erased.Payload = ""
	got, err = erased.Read()
	if err != nil || got.Arguments != nil || erased.Hash() != r.Hash() {
		t.Errorf("after erasing: %v, %v", got.Arguments, err)
	}
}

// Equal arguments have different digests, so that nobody finds them by trying.
func TestPayloadsAreSalted(t *testing.T) {
	if a, b := row(t, entry()), row(t, entry()); a.Entry == b.Entry {
		t.Error("two payloads have one digest")
	}
}

func TestChangesAreFound(t *testing.T) {
	r := row(t, entry())
	for name, edit := range map[string]func(*audit.Row){
		"entry": func(r *audit.Row) { r.Entry = strings.Replace(r.Entry, "send", "seen", 1) },
		"at":    func(r *audit.Row) { r.At++ },
		"seq":   func(r *audit.Row) { r.Seq++ },
	} {
		changed := r
		edit(&changed)
		if changed.Hash() == r.Hash() {
			t.Errorf("a changed %s has the same hash", name)
		}
	}
	for name, edit := range map[string]func(*audit.Row){
		"payload": func(r *audit.Row) { r.Payload = strings.Replace(r.Payload, "ann", "eve", 1) },
		"tenant":  func(r *audit.Row) { r.Tenant = "evil" },
		"no JSON": func(r *audit.Row) { r.Entry = "{" },
	} {
		changed := r
		edit(&changed)
		if _, err := changed.Read(); err == nil {
			t.Errorf("a changed row was read: %s", name)
		}
	}
}
