package schema_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A reference is a second validator, written from the specification for reading, not for speed: it works on decoded values, knows
// no pass, no budget and no messages. TestAgainstReference compares verdicts on random schemas.
type reference struct {
	root   any
	closed bool // as Config.Closed
}

// evaluation is what a schema says about a value: whether it fits, and which members and items it has looked at.
type evaluation struct {
	ok    bool
	props map[string]bool
	items map[int]bool
}

func fits(ok bool) evaluation {
	return evaluation{ok: ok, props: map[string]bool{}, items: map[int]bool{}}
}

// also adds the verdict and the annotations of another subschema that must hold.
func (e *evaluation) also(other evaluation) {
	e.ok = e.ok && other.ok
	e.merge(other)
}

func (e *evaluation) merge(other evaluation) {
	if !other.ok {
		return
	}
	for name := range other.props {
		e.props[name] = true
	}
	for i := range other.items {
		e.items[i] = true
	}
}

func (r reference) eval(s, v any) evaluation {
	rules, isObject := s.(map[string]any)
	if !isObject {
		return fits(s.(bool))
	}
	e := fits(true)
	r.values(rules, v, &e)
	switch v := v.(type) {
	case map[string]any:
		r.object(rules, v, &e)
	case []any:
		r.array(rules, v, &e)
	}
	r.inPlace(rules, v, &e)
	r.unevaluated(rules, v, &e)
	return e
}

// child is eval for a value of its own: a member, an item or the root. There Closed counts.
func (r reference) child(s, v any, isRoot bool) evaluation {
	e := r.eval(s, v)
	object, isObject := v.(map[string]any)
	rules, isRules := s.(map[string]any)
	if !r.closed || !isObject || !isRules || rules["additionalProperties"] != nil || rules["unevaluatedProperties"] != nil {
		return e
	}
	lists, bare, says := false, false, false
	r.closure(rules, map[string]bool{}, func(sub map[string]any) {
		lists = lists || sub["properties"] != nil
		bare = bare || sub["type"] == "object"
		for _, word := range []string{
			"properties", "patternProperties", "additionalProperties", "propertyNames", "dependentRequired", "dependentSchemas",
			"minProperties", "maxProperties", "required", "dependencies", "unevaluatedProperties",
		} {
			says = says || sub[word] != nil
		}
	})
	if lists || isRoot && bare && !says {
		for name := range object {
			e.ok = e.ok && e.props[name]
		}
	}
	return e
}

// open is the reference for questions (if, not, contains), which Closed leaves alone.
func (r reference) open() reference { return reference{root: r.root} }

// closure calls f for a schema and all that apply to the same value.
func (r reference) closure(rules map[string]any, seen map[string]bool, f func(map[string]any)) {
	f(rules)
	visit := func(s any) {
		if sub, ok := s.(map[string]any); ok {
			r.closure(sub, seen, f)
		}
	}
	if ref, ok := rules["$ref"].(string); ok && !seen[ref] {
		seen[ref] = true
		visit(r.target(ref))
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := rules[keyword].([]any)
		for _, s := range list {
			visit(s)
		}
	}
	if s, ok := rules["if"]; ok {
		visit(s)
		visit(rules["then"])
		visit(rules["else"])
	}
	schemas, _ := rules["dependentSchemas"].(map[string]any)
	for _, s := range schemas {
		visit(s)
	}
}

func (r reference) target(ref string) any {
	return r.root.(map[string]any)["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")]
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case *big.Rat:
		if v.IsInt() {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// values checks the keywords of the validation vocabulary for scalars and for any type.
func (r reference) values(rules map[string]any, v any, e *evaluation) {
	names, _ := rules["type"].([]any)
	if name, ok := rules["type"].(string); ok {
		names = []any{name}
	}
	if names != nil {
		t := typeOf(v)
		e.ok = e.ok && (slices.Contains(names, any(t)) || t == "integer" && slices.Contains(names, any("number")))
	}
	if list, ok := rules["enum"].([]any); ok {
		e.ok = e.ok && slices.ContainsFunc(list, func(want any) bool { return same(want, v) })
	}
	if want, ok := rules["const"]; ok {
		e.ok = e.ok && same(want, v)
	}
	if n, ok := v.(*big.Rat); ok {
		for keyword, holds := range map[string]func(limit *big.Rat) bool{
			"minimum":          func(l *big.Rat) bool { return n.Cmp(l) >= 0 },
			"maximum":          func(l *big.Rat) bool { return n.Cmp(l) <= 0 },
			"exclusiveMinimum": func(l *big.Rat) bool { return n.Cmp(l) > 0 },
			"exclusiveMaximum": func(l *big.Rat) bool { return n.Cmp(l) < 0 },
			"multipleOf":       func(l *big.Rat) bool { return new(big.Rat).Quo(n, l).IsInt() },
		} {
			if l, ok := rules[keyword].(*big.Rat); ok {
				e.ok = e.ok && holds(l)
			}
		}
	}
	if text, ok := v.(string); ok {
		e.ok = e.ok && between(rules, "minLength", "maxLength", utf8.RuneCountInString(text))
		if p, ok := rules["pattern"].(string); ok {
			e.ok = e.ok && regexp.MustCompile(p).MatchString(text)
		}
	}
}

// between checks a count against a pair of keywords.
func between(rules map[string]any, least, most string, n int) bool {
	ok := true
	if l, has := rules[least].(*big.Rat); has {
		ok = ok && l.Cmp(big.NewRat(int64(n), 1)) <= 0
	}
	if l, has := rules[most].(*big.Rat); has {
		ok = ok && l.Cmp(big.NewRat(int64(n), 1)) >= 0
	}
	return ok
}

// same is equality as JSON Schema has it.
func same(a, b any) bool {
	switch a := a.(type) {
	case *big.Rat:
		b, ok := b.(*big.Rat)
		return ok && a.Cmp(b) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a {
			w, has := b[name]
			if !has || !same(v, w) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case *big.Rat, []any, map[string]any:
		return false
	}
	return a == b
}

func (r reference) object(rules, v map[string]any, e *evaluation) {
	e.ok = e.ok && between(rules, "minProperties", "maxProperties", len(v))
	listed, _ := rules["properties"].(map[string]any)
	patterns, _ := rules["patternProperties"].(map[string]any)
	for name, value := range v {
		known := false
		if s, ok := listed[name]; ok {
			known = true
			e.ok = e.ok && r.child(s, value, false).ok
		}
		for p, s := range patterns {
			if regexp.MustCompile(p).MatchString(name) {
				known = true
				e.ok = e.ok && r.child(s, value, false).ok
			}
		}
		if s, ok := rules["additionalProperties"]; ok && !known {
			known = true
			e.ok = e.ok && r.child(s, value, false).ok
		}
		if known {
			e.props[name] = true
		}
		if s, ok := rules["propertyNames"]; ok {
			e.ok = e.ok && r.eval(s, name).ok
		}
	}
	required, _ := rules["required"].([]any)
	for _, name := range required {
		_, has := v[name.(string)]
		e.ok = e.ok && has
	}
	dependent, _ := rules["dependentRequired"].(map[string]any)
	for trigger, needs := range dependent {
		if _, has := v[trigger]; has {
			e.also(r.eval(map[string]any{"required": needs}, v))
		}
	}
	schemas, _ := rules["dependentSchemas"].(map[string]any)
	for trigger, s := range schemas {
		if _, has := v[trigger]; has {
			e.also(r.eval(s, v))
		}
	}
}

func (r reference) array(rules map[string]any, v []any, e *evaluation) {
	e.ok = e.ok && between(rules, "minItems", "maxItems", len(v))
	prefix, _ := rules["prefixItems"].([]any)
	for i, value := range v {
		switch s, ok := rules["items"]; {
		case i < len(prefix):
			e.ok = e.ok && r.child(prefix[i], value, false).ok
			e.items[i] = true
		case ok:
			e.ok = e.ok && r.child(s, value, false).ok
			e.items[i] = true
		}
	}
	if s, ok := rules["contains"]; ok {
		matches := 0
		for i, value := range v {
			if r.open().eval(s, value).ok {
				matches++
				e.items[i] = true
			}
		}
		if _, has := rules["minContains"]; !has {
			e.ok = e.ok && matches > 0
		}
		e.ok = e.ok && between(rules, "minContains", "maxContains", matches)
	}
	if rules["uniqueItems"] == true {
		for i := range v {
			for j := range i {
				e.ok = e.ok && !same(v[i], v[j])
			}
		}
	}
}

func (r reference) inPlace(rules map[string]any, v any, e *evaluation) {
	if ref, ok := rules["$ref"].(string); ok {
		e.also(r.eval(r.target(ref), v))
	}
	all, _ := rules["allOf"].([]any)
	for _, s := range all {
		e.also(r.eval(s, v))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		list, ok := rules[keyword].([]any)
		if !ok {
			continue
		}
		fit := 0
		for _, s := range list {
			if branch := r.eval(s, v); branch.ok {
				fit++
				e.merge(branch)
			}
		}
		e.ok = e.ok && fit > 0 && (keyword == "anyOf" || fit == 1)
	}
	if s, ok := rules["not"]; ok {
		e.ok = e.ok && !r.open().eval(s, v).ok
	}
	if s, ok := rules["if"]; ok {
		cond := r.open().eval(s, v)
		e.merge(cond)
		branch := "else"
		if cond.ok {
			branch = "then"
		}
		if s, ok := rules[branch]; ok {
			e.also(r.eval(s, v))
		}
	}
}

func (r reference) unevaluated(rules map[string]any, v any, e *evaluation) {
	if s, ok := rules["unevaluatedProperties"]; ok {
		if v, isObject := v.(map[string]any); isObject {
			for name, value := range v {
				if !e.props[name] {
					e.ok = e.ok && r.child(s, value, false).ok
					e.props[name] = true
				}
			}
		}
	}
	if s, ok := rules["unevaluatedItems"]; ok {
		if v, isArray := v.([]any); isArray {
			for i, value := range v {
				if !e.items[i] {
					e.ok = e.ok && r.child(s, value, false).ok
					e.items[i] = true
				}
			}
		}
	}
}

// decode reads a value with exact numbers.
func decode(tb testing.TB, raw []byte) any {
	tb.Helper()
	var v any
	numbers := json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *any) error {
		if dec.PeekKind() != '0' {
			return errors.ErrUnsupported
		}
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		n, ok := new(big.Rat).SetString(string(raw))
		if !ok {
			return fmt.Errorf("number %s", raw)
		}
		*v = n
		return nil
	}))
	if err := json.Unmarshal(raw, &v, numbers); err != nil {
		tb.Fatalf("%s: %v", raw, err)
	}
	return v
}

// A generator writes random schemas and values over a vocabulary that is small enough for them to meet.
type generator struct{ *rand.Rand }

func (g generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g generator) name() string { return g.pick("a", "b", "c", "x1", "") }

func (g generator) value(depth int) string {
	kinds := 6
	if depth > 0 {
		kinds = 10
	}
	switch g.IntN(kinds) {
	case 0:
		return "null"
	case 1:
		return g.pick("true", "false")
	case 2, 3:
		return g.pick("0", "1", "1.0", "2", "-1", "0.5", "15e-1", "3", "6", "1e2")
	case 4, 5:
		return g.pick(`""`, `"a"`, `"b"`, `"ab"`, `"\u0061"`, `"x1"`, `"é"`)
	case 6, 7:
		items := make([]string, g.IntN(4))
		for i := range items {
			items[i] = g.value(depth - 1)
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	names := []string{"a", "b", "c", "x1", ""}
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	members := make([]string, g.IntN(4))
	for i := range members {
		members[i] = fmt.Sprintf("%q: %s", names[i], g.value(depth-1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (g generator) list(n int, item func() string) string {
	out := make([]string, n)
	for i := range out {
		out[i] = item()
	}
	return "[" + strings.Join(out, ",") + "]"
}

func (g generator) object(item func() string) string {
	seen := map[string]bool{}
	var out []string
	for range g.IntN(3) {
		if name := g.name(); !seen[name] {
			seen[name] = true
			out = append(out, fmt.Sprintf("%q:%s", name, item()))
		}
	}
	return "{" + strings.Join(out, ",") + "}"
}

func (g generator) schema(depth int) string {
	if depth == 0 || g.IntN(8) == 0 {
		return g.pick("true", "false", "{}", `{"type":"string"}`, `{"type":"integer"}`, `{"type":["object","null"]}`, `{"minimum":1}`, `{"const":1}`, `{"maxLength":1}`, `{"$ref":"#/$defs/d"}`)
	}
	sub := func() string { return g.schema(depth - 1) }
	small := func() string { return g.pick("0", "1", "2", "3") }
	names := func() string { return g.list(g.IntN(3), func() string { return fmt.Sprintf("%q", g.name()) }) }
	words := map[string]func() string{
		"type": func() string {
			return g.pick(`"object"`, `"array"`, `["string","array"]`, `["object","integer"]`, `"number"`)
		},
		"enum":                  func() string { return g.list(1+g.IntN(3), func() string { return g.value(1) }) },
		"const":                 func() string { return g.value(1) },
		"minimum":               small,
		"exclusiveMaximum":      small,
		"multipleOf":            func() string { return g.pick("0.5", "1", "2", "3") },
		"minLength":             small,
		"pattern":               func() string { return g.pick(`"^a"`, `"[0-9]$"`, `"^.$"`) },
		"minItems":              small,
		"maxItems":              small,
		"uniqueItems":           func() string { return "true" },
		"minProperties":         small,
		"maxProperties":         small,
		"required":              names,
		"dependentRequired":     func() string { return g.object(names) },
		"dependentSchemas":      func() string { return g.object(sub) },
		"properties":            func() string { return g.object(sub) },
		"patternProperties":     func() string { return fmt.Sprintf(`{%q:%s}`, g.pick("^x", "a|b", "1$"), sub()) },
		"additionalProperties":  sub,
		"propertyNames":         sub,
		"unevaluatedProperties": sub,
		"unevaluatedItems":      sub,
		"prefixItems":           func() string { return g.list(1+g.IntN(2), sub) },
		"items":                 sub,
		"contains":              sub,
		"minContains":           small,
		"maxContains":           small,
		"allOf":                 func() string { return g.list(1+g.IntN(2), sub) },
		"anyOf":                 func() string { return g.list(1+g.IntN(3), sub) },
		"oneOf":                 func() string { return g.list(1+g.IntN(3), sub) },
		"not":                   sub,
		"if":                    sub,
		"then":                  sub,
		"else":                  sub,
		"$ref":                  func() string { return g.pick(`"#/$defs/d"`, `"#/$defs/e"`) },
		"default":               func() string { return g.value(1) },
	}
	keys := make([]string, 0, len(words))
	for word := range words {
		keys = append(keys, word)
	}
	slices.Sort(keys)
	g.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	var out []string
	for _, word := range keys[:1+g.IntN(5)] {
		out = append(out, fmt.Sprintf("%q:%s", word, words[word]()))
	}
	return "{" + strings.Join(out, ",") + "}"
}

// TestAgainstReference compares the engine with the reference on random schemas and values, and holds the promises of Normalize.
func TestAgainstReference(t *testing.T) {
	t.Parallel()
	schemas, valid, invalid, settled, unknown := 0, 0, 0, 0, 0
	for seed := range uint64(2500) {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		text := strings.TrimSuffix(g.schema(3), "}")
		switch {
		case text == "{":
			text += `"$defs":{`
		case strings.HasPrefix(text, "{"):
			text += `,"$defs":{`
		default:
			continue
		}
		text += fmt.Sprintf(`"d":%s,"e":{"properties":{"a":{"$ref":"#/$defs/d"}},"items":%s}}}`, g.pick(`{"type":"object","properties":{"a":{"default":1},"b":{"type":"string"}}}`, `{"type":["integer","array"]}`), g.schema(1))
		v, err := compileText([]byte(text), nil)
		if err != nil {
			if strings.Contains(err.Error(), "refers to itself") {
				continue
			}
			t.Fatalf("%s: %v", text, err)
		}
		strict, err := compileText([]byte(text), closed)
		if err != nil {
			t.Fatal(err)
		}
		schemas++
		ref := reference{root: decode(t, []byte(text))}
		strictRef := reference{root: ref.root, closed: true}
		for range 25 {
			in := []byte(g.value(3))
			want := ref.eval(ref.root, decode(t, in)).ok
			if got := v.Validate(in); got.OK() != want {
				t.Fatalf("seed %d: %s\nagainst %s\nvalid is %v, the reference says %v: %+v", seed, in, text, got.OK(), want, got)
			}
			if want {
				valid++
			} else {
				invalid++
			}
			wantStrict := strictRef.child(ref.root, decode(t, in), true).ok
			if got := strict.Validate(in); got.OK() != wantStrict {
				t.Fatalf("seed %d: closed: %s\nagainst %s\nvalid is %v, the reference says %v: %+v", seed, in, text, got.OK(), wantStrict, got)
			}
			if want && !wantStrict {
				unknown++
			}
			out, r := v.Normalize(in)
			if !r.OK() {
				continue
			}
			settled++
			if !ref.eval(ref.root, decode(t, out)).ok {
				t.Fatalf("seed %d: %s\nagainst %s\nsettles to %s, which the reference refuses", seed, in, text, out)
			}
			if again, r := v.Normalize(out); !r.OK() || string(again) != string(out) {
				t.Fatalf("seed %d: %s\nagainst %s\nsettles to %s, then to %s, %+v", seed, in, text, out, again, r)
			}
		}
	}
	t.Logf("%d schemas: %d values valid, %d not, %d settled, %d valid but for unknown names", schemas, valid, invalid, settled, unknown)
	if valid < 5000 || invalid < 5000 {
		t.Error("too few verdicts of one kind for the comparison to say anything")
	}
}
