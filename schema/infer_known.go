package schema

import (
	"encoding"
	"math/big"
	"net/url"
	"reflect"
	"runtime"
	"time"

	"github.com/go-json-experiment/json"
)

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	urlType      = reflect.TypeFor[url.URL]()
	bigIntType   = reflect.TypeFor[big.Int]()

	jsonMethods = []reflect.Type{
		reflect.TypeFor[json.MarshalerTo](), reflect.TypeFor[json.Marshaler](),
		reflect.TypeFor[json.UnmarshalerFrom](), reflect.TypeFor[json.Unmarshaler](),
	}
	textMethods = []reflect.Type{
		reflect.TypeFor[encoding.TextAppender](), reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.TextUnmarshaler](),
	}
	arshalTypes = append(append([]reflect.Type(nil), jsonMethods...), textMethods...)
)

// durationText is what time.Duration.String writes and time.ParseDuration reads back.
const durationText = `^-?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`

func implementsAny(t reflect.Type, interfaces []reflect.Type) bool {
	for _, i := range interfaces {
		if t.Implements(i) || t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(i) {
			return true
		}
	}
	return false
}

// known returns the schema of a type that decides about itself, and nil for all others.
func (in *inferrer) known(t reflect.Type, path string) *Builder {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface || t.Implements(reflect.TypeFor[unionType]()) {
		return nil
	}
	if b := in.supplied(t, path); b != nil {
		return b
	}
	b := in.encoded(t)
	if values := in.enum(t, path); values != nil {
		if b == nil {
			b = in.plainOrAny(t, path)
		}
		in.checkEnum(t, path, b, values)
		b.Enum(values...)
		in.errs = append(in.errs, b.errs...)
	}
	return b
}

// checkEnum refuses values that are not what the type looks like on the wire: nothing could be sent then.
func (in *inferrer) checkEnum(t reflect.Type, path string, b *Builder, values []any) {
	v, err := Compile(&Schema{raw: b.render()}, nil)
	if err != nil {
		in.fail(path, "%v", err)
		return
	}
	for _, value := range values {
		raw, err := json.Marshal(value, JSONOptions())
		if err != nil {
			in.fail(path, "the method Enum of %s: %v", t, err)
		} else if r := v.Validate(raw); !r.OK() {
			in.fail(path, "the method Enum of %s lists %s, but the type %s", t, cut(string(raw), excerptLength), r.Faults[0].Problem)
		}
	}
}

// plainOrAny is the schema of an enum's own kind.
func (in *inferrer) plainOrAny(t reflect.Type, path string) *Builder {
	if composite(t) {
		return Any()
	}
	b := in.scalar(t, path)
	b.take("minimum")
	b.take("maximum")
	b.take(carrierWord)
	return b
}

// encoded is the schema of a type that encodes itself.
func (in *inferrer) encoded(t reflect.Type) *Builder {
	switch t {
	case timeType:
		return String().Format("date-time").carriesText(t)
	case durationType:
		return String().Pattern(durationText).Example("1h30m").carriesText(t)
	case urlType: // the zero URL is written as "", which is a reference and no URI
		return String().Format("uri-reference").carriesText(t)
	case bigIntType:
		return Integer().Set(carrierWord, "bigint")
	}
	isJSON, isText := implementsAny(t, jsonMethods), implementsAny(t, textMethods)
	switch {
	case (isJSON || isText) && embeds(t, timeType):
		return String().Format("date-time").carriesText(timeType)
	case isJSON && embeds(t, bigIntType):
		return Integer().Set(carrierWord, "bigint")
	case (isJSON || isText) && isCivilDate(t):
		return String().Format("date")
	case isJSON:
		return Any()
	case isText && t.Name() == "UUID":
		return String().Format("uuid")
	case isText:
		return String().carriesText(t)
	}
	return nil
}

// isCivilDate reports whether t reads and writes the dates of the calendar, and nothing else, by letting it.
func isCivilDate(t reflect.Type) (ok bool) {
	defer func() {
		if recover() != nil { // a type that cannot take its zero value: not this check's matter
			ok = false
		}
	}()
	const leapDay = `"2024-02-29"`
	v := reflect.New(t)
	if json.Unmarshal([]byte(leapDay), v.Interface()) != nil {
		return false
	}
	if raw, err := json.Marshal(v.Interface()); err != nil || string(raw) != leapDay {
		return false
	}
	for _, other := range []string{`"2023-02-29"`, `"2024-02-29T00:00:00Z"`, `"2024-02"`, `"20240229"`, `3`, `{}`} {
		if json.Unmarshal([]byte(other), reflect.New(t).Interface()) == nil {
			return false
		}
	}
	return true
}

// embeds reports whether t is a struct that encodes as the embedded type inside it does: MarshalJSON is promoted, not its own.
func embeds(t, embedded reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	m, ok := t.MethodByName("MarshalJSON")
	if !ok {
		m, ok = reflect.PointerTo(t).MethodByName("MarshalJSON")
	}
	if !ok || !promoted(m) {
		return false
	}
	for f := range t.Fields() {
		if !f.Anonymous {
			continue
		}
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner == embedded || embeds(inner, embedded) {
			return true
		}
	}
	return false
}

// promoted reports whether the compiler wrote the method, as it does to forward a call to an embedded field.
func promoted(m reflect.Method) bool {
	f := runtime.FuncForPC(m.Func.Pointer())
	if f == nil {
		return false
	}
	file, _ := f.FileLine(f.Entry())
	return file == "<autogenerated>"
}

// supplied is the schema that a type gives for itself.
func (in *inferrer) supplied(t reflect.Type, path string) (b *Builder) {
	defer func() {
		if r := recover(); r != nil {
			in.fail(path, "the method JSONSchema panics on the zero value: %v", r)
			b = Any()
		}
	}()
	var s *Schema
	var err error
	switch v := reflect.New(t).Interface().(type) {
	case interface{ JSONSchema() *Schema }:
		s = v.JSONSchema()
	case interface{ JSONSchema() (*Schema, error) }:
		s, err = v.JSONSchema()
	default:
		return nil
	}
	if err == nil {
		_, err = Compile(s, nil)
	}
	if err != nil {
		in.fail(path, "the schema that %s supplies: %v", t, err)
	}
	return From(s)
}

// enum returns the values that a type's method Enum lists.
func (in *inferrer) enum(t reflect.Type, path string) (values []any) {
	defer func() {
		if r := recover(); r != nil {
			in.fail(path, "the method Enum panics on the zero value: %v", r)
			values = nil
		}
	}()
	m := reflect.New(t).MethodByName("Enum")
	if !m.IsValid() || m.Type().NumIn() != 0 || m.Type().NumOut() != 1 || m.Type().Out(0).Kind() != reflect.Slice {
		return nil
	}
	list := m.Call(nil)[0]
	for i := range list.Len() {
		values = append(values, list.Index(i).Interface())
	}
	if len(values) == 0 {
		in.fail(path, "the method Enum of %s lists no values", t)
	}
	return values
}
