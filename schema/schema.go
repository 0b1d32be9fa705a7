// Package schema infers, parses, builds and compiles JSON Schemas, and checks raw JSON against them.
//
// A [Schema] is a document. It comes from a Go type ([For]), from text ([Parse]), from a builder ([Object]) or from a plain
// parameter list ([Params]). [Compile] turns it into a [Validator], which reads raw JSON bytes without building values, collects
// every fault with its JSON Pointer, and can settle a value: fill defaults, drop nulls that mean "absent", resolve aliases.
//
// The rules are JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12), and draft-07 for documents that declare it.
package schema

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// A Schema is a JSON Schema document: immutable, compact, with the order of its members kept. The zero Schema and a nil *Schema
// are the schema true, which accepts every value. A Schema is safe for concurrent use.
type Schema struct {
	raw     jsontext.Value
	carried map[string]string // what the document of an inferred schema does not say: see carrier
}

// None is the schema that checks nothing: the document true.
var None = &Schema{raw: jsontext.Value("true")}

// Parse reads a schema document. It must be one JSON object or boolean in strict JSON (RFC 8259; duplicate names, invalid UTF-8
// and text after the value are errors). White space is removed, nothing else is changed and no keyword is looked at: that is
// [Compile]'s work.
func Parse(raw []byte) (*Schema, error) {
	t, err := parseTree(raw)
	if err != nil {
		return nil, fmt.Errorf("parse schema: %w", err)
	}
	if !t.isSchema() {
		return nil, fmt.Errorf("parse schema: a schema is an object or a boolean, got %s", describeTree(t))
	}
	return &Schema{raw: t.raw}, nil
}

// MustParse is [Parse] for schemas that are written in the program; it panics where Parse returns an error.
func MustParse(raw string) *Schema {
	s, err := Parse([]byte(raw))
	if err != nil {
		panic(err)
	}
	return s
}

func (s *Schema) text() jsontext.Value {
	if s == nil || s.raw == nil {
		return None.raw
	}
	return s.raw
}

// Raw returns a copy of the document.
func (s *Schema) Raw() jsontext.Value { return s.text().Clone() }

// String returns the document as text.
func (s *Schema) String() string { return string(s.text()) }

// Equal reports whether both documents are the same bytes; order counts. A nil Schema equals [None].
func (s *Schema) Equal(other *Schema) bool { return bytes.Equal(s.text(), other.text()) }

// MarshalJSON returns the document. It never fails.
func (s *Schema) MarshalJSON() ([]byte, error) { return s.Raw(), nil }

// UnmarshalJSON reads a document with the rules and errors of [Parse]. It is meant for decoders: a Schema in use is not to be
// read into.
func (s *Schema) UnmarshalJSON(raw []byte) error {
	if s == nil {
		return errors.New("unmarshal schema: nil *Schema")
	}
	parsed, err := Parse(raw)
	if err != nil {
		return err
	}
	s.raw, s.carried = parsed.raw, nil
	return nil
}
