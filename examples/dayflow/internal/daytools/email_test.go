package daytools_test

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"helve.dev/helve"
	"helve.dev/helve/examples/dayflow/internal/daytools"
)

// email returns arguments of send_email as JSON.
func email(to, subject, body, key string) string {
	return string(must(json.Marshal(daytools.EmailInput{To: to, Subject: subject, Body: body, Key: key})))
}

func TestSendEmail(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "outbox")
	x, _ := newExecutor(t, daytools.Config{Outbox: daytools.NewOutbox(dir), Me: "sam@example.org"}, nil)
	body := "Olá Ana,\n\n.\nFrom here on: " + strings.Repeat("ü", 300) + "\n"
	sent := decode[daytools.SentEmail](t, x.Call("send_email", email("ana@example.org", "Preço: 5 €", body, "Reply Ana/Preço")))
	if !sent.Sent || !strings.HasPrefix(sent.File, "reply-ana-pre-o-") || sent.From != "sam@example.org" {
		t.Errorf("got %+v", sent)
	}
	m, err := netmail.ReadMessage(bytes.NewReader(must(os.ReadFile(filepath.Join(dir, sent.File)))))
	if err != nil {
		t.Fatal(err)
	}
	subject := must(new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")))
	text := string(must(io.ReadAll(quotedprintable.NewReader(m.Body))))
	if subject != "Preço: 5 €" || strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) != strings.TrimSpace(body) {
		t.Errorf("got subject %q and text %q", subject, text)
	}
	if to := must(m.Header.AddressList("To")); len(to) != 1 || to[0].Address != "ana@example.org" {
		t.Errorf("got recipients %v", to)
	}
	if files := must(os.ReadDir(dir)); len(files) != 1 {
		t.Errorf("the outbox has %d files, want 1", len(files))
	}
}

func TestSendEmailTwice(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "outbox")} {
		box := daytools.NewOutbox(dir)
		for i, want := range []helve.Code{"", "", helve.CodeConflict} {
			// Each in a process of its own, which has no ledger of the others.
			x, _ := newExecutor(t, daytools.Config{Outbox: box, Me: "sam@example.org"}, nil)
			body := map[bool]string{false: "Hi", true: "Bye"}[i == 2]
			res := x.Call("send_email", email("ana@example.org", "Hello", body, "hello"))
			if res.Code() != want {
				t.Fatalf("call %d: got %q, want %q", i, res.Code(), want)
			}
			if want == "" {
				if sent := decode[daytools.SentEmail](t, res); sent.Sent != (i == 0) {
					t.Errorf("call %d: got %+v", i, sent)
				}
			}
		}
	}
}

func TestSendEmailRefuses(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "outbox")
	x, _ := newExecutor(t, daytools.Config{Outbox: daytools.NewOutbox(dir), Me: "sam@example.org"}, nil)
	for _, tt := range []struct{ name, args string }{
		{"a header in the subject", email("ana@example.org", "Hi\r\nBcc: eve@example.org", "x", "k")},
		{"a header in the address", email("ana@example.org\r\nBcc: eve@example.org", "Hi", "x", "k")},
		{"two addresses", email("ana@example.org, eve@example.org", "Hi", "x", "k")},
		{"a name", email("Ana <ana@example.org>", "Hi", "x", "k")},
		{"no domain", email("ana", "Hi", "x", "k")},
		{"an empty body", email("ana@example.org", "Hi", "", "k")},
	} {
		if res := x.Call("send_email", tt.args); res.Code() != helve.CodeInvalidInput {
			t.Errorf("%s: got %q, want invalid_input", tt.name, res.Code())
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("something was sent")
	}
}

func TestSendEmailOfNobody(t *testing.T) {
	t.Parallel()
	x, _ := newExecutor(t, daytools.Config{}, nil)
	if res := x.Call("send_email", email("ana@example.org", "Hi", "x", "k")); res.Code() != helve.CodeUnavailable || !strings.Contains(res.Error.Suggestion, "--me") {
		t.Errorf("got %+v, want unavailable with a word about --me", res.Error)
	}
	known, _ := newExecutor(t, daytools.Config{Mail: mail(map[string][3]string{"2026-03-11": {"mei@example.org", "Hi", "x"}})}, nil)
	if sent := decode[daytools.SentEmail](t, known.Call("send_email", email("ana@example.org", "Hi", "x", "k"))); sent.From != "sam@example.org" {
		t.Errorf("got %+v, want it from the most frequent recipient", sent)
	}
}

// An outbox that can't be written to has sent nothing, and says no path.
func TestSendEmailWithoutPlace(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret-place")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	x, _ := newExecutor(t, daytools.Config{Outbox: daytools.NewOutbox(filepath.Join(file, "outbox")), Me: "sam@example.org"}, nil)
	res := x.Call("send_email", email("ana@example.org", "Hi", "x", "k"))
	if res.Code() != helve.CodeToolFailed || !res.Error.Retryable || strings.Contains(res.Error.Message, "secret-place") {
		t.Errorf("got %+v, want tool_failed, retryable and without the path", res.Error)
	}
}

// Many at once under one key: one is sent, and no key leaves the folder.
func TestOutboxTakesOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, key := range []string{"../../etc/passwd", strings.Repeat("k", 100), "Ключ", "..", "CON"} {
		var sent sync.Map
		var wg sync.WaitGroup
		for i := range 8 {
			x, _ := newExecutor(t, daytools.Config{Outbox: daytools.NewOutbox(filepath.Join(dir, "outbox")), Me: "sam@example.org"}, nil)
			wg.Go(func() {
				if res := x.Call("send_email", email("ana@example.org", "Hi", fmt.Sprint(i), key)); res.OK() {
					sent.Store(i, true)
				}
			})
		}
		wg.Wait()
		n := 0
		sent.Range(func(any, any) bool { n++; return true })
		if n != 1 {
			t.Errorf("key %q: %d of 8 different emails were sent, want 1", key, n)
		}
	}
	if files := must(os.ReadDir(dir)); len(files) != 1 {
		t.Errorf("the folder has %d entries, want the outbox alone", len(files))
	}
	if files := must(os.ReadDir(filepath.Join(dir, "outbox"))); len(files) != 5 {
		t.Errorf("the outbox has %d files, want 5", len(files))
	}
}
