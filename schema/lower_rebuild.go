package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// maxRebuilt bounds how many schemas one rebuilt schema may have: merging and writing out could go on for very long.
const maxRebuilt = 20000

// A rebuilder writes a schema in the form of a dialect that takes few keywords.
type rebuilder struct {
	src      *source
	p        *profile
	cfg      *LowerConfig
	depth    int             // of ExpandDepth
	inline   map[*tree]bool  // recursive targets that are written out
	active   map[string]int  // what is being written, by key
	defs     map[string]*def // definitions, by key
	order    []*def
	taken    map[string]bool
	optional int // how many optional properties the walk is below
	count    int
	void     string // why nothing may fit
	note     string // what the root's description says besides the author's words
	losses   []Loss
	reasons  []Loss
	told     map[Loss]bool
}

// A def is a definition of the wire schema.
type def struct {
	name     string
	value    *tree
	plan     *plan
	optional int
	ready    bool
	void     bool // nothing fits
}

// rebuild returns the wire schema, or the reasons why a tool with it cannot be strict.
func rebuild(src *source, root *tree, d Dialect, cfg *LowerConfig) (*Lowered, []Loss, error) {
	b := &rebuilder{
		src: src, p: profiles[d], cfg: cfg, depth: max(0, cfg.ExpandDepth), active: map[string]int{}, defs: map[string]*def{},
		taken: map[string]bool{}, told: map[Loss]bool{},
	}
	switch b.p.refs {
	case refsAcyclic:
		b.inline = src.cycles(false)
	case refsOptional:
		if b.inline = src.cycles(true); b.depth == 0 {
			b.depth = 3
		}
	}
	for _, loss := range src.losses {
		b.told[loss] = true
	}
	b.losses = slices.Clone(src.losses)
	out, pl := b.root(root)
	switch {
	case out == nil && !b.p.strict:
		return nil, nil, errUncallable
	case out == nil:
		b.refuse("", "", cmp.Or(b.void, "no object fits what the schema says"))
	case len(b.reasons) == 0:
		limits := d.Limits()
		if cfg.Limits != nil {
			limits = *cfg.Limits
		}
		for _, text := range measure(out).over(limits) {
			b.refuse("", "", text)
		}
	}
	if len(b.reasons) > 0 {
		return nil, b.reasons, nil
	}
	s := &Schema{raw: out.write(nil)}
	if !s.raw.IsValid() {
		return nil, nil, errors.New("the rebuilt schema is not JSON") // cannot be: trees are written by one function
	}
	return &Lowered{Schema: s, Strict: b.p.strict, Note: b.note, Report: b.losses, restore: newRestorer(out, pl)}, nil, nil
}

// lose reports a lossy step, once.
func (b *rebuilder) lose(place, keyword, format string, args ...any) {
	loss := Loss{Path: place, Keyword: keyword, What: fmt.Sprintf(format, args...)}
	if !b.told[loss] {
		b.told[loss] = true
		b.losses = append(b.losses, loss)
	}
}

// refuse notes why the tool cannot be strict.
func (b *rebuilder) refuse(place, keyword, what string) {
	loss := Loss{Path: place, Keyword: keyword, What: "the tool is not strict: " + what}
	if !b.told[loss] {
		b.told[loss] = true
		b.reasons = append(b.reasons, loss)
	}
}

func (b *rebuilder) root(root *tree) (*tree, *plan) {
	v := b.look([]part{{t: root}})
	if v.never {
		return nil, nil
	}
	b.active[b.src.key([]part{{t: root}})]++
	n := b.notes(v)
	out, pl := b.object(v, true, n)
	b.note = joinText(append([]string{b.src.note}, n.parts[len(v.docs):]...)...)
	if out == nil {
		return nil, nil
	}
	if len(b.order) > 0 {
		defs := makeObject()
		for _, d := range b.order {
			if d.value != nil {
				defs.members = append(defs.members, member{d.name, d.value})
			}
		}
		out.members = append(out.members, member{"$defs", defs})
	}
	return out, pl
}

// placeholder stands where the result will not be used.
func placeholder() *tree { return makeObject() }

// schema writes what the parts say together. nil: no value fits, or none that can be written.
func (b *rebuilder) schema(parts []part) (*tree, *plan) {
	if b.count++; b.count > maxRebuilt {
		b.refuse("", "", fmt.Sprintf("the schema is too large: more than %d subschemas when its parts are merged", maxRebuilt))
		return placeholder(), nil
	}
	if len(parts) == 1 {
		if to := b.src.pureRef(parts[0].t); to != nil && !parts[0].flat {
			return b.reference(parts[0], to)
		}
	}
	key := b.src.key(parts)
	if d := b.defs[key]; d != nil && b.mayRefer(d) {
		return b.use(d)
	}
	switch n := b.active[key]; {
	case n > 0 && b.p.refs == refsAll:
		return b.define(key, parts)
	case n > b.depth:
		return b.cut(parts[0].t)
	}
	b.active[key]++
	out, pl := b.write(b.look(parts))
	b.active[key]--
	return out, pl
}

// cut ends the writing out of a schema that refers to itself.
func (b *rebuilder) cut(t *tree) (*tree, *plan) {
	place := b.src.place(t)
	switch {
	case !b.p.strict:
		b.lose(place, "", "it refers to itself, which is written out %d times; below that any value is taken", b.depth)
		return makeObject(member{"description", makeString("The same again, nested deeper.")}), nil
	case b.depth == 0:
		b.refuse(place, "$ref", "it refers to itself, which a strict schema cannot do here")
		return placeholder(), nil
	}
	b.void = "no object ends within the depth to which the recursion is written out"
	b.lose(place, "", "it refers to itself, which is written out %d times; deeper values cannot be sent", b.depth)
	return nil, nil
}

// reference writes a schema that only refers to another.
func (b *rebuilder) reference(from part, to *tree) (*tree, *plan) {
	notes := b.outerNotes(from)
	seen := map[*tree]bool{}
	for next := b.src.pureRef(to); next != nil && !seen[to] && b.onlyPoints(to); next = b.src.pureRef(to) {
		seen[to] = true
		to = next
	}
	parts := []part{{t: to}}
	key := b.src.key(parts)
	var out *tree
	var pl *plan
	switch {
	case b.inline[to]:
		out, pl = b.schema(parts)
	case to.kind != '{', notes != "" && b.p.refs != refsAll && b.active[key] == 0:
		b.active[key]++
		out, pl = b.write(b.lookThrough(from, parts))
		b.active[key]--
		return out, pl
	default:
		out, pl = b.define(key, parts)
	}
	if out == nil || notes == "" {
		return out, pl
	}
	return b.describe(out, pl, notes)
}

// lookThrough reads the target of a reference; what is noted beside the reference stands for the target's own notes.
func (b *rebuilder) lookThrough(from part, target []part) *view {
	outer, v := b.look([]part{{t: from.t, flat: true}}), b.look(target)
	if len(outer.docs) > 0 {
		v.docs = outer.docs
	}
	v.title = cmp.Or(outer.title, v.title)
	if outer.def != nil {
		v.def = outer.def
	}
	v.words = append(v.words, outer.words...)
	return v
}

// onlyPoints reports whether t is a reference without notes of its own.
func (b *rebuilder) onlyPoints(t *tree) bool { return b.outerNotes(part{t: t}) == "" }

// outerNotes returns what stands beside a reference.
func (b *rebuilder) outerNotes(p part) string {
	if p.mute {
		return ""
	}
	v := &view{}
	l := &looker{b: b, s: b.src, v: v}
	onlyRef := b.src.c.onlyRef(p.t)
	for _, m := range p.t.members {
		switch m.name {
		case "description":
			l.annotation(viewWord{p.t, m.name, m.value})
		case "default", "examples", "deprecated":
			if !onlyRef {
				l.annotation(viewWord{p.t, m.name, m.value})
			}
		}
	}
	return b.notes(v).text()
}

// describe puts a description on a schema that stands in place, or around a reference.
func (b *rebuilder) describe(out *tree, pl *plan, text string) (*tree, *plan) {
	if out.get("$ref") != nil {
		return makeObject(member{"description", makeString(text)}, member{"anyOf", makeArray(out)}), anyPlan([]*tree{out}, []*plan{pl})
	}
	if old := out.get("description"); old != nil && old.str != text {
		text = joinText(text, old.str)
	}
	out = &tree{kind: '{', members: slices.Clone(out.members)}
	if out.get("description") == nil {
		at := 0
		if out.get("type") != nil {
			at = 1
		}
		out.members = slices.Insert(out.members, at, member{"description", makeString(text)})
		return out, pl
	}
	out.put("description", makeString(text))
	return out, pl
}

// mayRefer reports whether a reference to d may stand here.
func (b *rebuilder) mayRefer(d *def) bool {
	return d.ready || b.p.refs == refsAll || b.p.refs == refsOptional && b.optional > d.optional
}

// define returns a reference to the definition of the parts, which it makes when there is none yet.
func (b *rebuilder) define(key string, parts []part) (*tree, *plan) {
	if d := b.defs[key]; d != nil {
		if !b.mayRefer(d) {
			return b.cut(parts[0].t)
		}
		return b.use(d)
	}
	d := &def{name: defName(b.src.place(parts[0].t), b.taken), plan: &plan{}, optional: b.optional}
	b.defs[key] = d
	b.order = append(b.order, d)
	b.active[key]++
	out, pl := b.write(b.look(parts))
	b.active[key]--
	d.ready = true
	if out == nil {
		d.void = true
		b.order = slices.DeleteFunc(b.order, func(have *def) bool { return have == d })
		return nil, nil
	}
	d.value = out
	if pl != nil {
		*d.plan = *pl
	}
	return b.use(d)
}

func (b *rebuilder) use(d *def) (*tree, *plan) {
	if d.void {
		return nil, nil
	}
	return makeObject(member{"$ref", makeString("#/$defs/" + d.name)}), d.plan
}

// write writes a view in place.
func (b *rebuilder) write(v *view) (*tree, *plan) {
	if v.never || v.types == 0 || v.hasEnum && len(v.enum) == 0 {
		return nil, nil
	}
	if len(v.alts) > 0 {
		return b.alternatives(v)
	}
	b.inferTypes(v)
	if v.types == tAny && !v.hasEnum {
		return b.anyValue(v)
	}
	kinds := splitTypes(v.types)
	nullable := v.types&tNull != 0
	if nullable && len(kinds) > 1 {
		kinds = slices.DeleteFunc(kinds, func(t types) bool { return t == tNull })
	}
	if len(kinds) == 1 {
		return b.typed(v, kinds[0], nullable && kinds[0] != tNull, b.notes(v))
	}
	if nullable {
		kinds = append(kinds, tNull)
	}
	n := b.notes(v)
	var branches []*tree
	var plans []*plan
	for _, kind := range kinds {
		if out, pl := b.typed(v, kind, false, &notes{}); out != nil {
			branches, plans = append(branches, out), append(plans, pl)
		}
	}
	return b.union(n, branches, plans)
}

// splitTypes lists the types of a set, in a fixed order.
func splitTypes(set types) []types {
	var list []types
	for _, t := range []types{tString, tNumber, tInteger, tBoolean, tObject, tArray, tNull} {
		if set&t != 0 && !(t == tInteger && set&tNumber != 0) {
			list = append(list, t)
		}
	}
	return list
}

// union writes alternatives that have been written themselves.
func (b *rebuilder) union(n *notes, branches []*tree, plans []*plan) (*tree, *plan) {
	switch {
	case len(branches) == 0:
		return nil, nil
	case len(branches) == 1 && n.empty():
		return branches[0], plans[0]
	case len(branches) == 1:
		return b.describe(branches[0], plans[0], n.text())
	}
	out := makeObject()
	n.write(out)
	out.members = append(out.members, member{"anyOf", makeArray(branches...)})
	return out, anyPlan(branches, plans)
}

// alternatives writes an anyOf or oneOf: what stands beside it is merged into each of the branches.
func (b *rebuilder) alternatives(v *view) (*tree, *plan) {
	group := v.alts[0]
	var base []part
	for i, p := range v.parts {
		if p.mute = true; i == group.part {
			if p.skip != "" {
				p.skip = "both"
			} else {
				p.skip = group.name
			}
		}
		if b.src.constrains(p) {
			base = append(base, p)
		}
	}
	if group.name == "oneOf" && len(group.value.items) > 1 {
		b.lose(b.src.place(group.in), "oneOf", "sent as anyOf: that only one of the alternatives may fit is not said")
	}
	n := b.notes(v)
	var branches []*tree
	var plans []*plan
	texts := map[string]bool{}
	for _, sub := range group.value.items {
		out, pl := b.schema(append(slices.Clip(base), part{t: sub}))
		if out == nil {
			continue
		}
		if text := string(out.write(nil)); !texts[text] {
			texts[text] = true
			branches, plans = append(branches, out), append(plans, pl)
		}
	}
	return b.union(n, branches, plans)
}

// inferTypes narrows a schema without type to what its keywords are about.
func (b *rebuilder) inferTypes(v *view) {
	if v.hasEnum {
		var found types
		for _, value := range v.enum {
			found |= typeOfTree(value)
		}
		v.types &= found
		return
	}
	if v.typed {
		return
	}
	var about types
	if v.listed || len(v.props) > 0 || len(v.extra) > 0 || len(v.patterns) > 0 || v.names != nil {
		about |= tObject
	}
	if len(v.items) > 0 || len(v.prefix) > 0 {
		about |= tArray
	}
	for _, w := range v.words {
		about |= wordTypes[w.name]
	}
	if about != 0 && v.types&about != 0 {
		v.types &= about
		b.lose(v.place, "type", "the schema names no type; it is taken to be %s, which its keywords are about", kindList(v.types))
	}
}

// wordTypes says what kind of value a keyword is about.
var wordTypes = map[string]types{
	"minimum": tNumber | tInteger, "maximum": tNumber | tInteger, "exclusiveMinimum": tNumber | tInteger,
	"exclusiveMaximum": tNumber | tInteger, "multipleOf": tNumber | tInteger,
	"minLength": tString, "maxLength": tString, "pattern": tString, "format": tString, "contentEncoding": tString, "contentMediaType": tString,
	"minItems": tArray, "maxItems": tArray, "uniqueItems": tArray, "contains": tArray, "unevaluatedItems": tArray,
	"minProperties": tObject, "maxProperties": tObject, "propertyNames": tObject, "dependentRequired": tObject,
	"dependentSchemas": tObject, "dependencies": tObject, "patternProperties": tObject,
}

func kindName(t types) string {
	switch t {
	case tNull:
		return "null"
	case tBoolean:
		return "boolean"
	case tObject:
		return "object"
	case tArray:
		return "array"
	case tString:
		return "string"
	case tInteger:
		return "integer"
	}
	return "number"
}

func kindList(set types) string {
	var names []string
	for _, t := range splitTypes(set) {
		names = append(names, kindName(t))
	}
	return listText(names, "or")
}
