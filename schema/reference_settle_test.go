package schema_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// settle is the reference for Normalize, on decoded values: the null rule and defaults, from what holds in any case.
func (r reference) settle(schemas []any, v any, depth int) any {
	all := r.definite(schemas)
	switch v := v.(type) {
	case map[string]any:
		return r.settleObject(all, v, depth)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = r.settle(itemSchemas(all, i), item, depth)
		}
		return out
	}
	return v
}

// definite lists the subschemas that hold for every value that is not null.
func (r reference) definite(schemas []any) (all []map[string]any) {
	seen := map[string]bool{}
	var visit func(s any)
	visit = func(s any) {
		rules, ok := s.(map[string]any)
		key := fmt.Sprintf("%p", rules)
		if !ok || seen[key] {
			return
		}
		seen[key] = true
		all = append(all, rules)
		if ref, ok := rules["$ref"].(string); ok {
			visit(r.target(ref))
		}
		list, _ := rules["allOf"].([]any)
		for _, sub := range list {
			visit(sub)
		}
		for _, keyword := range []string{"anyOf", "oneOf"} {
			list, _ := rules[keyword].([]any)
			if rest := slices.DeleteFunc(slices.Clone(list), onlyNull); len(rest) == 1 {
				visit(rest[0])
			}
		}
	}
	for _, s := range schemas {
		visit(s)
	}
	return all
}

// onlyNull reports whether a branch takes nothing but null.
func onlyNull(s any) bool {
	rules, ok := s.(map[string]any)
	return ok && rules["type"] == "null"
}

func itemSchemas(all []map[string]any, i int) (schemas []any) {
	for _, rules := range all {
		prefix, _ := rules["prefixItems"].([]any)
		if i < len(prefix) {
			schemas = append(schemas, prefix[i])
		} else if s, ok := rules["items"]; ok {
			schemas = append(schemas, s)
		}
	}
	return schemas
}

func (r reference) settleObject(all []map[string]any, v map[string]any, depth int) any {
	listed, required := map[string][]any{}, map[string]bool{}
	var additional []any
	for _, rules := range all {
		properties, _ := rules["properties"].(map[string]any)
		for name, s := range properties {
			listed[name] = append(listed[name], s)
		}
		names, _ := rules["required"].([]any)
		for _, name := range names {
			required[name.(string)] = true
		}
		patterns, _ := rules["patternProperties"].(map[string]any)
		if s, ok := rules["additionalProperties"]; ok && len(patterns) == 0 {
			additional = append(additional, s)
		}
	}
	out := map[string]any{}
	for name, value := range v {
		schemas, isListed := listed[name]
		refusesNull := slices.ContainsFunc(schemas, func(s any) bool { return !r.eval(s, nil).ok })
		switch {
		case isListed && value == nil && !required[name] && refusesNull:
		case isListed:
			out[name] = r.settle(schemas, value, depth)
		default:
			out[name] = r.settle(additional, value, depth)
		}
	}
	for name, schemas := range listed {
		if _, given := out[name]; given || depth == 0 {
			continue
		}
		for _, rules := range r.definite(schemas) {
			value, has := rules["default"]
			if !has {
				continue
			}
			value = r.settle(schemas, value, depth-1)
			if !slices.ContainsFunc(schemas, func(s any) bool { return !r.eval(s, value).ok }) {
				out[name] = value
			}
			break
		}
	}
	return out
}

// defaultSchema is a random schema in which defaults and nulls matter: objects in objects, with parts in allOf, $ref and nullable
// alternatives.
func (g generator) defaultSchema(depth int) string {
	if depth == 0 {
		return g.pick(`{"type":"string"}`, `{"type":["integer","null"],"default":1}`, `{"default":"a"}`, `{"type":"integer","default":"b"}`, `{"$ref":"#/$defs/d"}`, `true`)
	}
	sub := func() string { return g.defaultSchema(depth - 1) }
	words := []string{`"properties":` + g.object(sub)}
	for _, word := range []string{
		`"required":` + g.list(g.IntN(2), func() string { return fmt.Sprintf("%q", g.name()) }),
		`"allOf":` + g.list(1+g.IntN(2), sub),
		`"anyOf":[` + sub() + `,{"type":"null"}]`,
		`"oneOf":[{"type":"null"},` + sub() + `]`,
		`"anyOf":` + g.list(2, sub),
		`"items":` + sub(),
		`"prefixItems":` + g.list(1, sub),
		`"additionalProperties":` + sub(),
		`"$ref":` + g.pick(`"#/$defs/d"`, `"#/$defs/e"`),
		`"default":` + g.pick(`{}`, `{"a":null}`, `[]`, `1`),
	} {
		if name, _, _ := strings.Cut(word, ":"); g.IntN(4) == 0 && !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, name+":") }) {
			words = append(words, word)
		}
	}
	return "{" + strings.Join(words, ",") + "}"
}

// TestSettleAgainstReference compares what Normalize makes of random values with the reference.
func TestSettleAgainstReference(t *testing.T) {
	t.Parallel()
	changed, kept, refused := 0, 0, 0
	for seed := range uint64(1500) {
		g := generator{rand.New(rand.NewPCG(seed, 2))}
		text := strings.TrimSuffix(g.defaultSchema(3), "}") + `,"$defs":{"d":{"properties":{"a":{"default":1},"b":{"type":"string"}}},"e":{"properties":{"c":{"default":{},"$ref":"#/$defs/d"}}}}}`
		v, err := compileText([]byte(text), nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		ref := reference{root: decode(t, []byte(text))}
		for range 25 {
			in := g.value(3)
			if in == "null" { // at the root it may stand for absent arguments: TestNormalize
				continue
			}
			given := decode(t, []byte(in))
			want := ref.settle([]any{ref.root}, given, 8)
			out, r := v.Normalize([]byte(in))
			if r.OK() != ref.eval(ref.root, want).ok {
				t.Fatalf("seed %d: %s\nagainst %s\nsettles to %s with %+v, the reference has %v", seed, in, text, out, r, want)
			}
			if !r.OK() {
				refused++
				continue
			}
			if got := decode(t, out); !same(got, want) {
				t.Fatalf("seed %d: %s\nagainst %s\nsettles to %s, the reference has %v", seed, in, text, out, want)
			}
			if same(given, want) {
				kept++
			} else {
				changed++
			}
		}
	}
	t.Logf("%d values changed, %d kept, %d refused", changed, kept, refused)
	if changed < 1000 || kept < 1000 || refused < 1000 {
		t.Error("too few values of one kind for the comparison to say anything")
	}
}
