package schema

import (
	"bytes"

	"helve.dev/helve/internal/jsonx"
)

// A settler rewrites a well-formed text. It copies nothing until there is a first change.
type settler struct {
	d       []byte
	out     []byte
	copied  int // d[:copied] is in out, or has been left out
	changed bool
	more    bool              // something else than defaults has changed
	keep    bool              // nulls stay: a name that is there twice must not become one that is there once
	aliases map[string]string // of the root object
	used    []Alias
	prepare func(*shapeProperty) // at compile time: makes the default of a property ready

	coercing  bool // Config.Coerce
	unwrapped bool // d has been JSON text in a string
	coerced   []coercion
	guess     *guess // nil: forms and patterns are not asked
}

// settle applies aliases, the null rule and defaults to the well-formed text that s has checked.
func (v *Validator) settle(text []byte, s *state) *settler {
	z := &settler{d: text, aliases: v.aliases, coercing: v.coerce, keep: s.twice}
	if v.coerce && (len(s.faults) > 0 || len(v.aliases) > 0) {
		z.guess = &guess{v: v, s: v.newState(nil), known: map[question]*settler{}}
		defer z.guess.s.release()
	}
	z.value(v.shape, jsonx.Space(text, 0))
	z.out, z.copied = z.finish(), len(z.d)
	return z
}

func (z *settler) finish() []byte {
	if !z.changed {
		return z.d
	}
	return append(z.out, z.d[z.copied:]...)
}

// replace puts text in the place of d[from:to].
func (z *settler) replace(from, to int, text string) {
	if !z.changed {
		z.out = make([]byte, 0, len(z.d)+64)
	}
	z.out = append(append(z.out, z.d[z.copied:from]...), text...)
	z.copied, z.changed = to, true
}

// value settles the value at d[i] and returns the index after it.
func (z *settler) value(sh *shape, i int) int {
	if sh != nil && sh.unions != nil && z.guess != nil {
		if end, ok := z.union(sh, i); ok {
			return end
		}
	}
	switch {
	case sh == nil:
	case z.d[i] == '{':
		return z.object(sh, i)
	case z.d[i] == '[':
		return z.array(sh, i)
	case z.d[i] == '"' && z.coercing:
		return z.coerce(sh, i)
	}
	return jsonx.Skip(z.d, i)
}

func (z *settler) array(sh *shape, i int) int {
	k := jsonx.Space(z.d, i+1)
	for n := 0; z.d[k] != ']'; n++ {
		sub := sh.items
		if n < len(sh.prefix) {
			sub = sh.prefix[n]
		}
		k = afterComma(z.d, z.value(sub, k))
	}
	return k + 1
}

// objectEdit is where the rewriting of one object is.
type objectEdit struct {
	sh      *shape
	last    int // the end of the last member that stays, or the index after the brace
	kept    bool
	dropped bool   // since last
	seen    []bool // of shape.defaults
}

func (z *settler) object(sh *shape, i int) int {
	aliases := z.aliases
	z.aliases = nil
	var small [64]bool
	e := objectEdit{sh: sh, last: i + 1, seen: small[:0]}
	if n := len(sh.defaults); n <= len(small) {
		e.seen = small[:n]
	} else {
		e.seen = make([]bool, n)
	}
	k := jsonx.Space(z.d, i+1)
	for z.d[k] != '}' {
		k = afterComma(z.d, z.member(&e, i, k, aliases))
	}
	if e.dropped {
		z.replace(e.last, k, "")
		z.more = true
	}
	z.fill(&e, k)
	return k + 1
}

// member settles the member whose name starts at d[k] and returns the index after its value.
func (z *settler) member(e *objectEdit, object, k int, aliases map[string]string) int {
	nameEnd := jsonx.Skip(z.d, k)
	name := z.name(k, nameEnd)
	v := jsonx.Space(z.d, jsonx.Space(z.d, nameEnd)+1)
	to, isAlias := aliases[string(name)]
	if isAlias && z.given(object, k, to, aliases) {
		isAlias = false // the check reports it
	}
	p, listed := e.sh.index[string(name)]
	if isAlias {
		p, listed = e.sh.index[to]
	}
	if listed && z.d[v] == 'n' && !z.keep && !e.sh.props[p].required && !e.sh.props[p].nullable {
		if isAlias {
			z.used = append(z.used, Alias{From: string(name), To: to})
		}
		e.dropped = true
		return jsonx.Skip(z.d, v)
	}
	if e.dropped { // leave out everything between the last member that stays and this one
		if e.kept {
			z.replace(e.last, k, ",")
		} else {
			z.replace(e.last, k, "")
		}
		e.dropped, z.more = false, true
	}
	if isAlias {
		z.used = append(z.used, Alias{From: string(name), To: to})
		z.replace(k, nameEnd, string(jsonx.AppendQuote(nil, to)))
		z.more = true
	}
	sub := e.sh.additional
	switch {
	case listed:
		if slot := e.sh.props[p].slot; slot > 0 {
			e.seen[slot-1] = true
		}
		sub = e.sh.props[p].shape
	case e.sh.patterns != nil && z.guess != nil:
		sub = z.guess.byName(e.sh, name)
	}
	e.last, e.kept = z.value(sub, v), true
	return e.last
}

func (z *settler) name(k, end int) []byte {
	if lit := z.d[k:end]; bytes.IndexByte(lit, '\\') >= 0 {
		return jsonx.Unquote(nil, lit)
	}
	return z.d[k+1 : end-1]
}

// given reports whether the object says the property under its present name too, or under another former name before.
func (z *settler) given(object, alias int, to string, aliases map[string]string) bool {
	for k := jsonx.Space(z.d, object+1); z.d[k] != '}'; {
		nameEnd := jsonx.Skip(z.d, k)
		name := z.name(k, nameEnd)
		if k != alias && (string(name) == to || k < alias && aliases[string(name)] == to) {
			return true
		}
		k = afterComma(z.d, jsonx.Skip(z.d, jsonx.Space(z.d, jsonx.Space(z.d, nameEnd)+1)))
	}
	return false
}

// fill appends the defaults of what the object does not say.
func (z *settler) fill(e *objectEdit, brace int) {
	for slot, i := range e.sh.defaults {
		p := &e.sh.props[i]
		if e.seen[slot] {
			continue
		}
		if z.prepare != nil {
			z.prepare(p)
		}
		if p.def == nil {
			continue
		}
		at := max(z.copied, e.last)
		if e.kept {
			z.replace(at, at, p.fill)
		} else {
			z.replace(at, at, p.fill[1:])
		}
		e.kept = true
	}
}
