package schema

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// A resource is a schema document, or a part of one that has its own $id (core specification, section 4.3.5).
type resource struct {
	uri     string // absolute where it can be, without fragment
	root    *tree
	draft   draft
	anchors map[string]*tree
	dynamic map[string]*tree
	// recursive: the root says $recursiveAnchor (draft 2019-09).
	recursive bool
}

// subschemaForm says where the subschemas of a keyword are.
type subschemaForm int

const (
	formOne   subschemaForm = iota + 1 // the value
	formList                           // its items
	formMap                            // its members' values
	formMixed                          // the value, or its items
	formDeps                           // its members' values, where they are schemas
)

var subschemaKeywords = map[string]subschemaForm{
	"additionalItems": formOne, "additionalProperties": formOne, "contains": formOne, "else": formOne, "if": formOne,
	"not": formOne, "propertyNames": formOne, "then": formOne, "unevaluatedItems": formOne, "unevaluatedProperties": formOne,
	"contentSchema": formOne,
	"allOf":         formList, "anyOf": formList, "oneOf": formList, "prefixItems": formList,
	"$defs": formMap, "definitions": formMap, "dependentSchemas": formMap, "patternProperties": formMap, "properties": formMap,
	"items": formMixed, "dependencies": formDeps,
}

// index records the resources, anchors and places of the schema t and of everything below it.
func (c *compiler) index(t *tree, res *resource, place string) {
	if !t.isSchema() || c.owner[t] != nil {
		return
	}
	if t.kind == '{' {
		res = c.enterResource(t, res, place)
	}
	c.owner[t], c.place[t] = res, place
	for _, m := range t.members {
		at := place + "/" + escapePointer(m.name)
		switch form := subschemaKeywords[m.name]; {
		case form == formOne, form == formMixed && m.value.kind != '[':
			c.index(m.value, res, at)
		case form == formList, form == formMixed:
			for i, item := range m.value.items {
				c.index(item, res, at+"/"+strconv.Itoa(i))
			}
		case form == formMap, form == formDeps:
			for _, sub := range m.value.members {
				c.index(sub.value, res, at+"/"+escapePointer(sub.name))
			}
		}
	}
}

// enterResource returns the resource that t belongs to: a new one when t identifies itself.
func (c *compiler) enterResource(t *tree, res *resource, place string) *resource {
	d := res.draft
	if s := t.get("$schema"); s != nil && s.kind == '"' && t != res.root {
		if declared, err := c.declaredDraft(s.str, 0); err == nil {
			d = declared
		} else {
			c.fail(place+"/$schema", "%v", err)
		}
	}
	old := d.number <= draft7
	if old && t.get("$ref") != nil {
		return res // draft-07, section 8.3: siblings of $ref are ignored
	}
	if id := t.get("$id"); id != nil && id.kind == '"' {
		base, fragment, _ := strings.Cut(id.str, "#")
		if old && base == "" && fragment != "" {
			res.anchors[fragment] = t
		} else if base != "" || t == res.root {
			res = c.newResource(t, resolveURI(res.uri, base), d, res)
		}
	}
	if a := t.get("$anchor"); a != nil && a.kind == '"' && !old {
		res.anchors[a.str] = t
	}
	if a := t.get("$dynamicAnchor"); a != nil && a.kind == '"' && !old {
		res.anchors[a.str], res.dynamic[a.str] = t, t
	}
	if a := t.get("$recursiveAnchor"); a != nil && a.kind == 't' && t == res.root && d.number == draft2019 {
		res.recursive = true
	}
	return res
}

func (c *compiler) newResource(t *tree, uri string, d draft, outer *resource) *resource {
	if outer != nil && outer.root == t {
		outer.uri = uri
		if c.resources[uri] == nil {
			c.resources[uri] = outer
		}
		return outer
	}
	res := &resource{uri: uri, root: t, draft: d, anchors: map[string]*tree{}, dynamic: map[string]*tree{}}
	if c.resources[uri] == nil {
		c.resources[uri] = res
	}
	c.all = append(c.all, res)
	return res
}

// indexDocument indexes the document root for those that only follow its references.
func indexDocument(root *tree, cfg Config) *compiler {
	c := &compiler{
		cfg: cfg, resources: map[string]*resource{}, loaded: map[string]*tree{}, owner: map[*tree]*resource{}, place: map[*tree]string{},
	}
	c.addDocument(root, "", draft{number: draft2020, vocab: vocabAll, undeclared: true}, "")
	return c
}

// draftOf returns the dialect of a schema.
func (c *compiler) draftOf(t *tree) draft {
	if res := c.owner[t]; res != nil {
		return res.draft
	}
	return draft{number: draft2020, vocab: vocabAll, undeclared: true}
}

// onlyRef reports whether siblings of a $ref in t are ignored (draft-07, section 8.3).
func (c *compiler) onlyRef(t *tree) bool {
	return c.draftOf(t).number <= draft7 && t.get("$ref") != nil
}

// counts reports whether the keyword name has a meaning in t. Keywords that are unknown count: they are annotations.
func (c *compiler) counts(t *tree, name string) bool {
	k, known := keywordTable[name]
	return !known || k.applies(c.draftOf(t))
}

// addDocument makes the document t known under uri.
func (c *compiler) addDocument(t *tree, uri string, d draft, place string) *resource {
	if s := t.get("$schema"); s != nil {
		if s.kind != '"' {
			c.fail(place+"/$schema", "must be a string that names the dialect, got %s", describeTree(s))
		} else if declared, err := c.declaredDraft(s.str, 0); err != nil {
			c.fail(place+"/$schema", "%v", err)
		} else {
			d = declared
		}
	}
	res := c.newResource(t, uri, d, nil)
	c.index(t, res, place)
	return res
}

// resolve finds the schema that ref stands for when it is read in res.
func (c *compiler) resolve(ref string, res *resource) (*tree, *resource, error) {
	base, fragment, _ := strings.Cut(ref, "#")
	target := res
	if base != "" {
		var err error
		if target, err = c.document(resolveURI(res.uri, base), res.draft); err != nil {
			return nil, nil, err
		}
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, nil, fmt.Errorf("the fragment is not valid: %w", err)
	}
	if fragment == "" {
		return target.root, target, nil
	}
	if !strings.HasPrefix(fragment, "/") {
		if t := target.anchors[fragment]; t != nil {
			return t, c.owner[t], nil
		}
		return nil, nil, fmt.Errorf("no anchor %q", fragment)
	}
	return c.follow(target, fragment)
}

// follow walks a JSON Pointer (RFC 6901) from the root of res.
func (c *compiler) follow(res *resource, pointer string) (*tree, *resource, error) {
	t := res.root
	for _, token := range strings.Split(pointer, "/")[1:] {
		name := strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		next := t.get(name)
		if i, err := strconv.Atoi(token); err == nil && t.kind == '[' && i >= 0 && i < len(t.items) {
			next = t.items[i]
		}
		if next == nil {
			return nil, nil, fmt.Errorf("nothing is at %q", pointer)
		}
		if t = next; c.owner[t] != nil {
			res = c.owner[t]
		}
	}
	if !t.isSchema() {
		return nil, nil, fmt.Errorf("what is at %q is not a schema but %s", pointer, describeTree(t))
	}
	if c.owner[t] == nil { // below a keyword that is unknown
		c.index(t, res, c.place[res.root]+pointer)
	}
	return t, c.owner[t], nil
}

// document returns the resource known under uri, and asks the loader for it when there is none.
func (c *compiler) document(uri string, d draft) (*resource, error) {
	if res := c.resources[uri]; res != nil {
		return res, nil
	}
	t, err := c.load(uri)
	if err != nil {
		return nil, err
	}
	return c.addDocument(t, uri, d, uri+"#"), nil
}

func (c *compiler) load(uri string) (*tree, error) {
	if t := c.loaded[uri]; t != nil {
		return t, nil
	}
	raw, ok := metaschema(uri)
	if !ok {
		if c.cfg.Loader == nil {
			return nil, fmt.Errorf("%q is not in this document, and no loader is configured", uri)
		}
		var err error
		if raw, err = c.cfg.Loader(uri); err != nil {
			return nil, fmt.Errorf("load %q: %w", uri, err)
		}
	}
	t, err := parseTree(raw)
	if err != nil {
		return nil, fmt.Errorf("load %q: %w", uri, err)
	}
	if !t.isSchema() {
		return nil, fmt.Errorf("load %q: not a schema but %s", uri, describeTree(t))
	}
	c.loaded[uri] = t
	return t, nil
}

func resolveURI(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	return b.ResolveReference(r).String()
}

func escapePointer(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
