package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"helve.dev/helve/internal/jsonx"
)

// types compares which types are taken.
func (d *differ) types(a, b *tree, p place) {
	old, next := allowedTypes(a), allowedTypes(b)
	if gone := old &^ next; gone != 0 {
		d.add(p, narrow, "takes no "+typeList(gone)+" any more")
	}
	if more := next &^ old; more != 0 {
		d.add(p, widen, "takes "+typeList(more)+" too")
	}
}

// allowedTypes returns the types that the keywords of t allow: those it names, else those of the values it lists.
func allowedTypes(t *tree) types {
	var names []*tree
	switch ty := t.get("type"); {
	case ty != nil && ty.kind == '"':
		names = []*tree{ty}
	case ty != nil && ty.kind == '[':
		names = ty.items
	default:
		values := listed(t)
		if values == nil {
			return tAny
		}
		var set types
		for _, v := range values {
			set |= valueTypes(v)
		}
		return set
	}
	var set types
	for _, n := range names {
		set |= typeNames[n.str]
		if n.str == "number" {
			set |= tInteger
		}
	}
	return set
}

func valueTypes(v *tree) types {
	switch v.kind {
	case '{':
		return tObject
	case '[':
		return tArray
	case '"':
		return tString
	case 't', 'f':
		return tBoolean
	case 'n':
		return tNull
	}
	if n, err := jsonx.ParseDecimal(v.raw); err == nil && n.IsInteger() {
		return tInteger
	}
	return tNumber | tInteger
}

func typeList(set types) string {
	var names []string
	for _, name := range []string{"object", "array", "string", "number", "integer", "boolean", "null"} {
		if set&typeNames[name] != 0 && (name != "integer" || set&tNumber == 0) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// listed returns the values of enum or const, or nil.
func listed(t *tree) []*tree {
	if e := t.get("enum"); e != nil && e.kind == '[' {
		return append([]*tree{}, e.items...)
	}
	if c := t.get("const"); c != nil {
		return []*tree{c}
	}
	return nil
}

// values compares enum and const.
func (d *differ) values(a, b *tree, p place) {
	old, next := canonicalAll(listed(a)), canonicalAll(listed(b))
	if t := b.get("enum"); t != nil && b.get("const") != nil || a.get("enum") != nil && a.get("const") != nil {
		if d.differs(a, b, "enum") || d.differs(a, b, "const") {
			d.add(p, either, "lists other values")
		}
		return
	}
	at := p.at("enum")
	switch {
	case listed(a) == nil && listed(b) == nil:
		return
	case listed(a) == nil:
		d.add(at, narrow, "takes only listed values now")
		return
	case listed(b) == nil:
		d.add(at, widen, "takes values that are not listed")
		return
	}
	for _, v := range old {
		if !slices.Contains(next, v) {
			d.add(at, narrow, "takes "+clipValue(v)+" no more")
		}
	}
	for _, v := range next {
		if !slices.Contains(old, v) {
			d.add(at, widen, "takes "+clipValue(v)+" too")
		}
	}
}

func clipValue(v string) string {
	if len(v) > 60 {
		return strings.ToValidUTF8(v[:57], "") + "..."
	}
	return v
}

func canonicalAll(values []*tree) []string {
	var out []string
	for _, v := range values {
		out = append(out, canonicalText(v))
	}
	return out
}

func canonicalText(t *tree) string {
	if c, err := jsonx.Canonical(t.raw); err == nil {
		return string(c)
	}
	return string(t.raw)
}

// differs reports whether a keyword has another value.
func (d *differ) differs(a, b *tree, keyword string) bool {
	return sayOther(a.get(keyword), b.get(keyword))
}

// sayOther reports whether two values differ, either of which may be missing.
func sayOther(x, y *tree) bool {
	if x == nil || y == nil {
		return x != y
	}
	return canonicalText(x) != canonicalText(y)
}

// bound is a keyword with a number: raising says what a higher number does.
type bound struct {
	keyword string
	raising direction
	// without is what a missing keyword means.
	without string
}

var bounds = []bound{
	{"minimum", narrow, "-inf"},
	{"exclusiveMinimum", narrow, "-inf"},
	{"maximum", widen, "inf"},
	{"exclusiveMaximum", widen, "inf"},
	{"minLength", narrow, "0"},
	{"maxLength", widen, "inf"},
	{"minItems", narrow, "0"},
	{"maxItems", widen, "inf"},
	{"minProperties", narrow, "0"},
	{"maxProperties", widen, "inf"},
}

// bounds compares the keywords that bound sizes and numbers.
func (d *differ) bounds(a, b *tree, p place) {
	for _, k := range bounds {
		x, y := a.get(k.keyword), b.get(k.keyword)
		if x == nil && y == nil || !d.differs(a, b, k.keyword) {
			continue
		}
		dir, ok := k.direction(x, y)
		switch {
		case !ok:
			d.add(p.at(k.keyword), either, k.keyword+" changed")
		case dir != note:
			d.add(p.at(k.keyword), dir, fmt.Sprintf("%s is %s, was %s", k.keyword, textOr(y, "gone"), textOr(x, "not there")))
		}
	}
	if !d.differs(a, b, "multipleOf") {
		return
	}
	x, y := a.get("multipleOf"), b.get("multipleOf")
	if dir := factorDirection(x, y); dir != either {
		d.add(p.at("multipleOf"), dir, fmt.Sprintf("multipleOf is %s, was %s", y.raw, x.raw))
		return
	}
	d.presence(a, b, p, "multipleOf")
}

// factorDirection says what another multipleOf does: a multiple of 4 is one of 2 too.
func factorDirection(x, y *tree) direction {
	if kindOf(x) != '0' || kindOf(y) != '0' {
		return either
	}
	v, errV := jsonx.ParseDecimal(x.raw)
	w, errW := jsonx.ParseDecimal(y.raw)
	switch {
	case errV != nil || errW != nil || v.Sign() <= 0 || w.Sign() <= 0:
		return either
	case v.MultipleOf(w):
		return widen
	case w.MultipleOf(v):
		return narrow
	}
	return either
}

func textOr(t *tree, missing string) string {
	if t == nil {
		return missing
	}
	return string(t.raw)
}

// direction says what the change from x to y does, and whether both are numbers.
func (k bound) direction(x, y *tree) (direction, bool) {
	order, ok := compareBounds(x, y, k.without)
	if !ok {
		return either, false
	}
	switch {
	case order == 0:
		return note, true
	case (order < 0) == (k.raising == narrow): // raised where raising narrows, or lowered where raising widens
		return narrow, true
	}
	return widen, true
}

// compareBounds orders two bounds, one of which may be missing.
func compareBounds(x, y *tree, without string) (int, bool) {
	if x != nil && x.kind != '0' || y != nil && y.kind != '0' {
		return 0, false
	}
	if without == "0" {
		zero := &tree{kind: '0', raw: []byte("0")}
		if x == nil {
			x = zero
		}
		if y == nil {
			y = zero
		}
	}
	if x == nil || y == nil {
		f, _ := strconv.ParseFloat(without, 64)
		above := math.IsInf(f, 1)
		if (x == nil) == above {
			return 1, true // the old one is the larger
		}
		return -1, true
	}
	v, errV := jsonx.ParseDecimal(x.raw)
	w, errW := jsonx.ParseDecimal(y.raw)
	return v.Compare(w), errV == nil && errW == nil
}

// presence judges a keyword whose values cannot be ordered: adding it narrows, taking it away widens.
func (d *differ) presence(a, b *tree, p place, keyword string) {
	x, y := a.get(keyword), b.get(keyword)
	switch at := p.at(keyword); {
	case x == nil:
		d.add(at, narrow, fmt.Sprintf("%s %s is new", keyword, clipValue(string(y.raw))))
	case y == nil:
		d.add(at, widen, fmt.Sprintf("%s %s is gone", keyword, clipValue(string(x.raw))))
	default:
		d.add(at, either, fmt.Sprintf("%s is %s, was %s", keyword, clipValue(string(y.raw)), clipValue(string(x.raw))))
	}
}

// texts compares what is asked of texts.
func (d *differ) texts(a, b *tree, p place) {
	for _, keyword := range []string{"pattern", "format", "contentEncoding", "contentMediaType"} {
		if d.differs(a, b, keyword) {
			d.presence(a, b, p, keyword)
		}
	}
	if d.changed(a.get("contentSchema"), b.get("contentSchema")) {
		d.add(p.at("contentSchema"), either, "contentSchema changed")
	}
}

// words compares what only people and models read, and the default.
func (d *differ) words(a, b way, keywords []string, p place) {
	for _, keyword := range keywords {
		x, y := a.get(keyword), b.get(keyword)
		if !sayOther(x, y) {
			continue
		}
		at := p.at(keyword)
		switch {
		case keyword == "default" && x == nil:
			d.judge(at, Compatible, Neutral, "the default is "+clipValue(string(y.raw))+", there was none")
		case keyword == "default":
			d.judge(at, Breaking, Neutral, fmt.Sprintf("the default is %s, was %s: a call that leaves it out means something else",
				clipValue(textOr(y, "gone")), clipValue(string(x.raw))))
		case keyword == "deprecated":
			d.judge(at, Compatible, Compatible, "deprecated is "+textOr(y, "gone"))
		case keyword == "$schema":
			d.add(at, either, "the dialect changed")
		default:
			d.add(at, note, keyword+" changed")
		}
	}
}

// wordsOf returns the keywords of both that are words, in the order of the new schema.
func wordsOf(next, old way) []string {
	var names []string
	for _, t := range slices.Concat(next, old) {
		for _, m := range t.members {
			if isWord(m.name) && !slices.Contains(names, m.name) {
				names = append(names, m.name)
			}
		}
	}
	return names
}

// isWord reports whether a keyword takes no part in validation: the annotations, and all that the specification does not know.
func isWord(name string) bool { return !assertions[name] }

// assertions are the keywords that Diff looks at elsewhere, or that say where a schema is.
var assertions = setOf(
	"type enum const multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern format " +
		"contentEncoding contentMediaType contentSchema " +
		"properties required additionalProperties patternProperties propertyNames minProperties maxProperties " +
		"dependentRequired dependentSchemas dependencies unevaluatedProperties " +
		"items prefixItems additionalItems contains minContains maxContains minItems maxItems uniqueItems unevaluatedItems " +
		"allOf anyOf oneOf not if then else $ref $dynamicRef $recursiveRef $defs definitions")

func setOf(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}
