package helve_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
)

func jsonGet(raw jsontext.Value, into any) error { return json.Unmarshal(raw, into) }

// FuzzExecute gives what a model may write to a tool: there is always one
// result, its envelope is valid JSON within its bound, reads back, and tells
// neither Go types nor the secret; a handler only sees what its schema allows.
func FuzzExecute(f *testing.F) {
	const secret = "very-s3cret-value"
	type In struct {
		City string            `json:"city" minLength:"1"`
		N    int               `json:"n" default:"3" maximum:"10"`
		Tags []string          `json:"tags,omitzero"`
		Map  map[string]string `json:"map,omitzero"`
		Pin  string            `json:"pin,omitzero" format:"password"`
	}
	con := contract("act", helve.Write)
	con.MaxOutput = 2048
	tool := helve.Must(helve.Func(con, func(_ context.Context, in In) (In, error) {
		if in.City == "" || in.N > 10 {
			f.Errorf("the handler got %+v", in)
		}
		if in.City == "fail" {
			return In{}, &helve.Error{Code: "own", Message: in.Pin + secret}
		}
		return in, nil
	}))
	reg, err := helve.NewRegistry(tool)
	if err != nil {
		f.Fatal(err)
	}
	x, err := helve.NewExecutor(reg, &helve.Config{Secrets: []helve.Secret{helve.NewSecret(secret)}})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		`{"city":"Lisbon"}`, `{"city":"fail","pin":"x"}`, `{"city":"a","city":"b"}`, `{"ctiy":1}`, "", "null", "[1", `{"city":"\ud800"}`,
		`{"city":"` + secret + `"}`, `{"city":"x","n":1e400}`, `{"city":"x","map":{"a":"` + strings.Repeat("y", 3000) + `"}}`, "{\"city\":\"\xff\"}",
	} {
		f.Add("act", seed)
		f.Add("atc", seed)
	}
	f.Fuzz(func(t *testing.T, name, args string) {
		ctx := helve.WithScope(t.Context(), helve.Scope{Autonomy: helve.Auto})
		res := x.Execute(ctx, &helve.Call{Tool: name, Arguments: jsontext.Value(args)})
		e, err := res.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(e) || !jsontext.Value(e).IsValid() || len(e) > 16<<10 {
			t.Fatalf("the envelope is not valid or %d bytes long: %s", len(e), e)
		}
		if strings.Contains(string(e), secret) {
			t.Fatalf("the secret leaked: %s", e)
		}
		var back helve.Result
		if err := back.UnmarshalJSON(e); err != nil {
			t.Fatalf("the envelope does not read back: %v: %s", err, e)
		}
		if res.OK() && name != "act" {
			t.Fatalf("another tool ran: %s", e)
		}
		_ = helve.Render(res, helve.Page)
	})
}

// FuzzResult reads envelopes as a peer may send them.
func FuzzResult(f *testing.F) {
	for _, seed := range []string{
		`{"ok":true,"data":1}`, `{"ok":false,"error":{"code":"x","message":"m","faults":[{"path":"/a","problem":"p"}],"details":{}}}`,
		`{"ok":false,"pending":{"approval":"a","reason":"r","expires":"2026-01-01T00:00:00Z"}}`, `{"ok":true,"truncated":{"kept":0}}`, `{}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var res helve.Result
		if res.UnmarshalJSON(raw) != nil {
			return
		}
		e, err := res.MarshalJSON()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		var again helve.Result
		if err := again.UnmarshalJSON(e); err != nil || again.OK() != res.OK() || again.Code() != res.Code() {
			t.Fatalf("it does not read back the same: %v: %s", err, e)
		}
	})
}
