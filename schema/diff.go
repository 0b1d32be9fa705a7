package schema

import (
	"bytes"
	"maps"
	"slices"
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
	d := &differ{old: newDocument(a), next: newDocument(b), seen: map[visit]bool{}, same: map[pair]bool{}, work: new(int)}
	d.compare(a, b, place{root: true})
	return d.changes
}

// A differ compares two documents.
type differ struct {
	old, next *document
	changes   Changes
	seen      map[visit]bool // what is being compared: if it comes again, within itself, the same would be said
	same      map[pair]bool  // what identical knows
	work      *int           // how many subschemas have been compared
	exact     int            // how many combinators are around where a change of either kind may do either
	probe     bool           // only whether anything differs is asked, and of objects also how they are closed
}

// maxDiffWork bounds how many subschemas are compared: references can make a small document stand for an endless one.
const maxDiffWork = 1 << 14

type pair struct{ old, next *tree }

// A visit is a comparison with all that its outcome depends on.
type visit struct {
	pair
	root, part, exact bool
}

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
	probe := &differ{old: d.old, next: d.next, seen: map[visit]bool{}, same: d.same, work: d.work, probe: true}
	if d.probe { // then the answer to what is being compared is the same
		maps.Copy(probe.seen, d.seen)
	}
	probe.compare(a, b, place{})
	return slices.ContainsFunc(probe.changes, func(c Change) bool { return c.Caller != Neutral || c.Reader != Neutral })
}

// compare compares two subschemas.
func (d *differ) compare(a, b *tree, p place) {
	old, next := d.old.follow(a), d.next.follow(b)
	a, b = old.end(), next.end()
	v := visit{pair{a, b}, p.root, p.part, d.exact > 0}
	if d.seen[v] || d.identical(a, b) {
		d.words(old, next, wordsOf(next.refs(), old.refs()), p)
		return
	}
	if *d.work++; *d.work > maxDiffWork {
		if c := (Change{p.path, "was not compared: the schemas refer to themselves too often", Breaking, Breaking}); len(d.changes) == 0 || d.changes[len(d.changes)-1].What != c.What {
			d.changes = append(d.changes, c)
		}
		return
	}
	d.seen[v] = true
	defer delete(d.seen, v)
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
		d.words(old, next, wordsOf(next, old), p)
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
	walk = func(x, y *tree) bool { // the texts are equal
		if len(x.members) != len(y.members) { // but the dialects may differ
			return false
		}
		for i, m := range x.members {
			old, next := d.old.targets(x, m.name), d.next.targets(y, m.name)
			if len(old) != len(next) {
				return false
			}
			for k := range old {
				if to := (pair{old[k], next[k]}); !visited[to] {
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
