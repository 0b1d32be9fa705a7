package schema

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Config configures [Compile]. A nil *Config is the zero Config.
type Config struct {
	// Closed makes the validator refuse unknown property names wherever a subschema lists `properties`, unless that subschema
	// itself says additionalProperties or unevaluatedProperties. It has the meaning of `unevaluatedProperties: false`, so names
	// that allOf, $ref and the matching branches of anyOf list are known. A root that says nothing but `type: object` takes no
	// names at all; one that says nothing about objects (true, {}) stays open, and so does what only asks a question: if, not,
	// contains. Default: only what the schema says.
	Closed bool
	// Aliases maps former names of root properties to present ones. Normalize renames them; to Validate they are unknown names.
	Aliases map[string]string
	// FormatAnnotation makes `format` an annotation, as the specification's default is. Default: formats are asserted.
	FormatAnnotation bool
	// CheckDefaults makes Compile refuse a `default` that its own subschema does not accept. Either way such a default is never
	// filled in by Normalize.
	CheckDefaults bool
	// Loader returns the document at an absolute URI that a $ref or a $schema names. It is called by Compile only, never by the
	// validator. Default (nil): such references are errors. The metaschemas of 2020-12 and draft-07 need no loader.
	Loader func(uri string) ([]byte, error)
	// Coerce lets Normalize read values that came in quotes, as some models send them: an integer, number or boolean whose exact
	// JSON text stands in a string ("3", "true"), and an object or array that came as JSON text, once. It does so only where the
	// subschemas that apply in any case (as for defaults, and by the name's pattern) take that type and no string. Of an anyOf or
	// oneOf it reads what the branch wants that the value then fits, if it fits none as it is and there is only one way to read
	// it. Report.Coerced tells of each. Default: such values are faults.
	Coerce bool
	// MaxSize is the longest input in bytes. Default (0): 1 MiB.
	MaxSize int
	// MaxDepth is how deep arrays and objects may nest. Default (0): 64.
	MaxDepth int
}

const (
	defaultMaxSize  = 1 << 20
	defaultMaxDepth = 64
)

// maxErrors is how many errors of one schema are told; the rest is counted.
const maxErrors = 100

// A compiler turns the trees of one Compile call into nodes.
type compiler struct {
	cfg       Config
	keywords  map[string]keyword
	resources map[string]*resource
	all       []*resource
	loaded    map[string]*tree
	owner     map[*tree]*resource
	place     map[*tree]string
	nodes     map[*tree]*node
	order     []*node // the nodes in the order of their making, so that errors come in a fixed order
	patterns  map[string]*pattern
	carried   map[string]string
	dynamics  []*dynamicRef
	errs      []error
	more      int // errors beyond maxErrors
}

// Compile reads every keyword of s and returns a validator for it. A nil s is [None].
//
// Errors are joined ([errors.Join]), one for each thing wrong (at most a hundred, and how many more), and each names its place in the document as a JSON Pointer: a
// dialect that is not known, a reference that leads nowhere or that the configured Loader cannot serve, a keyword with a value
// of the wrong type, a pattern that is not a regular expression, subschemas that refer to each other without ever consuming a
// part of the value, an alias that is a property itself, and with CheckDefaults a default that does not fit.
func Compile(s *Schema, cfg *Config) (*Validator, error) {
	c := &compiler{
		keywords:  keywordTable,
		resources: map[string]*resource{}, loaded: map[string]*tree{}, owner: map[*tree]*resource{},
		place: map[*tree]string{}, nodes: map[*tree]*node{}, patterns: map[string]*pattern{},
	}
	if cfg != nil {
		c.cfg = *cfg
	}
	if s != nil {
		c.carried = s.carried
	}
	root, err := parseTree(s.text())
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	c.addDocument(root, "", draft{number: draft2020, vocab: vocabAll, undeclared: true}, "")
	v := &Validator{
		root:    c.compile(root),
		maxSize: cmp.Or(c.cfg.MaxSize, defaultMaxSize), maxDepth: cmp.Or(c.cfg.MaxDepth, defaultMaxDepth),
		closed: c.cfg.Closed, coerce: c.cfg.Coerce, aliases: maps.Clone(c.cfg.Aliases),
	}
	c.bindDynamic()
	if len(c.errs) == 0 {
		c.finish(v)
	}
	if len(c.errs) > 0 {
		if c.more > 0 {
			c.errs = append(c.errs, fmt.Errorf("compile schema: and %d errors more", c.more))
		}
		return nil, errors.Join(c.errs...)
	}
	return v, nil
}

// fail notes a compile error at a place.
func (c *compiler) fail(place, format string, args ...any) {
	if len(c.errs) >= maxErrors {
		c.more++
		return
	}
	c.errs = append(c.errs, fmt.Errorf("compile schema: at %q: %s", place, fmt.Sprintf(format, args...)))
}

// compile returns the node of the schema t, which index has seen.
func (c *compiler) compile(t *tree) *node {
	if n := c.nodes[t]; n != nil {
		return n
	}
	n := &node{res: c.owner[t], place: c.place[t], raw: t.raw, types: tAny}
	c.nodes[t] = n
	c.order = append(c.order, n)
	if !t.isSchema() || n.res == nil {
		c.fail(n.place, "must be a schema (an object or a boolean), got %s", describeTree(t))
		return n
	}
	c.carry(n)
	switch t.kind {
	case 't':
		n.always = n.carrier == nil

		return n
	case 'f':
		n.never = true
		return n
	}
	d := n.res.draft
	refOnly := d.number <= draft7 && t.get("$ref") != nil
	for _, m := range t.members {
		k, ok := c.keywords[m.name]
		if !ok || !k.applies(d) || refOnly && m.name != "$ref" {
			continue
		}
		k.compile(&keywordContext{compiler: c, node: n, schema: t, name: m.name, place: n.place + "/" + escapePointer(m.name)}, m.value)
	}
	c.carryNames(n)
	c.settleShape(n)
	return n
}

// settleShape rewrites what can be checked in one pass over the value.
func (c *compiler) settleShape(n *node) {
	if n.obj != nil {
		n.obj.finish()
	}
	// Without keywords that apply in place, "unevaluated" and "additional" mean the same.
	if n.in == nil && (n.obj == nil || !n.obj.hasDependentSchemas()) {
		if n.unevalProps != nil {
			o := n.object()
			if o.additional == nil {
				o.additional = n.unevalProps
			}
			n.unevalProps = nil
		}
		if n.unevalItems != nil && (n.arr == nil || n.arr.contains == nil) {
			a := n.array()
			if a.items == nil {
				a.items = n.unevalItems
			}
			n.unevalItems = nil
		}
	}
	if n.types == tAny && n.carrier == nil && n.enum == nil && n.num == nil && n.str == nil && n.obj == nil && n.arr == nil && n.in == nil &&
		n.unevalProps == nil && n.unevalItems == nil {
		n.always = true
	}
}

// bindDynamic gives each $dynamicRef the candidates of every resource. Compiling one can bring in new ones.
func (c *compiler) bindDynamic() {
	for i := 0; i < len(c.dynamics); i++ { //nolint:intrange // it grows on the way
		d := c.dynamics[i]
		for j := 0; j < len(c.all); j++ { //nolint:intrange // so does this
			res := c.all[j]
			switch t := res.dynamic[d.anchor]; {
			case d.anchor == "" && res.recursive:
				d.targets[res] = c.compile(res.root)
			case t != nil:
				d.targets[res] = c.compile(t)
			}
		}
	}
}

// finish derives what needs the whole graph of nodes.
func (c *compiler) finish(v *Validator) {
	v.dynamic = len(c.dynamics) > 0
	c.checkLoops()
	if len(c.errs) > 0 {
		return
	}
	for _, n := range c.order {
		n.linkJump(v.dynamic)
	}
	for _, n := range c.order {
		n.derive()
		n.direct = n.jump == nil && !n.always && !n.never && n.in == nil && n.unevalProps == nil && n.unevalItems == nil &&
			!v.dynamic && (n.obj == nil || !n.obj.hasSchemas)
	}
	for _, n := range c.order {
		if n.obj != nil {
			n.obj.deriveProperties()
		}
	}
	v.root = v.root.target()
	v.plain = !slices.ContainsFunc(c.order, func(n *node) bool { return !n.isPlain() })
	v.root.closable = v.root.closable || v.root.isBareObject()
	c.checkAliases(v)
	if len(c.errs) == 0 {
		c.settleDefaults(v)
	}
}

// linkJump lets n stand for the schema that it only refers to. With dynamic references each resource entered counts, so that
// nothing may be skipped.
func (n *node) linkJump(dynamic bool) {
	if dynamic || n.in == nil || n.in.ref == nil || n.carrier != nil || n.types != tAny || n.enum != nil || n.num != nil || n.str != nil ||
		n.obj != nil || n.arr != nil || n.unevalProps != nil || n.unevalItems != nil {
		return
	}
	if n.in.dynamic == nil && n.in.allOf == nil && n.in.anyOf == nil && n.in.oneOf == nil && n.in.not == nil && n.in.cond == nil {
		n.jump = n.in.ref
	}
}

// derive fills in what n and the subschemas that apply in place say. Those form no circle: checkLoops has seen to that.
func (n *node) derive() {
	if n.derived {
		return
	}
	n.derived = true
	n.lists = n.obj != nil && n.obj.listed
	n.hasDefault, n.isDeprecated = n.def != nil, n.deprecated
	n.inPlaceNodes(func(sub *node, definite bool) {
		sub.derive()
		n.lists = n.lists || sub.lists
		if definite {
			n.hasDefault, n.isDeprecated = n.hasDefault || sub.hasDefault, n.isDeprecated || sub.isDeprecated
		}
	})
	n.closable = n.lists && !n.saysAdditional
}

// deriveProperties copies to an object rule what its properties' schemas say.
func (r *objectRule) deriveProperties() {
	for i := range r.props {
		if p := &r.props[i]; p.node != nil {
			p.deprecated = p.node.isDeprecated
		}
	}
}

// accepted lists every property name that n, or what it applies in place, lists.
func (n *node) accepted() *candidates {
	return remember(&n.names, func() candidates { return newCandidates(n.listNames()) })
}

func (n *node) listNames() (names []string) {
	if n.in == nil && n.obj != nil && len(n.obj.depends) == 0 {
		names = make([]string, 0, n.obj.declared)
		for i := range n.obj.declared {
			names = append(names, n.obj.props[i].name)
		}
		return names
	}
	seen := map[string]bool{}
	n.walkInPlace(map[*node]bool{}, false, func(sub *node) {
		if sub.obj == nil {
			return
		}
		for _, p := range sub.obj.props[:sub.obj.declared] {
			if !seen[p.name] {
				seen[p.name] = true
				names = append(names, p.name)
			}
		}
	})
	return names
}

// walkInPlace calls f for n and every node that applies to the same value; with definite set only for those that must hold for
// every value that is not null.
func (n *node) walkInPlace(seen map[*node]bool, definite bool, f func(*node)) {
	if seen[n] {
		return
	}
	seen[n] = true
	f(n)
	n.inPlaceNodes(func(sub *node, must bool) {
		if must || !definite {
			sub.walkInPlace(seen, definite, f)
		}
	})
}

// isBareObject reports whether all that the schema says about its members is that there are none: {"type":"object"}.
func (n *node) isBareObject() bool {
	object, says := false, false
	n.walkInPlace(map[*node]bool{}, false, func(sub *node) {
		object = object || sub.types == tObject
		says = says || sub.obj != nil || sub.unevalProps != nil
	})
	return object && !says
}

// checkLoops refuses schemas that apply to a value only if they apply to that value: checking would never end.
func (c *compiler) checkLoops() {
	const visiting, done = 1, 2
	state := map[*node]int{}
	var visit func(n *node)
	visit = func(n *node) {
		switch state[n] {
		case done:
			return
		case visiting:
			c.fail(n.place, "the schema refers to itself without consuming any part of the value")
			return
		}
		state[n] = visiting
		n.inPlaceNodes(func(sub *node, _ bool) { visit(sub) })
		if n.in != nil && n.in.not != nil {
			visit(n.in.not)
		}
		state[n] = done
	}
	for _, n := range c.order {
		visit(n)
	}
}

func (c *compiler) checkAliases(v *Validator) {
	names := make([]string, 0, len(c.cfg.Aliases))
	for from := range c.cfg.Aliases {
		names = append(names, from)
	}
	slices.Sort(names)
	accepted := v.root.accepted().names
	for _, from := range names {
		to := c.cfg.Aliases[from]
		switch {
		case slices.Contains(accepted, from):
			c.fail("", "the alias %q is a property of its own", from)
		case !slices.Contains(accepted, to):
			c.fail("", "the alias %q stands for %q, which is not a property", from, to)
		}
	}
}

// isPlain reports whether nothing in n looks at an object or array as a whole, but for the presence of names.
func (n *node) isPlain() bool {
	if n.in != nil && n.jump == nil || n.unevalProps != nil || n.unevalItems != nil {
		return false
	}
	for r := n.enum; r != nil; r = r.also {
		if slices.ContainsFunc(r.values, func(t *tree) bool { return t.kind == '{' || t.kind == '[' }) {
			return false
		}
	}
	if n.arr != nil && (n.arr.unique || n.arr.contains != nil) {
		return false
	}
	return n.obj == nil || len(n.obj.patterns) == 0 && n.obj.names == nil && n.obj.maxProps < 0 && len(n.obj.depends) == 0
}

// target follows references that say nothing of their own.
func (n *node) target() *node {
	for n.jump != nil {
		n = n.jump
	}
	return n
}
