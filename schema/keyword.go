package schema

import (
	"slices"
	"strconv"

	"helve.dev/helve/internal/jsonx"
)

// A keyword is one entry of the table of keywords: in which drafts and vocabularies it counts, and what it adds to a node.
type keyword struct {
	since, until draftNumber // until 0: still
	vocab        vocabulary  // 0: core, always
	compile      func(k *keywordContext, t *tree)
}

func (k keyword) applies(d draft) bool {
	return d.number >= k.since && (k.until == 0 || d.number <= k.until) && (k.vocab == 0 || d.vocab&k.vocab != 0)
}

type keywordContext struct {
	*compiler
	node   *node
	schema *tree
	name   string
	place  string
}

// keywordTable lists every keyword that means something. A compiler carries it, because the handlers come back to the table
// through compiler.compile.
var keywordTable = map[string]keyword{
	"$ref":          {compile: kwRef},
	"$dynamicRef":   {since: draft2020, compile: kwDynamicRef},
	"$recursiveRef": {since: draft2019, until: draft2019, compile: kwRecursiveRef},

	"allOf": {vocab: vocabApplicator, compile: kwList(func(in *inPlace, l []*node) { in.allOf = l })},
	"anyOf": {vocab: vocabApplicator, compile: kwList(func(in *inPlace, l []*node) { in.anyOf = l })},
	"oneOf": {vocab: vocabApplicator, compile: kwList(func(in *inPlace, l []*node) { in.oneOf = l })},
	"not":   {vocab: vocabApplicator, compile: func(k *keywordContext, t *tree) { k.inPlace().not = k.sub(t, "") }},
	"if":    {since: draft7, vocab: vocabApplicator, compile: kwIf},

	"properties":            {vocab: vocabApplicator, compile: kwProperties},
	"patternProperties":     {vocab: vocabApplicator, compile: kwPatternProperties},
	"additionalProperties":  {vocab: vocabApplicator, compile: kwAdditional},
	"propertyNames":         {vocab: vocabApplicator, compile: func(k *keywordContext, t *tree) { k.object().names = k.sub(t, "") }},
	"dependentSchemas":      {since: draft2019, vocab: vocabApplicator, compile: kwDependencies},
	"dependencies":          {vocab: vocabApplicator, compile: kwDependencies},
	"unevaluatedProperties": {since: draft2019, vocab: vocabUnevaluated, compile: kwUnevaluatedProperties},
	"prefixItems":           {since: draft2020, vocab: vocabApplicator, compile: func(k *keywordContext, t *tree) { k.array().prefix = k.subs(t) }},
	"items":                 {vocab: vocabApplicator, compile: kwItems},
	"additionalItems":       {vocab: vocabApplicator, compile: kwAdditionalItems},
	"contains":              {vocab: vocabApplicator, compile: kwContains},
	"unevaluatedItems":      {since: draft2019, vocab: vocabUnevaluated, compile: func(k *keywordContext, t *tree) { k.node.unevalItems = k.sub(t, "") }},

	"type":              {vocab: vocabValidation, compile: kwType},
	"enum":              {vocab: vocabValidation, compile: kwEnum},
	"const":             {vocab: vocabValidation, compile: kwConst},
	"minimum":           {vocab: vocabValidation, compile: kwLimit(func(r *numberRule) *limit { return &r.min })},
	"maximum":           {vocab: vocabValidation, compile: kwLimit(func(r *numberRule) *limit { return &r.max })},
	"exclusiveMinimum":  {vocab: vocabValidation, compile: kwLimit(func(r *numberRule) *limit { return &r.above })},
	"exclusiveMaximum":  {vocab: vocabValidation, compile: kwLimit(func(r *numberRule) *limit { return &r.below })},
	"multipleOf":        {vocab: vocabValidation, compile: kwLimit(func(r *numberRule) *limit { return &r.multipleOf })},
	"minLength":         {vocab: vocabValidation, compile: func(k *keywordContext, t *tree) { k.count(t, &k.string().minLen) }},
	"maxLength":         {vocab: vocabValidation, compile: func(k *keywordContext, t *tree) { k.count(t, &k.string().maxLen) }},
	"pattern":           {vocab: vocabValidation, compile: kwPattern},
	"minItems":          {vocab: vocabValidation, compile: func(k *keywordContext, t *tree) { k.count(t, &k.array().minItems) }},
	"maxItems":          {vocab: vocabValidation, compile: func(k *keywordContext, t *tree) { k.count(t, &k.array().maxItems) }},
	"uniqueItems":       {vocab: vocabValidation, compile: func(k *keywordContext, t *tree) { k.array().unique = k.boolean(t) }},
	"minContains":       {since: draft2019, vocab: vocabValidation, compile: kwMinContains},
	"maxContains":       {since: draft2019, vocab: vocabValidation, compile: kwMaxContains},
	"minProperties":     {vocab: vocabValidation, compile: func(k *keywordContext, t *tree) { k.count(t, &k.object().minProps) }},
	"maxProperties":     {vocab: vocabValidation, compile: func(k *keywordContext, t *tree) { k.count(t, &k.object().maxProps) }},
	"required":          {vocab: vocabValidation, compile: kwRequired},
	"dependentRequired": {since: draft2019, vocab: vocabValidation, compile: kwDependencies},

	"format":      {vocab: vocabFormat, compile: kwFormat},
	"default":     {vocab: vocabMetadata, compile: func(k *keywordContext, t *tree) { k.node.def = t.raw }},
	"deprecated":  {vocab: vocabMetadata, compile: func(k *keywordContext, t *tree) { k.node.deprecated = k.boolean(t) }},
	"description": {vocab: vocabMetadata, compile: func(k *keywordContext, t *tree) { k.node.description = t.str }},
}

func (k *keywordContext) wrong(t *tree, want string) {
	k.fail(k.place, "%s must be %s, got %s", k.name, want, describeTree(t))
}

func (k *keywordContext) inPlace() *inPlace {
	if k.node.in == nil {
		k.node.in = &inPlace{}
	}
	return k.node.in
}

func (k *keywordContext) object() *objectRule { return k.node.object() }
func (k *keywordContext) array() *arrayRule   { return k.node.array() }

func (k *keywordContext) string() *stringRule {
	if k.node.str == nil {
		k.node.str = &stringRule{minLen: -1, maxLen: -1}
	}
	return k.node.str
}

func (n *node) object() *objectRule {
	if n.obj == nil {
		n.obj = &objectRule{maxProps: -1, minProps: -1}
	}
	return n.obj
}

func (n *node) array() *arrayRule {
	if n.arr == nil {
		n.arr = &arrayRule{minContains: 1, maxContains: -1, minItems: -1, maxItems: -1}
	}
	return n.arr
}

// sub compiles the subschema t; below is what follows the keyword in its place.
func (k *keywordContext) sub(t *tree, below string) *node {
	if !t.isSchema() {
		k.fail(k.place+below, "must be a schema (an object or a boolean), got %s", describeTree(t))
		return &node{types: tAny, always: true}
	}
	return k.compile(t)
}

func (k *keywordContext) subs(t *tree) []*node {
	if t.kind != '[' || len(t.items) == 0 {
		k.wrong(t, "an array of at least one schema")
		return nil
	}
	list := make([]*node, len(t.items))
	for i, item := range t.items {
		list[i] = k.sub(item, "/"+strconv.Itoa(i))
	}
	return list
}

func (k *keywordContext) boolean(t *tree) bool {
	if t.kind != 't' && t.kind != 'f' {
		k.wrong(t, "a boolean")
	}
	return t.kind == 't'
}

func (k *keywordContext) decimal(t *tree) (limit, bool) {
	if t.kind != '0' {
		k.wrong(t, "a number")
		return limit{}, false
	}
	v, err := jsonx.ParseDecimal(t.raw)
	if err != nil {
		k.fail(k.place, "%v", err)
		return limit{}, false
	}
	l := limit{set: true, text: t.raw, value: v}
	if text, ok := v.AppendInteger(nil, 18); ok {
		l.small, _ = strconv.ParseInt(string(text), 10, 64)
		l.fits = true
	} else {
		_, l.small, l.scale, l.fits = smallDecimal(t.raw, 0)
	}
	return l, true
}

func (k *keywordContext) count(t *tree, into *int) {
	l, ok := k.decimal(t)
	switch {
	case !ok:
	case l.value.Sign() < 0 || !l.value.IsInteger():
		k.wrong(t, "a non-negative integer")
	case !l.fits || l.small > 1<<31:
		*into = 1 << 31
	default:
		*into = int(l.small)
	}
}

func kwRef(k *keywordContext, t *tree) {
	if t.kind != '"' {
		k.wrong(t, "a string")
		return
	}
	target, _, err := k.resolve(t.str, k.node.res)
	if err != nil {
		k.fail(k.place, "$ref %q leads nowhere: %v", t.str, err)
		return
	}
	k.setStatic(k.compile(target))
}

func kwDynamicRef(k *keywordContext, t *tree) {
	if t.kind != '"' {
		k.wrong(t, "a string")
		return
	}
	target, res, err := k.resolve(t.str, k.node.res)
	if err != nil {
		k.fail(k.place, "$dynamicRef %q leads nowhere: %v", t.str, err)
		return
	}
	initial := k.compile(target)
	name := ""
	if a := target.get("$dynamicAnchor"); a != nil {
		name = a.str
	}
	// Core specification, section 8.2.3.2: only a reference that lands on a dynamic anchor of that very name is dynamic.
	if name == "" || res.dynamic[name] != target || !hasFragment(t.str, name) {
		k.setStatic(initial)
		return
	}
	k.setDynamic(name, initial)
}

func (k *keywordContext) setStatic(target *node) {
	if in := k.inPlace(); in.ref == nil {
		in.ref = target
	} else {
		in.allOf = append(slices.Clip(in.allOf), target)
	}
}

func (k *keywordContext) setDynamic(anchor string, initial *node) {
	d := &dynamicRef{anchor: anchor, initial: initial, targets: map[*resource]*node{}}
	k.inPlace().dynamic = d
	k.dynamics = append(k.dynamics, d)
}

func kwRecursiveRef(k *keywordContext, t *tree) {
	if t.kind != '"' || t.str != "#" {
		k.wrong(t, `the string "#"`)
		return
	}
	initial := k.compile(k.node.res.root)
	if !k.node.res.recursive {
		k.setStatic(initial)
		return
	}
	k.setDynamic("", initial)
}

func kwList(set func(*inPlace, []*node)) func(*keywordContext, *tree) {
	return func(k *keywordContext, t *tree) {
		if list := k.subs(t); list != nil {
			if old := k.inPlace().allOf; k.name == "allOf" && old != nil { // a $dynamicRef came first
				list = append(list, old...)
			}
			set(k.inPlace(), list)
		}
	}
}

func kwIf(k *keywordContext, t *tree) {
	in := k.inPlace()
	in.cond = k.sub(t, "")
	for _, branch := range []struct {
		name string
		into **node
	}{{"then", &in.then}, {"else", &in.els}} {
		if sub := k.schema.get(branch.name); sub != nil {
			at := *k
			at.name, at.place = branch.name, k.node.place+"/"+branch.name
			*branch.into = at.sub(sub, "")
		}
	}
}
