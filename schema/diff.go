package schema

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// An Impact says what a change of a schema means to those who relied on the old one. The zero value is [Neutral].
type Impact uint8

const (
	// Neutral changes words only.
	Neutral Impact = iota
	// Compatible lets everything go on that worked.
	Compatible
	// Breaking may refuse what was taken, or give what was never given.
	Breaking
)

// String returns "neutral", "compatible" or "breaking".
func (i Impact) String() string {
	return [...]string{"neutral", "compatible", "breaking"}[min(i, Breaking)]
}

// MarshalText writes the name.
func (i Impact) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// A Change is one difference between two schemas.
type Change struct {
	// Path is the JSON Pointer of the place in the new document; of what was removed, in the old one.
	Path string `json:"path"`
	// What says what changed, as a sentence without its subject.
	What string `json:"what"`
	// Caller is what it means to who sends values of this schema: the schema is a tool's input.
	Caller Impact `json:"caller"`
	// Reader is what it means to who receives values of this schema: the schema is a tool's output.
	Reader Impact `json:"reader"`
}

// Changes are the differences between two schemas, in the order of the new document. Nil: there are none.
type Changes []Change

// Caller returns the gravest impact on callers.
func (cs Changes) Caller() Impact { return cs.worst(func(c Change) Impact { return c.Caller }) }

// Reader returns the gravest impact on readers.
func (cs Changes) Reader() Impact { return cs.worst(func(c Change) Impact { return c.Reader }) }

func (cs Changes) worst(of func(Change) Impact) Impact {
	worst := Neutral
	for _, c := range cs {
		worst = max(worst, of(c))
	}
	return worst
}

// CallerStep returns the step that an input's version has to take (https://semver.org): "none", "patch" for words, "minor" for
// what is compatible, "major" for what breaks callers.
func (cs Changes) CallerStep() string { return cs.step(cs.Caller()) }

// ReaderStep is [Changes.CallerStep] for an output.
func (cs Changes) ReaderStep() string { return cs.step(cs.Reader()) }

func (cs Changes) step(worst Impact) string {
	if len(cs) == 0 {
		return "none"
	}
	return [...]string{"patch", "minor", "major"}[worst]
}

// Diff lists what changed from one schema to the next. Diff of equal documents is empty; order of members and spelling of
// numbers do not count. A nil schema is true.
//
// It is careful, never clever: where it cannot see that a change is harmless it says breaking. So if it says that a change is
// compatible for callers, every value that the old schema takes as a tool's input ([Config.Closed]) the new one takes too. The
// values of defaults count: another default means another call. A reader is expected to pass over properties that it does not
// know, so a new property of an output is compatible.
//
// Definitions that nothing refers to are not looked at, and references that leave the document are compared as text.
func Diff(old, next *Schema) Changes {
	a, errA := parseTree(old.text())
	b, errB := parseTree(next.text())
	if errA != nil || errB != nil { // not possible for a Schema
		return nil
	}
	d := &differ{old: newDocument(a), next: newDocument(b), seen: map[pair]bool{}, same: map[pair]bool{}, work: new(int)}
	d.compare(a, b, place{root: true})
	return d.changes
}

// A differ compares two documents.
type differ struct {
	old, next *document
	changes   Changes
	seen      map[pair]bool
	same      map[pair]bool // what identical knows
	work      *int          // how many subschemas have been compared
	exact     int           // how many combinators are around where a change of either kind may do either
}

// maxDiffWork bounds how many subschemas are compared: references can make a small document stand for an endless one.
const maxDiffWork = 1 << 14

type pair struct{ old, next *tree }

// place is where a comparison is.
type place struct {
	path string
	root bool
	// part: the subschema applies to the same value as others beside it, so that properties which it does not list may be known.
	part bool
}

func (p place) at(names ...string) place {
	for _, n := range names {
		p.path += "/" + escapePointer(n)
	}
	p.root, p.part = false, false
	return p
}

func (p place) inside(names ...string) place {
	part := p.at(names...)
	part.part = true
	return part
}

// direction is what a change does to the set of values.
type direction uint8

const (
	note   direction = iota // nothing
	narrow                  // some are refused now
	widen                   // some are taken now
	either                  // not known
)

func (d *differ) add(p place, dir direction, what string) {
	if d.exact > 0 && dir != note {
		dir = either
	}
	c := Change{Path: p.path, What: what}
	switch dir {
	case narrow:
		c.Caller, c.Reader = Breaking, Compatible
	case widen:
		c.Caller, c.Reader = Compatible, Breaking
	case either:
		c.Caller, c.Reader = Breaking, Breaking
	}
	d.changes = append(d.changes, c)
}

// judge adds a change whose impacts do not follow from the set of values alone.
func (d *differ) judge(p place, caller, reader Impact, what string) {
	if d.exact > 0 {
		caller, reader = Breaking, Breaking
	}
	d.changes = append(d.changes, Change{p.path, what, caller, reader})
}

// changed reports whether two subschemas differ at all, without saying how.
func (d *differ) changed(a, b *tree) bool {
	if a == nil || b == nil {
		return a != b
	}
	probe := &differ{old: d.old, next: d.next, seen: map[pair]bool{}, same: d.same, work: d.work}
	for p := range d.seen {
		probe.seen[p] = true
	}
	probe.compare(a, b, place{})
	return slices.ContainsFunc(probe.changes, func(c Change) bool { return c.Caller != Neutral || c.Reader != Neutral })
}

// compare compares two subschemas.
func (d *differ) compare(a, b *tree, p place) {
	a, b = d.old.follow(a), d.next.follow(b)
	if d.seen[pair{a, b}] || d.identical(a, b) {
		return
	}
	if *d.work++; *d.work > maxDiffWork {
		if c := (Change{p.path, "was not compared: the schemas refer to themselves too often", Breaking, Breaking}); len(d.changes) == 0 || d.changes[len(d.changes)-1].What != c.What {
			d.changes = append(d.changes, c)
		}
		return
	}
	d.seen[pair{a, b}] = true
	defer delete(d.seen, pair{a, b})
	switch {
	case a.kind == 'f' && b.kind == 'f':
	case b.kind == 'f':
		d.add(p, narrow, "takes nothing any more")
	case a.kind == 'f':
		d.add(p, widen, "took nothing before")
	default:
		d.types(a, b, p)
		d.values(a, b, p)
		d.bounds(a, b, p)
		d.texts(a, b, p)
		d.object(a, b, p)
		d.list(a, b, p)
		d.combinators(a, b, p)
		d.words(a, b, p)
	}
}

// identical reports whether two subschemas, and all that they refer to within their documents, are the same text.
func (d *differ) identical(a, b *tree) bool {
	if same, known := d.same[pair{a, b}]; known {
		return same
	}
	visited := map[pair]bool{{a, b}: true}
	queue := []pair{{a, b}}
	var walk func(x, y *tree) bool
	walk = func(x, y *tree) bool { // the texts are equal, and with them the shapes
		for i, m := range x.members {
			if refers(m.name) && m.value.kind == '"' {
				to := pair{d.old.resolve(m.value.str), d.next.resolve(m.value.str)}
				if (to.old == nil) != (to.next == nil) {
					return false
				}
				if to.old != nil && !visited[to] {
					visited[to] = true
					queue = append(queue, to)
				}
			}
			if !walk(m.value, y.members[i].value) {
				return false
			}
		}
		for i, item := range x.items {
			if !walk(item, y.items[i]) {
				return false
			}
		}
		return true
	}
	for ; len(queue) > 0; queue = queue[1:] {
		if at := queue[0]; !bytes.Equal(at.old.raw, at.next.raw) || !walk(at.old, at.next) {
			d.same[pair{a, b}] = false
			return false
		}
	}
	for p := range visited {
		d.same[p] = true
	}
	return true
}

func refers(name string) bool {
	return name == "$ref" || name == "$dynamicRef" || name == "$recursiveRef"
}

// document is one side of a comparison.
type document struct {
	root    *tree
	anchors map[string]*tree
}

func newDocument(root *tree) *document {
	doc := &document{root: root, anchors: map[string]*tree{}}
	var walk func(t *tree)
	walk = func(t *tree) {
		for _, name := range []string{"$anchor", "$dynamicAnchor"} {
			if a := t.get(name); a != nil && a.kind == '"' && doc.anchors[a.str] == nil {
				doc.anchors[a.str] = t
			}
		}
		for _, m := range t.members {
			walk(m.value)
		}
		for _, item := range t.items {
			walk(item)
		}
	}
	walk(root)
	return doc
}

// resolve returns what a reference within the document leads to, or nil.
func (doc *document) resolve(ref string) *tree {
	fragment, ok := strings.CutPrefix(ref, "#")
	fragment, err := url.PathUnescape(fragment)
	switch {
	case !ok || err != nil:
		return nil
	case fragment == "":
		return doc.root
	case fragment[0] != '/':
		return doc.anchors[fragment]
	}
	t := doc.root
	for token := range strings.SplitSeq(fragment[1:], "/") {
		if t = step(t, strings.NewReplacer("~1", "/", "~0", "~").Replace(token)); t == nil {
			return nil
		}
	}
	return t
}

func step(t *tree, token string) *tree {
	if t.kind != '[' {
		return t.get(token)
	}
	if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(t.items) {
		return t.items[i]
	}
	return nil
}

// follow goes through references that stand alone.
func (doc *document) follow(t *tree) *tree {
	for range 32 {
		ref := t.get("$ref")
		if ref == nil || ref.kind != '"' || !alone(t) {
			return t
		}
		target := doc.resolve(ref.str)
		if target == nil || !target.isSchema() {
			return t
		}
		t = target
	}
	return t
}

// alone reports whether beside $ref there are only words and definitions.
func alone(t *tree) bool {
	return !slices.ContainsFunc(t.members, func(m member) bool {
		return m.name != "$ref" && !isWord(m.name) && m.name != "$defs" && m.name != "definitions"
	})
}
