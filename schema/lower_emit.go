package schema

import (
	"slices"
	"strconv"
	"strings"
)

// notes are what a description says: the author's text and the rules that the dialect has no keyword for.
type notes struct {
	title string
	parts []string
}

// add adds a sentence that the description does not say already.
func (n *notes) add(text string) {
	if text == "" {
		return
	}
	bare := strings.ToLower(strings.TrimSuffix(text, "."))
	for _, part := range n.parts {
		if at := strings.Index(strings.ToLower(part), bare); at >= 0 && !continues(part, at+len(bare)) {
			return
		}
	}
	n.parts = append(n.parts, text)
}

// continues reports whether a word or number goes on at text[i].
func continues(text string, i int) bool {
	return i < len(text) && (isAlphanumeric(text[i]) || text[i] >= 0x80 || text[i] == '.' && i+1 < len(text) && isAlphanumeric(text[i+1]))
}

func (n *notes) text() string { return joinText(n.parts...) }

func (n *notes) empty() bool { return n.title == "" && n.text() == "" }

// write adds title and description to a schema under construction.
func (n *notes) write(out *tree) {
	if n.title != "" {
		out.members = append(out.members, member{"title", makeString(n.title)})
	}
	if text := n.text(); text != "" {
		out.members = append(out.members, member{"description", makeString(text)})
	}
}

// notes starts a description with the annotations of a view.
func (b *rebuilder) notes(v *view) *notes {
	n := &notes{title: v.title, parts: slices.Clone(v.docs)}
	for _, w := range v.words {
		switch _, known := keywordTable[w.name]; {
		case w.name == "examples", w.name == "deprecated":
			b.tell(n, w)
		case !known && textSentence(w.name, w.value) != "":
			b.tell(n, w)
		case !known:
			b.lose(b.src.place(w.in), w.name, "left out: it constrains nothing")
		}
	}
	if v.def != nil {
		if place := b.src.place(v.def.in); v.def.value.kind == 'n' {
			b.lose(place, "default", "left out: null is what stands for a value that is not given")
		} else {
			text := boundSentence("default", v.def.value)
			b.lose(place, "default", "moved to the description: %s", text)
			n.add(text)
		}
	}
	return n
}

// tell moves a keyword to the description.
func (b *rebuilder) tell(n *notes, w viewWord) {
	text := b.src.sentence(w.in, w.name, w.value)
	if text == "" {
		if w.name != "uniqueItems" && w.name != "deprecated" {
			b.lose(b.src.place(w.in), w.name, "left out")
		}
		return
	}
	n.add(text)
	b.lose(b.src.place(w.in), w.name, "moved to the description: %s", text)
}

// typed writes the view for values of one type.
func (b *rebuilder) typed(v *view, kind types, nullable bool, n *notes) (out *tree, pl *plan) {
	if v.hasEnum && kind&(tObject|tArray) != 0 {
		b.tell(n, viewWord{v.parts[0].t, "enum", makeArray(v.enum...)})
	}
	switch kind {
	case tObject:
		out, pl = b.object(v, false, n)
	case tArray:
		out, pl = b.array(v, n)
	default:
		out = b.scalar(v, kind, n)
	}
	if nullable && out != nil {
		return b.nullable(out, pl)
	}
	return out, pl
}

// keep sorts the keywords of a view for a type into those that are sent and those that are told.
func (b *rebuilder) keep(v *view, kind types, n *notes) []member {
	var sent []member
	for _, w := range v.words {
		about, known := wordTypes[w.name]
		switch _, isKeyword := keywordTable[w.name]; {
		case !isKeyword, w.name == "deprecated", known && about&kind == 0 && w.name != "format":
		case slices.ContainsFunc(sent, func(m member) bool { return m.name == w.name }), !b.sends(w):
			b.tell(n, w)
		default:
			sent = append(sent, member{w.name, w.value})
		}
	}
	return sent
}

// sends reports whether the dialect takes the keyword with this value.
func (b *rebuilder) sends(w viewWord) bool {
	switch w.name {
	case "pattern":
		return b.p.takesPattern(w.value.str)
	case "format":
		return b.p.formats[w.value.str]
	case "minItems":
		return b.p.keeps[w.name] && (!b.p.smallMinItems || w.value.text() == "0" || w.value.text() == "1")
	}
	return b.p.keeps[w.name]
}

func (b *rebuilder) scalar(v *view, kind types, n *notes) *tree {
	out := makeObject(member{"type", makeString(kindName(kind))})
	var enum *tree
	if v.hasEnum && kind != tNull {
		values := slices.DeleteFunc(slices.Clone(v.enum), func(t *tree) bool {
			found := typeOfTree(t)
			return found != kind && !(kind == tNumber && found == tInteger)
		})
		switch {
		case len(values) == 0:
			return nil
		case b.p.enums&kind != 0:
			enum = makeArray(values...)
		case len(values) < 2:
			b.tell(n, viewWord{v.parts[0].t, "const", values[0]})
		}
	}
	sent := b.keep(v, kind, n)
	n.write(out)
	if enum != nil {
		out.members = append(out.members, member{"enum", enum})
	}
	out.members = append(out.members, sent...)
	return out
}

// nullable lets a written schema take null too.
func (b *rebuilder) nullable(out *tree, pl *plan) (*tree, *plan) {
	if b.takesNull(out) {
		return out, pl
	}
	null := makeObject(member{"type", makeString("null")})
	typ, enum := out.get("type"), out.get("enum")
	switch {
	case out.get("anyOf") != nil:
		wider := &tree{kind: '{', members: slices.Clone(out.members)}
		wider.put("anyOf", makeArray(append(slices.Clone(out.get("anyOf").items), null)...))
		return wider, pl.withBranch(null)
	case typ != nil && typ.kind == '"' && typ.str != "object" && typ.str != "array" && (enum == nil || b.p.enums&tNull != 0):
		wider := &tree{kind: '{', members: slices.Clone(out.members)}
		wider.put("type", makeStrings([]string{typ.str, "null"}))
		if enum != nil {
			wider.put("enum", makeArray(append(slices.Clone(enum.items), &tree{kind: 'n', raw: []byte("null")})...))
		}
		return wider, pl
	}
	outer, inner := makeObject(), makeObject()
	for _, m := range out.members {
		if m.name == "title" || m.name == "description" {
			outer.members = append(outer.members, m)
		} else {
			inner.members = append(inner.members, m)
		}
	}
	outer.members = append(outer.members, member{"anyOf", makeArray(inner, null)})
	return outer, anyPlan([]*tree{inner, null}, []*plan{pl, nil})
}

// takesNull reports whether a written schema accepts null.
func (b *rebuilder) takesNull(out *tree) bool {
	if list := out.get("anyOf"); list != nil {
		return slices.ContainsFunc(list.items, b.takesNull)
	}
	if ref := out.get("$ref"); ref != nil {
		for _, d := range b.order {
			if "#/$defs/"+d.name == ref.str {
				return d.value != nil && b.takesNull(d.value)
			}
		}
		return false
	}
	typ := out.get("type")
	return typ != nil && typesNamed(typ)&tNull != 0
}

// anyValue writes a schema that takes a value of any kind.
func (b *rebuilder) anyValue(v *view) (*tree, *plan) {
	n := b.notes(v)
	for _, w := range v.words {
		if _, known := keywordTable[w.name]; known && w.name != "deprecated" {
			b.tell(n, w)
		}
	}
	if !b.p.strict {
		out := makeObject()
		n.write(out)
		return out, nil
	}
	return b.asText(v, n, "any JSON value", "it takes a value of any kind, which a strict schema cannot say")
}

// asText sends a value as a string that holds JSON, where that is asked for.
func (b *rebuilder) asText(v *view, n *notes, what, why string) (*tree, *plan) {
	if !b.cfg.AnyAsText {
		b.refuse(v.place, "", why)
		return placeholder(), nil
	}
	b.lose(v.place, "", "sent as a string that holds JSON: %s", why)
	n.add("Give " + what + " as JSON text.")
	out := makeObject(member{"type", makeString("string")})
	n.write(out)
	return out, &plan{text: true}
}

func (b *rebuilder) array(v *view, n *notes) (*tree, *plan) {
	out := makeObject(member{"type", makeString("array")})
	sent := b.keep(v, tArray, n)
	var items, prefix *tree
	var pl *plan
	switch {
	case len(v.prefix) > 0 && b.p.keeps["prefixItems"]:
		prefix, items = b.tuple(v, &sent, n)
	case len(v.prefix) > 0:
		items, pl = b.positions(v, &sent, n)
	default:
		items, pl = b.items(v, &sent, n)
	}
	if items == nil && prefix == nil {
		b.lose(v.place, "items", "no item can be sent: the array has to stay empty")
		n.add("Leave this empty.")
		items = closedEmpty()
	}
	n.write(out)
	out.members = append(out.members, sent...)
	if prefix != nil {
		out.members = append(out.members, member{"prefixItems", prefix})
	}
	if items != nil {
		out.members = append(out.members, member{"items", items})
	}
	if pl == nil {
		return out, nil
	}
	return out, &plan{items: pl}
}

func closedEmpty() *tree {
	return makeObject(member{"type", makeString("object")}, member{"properties", makeObject()}, member{"required", makeArray()},
		member{"additionalProperties", makeBool(false)})
}

// items writes what all items are.
func (b *rebuilder) items(v *view, sent *[]member, n *notes) (*tree, *plan) {
	parts, none := restParts(v)
	if none {
		b.atMost(v, sent, n, 0)
		return nil, nil
	}
	if len(parts) > 0 {
		return b.schema(parts)
	}
	return b.anyValue(&view{place: v.place})
}

// restParts returns the schemas of the items beyond a tuple's positions. none: there may not be any.
func restParts(v *view) (parts []part, none bool) {
	for _, w := range v.items {
		switch {
		case w.value.kind == 'f':
			none = true
		case w.value.kind == '{' && len(w.value.members) > 0:
			parts = append(parts, part{t: w.value})
		}
	}
	return parts, none
}

// atMost bounds the count of items.
func (b *rebuilder) atMost(v *view, sent *[]member, n *notes, count int) {
	w := viewWord{v.parts[0].t, "maxItems", makeNumber(count)}
	switch {
	case slices.ContainsFunc(*sent, func(m member) bool { return m.name == "maxItems" }):
	case b.sends(w):
		*sent = append(*sent, member{w.name, w.value})
	default:
		n.add(boundSentence(w.name, w.value))
		b.lose(v.place, "items", "moved to the description: %s", boundSentence(w.name, w.value))
	}
}

// tuple writes positions where the dialect has them.
func (b *rebuilder) tuple(v *view, sent *[]member, n *notes) (prefix, rest *tree) {
	prefix = makeArray()
	for _, parts := range v.prefix {
		out, _ := b.schema(parts)
		if out == nil {
			out = makeObject()
		}
		prefix.items = append(prefix.items, out)
	}
	parts, none := restParts(v)
	if none {
		b.atMost(v, sent, n, len(v.prefix))
	}
	if len(parts) > 0 && !none {
		rest, _ = b.schema(parts)
	}
	return prefix, rest
}

// positions writes a tuple as an array whose items are one of its positions' schemas.
func (b *rebuilder) positions(v *view, sent *[]member, n *notes) (*tree, *plan) {
	lists := slices.Clone(v.prefix)
	parts, none := restParts(v)
	switch {
	case none:
		b.atMost(v, sent, n, len(v.prefix))
	case len(parts) > 0:
		lists = append(lists, parts)
	}
	w := &wording{s: b.src, open: map[*tree]bool{}}
	var branches []*tree
	var plans []*plan
	texts := map[string]bool{}
	for i, list := range lists {
		if i < len(v.prefix) && i < phraseList {
			n.add("Item " + strconv.Itoa(i+1) + " must be " + cutText(w.phrase(list[0].t), 200) + ".")
		}
		out, pl := b.schema(list)
		if out == nil {
			continue
		}
		if text := string(out.write(nil)); !texts[text] {
			texts[text] = true
			branches, plans = append(branches, out), append(plans, pl)
		}
	}
	b.lose(v.place, "prefixItems", "the positions are alternatives of every item here, and told in the description")
	return b.union(&notes{}, branches, plans)
}
