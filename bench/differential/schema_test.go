package differential_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
)

// An object is a schema or a value; its members are written sorted by name.
type object = map[string]any

// num is a number with its spelling.
func num(text string) json.Number { return json.Number(text) }

// What names, texts, numbers and patterns are made of. They are few, so that
// values and schemas meet, and each is there for a reason.
var (
	names    = []string{"a", "b", "c", "ab", "b1", "", "a/b", "x~y", "é", "%"}
	texts    = []string{"", "a", "b", "ab", "abc", "aab", "12", "é", "e\u0301", "😀", "😀😀", "a\nb", "\u0000", "null", "1", "2026-01-31"}
	numbers  = []string{"0", "-0", "0.0", "1", "1.0", "10e-1", "-1", "2", "3", "4.0", "0.1", "0.3", "1.5", "-2.50", "7", "1e2", "100", "1E+2", "9007199254740993", "9007199254740992", "12345678901234567890123", "1e400", "-1e400", "1e-400", "0.1e1", "3.0000000000000000000001"}
	limits   = []string{"0", "1", "1.0", "-1", "2", "3", "0.1", "1.5", "100", "1e2", "9007199254740992", "1e400", "-0.0", "2.50"}
	steps    = []string{"1", "2", "3", "0.1", "0.01", "1.5", "1.0", "1e-2", "1e2", "7", "1e-400", "1e400"}
	counts   = []string{"0", "1", "2", "3", "1.0", "2e0", "4"}
	patterns = []string{"a", "^a", "b$", "^[a-c]*$", "^.$", "\\d", "^\\w+$", "^$", "a{2,}", "(a|b)b", "^\\S", "[^a]", "^(?:ab)?c?$", "é", "\\."}
	formats  = []string{"date", "email", "ipv4", "uri", "uuid", "no-such-format"}
	types    = []string{"null", "boolean", "object", "array", "number", "string", "integer"}
)

// A maker makes schemas and values from random numbers.
type maker struct {
	*rand.Rand
	draft7 bool
	defs   int  // how many definitions there are to refer to
	free   bool // references are allowed here
	// dynamic: every definition is a resource with the same dynamic anchor, and refers to it.
	dynamic bool
	// applicators are the keywords with subschemas; they come back to the maker.
	applicators []keyword
}

// newMaker returns the maker of a case.
func newMaker(seed, number uint64) *maker {
	return &maker{Rand: rand.New(rand.NewPCG(seed, number)), applicators: applicators}
}

// chance reports true n times of a hundred.
func (m *maker) chance(n int) bool { return m.IntN(100) < n }

func pick[T any](m *maker, from []T) T { return from[m.IntN(len(from))] }

// document makes a whole schema, with the dialect and definitions at its root.
func (m *maker) document() any {
	m.draft7 = m.chance(40)
	if m.defs = m.IntN(4); m.chance(3) {
		return m.chance(50)
	}
	m.free, m.dynamic = true, m.defs > 0 && !m.draft7 && m.chance(12)
	root := m.node(3)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	if m.draft7 {
		root["$schema"] = "http://json-schema.org/draft-07/schema#"
	}
	if m.draft7 && root["$ref"] != nil { // which hides all that stands beside it
		root["allOf"] = []any{object{"$ref": root["$ref"]}}
		delete(root, "$ref")
	}
	defs := object{}
	for i := range m.defs {
		defs["d"+strconv.Itoa(i)] = m.definition(i)
	}
	if m.defs > 0 {
		root[m.defsName()] = defs
	}
	if m.dynamic && m.chance(60) || !m.draft7 && m.chance(8) {
		root["$dynamicAnchor"] = "node"
	}
	if m.dynamic {
		root["$ref"] = "https://h.test/r0"
	}
	return root
}

// defsName is where definitions are; 2020-12 has them at either place.
func (m *maker) defsName() string {
	if m.draft7 {
		return "definitions"
	}
	return "$defs"
}

// definition makes the i-th definition; some have names of their own.
func (m *maker) definition(i int) any {
	switch {
	case m.dynamic:
		return m.resource(i)
	case m.chance(70):
		return m.schema(2)
	case m.chance(40):
		return m.resource(i)
	case m.draft7:
		s := m.node(2)
		delete(s, "$ref")
		s["$id"] = "#n" + strconv.Itoa(i)
		return s
	}
	s := m.node(2)
	s["$anchor"] = "n" + strconv.Itoa(i)
	if m.chance(30) {
		s["$dynamicAnchor"] = "node"
		delete(s, "$anchor")
	}
	return s
}

// resource makes the i-th definition with a URI of its own.
func (m *maker) resource(i int) any {
	m.free = false // most references would lead nowhere in here
	defer func() { m.free = true }()
	s := m.node(2)
	s["$id"] = "https://h.test/r" + strconv.Itoa(i)
	if m.dynamic && m.chance(85) || !m.draft7 && m.chance(50) {
		s["$dynamicAnchor"] = "node"
	}
	if m.dynamic && s["$dynamicAnchor"] != nil {
		next := object{"$dynamicRef": "#node"}
		if m.chance(40) {
			next = object{"$ref": "https://h.test/r" + strconv.Itoa(m.IntN(m.defs))}
		}
		s["properties"] = object{pick(m, names): next, pick(m, names): next, pick(m, names): m.leaf()}
		s["items"] = next
	}
	return s
}

// schema makes a schema of the given depth.
func (m *maker) schema(depth int) any {
	if m.chance(8) {
		return m.chance(75)
	}
	return m.node(depth)
}

// node makes a schema that is an object.
func (m *maker) node(depth int) object {
	s := object{}
	if m.chance(55) {
		m.addType(s)
	}
	for range m.IntN(4) {
		pick(m, keywords)(m, s, depth)
	}
	if depth > 0 {
		for range m.IntN(3) {
			pick(m, m.applicators)(m, s, depth-1)
		}
	}
	return s
}

// A keyword adds something to a schema.
type keyword func(m *maker, s object, depth int)

// keywords are those without subschemas.
var keywords = []keyword{
	func(m *maker, s object, _ int) { m.addType(s) },
	func(m *maker, s object, _ int) { s["const"] = m.any(1) },
	func(m *maker, s object, _ int) { s["enum"] = m.list(1, 4, func() any { return m.any(1) }) },
	func(m *maker, s object, _ int) {
		s[pick(m, []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})] = num(pick(m, limits))
	},
	func(m *maker, s object, _ int) { s["multipleOf"] = num(pick(m, steps)) },
	func(m *maker, s object, _ int) {
		s[pick(m, []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"})] = num(pick(m, counts))
	},
	func(m *maker, s object, _ int) { s["pattern"] = pick(m, patterns) },
	func(m *maker, s object, _ int) { s["format"] = pick(m, formats) },
	func(m *maker, s object, _ int) { s["uniqueItems"] = m.chance(80) },
	func(m *maker, s object, _ int) { s["required"] = m.nameList() },
	func(m *maker, s object, _ int) {
		s[pick(m, []string{"title", "description", "$comment", "x-own", "contentEncoding"})] = pick(m, texts)
	},
	func(m *maker, s object, _ int) {
		s[pick(m, []string{"minContains", "maxContains"})] = num(pick(m, counts))
	},
	func(m *maker, s object, _ int) {
		s[m.name20("dependentRequired", "dependencies")] = object{pick(m, names): m.nameList()}
	},
	func(m *maker, s object, _ int) {
		if m.free {
			m.addRef(s)
		}
	},
	func(m *maker, s object, _ int) { s["default"] = m.any(1) },
}

// applicators are the keywords with subschemas.
var applicators = []keyword{
	addProperties, addProperties, addProperties, addUnevaluated, addUnevaluated, addUnevaluated,
	func(m *maker, s object, depth int) { s["additionalProperties"] = m.schema(depth) },
	func(m *maker, s object, depth int) {
		s["patternProperties"] = object{pick(m, patterns): m.schema(depth), pick(m, patterns): m.schema(depth)}
	},
	func(m *maker, s object, _ int) {
		s["propertyNames"] = object{pick(m, []string{"pattern"}): pick(m, patterns)}
	},
	func(m *maker, s object, depth int) {
		s[m.name20("dependentSchemas", "dependencies")] = object{pick(m, names): m.schema(depth)}
	},
	addItems, addItems,
	addContains,
	func(m *maker, s object, depth int) { s["allOf"] = m.schemas(depth) },
	func(m *maker, s object, depth int) { s["anyOf"] = m.schemas(depth) },
	func(m *maker, s object, depth int) { s["oneOf"] = m.schemas(depth) },
	func(m *maker, s object, depth int) { s["not"] = m.schema(depth) },
	func(m *maker, s object, depth int) {
		for _, name := range []string{"if", "then", "else"} {
			if m.chance(75) {
				s[name] = m.schema(depth)
			}
		}
	},
	func(m *maker, s object, depth int) {
		s["unevaluatedProperties"] = m.chance(30) || !m.chance(60) && m.schema(depth) == true
	},
	func(m *maker, s object, depth int) {
		s[pick(m, []string{"unevaluatedProperties", "unevaluatedItems"})] = m.schema(depth)
	},
	func(m *maker, s object, _ int) { s["unevaluatedItems"] = false },
}

// name20 is the name that a keyword has since 2019-09, or its old one.
func (m *maker) name20(since, old string) string {
	if m.draft7 != m.chance(4) {
		return old
	}
	return since
}

func (m *maker) addType(s object) {
	s["type"] = pick(m, types)
	if m.chance(25) {
		first := m.IntN(len(types))
		s["type"] = []any{types[first], types[(first+1+m.IntN(len(types)-1))%len(types)]}
	}
}

func addProperties(m *maker, s object, depth int) {
	props := object{}
	for range 1 + m.IntN(4) {
		props[pick(m, names)] = m.schema(depth)
	}
	s["properties"] = props
}

func addItems(m *maker, s object, depth int) {
	tuple := m.schemas(depth)
	switch {
	case m.chance(50):
		s["items"] = m.schema(depth)
	case m.draft7:
		s["items"] = tuple
		if m.chance(60) {
			s["additionalItems"] = m.schema(depth)
		}
	default:
		s["prefixItems"] = tuple
		if m.chance(40) {
			s["items"] = m.schema(depth)
		}
	}
}

func addContains(m *maker, s object, depth int) {
	s["contains"] = m.schema(depth)
	for _, name := range []string{"minContains", "maxContains"} {
		if m.chance(35) {
			s[name] = num(pick(m, counts))
		}
	}
}

func (m *maker) addRef(s object) {
	n := strconv.Itoa(m.IntN(max(m.defs, 1)))
	switch {
	case !m.draft7 && m.chance(12):
		s["$dynamicRef"] = pick(m, []string{"#node", "#n" + n, "#/$defs/d" + n, "https://h.test/r" + n + "#node"})
	case m.chance(12):
		s["$ref"] = "#"
	case m.chance(15):
		s["$ref"] = "#n" + n
	case m.chance(10):
		s["$ref"] = "https://h.test/r" + n
	case m.chance(3):
		s["$ref"] = "#/properties/a"
	default:
		s["$ref"] = "#/" + m.defsName() + "/d" + n
	}
}

func (m *maker) schemas(depth int) []any {
	return m.list(1, 3, func() any { return m.schema(depth) })
}

func (m *maker) nameList() []any {
	list := []any{}
	for _, i := range m.Perm(len(names))[:m.IntN(3)] {
		list = append(list, names[i])
	}
	return list
}

// list makes between least and most things.
func (m *maker) list(least, most int, one func() any) []any {
	list := []any{}
	for range least + m.IntN(most-least+1) {
		list = append(list, one())
	}
	return list
}
