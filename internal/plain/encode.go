package plain

import (
	"encoding"
	"math"
	"reflect"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"

	"helve.dev/helve/internal/jsonx"
)

// An Encoder encodes one type. It is safe for concurrent use.
type Encoder struct {
	put  putter
	opts json.Options
}

// EncoderFor makes the encoder of t. Types that are special, and those with methods of their own, are left to json/v2 with opts.
func EncoderFor(t reflect.Type, opts json.Options, special ...reflect.Type) *Encoder {
	c := &encoders{types{special, writers}, map[reflect.Type]*putter{}}
	return &Encoder{put: *c.of(t), opts: opts}
}

// Marshal writes v, or reports false when json/v2 has to be asked instead, for its error or for what it makes of a value.
func (p *Encoder) Marshal(v reflect.Value) ([]byte, bool) {
	w := pens.Get().(*pen)
	defer func() {
		if cap(w.out) <= maxPen {
			pens.Put(w)
		}
	}()
	w.out, w.depth, w.opts = w.out[:0], 0, p.opts
	if !p.put(w, v) {
		return nil, false
	}
	return append([]byte(nil), w.out...), true
}

var pens = sync.Pool{New: func() any { return new(pen) }}

const (
	maxPen   = 1 << 16 // bytes that are kept for the next value
	maxDepth = 500     // deeper values may have no end
)

type pen struct {
	out   []byte
	depth int
	opts  json.Options
}

// A putter writes v.
type putter func(w *pen, v reflect.Value) (ok bool)

func putBool(w *pen, v reflect.Value) bool {
	w.out = strconv.AppendBool(w.out, v.Bool())
	return true
}

func putInt(w *pen, v reflect.Value) bool {
	w.out = strconv.AppendInt(w.out, v.Int(), 10)
	return true
}

func putUint(w *pen, v reflect.Value) bool {
	w.out = strconv.AppendUint(w.out, v.Uint(), 10)
	return true
}

// putFloat writes the shortest text, with an exponent where ECMA-262 has one.
func putFloat(w *pen, v reflect.Value) bool {
	n := v.Float()
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return false
	}
	if abs := math.Abs(n); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return putOther(w, v)
	}
	w.out = strconv.AppendFloat(w.out, n, 'f', -1, v.Type().Bits())
	return true
}

func putString(w *pen, v reflect.Value) bool {
	var ok bool
	w.out, ok = jsonx.AppendString(w.out, v.String())
	return ok
}

// putOther leaves a value to json/v2.
func putOther(w *pen, v reflect.Value) bool {
	raw, err := json.Marshal(v.Interface(), w.opts)
	w.out = append(w.out, raw...)
	return err == nil
}

func putPointer(elem *putter) putter {
	return func(w *pen, v reflect.Value) bool {
		if v.IsNil() {
			w.out = append(w.out, "null"...)
			return true
		}
		if w.depth++; w.depth > maxDepth {
			return false
		}
		ok := (*elem)(w, v.Elem())
		w.depth--
		return ok
	}
}

func putSlice(elem *putter) putter {
	return func(w *pen, v reflect.Value) bool {
		if w.depth++; w.depth > maxDepth {
			return false
		}
		w.out = append(w.out, '[')
		for i := range v.Len() {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			if !(*elem)(w, v.Index(i)) {
				return false
			}
		}
		w.out = append(w.out, ']')
		w.depth--
		return true
	}
}

// A column is a member of a struct that is written.
type column struct {
	quoted              string // the name, in quotes, and the colon
	index               int
	put                 *putter
	omitZero, omitEmpty bool
}

func putStruct(columns []column) putter {
	return func(w *pen, v reflect.Value) bool {
		w.out = append(w.out, '{')
		first := len(w.out)
		for i := range columns {
			c := &columns[i]
			f := v.Field(c.index)
			if c.omitZero && f.IsZero() {
				continue
			}
			before := len(w.out)
			if before > first {
				w.out = append(w.out, ',')
			}
			w.out = append(w.out, c.quoted...)
			value := len(w.out)
			if !(*c.put)(w, f) {
				return false
			}
			if c.omitEmpty && isEmpty(w.out[value:]) {
				w.out = w.out[:before]
			}
		}
		w.out = append(w.out, '}')
		return true
	}
}

// isEmpty reports whether raw is what omitempty leaves out.
func isEmpty(raw []byte) bool {
	switch string(raw) {
	case `null`, `""`, `{}`, `[]`:
		return true
	}
	return false
}

var writers = []reflect.Type{
	reflect.TypeFor[json.Marshaler](), reflect.TypeFor[json.MarshalerTo](), reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.TextAppender](),
}

// encoders makes putters; a type that is met again while it is made is recursive.
type encoders struct {
	types
	known map[reflect.Type]*putter
}

func (c *encoders) of(t reflect.Type) *putter {
	if p, ok := c.known[t]; ok {
		return p
	}
	p := new(putter)
	c.known[t] = p
	*p = putOther
	if c.own(t) {
		return p
	}
	switch t.Kind() {
	case reflect.Bool:
		*p = putBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		*p = putInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		*p = putUint
	case reflect.Float32, reflect.Float64:
		*p = putFloat
	case reflect.String:
		*p = putString
	case reflect.Pointer:
		if !c.own(t.Elem()) {
			*p = putPointer(c.of(t.Elem()))
		}
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 { // bytes are base64
			*p = putSlice(c.of(t.Elem()))
		}
	case reflect.Struct:
		if columns, ok := c.columns(t); ok {
			*p = putStruct(columns)
		}
	}
	return p
}

var zeroer = reflect.TypeFor[interface{ IsZero() bool }]()

// columns returns the members of t, or false where its tags or its types ask for more than plain things.
func (c *encoders) columns(t reflect.Type) (out []column, ok bool) {
	ms, ok := members(t)
	for _, m := range ms {
		if m.omitZero && reflect.PointerTo(m.Type).Implements(zeroer) || m.omitZero && m.Type.Implements(zeroer) {
			return nil, false
		}
		out = append(out, column{`"` + m.name + `":`, m.Index[0], c.of(m.Type), m.omitZero, m.omitEmpty})
	}
	return out, ok
}
