package differential_test

// addUnevaluated makes what rarely comes about by chance: unevaluatedItems or
// unevaluatedProperties beside keywords that evaluate some of the items or
// properties, in place or deeper.
func addUnevaluated(m *maker, s object, depth int) {
	if m.draft7 {
		return
	}
	evaluate, keyword := evaluateProperties, "unevaluatedProperties"
	if m.chance(50) {
		evaluate, keyword = evaluateItems, "unevaluatedItems"
	}
	s[keyword] = false
	if m.chance(30) {
		s[keyword] = m.leaf()
	}
	if m.chance(50) {
		evaluate(m, s)
	}
	if m.chance(40) { // else nearly no value gets this far
		delete(s, "type")
	}
	for range 1 + m.IntN(3) {
		inPlace(m, s, evaluate, min(depth, 1))
	}
}

// inPlace adds a keyword that applies schemas to the same value.
func inPlace(m *maker, s object, evaluate func(*maker, object), depth int) {
	side := func() any {
		sub := object{}
		evaluate(m, sub)
		if depth > 0 && m.chance(40) {
			inPlace(m, sub, evaluate, depth-1)
		}
		return sub
	}
	switch m.IntN(7) {
	case 0:
		s["allOf"] = m.list(1, 2, side)
	case 1:
		s["anyOf"] = m.list(1, 3, side)
	case 2:
		s["oneOf"] = m.list(1, 3, side)
	case 3:
		s["not"] = object{"not": side()}
	case 4:
		s["dependentSchemas"] = object{pick(m, names): side(), pick(m, names): side()}
	case 5:
		s["if"], s["then"] = side(), side()
		if m.chance(60) {
			s["else"] = side()
		}
	case 6:
		if m.free {
			m.addRef(s)
		}
	}
}

// evaluateItems adds a keyword that evaluates items.
func evaluateItems(m *maker, s object) {
	switch n := m.IntN(10); {
	case n < 4:
		s["prefixItems"] = m.list(1, 3, m.leaf)
	case n < 8:
		addContains(m, s, 0)
	case n == 8:
		s["items"] = m.leaf()
	default:
		s["unevaluatedItems"] = m.leaf()
	}
}

// evaluateProperties adds a keyword that evaluates properties.
func evaluateProperties(m *maker, s object) {
	switch n := m.IntN(10); {
	case n < 6:
		s["properties"] = object{pick(m, names): m.leaf(), pick(m, names): m.leaf()}
	case n < 8:
		s["patternProperties"] = object{pick(m, patterns): m.leaf()}
	case n == 8:
		s["additionalProperties"] = m.leaf()
	default:
		s["unevaluatedProperties"] = m.leaf()
	}
}

// leaf makes a schema that many values fit, and many do not.
func (m *maker) leaf() any {
	switch m.IntN(6) {
	case 0, 1:
		return true
	case 2:
		return object{"const": pick(m, texts)}
	case 3:
		return m.schema(0)
	}
	s := object{}
	m.addType(s)
	return s
}
