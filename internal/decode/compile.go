package decode

import (
	"encoding"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// A compiler makes setters; a type that is met again while it is made is recursive.
type compiler struct {
	opts    json.Options
	special []reflect.Type
	known   map[reflect.Type]*setter
}

func (c *compiler) of(t reflect.Type) *setter {
	if s, ok := c.known[t]; ok {
		return s
	}
	s := new(setter)
	c.known[t] = s
	*s = setOther
	if c.own(t) {
		return s
	}
	switch t.Kind() {
	case reflect.Bool:
		*s = orNull(setBool)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		*s = orNull(setInt)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		*s = orNull(setUint)
	case reflect.Float32, reflect.Float64:
		*s = orNull(setFloat)
	case reflect.String:
		*s = orNull(setString)
	case reflect.Pointer:
		if !c.own(t.Elem()) {
			*s = orNull(pointerTo(c.of(t.Elem()), t.Elem()))
		}
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 { // bytes are base64
			*s = orNull(sliceOf(c.of(t.Elem()), t))
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String && !c.own(t.Key()) {
			*s = orNull(mapOf(c.of(t.Elem()), t))
		}
	case reflect.Struct:
		if fields, byName, ok := c.fields(t); ok {
			*s = orNull(structOf(fields, byName))
		}
	}
	return s
}

var readers = []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[json.UnmarshalerFrom](), reflect.TypeFor[encoding.TextUnmarshaler]()}

// own reports whether t reads itself, or the options read it.
func (c *compiler) own(t reflect.Type) bool {
	return slices.Contains(c.special, t) || slices.ContainsFunc(readers, reflect.PointerTo(t).Implements)
}

// fields returns the members of t, or false where its tags ask for more than a name.
func (c *compiler) fields(t reflect.Type) (fields []field, byName map[string]int, ok bool) {
	byName = map[string]int{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		switch {
		case f.Anonymous, tagged && !f.IsExported():
			return nil, nil, false
		case tag == "-", !f.IsExported():
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" {
			name = f.Name
		}
		for option := range strings.SplitSeq(options, ",") {
			if option != "" && option != "omitzero" && option != "omitempty" {
				return nil, nil, false
			}
		}
		if _, twice := byName[name]; twice || name == "-" || strings.ContainsAny(name, "'\"\\`") {
			return nil, nil, false
		}
		byName[name] = len(fields)
		fields = append(fields, field{quoted: `"` + name + `"`, index: i, set: c.of(f.Type)})
	}
	return fields, byName, true
}
