package plain

import (
	"bytes"
	"encoding"
	"hash/maphash"
	"reflect"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"

	"helve.dev/helve/internal/jsonx"
)

// A Decoder decodes one type. It is safe for concurrent use.
type Decoder struct {
	set  setter
	opts json.Options
}

// DecoderFor makes the decoder of t. Types that are special, and those with methods of their own, are left to json/v2 with opts.
func DecoderFor(t reflect.Type, opts json.Options, special ...reflect.Type) *Decoder {
	c := &decoders{types{special, readers}, map[reflect.Type]*setter{}}
	return &Decoder{set: *c.of(t), opts: opts}
}

// Into decodes the valid text into v, which must be addressable and zero. It reports false when json/v2 has to be asked instead:
// the text may hold what the type does not, such as 1.0 for an integer. V is then partly set.
func (p *Decoder) Into(text []byte, v reflect.Value) bool {
	s := states.Get().(*state)
	s.text, s.opts = text, p.opts
	i, ok := p.set(s, jsonx.Space(text, 0), v)
	s.text = nil
	if cap(s.scratch) <= maxScratch {
		states.Put(s)
	}
	return ok && jsonx.Space(text, i) == len(text)
}

var states = sync.Pool{New: func() any { return &state{seed: maphash.MakeSeed()} }}

type state struct {
	text    []byte
	scratch []byte
	opts    json.Options

	// The short strings that were read last: names, cities and categories come again and again, and are made once.
	seed   maphash.Seed
	recent [256]string
}

const (
	maxRecent  = 64      // bytes
	maxScratch = 1 << 16 // that are kept for the next text
)

// make returns b as a string.
func (s *state) make(b []byte) string {
	if len(b) > maxRecent {
		return string(b)
	}
	slot := &s.recent[maphash.Bytes(s.seed, b)%uint64(len(s.recent))]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}

// A setter decodes the value at i into v and returns the index after it.
type setter func(s *state, i int, v reflect.Value) (end int, ok bool)

// at returns the byte at i, or 0 at the end.
func (s *state) at(i int) byte {
	if i < len(s.text) {
		return s.text[i]
	}
	return 0
}

func (s *state) space(i int) int { return jsonx.Space(s.text, i) }

// null reads what is not of the wanted kind: null, which json/v2 makes the zero value, or something that it has to see itself.
func (s *state) null(i int) (end int, ok bool) {
	if s.at(i) != 'n' {
		return i, false
	}
	return jsonx.Literal(s.text, i)
}

// string reads the string literal at i.
func (s *state) string(i int) (text string, end int, ok bool) {
	end, escaped, ok := jsonx.String(s.text, i)
	switch {
	case !ok:
		return "", i, false
	case escaped:
		s.scratch = jsonx.Unquote(s.scratch[:0], s.text[i:end])
		return string(s.scratch), end, true
	}
	return s.make(s.text[i+1 : end-1]), end, true
}

// number returns the number literal at i.
func (s *state) number(i int) (lit []byte, end int, ok bool) {
	end, ok = jsonx.Number(s.text, i)
	return s.text[i:end], end, ok
}

func setString(s *state, i int, v reflect.Value) (int, bool) {
	if s.at(i) != '"' {
		return s.null(i)
	}
	text, end, ok := s.string(i)
	if ok {
		v.SetString(text)
	}
	return end, ok
}

func setBool(s *state, i int, v reflect.Value) (int, bool) {
	c := s.at(i)
	if c != 't' && c != 'f' {
		return s.null(i)
	}
	end, ok := jsonx.Literal(s.text, i)
	v.SetBool(c == 't')
	return end, ok
}

func setInt(s *state, i int, v reflect.Value) (int, bool) {
	lit, end, ok := s.number(i)
	if !ok {
		return s.null(i)
	}
	n, err := strconv.ParseInt(string(lit), 10, v.Type().Bits())
	v.SetInt(n)
	return end, err == nil && string(lit) != "-0"
}

func setUint(s *state, i int, v reflect.Value) (int, bool) {
	lit, end, ok := s.number(i)
	if !ok {
		return s.null(i)
	}
	n, err := strconv.ParseUint(string(lit), 10, v.Type().Bits())
	v.SetUint(n)
	return end, err == nil
}

func setFloat(s *state, i int, v reflect.Value) (int, bool) {
	lit, end, ok := s.number(i)
	if !ok {
		return s.null(i)
	}
	n, err := strconv.ParseFloat(string(lit), v.Type().Bits())
	v.SetFloat(n)
	return end, err == nil
}

// setOther leaves a value to json/v2.
func setOther(s *state, i int, v reflect.Value) (int, bool) {
	end := min(jsonx.Skip(s.text, i), len(s.text))
	return end, json.Unmarshal(s.text[i:end], v.Addr().Interface(), s.opts) == nil
}

func pointerTo(elem *setter, t reflect.Type) setter {
	return func(s *state, i int, v reflect.Value) (int, bool) {
		if s.at(i) == 'n' {
			return s.null(i)
		}
		p := reflect.New(t)
		v.Set(p)
		return (*elem)(s, i, p.Elem())
	}
}

func sliceOf(elem *setter, t reflect.Type) setter {
	return func(s *state, i int, v reflect.Value) (int, bool) {
		if s.at(i) == 'n' {
			return s.null(i)
		}
		i, more, ok := s.open(i, '[', ']')
		if ok && !more {
			v.Set(reflect.MakeSlice(t, 0, 0))
		}
		for n := 0; more; n++ {
			if n == v.Cap() {
				v.Grow(max(n, 4))
			}
			v.SetLen(n + 1)
			if i, ok = (*elem)(s, i, v.Index(n)); !ok {
				return i, false
			}
			i, more, ok = s.next(i, ']')
		}
		return i, ok
	}
}

// setStrings is sliceOf for the most common type of all.
func setStrings(s *state, i int, v reflect.Value) (int, bool) {
	if s.at(i) == 'n' {
		return s.null(i)
	}
	i, more, ok := s.open(i, '[', ']')
	list := []string{}
	if more {
		list = make([]string, 0, 4)
	}
	for more {
		var text string
		if s.at(i) == '"' {
			text, i, ok = s.string(i)
		} else {
			i, ok = s.null(i)
		}
		if !ok {
			return i, false
		}
		list = append(list, text)
		i, more, ok = s.next(i, ']')
	}
	*v.Addr().Interface().(*[]string) = list
	return i, ok
}

func mapOf(elem *setter, t reflect.Type) setter {
	return func(s *state, i int, v reflect.Value) (int, bool) {
		if s.at(i) == 'n' {
			return s.null(i)
		}
		i, more, ok := s.open(i, '{', '}')
		v.Set(reflect.MakeMap(t))
		for more {
			var name string
			if name, i, ok = s.name(i); !ok {
				return i, false
			}
			value := reflect.New(t.Elem()).Elem()
			if i, ok = (*elem)(s, i, value); !ok {
				return i, false
			}
			v.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), value)
			i, more, ok = s.next(i, '}')
		}
		return i, ok
	}
}

// A field is a member of a struct.
type field struct {
	begin string // the name, in quotes, and the colon
	index int
	set   *setter
}

func structOf(fields []field, byName map[string]int) setter {
	return func(s *state, i int, v reflect.Value) (int, bool) {
		if s.at(i) == 'n' {
			return s.null(i)
		}
		i, more, ok := s.open(i, '{', '}')
		for n := 0; more; n++ { // models write the members in the order of the schema, which is that of the fields
			if n < len(fields) && bytes.HasPrefix(s.text[i:], []byte(fields[n].begin)) {
				i = s.space(i + len(fields[n].begin))
			} else {
				var name string
				if name, i, ok = s.name(i); !ok {
					return i, false
				}
				n = len(fields)
				if k, known := byName[name]; known {
					n = k
				}
			}
			if n < len(fields) {
				i, ok = (*fields[n].set)(s, i, v.Field(fields[n].index))
			} else {
				i = min(jsonx.Skip(s.text, i), len(s.text))
			}
			if !ok {
				return i, false
			}
			i, more, ok = s.next(i, '}')
		}
		return i, ok
	}
}

// open reads the beginning of an object or array, and reports whether something follows in it.
func (s *state) open(i int, begin, end byte) (at int, more, ok bool) {
	if s.at(i) != begin {
		return i, false, false
	}
	if i = s.space(i + 1); s.at(i) == end {
		return i + 1, false, true
	}
	return i, true, true
}

// next reads what follows a value in an object or array.
func (s *state) next(i int, end byte) (at int, more, ok bool) {
	switch i = s.space(i); s.at(i) {
	case ',':
		return s.space(i + 1), true, true
	case end:
		return i + 1, false, true
	}
	return i, false, false
}

// name reads a member's name and the colon, and returns where its value begins.
func (s *state) name(i int) (name string, value int, ok bool) {
	if s.at(i) != '"' {
		return "", i, false
	}
	name, i, ok = s.string(i)
	if i = s.space(i); !ok || s.at(i) != ':' {
		return "", i, false
	}
	return name, s.space(i + 1), true
}

var readers = []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[json.UnmarshalerFrom](), reflect.TypeFor[encoding.TextUnmarshaler]()}

// decoders makes setters; a type that is met again while it is made is recursive.
type decoders struct {
	types
	known map[reflect.Type]*setter
}

func (c *decoders) of(t reflect.Type) *setter {
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
		*s = setBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		*s = setInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		*s = setUint
	case reflect.Float32, reflect.Float64:
		*s = setFloat
	case reflect.String:
		*s = setString
	case reflect.Pointer:
		if !c.own(t.Elem()) {
			*s = pointerTo(c.of(t.Elem()), t.Elem())
		}
	case reflect.Slice:
		if t == reflect.TypeFor[[]string]() {
			*s = setStrings
		} else if t.Elem().Kind() != reflect.Uint8 { // bytes are base64
			*s = sliceOf(c.of(t.Elem()), t)
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String && !c.own(t.Key()) {
			*s = mapOf(c.of(t.Elem()), t)
		}
	case reflect.Struct:
		if ms, ok := members(t); ok {
			*s = structOf(c.fields(ms))
		}
	}
	return s
}

func (c *decoders) fields(ms []member) (fields []field, byName map[string]int) {
	byName = map[string]int{}
	for i, m := range ms {
		byName[m.name] = i
		fields = append(fields, field{begin: `"` + m.name + `":`, index: m.Index[0], set: c.of(m.Type)})
	}
	return fields, byName
}
