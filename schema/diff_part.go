package schema

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
)

// object compares what is said about objects.
func (d *differ) object(a, b *tree, p place) {
	d.properties(a, b, p)
	d.additional(a, b, p)
	d.byName(a, b, p, "dependentSchemas")
	for _, keyword := range []string{"patternProperties", "dependentRequired", "dependencies"} {
		if d.changedMap(a.get(keyword), b.get(keyword)) {
			d.add(p.at(keyword), either, keyword+" changed")
		}
	}
	d.subschema(a, b, p, "propertyNames")
	if d.changed(a.get("unevaluatedProperties"), b.get("unevaluatedProperties")) {
		d.add(p.at("unevaluatedProperties"), either, "unevaluatedProperties changed")
	}
}

var (
	trueTree  = &tree{kind: 't', raw: []byte("true")}
	falseTree = &tree{kind: 'f', raw: []byte("false")}
)

// additional compares what becomes of properties that are not listed.
func (d *differ) additional(a, b *tree, p place) {
	at := p.at("additionalProperties")
	x, y := a.get("additionalProperties"), b.get("additionalProperties")
	closed, closes := d.old.closes(a, p), d.next.closes(b, p)
	switch {
	case allowedTypes(a)&tObject == 0 || allowedTypes(b)&tObject == 0:
	case x != nil && y != nil:
		d.compare(x, y, at)
	case x == nil && y == nil && closes && !closed:
		d.add(at, narrow, "refuses properties that are not listed")
	case x == nil && y == nil && closed && !closes:
		d.add(at, widen, "takes properties that are not listed")
	case x == nil && y == nil:
	case d.probe:
		d.add(at, either, "additionalProperties changed")
	case p.part || inPlaceKeywords(a) || inPlaceKeywords(b):
		d.saidOfOthers(x, y, at)
	default:
		d.compare(d.old.others(a, p), d.next.others(b, p), at)
	}
}

// saidOfOthers judges an additionalProperties that comes or goes in one of several subschemas for the same value. Without it a
// tool's input takes the names that the others list; true makes all names known.
func (d *differ) saidOfOthers(x, y *tree, at place) {
	switch {
	case x == nil && always(y):
		d.add(at, widen, "takes properties that nothing lists")
	case x == nil && y.kind == 'f':
		d.add(at, narrow, "refuses properties that are not listed")
	case y == nil && always(x):
		d.add(at, narrow, "refuses properties that nothing lists")
	case y == nil && x.kind == 'f':
		d.add(at, widen, "takes properties that others list")
	default:
		d.add(at, either, "additionalProperties changed")
	}
}

// properties compares the listed properties and which of them are required.
func (d *differ) properties(a, b *tree, p place) {
	old, next := a.get("properties"), b.get("properties")
	oldRequired, nextRequired := required(a), required(b)
	for _, m := range membersOf(next) {
		at := p.at("properties", m.name)
		was := old.member(m.name)
		if was == nil {
			d.newProperty(a, m, p, slices.Contains(oldRequired, m.name), slices.Contains(nextRequired, m.name))
			continue
		}
		d.compare(was, m.value, at)
		switch is, was := slices.Contains(nextRequired, m.name), slices.Contains(oldRequired, m.name); {
		case is && !was:
			d.add(at, narrow, "is required now")
		case was && !is:
			d.add(at, widen, "is no longer required")
		}
	}
	for _, m := range membersOf(old) {
		if next.member(m.name) == nil {
			d.goneProperty(b, m, p, slices.Contains(oldRequired, m.name), slices.Contains(nextRequired, m.name))
		}
	}
	if x, y := old == nil, next == nil; p.part && x != y && len(membersOf(old))+len(membersOf(next)) == 0 { // an object is closed where names are listed
		d.add(p.at("properties"), map[bool]direction{true: narrow, false: widen}[x], "properties changed")
	}
	d.requiredOnly(a, b, p, oldRequired, nextRequired)
}

// requiredOnly compares required names that neither side lists as properties.
func (d *differ) requiredOnly(a, b *tree, p place, old, next []string) {
	unlisted := func(name string) bool {
		return a.get("properties").member(name) == nil && b.get("properties").member(name) == nil
	}
	for _, name := range next {
		if unlisted(name) && !slices.Contains(old, name) {
			d.add(p.at("required"), narrow, name+" is required now")
		}
	}
	for _, name := range old {
		if unlisted(name) && !slices.Contains(next, name) {
			d.add(p.at("required"), widen, name+" is no longer required")
		}
	}
}

// newProperty judges a property that a did not list.
func (d *differ) newProperty(a *tree, m member, p place, wasRequired, isRequired bool) {
	at := p.at("properties", m.name)
	before := d.old.others(a, p)
	other, reader := d.changed(before, m.value), Compatible
	if wasRequired && !isRequired || other && before.kind != 'f' && !always(before) { // it may hold now what no property did
		reader = Breaking
	}
	switch {
	case isRequired && !wasRequired:
		d.judge(at, Breaking, reader, "is new and required")
	case p.part || inPlaceKeywords(a) || a.get("patternProperties") != nil:
		d.judge(at, Breaking, reader, "is new here, and what it could hold before is said elsewhere")
	case before.kind == 'f':
		d.judge(at, Compatible, reader, "is new")
	case other:
		d.judge(at, Breaking, reader, "could hold what the schema of other properties allows, and has its own now")
	default:
		d.judge(at, Compatible, reader, "is listed now")
	}
}

// goneProperty judges a property that b does not list any more.
func (d *differ) goneProperty(b *tree, m member, p place, wasRequired, isRequired bool) {
	at := p.at("properties", m.name)
	caller, reader := Compatible, Compatible
	if isRequired && !wasRequired {
		caller = Breaking
	}
	if wasRequired && !isRequired {
		reader = Breaking
	}
	after := d.next.others(b, p)
	switch {
	case p.part || inPlaceKeywords(b) || b.get("patternProperties") != nil:
		d.judge(at, Breaking, Breaking, "is gone here")
	case after.kind == 'f':
		d.judge(at, Breaking, reader, "is gone")
	case d.changed(m.value, after) && !always(after):
		d.judge(at, Breaking, Breaking, "is gone, and falls under the schema of other properties")
	default:
		d.judge(at, caller, Breaking, "is not listed any more and may hold anything")
	}
}

// always reports whether a schema takes every value.
func always(t *tree) bool {
	return t.kind == 't' || t.kind == '{' && !slices.ContainsFunc(t.members, func(m member) bool { return assertions[m.name] })
}

// inPlaceKeywords reports whether t has subschemas that apply to the same value and may list properties too.
func inPlaceKeywords(t *tree) bool {
	for _, name := range []string{"allOf", "anyOf", "oneOf", "if", "then", "else", "$ref", "$dynamicRef", "$recursiveRef", "dependentSchemas", "dependencies", "not"} {
		if t.get(name) != nil {
			return true
		}
	}
	return false
}

// list compares what is said about arrays.
func (d *differ) list(a, b *tree, p place) {
	if d.differs(a, b, "uniqueItems") {
		is := b.get("uniqueItems") != nil && b.get("uniqueItems").kind == 't'
		was := a.get("uniqueItems") != nil && a.get("uniqueItems").kind == 't'
		switch {
		case is && !was:
			d.add(p.at("uniqueItems"), narrow, "items must differ now")
		case was && !is:
			d.add(p.at("uniqueItems"), widen, "items may be equal now")
		}
	}
	if kindOf(a.get("items")) == '[' || kindOf(b.get("items")) == '[' || d.changedList(a.get("prefixItems"), b.get("prefixItems")) {
		for _, keyword := range []string{"items", "prefixItems", "additionalItems"} {
			if d.changedList(a.get(keyword), b.get(keyword)) {
				d.add(p.at(keyword), either, keyword+" changed")
			}
		}
	} else if (a.get("items") == nil) != (b.get("items") == nil) && d.leftItems(a, b, p) {
		d.add(p.at("items"), either, "items changed, and with them what unevaluatedItems is for")
	} else {
		d.subschema(a, b, p, "items")
	}
	if d.changed(a.get("contains"), b.get("contains")) || d.differs(a, b, "minContains") || d.differs(a, b, "maxContains") {
		d.add(p.at("contains"), either, "contains changed")
	}
	if d.changed(a.get("unevaluatedItems"), b.get("unevaluatedItems")) {
		d.add(p.at("unevaluatedItems"), either, "unevaluatedItems changed")
	}
}

// leftItems reports whether it counts, beside what a list may hold, which of its items a schema says something about.
func (d *differ) leftItems(a, b *tree, p place) bool {
	const keyword = "unevaluatedItems"
	if a.get(keyword) != nil || b.get(keyword) != nil {
		return true
	}
	return (d.probe || p.part) && (bytes.Contains(d.old.all[0].root.raw, []byte(keyword)) || bytes.Contains(d.next.all[0].root.raw, []byte(keyword)))
}

// combinators compares the subschemas that apply to the same value.
func (d *differ) combinators(a, b *tree, p place) {
	d.reference(a, b, p)
	d.branches(a, b, p, "allOf", narrow)
	d.branches(a, b, p, "anyOf", widen)
	d.exact++
	d.branches(a, b, p, "oneOf", either)
	d.exact--
	for _, keyword := range []string{"not", "if", "then", "else"} {
		if d.changed(a.get(keyword), b.get(keyword)) {
			d.add(p.at(keyword), either, keyword+" changed")
		}
	}
	for _, keyword := range []string{"$dynamicRef", "$recursiveRef"} {
		d.dynamicReference(a, b, p, keyword)
	}
}

// reference compares references that have keywords beside them, or lead out of the document.
func (d *differ) reference(a, b *tree, p place) {
	x, y := a.get("$ref"), b.get("$ref")
	if x == nil && y == nil {
		return
	}
	if old, next := d.old.target(a), d.next.target(b); old != nil && next != nil {
		d.compare(old, next, p.inside("$ref"))
		return
	} else if old == nil && next == nil && kindOf(x) == '"' && kindOf(y) == '"' && d.old.address(a) == d.next.address(b) {
		return
	}
	d.add(p.at("$ref"), either, "refers to something else")
}

// dynamicReference compares references of which it depends on the way to them where they lead.
func (d *differ) dynamicReference(a, b *tree, p place, keyword string) {
	old, next := d.old.targets(a, keyword), d.next.targets(b, keyword)
	switch {
	case d.differs(a, b, keyword) || len(old) != len(next):
		d.add(p.at(keyword), either, keyword+" changed")
	case len(old) == 1:
		d.compare(old[0], next[0], p.inside(keyword))
	default:
		for i := range old {
			if !d.identical(old[i], next[i]) {
				d.add(p.at(keyword), either, "may refer to something else")
				return
			}
		}
	}
}

// branches compares the lists of a combinator. A branch more does what adding says.
func (d *differ) branches(a, b *tree, p place, keyword string, adding direction) {
	old, next := itemsOf(a.get(keyword)), itemsOf(b.get(keyword))
	if len(old) == 0 && len(next) == 0 {
		return
	}
	if len(old) == 0 || len(next) == 0 {
		d.add(p.at(keyword), either, keyword+" changed")
		return
	}
	oldLeft, nextLeft := d.unmatched(old, next)
	if len(oldLeft) == len(nextLeft) {
		for i, j := range nextLeft {
			d.compare(old[oldLeft[i]], next[j], p.inside(keyword, strconv.Itoa(j)))
		}
		return
	}
	taking := map[direction]direction{narrow: widen, widen: narrow}
	dir := adding
	if len(oldLeft) > 0 {
		if dir = either; len(nextLeft) == 0 && adding != either {
			dir = taking[adding]
		}
	}
	d.add(p.at(keyword), dir, fmt.Sprintf("has %d branches, had %d", len(next), len(old)))
}

// unmatched returns the branches of both sides that have no equal on the other.
func (d *differ) unmatched(old, next []*tree) (oldLeft, nextLeft []int) {
	taken := map[int]bool{}
	for i, x := range old {
		match := slices.IndexFunc(next, func(y *tree) bool { return !d.changed(x, y) })
		for match >= 0 && taken[match] {
			rest := slices.IndexFunc(next[match+1:], func(y *tree) bool { return !d.changed(x, y) })
			if rest < 0 {
				match = -1
				break
			}
			match += 1 + rest
		}
		if match < 0 {
			oldLeft = append(oldLeft, i)
			continue
		}
		taken[match] = true
	}
	for j := range next {
		if !taken[j] {
			nextLeft = append(nextLeft, j)
		}
	}
	return oldLeft, nextLeft
}

// subschema compares a keyword that is one schema. A missing one takes everything.
func (d *differ) subschema(a, b *tree, p place, keyword string) {
	x, y := a.get(keyword), b.get(keyword)
	if x == nil && y == nil {
		return
	}
	if x == nil {
		x = trueTree
	}
	if y == nil {
		y = trueTree
	}
	d.compare(x, y, p.at(keyword))
}

// byName compares a keyword that is a map of schemas, each of which narrows.
func (d *differ) byName(a, b *tree, p place, keyword string) {
	x, y := a.get(keyword), b.get(keyword)
	for _, m := range membersOf(y) {
		if was := x.member(m.name); was != nil {
			d.compare(was, m.value, p.inside(keyword, m.name))
		} else {
			d.add(p.at(keyword, m.name), either, "is new")
		}
	}
	for _, m := range membersOf(x) {
		if y.member(m.name) == nil {
			d.add(p.at(keyword, m.name), either, "is gone")
		}
	}
}

func (d *differ) changedMap(x, y *tree) bool {
	if len(membersOf(x)) != len(membersOf(y)) {
		return true
	}
	for _, m := range membersOf(x) {
		other := y.member(m.name)
		if other == nil || m.value.isSchema() && other.isSchema() && d.changed(m.value, other) ||
			!(m.value.isSchema() && other.isSchema()) && canonicalText(m.value) != canonicalText(other) {
			return true
		}
	}
	return false
}

func (d *differ) changedList(x, y *tree) bool {
	if kindOf(x) != kindOf(y) {
		return true
	}
	if kindOf(x) != '[' {
		return d.changed(x, y)
	}
	return !slices.EqualFunc(x.items, y.items, func(s, t *tree) bool { return !d.changed(s, t) })
}

func kindOf(t *tree) byte {
	if t == nil {
		return 0
	}
	return t.kind
}

func membersOf(t *tree) []member {
	if t == nil || t.kind != '{' {
		return nil
	}
	return t.members
}

func itemsOf(t *tree) []*tree {
	if t == nil {
		return nil
	}
	return t.items
}

// member is get for a tree that may be missing.
func (t *tree) member(name string) *tree {
	if t == nil {
		return nil
	}
	return t.get(name)
}

func required(t *tree) []string {
	var names []string
	for _, item := range itemsOf(t.get("required")) {
		names = append(names, item.str)
	}
	return names
}
