package schema

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
)

// A Coercion is one value that [Config].Coerce has read from a string.
type Coercion struct {
	// Path is a JSON Pointer to the value.
	Path string `json:"path"`
	// From is the string that was sent, with its quotes, and To the value that was made of it, both as JSON and cut to what is
	// enough to recognise them by.
	From string `json:"from"`
	To   string `json:"to"`
}

// coercion is a Coercion before its place is put into words.
type coercion struct {
	at       int // in the settled text
	from, to string
}

// coerce puts the value that the string at d[i] holds in its place, where the schema takes that value and no string, and returns
// the index after the string. Strings that are anything else than the exact JSON text of the value stay, and are faults.
func (z *settler) coerce(sh *shape, i int) int {
	end, escaped, _ := jsonx.String(z.d, i)
	if sh.takes&tString != 0 {
		return end
	}
	text := z.d[i+1 : end-1]
	if escaped {
		text = jsonx.Unquote(nil, z.d[i:end])
	}
	to := text
	switch trimmed := bytes.Trim(text, " \t\r\n"); {
	case sh.takesText(text):
	case z.unwrapped || !sh.takesContainer(trimmed) || !jsontext.Value(trimmed).IsValid():
		return end
	default:
		to = z.unwrap(sh, i, trimmed)
	}
	z.replace(i, end, string(to))
	z.coerced = append(z.coerced, coercion{len(z.out) - len(to), string(appendLiteral(nil, z.d[i:end])), string(appendLiteral(nil, to))})
	z.more = true
	return end
}

// unwrap settles the object or array that stands as text in the string at d[i]. JSON text inside it is not unwrapped again.
func (z *settler) unwrap(sh *shape, i int, text []byte) []byte {
	inner := settler{d: text, aliases: z.aliases, coercing: true, unwrapped: true, prepare: z.prepare, guess: z.guess}
	inner.value(sh, 0)
	out := inner.finish()
	z.adopt(&inner, i)
	return out
}

// adopt takes over what has been done to the value that comes in the place of the one at d[i].
func (z *settler) adopt(inner *settler, i int) {
	z.used = append(z.used, inner.used...)
	base := i - z.copied + len(z.out) // where the value will start
	for _, c := range inner.coerced {
		c.at += base
		z.coerced = append(z.coerced, c)
	}
}

// takesText reports whether text is the exact JSON text of a number or boolean that the shape takes.
func (sh *shape) takesText(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	if string(text) == "true" || string(text) == "false" {
		return sh.takes&tBoolean != 0
	}
	if !isNumber(text[0]) {
		return false
	}
	end, ok := jsonx.Number(text, 0)
	if !ok || end != len(text) {
		return false
	}
	return sh.takes&tNumber != 0 || sh.takes&tInteger != 0 && plainInteger(text)
}

// plainInteger reports whether the number literal is spelled with digits only.
func plainInteger(lit []byte) bool {
	for _, c := range lit {
		if c == '.' || c|0x20 == 'e' {
			return false
		}
	}
	return true
}

func (sh *shape) takesContainer(trimmed []byte) bool {
	return len(trimmed) > 0 && (trimmed[0] == '{' && sh.takes&tObject != 0 || trimmed[0] == '[' && sh.takes&tArray != 0)
}

// takenTypes returns the types of which n may take a value. It knows nothing of not, if, dependentSchemas and dynamic references,
// so it may return too many, and with that coerce too little.
func (n *node) takenTypes(known map[*node]types) types {
	if t, ok := known[n]; ok {
		return t
	}
	t := n.types
	if n.never {
		t = 0
	}
	for r := n.enum; r != nil; r = r.also {
		t &= r.types()
	}
	if n.in != nil {
		if n.in.ref != nil {
			t &= n.in.ref.takenTypes(known)
		}
		for _, sub := range n.in.allOf {
			t &= sub.takenTypes(known)
		}
		for _, list := range [][]*node{n.in.anyOf, n.in.oneOf} {
			var some types
			for _, sub := range list {
				some |= sub.takenTypes(known)
			}
			if list != nil {
				t &= some
			}
		}
	}
	known[n] = t
	return t
}

// types are those of the values that are listed.
func (r *enumRule) types() (t types) {
	for _, v := range r.values {
		switch v.kind {
		case '{':
			t |= tObject
		case '[':
			t |= tArray
		case '"':
			t |= tString
		case 't', 'f':
			t |= tBoolean
		case 'n':
			t |= tNull
		default:
			t |= tNumber | tInteger
		}
	}
	return t
}
