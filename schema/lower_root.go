package schema

import (
	"maps"
	"slices"
	"strings"
)

// rootCombinators are the keywords that providers refuse at the root of a tool's input (Anthropic: "input_schema does not support
// oneOf, allOf, or anyOf at the top level"; OpenAI: root object, no anyOf), and those that the fold has to look through for them.
var rootCombinators = []string{
	"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const", "dependentSchemas",
}

// foldRoot returns the root as an object without combinators. What they say about properties is merged into the root's own; what
// then is left of them is told in the description.
func (s *source) foldRoot() (*tree, error) {
	if s.root.kind == 'f' {
		return nil, errUncallable
	}
	if s.root.kind == 't' {
		return s.adopt(&tree{kind: '{'}, s.root), nil
	}
	needed := slices.ContainsFunc(s.root.members, func(m member) bool {
		return slices.Contains(rootCombinators, m.name) && s.c.counts(s.root, m.name) || m.name == "dependencies" && hasSchemaMember(m.value)
	})
	f := newFolder(s, nil)
	s.adopt(f.out, s.root)
	f.definite(s.root)
	if f.types&tObject == 0 || f.never {
		return nil, errUncallable
	}
	if !needed {
		s.losses = nil // nothing has been folded
		s.noteType(s.root)
		return s.root, nil
	}
	s.folded = true
	return f.finish(), nil
}

// noteType reports a root that takes other values than objects too: arguments are an object always.
func (s *source) noteType(t *tree) {
	if own := t.get("type"); own != nil && own.kind == '[' {
		s.lose(s.place(t), "type", "a tool's arguments are an object, so the wire schema says the type object only")
	}
}

func hasSchemaMember(t *tree) bool {
	return slices.ContainsFunc(t.members, func(m member) bool { return m.value.isSchema() })
}

// A folder merges what applies to the root in place.
type folder struct {
	s        *source
	seen     map[*tree]bool
	outer    *folder // of the schema that has this one as a branch
	out      *tree
	types    types
	never    bool
	props    []foldedProperty
	index    map[string]int
	required []string
	requires map[string]bool
	closedBy *tree // the schema that says additionalProperties: false
	extra    []viewWord
	openers  []opener
	notes    []string
	docs     []string
}

// An opener is a branch that takes further names.
type opener struct {
	knows map[string]bool // the properties that it lists
	value *tree           // what the others may be
}

type foldedProperty struct {
	name string
	must []*tree // schemas that hold in any case
	may  []*tree // schemas of branches
}

func newFolder(s *source, outer *folder) *folder {
	return &folder{
		s: s, outer: outer, seen: map[*tree]bool{}, index: map[string]int{}, requires: map[string]bool{},
		out: &tree{kind: '{'}, types: tAny,
	}
}

func (f *folder) entered(t *tree) bool {
	return f != nil && (f.seen[t] || f.outer.entered(t))
}

func (f *folder) property(name string) *foldedProperty {
	i, ok := f.index[name]
	if !ok {
		i = len(f.props)
		f.index[name] = i
		f.props = append(f.props, foldedProperty{name: name})
	}
	return &f.props[i]
}

func (f *folder) require(name string) {
	if !f.requires[name] {
		f.requires[name] = true
		f.required = append(f.required, name)
	}
}

// definite merges a schema that holds for the root in any case.
func (f *folder) definite(t *tree) {
	if t.kind == 'f' {
		f.never = true
	}
	if t.kind != '{' || f.entered(t) {
		return
	}
	f.seen[t] = true
	for _, m := range t.members {
		if !f.s.c.counts(t, m.name) || f.s.c.onlyRef(t) && m.name != "$ref" && !annotationWords[m.name] {
			continue
		}
		f.keyword(t, m)
	}
}

func (f *folder) keyword(t *tree, m member) {
	switch m.name {
	case "$ref", "$dynamicRef", "$recursiveRef":
		if to := f.s.target(t, m.name); to != nil {
			f.definite(to)
		}
	case "allOf":
		f.s.lose(f.s.place(t), "allOf", "what its schemas say is merged into the root, which takes no combinator")
		for _, sub := range m.value.items {
			f.definite(sub)
		}
	case "anyOf", "oneOf":
		f.branches(m.value.items)
		f.tell(t, m.name, m.value)
	case "if":
		if then, els := t.get("then"), t.get("else"); then != nil || els != nil {
			f.conditional(m.value, then, els)
			f.tell(t, "if", m.value)
		}
	case "dependentSchemas", "dependencies":
		for _, sub := range m.value.members {
			f.conditional(sub.value)
		}
		f.tell(t, m.name, m.value)
	case "not", "enum", "const":
		f.tell(t, m.name, m.value)
	case "then", "else":
	default:
		f.plainKeyword(t, m)
	}
}

func (f *folder) plainKeyword(t *tree, m member) {
	switch m.name {
	case "type":
		f.types &= typesNamed(m.value)
	case "properties":
		for _, p := range m.value.members {
			fp := f.property(p.name)
			fp.must = append(fp.must, p.value)
		}
	case "required":
		for _, item := range m.value.items {
			f.require(item.str)
		}
	case "description":
		if m.value.str != "" && !slices.Contains(f.docs, m.value.str) {
			f.docs = append(f.docs, m.value.str)
		}
	case "additionalProperties", "unevaluatedProperties":
		if f.extra = append(f.extra, viewWord{t, m.name, m.value}); m.value.kind == 'f' && m.name == "additionalProperties" {
			f.closedBy = t
		}
	default:
		f.other(t, m)
	}
}

// other keeps a keyword that needs no merging, and tells a second one of its name.
func (f *folder) other(t *tree, m member) {
	own := t == f.s.root
	switch {
	case annotationWords[m.name] && !own && m.name != "title":
	case f.out.get(m.name) == nil:
		f.out.put(m.name, m.value)
	case m.name != "title" && !sameTree(f.out.get(m.name), m.value):
		f.tell(t, m.name, m.value)
	}
}

func (f *folder) tell(t *tree, name string, value *tree) {
	text := f.s.sentence(t, name, value)
	if text == "" {
		f.s.lose(f.s.place(t), name, "it is left out of the root, which takes no combinator")
		return
	}
	f.notes = append(f.notes, text)
	f.s.lose(f.s.place(t), name, "the root takes no such keyword, so the description says: "+text)
}

// branches merges the alternatives of an anyOf or oneOf: their properties may be given, and what all require is required.
func (f *folder) branches(list []*tree) {
	var common []string
	for i, branch := range list {
		sub := f.branch(branch)
		if i == 0 {
			common = sub.required
		}
		common = slices.DeleteFunc(common, func(name string) bool { return !sub.requires[name] })
		f.mayHave(sub)
	}
	for _, name := range common {
		f.require(name)
	}
}

// conditional merges schemas that hold for some values only.
func (f *folder) conditional(list ...*tree) {
	for _, t := range list {
		if t != nil {
			f.mayHave(f.branch(t))
		}
	}
}

// branch folds a branch on its own. What is to be told of it is told by the keyword that holds it.
func (f *folder) branch(t *tree) *folder {
	silent := &source{c: f.s.c, root: f.s.root, ids: f.s.ids}
	sub := newFolder(silent, f)
	sub.definite(t)
	return sub
}

func (f *folder) mayHave(sub *folder) {
	for i := range sub.props {
		p, from := f.property(sub.props[i].name), &sub.props[i]
		found := from.may
		if len(from.must) > 0 {
			found = []*tree{f.s.all(from.must)}
		}
		for _, t := range found {
			p.add(t)
		}
	}
	f.openers = append(f.openers, sub.opens()...)
}

// add adds what a branch says of the property.
func (p *foldedProperty) add(t *tree) {
	if !slices.ContainsFunc(p.may, func(have *tree) bool { return have.text() == t.text() }) {
		p.may = append(p.may, t)
	}
}

// opened adds to what branches say of a property what holds for it as a further one, where those do not apply that list it.
func (f *folder) opened(p *foldedProperty) {
	for _, o := range f.openers {
		if !o.knows[p.name] {
			p.add(o.value)
		}
	}
	for _, w := range f.extra {
		if w.value.kind != 'f' && !propertyNames(w.in)[p.name] {
			p.add(w.value)
		}
	}
}

// opens returns the openers that a branch is, or has among its own branches.
func (f *folder) opens() (list []opener) {
	knows := map[string]bool{}
	for _, p := range f.props {
		if len(p.must) > 0 {
			knows[p.name] = true
		}
	}
	if patterns := f.out.get("patternProperties"); patterns != nil {
		for _, m := range patterns.members {
			list = append(list, opener{knows, m.value})
		}
	}
	if f.closedBy != nil {
		return list
	}
	for _, w := range f.extra {
		if w.value.kind != 'f' {
			list = append(list, opener{knows, w.value})
		}
	}
	for _, o := range f.openers {
		maps.Copy(o.knows, knows)
		list = append(list, o)
	}
	return list
}

// all returns the schema of what all of list hold for.
func (s *source) all(list []*tree) *tree {
	if len(list) == 1 {
		return list[0]
	}
	return s.adopt(makeObject(member{"allOf", makeArray(list...)}), list[0])
}

// any returns the schema of what one of list holds for. Constants become an enum.
func (s *source) any(list []*tree) *tree {
	if len(list) == 1 {
		return list[0]
	}
	var values []*tree
	for _, t := range list {
		found := constants(t)
		if found == nil {
			return s.adopt(makeObject(member{"anyOf", makeArray(list...)}), list[0])
		}
		for _, v := range found {
			if !slices.ContainsFunc(values, func(have *tree) bool { return sameTree(have, v) }) {
				values = append(values, v)
			}
		}
	}
	out := makeObject()
	if doc := list[0].get("description"); doc != nil {
		out.put("description", doc)
	}
	out.put("enum", makeArray(values...))
	return s.adopt(out, list[0])
}

// constants returns the values of a schema that says nothing but which they are.
func constants(t *tree) []*tree {
	var values []*tree
	for _, m := range t.members {
		switch m.name {
		case "const":
			values = append(values, m.value)
		case "enum":
			values = append(values, m.value.items...)
		case "type", "description", "title":
		default:
			return nil
		}
	}
	return values
}

// finish writes the folded root.
func (f *folder) finish() *tree {
	props := makeObject()
	for i := range f.props {
		p := &f.props[i]
		f.opened(p)
		switch {
		case len(p.must) > 0:
			props.members = append(props.members, member{p.name, f.s.all(p.must)})
		case f.closedBy != nil: // the branch's properties are refused by the root
		default:
			props.members = append(props.members, member{p.name, f.s.any(p.may)})
		}
	}
	out := f.out
	members := []member{{"type", makeString("object")}}
	f.s.note = strings.Join(f.notes, " ")
	if doc := joinText(append(slices.Clone(f.docs), f.notes...)...); doc != "" {
		members = append(members, member{"description", makeString(doc)})
	}
	members = append(members, member{"properties", props})
	if len(f.required) > 0 {
		members = append(members, member{"required", makeStrings(f.required)})
	}
	if extra := f.additional(); extra != nil {
		members = append(members, member{"additionalProperties", extra})
	}
	out.members = append(members, out.members...)
	return out
}

// knowsAll reports whether a part lists every property that the root has.
func (f *folder) knowsAll(t *tree) bool {
	own := propertyNames(t)
	return !slices.ContainsFunc(f.props, func(p foldedProperty) bool { return !own[p.name] })
}

// additional merges what the folded schemas say about further names; nil: nothing. The root's own unevaluatedProperties is about
// the names that no part of it says anything about.
func (f *folder) additional() *tree {
	if f.s.open {
		return makeBool(true)
	}
	var own *tree
	var rest, open []*tree
	for _, w := range f.extra {
		if w.value.kind != 't' && w.in != f.s.root && !f.knowsAll(w.in) {
			f.s.lose(f.s.place(w.in), w.name, "the root has the properties of all its parts; that this part does not know those of the others is not said")
		}
		if w.name == "unevaluatedProperties" && w.in == f.s.root {
			own = w.value
			continue
		}
		if rest = append(rest, w.value); w.value.kind == '{' {
			open = append(open, w.value)
		}
	}
	if i := slices.IndexFunc(rest, func(t *tree) bool { return t.kind == 'f' }); i >= 0 {
		return rest[i]
	}
	if len(open) > 0 {
		return f.s.all(open)
	}
	if len(rest) > 0 {
		return rest[0]
	}
	for _, o := range f.openers {
		open = append(open, o.value)
	}
	if own != nil && (own.kind != 'f' || len(open) == 0) {
		open = append(open, own)
	}
	if len(open) == 0 {
		return nil
	}
	return f.s.any(open)
}
