package schemacmd

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// deepest is how deep jsontext follows a value. Whether a line that is nested
// deeper is JSON throughout is left to the validator, which refuses such depth.
const deepest = 10_000

var errNoObject = errors.New(`the line is not an object like {"schema":{...},"data":...}`)

// A lineScanner finds the members of the object on a line without reading their
// values: duplicate names, bad UTF-8 and bottomless nesting in there are what a
// validator is to be shown.
type lineScanner struct {
	text  []byte
	at    int
	depth int // of the deepest value
}

// members returns the raw values of the object's members.
func (l *lineScanner) members() (map[string][]byte, error) {
	found := map[string][]byte{}
	if !l.take('{') {
		return nil, errNoObject
	}
	for more := !l.take('}'); more; more = !l.take('}') {
		if len(found) > 0 && !l.take(',') {
			return nil, errNoObject
		}
		name, ok := l.value()
		if !ok || name[0] != '"' || !l.take(':') {
			return nil, errNoObject
		}
		value, ok := l.value()
		if !ok {
			return nil, errNoObject
		}
		text, _ := jsontext.AppendUnquote(nil, name) // what is odd is no name that we know
		if _, twice := found[string(text)]; twice {
			return nil, fmt.Errorf("the line has the member %s twice", name)
		}
		found[string(text)] = value
	}
	if l.space(); l.at < len(l.text) {
		return nil, errNoObject
	}
	return found, l.wellFormed()
}

// wellFormed says what is wrong where the line as a whole is not JSON.
func (l *lineScanner) wellFormed() error {
	if l.depth >= deepest {
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(l.text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err := d.SkipValue(); err != nil {
		return fmt.Errorf("the line is not JSON: %w", err)
	}
	return nil
}

func (l *lineScanner) space() {
	for l.at < len(l.text) && bytes.IndexByte([]byte(" \t\r\n"), l.text[l.at]) >= 0 {
		l.at++
	}
}

// take takes the next character if it is c.
func (l *lineScanner) take(c byte) bool {
	l.space()
	if l.at >= len(l.text) || l.text[l.at] != c {
		return false
	}
	l.at++
	return true
}

// value takes the text of the next value by its brackets and quotes.
func (l *lineScanner) value() ([]byte, bool) {
	l.space()
	start, depth := l.at, 0
	for l.at < len(l.text) {
		switch c := l.text[l.at]; c {
		case '"':
			if !l.quoted() {
				return nil, false
			}
			l.at--
		case '{', '[':
			depth++
			l.depth = max(l.depth, depth)
		case '}', ']', ',', ':', ' ', '\t', '\r':
			if depth == 0 {
				return l.text[start:l.at], l.at > start
			}
			if c == '}' || c == ']' {
				depth--
			}
		}
		if l.at++; depth == 0 && bytes.IndexByte([]byte(`"}]`), l.text[l.at-1]) >= 0 {
			return l.text[start:l.at], true
		}
	}
	return nil, false
}

// quoted takes a string literal and reports whether it ends.
func (l *lineScanner) quoted() bool {
	for l.at++; l.at < len(l.text); l.at++ {
		switch l.text[l.at] {
		case '\\':
			l.at++
		case '"':
			l.at++
			return true
		}
	}
	return false
}
