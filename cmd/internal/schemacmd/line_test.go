package schemacmd

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func TestSplitCase(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000)
	for _, tt := range []struct {
		name, line, document, value, err string
	}{
		{"data as it stands", `{"schema":{},"data": 1.0e+2 }`, `{}`, `1.0e+2`, ""},
		{"the other way round", ` { "data" : {"a":1,"a":"}\""} , "schema" : true } `, `true`, `{"a":1,"a":"}\""}`, ""},
		{"a name with escapes", `{"\u0073chema":[],"data":"x"}`, `[]`, `"x"`, ""},
		{"further members", `{"id":{"schema":1},"schema":{},"data":null,"":0}`, `{}`, `null`, ""},
		{"raw", `{"schema":{},"raw":"[\"\\u00e9\",\u00e9"}`, `{}`, `["\u00e9",é`, ""},
		{"raw that is not Unicode", `{"schema":{},"raw":"a\udfffb"}`, `{}`, "a\xffb", ""},
		{"bottomless data", `{"schema":{},"data":` + deep + `}`, `{}`, deep, ""},
		{"bad UTF-8 in data", "{\"schema\":{},\"data\":\"\xff\"}", `{}`, "\"\xff\"", ""},

		{"empty", ``, "", "", "is not an object"},
		{"an array", `[]`, "", "", "is not an object"},
		{"open", `{"schema":{},"data":[1}`, "", "", "is not an object"},
		{"open string", `{"schema":{},"data":"1}`, "", "", "is not an object"},
		{"two objects", `{"schema":{},"data":1}{}`, "", "", "is not an object"},
		{"no comma", `{"schema":{} "data":1}`, "", "", "is not an object"},
		{"a comma too many", `{"schema":{},"data":1,}`, "", "", "is not an object"},
		{"no value", `{"schema":{},"data":}`, "", "", "is not an object"},
		{"brackets of two kinds", `{"schema":{},"data":[1}}`, "", "", "is not JSON"},
		{"no literal", `{"schema":{},"data":nil}`, "", "", "is not JSON"},
		{"twice", `{"schema":{},"data":1,"\u0064ata":1}`, "", "", "twice"},
		{"no schema", `{"data":1}`, "", "", "no member schema"},
		{"no value member", `{"schema":1}`, "", "", "one of the members data and raw"},
		{"both", `{"schema":1,"data":1,"raw":""}`, "", "", "one of the members data and raw"},
		{"raw is no text", `{"schema":1,"raw":{}}`, "", "", "must be a string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			document, value, err := splitCase([]byte(tt.line))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("got error %v, want one with %q", err, tt.err)
				}
				return
			}
			if err != nil || string(document) != tt.document || string(value) != tt.value {
				t.Errorf("got %q, %q, %v; want %q, %q", document, value, err, tt.document, tt.value)
			}
		})
	}
}

// FuzzSplitCase compares the scanner with a decoder: what it takes is what the
// decoder takes, and the values are the same bytes.
func FuzzSplitCase(f *testing.F) {
	for _, line := range []string{
		`{"schema":{},"data":1}`, `{"schema":{"a":[{}]},"raw":"[\"\\\""}`, ` { "data" : "}" , "schema" : true } `,
		`{"schema":{},"data":tru}`, `{"schema":{},"data":[1}`, `{"a":1,"schema":1}`, `{}`, `{"schema":{},"data":1,"data":2}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		document, value, err := splitCase(line)
		var want struct {
			Schema jsontext.Value `json:"schema"`
			Data   jsontext.Value `json:"data"`
			Raw    *string        `json:"raw"`
		}
		strict := json.Unmarshal(line, &want)
		switch {
		case strict == nil && want.Schema != nil && (want.Data == nil) != (want.Raw == nil) && jsontext.Value(line).Kind() == '{':
			if err != nil || !bytes.Equal(document, want.Schema) || want.Data != nil && !bytes.Equal(value, want.Data) || want.Raw != nil && string(value) != *want.Raw {
				t.Errorf("got %q, %q, %v; want %+v", document, value, err, want)
			}
		case err == nil && !bytes.Contains(line, []byte(strings.Repeat("[", 50))):
			if lax := json.Unmarshal(line, &want, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); lax != nil {
				t.Errorf("took a line that is not JSON: %v", lax)
			}
		}
	})
}
