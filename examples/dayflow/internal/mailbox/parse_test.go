package mailbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/examples/dayflow/internal/mailbox"
)

// fixture returns the bytes of a message in testdata/parse.
func fixture(tb testing.TB, name string) []byte {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "parse", name+".eml"))
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// parse returns a message in testdata/parse.
func parse(tb testing.TB, name string) mailbox.Message {
	tb.Helper()
	m, err := mailbox.Parse(fixture(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestParseBody(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body, subject string
		partial       bool
	}{
		"latin1":           {body: "Café crème £ 5", subject: "Café crème"},
		"windows1252":      {body: "“Smart” – quotes… €", subject: "“x” €"},
		"koi8r":            {body: "Привет, Сэм!\nЖду ответа до пятницы.", subject: "Привет"},
		"iso2022jp":        {body: "こんにちは、サムさん。", subject: "会議の件"},
		"gb18030":          {body: "你好，世界"},
		"nocharset":        {body: "Grüße aus Köln"},
		"badutf8":          {body: "good \uFFFD bad"},
		"unknowncharset":   {body: "plain words", partial: true},
		"unknownencoding":  {body: "plain words", partial: true},
		"badtype":          {body: "plain words"},
		"flatqp":           {body: "a line\nwith € and a broken =ZZ escape"},
		"alternative":      {body: "The plain text."},
		"alternativeblank": {body: "The HTML text."},
		"nested":           {body: "First text.\n\nSecond text."},
		"truncated":        {body: "The first part is whole.\n\nThe second one ends in the mid", partial: true},
		"truncatedbase64":  {body: "The start is readable", partial: true},
		"noboundary":       {partial: true},
		"htmllatin1":       {body: "Café"},
		"mboxline":         {body: "hello", subject: "-"},
		"control":          {body: "ab[31mcd\nnext", subject: "Evil a Bcc: x@example.com"},
		"html": {body: "Plan\u00a0for the week\n\nDear Sam,\nplease read <this>.\n\n- one\n- two\n\na b\nc d\n\n" +
			"keep\n  this\n\nseen"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := parse(t, name)
			if diff := cmp.Diff(tt.body, m.Body); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			want := map[string]string{"": "Test", "-": ""}[tt.subject] + strings.TrimPrefix(tt.subject, "-")
			if m.Subject != want {
				t.Errorf("subject is %q, want %q", m.Subject, want)
			}
			if m.Partial != tt.partial {
				t.Errorf("partial is %v, want %v", m.Partial, tt.partial)
			}
		})
	}
}

func TestParseAttachments(t *testing.T) {
	t.Parallel()
	want := []string{"notes.txt", "Angebot €.pdf", "Bücher.zip", "passwd", "unnamed (message/rfc822)"}
	if diff := cmp.Diff(want, parse(t, "nested").Attachments); diff != "" {
		t.Errorf("attachments (-want +got):\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]error{
		"nodate":      mailbox.ErrNoDate,
		"baddate":     mailbox.ErrDate,
		"ancientdate": mailbox.ErrDate,
		"badheader":   mailbox.ErrHeader,
		"binary":      mailbox.ErrHeader,
		"empty":       mailbox.ErrEmpty,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := mailbox.Parse(fixture(t, name)); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		})
	}
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"latin1":   "2026-03-11T09:00:00Z",
		"isodate":  "2026-03-11T07:00:00Z",
		"zonedate": "2026-03-11T17:00:00Z",
	}
	for name, want := range tests {
		if got := parse(t, name).Date.UTC().Format(time.RFC3339); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestParseID(t *testing.T) {
	t.Parallel()
	if got := parse(t, "latin1").ID; got != "latin1@example.com" {
		t.Errorf("got %q, want the Message-ID", got)
	}
	seen := map[string]bool{}
	for _, name := range []string{"noid", "badid", "longid"} {
		id := parse(t, name).ID
		if !strings.HasPrefix(id, "sha256-") || len(id) != 31 || seen[id] {
			t.Errorf("%s: got %q, want a hash of its own", name, id)
		}
		if again := parse(t, name).ID; again != id {
			t.Errorf("%s: got %q and then %q", name, id, again)
		}
		seen[id] = true
	}
}

func TestParsePeople(t *testing.T) {
	t.Parallel()
	type people struct {
		From   mailbox.Address
		To, Cc []mailbox.Address
	}
	tests := map[string]people{
		"people": {
			From: mailbox.Address{Name: "Doe, Jane", Email: "jane@example.com"},
			To:   []mailbox.Address{{Email: "a@example.org"}, {Name: "B", Email: "b@example.org"}, {Email: "c@example.org"}},
			Cc:   []mailbox.Address{{Name: "Zöe", Email: "zoe@example.org"}},
		},
		"loosepeople": {
			From: mailbox.Address{Name: "Jane [HR] Doe", Email: "jane@example.com"},
			To:   []mailbox.Address{{Email: "sam@example.org"}, {Name: "Bob", Email: "bob@example.org"}},
		},
		"nobody": {},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := parse(t, name)
			if diff := cmp.Diff(want, people{From: m.From, To: m.To, Cc: m.Cc}); diff != "" {
				t.Errorf("people (-want +got):\n%s", diff)
			}
		})
	}
	m := parse(t, "people")
	if !m.SentBy("JOE@example.com") || m.SentBy("a@example.org") || m.SentBy("") {
		t.Error("SentBy doesn't go by the authors")
	}
}

func TestParseBounds(t *testing.T) {
	t.Parallel()
	const head = "From: a@example.com\nDate: Wed, 11 Mar 2026 09:00:00 +0000\nContent-Type: "
	var deep strings.Builder
	deep.WriteString(head + "multipart/mixed; boundary=b0\n\n")
	for i := range 40 {
		deep.WriteString("--b" + string(rune('0'+i)) + "\nContent-Type: multipart/mixed; boundary=b" + string(rune('1'+i)) + "\n\n")
	}
	tests := map[string]string{
		"long text":     head + "text/plain\n\n" + strings.Repeat("word ", 500_000),
		"deep parts":    deep.String(),
		"many parts":    head + "multipart/mixed; boundary=x\n\n" + strings.Repeat("--x\n\nword\n", 5000),
		"deep HTML":     head + "text/html\n\n" + strings.Repeat("<div>", 100_000) + "word",
		"long HTML tag": head + "text/html\n\n<" + strings.Repeat("a ", 400_000),
	}
	for name, raw := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := mailbox.Parse([]byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Body) > 2<<20 {
				t.Errorf("the body has %d bytes", len(m.Body))
			}
			if !m.Partial && name != "long HTML tag" {
				t.Error("a message beyond the bounds isn't marked as partial")
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/parse/*.eml")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 1<<16 {
			return
		}
		m, err := mailbox.Parse(raw)
		if err != nil {
			return
		}
		if m.ID == "" || m.Date.IsZero() {
			t.Errorf("got a message without an ID or a date: %+v", m)
		}
		for _, text := range append([]string{m.ID, m.Subject, m.Body, m.From.Name, m.From.Email}, m.Attachments...) {
			if strings.ToValidUTF8(text, "") != text || strings.ContainsAny(text, "\x00\x1b\r") {
				t.Errorf("unclean text %q", text)
			}
		}
	})
}
