package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/store/sqlite"
)

func wantRefused(t *testing.T, path string, says ...string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, nil)
	if err == nil {
		_ = s.Close()
		t.Fatal("it was opened")
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}

func TestOpenRefusesWhatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	wantRefused(t, "", "no file is named")
	wantRefused(t, at("none/store.db"), "the folder "+at("none")+" does not exist")
	wantRefused(t, dir, "open the store", "a folder")
	t.Chdir(dir)
	for _, path := range []string{":memory:", "sqlite:store.db", "file:store.db"} {
		wantRefused(t, path, path)
		if _, err := os.Stat(path); err == nil {
			t.Errorf("a file %s was made", path)
		}
	}
	if err := os.WriteFile(at("text"), []byte(strings.Repeat("this is a text and no database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, at("text"), "no SQLite database")

	tamper(t, at("other.db"), `CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')`)
	wantRefused(t, at("other.db"), "another program")

	if err := open(t, at("newer.db"), nil).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", at("newer.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), `PRAGMA user_version = 99`); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, at("newer.db"), "newer Helve", "version 99")
}

// What is in the file is for its owner's eyes.
func TestFileIsForItsOwner(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	path := filepath.Join(t.TempDir(), "store.db")
	s := open(t, path, nil)
	if err := s.AppendAudit(t.Context(), helve.AuditEntry{Kind: helve.AuditRefused, Effect: helve.Read}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if m := info.Mode().Perm(); m != 0o600 {
			t.Errorf("%s has mode %o", filepath.Base(name), m)
		}
	}
}

// Several processes make the same new store at once.
func TestOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := sqlite.Open(t.Context(), path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.AppendAudit(t.Context(), helve.AuditEntry{Kind: helve.AuditRefused, Effect: helve.Read}); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all, err := open(t, path, nil).Audit(t.Context(), helve.AuditFilter{})
	if err != nil || len(all) != 8 {
		t.Errorf("%d entries, %v", len(all), err)
	}
}

func TestClosedStoreFails(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "store.db"), nil)
	replay := helve.AuditEntry{Kind: helve.AuditReplayed, Effect: helve.Write, Note: "kept back"}
	if err := s.AppendAudit(t.Context(), replay); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 20 { // while others write
		wg.Go(func() {
			_ = s.AppendAudit(t.Context(), helve.AuditEntry{Kind: helve.AuditRefused, Effect: helve.Read})
		})
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	for _, e := range []helve.AuditEntry{replay, {Kind: helve.AuditRefused}} {
		if err := s.AppendAudit(t.Context(), e); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("after closing: %v", err)
		}
	}
	if _, err := s.Recall(t.Context(), &helve.RecallParams{}); err == nil || !strings.Contains(err.Error(), "the store is closed") {
		t.Errorf("a closed store recalls: %v", err)
	}
	if _, err := s.ListApprovals(t.Context(), helve.ApprovalFilter{}); err == nil || !strings.Contains(err.Error(), "the store is closed") {
		t.Errorf("a closed store lists: %v", err)
	}
}

// A replay writes nothing by itself; what it says reaches the audit all the same.
func TestReplaysAreWrittenTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := open(t, path, nil)
	before := s.Commits()
	for range 10 {
		if err := s.AppendAudit(t.Context(), helve.AuditEntry{Kind: helve.AuditReplayed, Effect: helve.Write}); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Commits() - before; n != 0 {
		t.Errorf("%d commits", n)
	}
	all, err := s.Audit(t.Context(), helve.AuditFilter{})
	if err != nil || len(all) != 10 || s.Commits()-before != 1 {
		t.Errorf("%d entries, %d commits, %v", len(all), s.Commits()-before, err)
	}
	if err := s.AppendAudit(t.Context(), helve.AuditEntry{Kind: helve.AuditReplayed, Effect: helve.Write}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if all, err := open(t, path, nil).Audit(t.Context(), helve.AuditFilter{}); err != nil || len(all) != 11 {
		t.Errorf("%d entries, %v", len(all), err)
	}
}

// Many who write at once share commits.
func TestCommitsAreShared(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "store.db"), nil)
	before := s.Commits()
	const writers, each = 16, 20
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				if err := s.AppendAudit(t.Context(), helve.AuditEntry{Kind: helve.AuditRefused, Effect: helve.Read}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	n := s.Commits() - before
	t.Logf("%d writes in %d commits", writers*each, n)
	if n > writers*each/2 {
		t.Errorf("%d writes took %d commits", writers*each, n)
	}
}

// The store does by itself what time asks for.
func TestStoreSweepsItself(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "store.db"), &sqlite.Config{SweepEvery: 10 * time.Millisecond})
	c, err := s.Claim(t.Context(), &helve.ClaimParams{
		Entry: &helve.Entry{Token: helve.Token{LedgerKey: helve.LedgerKey{Scope: "act", Key: "k"}}}, Lease: time.Millisecond,
	})
	if err != nil || !c.Won {
		t.Fatal(c, err)
	}
	before := s.Commits()
	patience := time.After(10 * time.Second)
	for s.Commits() == before {
		select {
		case <-patience:
			t.Fatal("nobody noticed that the holder is lost")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
