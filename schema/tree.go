package schema

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
)

// A tree is a parsed JSON document whose member order is kept. Trees are compared by address: a schema's place in its document
// is its identity.
type tree struct {
	kind    byte // one of { [ " 0 t f n
	raw     []byte
	str     string // a string's value
	members []member
	items   []*tree
}

type member struct {
	name  string
	value *tree
}

// parseTree reads one strict JSON value (RFC 8259; duplicate names and invalid UTF-8 are refused).
func parseTree(raw []byte) (*tree, error) {
	switch {
	case jsonx.Space(raw, 0) == len(raw):
		return nil, errors.New("read JSON: the text is empty")
	case bytes.HasPrefix(raw, []byte("\uFEFF")):
		return nil, errors.New("read JSON: the text starts with a byte order mark; leave it out")
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	value, err := dec.ReadValue()
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if rest := jsonx.Space(raw, int(dec.InputOffset())); rest < len(raw) {
		return nil, fmt.Errorf("read JSON: text after the value at offset %d", rest)
	}
	compact := bytes.Clone(value)
	if err := (*jsontext.Value)(&compact).Compact(); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	t, _ := growTree(compact, 0)
	return t, nil
}

// growTree builds the tree of the compact, valid value at d[i].
func growTree(d []byte, i int) (*tree, int) {
	start := i
	t := &tree{kind: d[i]}
	switch d[i] {
	case '{':
		for i++; d[i] != '}'; {
			name, next := growString(d, i)
			var m *tree
			m, i = growTree(d, next+1)
			t.members = append(t.members, member{name, m})
			if d[i] == ',' {
				i++
			}
		}
		i++
	case '[':
		for i++; d[i] != ']'; {
			var item *tree
			item, i = growTree(d, i)
			t.items = append(t.items, item)
			if d[i] == ',' {
				i++
			}
		}
		i++
	case '"':
		t.str, i = growString(d, i)
	default:
		if i = jsonx.Skip(d, i); t.kind != 't' && t.kind != 'f' && t.kind != 'n' {
			t.kind = '0'
		}
	}
	t.raw = d[start:i:i]
	return t, i
}

func growString(d []byte, i int) (string, int) {
	end, _, _ := jsonx.String(d, i)
	return string(jsonx.Unquote(nil, d[i:end])), end
}

// get returns the member name, or nil when t is no object or has none.
func (t *tree) get(name string) *tree {
	for _, m := range t.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// isSchema reports whether t can be a schema: an object or a boolean.
func (t *tree) isSchema() bool { return t.kind == '{' || t.kind == 't' || t.kind == 'f' }
