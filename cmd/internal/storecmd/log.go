package storecmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/store/audit"
)

type opener func(ctx context.Context) (database, error)

// logFlags are what the subcommands of the log share.
type logFlags struct {
	open opener
	cmd  *cobra.Command // audit, which has --tenant and --json
}

// addLog adds to audit what makes its trail evident: verify, prove, checkpoint and
// key.
func addLog(parent *cobra.Command, open opener) {
	f := &logFlags{open, parent}
	parent.Long += `

The trail is a Merkle log, one for each tenant: "verify" finds any entry that was
changed, removed or put elsewhere. Who can write the database can also write a
new log, so let "checkpoint" sign what it is, and keep that somewhere else.`
	parent.AddCommand(newVerify(f), newProve(f), newCheckpoint(f), newKey())
}

func (f *logFlags) tenant() string { return f.cmd.PersistentFlags().Lookup("tenant").Value.String() }

func (f *logFlags) json() bool {
	return f.cmd.PersistentFlags().Lookup("json").Value.String() == "true"
}

// with opens the store and lets use work with it.
func (f *logFlags) with(cmd *cobra.Command, use func(ctx context.Context, db database) error) (err error) {
	db, err := f.open(cmd.Context())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return use(cmd.Context(), db)
}

func printJSON(cmd *cobra.Command, v any) error {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", raw)
	return err
}

func newVerify(f *logFlags) *cobra.Command {
	var checkpoints, key string
	var all bool
	cmd := &cobra.Command{
		Use: "verify", Short: "Find out whether the trail is what was recorded",
		Long: `Read the whole trail of a tenant, compute its tree anew, and compare it with the
stored one and with signed checkpoints. The first bad entry is named.

The exit status is 0 when all is well and 1 when an entry is bad.`,
		Args: helvecmd.Exactly(),
	}
	cmd.Flags().StringVar(&checkpoints, "checkpoints", "", "a `file` of checkpoints that was kept elsewhere")
	cmd.Flags().StringVar(&key, "key", "", "the public `key` that they are signed with, or @FILE")
	cmd.Flags().BoolVar(&all, "all-tenants", false, "the trail of every tenant")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		known, err := readCheckpoints(checkpoints, key)
		if err != nil {
			return err
		}
		return f.with(cmd, func(ctx context.Context, db database) error {
			tenants := []string{f.tenant()}
			if all {
				if tenants, err = db.AuditTenants(ctx); err != nil {
					return err
				}
			}
			var bad error
			for _, tenant := range tenants {
				r, err := audit.Verify(ctx, db, tenant, known...)
				if err != nil {
					return err
				}
				if r.Bad != nil {
					bad = &helvecmd.ExitError{Status: helvecmd.ExitFailed}
				}
				if err := f.report(cmd, r); err != nil {
					return err
				}
			}
			return bad
		})
	}
	return cmd
}

func (f *logFlags) report(cmd *cobra.Command, r *audit.Report) error {
	if f.json() {
		return printJSON(cmd, r)
	}
	whose := "the trail"
	if r.Tenant != "" {
		whose = fmt.Sprintf("the trail of tenant %q", r.Tenant)
	}
	if r.Bad != nil {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "BAD: %s: %s\n", whose, r.Bad)
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "ok: %s has %d entries, %d with erased arguments; %d checkpoints hold; root %s\n", whose, r.Entries, r.Erased, r.Checkpoints, r.Root)
	return err
}

func readCheckpoints(file, key string) ([]*audit.Checkpoint, error) {
	switch {
	case file == "" && key == "":
		return nil, nil
	case file == "" || key == "":
		return nil, helvecmd.Usagef("--checkpoints and --key go together")
	}
	text, err := fileOr(key)
	if err != nil {
		return nil, err
	}
	verifier, err := note.NewVerifier(text)
	if err != nil {
		return nil, helvecmd.Usagef("--key is no public key: %w", err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, helvecmd.Usagef("read checkpoints: %w", err)
	}
	return audit.ParseCheckpoints(raw, note.VerifierList(verifier))
}

// fileOr returns text, or what is in the file that @FILE names, without its end of
// line.
func fileOr(text string) (string, error) {
	if len(text) == 0 || text[0] != '@' {
		return text, nil
	}
	raw, err := os.ReadFile(text[1:])
	if err != nil {
		return "", helvecmd.Usagef("read the key: %w", err)
	}
	for len(raw) > 0 && (raw[len(raw)-1] == '\n' || raw[len(raw)-1] == '\r') {
		raw = raw[:len(raw)-1]
	}
	return string(raw), nil
}

func newProve(f *logFlags) *cobra.Command {
	var size int64
	cmd := &cobra.Command{
		Use: "prove SEQ", Short: "Prove that one entry is in the trail, without the rest of it",
		Long: `Print a proof, as JSON, that an entry is in the trail: its text, the hashes beside
its way to the root, and the root, which a checkpoint of that size has too.`,
		Args: helvecmd.Exactly("SEQ"),
	}
	cmd.Flags().Int64Var(&size, "size", 0, "in the trail as it was with so many `entries` (default: as it is)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		seq, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return helvecmd.Usagef("%q is no number of an entry", args[0])
		}
		return f.with(cmd, func(ctx context.Context, db database) error {
			p, err := audit.Prove(ctx, db, f.tenant(), seq, size)
			if err != nil {
				return err
			}
			return printJSON(cmd, p)
		})
	}
	return cmd
}

func newCheckpoint(f *logFlags) *cobra.Command {
	var key, out string
	cmd := &cobra.Command{
		Use: "checkpoint", Short: "Sign what the trail is now",
		Long: `Verify the trail and sign what it is: the number of its entries and the root of
its tree, in the form of C2SP tlog-checkpoint. Keep it where those who can write
the database cannot write.`,
		Args: helvecmd.Exactly(),
	}
	cmd.Flags().StringVar(&key, "key", "", "the `file` of the private key; see 'audit key'")
	cmd.Flags().StringVar(&out, "out", "", "append it to this `file` (default: print it)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if key == "" {
			return helvecmd.Usagef("name the private key: --key FILE")
		}
		text, err := fileOr("@" + key)
		if err != nil {
			return err
		}
		signer, err := note.NewSigner(text)
		if err != nil {
			return helvecmd.Usagef("%s holds no private key", key) // the error would quote it
		}
		return f.with(cmd, func(ctx context.Context, db database) error {
			r, err := audit.Verify(ctx, db, f.tenant())
			if err != nil {
				return err
			}
			if r.Bad != nil {
				return fmt.Errorf("the trail is not signed, because it is bad: %s", r.Bad)
			}
			signed, err := audit.Sign(ctx, db, f.tenant(), signer)
			if err != nil {
				return err
			}
			return f.hand(cmd, out, signed)
		})
	}
	return cmd
}

// hand prints a checkpoint, or appends it to a file.
func (f *logFlags) hand(cmd *cobra.Command, out string, signed []byte) error {
	if out == "" {
		if f.json() {
			return printJSON(cmd, map[string]jsontext.Value{"checkpoint": quoted(signed)})
		}
		_, err := cmd.OutOrStdout().Write(signed)
		return err
	}
	file, err := os.OpenFile(out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(signed)
	return errors.Join(err, file.Sync(), file.Close())
}

func quoted(b []byte) jsontext.Value {
	q, _ := jsontext.AppendQuote(nil, string(b))
	return q
}

func newKey() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "key NAME", Short: "Make a pair of keys for checkpoints",
		Long: `Make a pair of keys: the private one goes into a new file, for "checkpoint"; the
public one is printed, for "verify". The name stands in each signature.`,
		Args: helvecmd.Exactly("NAME"),
	}
	cmd.Flags().StringVar(&out, "out", "", "the `file` for the private key")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if out == "" {
			return helvecmd.Usagef("name a file for the private key: --out FILE")
		}
		private, public, err := note.GenerateKey(nil, args[0])
		if err != nil {
			return helvecmd.Usagef("the name cannot be used: %w", err)
		}
		file, err := os.OpenFile(out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = file.WriteString(private + "\n")
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), public)
		return err
	}
	return cmd
}
