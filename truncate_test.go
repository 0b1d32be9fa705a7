package helve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
	"helve.dev/helve/schema"
)

func cutTo(t *testing.T, limit int, output string, data any) *helve.Result {
	t.Helper()
	con := contract("get", helve.Read)
	con.MaxOutput = limit
	if output != "" {
		con.Output = schema.MustParse(output)
	}
	con.Input = schema.MustParse(`{"type":"object","properties":{"offset":{"type":"integer","default":0}}}`)
	con.Paging.Offset = "offset"
	tool := helve.Must(helve.New(con, func(context.Context, *helve.Invocation) (*helve.Reply, error) {
		return &helve.Reply{Data: data}, nil
	}))
	x := helvetest.NewExecutor(t, nil, tool)
	return x.Call("get", `{"offset":100}`)
}

// view is what the model reads of a result.
func view(t *testing.T, res *helve.Result) helve.Result {
	t.Helper()
	e := envelope(t, res)
	if !utf8.ValidString(e) || !json.Valid([]byte(e)) {
		t.Fatalf("the envelope is not valid: %q", e)
	}
	var v helve.Result
	if err := v.UnmarshalJSON([]byte(e)); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTruncationOfLists(t *testing.T) {
	var list []map[string]any
	for i := range 500 {
		list = append(list, map[string]any{"id": i, "name": strings.Repeat("n", 20)})
	}
	res := cutTo(t, 4096, `{"type":"array","items":{"type":"object","required":["id","name"]}}`, list)
	v := view(t, res)
	var kept []map[string]any
	if err := json.Unmarshal(v.Data, &kept); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, *v.Truncated, helve.Truncated{Kept: len(kept), Total: 500, Unit: "items", Next: fmt.Sprintf("call again with offset %d", 100+len(kept))})
	if n := len(envelope(t, res)); n > 4096 || n < 3500 {
		t.Errorf("the envelope has %d bytes", n)
	}
	nested := cutTo(t, 4096, "", map[string]any{"total": 500, "page": map[string]any{"a/b": list}})
	v = view(t, nested)
	wantEqual(t, v.Truncated.Path, "/page/a~1b")
	if !strings.Contains(string(v.Data), `"total":500`) {
		t.Errorf("what was small is lost: %s", v.Data)
	}
}

// One long text in a short list is cut itself: the list without it would be
// empty.
func TestTruncationWithinAnItem(t *testing.T) {
	long := strings.Repeat("word ", 2000)
	res := cutTo(t, 2048, "", map[string]any{"total": 2, "hits": []map[string]any{{"id": 1, "body": "short"}, {"id": 2, "body": long}}})
	v := view(t, res)
	wantEqual(t, []any{v.Truncated.Path, v.Truncated.Unit, v.Truncated.Total, v.Truncated.Next}, []any{"/hits/1/body", "characters", 10000, ""})
	if !strings.HasPrefix(string(v.Data), `{"hits":[{"body":"short","id":1},{"body":"word word`) {
		t.Errorf("view: %.120s", v.Data)
	}
	if n := len(envelope(t, res)); n > 2048 || n < 1700 {
		t.Errorf("the envelope has %d bytes", n)
	}
	// Numbers alone cannot be cut within.
	numbers := cutTo(t, 1024, "", []string{strings.Repeat("1", 600), strings.Repeat("2", 600)})
	wantEqual(t, *view(t, numbers).Truncated, helve.Truncated{Kept: 1, Total: 2, Unit: "items", Next: "call again with offset 101"})
}

func TestTruncationKeepsTheOutputSchema(t *testing.T) {
	list := make([]string, 200)
	for i := range list {
		list[i] = strings.Repeat("x", 50)
	}
	v := view(t, cutTo(t, 2048, `{"type":"array","minItems":100}`, list))
	wantEqual(t, string(v.Data), "")
	wantEqual(t, []any{v.Truncated.Kept, v.Truncated.Unit}, []any{0, "bytes"})
	if v.Truncated.Total < 10000 {
		t.Errorf("total: %d", v.Truncated.Total)
	}
}

// B43: never within a character.
func TestB43WholeCharacters(t *testing.T) {
	family, flag, accent := "👩‍👩‍👧‍👦", "🇵🇹", "é"
	for _, ch := range []string{"📁", family, flag, accent, "👍🏽", "\\", "\"", "\x01"} {
		for n := range 60 {
			text := strings.Repeat("a", 700+n) + strings.Repeat(ch, 400)
			res := cutTo(t, 1024, "", text)
			e := envelope(t, res)
			if len(e) > 1024 {
				t.Fatalf("%q: the envelope has %d bytes", ch, len(e))
			}
			v := view(t, res)
			var kept string
			if err := json.Unmarshal(v.Data, &kept); err != nil {
				t.Fatal(err)
			}
			rest := strings.TrimLeft(kept, "a")
			if strings.ReplaceAll(rest, ch, "") != "" || !strings.HasPrefix(text, kept) {
				t.Fatalf("%q is torn: ...%q", ch, rest)
			}
			wantEqual(t, []int{v.Truncated.Kept, v.Truncated.Total}, []int{utf8.RuneCountInString(kept), utf8.RuneCountInString(text)})
		}
	}
}

func TestB43InvalidBytesAreReplacedAndCounted(t *testing.T) {
	for name, data := range map[string]any{"text": "ok \xff\xfe", "raw": jsontext.Value("\"ok \xff\xfe\"")} {
		res := cutTo(t, 0, "", data)
		wantData(t, res, "\"ok \uFFFD\uFFFD\"")
		wantEqual(t, res.Warnings, []string{"2 invalid bytes in the result were replaced by U+FFFD."})
		if name == "" {
			t.Error(view(t, res))
		}
	}
}

func TestLargeErrorsAndContentFit(t *testing.T) {
	con := contract("act", helve.Read)
	con.MaxOutput = 2048
	huge, _ := json.Marshal(strings.Repeat("d", 5000))
	tool := helve.Must(helve.FuncReply(con, func(_ context.Context, in text) (*helve.Reply, error) {
		if in.Text == "error" {
			return nil, &helve.Error{Code: "own", Message: strings.Repeat("m", 5000), Suggestion: strings.Repeat("s", 5000), Details: huge}
		}
		return &helve.Reply{Data: "small", Note: strings.Repeat("n", 3000), Content: []helve.Content{{Type: "image", Data: make([]byte, 9000)}}}, nil
	}))
	x := helvetest.NewExecutor(t, nil, tool)
	for _, args := range []string{`{"text":"error"}`, `{}`} {
		res := x.Call("act", args)
		if e := envelope(t, res); len(e) > 2048 {
			t.Errorf("the envelope has %d bytes: %.200s", len(e), e)
		}
		if args == `{}` {
			wantEqual(t, string(view(t, res).Data), `"small"`)
		}
	}
}

func TestReplayIsCutAgain(t *testing.T) {
	con := contract("act", helve.Write)
	con.MaxOutput = 1024
	tool, _ := counted(con, func(context.Context, text) (string, error) { return strings.Repeat("x", 5000), nil })
	x := auto(helvetest.NewExecutor(t, nil, tool))
	first, again := x.Call("act", `{}`), x.Call("act", `{}`)
	wantEqual(t, again.Replayed, true)
	wantEqual(t, len(again.Data), len(first.Data))
	wantEqual(t, *again.Truncated, helve.Truncated{Kept: again.Truncated.Kept, Total: 5000, Unit: "characters"})
}

func TestLedgerKeepsUpToACap(t *testing.T) {
	tool, _ := counted(contract("act", helve.Write), func(context.Context, text) (string, error) { return strings.Repeat("x", 5000), nil })
	x := auto(helvetest.NewExecutor(t, &helve.Config{MaxKept: 1000}, tool))
	wantEqual(t, len(x.Call("act", `{}`).Data), 5002)
	again := x.Call("act", `{}`)
	wantEqual(t, []any{again.OK(), again.Replayed, len(again.Data)}, []any{true, true, 0})
	if !strings.Contains(strings.Join(again.Warnings, ""), "too large to be kept") {
		t.Errorf("warnings: %q", again.Warnings)
	}
}

func TestEnvelopeGoldens(t *testing.T) {
	write := func(fn func(context.Context, text) (string, error)) *helvetest.Executor {
		con := contract("send", helve.Write)
		con.Verify = "outbox"
		tool, _ := counted(con, fn)
		outbox, _ := counted(contract("outbox", helve.Read), done)
		return auto(helvetest.NewExecutor(t, nil, tool, outbox))
	}
	x := write(done)
	helvetest.Golden(t, "envelope_ok", x.Call("send", `{"text":"x"}`))
	helvetest.Golden(t, "envelope_replayed", x.Call("send", `{"text":"x"}`))
	helvetest.Golden(t, "envelope_unknown_tool", x.Call("sned", `{}`))
	x.Scope.Autonomy = helve.Gated
	res := x.Call("send", `{"text":"y"}`)
	helvetest.Golden(t, "envelope_pending", res, res.Pending.Approval, "ap_ID", res.Pending.Expires.Format("2006-01-02T15:04:05.999999999Z07:00"), "TIME")
	failing := write(func(context.Context, text) (string, error) { return "", errBackend })
	helvetest.Golden(t, "envelope_tool_failed", failing.Call("send", `{"text":"x"}`))
	res = failing.Call("send", `{"text":"x"}`)
	at := res.Error.Message[len("send was sent at "):]
	helvetest.Golden(t, "envelope_outcome_unknown", res, at[:strings.Index(at, ",")], "TIME")
	own := write(func(context.Context, text) (string, error) {
		return "", &helve.Error{Code: helve.CodeRateLimited, Message: "slow down", Retryable: true, RetryAfter: 1500000001}
	})
	helvetest.Golden(t, "envelope_retry_after", own.Call("send", `{"text":"x"}`))
	long := cutTo(t, 1024, "", strings.Repeat("a line of text\n", 200))
	helvetest.Golden(t, "envelope_truncated", long)
	con := contract("pay", helve.Write)
	con.Key = helve.KeyFrom("key")
	pay := helve.Must(helve.Func(con, func(context.Context, keyed) (string, error) { return "paid", nil }))
	x = auto(helvetest.NewExecutor(t, nil, pay))
	x.Call("pay", `{"key":"k","other":"1"}`)
	helvetest.Golden(t, "envelope_conflict", x.Call("pay", `{"key":"k","other":"2"}`))
}

func TestEnvelopeRoundTrip(t *testing.T) {
	for _, e := range []string{
		`{"ok":true,"data":{"a":[1,2]}}`,
		`{"ok":true,"data":null,"note":"n","replayed":true,"warnings":["w"]}`,
		`{"ok":true,"data":[1],"truncated":{"kept":1,"total":9,"unit":"items","next":"call again with offset 1"}}`,
		`{"ok":false,"error":{"code":"rate_limited","message":"m","retryable":true,"retry_after_ms":1500,"suggestion":"s","details":{"a":1}}}`,
		`{"ok":false,"pending":{"approval":"ap_1","reason":"r","expires":"2026-12-01T00:00:00Z"}}`,
	} {
		var res helve.Result
		if err := res.UnmarshalJSON([]byte(e)); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, envelope(t, &res), e)
	}
	for _, bad := range []string{`{"ok":true,"error":{"code":"x"}}`, `{"ok":false}`, `{"ok":false,"error":{},"pending":{}}`, `[]`, `{`} {
		if err := new(helve.Result).UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}
