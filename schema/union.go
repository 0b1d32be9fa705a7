package schema

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
)

// A Union is a value of the interface type I, which is one of the variants that V lists. On the wire it is the object that the
// variant is, with one property more, the discriminator, which names the variant and comes first:
//
//	type Shape interface{ Area() float64 }
//
//	type shapes struct{}
//
//	func (shapes) Variants() (string, []schema.Variant) {
//		return "kind", []schema.Variant{schema.VariantOf[Circle]("circle"), schema.VariantOf[Square]("square")}
//	}
//
//	type AnyShape = schema.Union[Shape, shapes]
//
//	type Input struct {
//		Shape AnyShape `json:"shape"`
//	}
//
// The list belongs to the type, so that there is no registry to fill and none to race for. A Union without a value cannot be
// written; use omitzero or a pointer where there may be none.
type Union[I any, V Variants] struct{ Value I }

// Variants lists the variants of a [Union] and names its discriminator. It is called on the zero value, once for each type of
// union, and must always say the same. It is an error, reported by [Of] and by encoding, if there is no variant, if a name or a
// type is listed twice, or if a variant is not a struct (or a pointer to one) that implements the interface, encodes field by
// field and has no property with the name of the discriminator.
type Variants interface {
	Variants() (discriminator string, variants []Variant)
}

// A Variant is one form of a [Union]. [VariantOf] makes it.
type Variant struct {
	name string
	typ  reflect.Type
}

// VariantOf makes the variant T, a struct or a pointer to one, with the name that the discriminator says.
func VariantOf[T any](name string) Variant { return Variant{name, reflect.TypeFor[T]()} }

// family is what the types of a union say about it.
type family struct {
	iface         reflect.Type
	discriminator string
	variants      []Variant
	err           error
}

// families remembers the family of each type of union that has been used.
var families sync.Map // reflect.Type -> *family

// unionType is what every Union implements.
type unionType interface{ unionFamily() *family }

func (u Union[I, V]) unionFamily() *family {
	t := reflect.TypeFor[Union[I, V]]()
	if f, ok := families.Load(t); ok {
		return f.(*family)
	}
	var list V
	f, _ := families.LoadOrStore(t, newFamily(reflect.TypeFor[I](), list))
	return f.(*family)
}

func newFamily(iface reflect.Type, list Variants) (f *family) {
	f = &family{iface: iface}
	defer func() {
		if r := recover(); r != nil {
			f.err = fmt.Errorf("the method Variants panics on the zero value: %v", r)
		}
	}()
	f.discriminator, f.variants = list.Variants()
	f.variants = slices.Clone(f.variants)
	f.err = f.check()
	return f
}

func (f *family) check() error {
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("the union of "+f.iface.String()+": "+format, args...))
	}
	switch {
	case f.iface.Kind() != reflect.Interface:
		fail("is not an interface")
		return errors.Join(errs...)
	case f.discriminator == "":
		fail("the discriminator has no name")
	case len(f.variants) == 0:
		fail("there are no variants")
	}
	for i, v := range f.variants {
		switch {
		case v.typ == nil || v.name == "":
			fail("variant %d has no name", i)
			continue
		case slices.ContainsFunc(f.variants[:i], func(w Variant) bool { return w.name == v.name }):
			fail("the name %q is listed twice", v.name)
		case slices.ContainsFunc(f.variants[:i], func(w Variant) bool { return w.typ != nil && w.elem() == v.elem() }):
			fail("the type %s is listed twice", v.elem())
		}
		if v.elem().Kind() != reflect.Struct || !v.typ.Implements(f.iface) {
			fail("the variant %s is not a struct that implements the interface", v.typ)
		}
	}
	return errors.Join(errs...)
}

// elem is the struct that the variant is, or points to.
func (v Variant) elem() reflect.Type {
	if v.typ.Kind() == reflect.Pointer {
		return v.typ.Elem()
	}
	return v.typ
}

// union is the schema of a union: one form for each variant, told apart by the discriminator.
func (in *inferrer) union(f *family, path string) *Builder {
	if f.err != nil {
		in.fail(path, "%v", f.err)
		return Any()
	}
	forms := make([]*Builder, 0, len(f.variants))
	for _, v := range f.variants {
		forms = append(forms, in.variant(f, v, path+"("+v.name+")"))
	}
	return AnyOf(forms...)
}

func (in *inferrer) variant(f *family, v Variant, path string) *Builder {
	if known := in.known(v.elem(), path); known != nil {
		in.fail(path, "the variant %s does not encode field by field, so that there is no place for the discriminator", v.typ)
		return known
	}
	b := in.structure(v.elem(), path)
	t, err := parseTree(b.get("properties"))
	if err != nil || t.get(f.discriminator) != nil {
		in.fail(path, "the variant %s has a property %q of its own, the name of the discriminator", v.typ, f.discriminator)
		return b
	}
	properties := append(jsonx.AppendQuote([]byte{'{'}, f.discriminator), ':')
	properties = append(properties, String().Const(v.name).render()...)
	if len(t.members) > 0 {
		properties = append(properties, ',')
	}
	b.put("properties", append(properties, t.raw[1:]...))
	required := []byte{'['}
	required = jsonx.AppendQuote(required, f.discriminator)
	if more := b.get("required"); more != nil {
		required = append(append(required, ','), more[1:len(more)-1]...)
	}
	b.put("required", append(required, ']'))
	return b
}

// MarshalJSONTo writes the variant with its discriminator, with the options of the encoder.
func (u Union[I, V]) MarshalJSONTo(enc *jsontext.Encoder) error {
	f := u.unionFamily()
	if f.err != nil {
		return f.err
	}
	name, err := f.nameOf(reflect.ValueOf(&u.Value).Elem().Elem())
	if err != nil {
		return err
	}
	raw, err := json.Marshal(u.Value, enc.Options())
	if err != nil {
		return err
	}
	out := append(jsonx.AppendQuote([]byte{'{'}, f.discriminator), ':')
	out = jsonx.AppendQuote(out, name)
	brace := jsonx.Space(raw, 0)
	if raw[jsonx.Space(raw, brace+1)] != '}' {
		out = append(out, ',')
	}
	return enc.WriteValue(append(out, raw[brace+1:]...))
}

func (f *family) nameOf(v reflect.Value) (string, error) {
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return "", fmt.Errorf("the union of %s has no value", f.iface)
	}
	for _, variant := range f.variants {
		if t := v.Type(); t == variant.typ || t.Kind() == reflect.Pointer && t.Elem() == variant.typ {
			return variant.name, nil
		}
	}
	return "", fmt.Errorf("the union of %s has no variant %s", f.iface, v.Type())
}

// UnmarshalJSONFrom reads the variant that the discriminator names, with the options of the decoder.
func (u *Union[I, V]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	f := u.unionFamily()
	if f.err != nil {
		return f.err
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	name, rest, err := f.split(raw)
	if err != nil {
		return err
	}
	for _, v := range f.variants {
		if v.name != name {
			continue
		}
		ptr := reflect.New(v.elem())
		if err := json.Unmarshal(rest, ptr.Interface(), dec.Options()); err != nil {
			return err
		}
		if v.typ.Kind() != reflect.Pointer {
			ptr = ptr.Elem()
		}
		reflect.ValueOf(&u.Value).Elem().Set(ptr)
		return nil
	}
	return fmt.Errorf("the property %q must be one of %s, got %q", f.discriminator, f.names(), cut(name, excerptLength))
}

func (f *family) names() string {
	names := make([]string, 0, len(f.variants))
	for _, v := range f.variants {
		names = append(names, v.name)
	}
	return strings.Join(names, ", ")
}

// split takes the discriminator out of the valid value raw.
func (f *family) split(raw []byte) (name string, rest []byte, err error) {
	if raw[0] != '{' {
		return "", nil, errors.New("must be an object, got " + describeValue(raw))
	}
	found := false
	rest = append(make([]byte, 0, len(raw)), '{')
	for k := jsonx.Space(raw, 1); raw[k] != '}'; {
		nameEnd := jsonx.Skip(raw, k)
		value := jsonx.Space(raw, jsonx.Space(raw, nameEnd)+1)
		end := jsonx.Skip(raw, value)
		if string(jsonx.Unquote(nil, raw[k:nameEnd])) == f.discriminator {
			if found = raw[value] == '"'; found {
				name = string(jsonx.Unquote(nil, raw[value:end]))
			}
		} else {
			if len(rest) > 1 {
				rest = append(rest, ',')
			}
			rest = append(rest, raw[k:end]...)
		}
		k = afterComma(raw, end)
	}
	if !found {
		return "", nil, fmt.Errorf("the property %q must be one of %s", f.discriminator, f.names())
	}
	return name, append(rest, '}'), nil
}
