package schema

import (
	"slices"
	"strings"
)

// plain copies the root with as few changes as the plain dialect d needs.
func (s *source) plain(root *tree, d Dialect, reasons []Loss) *Lowered {
	p := &plainer{s: s, d: d, names: map[*tree]string{}, taken: map[string]bool{}}
	p.keepDraft = d == MCP && s.root.get("$schema") != nil
	p.keepRefs = s.keepsRefs(d, p.keepDraft)
	for _, word := range []string{"$defs", "definitions"} {
		if defs := root.get(word); defs != nil && d == MCP {
			for _, m := range defs.members {
				p.taken[m.name] = true
				if s.c.counts(root, word) {
					p.names[m.value] = "#/" + word + "/" + strings.ReplaceAll(escapePointer(m.name), "%", "%25")
				}
			}
		}
	}
	out := p.root(root)
	return &Lowered{Schema: &Schema{raw: out.write(nil)}, Note: s.note, Report: slices.Concat(reasons, s.losses)}
}

// keepsRefs reports whether references may stay as they are: for MCP, when nothing is moved that one could lead to. Providers get
// references to definitions and to the root only.
func (s *source) keepsRefs(d Dialect, keepDraft bool) bool {
	if s.folded || d != MCP || keepDraft {
		return !s.folded && d == MCP
	}
	text := s.root.text()
	moved := []string{`"items":[`, `"additionalItems"`, `"dependencies"`}
	return !slices.ContainsFunc(moved, func(word string) bool { return strings.Contains(text, word) })
}

// A plainer copies a schema and brings it to the spelling of 2020-12.
type plainer struct {
	s         *source
	d         Dialect
	keepDraft bool // the document names its dialect, which the receiver reads
	keepRefs  bool // every reference still leads to the same place
	names     map[*tree]string
	taken     map[string]bool
	queue     []*tree // what has to be defined, in the order of the references
}

func (p *plainer) root(t *tree) *tree {
	out := makeObject(member{"type", makeString("object")})
	for _, m := range p.copy(t).members {
		if m.name != "type" {
			out.members = append(out.members, m)
		}
	}
	if out.get("properties") == nil {
		out.members = slices.Insert(out.members, 1, member{"properties", makeObject()})
	}
	var made []member
	for len(p.queue) > 0 {
		next := p.queue[0]
		p.queue = p.queue[1:]
		name := p.names[next][len("#/$defs/"):]
		made = append(made, member{name, p.copy(next)})
	}
	if len(made) > 0 {
		defs := makeObject()
		if old := out.get("$defs"); old != nil {
			defs.members = slices.Clone(old.members)
		}
		defs.members = append(defs.members, made...)
		out.put("$defs", defs)
	}
	return out
}

// copy returns t in the plain form: t itself where nothing changes.
func (p *plainer) copy(t *tree) *tree {
	if t.kind != '{' {
		return t
	}
	c := &plainCopy{plainer: p, t: t, out: makeObject()}
	onlyRef := p.s.c.onlyRef(t)
	for _, m := range t.members {
		switch {
		case onlyRef && !p.keepDraft && m.name != "$ref" && m.name != "description" && m.name != "title" && m.name != "$defs" && m.name != "definitions":
			c.changed = true
		default:
			c.member(m)
		}
	}
	p.needItems(c)
	if !c.changed {
		return t
	}
	return p.s.adopt(c.out, t)
}

// needItems gives an array without items the schema of any item: OpenAI refuses an array schema without.
func (p *plainer) needItems(c *plainCopy) {
	typ := c.out.get("type")
	if p.d != OpenAIPlain || typ == nil || typesNamed(typ)&tArray == 0 || c.out.get("items") != nil || c.out.get("unevaluatedItems") != nil {
		return
	}
	c.add("items", makeObject())
}

type plainCopy struct {
	*plainer
	t, out  *tree
	changed bool
}

func (c *plainCopy) keep(name string, value *tree) {
	c.out.members = append(c.out.members, member{name, value})
}

func (c *plainCopy) add(name string, value *tree) {
	c.changed = true
	c.keep(name, value)
}

// respell writes the keyword that stands for an older one, from, unless the schema says both.
func (c *plainCopy) respell(from, name string, value *tree) {
	c.changed = true
	if c.t.get(name) != nil || c.out.get(name) != nil {
		c.plainer.s.lose(c.plainer.s.place(c.t), from, "left out: the schema says "+name+" as well, which means the same")
		return
	}
	c.keep(name, value)
}

func (c *plainCopy) member(m member) {
	p := c.plainer
	switch {
	case isRefKeyword(m.name) && p.s.c.counts(c.t, m.name):
		c.ref(m)
	case p.d != MCP && (m.name == "$schema" || m.name == "$id" || m.name == "$anchor" || m.name == "$dynamicAnchor" || m.name == "$recursiveAnchor" || m.name == "$vocabulary"):
		c.changed = true // references no longer need them, and the receiver reads 2020-12
	case p.d != MCP && (m.name == "$defs" || m.name == "definitions"):
		c.changed = true // what is referred to is defined at the root
	case m.name == "enum" && m.value.kind == '[' && len(m.value.items) == 0:
		c.changed = true
		p.s.lose(p.s.place(c.t), "enum", "left out: it lists no value, so that none is accepted, and providers refuse an empty list")
	case (m.name == "required" || m.name == "type") && m.value.kind == '[':
		c.distinct(m)
	case !p.keepDraft && p.s.c.counts(c.t, m.name) && c.oldSpelling(m):
	default:
		c.walk(m)
	}
}

// distinct keeps a list of names without repetitions, which the metaschema forbids and some providers check.
func (c *plainCopy) distinct(m member) {
	var names []string
	seen := map[string]bool{}
	for _, item := range m.value.items {
		if !seen[item.str] {
			seen[item.str] = true
			names = append(names, item.str)
		}
	}
	if len(names) == len(m.value.items) {
		c.keep(m.name, m.value)
		return
	}
	c.add(m.name, makeStrings(names))
}

// ref writes a reference to a definition of the root.
func (c *plainCopy) ref(m member) {
	p := c.plainer
	to := p.s.target(c.t, m.name)
	if to == nil || p.keepRefs {
		c.keep(m.name, m.value)
		return
	}
	if m.name != "$ref" {
		c.changed = true
		p.s.lose(p.s.place(c.t), m.name, "sent as a $ref to where it leads at first")
	}
	text := p.refTo(to)
	if p.d == MCP && c.definedRef(m.value.str) {
		text = m.value.str
	}
	switch {
	case m.name == "$ref" && text == m.value.str:
		c.keep("$ref", m.value)
	case c.t.get("$ref") != nil && m.name != "$ref":
		c.respell(m.name, "allOf", makeArray(makeObject(member{"$ref", makeString(text)}))) // beside a $ref
	default:
		c.add("$ref", makeString(text))
	}
}

// definedRef reports whether a reference leads to one of the root's definitions as it is.
func (c *plainCopy) definedRef(ref string) bool {
	res := c.plainer.s.c.owner[c.t]
	if res == nil || res.root != c.plainer.s.root {
		return false
	}
	for _, prefix := range []string{"#/$defs/", "#/definitions/"} {
		if name, ok := strings.CutPrefix(ref, prefix); ok {
			return name != "" && !strings.Contains(name, "/")
		}
	}
	return false
}

// refTo returns a reference to a schema, which becomes a definition when it is not one yet.
func (p *plainer) refTo(to *tree) string {
	if to == p.s.root && !p.s.folded {
		return "#"
	}
	ref, ok := p.names[to]
	if !ok {
		ref = "#/$defs/" + defName(p.s.place(to), p.taken)
		p.names[to] = ref
		p.queue = append(p.queue, to)
	}
	return ref
}

// oldSpelling rewrites keywords of drafts before 2020-12.
func (c *plainCopy) oldSpelling(m member) bool {
	switch {
	case m.name == "items" && m.value.kind == '[':
		if len(m.value.items) > 0 {
			c.respell("items", "prefixItems", c.list(m.value))
		}
		c.changed = true
	case m.name == "additionalItems":
		c.changed = true
		if list := c.t.get("items"); list != nil && list.kind == '[' {
			c.add("items", c.plainer.copy(m.value))
		}
	case m.name == "dependencies":
		names, schemas := makeObject(), makeObject()
		for _, d := range m.value.members {
			if d.value.kind == '[' {
				names.members = append(names.members, d)
			} else {
				schemas.members = append(schemas.members, member{d.name, c.plainer.copy(d.value)})
			}
		}
		c.changed = true
		if len(names.members) > 0 {
			c.respell("dependencies", "dependentRequired", names)
		}
		if len(schemas.members) > 0 {
			c.respell("dependencies", "dependentSchemas", schemas)
		}
	default:
		return false
	}
	return true
}

// walk copies a keyword with the schemas below it.
func (c *plainCopy) walk(m member) {
	value := m.value
	switch form := subschemaKeywords[m.name]; {
	case form == formOne, form == formMixed && m.value.kind != '[':
		value = c.plainer.copy(m.value)
	case form == formList, form == formMixed:
		value = c.list(m.value)
	case form == formMap, form == formDeps:
		value = c.mapOf(m.value)
	}
	c.changed = c.changed || value != m.value
	c.keep(m.name, value)
}

func (c *plainCopy) list(t *tree) *tree {
	out := makeArray()
	changed := false
	for _, item := range t.items {
		sub := c.plainer.copy(item)
		changed = changed || sub != item
		out.items = append(out.items, sub)
	}
	if !changed {
		return t
	}
	return out
}

func (c *plainCopy) mapOf(t *tree) *tree {
	out := makeObject()
	changed := false
	for _, m := range t.members {
		sub := c.plainer.copy(m.value)
		changed = changed || sub != m.value
		out.members = append(out.members, member{m.name, sub})
	}
	if !changed {
		return t
	}
	return out
}
