package schema

import "slices"

// openness says which further names an object takes.
type openness int

const (
	closedNames openness = iota
	anyNames             // with values of any kind
	mapNames             // with values of some kind
)

// open reads what the view says about names that it does not list.
func (b *rebuilder) open(v *view, root bool) (how openness, parts []part, explicit bool) {
	var closed bool
	for _, w := range v.extra {
		own := w.name == "unevaluatedProperties" && w.in == v.parts[0].t // is about what no other part says anything about
		switch {
		case own && len(v.extra)+len(v.openers) > 1:
		case w.value.kind == 'f':
			closed = true
		case w.value.kind == '{' && len(w.value.members) > 0:
			parts = append(parts, part{t: w.value})
		}
	}
	switch {
	case len(v.patterns) > 0 && closed:
		return mapNames, b.patternParts(v), true
	case len(v.patterns) > 0:
		return anyNames, nil, true
	case closed:
		return closedNames, nil, true
	case len(parts) > 0:
		return mapNames, parts, true
	case len(v.openers) > 0:
		return mapNames, []part{{t: b.src.any(v.openers)}}, true
	case len(v.extra) > 0:
		return anyNames, nil, true
	case v.listed || root && v.typed:
		return closedNames, nil, false
	}
	return anyNames, nil, false
}

// patternParts returns the schema of the values behind patternProperties; those of several patterns are alternatives.
func (b *rebuilder) patternParts(v *view) []part {
	var list []*tree
	for _, w := range v.patterns {
		for _, m := range w.value.members {
			list = append(list, m.value)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []part{{t: b.src.any(list)}}
}

// object writes an object.
func (b *rebuilder) object(v *view, root bool, n *notes) (*tree, *plan) {
	how, parts, explicit := b.open(v, root)
	if b.p.strict && how != closedNames {
		switch {
		case len(v.props) > 0 && b.cfg.CloseOpen:
			b.lose(v.place, "additionalProperties", "further properties, which the object takes, cannot be sent")
			how = closedNames
		case len(v.props) == 0 && how == mapNames && len(parts) > 0 && b.cfg.MapsAsPairs && !root:
			return b.pairs(v, parts, n)
		case len(v.props) == 0 && b.cfg.MapsAsPairs && b.cfg.AnyAsText && !root:
			return b.pairs(v, nil, n)
		case b.cfg.AnyAsText && !root:
			b.keep(v, tObject, n)
			b.tellNames(v, n)
			return b.asText(v, n, "a JSON object", openReason(v, how))
		default:
			b.refuse(v.place, "additionalProperties", openReason(v, how))
			how = closedNames
		}
	}
	sent := b.keep(v, tObject, n)
	b.tellNames(v, n)
	props, required, pl, ok := b.properties(v)
	if !ok {
		return nil, nil
	}
	out := makeObject(member{"type", makeString("object")})
	n.write(out)
	out.members = append(out.members, sent...)
	if len(props.members) > 0 || b.p.strict || root || v.listed {
		out.members = append(out.members, member{"properties", props})
	}
	if len(required) > 0 || b.p.strict {
		out.members = append(out.members, member{"required", makeStrings(required)})
	}
	if extra := b.additional(how, parts, explicit); extra != nil {
		out.members = append(out.members, member{"additionalProperties", extra})
	}
	return out, pl
}

// tellNames moves what is said about names to the description.
func (b *rebuilder) tellNames(v *view, n *notes) {
	for _, w := range v.patterns {
		b.tell(n, w)
	}
	if v.names != nil {
		b.tell(n, *v.names)
	}
}

func openReason(v *view, how openness) string {
	switch {
	case len(v.props) > 0:
		return "the object takes further properties, which a strict schema cannot say"
	case how == mapNames:
		return "the object is a map, which a strict schema cannot say"
	}
	return "the object is free-form, which a strict schema cannot say"
}

// additional writes additionalProperties; nil: it is not said.
func (b *rebuilder) additional(how openness, parts []part, explicit bool) *tree {
	switch {
	case b.p.strict:
		return makeBool(false)
	case !explicit:
		return nil
	case how == closedNames:
		return makeBool(false)
	case how == mapNames && len(parts) > 0:
		if out, _ := b.schema(parts); out != nil {
			return out
		}
	}
	return makeBool(true)
}

// properties writes the properties in their order. ok is false when one that is required cannot be written.
func (b *rebuilder) properties(v *view) (props *tree, required []string, pl *plan, ok bool) {
	props, pl = makeObject(), &plan{props: map[string]propertyPlan{}}
	needs := false
	for _, p := range v.props {
		must := v.required[p.name]
		if !must {
			b.optional++
		}
		out, sub := b.schema(p.parts)
		if !must {
			b.optional--
		}
		switch {
		case out == nil && must && b.p.strict:
			return nil, nil, nil, false
		case out == nil && must:
			b.lose(b.src.place(p.parts[0].t), "", "no value fits what the schema says; it is told in the description")
			out = makeObject(member{"description", makeString("No value is taken.")})
		case out == nil:
			b.lose(b.src.place(p.parts[0].t), "", "%q is left out: no value of it can be sent", p.name)
			continue
		}
		drop := false
		if !must && b.p.allRequired {
			out, sub, drop = b.insteadOfAbsent(&p, out, sub)
		}
		if must || b.p.allRequired {
			required = append(required, p.name)
		}
		if sub != nil || drop {
			pl.props[p.name] = propertyPlan{dropNull: drop, plan: sub}
			needs = true
		}
		props.members = append(props.members, member{p.name, out})
	}
	if !needs {
		pl = nil
	}
	return props, required, pl, true
}

// insteadOfAbsent makes an optional property one that is required and nullable. The null is taken out again when it arrives,
// unless the canonical schema takes it.
func (b *rebuilder) insteadOfAbsent(p *viewProperty, out *tree, pl *plan) (*tree, *plan, bool) {
	place := b.src.place(p.parts[0].t)
	if b.takesNull(out) {
		b.lose(place, "required", "%q is optional, but every property is required here: null, which it takes, has to be sent", p.name)
		return out, pl, false
	}
	b.lose(place, "required", "%q is optional, but every property is required here: it takes null, which means that it is not given", p.name)
	out, pl = b.nullable(out, pl)
	return out, pl, true
}

// pairs writes a map as an array of entries.
func (b *rebuilder) pairs(v *view, parts []part, n *notes) (*tree, *plan) {
	var value *tree
	var pl *plan
	if len(parts) > 0 {
		value, pl = b.schema(parts)
	} else {
		value, pl = b.anyValue(&view{place: v.place})
	}
	if value == nil {
		return nil, nil
	}
	key := makeObject(member{"type", makeString("string")})
	sent := b.keep(v, tObject, n)
	if out := b.key(v); out != nil {
		key, v.names = out, nil
	}
	b.tellNames(v, n)
	n.add(`Each item is one entry of the map: "key" is its name, "value" its value.`)
	b.lose(v.place, "additionalProperties", "the map is sent as an array of {key, value} pairs, which are turned back when they arrive")
	item := makeObject(
		member{"type", makeString("object")}, member{"properties", makeObject(member{"key", key}, member{"value", value})},
		member{"required", makeStrings([]string{"key", "value"})}, member{"additionalProperties", makeBool(false)},
	)
	out := makeObject(member{"type", makeString("array")})
	n.write(out)
	out.members = append(append(out.members, slices.Clip(sent)...), member{"items", item})
	return out, &plan{pairs: true, items: pl}
}

// key writes the schema of a map's names; nil: nothing is said about them, or nothing that fits a string alone.
func (b *rebuilder) key(v *view) *tree {
	if v.names == nil {
		return nil
	}
	text := b.src.adopt(makeObject(member{"type", makeString("string")}), v.names.value)
	out, _ := b.schema([]part{{t: v.names.value}, {t: text}})
	if out == nil || out.get("anyOf") != nil || out.get("$ref") != nil {
		return nil
	}
	return out
}
