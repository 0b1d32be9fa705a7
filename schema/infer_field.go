package schema

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
)

// A field is one member that a struct has on the wire.
type field struct {
	name     string
	tagged   bool // the name comes from the tag
	index    []int
	typ      reflect.Type
	tag      reflect.StructTag
	path     string
	optional bool
	quoted   bool   // the json option string
	sealed   string // the path of an embedded pointer that nothing can set; "" where there is none
}

var rawType = reflect.TypeFor[jsontext.Value]()

// structure is the schema of a struct that encodes field by field.
func (in *inferrer) structure(t reflect.Type, path string) *Builder {
	in.probeTags(t, path)
	fields, fallback := in.fields(t, path)
	b := typed("object")
	out := []byte{'{'}
	var required []string
	for i, f := range fields {
		if i > 0 {
			out = append(out, ',')
		}
		if f.sealed != "" {
			in.fail(f.sealed, "the property %s cannot be read through an embedded pointer to a type that is not exported; embed the type itself, or export it", f.name)
		}
		value := in.field(&f)
		out = append(append(jsonx.AppendQuote(out, f.name), ':'), value.render()...)
		if !f.optional {
			required = append(required, f.name)
		}
	}
	b.put("properties", append(out, '}'))
	if len(required) > 0 {
		b.Set("required", required)
	}
	switch {
	case fallback == nil:
		return b.Set("additionalProperties", false)
	case fallback.typ == rawType:
		return b.Set("additionalProperties", true)
	}
	return b.Open(in.typ(fallback.typ.Elem(), fallback.path+"[]"))
}

// probeTags lets json/v2 say what is wrong with a struct's json tags.
func (in *inferrer) probeTags(t reflect.Type, path string) {
	defer func() { _ = recover() }() // a marshaler of a field that cannot take its zero value: not this check's matter
	_, err := json.Marshal(reflect.Zero(t).Interface(), JSONOptions())
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) || semantic.GoType != t || semantic.Err == nil {
		return
	}
	if text := semantic.Err.Error(); strings.Contains(text, "Go struct") {
		in.fail(path, "%s", text)
	}
}

// fields lists what json/v2 encodes: its rules of embedding, names and precedence, in the order of encoding.
func (in *inferrer) fields(t reflect.Type, path string) (fields []field, fallback *field) {
	type level struct {
		typ      reflect.Type
		index    []int
		path     string
		optional bool
		visit    bool
		sealed   string
	}
	queue := []level{{typ: t, path: path, visit: true}}
	seen := map[reflect.Type]bool{t: true}
	var all []field
	for ; len(queue) > 0; queue = queue[1:] {
		l := queue[0]
		for i := range l.typ.NumField() {
			sf := l.typ.Field(i)
			f, embed, ok := in.readTag(sf, l.path)
			if !ok {
				continue
			}
			f.index = append(slices.Clone(l.index), i)
			f.optional, f.sealed = f.optional || l.optional, l.sealed
			inner := sf.Type
			if inner.Kind() == reflect.Pointer && inner.Name() == "" {
				inner = inner.Elem()
			}
			switch {
			case !embed:
				all = append(all, f)
			case inner.Kind() == reflect.Struct:
				if l.visit {
					isPointer := sf.Type.Kind() == reflect.Pointer
					if isPointer && !sf.IsExported() {
						f.sealed = cmp.Or(f.sealed, f.path)
					}
					in.probeTags(inner, f.path) // json/v2 tells what is wrong with an embedded type as its own
					queue = append(queue, level{inner, f.index, f.path, f.optional || isPointer, !seen[inner], f.sealed})
				}
				seen[inner] = true
			case inner.Kind() != reflect.Map && inner != rawType:
				in.fail(f.path, "only a struct, a map or a jsontext.Value can be embedded, not %s", sf.Type)
			case fallback == nil || len(f.index) < len(fallback.index):
				f.typ = inner
				fallback = &f
			}
		}
	}
	return dominant(all), fallback
}

// readTag reads the json tag of a field; not ok means that the field is not encoded.
func (in *inferrer) readTag(sf reflect.StructField, path string) (f field, embed, ok bool) {
	tag := sf.Tag.Get("json")
	if tag == "-" || !sf.IsExported() && !sf.Anonymous {
		return f, false, false
	}
	f = field{name: sf.Name, typ: sf.Type, tag: sf.Tag, path: path + "." + sf.Name}
	name, options, _ := strings.Cut(tag, ",")
	if name != "" {
		f.name, f.tagged = name, true
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "", "case:ignore", "case:strict":
		case "omitempty", "omitzero":
			f.optional = true
		case "string":
			f.quoted = true
		case "embed":
			embed = true
		case "inline", "unknown":
			in.fail(f.path, "the json option %s means nothing to this version of json/v2; the embedded fallback is `json:\",embed\"`", option)
		default:
			in.unknownOption(f.path, option)
		}
	}
	if sf.Anonymous && !f.tagged {
		embed = true
	}
	return f, embed, true
}

// dominant keeps one field of each name: the shallowest, then the tagged; none when that leaves several (Go's own rule).
func dominant(all []field) []field {
	byName := map[string][]field{}
	for _, f := range all {
		byName[f.name] = append(byName[f.name], f)
	}
	kept := make([]field, 0, len(all))
	for _, same := range byName {
		slices.SortStableFunc(same, func(a, b field) int {
			if c := len(a.index) - len(b.index); c != 0 {
				return c
			}
			switch {
			case a.tagged == b.tagged:
				return 0
			case a.tagged:
				return -1
			}
			return 1
		})
		if len(same) == 1 || len(same[0].index) != len(same[1].index) || same[0].tagged != same[1].tagged {
			kept = append(kept, same[0])
		}
	}
	slices.SortFunc(kept, func(a, b field) int { return slices.Compare(a.index, b.index) })
	return kept
}

// field is the schema of one field, with what its tags say.
func (in *inferrer) field(f *field) *Builder {
	t, nullable := f.typ, false
	for t.Kind() == reflect.Pointer {
		t, nullable = t.Elem(), true
	}
	var b *Builder
	if f.quoted {
		b = in.quotedNumber(t, f.path)
	} else {
		b = in.typ(t, f.path)
	}
	in.tags(f, t, b)
	if nullable {
		b.Nullable()
	}
	in.annotate(f, t, b)
	in.errs = append(in.errs, b.errs...)
	return b
}

// unknownOption refuses an option of a json tag that json/v2 passes over in silence. What it does not, probeTags reports.
func (in *inferrer) unknownOption(path, option string) {
	folded := strings.ToLower(strings.ReplaceAll(option, "_", ""))
	for _, known := range []string{"omitempty", "omitzero", "string", "embed", "case", "format"} {
		if strings.HasPrefix(folded, known) {
			return
		}
	}
	in.fail(path, "the json option %s is unknown", option)
}

// quotedNumber is the schema of a number in quotes. Of a type that encodes itself json/v2 takes no notice of the option.
func (in *inferrer) quotedNumber(t reflect.Type, path string) *Builder {
	b := String()
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		b.Pattern(integerText)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		b.Pattern(strings.Replace(integerText, "-?", "", 1))
	case reflect.Float32, reflect.Float64:
		b.Pattern(floatText)
	default:
		in.fail(path, "the json option string is for numbers, not for %s", t)
		return b
	}
	switch {
	case in.encoded(t) != nil:
		return in.typ(t, path)
	case in.supplied(t, path) != nil:
		in.fail(path, "the json option string puts the numbers of %s in quotes, which the schema that it supplies does not know", t)
		return b
	}
	if values := in.enum(t, path); values != nil {
		texts := make([]any, 0, len(values))
		for _, value := range values {
			raw, err := json.Marshal(value, JSONOptions())
			if err != nil {
				in.fail(path, "the method Enum of %s: %v", t, err)
			}
			texts = append(texts, string(raw))
		}
		return b.Enum(texts...)
	}
	return b.Set(carrierWord, textCarrier(t))
}
