package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A part is one of the schemas that apply to the same value.
type part struct {
	t *tree
	// flat: what it refers to, and its allOf, are parts of their own.
	flat bool
	// skip names the keyword that an alternative of it stands in for: anyOf, oneOf or "both".
	skip string
	// mute: its annotations are told elsewhere.
	mute bool
}

// key identifies what a list of parts says.
func (s *source) key(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(strconv.Itoa(s.id(p.t)))
		if p.flat {
			b.WriteByte('f')
		}
		if p.mute {
			b.WriteByte('m')
		}
		b.WriteString(p.skip)
		b.WriteByte(' ')
	}
	return b.String()
}

// A view is what a list of schemas says together about a value.
type view struct {
	place    string
	parts    []part // flat
	never    bool
	types    types
	typed    bool // a keyword type says which
	enum     []*tree
	hasEnum  bool
	words    []viewWord // what is sent or told as it is
	alts     []viewAlts
	props    []viewProperty
	index    map[string]int
	required map[string]bool
	listed   bool // there is a `properties`
	extra    []viewWord
	openers  []*tree // what further names may be for some values only
	patterns []viewWord
	names    *viewWord
	items    []viewWord
	prefix   [][]part
	docs     []string
	title    string
	def      *viewWord
}

type viewWord struct {
	in    *tree // the schema that says it
	name  string
	value *tree
}

type viewAlts struct {
	viewWord
	part int // the index in parts
}

type viewProperty struct {
	name  string
	parts []part
	maybe bool // only some values may have it
}

// look reads the parts.
func (b *rebuilder) look(parts []part) *view {
	v := &view{place: b.src.place(parts[0].t), types: tAny, index: map[string]int{}, required: map[string]bool{}}
	l := &looker{b: b, s: b.src, v: v, seen: map[*tree]bool{}}
	for _, p := range parts {
		l.part(p)
	}
	l.settleMaybe()
	l.checkExtra()
	for name := range v.required {
		if _, ok := v.index[name]; !ok {
			l.unlisted = append(l.unlisted, name)
		}
	}
	slices.Sort(l.unlisted)
	for _, name := range l.unlisted {
		v.property(name).parts = []part{{t: b.src.adopt(&tree{kind: 't', raw: []byte("true")}, parts[0].t)}}
	}
	return v
}

// checkExtra reports parts that say what further names may be without knowing the names of the others.
func (l *looker) checkExtra() {
	for _, w := range l.v.extra {
		own := propertyNames(w.in)
		if len(l.v.parts) < 2 || w.value.kind == 't' || w.name == "unevaluatedProperties" && w.in == l.v.parts[0].t {
			continue
		}
		if slices.ContainsFunc(l.v.props, func(p viewProperty) bool { return !own[p.name] }) {
			l.b.lose(l.s.place(w.in), w.name, "the object is sent with the properties of all its parts; that this part does not know those of the others is not said")
		}
	}
}

type looker struct {
	b        *rebuilder
	s        *source
	v        *view
	seen     map[*tree]bool
	unlisted []string
	may      *folder // what conditional schemas say; nil: there are none
}

func (v *view) property(name string) *viewProperty {
	i, ok := v.index[name]
	if !ok {
		i = len(v.props)
		v.index[name] = i
		v.props = append(v.props, viewProperty{name: name})
	}
	return &v.props[i]
}

func (l *looker) part(p part) {
	if p.t.kind == 'f' {
		l.v.never = true
	}
	if p.t.kind != '{' || l.seen[p.t] {
		return
	}
	l.seen[p.t] = true
	at := len(l.v.parts)
	l.v.parts = append(l.v.parts, part{t: p.t, flat: true, skip: p.skip, mute: p.mute})
	onlyRef := l.s.c.onlyRef(p.t)
	for _, m := range p.t.members {
		if !l.s.c.counts(p.t, m.name) || onlyRef && m.name != "$ref" && m.name != "description" {
			continue
		}
		l.keyword(p, at, m)
	}
}

func (l *looker) keyword(p part, at int, m member) {
	word := viewWord{p.t, m.name, m.value}
	switch m.name {
	case "$ref", "$dynamicRef", "$recursiveRef":
		if to := l.s.target(p.t, m.name); to != nil && !p.flat {
			l.part(part{t: to, mute: p.mute})
		}
	case "allOf":
		for _, sub := range m.value.items {
			if !p.flat {
				l.part(part{t: sub, mute: p.mute})
			}
		}
	case "anyOf", "oneOf":
		if p.skip != m.name && p.skip != "both" {
			l.v.alts = append(l.v.alts, viewAlts{word, at})
		}
	case "type":
		l.v.types &= typesNamed(m.value)
		l.v.typed = true
	case "enum":
		l.v.limit(m.value.items)
	case "const":
		l.v.limit([]*tree{m.value})
	case "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly":
		if !p.mute {
			l.annotation(word)
		}
	case "$comment", "$schema", "$id", "$anchor", "$defs", "definitions", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "then", "else",
		"minContains", "maxContains":
	default:
		if !l.objectWord(word) && !l.arrayWord(word) {
			l.v.words = append(l.v.words, word)
		}
	}
}

func (l *looker) annotation(w viewWord) {
	v := l.v
	switch w.name {
	case "title":
		v.title = cmp.Or(v.title, w.value.str)
	case "description":
		if w.value.str != "" && !slices.Contains(v.docs, w.value.str) {
			v.docs = append(v.docs, w.value.str)
		}
	case "default":
		if v.def == nil {
			v.def = &w
		}
	default:
		v.words = append(v.words, w)
	}
}

// limit narrows the values that are listed.
func (v *view) limit(values []*tree) {
	if !v.hasEnum {
		v.enum, v.hasEnum = values, true
		return
	}
	v.enum = slices.DeleteFunc(slices.Clone(v.enum), func(have *tree) bool {
		return !slices.ContainsFunc(values, func(t *tree) bool { return sameTree(have, t) })
	})
}

func (l *looker) objectWord(w viewWord) bool {
	v := l.v
	switch w.name {
	case "properties":
		v.listed = true
		for _, m := range w.value.members {
			p := v.property(m.name)
			p.maybe = false
			p.parts = append(p.parts, part{t: m.value})
		}
	case "required":
		for _, item := range w.value.items {
			v.required[item.str] = true
		}
	case "additionalProperties", "unevaluatedProperties":
		v.extra = append(v.extra, w)
	case "patternProperties":
		v.patterns = append(v.patterns, w)
	case "propertyNames":
		if v.names != nil {
			v.words = append(v.words, w)
			break
		}
		v.names = &w
	case "if":
		then, els := w.in.get("then"), w.in.get("else")
		if then != nil || els != nil {
			l.maybe(w.value)
			l.maybe(then)
			l.maybe(els)
			v.words = append(v.words, w)
		}
	case "dependentSchemas", "dependencies":
		for _, m := range w.value.members {
			l.maybe(m.value)
		}
		v.words = append(v.words, w)
	default:
		return false
	}
	return true
}

// maybe makes the properties known that a conditional schema lists.
func (l *looker) maybe(t *tree) {
	if t == nil {
		return
	}
	if l.may == nil {
		l.may = newFolder(l.s, nil)
	}
	sub := l.may.branch(t)
	l.may.mayHave(sub)
	for _, from := range sub.props {
		if _, known := l.v.index[from.name]; !known {
			l.v.property(from.name).maybe = true
		}
	}
}

// settleMaybe says of the properties that only conditional schemas list what one of those says.
func (l *looker) settleMaybe() {
	if l.may == nil {
		return
	}
	l.may.extra = l.v.extra
	for i := range l.v.props {
		if p := &l.v.props[i]; p.maybe {
			from := l.may.property(p.name)
			l.may.opened(from)
			p.parts = []part{{t: l.s.any(from.may)}}
		}
	}
	for _, o := range l.may.openers {
		l.v.openers = append(l.v.openers, o.value)
	}
}

func (l *looker) arrayWord(w viewWord) bool {
	v := l.v
	switch {
	case w.name == "items" && w.value.kind == '[', w.name == "prefixItems":
		for i, item := range w.value.items {
			if i == len(v.prefix) {
				v.prefix = append(v.prefix, nil)
			}
			v.prefix[i] = append(v.prefix[i], part{t: item})
		}
	case w.name == "items":
		v.items = append(v.items, w)
	case w.name == "additionalItems":
		if list := w.in.get("items"); list != nil && list.kind == '[' {
			v.items = append(v.items, w)
		}
	case w.name == "unevaluatedItems":
		if len(v.prefix) == 0 && w.in.get("items") == nil || w.value.kind == 'f' {
			v.items = append(v.items, w)
		}
	default:
		return false
	}
	return true
}

// constrains reports whether the part says more than notes, once its alternatives are taken out.
func (s *source) constrains(p part) bool {
	for _, m := range p.t.members {
		switch {
		case annotationWords[m.name], m.name == p.skip, p.skip == "both" && (m.name == "anyOf" || m.name == "oneOf"):
		case p.flat && (isRefKeyword(m.name) || m.name == "allOf"):
		case keywordTable[m.name].compile == nil, !s.c.counts(p.t, m.name):
		default:
			return true
		}
	}
	return false
}
