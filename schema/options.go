package schema

import (
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var jsonOptions = json.JoinOptions(
	json.Deterministic(true),
	json.WithMarshalers(json.JoinMarshalers(
		json.MarshalToFunc(func(enc *jsontext.Encoder, d time.Duration) error {
			return enc.WriteToken(jsontext.String(d.String()))
		}),
		json.MarshalToFunc(func(enc *jsontext.Encoder, u *url.URL) error {
			if u == nil {
				return enc.WriteToken(jsontext.Null)
			}
			return enc.WriteToken(jsontext.String(u.String()))
		}),
	)),
	json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFunc(func(raw []byte, d *time.Duration) error {
			var text string
			if err := json.Unmarshal(raw, &text); err != nil {
				return err
			}
			parsed, err := time.ParseDuration(text)
			*d = parsed
			return err
		}),
		json.UnmarshalFunc(func(raw []byte, u *url.URL) error {
			var text string
			if err := json.Unmarshal(raw, &text); err != nil {
				return err
			}
			parsed, err := url.Parse(text)
			if err == nil {
				*u = *parsed
			}
			return err
		}),
	)),
)

// JSONOptions returns the one set of options with which inferred types are encoded and decoded: json/v2's defaults (names match
// exactly, nil slices and maps are [] and {}), maps in the order of their keys, time.Duration as the text that Go writes (1h30m)
// and url.URL as its text. Whoever decodes what a schema of [For] has accepted must use them.
func JSONOptions() json.Options { return jsonOptions }
