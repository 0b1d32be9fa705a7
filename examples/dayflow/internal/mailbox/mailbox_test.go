package mailbox_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/mailbox"
)

// eml returns a message with the ID and the date.
func eml(id, date string) string {
	return fmt.Sprintf("From: ann@example.com\nTo: sam@example.org\nSubject: %s\nDate: %s\nMessage-ID: <%s>\n\nbody\n", id, date, id)
}

// noon is the date of a message.
const noon = "Wed, 11 Mar 2026 12:00:00 +0000"

// write makes the files in a new folder and returns it. A name that ends in a
// slash is a folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		parent := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			parent = path
		}
		if err := os.MkdirAll(parent, 0o755); err != nil {
			t.Fatal(err)
		}
		if parent == path {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// ids returns the IDs of messages in their order.
func ids(messages []mailbox.Message) []string {
	var got []string
	for _, m := range messages {
		got = append(got, m.ID)
	}
	return got
}

func TestOpenFolder(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		files   map[string]string
		want    []string
		skipped []mailbox.Skip
	}{
		"eml": {
			files: map[string]string{"b.eml": eml("b", noon), "a.EML": eml("a", noon), "notes.txt": "x"},
			want:  []string{"a", "b"},
		},
		"inbox within": {
			files: map[string]string{"inbox/a.eml": eml("a", noon), "calendar.ics": "x", "deep/er/x.eml": eml("x", noon)},
			want:  []string{"a"},
		},
		"both": {
			files: map[string]string{"inbox/a.eml": eml("a", noon), "b.eml": eml("b", noon)},
			want:  []string{"a", "b"},
		},
		"maildir": {
			files: map[string]string{
				"cur/1:2,S": eml("a", noon), "new/2": eml("b", noon), "tmp/3": eml("c", noon),
				"cur/4:2,ST": eml("trash", noon), "cur/5:2,D": eml("draft", noon), "cur/.lock": "x",
			},
			want: []string{"a", "b"},
		},
		"maildir in inbox": {
			files: map[string]string{"inbox/cur/": "", "inbox/new/2": eml("b", noon), "calendar.ics": ""},
			want:  []string{"b"},
		},
		"mbox in a folder": {
			files: map[string]string{"old.mbox": "From a Wed Mar 11 09:00:00 2026\n" + eml("m", noon), "a.eml": eml("a", noon)},
			want:  []string{"a", "m"},
		},
		"empty":        {files: map[string]string{}},
		"only hidden":  {files: map[string]string{".gitkeep": ""}},
		"newest first": {files: map[string]string{"a.eml": eml("a", "Tue, 10 Mar 2026 23:00:00 -0500"), "b.eml": eml("b", "Wed, 11 Mar 2026 03:59:00 +0000")}, want: []string{"a", "b"}},
		"broken ones": {
			files: map[string]string{
				"1.eml": eml("a", noon), "2.eml": "no header", "3.eml": "Subject: x\n\nno date", "4.eml": eml("a", noon), "5.eml/": "",
			},
			want: []string{"a"},
			skipped: []mailbox.Skip{
				{File: "2.eml", Reason: "the header can't be read"},
				{File: "3.eml", Reason: "no Date header"},
				{File: "4.eml", Reason: "has the Message-ID of 1.eml"},
				{File: "5.eml", Reason: "is a folder"},
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box, err := mailbox.Open(write(t, tt.files))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, ids(box.Messages)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.skipped, box.Skipped); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOpenUnavailable(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"photos/a.jpg": "x", "letter.txt": "Dear Sam,"})
	tests := map[string]struct {
		path string
		also error
	}{
		"missing":           {path: filepath.Join(dir, "nowhere"), also: fs.ErrNotExist},
		"folder of others":  {path: filepath.Join(dir, "photos")},
		"file of others":    {path: filepath.Join(dir, "letter.txt")},
		"device":            {path: os.DevNull},
		"begins otherwise":  {path: "testdata/mbox/other.mbox"},
		"sentence and mbox": {path: "testdata/mbox/nodate.mbox"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box, err := mailbox.Open(tt.path)
			if !errors.Is(err, mailbox.ErrUnavailable) || box != nil {
				t.Errorf("got %v, %v; want ErrUnavailable", box, err)
			}
			if tt.also != nil && !errors.Is(err, tt.also) {
				t.Errorf("got %v, want it to be %v too", err, tt.also)
			}
		})
	}
}

func TestOpenMbox(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mboxrd.mbox", "crlf.mbox"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box, err := mailbox.Open(filepath.Join("testdata", "mbox", name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"two@example.com", "one@example.com"}, ids(box.Messages)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			wantBody := "Look:\n\nFrom here it is quoted.\n>From twice.\n> From is no From line.\n" +
				"From what I hear, this is a sentence.\n\nFrom now on this is one as well."
			if diff := cmp.Diff(wantBody, box.Messages[1].Body); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			want := []mailbox.Skip{
				{File: name + "#3", Reason: "no Date header"},
				{File: name + "#4", Reason: "has the Message-ID of " + name + "#1"},
			}
			if diff := cmp.Diff(want, box.Skipped); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
		})
	}
	box, err := mailbox.Open("testdata/mbox/empty.mbox")
	if err != nil || len(box.Messages)+len(box.Skipped) != 0 {
		t.Errorf("empty mbox: got %v, %v; want an empty box", box, err)
	}
}

func TestOpenOneMessage(t *testing.T) {
	t.Parallel()
	box, err := mailbox.Open("testdata/parse/latin1.eml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"latin1@example.com"}, ids(box.Messages)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestOpenStrangeFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs links and pipes")
	}
	outside := write(t, map[string]string{"secret.eml": eml("secret", noon)})
	dir := write(t, map[string]string{"a.eml": eml("a", noon)})
	for from, to := range map[string]string{
		"out.eml": filepath.Join(outside, "secret.eml"), "device.eml": os.DevNull, "gone.eml": "nothing.eml", "loop.eml": "loop.eml",
	} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	pipe(t, filepath.Join(dir, "pipe.eml"))
	box, err := mailbox.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a"}, ids(box.Messages)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	var files []string
	for _, s := range box.Skipped {
		files = append(files, s.File)
		if strings.Contains(s.Reason, dir) || strings.Contains(s.Reason, outside) {
			t.Errorf("the reason for %s holds a path: %s", s.File, s.Reason)
		}
	}
	if diff := cmp.Diff([]string{"device.eml", "gone.eml", "loop.eml", "out.eml", "pipe.eml"}, files); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

func TestOpenLinkWithin(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs links")
	}
	dir := write(t, map[string]string{"store/a.eml": eml("a", noon), "x.eml": eml("x", noon)})
	if err := os.Symlink("store/a.eml", filepath.Join(dir, "a.eml")); err != nil {
		t.Fatal(err)
	}
	box, err := mailbox.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "x"}, ids(box.Messages)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestOpenLarge(t *testing.T) {
	t.Parallel()
	large := eml("large", noon) + strings.Repeat("0123456789abcde\n", mailbox.MaxSize/16)
	box := "From a Wed Mar 11 09:00:00 2026\n" + large + "\n\nFrom b Wed Mar 11 09:00:00 2026\n" + eml("after", noon)
	oneLine := "From a Wed Mar 11 09:00:00 2026\n" + eml("line", noon) + strings.Repeat("x", mailbox.MaxSize)
	got, err := mailbox.Open(write(t, map[string]string{"1.eml": large, "2.mbox": box, "3.mbox": oneLine, "4.eml": eml("small", noon)}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"after", "small"}, ids(got.Messages)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	const reason = "larger than 25 MiB"
	want := []mailbox.Skip{{File: "1.eml", Reason: reason}, {File: "2.mbox#1", Reason: reason}, {File: "3.mbox#1", Reason: reason}}
	if diff := cmp.Diff(want, got.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

func TestOpenFS(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"mail/inbox/a.eml": {Data: []byte(eml("a", noon))}, "mail/old": {Data: []byte("From a Wed Mar 11 09:00:00 2026\n" + eml("m", noon))}}
	for name, want := range map[string][]string{"mail": {"a"}, "mail/inbox": {"a"}, "mail/old": {"m"}, "mail/inbox/a.eml": {"a"}} {
		box, err := mailbox.OpenFS(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, ids(box.Messages)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if _, err := mailbox.OpenFS(fsys, "nothing"); !errors.Is(err, mailbox.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}

func TestReceived(t *testing.T) {
	t.Parallel()
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for id, date := range map[string]string{
		"late-today":     "Wed, 11 Mar 2026 23:59:59 -0400",
		"late-today-utc": "Thu, 12 Mar 2026 03:00:00 +0000",
		"tomorrow":       "Thu, 12 Mar 2026 04:00:00 +0000",
		"noon-b":         "Wed, 11 Mar 2026 12:00:00 -0400",
		"noon-a":         "Wed, 11 Mar 2026 16:00:00 +0000",
		"first":          "Thu, 26 Feb 2026 00:00:00 -0500",
		"too-old":        "Wed, 25 Feb 2026 23:59:59 -0500",
	} {
		fsys[id+".eml"] = &fstest.MapFile{Data: []byte(eml(id, date))}
	}
	fsys["sent.eml"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(eml("sent", noon), "From: ann@example.com", "From: Sam <Sam@Example.org>"))}
	box, err := mailbox.OpenFS(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	today := day.MustParse("2026-03-11")
	tests := map[string]struct {
		me   string
		days int
		want []string
	}{
		"two weeks":   {me: "sam@example.org", days: 14, want: []string{"late-today", "late-today-utc", "noon-a", "noon-b", "first"}},
		"today":       {me: "sam@example.org", days: 1, want: []string{"late-today", "late-today-utc", "noon-a", "noon-b"}},
		"no days":     {me: "sam@example.org", days: 0},
		"nobody":      {days: 1, want: []string{"late-today", "late-today-utc", "noon-a", "noon-b", "sent"}},
		"author's me": {me: "ANN@example.com", days: 14, want: []string{"sent"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, ids(box.Received(tt.me, today, newYork, tt.days))); diff != "" {
				t.Errorf("received (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMostFrequentRecipient(t *testing.T) {
	t.Parallel()
	to := func(id string, list ...string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(strings.ReplaceAll(eml(id, noon), "To: sam@example.org", "Cc: "+strings.Join(list, ", ")))}
	}
	tests := map[string]struct {
		fsys fstest.MapFS
		want string
	}{
		"most": {
			fsys: fstest.MapFS{"1.eml": to("1", "b@example.org", "Sam@example.org"), "2.eml": to("2", "sam@EXAMPLE.org"), "3.eml": to("3", "b@example.org", "sam@example.org")},
			want: "sam@example.org",
		},
		"twice in one": {fsys: fstest.MapFS{"1.eml": to("1", "b@example.org", "b@example.org", "b@example.org"), "2.eml": to("2", "a@example.org"), "3.eml": to("3", "a@example.org")}, want: "a@example.org"},
		"alphabet":     {fsys: fstest.MapFS{"1.eml": to("1", "b@example.org", "a@example.org", "c@example.org")}, want: "a@example.org"},
		"nobody":       {fsys: fstest.MapFS{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box, err := mailbox.OpenFS(tt.fsys, ".")
			if err != nil {
				t.Fatal(err)
			}
			if got := box.MostFrequentRecipient(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	root := os.Getenv("HELVE_CORPORA")
	if root == "" {
		root = filepath.FromSlash("../../../../../shared/corpora")
	}
	dir := filepath.Join(root, "dayflow")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no corpora: set HELVE_CORPORA (%v)", err)
	}
	box, err := mailbox.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	me := box.MostFrequentRecipient()
	received := box.Received(me, day.MustParse("2024-05-15"), time.UTC, 14)
	sent := 0
	for _, m := range box.Messages {
		if m.SentBy(me) {
			sent++
		}
		if m.Body == "" || m.Partial || strings.Contains(m.Body, "=\n") {
			t.Errorf("%s wasn't decoded", m.File)
		}
	}
	t.Logf("%d messages, %d skipped, %d sent by %s, %d received in 14 days", len(box.Messages), len(box.Skipped), sent, me, len(received))
	if len(box.Messages) != 31 || len(box.Skipped) != 0 || me != "emma.johnson@bluesparrowtech.com" || sent != 10 {
		t.Errorf("got %d messages and %d skipped of %s, %d sent; want 31, 0 and 10 of emma.johnson", len(box.Messages), len(box.Skipped), me, sent)
	}
	if !slices.IsSortedFunc(received, func(x, y mailbox.Message) int { return y.Date.Compare(x.Date) }) {
		t.Error("the received mail isn't in order")
	}
}

func BenchmarkOpen(b *testing.B) {
	fsys := fstest.MapFS{}
	for i := range 2000 {
		fsys[fmt.Sprintf("%d.eml", i)] = &fstest.MapFile{Data: []byte(eml(fmt.Sprint(i), noon))}
	}
	for b.Loop() {
		if _, err := mailbox.OpenFS(fsys, "."); err != nil {
			b.Fatal(err)
		}
	}
}
