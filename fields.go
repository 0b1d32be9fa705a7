package helve

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
)

// field is a member of a JSON object whose order matters.
type field struct {
	name  string
	value jsontext.Value
}

// members returns the members of a JSON object in their order; nil for
// anything else.
func members(raw jsontext.Value) []field {
	if raw.Kind() != '{' {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	var out []field
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil
		}
		f := field{name: name.String()}
		v, err := dec.ReadValue()
		if err != nil {
			return nil
		}
		f.value = v.Clone()
		out = append(out, f)
	}
	return out
}

// member returns one member of a JSON object, or nil.
func member(raw jsontext.Value, name string) jsontext.Value {
	for _, f := range members(raw) {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// object writes members as a JSON object.
func object(fields []field) jsontext.Value {
	out := []byte{'{'}
	for i, f := range fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = jsonx.AppendQuote(out, f.name)
		out = append(append(out, ':'), f.value...)
	}
	return append(out, '}')
}

// withMember returns the object raw with one member set, in its place or last.
func withMember(raw jsontext.Value, name string, value jsontext.Value) jsontext.Value {
	fields := members(raw)
	for i, f := range fields {
		if f.name == name {
			fields[i].value = value
			return object(fields)
		}
	}
	return object(append(fields, field{name, value}))
}

// unquote returns the text of a JSON string.
func unquote(raw jsontext.Value) (string, error) {
	if raw.Kind() != '"' {
		return "", errors.New("no JSON string")
	}
	b, err := jsontext.AppendUnquote(nil, raw)
	return string(b), err
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
