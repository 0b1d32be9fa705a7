package schema

import "helve.dev/helve/internal/jsonx"

// A discriminator is a property by which the branches of anyOf or oneOf tell themselves apart: each lists it with const or enum.
type discriminator struct {
	name   string
	values []*enumRule // one for each branch that takes objects
	branch []*node
}

// findDiscriminator looks for a property that every branch which takes objects lists with const or enum.
func findDiscriminator(list []*node) *discriminator {
	var objects []*node
	for _, sub := range list {
		sub = sub.target()
		if sub.types&tObject == 0 {
			continue
		}
		if sub.obj == nil || sub.obj.declared == 0 {
			return nil
		}
		objects = append(objects, sub)
	}
	if len(objects) < 2 {
		return nil
	}
	for _, p := range objects[0].obj.props[:objects[0].obj.declared] {
		d := &discriminator{name: p.name, branch: objects}
		for _, sub := range objects {
			i := sub.obj.index.find([]byte(p.name))
			if i < 0 || sub.obj.props[i].node == nil || sub.obj.props[i].node.target().enum == nil {
				break
			}
			d.values = append(d.values, sub.obj.props[i].node.target().enum)
		}
		if len(d.values) == len(objects) {
			return d
		}
	}
	return nil
}

// discriminate explains why the object at d[i] fits no branch by the one whose discriminator it names.
func (s *state) discriminate(d *discriminator, list []*node, n *node, i, end int) bool {
	v, nameAt := -1, -1
	for k := jsonx.Space(s.d, i+1); s.d[k] != '}'; {
		at := s.memberValue(k)
		if string(jsonx.Unquote(nil, s.d[k:jsonx.Skip(s.d, k)])) == d.name {
			v, nameAt = at, k
			break
		}
		k = s.next(jsonx.Skip(s.d, at))
	}
	all := &enumRule{}
	for b, r := range d.values {
		all.values, all.names = append(all.values, r.values...), append(all.names, r.names...)
		if v >= 0 && s.inEnum(r, v, jsonx.Skip(s.d, v)) {
			return s.again(d.branch[b], i, end, track{})
		}
	}
	want := &node{types: tAny, enum: all}
	if v < 0 {
		return s.fault(fault{kind: missing, at: i, end: end, order: end - 1, name: d.name, node: want})
	}
	from := len(s.faults)
	ok := s.fault(fault{kind: badDiscriminator, at: v, end: jsonx.Skip(s.d, v), node: n, enum: all, list: list})
	s.within(from, nameAt)
	return ok
}
