package dialect

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Generate makes a value that the wire schema of a strict tool allows, as a provider with that grammar could emit it: a random
// walk over the schema. The same seed makes the same value.
func Generate(wire []byte, seed uint64) (jsontext.Value, error) {
	doc, err := parse(wire)
	if err != nil {
		return nil, err
	}
	root, ok := doc.(*object)
	if !ok {
		return nil, fmt.Errorf("the root is %v", doc)
	}
	rng := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test wants values that it can have again, not secrets
	g := &generator{c: &checker{root: root}, rng: rng}
	out := g.value(root, 0)
	if !jsontext.Value(out).IsValid() {
		return nil, fmt.Errorf("the generator made %s", out)
	}
	return out, g.err
}

type generator struct {
	c   *checker
	rng *rand.Rand
	err error
}

// maxDepth is where the walk begins to look for ways out.
const maxDepth = 7

func (g *generator) fail(format string, args ...any) []byte {
	g.err = fmt.Errorf(format, args...)
	return []byte("null")
}

func (g *generator) value(v value, depth int) []byte {
	o, ok := v.(*object)
	if !ok || depth > 60 {
		return g.fail("no way out of the schema")
	}
	if ref, ok := o.member["$ref"].(string); ok {
		return g.value(g.c.follow(ref), depth)
	}
	if branches, ok := o.member["anyOf"].(list); ok {
		i := g.rng.IntN(len(branches))
		if depth > maxDepth {
			i = g.shallow(branches)
		}
		return g.value(branches[i], depth+1)
	}
	if values, ok := o.member["enum"].(list); ok {
		return literal(values[g.rng.IntN(len(values))])
	}
	types := g.c.types(o, "")
	if len(types) == 0 {
		return g.fail("no type in %v", o.names)
	}
	name := types[g.rng.IntN(len(types))]
	if depth > maxDepth && o.has("properties", "items") {
		name = types[len(types)-1]
	}
	return g.typed(o, name, depth)
}

// shallow prefers null, then what is not nested.
func (g *generator) shallow(branches list) int {
	best := 0
	for i, b := range branches {
		o, _ := b.(*object)
		if o == nil {
			continue
		}
		if t := o.member["type"]; t == "null" {
			return i
		}
		if !o.has("$ref", "properties", "items", "anyOf") {
			best = i
		}
	}
	return best
}

func (g *generator) typed(o *object, name string, depth int) []byte {
	switch name {
	case "object":
		return g.object(o, depth)
	case "array":
		return g.array(o, depth)
	case "string":
		return quote(g.text(o))
	case "boolean":
		return strconv.AppendBool(nil, g.rng.IntN(2) == 0)
	case "null":
		return []byte("null")
	}
	return g.number(o, name == "integer")
}

func (g *generator) object(o *object, depth int) []byte {
	out := []byte{'{'}
	props, _ := o.member["properties"].(*object)
	required := g.c.required(o, "")
	for _, name := range props.names {
		must := false
		for _, r := range required {
			must = must || r == name
		}
		if !must && (depth > maxDepth || g.rng.IntN(2) == 0) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, quote(name)...), ':')
		out = append(out, g.value(props.member[name], depth+1)...)
	}
	return append(out, '}')
}

func (g *generator) array(o *object, depth int) []byte {
	low := count(o, "minItems", 0)
	high := count(o, "maxItems", low+2)
	n := low + g.rng.IntN(max(1, min(high, low+2)-low+1))
	if depth > maxDepth {
		n = low
	}
	out := []byte{'['}
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, g.value(o.member["items"], depth+1)...)
	}
	return append(out, ']')
}

func count(o *object, name string, otherwise int) int {
	n, ok := o.member[name].(number)
	if !ok {
		return otherwise
	}
	i, err := strconv.Atoi(string(n))
	if err != nil {
		return otherwise
	}
	return i
}

func (g *generator) number(o *object, integer bool) []byte {
	for _, word := range []string{"minimum", "maximum"} {
		if n, ok := o.member[word].(number); ok && len(n) > 15 {
			return []byte(n) // beyond what a float can count
		}
	}
	low, high := bound(o, "minimum", "exclusiveMinimum", -5), bound(o, "maximum", "exclusiveMaximum", 0)
	if !o.has("maximum", "exclusiveMaximum") {
		high = low + 50
	} else if !o.has("minimum", "exclusiveMinimum") {
		low = high - 50
	}
	step := 1.0
	if n, ok := o.member["multipleOf"].(number); ok {
		step, _ = strconv.ParseFloat(string(n), 64)
		if integer && step != ceil(step) {
			return []byte("0") // a multiple of anything
		}
	}
	v := low + g.rng.Float64()*(high-low)
	if integer || o.has("multipleOf") {
		first := ceil(low/step) * step
		if o.has("exclusiveMinimum") && first == low {
			first += step
		}
		last := -ceil(-high/step) * step
		if o.has("exclusiveMaximum") && last == high {
			last -= step
		}
		v = first + float64(g.rng.IntN(max(1, min(20, int((last-first)/step)+1))))*step
	}
	return strconv.AppendFloat(nil, v, 'f', -1, 64)
}

func ceil(v float64) float64 {
	n := float64(int64(v))
	if n < v {
		n++
	}
	return n
}

func bound(o *object, name, exclusive string, otherwise float64) float64 {
	for _, word := range []string{name, exclusive} {
		if n, ok := o.member[word].(number); ok {
			v, _ := strconv.ParseFloat(string(n), 64)
			return v
		}
	}
	return otherwise
}

var formatSamples = map[string][]string{
	"date-time": {"2026-01-31T10:20:30Z", "1999-12-31T23:59:59.5+02:00"},
	"time":      {"10:20:30Z", "23:59:59+01:00"},
	"date":      {"2026-01-31", "2024-02-29"},
	"duration":  {"P1D", "PT5M", "P3Y6M"},
	"email":     {"a@example.com", "first.last@example.org"},
	"hostname":  {"example.com", "a.b.example"},
	"uri":       {"https://example.com/a?b=c", "urn:a:b"},
	"ipv4":      {"192.0.2.1", "10.0.0.255"},
	"ipv6":      {"2001:db8::1", "::1"},
	"uuid":      {"123e4567-e89b-12d3-a456-426614174000"},
}

func (g *generator) text(o *object) string {
	if pattern, ok := o.member["pattern"].(string); ok {
		return g.match(pattern)
	}
	if format, ok := o.member["format"].(string); ok {
		samples := formatSamples[format]
		return samples[g.rng.IntN(len(samples))]
	}
	words := []string{"", "a", "Porto", "some text", "ü", "null", "3", "{\"a\":1}", "2026-01-31", strings.Repeat("x", 30)}
	return words[g.rng.IntN(len(words))]
}

var unicodeEscape = regexp.MustCompile(`\\u([0-9a-fA-F]{4})`)

// match makes a text that the pattern matches as a whole.
func (g *generator) match(pattern string) string {
	pattern = unicodeEscape.ReplaceAllString(strings.ReplaceAll(pattern, `\/`, "/"), `\x{$1}`)
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		g.err = fmt.Errorf("the pattern %q: %w", pattern, err)
		return ""
	}
	var b strings.Builder
	g.emit(&b, re.Simplify())
	return b.String()
}

func (g *generator) emit(b *strings.Builder, re *syntax.Regexp) {
	repeat := func(low, high int) {
		for range low + g.rng.IntN(high-low+1) {
			g.emit(b, re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			b.WriteRune(r)
		}
	case syntax.OpCharClass:
		at := 2 * g.rng.IntN(len(re.Rune)/2)
		r := re.Rune[at] + rune(g.rng.IntN(int(min(re.Rune[at+1]-re.Rune[at], 90)+1)))
		if !utf8.ValidRune(r) {
			r = re.Rune[0]
		}
		b.WriteRune(r)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(byte('a' + g.rng.IntN(26)))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			g.emit(b, sub)
		}
	case syntax.OpAlternate:
		g.emit(b, re.Sub[g.rng.IntN(len(re.Sub))])
	case syntax.OpStar:
		repeat(0, 3)
	case syntax.OpPlus:
		repeat(1, 3)
	case syntax.OpQuest:
		repeat(0, 1)
	}
}

func quote(text string) []byte {
	out, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return []byte(`""`)
	}
	return out
}

func literal(v value) []byte {
	switch v := v.(type) {
	case nil:
		return []byte("null")
	case string:
		return quote(v)
	case number:
		return []byte(v)
	}
	return fmt.Append(nil, v)
}
