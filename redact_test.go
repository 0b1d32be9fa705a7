package helve_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
)

func TestSecretShowsNothing(t *testing.T) {
	const v = "hunter2-hunter2"
	s := helve.NewSecret(v)
	type holder struct {
		Public helve.Secret
		hidden helve.Secret
	}
	h := holder{s, s}
	std, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "s", s, "h", h)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		fmt.Fprintf(&log, verb+verb+verb, s, &s, h)
	}
	if all := log.String() + string(std) + s.String() + fmt.Sprint(s, h); strings.Contains(all, v) || strings.Contains(all, hex.EncodeToString([]byte(v))) {
		t.Errorf("the secret shows: %s", all)
	}
	wantEqual(t, s.Reveal(), v)
	wantEqual(t, helve.Secret{}.IsZero(), true)
}

// B45: what looks like a secret is not in error text that the model reads.
func TestB45ErrorTextIsRedacted(t *testing.T) {
	home, _ := os.UserHomeDir()
	cases := []struct{ text, secret, keeps string }{
		{"dial postgres://u:s3cret@db: refused", "s3cret", "db: refused"},
		{"dial postgres://u:p@ss:w0rd@db/x: refused", "w0rd", "db/x: refused"},
		{"401 for Authorization: Bearer abc.def-123", "abc.def-123", "401 for"},
		{"401 for authorization=Basic dXNlcjpwYXNz", "dXNlcjpwYXNz", "401 for"},
		{"curl -H 'Authorization: token ghx_12345678'", "ghx_12345678", "curl"},
		{"host=db password=s3cr3t! sslmode=off", "s3cr3t!", "sslmode=off"},
		{`{"api_key": "k-123456", "city": "Porto"}`, "k-123456", "Porto"},
		{"GET /x?access_token=zzz9&page=2", "zzz9", "page=2"},
		{"client_secret: 'a b c' is wrong", "a b c", "is wrong"},
		{"key AKIAIOSFODNN7EXAMPLE is disabled", "AKIAIOSFODNN7EXAMPLE", "is disabled"},
		{"jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def expired", "eyJhbGci", "expired"},
		{"bad key -----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY----- in file", "MIIB", "in file"},
		{"open " + home + "/app/config.yml: no such file", home, "app/config.yml: no such file"},
	}
	for _, c := range cases {
		t.Run(c.keeps, func(t *testing.T) {
			for name, err := range map[string]error{
				"plain": errors.New(c.text), "joined": errors.Join(errors.New("first"), fmt.Errorf("second: %w", errors.New(c.text))),
				"own": &helve.Error{Code: "own_code", Message: c.text, Suggestion: c.text},
			} {
				tool, _ := counted(contract("act", helve.Write), func(context.Context, text) (string, error) { return "", err })
				x := auto(helvetest.NewExecutor(t, nil, tool))
				e := envelope(t, x.Call("act", `{}`))
				if strings.Contains(e, c.secret) || !strings.Contains(e, jsonText(c.keeps)) {
					t.Errorf("%s: %s", name, e)
				}
			}
		})
	}
	for _, harmless := range []string{"the author is Bob", "unexpected token } at 5", "the session is over", "monkey: see"} {
		tool, _ := counted(contract("act", helve.Write), func(context.Context, text) (string, error) { return "", errors.New(harmless) })
		x := auto(helvetest.NewExecutor(t, nil, tool))
		if e := envelope(t, x.Call("act", `{}`)); !strings.Contains(e, harmless) {
			t.Errorf("%q was redacted: %s", harmless, e)
		}
	}
}

func jsonText(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

func TestB45PanicTellsNothing(t *testing.T) {
	var log strings.Builder
	tool, _ := counted(contract("act", helve.Read), func(context.Context, text) (string, error) {
		panic(errors.New("dial postgres://u:s3cret@db failed"))
	})
	x := helvetest.NewExecutor(t, &helve.Config{Logger: slog.New(slog.NewTextHandler(&log, nil)), ObserveContent: true}, tool)
	res := x.Call("act", `{}`)
	wantCode(t, res, helve.CodeInternal)
	ref := res.Error.Message[strings.Index(res.Error.Message, "ref_"):]
	ref = strings.TrimSuffix(ref, ")")
	if e := envelope(t, res); strings.Contains(e, "postgres") || strings.Contains(e, "goroutine") {
		t.Errorf("the envelope tells of the inside: %s", e)
	}
	if l := log.String(); !strings.Contains(l, ref) || !strings.Contains(l, "redact_test.go") || strings.Contains(l, "s3cret") {
		t.Errorf("the log has no reference, no stack, or the secret: %s", l)
	}
	wantEqual(t, helvetest.Of[helve.CallEnded](x.Events)[0].Reference, ref)
}

// B62: nested keys, URLs, free text, base64; the contract's own marks.
func TestB62NothingLeaksAnywhere(t *testing.T) {
	const secret = "sup3r-s3cret/value+1"
	type In struct {
		Req struct {
			Headers []map[string]string `json:"headers"`
			URL     string              `json:"url"`
		} `json:"req"`
		Pin  string `json:"pin" format:"password"`
		Note string `json:"note"`
	}
	con := contract("wipe", helve.Destructive)
	con.Credentials = []string{"key"}
	tool := helve.Must(helve.Func(con, func(_ context.Context, in In) (map[string]any, error) {
		return map[string]any{
			"echo": "the key is " + secret, "in " + secret: 1, "list": []string{secret},
			"basic": base64.StdEncoding.EncodeToString([]byte("user:" + secret)), "b64": base64.URLEncoding.EncodeToString([]byte(secret)),
			"hex": hex.EncodeToString([]byte(secret)), "query": url.QueryEscape(secret), "quoted": fmt.Sprintf("%q", secret),
		}, nil
	}))
	var log strings.Builder
	x := auto(helvetest.NewExecutor(t, &helve.Config{
		ObserveContent: true,
		Policy:         helve.Rules{{Verdict: helve.Preapprove}},
		Observers:      []helve.Observer{helve.LogObserver(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))},
		Credentials: helve.CredentialFunc(func(context.Context, helve.Scope, string) (helve.Secret, error) {
			return helve.NewSecret(secret), nil
		}),
	}, tool))
	args := fmt.Sprintf(`{"req":{"headers":[{"Authorization":"Bearer tok_1234567890"}],"url":"https://u:pw@h/?access_token=zzz"},"pin":"4711-0815","note":%q}`, "see "+secret)
	x.Call("wipe", args)
	// Sent again once the secret is known, so that every record of the second
	// call had its chance to redact what the first could not know.
	x.Scope.Run = "second"
	x.Events = &helvetest.Recorder{}
	before, _ := x.Store().Audit(t.Context(), helve.AuditFilter{Run: "second"})
	logged := log.Len()
	res := x.Call("wipe", args)
	if !res.OK() || len(before) != 0 {
		t.Fatal(envelope(t, res))
	}
	audit, _ := x.Store().Audit(t.Context(), helve.AuditFilter{Run: "second"})
	var everything strings.Builder
	everything.WriteString(envelope(t, res) + log.String()[logged:] + fmt.Sprintf("%+v", audit))
	for _, a := range audit {
		everything.WriteString(string(a.Arguments))
	}
	for _, leak := range []string{
		secret, "s3cret", "tok_1234567890", "u:pw", "zzz", "4711-0815", base64.StdEncoding.EncodeToString([]byte(secret))[:16],
		base64.StdEncoding.EncodeToString([]byte("user:" + secret))[8:24], hex.EncodeToString([]byte(secret)), url.QueryEscape(secret),
	} {
		if strings.Contains(everything.String(), leak) {
			t.Errorf("%q leaked: %s", leak, everything.String())
		}
	}
	if !strings.Contains(everything.String(), "see ") || !strings.Contains(everything.String(), `"req"`) {
		t.Error("too much was left out: the test proves nothing")
	}
}

// What data holds by chance is not rewritten by pattern.
func TestDataIsNotRewrittenByGuess(t *testing.T) {
	tool, _ := counted(contract("docs", helve.Read), func(context.Context, text) (string, error) {
		return "set password=hunter2 and use https://u:p@host", nil
	})
	x := helvetest.NewExecutor(t, nil, tool)
	wantData(t, x.Call("docs", `{}`), `"set password=hunter2 and use https://u:p@host"`)
}

// Redaction comes before cutting: no half of a secret is left at the border.
func TestRedactionComesBeforeCutting(t *testing.T) {
	const secret = "abcdefghijklmnopqrstuvwxyz0123456789"
	con := contract("long", helve.Read)
	con.MaxOutput = 1024
	for pad := 700; pad < 900; pad += 7 {
		tool, _ := counted(con, func(context.Context, text) (string, error) {
			return strings.Repeat("x", pad) + secret + strings.Repeat("y", 2000), nil
		})
		x := helvetest.NewExecutor(t, &helve.Config{Secrets: []helve.Secret{helve.NewSecret(secret)}}, tool)
		if e := envelope(t, x.Call("long", `{}`)); strings.Contains(e, secret[:8]) {
			t.Fatalf("a part of the secret is left: %s", e)
		}
	}
}

// A model that repeats a credential which nobody knew yet when a person was
// asked: what is kept after it was fetched does not hold it.
func TestCredentialFetchedAfterTheQuestion(t *testing.T) {
	const secret = "sk-3f9a7c1e5b2d"
	con := contract("act", helve.Destructive)
	con.Key, con.Credentials = helve.KeyFrom("key"), []string{"api"}
	tool := helve.Must(helve.Func(con, func(context.Context, keyed) (string, error) { return "done", nil }))
	x := helvetest.NewExecutor(t, &helve.Config{
		Credentials: helve.CredentialFunc(func(context.Context, helve.Scope, string) (helve.Secret, error) { return helve.NewSecret(secret), nil }),
	}, tool)
	args := `{"key":"k","other":"with ` + secret + `"}`
	res := x.Call("act", args)
	x.Decide(res.Pending.Approval, helvetest.Approve)
	wantData(t, x.Call("act", args), `"done"`)
	if e := entryOf(t, x, "act", "argument:k"); strings.Contains(string(e.Arguments), secret) || !strings.Contains(string(e.Arguments), `"k"`) {
		t.Errorf("the ledger keeps %s", e.Arguments)
	}
}

func TestEnvCredentials(t *testing.T) {
	t.Setenv("APP_WEATHER_API_KEY", "wk-123456")
	con := contract("weather", helve.Read)
	con.Credentials = []string{"weather-api-key"}
	tool := helve.Must(helve.Func(con, func(ctx context.Context, _ text) (string, error) {
		s, err := helve.Credential(ctx, "weather-api-key")
		return fmt.Sprint(len(s.Reveal())), err
	}))
	x := helvetest.NewExecutor(t, &helve.Config{Credentials: helve.EnvCredentials("APP_")}, tool)
	wantData(t, x.Call("weather", `{}`), `"9"`)
	var log strings.Builder
	x = helvetest.NewExecutor(t, &helve.Config{
		Credentials: helve.EnvCredentials("OTHER_"), Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}, tool)
	wantCode(t, x.Call("weather", `{}`), helve.CodeUnavailable)
	if !strings.Contains(log.String(), "OTHER_WEATHER_API_KEY is not set") {
		t.Errorf("the operator is not told which variable: %s", log.String())
	}
}

// Every way into the ledger passes the redaction: late results and reconciled
// ones too, with their notes and warnings.
func TestLateAndReconciledAreRedacted(t *testing.T) {
	const secret = "late-s3cret-value"
	leaky := func() *helve.Reply {
		return &helve.Reply{Data: "data " + secret, Note: "note " + secret, Warnings: []string{"warning " + secret}}
	}
	synctest.Test(t, func(t *testing.T) {
		con := contract("slow", helve.Write)
		con.Timeout, con.Key = time.Second, helve.KeyFrom("key")
		slow := helve.Must(helve.FuncReply(con, func(context.Context, keyed) (*helve.Reply, error) {
			time.Sleep(time.Minute) // ignores its context
			return leaky(), nil
		}))
		con = contract("lost", helve.Write)
		con.Key, con.Credentials = helve.KeyFrom("key"), []string{"api"}
		lost := helve.Must(helve.FuncReply(con, func(context.Context, keyed) (*helve.Reply, error) { return nil, errBackend })).
			WithReconcile(func(ctx context.Context, _ *helve.Invocation) (*helve.Reply, bool, error) {
				if s, err := helve.Credential(ctx, "api"); err != nil || s.Reveal() != secret {
					t.Errorf("reconcile has no credential: %v", err)
				}
				return leaky(), true, nil
			})
		x := auto(helvetest.NewExecutor(t, &helve.Config{
			Secrets:     []helve.Secret{helve.NewSecret(secret)},
			Credentials: helve.CredentialFunc(func(context.Context, helve.Scope, string) (helve.Secret, error) { return helve.NewSecret(secret), nil }),
		}, slow, lost))
		x.Call("slow", `{"key":"k"}`)
		time.Sleep(2 * time.Minute)
		x.Call("lost", `{"key":"k"}`)
		for _, tool := range []string{"slow", "lost"} {
			res := x.Call(tool, `{"key":"k"}`)
			e := envelope(t, res) + fmt.Sprintf("%+v", entryOf(t, x, tool, "argument:k").Record)
			if strings.Contains(e, secret) || strings.Count(e, "[redacted]") < 3 {
				t.Errorf("%s: %s", tool, e)
			}
		}
	})
}

// What a policy quotes is kept, and shown to whoever decides, without secrets.
func TestReasonOfAnApprovalIsRedacted(t *testing.T) {
	tool, _ := counted(contract("pay", helve.Write), done)
	policy := helve.Rules{{Verdict: helve.Ask, Reason: "it goes to https://ana:hunter2@bank.example/"}}
	x := helvetest.NewExecutor(t, &helve.Config{Policy: policy}, tool)
	a, err := x.Store().Approval(t.Context(), "", x.Call("pay", `{}`).Pending.Approval)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(a.Reason, "hunter2") || !strings.Contains(a.Reason, "bank.example") {
		t.Errorf("reason: %s", a.Reason)
	}
}
