package schema

import (
	"slices"
	"strings"
)

// A document is one side of a comparison: only what its dialect knows, with its references resolved.
type document struct {
	*compiler
	leads map[reference][]*tree
}

// A reference is the keyword of a schema that refers to others.
type reference struct {
	from    *tree
	keyword string
}

func newDocument(root *tree) *document {
	doc := &document{indexDocument(root, Config{}), map[reference][]*tree{}}
	for known := 0; known < len(doc.owner); { // a reference may lead to what was no schema before
		known = len(doc.owner)
		for t := range doc.owner {
			for _, keyword := range refKeywords {
				if list := doc.find(t, keyword); list != nil {
					doc.leads[reference{t, keyword}] = list
				}
			}
		}
	}
	for t := range doc.owner {
		only := doc.onlyRef(t)
		t.members = slices.DeleteFunc(t.members, func(m member) bool {
			return !doc.counts(t, m.name) || only && m.name != "$ref" && (!isWord(m.name) || m.name == "default" || m.name == "deprecated")
		})
	}
	return doc
}

// find returns what a keyword of t may lead to, if it is one that refers to others: a dynamic one to several.
func (doc *document) find(t *tree, keyword string) []*tree {
	ref := t.get(keyword)
	if ref == nil || ref.kind != '"' || !doc.counts(t, keyword) {
		return nil
	}
	target, _, err := doc.resolve(ref.str, doc.owner[t])
	if err != nil {
		return nil
	}
	list := []*tree{target}
	if keyword == "$ref" {
		return list
	}
	_, anchor, _ := strings.Cut(ref.str, "#")
	for _, other := range doc.all {
		found := other.dynamic[anchor]
		if keyword == "$recursiveRef" && other.recursive {
			found = other.root
		}
		if found != nil && found != target {
			list = append(list, found)
		}
	}
	return list
}

func (doc *document) targets(t *tree, keyword string) []*tree {
	return doc.leads[reference{t, keyword}]
}

// target returns what the $ref of t leads to, or nil.
func (doc *document) target(t *tree) *tree {
	if list := doc.targets(t, "$ref"); list != nil {
		return list[0]
	}
	return nil
}

// address is where a reference leads that leaves the document.
func (doc *document) address(t *tree) string {
	uri := ""
	if res := doc.owner[t]; res != nil {
		uri = res.uri
	}
	return resolveURI(uri, t.get("$ref").str)
}

// A way leads through references that stand alone to a schema. What the words beside a reference say comes first.
type way []*tree

func (w way) refs() way  { return w[:len(w)-1] }
func (w way) end() *tree { return w[len(w)-1] }

func (w way) get(name string) *tree {
	for _, t := range w {
		if value := t.get(name); value != nil {
			return value
		}
	}
	return nil
}

// follow goes through references that stand alone.
func (doc *document) follow(t *tree) way {
	w := way{t}
	for range 32 {
		target := doc.target(t)
		if target == nil || !alone(t) {
			break
		}
		t = target
		w = append(w, t)
	}
	return w
}

// alone reports whether beside $ref there are only words and definitions.
func alone(t *tree) bool {
	return !slices.ContainsFunc(t.members, func(m member) bool {
		return m.name != "$ref" && !isWord(m.name) && m.name != "$defs" && m.name != "definitions"
	})
}

// others returns the schema of the properties that t does not list, as far as t says it by itself: a tool's input refuses them
// where it lists some and does not say otherwise (see [Config.Closed]).
func (doc *document) others(t *tree, p place) *tree {
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
		if s := t.get(keyword); s != nil {
			return s
		}
	}
	if doc.closes(t, p) {
		return falseTree
	}
	return trueTree
}

// closes reports whether a tool's input refuses unknown names at t though t does not say so.
func (doc *document) closes(t *tree, p place) bool {
	if p.part || t.get("additionalProperties") != nil || t.get("unevaluatedProperties") != nil {
		return false
	}
	lists, object, says := false, false, false
	doc.inPlace(t, map[*tree]bool{}, func(sub *tree) {
		lists = lists || sub.get("properties") != nil
		object = object || sub.get("type") != nil && allowedTypes(sub) == tObject
		says = says || slices.ContainsFunc(sub.members, func(m member) bool { return objectKeywords[m.name] })
	})
	return lists || p.root && object && !says
}

// objectKeywords are those that say something about the properties of an object.
var objectKeywords = map[string]bool{
	"properties": true, "patternProperties": true, "additionalProperties": true, "unevaluatedProperties": true, "propertyNames": true,
	"required": true, "minProperties": true, "maxProperties": true, "dependentRequired": true, "dependentSchemas": true, "dependencies": true,
}

// inPlace calls f with t and all subschemas that apply to the same value.
func (doc *document) inPlace(t *tree, seen map[*tree]bool, f func(*tree)) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	f(t)
	for _, m := range t.members {
		switch m.name {
		case "if", "then", "else":
			if t.get("if") != nil { // alone the others say nothing
				doc.inPlace(m.value, seen, f)
			}
		case "allOf", "anyOf", "oneOf":
			for _, sub := range m.value.items {
				doc.inPlace(sub, seen, f)
			}
		case "dependentSchemas", "dependencies":
			for _, sub := range m.value.members {
				doc.inPlace(sub.value, seen, f)
			}
		default:
			for _, target := range doc.targets(t, m.name) {
				doc.inPlace(target, seen, f)
			}
		}
	}
}
