package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
)

// A source is the canonical schema as Lower reads it: parsed, checked, with its references resolved. Lower builds new trees from
// its parts and never changes them.
type source struct {
	c      *compiler
	root   *tree
	open   bool // nothing in the root says which names it takes, so that it takes any
	folded bool // foldRoot had something to do
	note   string
	losses []Loss
	ids    map[*tree]int
}

func newSource(s *Schema, cfg *LowerConfig) (*source, error) {
	v, err := Compile(s, &Config{Loader: cfg.Loader})
	if err != nil {
		return nil, err
	}
	root, err := parseTree(s.text())
	if err != nil {
		return nil, err
	}
	open := !v.root.lists && !v.root.isBareObject()
	return &source{c: indexDocument(root, Config{Loader: cfg.Loader}), root: root, open: open, ids: map[*tree]int{}}, nil
}

func (s *source) lose(path, keyword, what string) {
	s.losses = append(s.losses, Loss{Path: path, Keyword: keyword, What: what})
}

func (s *source) place(t *tree) string { return s.c.place[t] }

// adopt gives a new tree the place of the one that it stands for.
func (s *source) adopt(made, from *tree) *tree {
	s.c.owner[made], s.c.place[made] = s.c.owner[from], s.c.place[from]
	return made
}

// id numbers the trees in the order in which they are asked for.
func (s *source) id(t *tree) int {
	id, ok := s.ids[t]
	if !ok {
		id = len(s.ids)
		s.ids[t] = id
	}
	return id
}

var refKeywords = [...]string{"$ref", "$dynamicRef", "$recursiveRef"}

func isRefKeyword(name string) bool { return slices.Contains(refKeywords[:], name) }

// target returns what the reference keyword of t leads to: for $dynamicRef the place that it leads to at first.
func (s *source) target(t *tree, keyword string) *tree {
	ref := t.get(keyword)
	if ref == nil || ref.kind != '"' || !s.c.counts(t, keyword) || s.c.owner[t] == nil {
		return nil
	}
	if keyword == "$recursiveRef" {
		return s.c.owner[t].root
	}
	found, _, err := s.c.resolve(ref.str, s.c.owner[t])
	if err != nil {
		return nil
	}
	return found
}

// annotationWords are the keywords that constrain nothing.
var annotationWords = wordSet("title description default examples deprecated readOnly writeOnly $comment $schema $id $anchor $defs definitions $dynamicAnchor $recursiveAnchor $vocabulary")

// pureRef returns the target of a schema that only refers to another, with annotations at most, or nil.
func (s *source) pureRef(t *tree) *tree {
	keyword := ""
	for _, m := range t.members {
		switch {
		case isRefKeyword(m.name) && s.c.counts(t, m.name):
			if keyword != "" {
				return nil
			}
			keyword = m.name
		case s.c.onlyRef(t) || annotationWords[m.name] || !s.c.counts(t, m.name):
		case keywordTable[m.name].compile == nil && subschemaKeywords[m.name] == 0:
		default:
			return nil
		}
	}
	if keyword == "" {
		return nil
	}
	return s.target(t, keyword)
}

// subschemas calls f for the schemas directly below t, and for those that it refers to. optional says that f's schema is that of
// a property which t does not require.
func (s *source) subschemas(t *tree, f func(sub *tree, optional bool)) {
	for _, word := range refKeywords {
		if to := s.target(t, word); to != nil {
			f(to, false)
		}
	}
	if s.c.onlyRef(t) {
		return
	}
	required := requiredNames(t)
	for _, m := range t.members {
		switch form := subschemaKeywords[m.name]; {
		case m.name == "$defs" || m.name == "definitions":
		case form == formOne, form == formMixed && m.value.kind != '[':
			f(m.value, false)
		case form == formList, form == formMixed:
			for _, item := range m.value.items {
				f(item, false)
			}
		case form == formMap, form == formDeps:
			for _, sub := range m.value.members {
				if sub.value.isSchema() {
					f(sub.value, m.name == "properties" && !required[sub.name])
				}
			}
		}
	}
}

func propertyNames(t *tree) map[string]bool {
	names := map[string]bool{}
	if props := t.get("properties"); props != nil {
		for _, m := range props.members {
			names[m.name] = true
		}
	}
	return names
}

func requiredNames(t *tree) map[string]bool {
	names := map[string]bool{}
	if list := t.get("required"); list != nil {
		for _, item := range list.items {
			names[item.str] = true
		}
	}
	return names
}

// cycles finds the schemas that lead back to themselves (Tarjan's strongly connected components). With required set, ways
// through properties that are not required do not count.
func (s *source) cycles(required bool) map[*tree]bool {
	w := &cycleWalk{s: s, required: required, number: map[*tree]int{}, low: map[*tree]int{}, on: map[*tree]bool{}, found: map[*tree]bool{}}
	w.later = []*tree{s.root}
	for len(w.later) > 0 {
		next := w.later[0]
		if w.later = w.later[1:]; w.number[next] == 0 {
			w.visit(next)
		}
	}
	return w.found
}

type cycleWalk struct {
	s           *source
	required    bool
	number, low map[*tree]int
	on, found   map[*tree]bool
	stack       []*tree
	later       []*tree
}

func (w *cycleWalk) visit(t *tree) {
	w.number[t] = len(w.number) + 1
	w.low[t] = w.number[t]
	w.stack, w.on[t] = append(w.stack, t), true
	w.s.subschemas(t, func(sub *tree, optional bool) {
		switch {
		case w.required && optional:
			w.later = append(w.later, sub)
		case w.number[sub] == 0:
			w.visit(sub)
			w.low[t] = min(w.low[t], w.low[sub])
			w.found[t] = w.found[t] || sub == t
		case w.on[sub]:
			w.low[t] = min(w.low[t], w.number[sub])
			w.found[t] = w.found[t] || sub == t
		}
	})
	if w.low[t] != w.number[t] {
		return
	}
	i := len(w.stack) - 1
	for w.stack[i] != t {
		i--
	}
	for _, member := range w.stack[i:] {
		w.on[member] = false
		w.found[member] = w.found[member] || len(w.stack)-i > 1
	}
	w.stack = w.stack[:i]
}

// Building trees. What is built has no text of its own until it is written.

func makeObject(members ...member) *tree { return &tree{kind: '{', members: members} }

func makeArray(items ...*tree) *tree { return &tree{kind: '[', items: items} }

func makeString(text string) *tree {
	return &tree{kind: '"', str: text, raw: jsonx.AppendQuote(nil, text)}
}

func makeNumber(n int) *tree { return &tree{kind: '0', raw: strconv.AppendInt(nil, int64(n), 10)} }

func makeBool(b bool) *tree {
	text := strconv.FormatBool(b)
	return &tree{kind: text[0], raw: []byte(text)}
}

func makeStrings(list []string) *tree {
	t := makeArray()
	for _, text := range list {
		t.items = append(t.items, makeString(text))
	}
	return t
}

// put sets a member: in the place of the one of that name, or at the end.
func (t *tree) put(name string, value *tree) {
	for i := range t.members {
		if t.members[i].name == name {
			t.members[i].value = value
			return
		}
	}
	t.members = append(t.members, member{name, value})
}

// write appends the text of t.
func (t *tree) write(dst []byte) []byte {
	if t.raw != nil {
		return append(dst, t.raw...)
	}
	if t.kind == '[' {
		dst = append(dst, '[')
		for i, item := range t.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.write(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i, m := range t.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonx.AppendQuote(dst, m.name), ':')
		dst = m.value.write(dst)
	}
	return append(dst, '}')
}

// text returns the text of t, parsed or built.
func (t *tree) text() string {
	if t.raw == nil {
		t.raw = t.write(nil)
	}
	return string(t.raw)
}

// sameTree reports whether two values are equal in the sense of JSON Schema.
func sameTree(a, b *tree) bool {
	x, errX := jsonx.Canonical([]byte(a.text()))
	y, errY := jsonx.Canonical([]byte(b.text()))
	return errX == nil && errY == nil && string(x) == string(y) || a.text() == b.text()
}

// typesNamed returns the set that the value of the keyword type names.
func typesNamed(t *tree) types {
	if t == nil {
		return tAny
	}
	set := typeNames[t.str]
	for _, item := range t.items {
		set |= typeNames[item.str]
	}
	return set
}

// typeOfTree returns the type of a value.
func typeOfTree(t *tree) types {
	switch t.kind {
	case '{':
		return tObject
	case '[':
		return tArray
	case '"':
		return tString
	case 'n':
		return tNull
	case 't', 'f':
		return tBoolean
	}
	if v, err := jsonx.ParseDecimal(t.raw); err == nil && v.IsInteger() {
		return tInteger
	}
	return tNumber
}

// defName makes the name of a definition from the place of what it defines.
func defName(place string, taken map[string]bool) string {
	place = strings.TrimSuffix(place, "#")
	name := place[strings.LastIndexByte(place, '/')+1:]
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && isAlphanumeric(byte(r)) || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	name = cmp.Or(name, "root")
	unique := name
	for i := 2; taken[unique]; i++ {
		unique = name + "_" + strconv.Itoa(i)
	}
	taken[unique] = true
	return unique
}

func trimLeading(raw jsontext.Value) []byte {
	i := jsonx.Space(raw, 0)
	return raw[i:]
}
