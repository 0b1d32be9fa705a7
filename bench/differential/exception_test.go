package differential_test

import (
	"bytes"
	"strings"
)

// A trial is one comparison with what both sides said.
type trial struct {
	schema, value []byte

	// Why the schema was refused, or "".
	ourRefusal, theirRefusal string
	// Whether the value was accepted; only where both took the schema.
	ours, theirs bool
	// The first fault, or "".
	ourFault, theirFault string
}

// agree reports whether both sides came to the same verdict.
func (c *trial) agree() bool {
	if c.refused() {
		return (c.ourRefusal != "") == (c.theirRefusal != "")
	}
	return c.ours == c.theirs
}

// refused reports whether a side did not take the schema.
func (c *trial) refused() bool { return c.ourRefusal != "" || c.theirRefusal != "" }

// An exception is a difference that is meant.
type exception struct {
	name, reason string
	// schema and value show it; when both sides agree about them, the exception has to go.
	schema, value string
	holds         func(c *trial) bool
}

// without returns a predicate for a difference that is due to one part of the
// schema: remove, called for every object in it, takes that part away, and then
// both sides agree, while our verdict on the value, if there was one, stays.
func without(remove func(s object)) func(c *trial) bool {
	return func(c *trial) bool {
		doc := decode(c.schema)
		walk(doc, remove)
		text := encode(doc)
		if bytes.Equal(text, encode(decode(c.schema))) {
			return false
		}
		rest := newPair(text).try(c.value)
		return (rest.agree() || loops(&rest)) && (c.refused() || rest.ours == c.ours)
	}
}

// loops reports whether the schema would apply to a value only if it applied to
// that value.
func loops(c *trial) bool { return strings.Contains(c.ourRefusal, "refers to itself") }

// walk calls f for every object in v.
func walk(v any, f func(s object)) {
	switch v := v.(type) {
	case object:
		f(v)
		for _, sub := range v {
			walk(sub, f)
		}
	case []any:
		for _, sub := range v {
			walk(sub, f)
		}
	}
}

// exceptions are the differences that are no faults. The first that holds
// counts. A difference that none of them covers fails the test.
var exceptions = []exception{
	{
		"loop", "a schema that applies to a value only if it applies to that value is refused when it is compiled; there it is found while validating, if the value gets there",
		`{"allOf":[{"$ref":"#"}]}`, `1`,
		loops,
	},
	{
		"dynamic loop", "such a schema whose reference is dynamic is found by both while validating: there it counts as one that does not apply, which an if or a not turns into valid; here the value is refused",
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","$dynamicAnchor":"node","$defs":{"d":{"$dynamicAnchor":"node","$id":"https://h.test/r"}},"if":{"allOf":[{"$dynamicRef":"https://h.test/r#node"}]}}`, `1`,
		func(c *trial) bool {
			return !c.refused() && !c.ours && strings.Contains(c.ourFault, "too complex") && bytes.Contains(c.schema, []byte("$dynamicRef"))
		},
	},
	{
		"anchor twice", "what the same anchor twice in one resource means is undefined (core, section 8.2.2): there it is refused, here the last one counts",
		`{"$defs":{"a":{"$dynamicAnchor":"n"},"b":{"$dynamicAnchor":"n"}}}`, `1`,
		func(c *trial) bool { return c.ourRefusal == "" && strings.Contains(c.theirRefusal, "duplicate anchor") },
	},
	{
		"enum twice", "the values of an enum should differ (validation, section 6.1.2), which is no must: there draft-07's metaschema refuses it",
		`{"$schema":"http://json-schema.org/draft-07/schema#","enum":[1,1]}`, `1`,
		func(c *trial) bool {
			return c.ourRefusal == "" && strings.Contains(c.theirRefusal, "/enum': items at") && strings.Contains(c.theirRefusal, "are equal")
		},
	},
	{
		"siblings of $ref", "in draft-07 all that stands beside $ref is ignored (core, section 8.3); there the keywords that are new since draft-06 are not",
		`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"d":true},"allOf":[{"$ref":"#/definitions/d","const":1}]}`, `2`,
		func(c *trial) bool {
			return bytes.Contains(c.schema, []byte("draft-07")) && without(func(s object) {
				if s["$ref"] != nil {
					for _, name := range []string{"const", "contains", "propertyNames", "if", "then", "else"} {
						delete(s, name)
					}
				}
			})(c)
		},
	},
	{
		"unused dynamic anchor", "a definition that nothing refers to is not read, unless it has the anchor of a $dynamicRef; there it is when it has any $dynamicAnchor and is no resource of its own",
		`{"$defs":{"d":{"$dynamicAnchor":"n","$ref":"#gone"}}}`, `1`,
		func(c *trial) bool {
			name := "$dynamicAnchor"
			if c.ourRefusal != "" {
				name = "$dynamicRef"
			}
			return c.refused() && without(func(s object) { delete(s, name) })(c)
		},
	},
	{
		"dead branch", "subschemas are compiled, and must not lead nowhere, even where they can never count: there then and else are not when an if of true or false rules them out, nor additionalItems without a list of items",
		`{"if":true,"else":{"$ref":"#gone"}}`, `1`,
		func(c *trial) bool {
			return c.ourRefusal != "" && c.theirRefusal == "" && without(func(s object) {
				switch s["if"] {
				case true:
					delete(s, "else")
				case false:
					delete(s, "then")
				}
				if _, ok := s["items"].([]any); !ok {
					delete(s, "additionalItems")
				}
			})(c)
		},
	},
	{
		"duplicate names", "strict JSON: what an object with a name twice means depends on the reader, so it is refused; encoding/json takes the last",
		`true`, `{"a":1,"a":2}`,
		func(c *trial) bool { return !c.ours && c.theirs && c.ourFault == "duplicate key" },
	},
	{
		"invalid UTF-8", "strict JSON: text that is not Unicode is refused; encoding/json replaces it",
		`true`, "\"\xff\"",
		func(c *trial) bool {
			return !c.ours && (strings.Contains(c.ourFault, "not valid UTF-8") || strings.Contains(c.ourFault, "the escape sequence is not valid"))
		},
	},
	{
		"depth", "values nested deeper than Config.MaxDepth are refused; there is no such limit",
		`true`, strings.Repeat("[", 65) + strings.Repeat("]", 65),
		func(c *trial) bool { return !c.ours && strings.Contains(c.ourFault, "nested too deep") },
	},
}

// exceptionOf returns the exception that covers a difference, or nil.
func exceptionOf(c *trial) *exception {
	for i := range exceptions {
		if exceptions[i].holds(c) {
			return &exceptions[i]
		}
	}
	return nil
}
