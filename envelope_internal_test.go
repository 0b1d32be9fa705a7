package helve

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The envelope that is written by hand is, byte for byte, what the library
// makes of its form.
func TestEnvelopeIsItsForm(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	texts := []string{"", "plain", `"quoted" \ and / <html> & ü 漢`, "line\nline\ttab\x00", "bad \xff byte", "\u2028"}
	text := func() string { return texts[r.IntN(len(texts))] }
	some := func() bool { return r.IntN(2) == 0 }
	for range 2000 {
		res := &Result{Note: text(), Replayed: some()}
		switch r.IntN(3) {
		case 0:
			res.Data = jsontext.Value(`{"a":[1,2]}`)
			if some() {
				res.encoded = res.Data
			}
			if some() {
				res.shown, res.Truncated = jsontext.Value(`[1]`), &Truncated{Kept: 1, Total: 2, Unit: "items", Next: text()}
			}
		case 1:
			res.Error = &Error{Code: Code(text()), Message: text(), Retryable: some(), RetryAfter: time.Duration(r.IntN(3)) * 1500 * time.Microsecond, Suggestion: text()}
			for range r.IntN(3) {
				res.Error.Faults = append(res.Error.Faults, Fault{Path: text(), Problem: text(), Suggestion: text()})
			}
			if some() {
				res.Error.Details = jsontext.Value(`{ "d": 1 }`)
			}
		default:
			res.Pending = &Pending{Approval: text(), Reason: text()}
		}
		for range r.IntN(3) {
			res.Warnings = append(res.Warnings, text())
		}
		if some() {
			res.Content = []Content{{Type: "image", MediaType: text(), Name: text(), Data: []byte("abc")}}
		}
		form := &envelope{
			OK: res.OK(), Data: res.Data, Content: contentForms(res.Content), Note: res.Note, Replayed: res.Replayed,
			Truncated: res.Truncated, Pending: res.Pending, Warnings: res.Warnings,
		}
		if res.Truncated != nil {
			form.Data = res.shown
		}
		if e := res.Error; e != nil {
			form.Error = &errorForm{e.Code, e.Message, e.Retryable, e.retryAfterMS(), e.Faults, e.Suggestion, e.Details}
		}
		want, err := json.Marshal(form, envelopeOptions)
		if err != nil {
			t.Fatal(err)
		}
		got, err := res.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}
