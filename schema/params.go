package schema

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Params is a flat list of parameters given as data, for tools whose arguments are not a Go type. Its JSON form is an array of
// the JSON forms of its elements.
type Params []Param

// A Param is one parameter. Its JSON form has the members name, type, description, optional and default; unknown members are
// refused.
type Param struct {
	// Name is the property's name. It must not be empty, and unique in its list.
	Name string `json:"name"`
	// Type is one of string, integer, float, boolean, list and dictionary. The items of a list and the values of a dictionary
	// are of any kind.
	Type string `json:"type"`
	// Description says what the parameter is for. It may be empty.
	Description string `json:"description,omitempty"`
	// Optional lets the parameter be left out. A parameter with a Default is optional too.
	Optional bool `json:"optional,omitzero"`
	// Default is the value that stands for a parameter which is not given, as JSON. nil: there is none.
	Default jsontext.Value `json:"default,omitzero"`
}

// ParseParams reads the JSON form of Params. Unknown members and duplicate names are errors; what the list says is checked by
// [Params.Schema].
func ParseParams(raw []byte) (Params, error) {
	var p Params
	if err := json.Unmarshal(raw, &p, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("parse params: %w", err)
	}
	return p, nil
}

var paramTypes = map[string]func() *Builder{
	"string": String, "integer": Integer, "float": Number, "boolean": Boolean,
	"list":       func() *Builder { return Array(nil) },
	"dictionary": func() *Builder { return Map(nil) },
}

// Schema makes the schema of an object with these properties, in their order, and no others. A nil list gives an object without
// properties. All errors come at once: a name that is empty or given twice, a type that is unknown, a default that does not fit.
func (p Params) Schema() (*Schema, error) {
	var errs []error
	properties := make([]Property, 0, len(p))
	seen := map[string]bool{}
	for i, param := range p {
		makeType, ok := paramTypes[param.Type]
		switch {
		case param.Name == "":
			errs = append(errs, fmt.Errorf("parameter %d: has no name", i))
			continue
		case seen[param.Name]:
			errs = append(errs, fmt.Errorf("parameter %q: is given twice", param.Name))
			continue
		case !ok:
			errs = append(errs, fmt.Errorf("parameter %q: the type %q is unknown; known are string, integer, float, boolean, list and dictionary", param.Name, param.Type))
			continue
		}
		seen[param.Name] = true
		b := makeType()
		if param.Description != "" {
			b.Doc(param.Description)
		}
		if param.Default != nil {
			b.Default(param.Default)
		}
		properties = append(properties, Property{param.Name, b, !param.Optional && param.Default == nil})
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("build params: %w", errors.Join(errs...))
	}
	return Object(properties...).Schema()
}
