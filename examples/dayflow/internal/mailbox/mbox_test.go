package mailbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/examples/dayflow/internal/mailbox"
)

func TestSeparators(t *testing.T) {
	t.Parallel()
	const first = "From ann@example.com Wed Mar 11 09:00:00 2026\n"
	tests := map[string]struct {
		between string
		want    int
	}{
		"plain":              {between: "\nFrom bob@example.com Wed Mar 11 10:00:00 2026\n", want: 2},
		"Thunderbird":        {between: "\nFrom - Wed Mar 11 10:00:00 2026\n", want: 2},
		"Gmail":              {between: "\nFrom 1859@xxx Wed Mar 11 10:00:00 +0000 2026\n", want: 2},
		"zone behind":        {between: "\nFrom bob@example.com Wed Mar 11 10:00:00 2026 +0100\n", want: 2},
		"no seconds":         {between: "\nFrom bob Wed Mar 11 10:00 2026\n", want: 2},
		"CRLF":               {between: "\r\nFrom bob@example.com Wed Mar 11 10:00:00 2026\r\n", want: 2},
		"no empty line":      {between: "From bob@example.com Wed Mar 11 10:00:00 2026\n", want: 1},
		"quoted":             {between: "\n>From bob@example.com Wed Mar 11 10:00:00 2026\n", want: 1},
		"sentence":           {between: "\nFrom tomorrow on we meet at 10:00.\n", want: 1},
		"lower case":         {between: "\nfrom bob@example.com Wed Mar 11 10:00:00 2026\n", want: 1},
		"two spaces, no one": {between: "\nFrom  Wed Mar 11 10:00:00 2026\n", want: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := first + eml("a", noon) + tt.between + eml("b", noon)
			box, err := mailbox.OpenFS(fstest.MapFS{"box": {Data: []byte(text)}}, "box")
			if err != nil {
				t.Fatal(err)
			}
			if len(box.Messages) != tt.want || len(box.Skipped) != 0 {
				t.Errorf("got %v, skipped %v; want %d", ids(box.Messages), box.Skipped, tt.want)
			}
		})
	}
}

// The guard against links that lead out of the folder is os.Root: the same
// folder through os.DirFS gives the message behind the link away.
func TestLinkGuardCanFail(t *testing.T) {
	t.Parallel()
	outside := write(t, map[string]string{"secret.eml": eml("secret", noon)})
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(outside, "secret.eml"), filepath.Join(dir, "a.eml")); err != nil {
		t.Skip("needs links:", err)
	}
	open, err := mailbox.OpenFS(os.DirFS(dir), ".")
	if err != nil {
		t.Fatal(err)
	}
	guarded, err := mailbox.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"secret"}, ids(open.Messages)); diff != "" {
		t.Errorf("without the guard (-want +got):\n%s", diff)
	}
	if len(guarded.Messages) != 0 || len(guarded.Skipped) != 1 {
		t.Errorf("with the guard: got %v, skipped %v", ids(guarded.Messages), guarded.Skipped)
	}
}

func FuzzMbox(f *testing.F) {
	raw, err := os.ReadFile("testdata/mbox/mboxrd.mbox")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(raw))
	f.Add("From a Wed Mar 11 09:00:00 2026\n" + eml("a", noon))
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		box, err := mailbox.OpenFS(fstest.MapFS{"box": {Data: []byte(text)}}, "box")
		if err != nil {
			return
		}
		if got, most := len(box.Messages)+len(box.Skipped), strings.Count(text, "From "); got > most {
			t.Errorf("got %d messages of %d From lines", got, most)
		}
	})
}
