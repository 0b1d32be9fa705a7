package schema

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
)

// A tagRule says which types a tag refines and how its text is read.
type tagRule struct {
	key  string
	on   string // the types that the keyword says something about
	read func(text string) (jsontext.Value, bool)
	want string
}

var tagRules = []tagRule{
	{"minimum", "integer number", readNumber, "a number"},
	{"maximum", "integer number", readNumber, "a number"},
	{"exclusiveMinimum", "integer number", readNumber, "a number"},
	{"exclusiveMaximum", "integer number", readNumber, "a number"},
	{"multipleOf", "integer number", readFactor, "a number above 0"},
	{"minLength", "string", readCount, "a count"},
	{"maxLength", "string", readCount, "a count"},
	{"pattern", "string", readPattern, "a regular expression"},
	{"format", "string", readFormat, "the name of a format"},
	{"minItems", "array", readCount, "a count"},
	{"maxItems", "array", readCount, "a count"},
	{"uniqueItems", "array", readBool, "true or false"},
}

// valueTags are read elsewhere.
var valueTags = []string{"json", "doc", "jsonschema", "enum", "default", "example"}

// strayTags are keys that look as if they said something to a schema, but that are not read, and what to write instead. A key
// that is not listed, or a slip away from one that is read, belongs to another package.
var strayTags = map[string]string{
	"description":   "the tag doc is the description",
	"title":         "the tag doc is the description",
	"examples":      "the tag example is one example",
	"const":         "the tag enum with one value says the same",
	"required":      "a field is required unless its json tag says omitempty or omitzero, or it has a default",
	"optional":      "the json options omitempty and omitzero, or a default, make a field optional",
	"nullable":      "a pointer accepts null",
	"minProperties": "give the type a method JSONSchema", "maxProperties": "give the type a method JSONSchema",
	"deprecated": "give the type a method JSONSchema", "readOnly": "give the type a method JSONSchema", "writeOnly": "give the type a method JSONSchema",
	"contentEncoding": "give the type a method JSONSchema", "contentMediaType": "give the type a method JSONSchema",
	"oneOf": "give the type a method JSONSchema", "anyOf": "give the type a method JSONSchema", "allOf": "give the type a method JSONSchema",
}

// annotationFormats are formats that nothing checks but that say something to a reader (OpenAPI 3.1, section 4.4).
var annotationFormats = []string{"password", "byte", "binary"}

func readNumber(text string) (jsontext.Value, bool) {
	end, ok := jsonx.Number([]byte(text), 0)
	return jsontext.Value(text), ok && end == len(text)
}

func readCount(text string) (jsontext.Value, bool) {
	n, err := strconv.ParseUint(text, 10, 31)
	return jsontext.Value(strconv.FormatUint(n, 10)), err == nil
}

func readBool(text string) (jsontext.Value, bool) {
	return jsontext.Value(text), text == "true" || text == "false"
}

func readFactor(text string) (jsontext.Value, bool) {
	v, ok := numberOf(text)
	return jsontext.Value(text), ok && v.Compare(jsonx.Decimal{}) > 0
}

func readPattern(text string) (jsontext.Value, bool) {
	_, err := compilePattern(text)
	return jsonx.AppendQuote(nil, text), err == nil && text != ""
}

func readFormat(text string) (jsontext.Value, bool) {
	_, known := formats[text]
	return jsonx.AppendQuote(nil, text), known || slices.Contains(annotationFormats, text)
}

// tags writes the keywords that a field's tags say into b, the schema of t.
func (in *inferrer) tags(f *field, t reflect.Type, b *Builder) {
	in.misspelt(f)
	for _, rule := range tagRules {
		text, ok := f.tag.Lookup(rule.key)
		if !ok {
			continue
		}
		raw, ok := rule.read(text)
		if !ok {
			in.fail(f.path, "the tag %s must be %s, got %q", rule.key, rule.want, text)
			continue
		}
		if !in.refine(b, rule.on, rule.key, raw) {
			in.fail(f.path, "the tag %s says nothing about %s", rule.key, t)
		}
	}
	text, ok := f.tag.Lookup("enum")
	if !ok {
		return
	}
	out := []byte{'['}
	seen := map[string]bool{}
	for i, item := range strings.Split(text, ",") {
		raw, ok := readValue(in.valueKind(b), strings.TrimSpace(item))
		if !ok {
			in.fail(f.path, "the tag enum holds %q, which is not a value of %s", item, t)
			return
		}
		if seen[string(raw)] {
			in.fail(f.path, "the tag enum holds %s twice", raw)
			return
		}
		seen[string(raw)] = true
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, raw...)
	}
	if !in.refine(b, "string integer number boolean", "enum", append(out, ']')) {
		in.fail(f.path, "the tag enum says nothing about %s", t)
	}
}

// refine sets a keyword where the schema, or that of its items or values, has one of the types. It reports whether there was one.
func (in *inferrer) refine(b *Builder, on, key string, raw jsontext.Value) bool {
	kind, nullable := b.kind()
	if slices.Contains(strings.Fields(on), kind) {
		if !b.isTighter(key, raw) {
			return true
		}
		b.put(key, raw)
		if key == "enum" && nullable {
			b.nullEnum()
		}
		return true
	}
	word, inner := b.element()
	if inner == nil || !in.refine(inner, on, key, raw) {
		return false
	}
	b.put(word, inner.render())
	return true
}

// isTighter reports whether a bound that a tag gives takes away from what the Go type holds: 300 is no maximum of a uint8.
func (b *Builder) isTighter(key string, raw jsontext.Value) bool {
	own, ok := numberOf(string(b.get(key)))
	given, _ := numberOf(string(raw))
	switch {
	case !ok:
		return true
	case key == "minimum":
		return given.Compare(own) > 0
	case key == "maximum":
		return given.Compare(own) < 0
	case key == "minItems", key == "maxItems": // of an array, whose length is what it is
		return false
	}
	return true
}

// kind is the JSON type of the values that b takes, beside null; "" when there are several.
func (b *Builder) kind() (name string, nullable bool) {
	list := string(b.get("type"))
	if rest, ok := strings.CutSuffix(list, `,"null"]`); ok {
		list, nullable = strings.TrimPrefix(rest, "["), true
	}
	return strings.Trim(list, `"`), nullable
}

// element is the schema of the items of an array or of the values of a map, and the keyword that it stands under; nil for others.
func (b *Builder) element() (word string, inner *Builder) {
	switch kind, _ := b.kind(); {
	case kind == "array":
		word = "items"
	case kind == "object" && b.get("properties") == nil:
		word = "additionalProperties"
	default:
		return "", nil
	}
	raw := b.get(word)
	if raw.Kind() != '{' {
		return "", nil
	}
	return word, From(&Schema{raw: raw})
}

// valueKind is the JSON type of the values that b, or its items or values, takes; "" when there are several.
func (in *inferrer) valueKind(b *Builder) string {
	if _, inner := b.element(); inner != nil {
		return in.valueKind(inner)
	}
	kind, _ := b.kind()
	return kind
}

// readValue reads the text of a value: plain for strings, JSON for all else.
func readValue(kind, text string) (jsontext.Value, bool) {
	if kind == "string" {
		return jsonx.AppendQuote(nil, text), true
	}
	raw := jsontext.Value(text)
	if !raw.IsValid() {
		return nil, false
	}
	if err := raw.Compact(); err != nil {
		return nil, false
	}
	return raw, true
}

var keyValue = regexp.MustCompile(`^[A-Za-z]+=`)

// annotate adds description, default and example, which concern the field as a whole.
func (in *inferrer) annotate(f *field, t reflect.Type, b *Builder) {
	doc, other := f.tag.Get("doc"), f.tag.Get("jsonschema")
	switch {
	case doc != "" && other != "" && doc != other:
		in.fail(f.path, "the tags doc and jsonschema both give a description")
	case keyValue.MatchString(other):
		in.fail(f.path, "the tag jsonschema holds a description, not key=value: %q", cut(other, excerptLength))
	case doc == "":
		doc = other
	}
	if doc != "" {
		b.Doc(doc)
	}
	kind := strings.Trim(string(firstType(b.get("type"))), `"`)
	for _, key := range []string{"default", "example"} {
		text, ok := f.tag.Lookup(key)
		if !ok {
			continue
		}
		raw, ok := readValue(kind, text)
		if !ok {
			in.fail(f.path, "the tag %s is not JSON: %q", key, cut(text, excerptLength))
			continue
		}
		in.values = append(in.values, taggedValue{f.path, key, raw, b, f.typ, f.quoted})
		if key == "default" {
			b.put("default", raw)
			f.optional = true
		} else {
			b.put("examples", slices.Concat([]byte("["), raw, []byte("]")))
		}
	}
}

// misspelt refuses tags whose key is a slip away from one that is known: it would be ignored in silence.
func (in *inferrer) misspelt(f *field) {
	known := slices.Clone(valueTags)
	for _, rule := range tagRules {
		known = append(known, rule.key)
	}
	keys, rest := tagKeys(f.tag)
	if rest != "" {
		in.fail(f.path, "the struct tag is not a list of key:\"value\", at %s", cut(rest, excerptLength))
	}
	for i, key := range keys {
		if slices.Contains(known, key) && slices.Contains(keys[:i], key) {
			in.fail(f.path, "the tag %s is given twice", key)
		}
		if mend, stray := strayTags[key]; stray {
			in.fail(f.path, "the tag %s is unknown: %s", key, mend)
			continue
		}
		if slices.Contains(known, key) {
			continue
		}
		for _, k := range known {
			slip := 1
			if len(k) > 6 {
				slip = 2
			}
			if foldName(key) == foldName(k) || len(k) > 4 && len(key) > 3 && distance([]rune(key), []rune(k), slip) <= slip {
				in.fail(f.path, "the tag %s is unknown; did you mean %s?", key, k)
				break
			}
		}
	}
}

// tagKeys lists the keys of a struct tag in the conventional form ([reflect.StructTag]), and what is left where it has another.
func tagKeys(tag reflect.StructTag) (keys []string, rest string) {
	for rest = strings.TrimLeft(string(tag), " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		key, after, ok := strings.Cut(rest, `:"`)
		if !ok || key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == ':' || r == '"' || r == 0x7f }) {
			return keys, rest
		}
		quoted, err := strconv.QuotedPrefix(`"` + after)
		if err != nil {
			return keys, rest
		}
		keys, rest = append(keys, key), after[len(quoted)-1:]
	}
	return keys, ""
}
