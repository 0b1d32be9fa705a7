package schema

import (
	"slices"
	"strconv"
	"strings"

	"helve.dev/helve/internal/jsonx"
)

// maxShapes bounds how many combinations of subschemas Normalize keeps apart; what lies beyond is checked but not settled.
const maxShapes = 4096

// A shape is what Normalize knows about a value: the properties and items of all subschemas that apply to it in any case.
type shape struct {
	props      []shapeProperty
	index      map[string]int
	additional *shape
	prefix     []*shape
	items      *shape
	takes      types // the types of which a value may be, as far as that is known
	rules      []*objectRule
	defaults   []int // the properties that may have a default, by index

	// What only coercing asks for.
	patterns []shapePattern
	unions   []shapeUnion
}

type shapeProperty struct {
	name     string
	nodes    []*node
	assumed  []*node // see shaper.assuming
	shape    *shape
	required bool
	nullable bool
	def      []byte // settled, valid; nil when there is none
	slot     int    // its place in shape.defaults, counted from one; 0: it has none
	fill     string // the member that says the default, with a comma before it
	state    defaultState
}

type defaultState uint8

const (
	defaultUnknown defaultState = iota
	defaultVisiting
	defaultDone
)

// shaper builds the shapes of one schema.
type shaper struct {
	v      *Validator
	work   int // spent on asking whether values fit
	nulls  map[*node]bool
	taken  map[*node]types
	ids    map[*node]int
	shapes map[string]*shape
	order  []*shape
	extra  int // how many shapes assume something
}

// settleDefaults builds the shapes and checks the defaults.
func (c *compiler) settleDefaults(v *Validator) {
	b := &shaper{v: v, nulls: map[*node]bool{}, taken: map[*node]types{}, ids: map[*node]int{}, shapes: map[string]*shape{}}
	for _, n := range c.order {
		if c.cfg.CheckDefaults && n.def != nil && !b.fits(n, n.def) {
			c.fail(n.place+"/default", "the default %s does not fit its own schema: %s", excerpt(n.def), v.firstProblem(n, n.def))
		}
	}
	v.shape = b.shape([]*node{v.root})
	for _, sh := range b.order {
		for i := range sh.props {
			b.settleDefault(&sh.props[i])
		}
	}
	for _, sh := range b.order {
		sh.expectDefaults()
	}
	v.takesNull = b.takesNull(v.root)
	v.takesObject = true
	v.root.walkInPlace(map[*node]bool{}, true, func(n *node) { v.takesObject = v.takesObject && n.types&tObject != 0 && !n.never })
}

// expectDefaults tells the rules which properties have a default that can be filled in, so that checking a value says whether it
// has to be settled.
func (sh *shape) expectDefaults() {
	for _, r := range sh.rules {
		for i := range r.props {
			p := &r.props[i]
			if k, ok := sh.index[p.name]; ok && sh.props[k].def != nil && !p.hasDefault {
				p.hasDefault = true
				r.defaults++
			}
		}
	}
}

// shape returns the shape of a value that all of nodes apply to.
func (b *shaper) shape(nodes []*node) *shape {
	all := closure(nodes)
	key := b.key(all)
	if sh, ok := b.shapes[key]; ok {
		return sh
	}
	if len(b.shapes)-b.extra >= maxShapes {
		return nil
	}
	return b.build(key, nodes, all, nil, nil)
}

// build makes the shape of a value that all of nodes apply to, and assumed too: see assuming.
func (b *shaper) build(key string, nodes, all, assumed, more []*node) *shape {
	sh := &shape{index: map[string]int{}, takes: tAny}
	b.shapes[key] = sh
	b.order = append(b.order, sh)
	for _, n := range slices.Concat(nodes, assumed) {
		sh.takes &= n.takenTypes(b.taken)
	}
	var additional []*node
	for _, n := range all {
		if n.obj == nil {
			continue
		}
		sh.rules = append(sh.rules, n.obj)
		for i := range n.obj.props {
			sh.add(&n.obj.props[i])
		}
		if add := n.obj.additional; add != nil && !add.always && !add.never && len(n.obj.patterns) == 0 {
			additional = append(additional, add)
		}
	}
	rest := b.assume(sh, all, more)
	// A property that is only required has no schema of its own and nothing to settle.
	sh.props = slices.DeleteFunc(sh.props, func(p shapeProperty) bool { return len(p.nodes)+len(p.assumed) == 0 })
	clear(sh.index)
	for i := range sh.props {
		p := &sh.props[i]
		sh.index[p.name] = i
		if slices.ContainsFunc(p.nodes, func(n *node) bool { return n.hasDefault }) {
			sh.defaults = append(sh.defaults, i)
			p.slot = len(sh.defaults)
		}
		p.nullable = !slices.ContainsFunc(p.nodes, func(n *node) bool { return !b.takesNull(n) })
		if len(p.nodes) == 0 { // no more than assumed: in any case it is one of the additional ones
			p.shape = b.assuming(additional, p.assumed)
		} else {
			p.shape = b.assuming(p.nodes, p.assumed)
		}
	}
	if len(additional)+len(rest) > 0 {
		sh.additional = b.assuming(additional, rest)
	}
	b.arrays(sh, all, more)
	b.choices(sh, nodes, all, assumed, more, additional)
	return sh
}

// fits asks the validator, until the answers have cost too much: a schema may be made to do that. Then nothing fits.
func (b *shaper) fits(n *node, text []byte) bool {
	if b.work > 4*workBudget {
		return false
	}
	ok, work := b.v.fits(n, text)
	b.work += work
	return ok
}

// takesNull reports whether null is valid. When that is too costly to know, it is taken to be, and so never dropped.
func (b *shaper) takesNull(n *node) bool {
	n = n.target()
	takes, known := b.nulls[n]
	if !known {
		takes = b.work > 4*workBudget || b.fits(n, []byte("null"))
		b.nulls[n] = takes
	}
	return takes
}

func (b *shaper) arrays(sh *shape, all, more []*node) {
	longest := 0
	for _, n := range slices.Concat(all, more) {
		if n.arr != nil {
			longest = max(longest, len(n.arr.prefix))
		}
	}
	item := func(k int) *shape {
		nodes, assumed := itemNodes(all, k), itemNodes(more, k)
		if len(nodes)+len(assumed) == 0 {
			return nil
		}
		return b.assuming(nodes, assumed)
	}
	for k := range longest {
		sh.prefix = append(sh.prefix, item(k))
	}
	sh.items = item(longest)
}

// itemNodes returns what the nodes say about the item with the number k.
func itemNodes(all []*node, k int) (nodes []*node) {
	for _, n := range all {
		switch {
		case n.arr == nil:
		case k < len(n.arr.prefix):
			nodes = append(nodes, n.arr.prefix[k])
		case n.arr.items != nil:
			nodes = append(nodes, n.arr.items)
		}
	}
	return nodes
}

func (sh *shape) add(p *property) {
	have := sh.property(p.name)
	have.required = have.required || p.required
	if p.node != nil {
		have.nodes = append(have.nodes, p.node)
	}
}

// closure adds the subschemas that must hold for the same value.
func closure(nodes []*node) []*node {
	var all []*node
	seen := map[*node]bool{}
	for _, n := range nodes {
		n.walkInPlace(seen, true, func(sub *node) { all = append(all, sub) })
	}
	return all
}

func (b *shaper) key(nodes []*node) string {
	var key strings.Builder
	for _, n := range nodes {
		id, ok := b.ids[n]
		if !ok {
			id = len(b.ids)
			b.ids[n] = id
		}
		key.WriteString(strconv.Itoa(id))
		key.WriteByte(' ')
	}
	return key.String()
}

// settleDefault finds the default of a property and settles it. A default that its schema does not accept, or that would go on
// forever because it holds itself, is none.
func (b *shaper) settleDefault(p *shapeProperty) {
	switch p.state {
	case defaultDone:
		return
	case defaultVisiting:
		p.state, p.def = defaultDone, nil
		return
	}
	for _, n := range closure(p.nodes) {
		if n.def != nil {
			p.def = n.def
			break
		}
	}
	if p.def == nil {
		p.state = defaultDone
		return
	}
	p.state = defaultVisiting
	z := settler{d: p.def, prepare: b.settleDefault}
	z.value(p.shape, 0)
	switch settled := z.finish(); {
	case p.state == defaultDone, slices.ContainsFunc(p.nodes, func(n *node) bool { return !b.fits(n, settled) }):
		p.def = nil
	default:
		p.def = settled
		p.fill = "," + string(jsonx.AppendQuote(nil, p.name)) + ":" + string(settled)
	}
	p.state = defaultDone
}
