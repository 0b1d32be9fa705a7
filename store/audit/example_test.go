package audit_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"

	"helve.dev/helve"
	"helve.dev/helve/store/audit"
	"helve.dev/helve/store/sqlite"
)

// A checkpoint that was kept elsewhere shows that the log is still the one that
// it was.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "helve")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := sqlite.Open(ctx, filepath.Join(dir, "helve.db"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = store.Close() }()
	_ = store.AppendAudit(ctx, helve.AuditEntry{Kind: helve.AuditRefused, Tool: "pay", Effect: helve.Write, Note: "over the limit"})

	private, public, _ := note.GenerateKey(nil, "example")
	signer, _ := note.NewSigner(private)
	verifier, _ := note.NewVerifier(public)
	signed, err := audit.Sign(ctx, store, "", signer)
	if err != nil {
		fmt.Println(err)
		return
	}

	checkpoint, err := audit.ParseCheckpoint(signed, note.VerifierList(verifier))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := audit.Verify(ctx, store, "", checkpoint)
	fmt.Println(report.Entries, report.Checkpoints, report.Bad == nil, err)
	// Output: 1 1 true <nil>
}
