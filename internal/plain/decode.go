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
	states.Put(s)
	return ok && jsonx.Space(text, i) == len(text)
}

var states = sync.Pool{New: func() any { return &state{seed: maphash.MakeSeed()} }}

type state struct {
	text []byte
	opts json.Options

	// The short strings that were read last: names, cities and categories come again and again, and are made once.
	seed   maphash.Seed
	recent [256]string
}

const maxRecent = 64 // bytes

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

// string reads the string literal at i.
func (s *state) string(i int) (text string, end int, ok bool) {
	if s.at(i) != '"' {
		return "", i, false
	}
	end = jsonx.Skip(s.text, i)
	lit := s.text[i:min(end, len(s.text))]
	switch {
	case len(lit) < 2 || lit[len(lit)-1] != '"':
		return "", i, false
	case bytes.IndexByte(lit, '\\') >= 0:
		if end, _, ok = jsonx.String(s.text, i); !ok {
			return "", i, false
		}
		return string(jsonx.Unquote(nil, lit)), end, true
	}
	return s.make(lit[1 : len(lit)-1]), end, true
}

// number returns the number literal at i.
func (s *state) number(i int) (lit []byte, end int, ok bool) {
	end, ok = jsonx.Number(s.text, i)
	return s.text[i:end], end, ok
}

func setString(s *state, i int, v reflect.Value) (int, bool) {
	text, end, ok := s.string(i)
	if ok {
		v.SetString(text)
	}
	return end, ok
}

func setBool(s *state, i int, v reflect.Value) (int, bool) {
	c := s.at(i)
	if c != 't' && c != 'f' {
		return i, false
	}
	end, ok := jsonx.Literal(s.text, i)
	v.SetBool(c == 't')
	return end, ok
}

func setInt(s *state, i int, v reflect.Value) (int, bool) {
	lit, end, ok := s.number(i)
	if !ok {
		return i, false
	}
	n, err := strconv.ParseInt(string(lit), 10, v.Type().Bits())
	v.SetInt(n)
	return end, err == nil && string(lit) != "-0"
}

func setUint(s *state, i int, v reflect.Value) (int, bool) {
	lit, end, ok := s.number(i)
	if !ok {
		return i, false
	}
	n, err := strconv.ParseUint(string(lit), 10, v.Type().Bits())
	v.SetUint(n)
	return end, err == nil
}

func setFloat(s *state, i int, v reflect.Value) (int, bool) {
	lit, end, ok := s.number(i)
	if !ok {
		return i, false
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

// orNull is set for everything but null, which json/v2 makes the zero value.
func orNull(set setter) setter {
	return func(s *state, i int, v reflect.Value) (int, bool) {
		if s.at(i) == 'n' {
			return jsonx.Literal(s.text, i)
		}
		return set(s, i, v)
	}
}

func pointerTo(elem *setter, t reflect.Type) setter {
	return func(s *state, i int, v reflect.Value) (int, bool) {
		p := reflect.New(t)
		v.Set(p)
		return (*elem)(s, i, p.Elem())
	}
}

func sliceOf(elem *setter, t reflect.Type) setter {
	return func(s *state, i int, v reflect.Value) (int, bool) {
		n := 0
		end, ok := s.items(i, '[', ']', func(i int) (int, bool) {
			if n == v.Cap() {
				v.Grow(max(n, 4))
			}
			n++
			v.SetLen(n)
			return (*elem)(s, i, v.Index(n-1))
		})
		if n == 0 {
			v.Set(reflect.MakeSlice(t, 0, 0))
		}
		return end, ok
	}
}

func mapOf(elem *setter, t reflect.Type) setter {
	return func(s *state, i int, v reflect.Value) (int, bool) {
		m := reflect.MakeMap(t)
		v.Set(m)
		return s.items(i, '{', '}', func(i int) (int, bool) {
			name, i, ok := s.name(i)
			if !ok {
				return i, false
			}
			value := reflect.New(t.Elem()).Elem()
			end, ok := (*elem)(s, i, value)
			m.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), value)
			return end, ok
		})
	}
}

// A field is a member of a struct.
type field struct {
	quoted string // the name, in quotes
	index  int
	set    *setter
}

func structOf(fields []field, byName map[string]int) setter {
	return func(s *state, i int, v reflect.Value) (int, bool) {
		next := 0 // models write the members in the order of the schema, which is that of the fields
		return s.items(i, '{', '}', func(i int) (int, bool) {
			if next < len(fields) && bytes.HasPrefix(s.text[i:], []byte(fields[next].quoted)) {
				i = s.space(i + len(fields[next].quoted))
				if s.at(i) != ':' {
					return i, false
				}
				i = s.space(i + 1)
			} else {
				name, at, ok := s.name(i)
				if !ok {
					return i, false
				}
				i = at
				n, known := byName[name]
				if !known {
					return min(jsonx.Skip(s.text, i), len(s.text)), true
				}
				next = n
			}
			f := &fields[next]
			next++
			return (*f.set)(s, i, v.Field(f.index))
		})
	}
}

// items reads the object or array at i.
func (s *state) items(i int, begin, end byte, item func(i int) (int, bool)) (after int, ok bool) {
	if s.at(i) != begin {
		return i, false
	}
	if i = s.space(i + 1); s.at(i) == end {
		return i + 1, true
	}
	for {
		if i, ok = item(i); !ok {
			return i, false
		}
		switch i = s.space(i); s.at(i) {
		case ',':
			i = s.space(i + 1)
		case end:
			return i + 1, true
		default:
			return i, false
		}
	}
}

// name reads a member's name and the colon, and returns where its value begins.
func (s *state) name(i int) (name string, value int, ok bool) {
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
		if ms, ok := members(t); ok {
			*s = orNull(structOf(c.fields(ms)))
		}
	}
	return s
}

func (c *decoders) fields(ms []member) (fields []field, byName map[string]int) {
	byName = map[string]int{}
	for i, m := range ms {
		byName[m.name] = i
		fields = append(fields, field{quoted: `"` + m.name + `"`, index: m.Index[0], set: c.of(m.Type)})
	}
	return fields, byName
}
