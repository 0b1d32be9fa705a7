package helvecmd

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// object is what is told to people of the schema of a tool's input.
type object struct {
	Properties jsontext.Value `json:"properties"`
	Required   []string       `json:"required"`
}

// parameter is what is told to people of one property.
type parameter struct {
	Type        jsontext.Value   `json:"type"`
	Enum        []jsontext.Value `json:"enum"`
	Format      string           `json:"format"`
	Default     jsontext.Value   `json:"default"`
	Description string           `json:"description"`
}

// listParameters describes the properties of an object schema, a line each. It
// leaves out what it does not understand: the schema itself is there as JSON.
func listParameters(s *schema.Schema) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return ""
	}
	required := map[string]bool{}
	for _, name := range o.Required {
		required[name] = true
	}
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for name, value := range members(o.Properties) {
		var p parameter
		_ = json.Unmarshal(value, &p) // what is odd is left out
		fmt.Fprintf(table, "    %s\t%s\t%s\n", name, p.kind(required[name]), firstSentence(p.Description))
	}
	_ = table.Flush() // a strings.Builder takes everything
	return trimLines(b.String())
}

// members yields names and values of a JSON object in its order.
func members(raw jsontext.Value) func(yield func(string, jsontext.Value) bool) {
	return func(yield func(string, jsontext.Value) bool) {
		d := jsontext.NewDecoder(bytes.NewReader(raw))
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

// kind says in a few words what a parameter takes.
func (p *parameter) kind(required bool) string {
	var types []string
	if json.Unmarshal(p.Type, &types) != nil {
		var one string
		if json.Unmarshal(p.Type, &one) == nil {
			types = []string{one}
		}
	}
	kind := strings.Join(types, " or ")
	if p.Format != "" {
		kind = strings.Replace(kind, "string", p.Format, 1)
	}
	if len(p.Enum) > 0 {
		var values []string
		for _, v := range p.Enum {
			values = append(values, string(v))
		}
		kind = strings.Join(values, " or ")
	}
	switch {
	case len(p.Default) > 0:
		kind += ", default " + string(p.Default)
	case !required:
		kind += ", optional"
	}
	return strings.TrimPrefix(kind, ", ")
}

// trimLines removes the white space at the ends of lines.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
