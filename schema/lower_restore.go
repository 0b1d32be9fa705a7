package schema

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A plan says what Restore undoes in a value. nil: nothing.
type plan struct {
	props    map[string]propertyPlan
	items    *plan // with pairs: of the values of the map
	pairs    bool
	text     bool // a string that holds JSON
	branches []branchPlan
}

type propertyPlan struct {
	dropNull bool
	plan     *plan
}

// A branchPlan is the plan of one alternative, and the wire schema by which the alternative is known.
type branchPlan struct {
	wire *tree
	plan *plan
}

func anyPlan(branches []*tree, plans []*plan) *plan {
	if !slices.ContainsFunc(plans, func(p *plan) bool { return p != nil }) {
		return nil
	}
	pl := &plan{}
	for i, wire := range branches {
		pl.branches = append(pl.branches, branchPlan{wire, plans[i]})
	}
	return pl
}

// withBranch adds an alternative that needs nothing undone.
func (pl *plan) withBranch(wire *tree) *plan {
	if pl == nil {
		return nil
	}
	return &plan{branches: append(slices.Clone(pl.branches), branchPlan{wire: wire})}
}

// A restorer undoes in arguments what the wire schema did to the canonical one. It is not changed by use.
type restorer struct {
	plan *plan
	defs map[string]*tree
}

// A restoring is one use of a restorer. What it has found out about a value is kept: alternatives within alternatives would be
// tried again and again.
type restoring struct {
	*restorer
	fitting  map[wireValue]bool
	patterns map[string]*pattern
}

type wireValue struct{ wire, value *tree }

func newRestorer(wire *tree, pl *plan) *restorer {
	if pl == nil {
		return nil
	}
	r := &restorer{plan: pl, defs: map[string]*tree{}}
	if defs := wire.get("$defs"); defs != nil {
		for _, m := range defs.members {
			r.defs["#/$defs/"+m.name] = m.value
		}
	}
	return r
}

func (r *restorer) run(args jsontext.Value) (jsontext.Value, error) {
	if !args.IsValid(jsontext.AllowDuplicateNames(true)) { // a name that is given twice is for the check to tell
		return args, fmt.Errorf("restore arguments: %s is not JSON", excerpt(trimLeading(args)))
	}
	raw := args.Clone()
	if err := raw.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
		return args, fmt.Errorf("restore arguments: %w", err)
	}
	t, _ := growTree(raw, 0)
	out := (&restoring{r, map[wireValue]bool{}, map[string]*pattern{}}).value(r.plan, t)
	if out == t {
		return args, nil
	}
	return out.write(nil), nil
}

// value returns t as the canonical schema has it: t itself when nothing changes.
func (r *restoring) value(pl *plan, t *tree) *tree {
	switch {
	case pl == nil:
		return t
	case pl.branches != nil:
		for _, branch := range pl.branches {
			if r.fits(branch.wire, t) {
				return r.value(branch.plan, t)
			}
		}
		return t
	case pl.text && t.kind == '"':
		if parsed, err := parseTree([]byte(t.str)); err == nil {
			return parsed
		}
		return t
	case pl.pairs && t.kind == '[':
		return r.pairs(pl, t)
	case pl.items != nil && t.kind == '[':
		return r.array(pl, t)
	case pl.props != nil && t.kind == '{':
		return r.object(pl, t)
	}
	return t
}

func (r *restoring) array(pl *plan, t *tree) *tree {
	items := make([]*tree, len(t.items))
	changed := false
	for i, item := range t.items {
		items[i] = r.value(pl.items, item)
		changed = changed || items[i] != item
	}
	if !changed {
		return t
	}
	return makeArray(items...)
}

func (r *restoring) object(pl *plan, t *tree) *tree {
	members := make([]member, 0, len(t.members))
	changed := false
	for _, m := range t.members {
		p, ok := pl.props[m.name]
		if ok && p.dropNull && m.value.kind == 'n' {
			changed = true
			continue
		}
		value := m.value
		if ok {
			value = r.value(p.plan, value)
		}
		changed = changed || value != m.value
		members = append(members, member{m.name, value})
	}
	if !changed {
		return t
	}
	return makeObject(members...)
}

// pairs turns [{"key":k,"value":v}] into {k:v}. An array that has another form stays.
func (r *restoring) pairs(pl *plan, t *tree) *tree {
	out := makeObject()
	for _, item := range t.items {
		key, value := item.get("key"), item.get("value")
		if key == nil || value == nil || key.kind != '"' || len(item.members) != 2 {
			return t
		}
		out.members = append(out.members, member{key.str, r.value(pl.items, value)})
	}
	return out
}

// fits reports whether t has the form of a wire schema: types, enums, patterns and the names of members. It is only asked for
// alternatives that this package has written.
func (r *restoring) fits(wire, t *tree) bool {
	at := wireValue{wire, t}
	ok, known := r.fitting[at]
	if !known {
		ok = r.compare(wire, t)
		r.fitting[at] = ok
	}
	return ok
}

func (r *restoring) compare(wire, t *tree) bool {
	if ref := wire.get("$ref"); ref != nil {
		to := r.defs[ref.str]
		return to != nil && r.fits(to, t)
	}
	if list := wire.get("anyOf"); list != nil {
		return slices.ContainsFunc(list.items, func(sub *tree) bool { return r.fits(sub, t) })
	}
	if typ := wire.get("type"); typ != nil && typesNamed(typ)&typeOfTree(t) == 0 {
		return false
	}
	if enum := wire.get("enum"); enum != nil && !slices.ContainsFunc(enum.items, func(v *tree) bool { return sameTree(v, t) }) {
		return false
	}
	switch t.kind {
	case '[':
		items := wire.get("items")
		return items == nil || !slices.ContainsFunc(t.items, func(item *tree) bool { return !r.fits(items, item) })
	case '{':
		return r.fitsObject(wire, t)
	case '"':
		return r.matches(wire.get("pattern"), t)
	}
	return true
}

func (r *restoring) fitsObject(wire, t *tree) bool {
	props := wire.get("properties")
	for _, m := range t.members {
		var sub *tree
		if props != nil {
			sub = props.get(m.name)
		}
		if sub == nil || !r.fits(sub, m.value) {
			return false
		}
	}
	if required := wire.get("required"); required != nil {
		return !slices.ContainsFunc(required.items, func(name *tree) bool { return t.get(name.str) == nil })
	}
	return true
}

func (r *restoring) matches(pattern, t *tree) bool {
	if pattern == nil {
		return true
	}
	p, known := r.patterns[pattern.str]
	if !known {
		p, _ = compilePattern(pattern.str)
		r.patterns[pattern.str] = p
	}
	return p == nil || p.fast == nil || p.fast.MatchString(t.str)
}
