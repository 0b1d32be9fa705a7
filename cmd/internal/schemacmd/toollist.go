package schemacmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// A toolDefinition is a tool as any of the providers writes it.
type toolDefinition struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema jsontext.Value `json:"inputSchema"`
	Underscored jsontext.Value `json:"input_schema"`
	Parameters  jsontext.Value `json:"parameters"`
}

// lenient leaves a name that is there twice to the tool that has it.
var lenient = jsontext.AllowDuplicateNames(true)

// readTools returns the tools of a tools/list answer, of an array, or of JSON
// lines. Only what is no such list at all is an error; a tool that is wrong
// comes back with an error of its own.
func readTools(raw []byte) ([]listedTool, error) {
	if bytes.HasPrefix(raw, []byte("\uFEFF")) {
		return nil, errors.New("the text starts with a byte order mark; leave it out")
	}
	var out []listedTool
	d := jsontext.NewDecoder(bytes.NewReader(raw), lenient)
	for {
		value, err := d.ReadValue()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		list, err := toolValues(value)
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			out = append(out, readTool(v, len(out)+1))
		}
	}
	if out == nil {
		return nil, errors.New("there are no tools in it")
	}
	return out, nil
}

// toolValues returns the tools in a value, or the value itself as a tool.
func toolValues(value jsontext.Value) (list []jsontext.Value, err error) {
	switch value.Kind() {
	case jsontext.KindBeginArray:
		err = json.Unmarshal(value, &list, lenient)
		return list, err
	case jsontext.KindBeginObject:
		for name, v := range members(value) {
			switch {
			case name == "result" && v.Kind() == jsontext.KindBeginObject, name == "tools" && v.Kind() == jsontext.KindBeginArray:
				return toolValues(v.Clone())
			}
		}
		return []jsontext.Value{value.Clone()}, nil
	}
	return nil, errors.New(`it is neither an answer {"tools":[...]}, nor an array of tools, nor tools line by line`)
}

// A listedTool is a tool that was read, or why it could not be.
type listedTool struct {
	schema.LowerTool

	err error
}

// readTool reads one tool; nth counts from 1.
func readTool(value jsontext.Value, nth int) listedTool {
	t := listedTool{LowerTool: schema.LowerTool{Name: fmt.Sprintf("tool %d", nth)}}
	var def toolDefinition
	value = inner(value)
	if json.Unmarshal(value, &def, lenient) != nil {
		t.err = errors.New("it is not an object with name, description and inputSchema")
		return t
	}
	if def.Name == "" {
		t.err = errors.New("it has no name")
		return t
	}
	t.Name, t.Description = def.Name, def.Description
	if t.err = jsontext.NewDecoder(bytes.NewReader(value)).SkipValue(); t.err != nil {
		return t
	}
	for _, raw := range []jsontext.Value{def.InputSchema, def.Underscored, def.Parameters} {
		if raw != nil && raw.Kind() != jsontext.KindNull {
			t.Schema, t.err = schema.Parse(raw)
			return t
		}
	}
	return t
}

// inner returns the function of a tool as Chat Completions nests it, and any
// other tool as it is.
func inner(value jsontext.Value) jsontext.Value {
	for name, v := range members(value) {
		if name == "function" && v.Kind() == jsontext.KindBeginObject {
			return v.Clone()
		}
	}
	return value
}
