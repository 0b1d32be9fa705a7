package schemacmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/schema"
)

// maxDocument is the longest file or line that is read, in bytes.
const maxDocument = 64 << 20

// readDocument returns the content of a file, or of stdin for "-". It reads no
// more than is needed to see that it is too much.
func readDocument(cmd *cobra.Command, name string) ([]byte, error) {
	in, err := open(cmd, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	raw, err := io.ReadAll(io.LimitReader(in, maxDocument+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxDocument {
		return nil, fmt.Errorf("%s is longer than %d MiB, which is the most that is read", title(name), maxDocument>>20)
	}
	return raw, nil
}

// open opens a file, or stdin for "-".
func open(cmd *cobra.Command, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(helvecmd.Stdin(cmd)), nil
	}
	return os.Open(name)
}

// title names an input for people.
func title(name string) string {
	if name == "-" {
		return "stdin"
	}
	return name
}

// readSchema reads a file as a schema. Its errors are wrong usage.
func readSchema(cmd *cobra.Command, name string) (*schema.Schema, error) {
	raw, err := readDocument(cmd, name)
	if err != nil {
		return nil, helvecmd.Usagef("read schema: %w", err)
	}
	s, err := schema.Parse(raw)
	if err != nil {
		return nil, helvecmd.Usagef("%s: %w", title(name), err)
	}
	return s, nil
}

// drafts are the values of --draft and what a schema declares for each.
var drafts = map[string]string{
	"6":       "http://json-schema.org/draft-06/schema#",
	"7":       "http://json-schema.org/draft-07/schema#",
	"2019-09": "https://json-schema.org/draft/2019-09/schema",
	"2020-12": "https://json-schema.org/draft/2020-12/schema",
}

// draftURI returns what a schema of the draft declares; "" for no draft.
func draftURI(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	short := strings.TrimLeft(strings.TrimPrefix(strings.ToLower(name), "draft"), "-0")
	if uri, ok := drafts[short]; ok {
		return uri, nil
	}
	return "", helvecmd.Usagef("--draft must be 7 or 2020-12 (6 and 2019-09 are known too), not %q", name)
}

// declare returns s as a document of the dialect uri, unless its root names a
// dialect already. The order of its members stays.
func declare(s *schema.Schema, uri string) (*schema.Schema, error) {
	raw := s.Raw()
	if uri == "" || raw.Kind() != '{' {
		return s, nil
	}
	for name := range members(raw) {
		if name == "$schema" {
			return s, nil
		}
	}
	out := fmt.Appendf(nil, `{"$schema":%q`, uri)
	if len(raw) > len("{}") {
		out = append(out, ',')
	}
	return schema.Parse(append(out, raw[1:]...))
}

// members yields names and values of a JSON object in its order, and nothing
// for other values.
func members(raw jsontext.Value) func(yield func(string, jsontext.Value) bool) {
	return func(yield func(string, jsontext.Value) bool) {
		d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if open, err := d.ReadToken(); err != nil || open.Kind() != jsontext.KindBeginObject {
			return
		}
		for d.PeekKind() == jsontext.KindString {
			name, err := d.ReadToken()
			if err != nil {
				return
			}
			text := name.String()
			value, err := d.ReadValue()
			if err != nil || !yield(text, value) {
				return
			}
		}
	}
}
