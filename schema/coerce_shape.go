package schema

import "slices"

// maxAssumed bounds how many combinations of subschemas with assumptions are kept apart; what lies beyond is not coerced.
const maxAssumed = 4096

// A shapePattern is the shape of the properties whose names match.
type shapePattern struct {
	pattern *pattern
	shape   *shape
}

// A shapeUnion is an anyOf or oneOf of several forms that a value may have.
type shapeUnion struct {
	owner *node // whose anyOf or oneOf it is
	alone bool  // nothing beside the union lists properties, so that each form knows all names
	forms []shapeForm
}

// A shapeForm is one branch of a union, and the shape of a value that is meant to be of it.
type shapeForm struct {
	node  *node
	shape *shape
}

// assuming returns the shape of a value that all of nodes apply to, and to which those assumed apply if it is what it is taken
// for: of a certain form, or under a name that matches. Values in quotes are read by what is assumed too. Defaults and nulls
// are not settled by it.
func (b *shaper) assuming(nodes, assumed []*node) *shape {
	if len(assumed) > 0 {
		if sh := b.assumed(nodes, assumed); sh != nil || len(nodes) == 0 {
			return sh
		}
	}
	return b.shape(nodes)
}

// assumed is assuming for some that are assumed; nil where there are too many shapes of that kind.
func (b *shaper) assumed(nodes, assumed []*node) *shape {
	nodes, assumed = targets(nodes), targets(assumed)
	all := closure(nodes)
	more := slices.DeleteFunc(closure(assumed), func(n *node) bool { return slices.Contains(all, n) })
	key := b.key(all) + "| " + b.key(more)
	if sh, ok := b.shapes[key]; ok {
		return sh
	}
	if b.extra >= maxAssumed {
		return nil
	}
	b.extra++
	return b.build(key, nodes, all, assumed, more)
}

// targets replaces the nodes that merely refer to others, so that each way to the same schema leads to the same shape.
func targets(nodes []*node) []*node {
	out := make([]*node, 0, len(nodes))
	for _, n := range nodes {
		if n = n.target(); !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// assume adds to the properties of a shape what is only assumed of them. It returns what is assumed of further properties.
func (b *shaper) assume(sh *shape, all, more []*node) (rest []*node) {
	if !b.v.coerce {
		return nil
	}
	for _, n := range more {
		if n.obj == nil {
			continue
		}
		for i := range n.obj.props {
			if p := &n.obj.props[i]; p.node != nil {
				q := sh.property(p.name)
				q.assumed = append(q.assumed, p.node)
			}
		}
	}
	for k, n := range slices.Concat(all, more) {
		if n.obj == nil {
			continue
		}
		if add := n.obj.additional; add != nil && !add.always && !add.never && (k >= len(all) || len(n.obj.patterns) > 0) {
			rest = append(rest, add)
		}
		for _, pp := range n.obj.patterns {
			b.assumePattern(sh, pp)
		}
	}
	return rest
}

// assumePattern adds the schema of a pattern to the properties whose names match.
func (b *shaper) assumePattern(sh *shape, pp patternProperty) {
	s := b.v.newState(nil)
	for i := range sh.props {
		if p := &sh.props[i]; s.fatal == 0 && pp.pattern.match(s, []byte(p.name)) {
			p.assumed = append(p.assumed, pp.node)
		}
	}
	b.work += s.work
	s.release()
}

// choices adds the patterns of properties that are not listed, and the unions of which no form is assumed yet.
func (b *shaper) choices(sh *shape, nodes, all, assumed, more, additional []*node) {
	if !b.v.coerce {
		return
	}
	every := slices.Concat(all, more)
	for _, n := range every {
		if n.obj != nil {
			for _, pp := range n.obj.patterns {
				sh.patterns = append(sh.patterns, shapePattern{pp.pattern, b.assuming(additional, []*node{pp.node})})
			}
		}
		if n.in == nil {
			continue
		}
		for _, list := range [][]*node{n.in.anyOf, n.in.oneOf} {
			if len(list) < 2 || slices.ContainsFunc(list, func(sub *node) bool { return slices.Contains(every, sub.target()) }) {
				continue
			}
			u := shapeUnion{owner: n, alone: n.isAlone(every)}
			for _, sub := range list {
				if form := b.assumed(nodes, append(slices.Clip(assumed), sub)); form != nil {
					u.forms = append(u.forms, shapeForm{sub, form})
				}
			}
			if len(u.forms) == len(list) {
				sh.unions = append(sh.unions, u)
			}
		}
	}
}

// isAlone reports whether of every node that applies to a value only the forms of n, which has one union, can list properties.
func (n *node) isAlone(every []*node) bool {
	return (n.in.anyOf == nil || n.in.oneOf == nil) && !slices.ContainsFunc(every, func(other *node) bool {
		in := other.in
		return other.obj != nil || in != nil && (in.dynamic != nil || in.cond != nil || other != n && (in.anyOf != nil || in.oneOf != nil))
	})
}

// property returns the property of a name, which it adds where there is none.
func (sh *shape) property(name string) *shapeProperty {
	i, known := sh.index[name]
	if !known {
		i = len(sh.props)
		sh.index[name] = i
		sh.props = append(sh.props, shapeProperty{name: name})
	}
	return &sh.props[i]
}
