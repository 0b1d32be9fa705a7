package schema

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
)

// A Builder is a schema in the making. Its methods change it and return it, so that calls can be chained; what goes wrong is
// kept and comes back from [Builder.Schema], all at once. The keywords are written in one fixed order, whatever the order of the
// calls. A Builder is not safe for concurrent use; the Schema that it makes is.
type Builder struct {
	words []builtWord
	errs  []error
}

type builtWord struct {
	name string
	raw  jsontext.Value
}

// wordOrder is the order in which keywords are written. Others follow, in the order in which they were set; $defs is last.
var wordOrder = []string{
	"$schema", "$id", "$ref", "type", "title", "description", "enum", "const", "format", "contentEncoding", "pattern",
	"minLength", "maxLength", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "default", "examples", "deprecated",
	"allOf", "anyOf", "oneOf", "prefixItems", "items", "properties", "required", "propertyNames", "additionalProperties",
}

func wordRank(name string) int {
	if name == "$defs" {
		return len(wordOrder) + 1
	}
	if i := slices.Index(wordOrder, name); i >= 0 {
		return i
	}
	return len(wordOrder)
}

// A Property is one property of a built object. The zero Property is an error when it is used.
type Property struct {
	name     string
	value    *Builder
	required bool
}

// Required makes a property that must be given.
func Required(name string, value *Builder) Property { return Property{name, value, true} }

// Optional makes a property that may be left out. Its schema may say a default.
func Optional(name string, value *Builder) Property { return Property{name, value, false} }

// Any builds the schema that accepts every value.
func Any() *Builder { return &Builder{} }

// From builds on a schema document. A nil or boolean schema cannot be refined further: on false, keywords are an error.
func From(s *Schema) *Builder {
	b := &Builder{}
	t, err := parseTree(s.text())
	switch {
	case err != nil:
		return b.fail("from schema: %w", err)
	case t.kind == 'f':
		return b.Set("not", map[string]any{})
	}
	for _, m := range t.members {
		b.put(m.name, m.value.raw)
	}
	return b
}

func typed(name string) *Builder { return (&Builder{}).Set("type", name) }

// String builds the schema of a string.
func String() *Builder { return typed("string") }

// Integer builds the schema of a number without a fractional part.
func Integer() *Builder { return typed("integer") }

// Number builds the schema of a number.
func Number() *Builder { return typed("number") }

// Boolean builds the schema of true and false.
func Boolean() *Builder { return typed("boolean") }

// Null builds the schema of null.
func Null() *Builder { return typed("null") }

// Array builds the schema of an array whose items all fit item; a nil item leaves them open.
func Array(item *Builder) *Builder {
	b := typed("array")
	if item != nil {
		b.sub("items", item)
	}
	return b
}

// Map builds the schema of an object with names of any kind, whose values all fit value; nil leaves them open.
func Map(value *Builder) *Builder {
	b := typed("object")
	if value == nil {
		value = Any()
	}
	return b.sub("additionalProperties", value)
}

// Object builds the schema of an object with these properties and no others; see [Builder.Open].
func Object(properties ...Property) *Builder {
	b := typed("object")
	var required []string
	out := []byte{'{'}
	seen := map[string]bool{}
	for i, p := range properties {
		if p.value == nil || seen[p.name] {
			b.fail("property %q: has no schema or is given twice", p.name)
			continue
		}
		seen[p.name] = true
		if i > 0 && len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(jsonx.AppendQuote(out, p.name), ':'), p.value.render()...)
		b.adopt(p.name, p.value)
		if p.required {
			required = append(required, p.name)
		}
	}
	b.put("properties", append(out, '}'))
	if len(required) > 0 {
		b.Set("required", required)
	}
	return b.Set("additionalProperties", false)
}

// AnyOf builds the schema of a value that fits at least one of the alternatives.
func AnyOf(alternatives ...*Builder) *Builder { return (&Builder{}).list("anyOf", alternatives) }

// OneOf builds the schema of a value that fits exactly one of the alternatives.
func OneOf(alternatives ...*Builder) *Builder { return (&Builder{}).list("oneOf", alternatives) }

func (b *Builder) list(word string, parts []*Builder) *Builder {
	if len(parts) == 0 {
		return b.fail("%s: needs at least one alternative", word)
	}
	out := []byte{'['}
	for i, p := range parts {
		if p == nil {
			return b.fail("%s: alternative %d is nil", word, i)
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, p.render()...)
		b.adopt(fmt.Sprintf("%s %d", word, i), p)
	}
	b.put(word, append(out, ']'))
	return b
}

func (b *Builder) sub(word string, part *Builder) *Builder {
	b.put(word, part.render())
	b.adopt(word, part)
	return b
}

// adopt takes over the errors of a part.
func (b *Builder) adopt(where string, part *Builder) {
	for _, err := range part.errs {
		b.errs = append(b.errs, fmt.Errorf("%s: %w", where, err))
	}
}

func (b *Builder) fail(format string, args ...any) *Builder {
	b.errs = append(b.errs, fmt.Errorf(format, args...))
	return b
}

func (b *Builder) put(name string, raw jsontext.Value) {
	for i := range b.words {
		if b.words[i].name == name {
			b.words[i].raw = raw
			return
		}
	}
	b.words = append(b.words, builtWord{name, raw})
}

func (b *Builder) get(name string) jsontext.Value {
	for _, w := range b.words {
		if w.name == name {
			return w.raw
		}
	}
	return nil
}

func (b *Builder) take(name string) jsontext.Value {
	raw := b.get(name)
	b.words = slices.DeleteFunc(b.words, func(w builtWord) bool { return w.name == name })
	return raw
}

// Set writes a keyword, for what has no method of its own. The value is encoded with [JSONOptions]; a *Schema, a
// [jsontext.Value] or another Builder is taken as it is.
func (b *Builder) Set(keyword string, value any) *Builder {
	if part, ok := value.(*Builder); ok && part != nil {
		return b.sub(keyword, part)
	}
	raw, err := json.Marshal(value, JSONOptions())
	if err != nil {
		return b.fail("%s: %w", keyword, err)
	}
	b.put(keyword, raw)
	return b
}

// Doc sets the description.
func (b *Builder) Doc(text string) *Builder { return b.Set("description", text) }

// Enum lists the values that are accepted.
func (b *Builder) Enum(values ...any) *Builder {
	if len(values) == 0 {
		return b.fail("enum: needs at least one value")
	}
	return b.Set("enum", values)
}

// Const sets the one value that is accepted.
func (b *Builder) Const(value any) *Builder { return b.Set("const", value) }

// Min sets the least number, the least count of characters of a string, of items of an array, or of properties of an object.
func (b *Builder) Min(limit any) *Builder { return b.bound("min", limit) }

// Max sets the greatest number, or the greatest count as for [Builder.Min].
func (b *Builder) Max(limit any) *Builder { return b.bound("max", limit) }

func (b *Builder) bound(side string, limit any) *Builder {
	words := map[string]string{`"string"`: "Length", `"array"`: "Items", `"object"`: "Properties", `"integer"`: "imum", `"number"`: "imum"}
	t := b.get("type")
	word, ok := words[string(firstType(t))]
	if !ok {
		return b.fail("%s: says nothing about the type %s", side, t)
	}
	return b.Set(side+word, limit)
}

func firstType(t jsontext.Value) []byte {
	t = bytes.TrimPrefix(t, []byte("["))
	first, _, _ := bytes.Cut(t, []byte(","))
	return first
}

// Pattern sets the regular expression (ECMA-262, unanchored) that a string must match.
func (b *Builder) Pattern(expr string) *Builder { return b.Set("pattern", expr) }

// Format names the format of a string, such as date-time, email or uri.
func (b *Builder) Format(name string) *Builder { return b.Set("format", name) }

// Unique asks for items that differ from each other.
func (b *Builder) Unique() *Builder { return b.Set("uniqueItems", true) }

// Default sets the value that stands for an optional property which is not given.
func (b *Builder) Default(value any) *Builder { return b.Set("default", value) }

// Example adds an example.
func (b *Builder) Example(value any) *Builder {
	raw, err := json.Marshal(value, JSONOptions())
	if err != nil {
		return b.fail("example: %w", err)
	}
	if old := b.get("examples"); old != nil {
		raw = append(append(append(bytes.Clone(old[:len(old)-1]), ','), raw...), ']')
	} else {
		raw = append(append([]byte{'['}, raw...), ']')
	}
	b.put("examples", raw)
	return b
}

// Deprecated marks the value as one that should no longer be given.
func (b *Builder) Deprecated() *Builder { return b.Set("deprecated", true) }

// Open lets an object have properties beyond those listed; nil values are of any kind.
func (b *Builder) Open(values *Builder) *Builder {
	if values == nil {
		values = Any()
	}
	return b.sub("additionalProperties", values)
}

// Nullable accepts null too. A plain type becomes a pair of types and an enum gets null as its last value; anything else becomes
// one of two alternatives, with description, default and examples moved outside.
func (b *Builder) Nullable() *Builder {
	t := b.get("type")
	plain := len(t) > 0 && t[0] == '"' && !bytes.Equal(t, []byte(`"object"`)) && !bytes.Equal(t, []byte(`"array"`)) && b.get("const") == nil
	switch {
	case len(b.words) == 0, bytes.Contains(t, []byte(`"null"`)):
		return b
	case plain:
		b.put("type", slices.Concat([]byte("["), t, []byte(`,"null"]`)))
		b.nullEnum()
		return b
	case len(t) == 0 && b.get("enum") != nil && b.get("$ref") == nil:
		b.nullEnum()
		return b
	}
	outer := &Builder{errs: b.errs}
	for _, word := range []string{"description", "default", "examples", "deprecated", "$defs"} {
		if raw := b.take(word); raw != nil {
			outer.put(word, raw)
		}
	}
	inner := Builder{words: b.words}
	outer.put("anyOf", slices.Concat([]byte("["), inner.render(), []byte(`,{"type":"null"}]`)))
	*b = *outer
	return b
}

func (b *Builder) nullEnum() {
	if e := b.get("enum"); e != nil && !bytes.HasSuffix(e, []byte("null]")) {
		b.put("enum", slices.Concat(e[:len(e)-1], []byte(",null]")))
	}
}

// render writes the schema; one without keywords is true.
func (b *Builder) render() jsontext.Value {
	if len(b.words) == 0 {
		return jsontext.Value("true")
	}
	words := slices.Clone(b.words)
	slices.SortStableFunc(words, func(x, y builtWord) int { return cmp.Compare(wordRank(x.name), wordRank(y.name)) })
	out := []byte{'{'}
	for i, w := range words {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(jsonx.AppendQuote(out, w.name), ':'), w.raw...)
	}
	return append(out, '}')
}

// Schema returns the document. It fails with everything that went wrong while building, and when the result does not compile:
// a keyword with a value of the wrong type, a default that its own schema does not accept.
func (b *Builder) Schema() (*Schema, error) {
	if len(b.errs) > 0 {
		return nil, fmt.Errorf("build schema: %w", errors.Join(b.errs...))
	}
	s, err := Parse(b.render())
	if err != nil {
		return nil, fmt.Errorf("build schema: %w", err)
	}
	if _, err := Compile(s, &Config{CheckDefaults: true}); err != nil {
		return nil, fmt.Errorf("build schema: %w", err)
	}
	return s, nil
}

// Must is [Builder.Schema] for schemas that are written in the program; it panics where Schema returns an error.
func (b *Builder) Must() *Schema {
	s, err := b.Schema()
	if err != nil {
		panic(err)
	}
	return s
}
