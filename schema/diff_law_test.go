package schema_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"helve.dev/helve/schema"
)

// TestDiffLawOfRandomSchemas tries schemas that nobody would write: with references to themselves, several subschemas for one
// value, objects that are closed here and there. What Diff calls compatible for callers takes all that was taken; what it calls
// compatible for readers gives nothing that was not given; and neutral is what makes no difference.
func TestDiffLawOfRandomSchemas(t *testing.T) {
	t.Parallel()
	seed := *diffSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d: repeat with -diffseed", seed)
	g := diffGen{rand.New(rand.NewPCG(seed, 1))}
	pairs, judged, checked := 0, 0, 0
	for range 6000 {
		doc := g.document()
		oldText := marshal(t, doc)
		if g.edit(doc); g.IntN(2) == 0 {
			g.edit(doc)
		}
		nextText := marshal(t, doc)
		old, err := schema.Compile(schema.MustParse(oldText), &schema.Config{Closed: true})
		if err != nil {
			continue
		}
		next, err := schema.Compile(schema.MustParse(nextText), &schema.Config{Closed: true})
		if err != nil {
			continue
		}
		changes := schema.Diff(schema.MustParse(oldText), schema.MustParse(nextText))
		caller, reader := changes.Caller(), changes.Reader()
		if slices.ContainsFunc(changes, func(c schema.Change) bool { return strings.HasPrefix(c.What, "is new") }) {
			reader = breaking // a reader passes over it, a validator does not
		}
		pairs++
		if caller == breaking && reader == breaking {
			continue
		}
		judged++
		for range 20 {
			v := []byte(marshal(t, g.value(3)))
			checked++
			oldRep, nextRep := old.Validate(v), next.Validate(v)
			was, _ := old.Normalize(v)
			is, _ := next.Normalize(v)
			switch {
			case caller != breaking && oldRep.OK() && !nextRep.OK():
				t.Fatalf("compatible for callers: %+v\nold %s\nnew %s\nvalue %s\nfaults %+v", changes, oldText, nextText, v, nextRep.Faults)
			case reader != breaking && nextRep.OK() && !oldRep.OK():
				t.Fatalf("compatible for readers: %+v\nold %s\nnew %s\nvalue %s\nfaults %+v", changes, oldText, nextText, v, oldRep.Faults)
			case caller == neutral && reader == neutral && oldRep.OK() && string(was) != string(is):
				t.Fatalf("neutral: %+v\nold %s\nnew %s\nvalue %s\nwas %s\nis  %s", changes, oldText, nextText, v, was, is)
			}
		}
	}
	t.Logf("%d pairs, %d not breaking for both, checked with %d values", pairs, judged, checked)
	if judged < pairs/20 || judged == pairs {
		t.Errorf("%d of %d pairs: the law is hardly tested", judged, pairs)
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A diffGen makes small schemas of few names, so that they meet.
type diffGen struct{ *rand.Rand }

type object = map[string]any

func (g diffGen) document() object {
	doc := g.schema(3)
	for doc == nil {
		doc = g.schema(3)
	}
	if g.IntN(2) == 0 {
		doc["type"] = "object"
	}
	doc["$defs"] = object{"x": g.sub(2), "y": g.sub(2)}
	if g.IntN(4) == 0 {
		doc["$schema"] = pick(g.Rand, "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema")
	}
	if g.IntN(3) == 0 {
		doc["$id"] = "https://example.org/root"
		doc["$defs"].(object)["z"] = object{"$id": "z", "$defs": object{"x": g.sub(1)}, "properties": object{"a": object{"$ref": "#/$defs/x"}}}
	}
	return doc
}

func (g diffGen) name() string { return pick(g.Rand, "a", "b", "c") }

// sub is a subschema that may be true or false.
func (g diffGen) sub(depth int) any {
	if s := g.schema(depth); s != nil {
		return s
	}
	return g.IntN(3) > 0
}

func (g diffGen) schema(depth int) object {
	if depth == 0 || g.IntN(8) == 0 {
		return nil
	}
	s := object{}
	for range 1 + g.IntN(3) {
		g.keyword(s, depth)
	}
	return s
}

func (g diffGen) keyword(s object, depth int) {
	names := func() object {
		m := object{}
		for range g.IntN(3) {
			m[g.name()] = g.sub(depth - 1)
		}
		return m
	}
	list := func() []any {
		var l []any
		for range 1 + g.IntN(2) {
			l = append(l, g.sub(depth-1))
		}
		return l
	}
	switch g.IntN(30) {
	case 0, 1:
		s["type"] = pick[any](g.Rand, "object", "string", "integer", "number", []any{"object", "null"}, []any{"string", "array"}, "array")
	case 2, 3, 4, 5:
		s["properties"] = names()
	case 6:
		s["required"] = []any{g.name()}
	case 7, 8:
		s["additionalProperties"] = g.sub(depth - 1)
	case 9:
		s["items"] = g.sub(depth - 1)
	case 10:
		s["allOf"] = list()
	case 11:
		s["anyOf"] = list()
	case 12:
		s["oneOf"] = list()
	case 13:
		s["not"] = g.sub(depth - 1)
	case 14:
		s["if"], s["then"] = g.sub(depth-1), g.sub(depth-1)
	case 15, 16, 17:
		s["$ref"] = pick(g.Rand, "#/$defs/x", "#/$defs/y", "#", "#/$defs/x", "z", "z#/$defs/x")
	case 18:
		s["enum"] = pick(g.Rand, []any{1, "s"}, []any{"s"}, []any{1, nil, "t"}, []any{object{"a": 1}, 1})
	case 19:
		s[pick(g.Rand, "minimum", "maximum", "exclusiveMinimum")] = g.IntN(3)
	case 20:
		s["default"] = g.value(1)
	case 21:
		s["patternProperties"] = object{pick(g.Rand, "^a", "."): g.sub(depth - 1)}
	case 22:
		s["unevaluatedProperties"] = g.sub(depth - 1)
	case 23:
		s["dependentSchemas"] = object{g.name(): g.sub(depth - 1)}
	case 24:
		s[pick(g.Rand, "minItems", "maxItems", "minProperties", "maxProperties", "minLength")] = g.IntN(3)
	case 25:
		s[pick(g.Rand, "contains", "propertyNames")] = g.sub(depth - 1)
	case 26:
		s["dependencies"] = object{g.name(): pick[any](g.Rand, g.sub(depth-1), []any{g.name()})}
	case 27:
		s[pick(g.Rand, "items", "prefixItems")] = list()
	case 28:
		s[pick(g.Rand, "additionalItems", "unevaluatedItems", "else")] = g.sub(depth - 1)
	case 29:
		switch g.IntN(4) {
		case 0:
			s["$dynamicAnchor"] = g.name()
		case 1:
			s["$dynamicRef"] = "#" + g.name()
		case 2:
			s["const"] = g.value(1)
		case 3:
			s["dependentRequired"] = object{g.name(): []any{g.name()}}
		}
	}
}

// edit changes the document in one place.
func (g diffGen) edit(doc object) {
	var all []object
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				collect(item)
			}
		case object:
			all = append(all, v)
			for _, name := range slices.Sorted(mapKeys(v)) {
				if name != "default" && name != "enum" {
					collect(v[name])
				}
			}
		}
	}
	collect(doc)
	s := pick(g.Rand, all...)
	switch keys := slices.Sorted(mapKeys(s)); {
	case len(keys) > 0 && g.IntN(4) == 0:
		delete(s, pick(g.Rand, keys...))
	case len(keys) > 0 && g.IntN(3) == 0:
		if _, isSchema := s[keys[0]].(object); isSchema || s[keys[0]] == true || s[keys[0]] == false {
			s[keys[0]] = g.sub(2)
			break
		}
		fallthrough
	case g.IntN(2) == 0:
		g.keyword(s, 2)
	default:
		editOne(g.Rand, s)
	}
}

func (g diffGen) value(depth int) any {
	switch n := g.IntN(10); {
	case n < 5 && depth > 0:
		m := object{}
		for range g.IntN(4) {
			m[g.name()] = g.value(depth - 1)
		}
		return m
	case n == 5 && depth > 0:
		return []any{g.value(depth - 1)}
	case n < 7:
		return pick(g.Rand, "s", "t", "")
	case n == 7:
		return nil
	default:
		return g.IntN(3)
	}
}
