package schema

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"helve.dev/helve/internal/jsonx"
)

// For infers the schema of T; see [Of].
func For[T any]() (*Schema, error) { return Of(reflect.TypeFor[T]()) }

// Of infers the schema of what json/v2 with [JSONOptions] puts on the wire for t.
//
// Fields are required unless they say omitempty, omitzero or a default; pointers accept null; structs accept no other names
// than their fields', unless an embedded map or jsontext.Value (`json:",embed"`) takes them. Types that recurse go to $defs,
// everything else stands in place. A type decides about itself, in this order:
//
//   - JSONSchema() *Schema or JSONSchema() (*Schema, error), on the type or its pointer, gives its schema.
//   - Enum() []T (or []string, []any) lists its values.
//   - time.Time (embedded too) is a date-time, time.Duration Go's duration text, url.URL a uri, big.Int an integer, []byte base64.
//   - A marshaler that writes and reads the dates of the calendar, and nothing else, is a date.
//   - A JSON marshaler is any value, a text marshaler a string; neither is read field by field.
//   - A [Union] is one of the forms that it lists.
//
// Field tags refine the schema: doc (or jsonschema) is the description; enum (separated by commas), default, minimum, maximum,
// exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength, pattern, format, minItems, maxItems, uniqueItems and
// example are the keywords of that name. On a slice or a map, what says something about a single value is about its items or
// values. A default and an example are JSON, or plain text for strings.
//
// What json/v2 writes for a value of t is valid, and what is valid json/v2 can read, once numbers that are spelled as 1.0 or 1e3 are
// written out: what a Go number, a time or an address cannot hold is a fault even where the document does not say so. That
// part is lost when the document is written and parsed again. Outside of this are values that the tags refuse, URLs that are not
// absolute, and types with methods of their own that refuse more, or write other things, than their schema says.
//
// Errors are joined, one for each place that has no schema: a func, a channel, an interface other than any, a tag that is not
// known or whose value does not parse or does not fit. Each names the Go path ("In.Filters[].Fn").
func Of(t reflect.Type) (*Schema, error) {
	if t == nil {
		return nil, errors.New("infer schema: nil type")
	}
	in := &inferrer{active: map[reflect.Type]bool{}, names: map[reflect.Type]string{}, defs: map[string]*Builder{}}
	name := t.Name()
	if name == "" {
		name = t.String()
	}
	b := in.typ(t, name)
	if ref := in.names[t]; ref != "" && in.defs[ref] != nil { // a root that recurses still shows its properties at the root
		b = &Builder{words: append([]builtWord(nil), in.defs[ref].words...)}
	}
	in.attachDefs(b)
	in.checkValues()
	if len(in.errs) > 0 {
		return nil, errors.Join(in.errs...)
	}
	s, err := b.document()
	if err != nil {
		return nil, fmt.Errorf("infer schema: %w", err)
	}
	if _, err := Compile(s, nil); err != nil {
		return nil, fmt.Errorf("infer schema: %w", err)
	}
	return s, nil
}

// An inferrer makes one schema.
type inferrer struct {
	active map[reflect.Type]bool   // types that are being read, outermost first
	names  map[reflect.Type]string // of types that recurse
	defs   map[string]*Builder
	order  []string
	errs   []error
	values []taggedValue
}

// taggedValue is a default or an example, to be checked once the whole schema is known.
type taggedValue struct {
	path, tag string
	raw       []byte
	schema    *Builder
	typ       reflect.Type
	quoted    bool // a number in a string
}

func (in *inferrer) fail(path, format string, args ...any) {
	in.errs = append(in.errs, fmt.Errorf("infer schema: %s: %s", path, fmt.Sprintf(format, args...)))
}

// typ returns the schema of t, which stands at the Go path.
func (in *inferrer) typ(t reflect.Type, path string) *Builder {
	if b := in.known(t, path); b != nil {
		return b
	}
	if t.Kind() == reflect.Pointer {
		return in.typ(t.Elem(), path).Nullable()
	}
	if !composite(t) {
		return in.scalar(t, path)
	}
	if t.Name() == "" { // what recurses passes through a type with a name
		return in.composite(t, path)
	}
	if in.active[t] {
		return in.recurse(t)
	}
	if name := in.names[t]; name != "" {
		return in.reference(name)
	}
	in.active[t] = true
	b := in.composite(t, path)
	delete(in.active, t)
	if name := in.names[t]; name != "" {
		in.defs[name] = b
		return in.reference(name)
	}
	return b
}

func composite(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Array:
		return true
	}
	return false
}

// recurse gives t a name in $defs, because it has been met inside itself.
func (in *inferrer) recurse(t reflect.Type) *Builder {
	name := in.names[t]
	if name == "" {
		base := t.Name()
		if u, ok := reflect.Zero(t).Interface().(unionType); ok {
			base = cmp.Or(u.unionFamily().iface.Name(), "Union")
		}
		if i := strings.IndexByte(base, '['); i >= 0 { // type arguments are no part of a readable name
			base = base[:i]
		}
		name = base
		for i := 2; in.taken(name); i++ {
			name = base + strconv.Itoa(i)
		}
		in.names[t] = name
		in.order = append(in.order, name)
	}
	return in.reference(name)
}

func (in *inferrer) taken(name string) bool {
	return slices.Contains(in.order, name)
}

func (in *inferrer) reference(name string) *Builder {
	return (&Builder{}).Set("$ref", "#/$defs/"+escapePointer(name))
}

func (in *inferrer) attachDefs(b *Builder) {
	if len(in.order) == 0 {
		return
	}
	out := []byte{'{'}
	for i, name := range in.order {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(jsonx.AppendQuote(out, name), ':'), in.defs[name].render()...)
	}
	b.put("$defs", append(out, '}'))
}

func (in *inferrer) scalar(t reflect.Type, path string) *Builder {
	switch t.Kind() {
	case reflect.Bool:
		return Boolean()
	case reflect.String:
		return String()
	case reflect.Float32, reflect.Float64:
		return Number().carries(t)
	case reflect.Int, reflect.Int64:
		return Integer().carries(t)
	case reflect.Int8, reflect.Int16, reflect.Int32:
		bits := t.Bits()
		return Integer().Set("minimum", -(int64(1)<<(bits-1))).Set("maximum", int64(1)<<(bits-1)-1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return Integer().Set("minimum", 0).Set("maximum", int64(1)<<t.Bits()-1)
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return Integer().Set("minimum", 0).carries(t)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return Any()
		}
		in.fail(path, "the interface %s says nothing about its values; use a concrete type, or one with a method JSONSchema() *schema.Schema", t)
	case reflect.Func:
		in.fail(path, "a func cannot be carried by JSON")
	case reflect.Chan:
		in.fail(path, "a channel cannot be carried by JSON")
	case reflect.Complex64, reflect.Complex128:
		in.fail(path, "a complex number cannot be carried by JSON")
	default:
		in.fail(path, "a %s cannot be carried by JSON", t)
	}
	return Any()
}

func (in *inferrer) composite(t reflect.Type, path string) *Builder {
	if u, ok := reflect.Zero(t).Interface().(unionType); ok {
		return in.union(u.unionFamily(), path)
	}
	switch t.Kind() {
	case reflect.Struct:
		return in.structure(t, path)
	case reflect.Map:
		return in.mapping(t, path)
	}
	if isBytes(t) {
		return String().Set("contentEncoding", "base64").carries(t)
	}
	b := Array(in.typ(t.Elem(), path+"[]"))
	if t.Kind() == reflect.Array {
		b.Set("minItems", t.Len()).Set("maxItems", t.Len())
	}
	return b
}

// isBytes reports whether json/v2 encodes t as base64. Of bytes with a name of their own it makes an array of numbers.
func isBytes(t reflect.Type) bool {
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem().Kind() == reflect.Uint8 && t.Elem().PkgPath() == "" && !implementsAny(t.Elem(), arshalTypes)
}

func (in *inferrer) mapping(t reflect.Type, path string) *Builder {
	b := Map(in.typ(t.Elem(), path+"[]"))
	key := t.Key()
	switch names := in.known(key, path+"[key]"); {
	case names != nil:
		names.take("type")
		if name := names.take(carrierWord); name != nil {
			b.put(namesWord, name)
		}
		if len(names.words) > 0 {
			b.sub("propertyNames", names)
		}
		return b
	}
	switch key.Kind() {
	case reflect.String:
	case reflect.Float32, reflect.Float64:
		b.Set(namesWord, textCarrier(key))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		b.Set("propertyNames", map[string]string{"pattern": integerText}).Set(namesWord, textCarrier(key))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		b.Set("propertyNames", map[string]string{"pattern": strings.Replace(integerText, "-?", "", 1)}).Set(namesWord, textCarrier(key))
	default:
		in.fail(path, "the key type %s of a map cannot be written as a property name", key)
	}
	return b
}

// textCarrier names the carrier of a number in a string.
func textCarrier(t reflect.Type) string {
	name := strings.TrimSuffix(strings.TrimRight(t.Kind().String(), "0123456789"), "ptr")
	return "text:" + name + strconv.Itoa(t.Bits())
}

const (
	integerText = `^-?(0|[1-9][0-9]*)$`
	floatText   = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`
)

// checkValues checks each default and example against its own schema and the Go type that it will be read into.
func (in *inferrer) checkValues() {
	for _, v := range in.values {
		b := Builder{words: append([]builtWord(nil), v.schema.words...)}
		b.take("default")
		b.take("examples")
		in.attachDefs(&b)
		validator, err := Compile(&Schema{raw: b.render()}, nil)
		if err != nil {
			in.fail(v.path, "%v", err)
			continue
		}
		if r := validator.Validate(v.raw); !r.OK() {
			where := r.Faults[0].Path
			if where != "" {
				where = "at " + where + ": "
			}
			in.fail(v.path, "the %s %s: %s%s", v.tag, cut(string(v.raw), excerptLength), where, r.Faults[0].Problem)
			continue
		}
		options := json.JoinOptions(JSONOptions(), json.StringifyNumbers(v.quoted))
		if err := json.Unmarshal(jsonx.Integral(v.raw), reflect.New(v.typ).Interface(), options); err != nil {
			in.fail(v.path, "the %s %s does not fit the type %s: %v", v.tag, cut(string(v.raw), excerptLength), v.typ, err)
		}
	}
}
