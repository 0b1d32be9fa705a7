package dialect

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// A value is a parsed JSON value. It is one of null (nil), bool, number, string, list and *object.
type value any

type (
	number string
	list   []value
)

// An object keeps the order of its members.
type object struct {
	names  []string
	member map[string]value
}

func (o *object) get(name string) (value, bool) {
	v, ok := o.member[name]
	return v, ok
}

func (o *object) has(names ...string) bool {
	for _, name := range names {
		if _, ok := o.member[name]; ok {
			return true
		}
	}
	return false
}

// parse reads one strict JSON value.
func parse(raw []byte) (value, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	v, err := read(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the value")
	}
	return v, nil
}

func read(dec *jsontext.Decoder) (value, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		return number(token.String()), nil
	case '[':
		return readList(dec)
	}
	return readObject(dec)
}

func readList(dec *jsontext.Decoder) (value, error) {
	items := list{}
	for dec.PeekKind() != ']' {
		item, err := read(dec)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	_, err := dec.ReadToken()
	return items, err
}

func readObject(dec *jsontext.Decoder) (value, error) {
	o := &object{member: map[string]value{}}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("read JSON: %w", err)
		}
		key := name.String()
		if o.member[key], err = read(dec); err != nil {
			return nil, err
		}
		o.names = append(o.names, key)
	}
	_, err := dec.ReadToken()
	return o, err
}
