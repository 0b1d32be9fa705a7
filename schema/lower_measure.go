package schema

import (
	"fmt"
	"unicode/utf8"
)

// Limits are the bounds of what a provider compiles, for all strict tools of a request together. Zero means that there is no such
// bound.
type Limits struct {
	Tools          int // strict tools
	Optional       int // properties that are not required
	Unions         int // schemas with anyOf or several types
	Properties     int // properties of objects
	Depth          int // how deep objects and arrays nest; the root counts as 1
	Characters     int // in names of properties and definitions and in the values of enums
	EnumValues     int // values of enums
	EnumCharacters int // in the values of one enum that has more than 250 of them
}

// Limits returns the published limits of the dialect: Anthropic "Structured outputs: Schema complexity limits", OpenAI "Structured
// outputs: Supported schemas". Dialects without a strict form have none. Azure still documents 100 properties and a depth of 5.
func (d Dialect) Limits() Limits {
	switch d {
	case AnthropicStrict:
		return Limits{Tools: 20, Optional: 24, Unions: 16}
	case OpenAIStrict:
		return Limits{Properties: 5000, Depth: 10, Characters: 120000, EnumValues: 1000, EnumCharacters: 15000}
	}
	return Limits{}
}

// manyEnumValues is the count of values above which an enum's characters are limited.
const manyEnumValues = 250

// add returns the sum of two schemas' use; what is a maximum stays one.
func (l Limits) add(m Limits) Limits {
	return Limits{
		Tools: l.Tools + m.Tools, Optional: l.Optional + m.Optional, Unions: l.Unions + m.Unions, Properties: l.Properties + m.Properties,
		Depth: max(l.Depth, m.Depth), Characters: l.Characters + m.Characters, EnumValues: l.EnumValues + m.EnumValues,
		EnumCharacters: max(l.EnumCharacters, m.EnumCharacters),
	}
}

// over says in words which bounds the use l exceeds.
func (l Limits) over(bounds Limits) []string {
	var out []string
	check := func(used, bound int, what string) {
		if bound > 0 && used > bound {
			out = append(out, fmt.Sprintf("%d %s, where the provider takes %d", used, what, bound))
		}
	}
	check(l.Tools, bounds.Tools, "strict tools")
	check(l.Optional, bounds.Optional, "optional properties")
	check(l.Unions, bounds.Unions, "unions")
	check(l.Properties, bounds.Properties, "properties")
	check(l.Depth, bounds.Depth, "levels of nesting")
	check(l.Characters, bounds.Characters, "characters in names and enum values")
	check(l.EnumValues, bounds.EnumValues, "enum values")
	check(l.EnumCharacters, bounds.EnumCharacters, "characters in one long enum")
	return out
}

// measure counts what a rebuilt schema uses. What a definition uses counts wherever it is referred to, because providers do not
// say that it counts once; a reference back to a definition that is being counted adds nothing.
func measure(wire *tree) Limits {
	m := &meter{defs: map[string]*tree{}, known: map[*tree]Limits{}, open: map[*tree]bool{}}
	use := Limits{Tools: 1}
	if defs := wire.get("$defs"); defs != nil {
		for _, d := range defs.members {
			m.defs["#/$defs/"+d.name] = d.value
			use.Characters += utf8.RuneCountInString(d.name)
		}
	}
	return use.add(m.schema(wire))
}

type meter struct {
	defs  map[string]*tree
	known map[*tree]Limits
	open  map[*tree]bool
}

// ceiling keeps the counts of definitions that refer to each other many times from running over.
const ceiling = 1 << 30

func (m *meter) schema(t *tree) Limits {
	var use Limits
	if ref := t.get("$ref"); ref != nil {
		to := m.defs[ref.str]
		if to == nil || m.open[to] {
			return use
		}
		known, ok := m.known[to]
		if !ok {
			m.open[to] = true
			known = m.schema(to).capped()
			m.open[to] = false
			m.known[to] = known
		}
		return known
	}
	if typ := t.get("type"); typ != nil && typ.kind == '[' {
		use.Unions++
	}
	if enum := t.get("enum"); enum != nil {
		use = use.add(measureEnum(enum))
	}
	if list := t.get("anyOf"); list != nil {
		use.Unions++
		for _, sub := range list.items {
			use = use.add(m.schema(sub))
		}
	}
	below := m.object(t)
	if items := t.get("items"); items != nil {
		below = below.add(m.schema(items))
	}
	if t.get("properties") != nil || t.get("items") != nil {
		below.Depth++
	}
	return use.add(below).capped()
}

func (m *meter) object(t *tree) Limits {
	var use Limits
	props := t.get("properties")
	if props == nil {
		return use
	}
	required := requiredNames(t)
	for _, p := range props.members {
		use.Properties++
		use.Characters += utf8.RuneCountInString(p.name)
		if !required[p.name] {
			use.Optional++
		}
		use = use.add(m.schema(p.value))
	}
	return use
}

func measureEnum(enum *tree) Limits {
	use := Limits{EnumValues: len(enum.items)}
	for _, v := range enum.items {
		n := utf8.RuneCountInString(v.str)
		if v.kind != '"' {
			n = len(v.raw)
		}
		use.Characters += n
	}
	if len(enum.items) > manyEnumValues {
		use.EnumCharacters = use.Characters
	}
	return use
}

func (l Limits) capped() Limits {
	l.Optional, l.Unions, l.Properties = min(l.Optional, ceiling), min(l.Unions, ceiling), min(l.Properties, ceiling)
	l.Characters, l.EnumValues = min(l.Characters, ceiling), min(l.EnumValues, ceiling)
	return l
}
