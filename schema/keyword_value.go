package schema

import (
	"strings"
	"sync/atomic"

	"helve.dev/helve/internal/jsonx"
)

func hasFragment(ref, name string) bool {
	_, fragment, _ := strings.Cut(ref, "#")
	return fragment == name
}

func kwType(k *keywordContext, t *tree) {
	list := t.items
	if t.kind == '"' {
		list = []*tree{t}
	}
	if len(list) == 0 {
		k.wrong(t, "the name of a type or an array of such names")
		return
	}
	k.node.types = 0
	for _, item := range list {
		bits, ok := typeNames[item.str]
		if item.kind != '"' || !ok {
			k.wrong(item, `one of "null", "boolean", "object", "array", "number", "string", "integer"`)
			bits = tAny
		}
		k.node.types |= bits
	}
}

func kwEnum(k *keywordContext, t *tree) {
	if t.kind != '[' {
		k.wrong(t, "an array")
		return
	}
	k.addEnum(t.items, false)
}

func kwConst(k *keywordContext, t *tree) { k.addEnum([]*tree{t}, true) }

func (k *keywordContext) addEnum(values []*tree, isConst bool) {
	r := &enumRule{values: values, isConst: isConst, also: k.node.enum}
	for _, v := range values {
		switch v.kind {
		case '"':
			r.strings.add(v.str)
			r.names = append(r.names, v.str)
		case '0':
			d, err := jsonx.ParseDecimal(v.raw)
			if err != nil {
				k.fail(k.place, "%v", err)
			}
			r.numbers = append(r.numbers, d)
		}
	}
	k.node.enum = r
}

func kwLimit(field func(*numberRule) *limit) func(*keywordContext, *tree) {
	return func(k *keywordContext, t *tree) {
		if k.node.num == nil {
			k.node.num = &numberRule{}
		}
		l, ok := k.decimal(t)
		if !ok {
			return
		}
		if k.name == "multipleOf" && l.value.Sign() <= 0 {
			k.wrong(t, "a number above 0")
			return
		}
		*field(k.node.num) = l
	}
}

func kwPattern(k *keywordContext, t *tree) { k.string().pattern = k.pattern(t.kind == '"', t.str, t) }

// pattern compiles the regular expression src once per schema.
func (k *keywordContext) pattern(isString bool, src string, t *tree) *pattern {
	if !isString {
		k.wrong(t, "a string that holds a regular expression")
		return nil
	}
	if p := k.patterns[src]; p != nil {
		return p
	}
	p, err := compilePattern(src)
	if err != nil {
		k.fail(k.place, "%q is not a regular expression: %v", src, err)
		return nil
	}
	k.patterns[src] = p
	return p
}

func kwFormat(k *keywordContext, t *tree) {
	if t.kind != '"' {
		k.wrong(t, "a string")
		return
	}
	if f := formats[t.str]; f != nil && !k.cfg.FormatAnnotation {
		k.string().format = f
	}
}

func kwItems(k *keywordContext, t *tree) {
	d := k.node.res.draft
	if t.kind != '[' {
		k.array().items = k.sub(t, "")
		return
	}
	if d.number >= draft2020 && !d.undeclared {
		k.wrong(t, "a schema (draft 2020-12 has prefixItems for a list of schemas)")
		return
	}
	if len(t.items) > 0 {
		k.array().prefix = k.subs(t)
	}
	if more := k.schema.get("additionalItems"); more != nil {
		at := *k
		at.name, at.place = "additionalItems", k.node.place+"/additionalItems"
		k.array().items = at.sub(more, "")
	}
}

// kwAdditionalItems only checks the keyword: where it means anything, kwItems reads it.
func kwAdditionalItems(k *keywordContext, t *tree) {
	if k.node.res.draft.number < draft2020 {
		k.sub(t, "")
	}
}

func kwContains(k *keywordContext, t *tree) {
	a := k.array()
	a.contains = k.sub(t, "")
	a.containsEvaluates = k.node.res.draft.number >= draft2020
}

func kwMinContains(k *keywordContext, t *tree) { k.count(t, &k.array().minContains) }
func kwMaxContains(k *keywordContext, t *tree) { k.count(t, &k.array().maxContains) }

func kwProperties(k *keywordContext, t *tree) {
	if t.kind != '{' {
		k.wrong(t, "an object whose members are schemas")
		return
	}
	o := k.object()
	o.listed = true
	for _, m := range t.members {
		i := o.add(m.name)
		o.props[i].node = k.sub(m.value, "/"+escapePointer(m.name))
		o.props[i].declared = true
	}
}

func kwPatternProperties(k *keywordContext, t *tree) {
	if t.kind != '{' {
		k.wrong(t, "an object whose members are schemas")
		return
	}
	o := k.object()
	for _, m := range t.members {
		at := *k
		at.place = k.place + "/" + escapePointer(m.name)
		sub := at.sub(m.value, "")
		if p := at.pattern(true, m.name, m.value); p != nil {
			o.patterns = append(o.patterns, patternProperty{p, sub})
		}
	}
}

func kwAdditional(k *keywordContext, t *tree) {
	k.object().additional = k.sub(t, "")
	k.node.saysAdditional = true
}

func kwUnevaluatedProperties(k *keywordContext, t *tree) {
	k.node.unevalProps = k.sub(t, "")
	k.node.saysAdditional = true
}

func kwRequired(k *keywordContext, t *tree) {
	if t.kind != '[' {
		k.wrong(t, "an array of property names")
		return
	}
	o := k.object()
	for _, item := range t.items {
		if item.kind != '"' {
			k.wrong(item, "a property name")
			continue
		}
		i := o.add(item.str)
		o.props[i].required = true
	}
}

// kwDependencies reads dependentRequired, dependentSchemas and draft-07's dependencies, which is both.
func kwDependencies(k *keywordContext, t *tree) {
	if t.kind != '{' {
		k.wrong(t, "an object")
		return
	}
	o := k.object()
	for _, m := range t.members {
		d := dependency{trigger: o.add(m.name)}
		below := "/" + escapePointer(m.name)
		switch {
		case m.value.kind == '[' && k.name != "dependentSchemas":
			for _, name := range m.value.items {
				if name.kind != '"' {
					k.fail(k.place+below, "must be an array of property names, got %s in it", describeTree(name))
					continue
				}
				d.needs = append(d.needs, o.add(name.str))
			}
		case k.name == "dependentRequired":
			k.fail(k.place+below, "must be an array of property names, got %s", describeTree(m.value))
			continue
		default:
			d.node = k.sub(m.value, below)
		}
		o.depends = append(o.depends, d)
	}
}

// add returns the index of the name among the properties that the object rule keeps track of.
func (r *objectRule) add(name string) int {
	i := r.index.add(name)
	if i == len(r.props) {
		r.props = append(r.props, property{name: name})
	}
	return i
}

func (p *property) spell() {
	p.literal = `"` + p.name + `"`
	for _, c := range []byte(p.name) {
		if c == '"' || c == '\\' || c < ' ' {
			p.literal = "none"
		}
	}
	for k, c := range []byte(p.literal[:min(len(p.literal), 8)]) {
		p.head |= uint64(c) << (8 * k)
		p.mask |= 0xff << (8 * k)
	}
}

func (r *objectRule) hasDependentSchemas() bool {
	for _, d := range r.depends {
		if d.node != nil {
			return true
		}
	}
	return false
}

// finish puts the listed properties first, in their order, and says where they went.
func (r *objectRule) finish() {
	place := make([]int, len(r.props))
	sorted := make([]property, 0, len(r.props))
	for _, declared := range []bool{true, false} {
		for i, p := range r.props {
			if p.declared == declared {
				place[i] = len(sorted)
				sorted = append(sorted, p)
			}
		}
		if declared {
			r.declared = len(sorted)
		}
	}
	r.props = sorted
	r.hasSchemas = r.hasDependentSchemas()
	r.index = nameIndex{}
	if len(r.props) > 0 {
		r.next = make([]atomic.Int32, len(r.props)+1)
	}
	for i, p := range r.props {
		r.index.add(p.name)
		r.props[i].spell()
		r.next[i].Store(int32(i)) // until something else is learned, the schema's order
		if p.required {
			r.required = append(r.required, i)
		}
	}
	for i := range r.depends {
		d := &r.depends[i]
		d.trigger = place[d.trigger]
		for j := range d.needs {
			d.needs[j] = place[d.needs[j]]
		}
	}
}
