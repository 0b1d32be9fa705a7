package dialect

import (
	"fmt"
	"unicode/utf8"
)

// Counts is what a strict schema uses of a provider's limits.
type Counts struct {
	Tools, Optional, Unions, Properties, Depth, Characters, EnumValues, LongEnum int
}

// Add returns the use of both.
func (a Counts) Add(b Counts) Counts {
	return Counts{
		a.Tools + b.Tools, a.Optional + b.Optional, a.Unions + b.Unions, a.Properties + b.Properties, max(a.Depth, b.Depth),
		a.Characters + b.Characters, a.EnumValues + b.EnumValues, max(a.LongEnum, b.LongEnum),
	}
}

// Count counts what a schema uses, each place in the document once.
func Count(wire []byte) Counts {
	doc, err := parse(wire)
	root, ok := doc.(*object)
	if err != nil || !ok {
		return Counts{}
	}
	c := &checker{root: root, strict: true}
	n := Counts{Tools: 1, Depth: c.depth(root, map[*object]int{})}
	if defs, ok := root.member["$defs"].(*object); ok {
		for _, name := range defs.names {
			n.Characters += utf8.RuneCountInString(name)
		}
	}
	c.each(root, "", func(o *object, _ string) { n = n.Add(c.count(o)) })
	return n
}

func (c *checker) count(o *object) (n Counts) {
	if _, several := o.member["type"].(list); several || o.has("anyOf") {
		n.Unions++
	}
	if props, ok := o.member["properties"].(*object); ok {
		required := c.required(o, "")
		n.Optional += len(props.names) - len(required)
		n.Properties += len(props.names)
		for _, name := range props.names {
			n.Characters += utf8.RuneCountInString(name)
		}
	}
	long := 0
	values, _ := o.member["enum"].(list)
	for _, v := range values {
		long += utf8.RuneCountInString(fmt.Sprint(v))
	}
	n.EnumValues, n.Characters = len(values), n.Characters+long
	if len(values) > 250 {
		n.LongEnum = long
	}
	return n
}

// depth counts how deep objects and arrays nest; a way that comes back to a schema ends there.
func (c *checker) depth(v value, known map[*object]int) int {
	o, ok := v.(*object)
	if !ok {
		return 0
	}
	if deep, seen := known[o]; seen {
		return deep
	}
	known[o] = 0
	deepest := 0
	c.steps(o, func(sub value, _ bool) { deepest = max(deepest, c.depth(sub, known)) })
	if o.has("properties", "items") {
		deepest++
	}
	known[o] = deepest
	return deepest
}

func overLimits(d Dialect, n Counts) (faults []string) {
	over := func(used, bound int, what string) {
		if used > bound {
			faults = append(faults, fmt.Sprintf("%d %s, more than %d", used, what, bound))
		}
	}
	switch d {
	case Anthropic:
		over(n.Tools, 20, "strict tools")
		over(n.Optional, 24, "optional parameters")
		over(n.Unions, 16, "parameters with a union")
	case OpenAI:
		over(n.Properties, 5000, "properties")
		over(n.Depth, 10, "levels")
		over(n.Characters, 120000, "characters")
		over(n.EnumValues, 1000, "enum values")
		over(n.LongEnum, 15000, "characters in one enum")
	}
	return faults
}
