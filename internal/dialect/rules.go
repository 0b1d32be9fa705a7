package dialect

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// anthropic checks one schema of a strict tool.
func (c *checker) anthropic(o *object, path string) {
	c.only(o, path, "type properties required additionalProperties items enum const anyOf allOf $ref $defs definitions default format minItems pattern title description")
	c.typedSomehow(o, path)
	if slices.Contains(c.types(o, path), "object") || o.has("properties") {
		c.closed(o, path, false)
	}
	c.enum(o, path, isScalar)
	c.ref(o, path)
	c.format(o, path, "date-time,time,date,duration,email,hostname,uri,ipv4,ipv6,uuid")
	if v, ok := o.get("minItems"); ok && v != number("0") && v != number("1") {
		c.fail(path, "minItems is not 0 or 1")
	}
	if v, ok := o.get("pattern"); ok {
		if text, isText := v.(string); !isText || !simple(text) {
			c.fail(path, "the pattern %v is not simple", v)
		}
	}
	if all, ok := o.member["allOf"].(list); ok {
		for _, sub := range all {
			if part, ok := sub.(*object); ok && part.has("$ref") {
				c.fail(path, "allOf with a $ref")
			}
		}
	}
	if _, ok := o.get("$defs"); ok && path != "" {
		c.fail(path, "$defs below the root")
	}
}

var (
	odd    = regexp.MustCompile(`\(\?[^:]|\\[1-9bBkpPuxc]|\[\^?\]`)
	counts = regexp.MustCompile(`\{(\d+)(?:,(\d*))?\}`)
)

// simple reports whether a pattern keeps to anchors, * + ?, small counts, classes, \d \w \s and groups.
func simple(pattern string) bool {
	bare := strings.ReplaceAll(pattern, `\\`, "")
	if odd.MatchString(bare) {
		return false
	}
	for _, m := range counts.FindAllStringSubmatch(bare, -1) {
		for _, text := range m[1:] {
			if n, err := strconv.Atoi(text); text != "" && (err != nil || n > 100) {
				return false
			}
		}
	}
	return true
}

// openAI checks one schema of a strict function.
func (c *checker) openAI(o *object, path string) {
	c.only(o, path, "type properties required additionalProperties items enum const anyOf $ref $defs definitions format pattern multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems title description")
	c.typedSomehow(o, path)
	types := c.types(o, path)
	if slices.Contains(types, "object") || o.has("properties") {
		c.closed(o, path, true)
	}
	if slices.Contains(types, "array") && !o.has("items") {
		c.fail(path, "an array without items")
	}
	c.enum(o, path, isScalar)
	c.ref(o, path)
	if o.has("$ref") && len(o.names) > 1 {
		c.fail(path, "$ref has siblings")
	}
	c.format(o, path, "date-time,time,date,duration,email,hostname,ipv4,ipv6,uuid")
	if v, ok := o.get("pattern"); ok {
		if text, isText := v.(string); !isText || strings.Contains(text, "(?=") || strings.Contains(text, "(?!") || strings.Contains(text, "(?<") {
			c.fail(path, "the pattern %v looks around", v)
		}
	}
	if _, ok := o.get("$defs"); ok && path != "" {
		c.fail(path, "$defs below the root")
	}
}

// gemini checks one schema of parametersJsonSchema.
func (c *checker) gemini(o *object, path string) {
	c.only(o, path, "$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering")
	types := c.types(o, path)
	c.enum(o, path, isText)
	c.ref(o, path)
	c.required(o, path)
	if o.has("$ref") {
		for _, name := range o.names {
			if !strings.HasPrefix(name, "$") {
				c.fail(path, "$ref has the sibling %s", name)
			}
		}
	}
	if slices.Contains(types, "array") && !o.has("items", "prefixItems") {
		c.fail(path, "an array without items")
	}
}

// plain checks one schema of a tool that is not strict.
func (c *checker) plain(o *object, path string) {
	types := c.types(o, path)
	c.required(o, path)
	c.enum(o, path, func(value) bool { return true })
	if ref, ok := o.member["$ref"].(string); ok && (c.dialect != MCP || strings.HasPrefix(ref, "#/$defs/")) {
		c.ref(o, path)
	}
	if c.dialect == OpenAI && slices.Contains(types, "array") && !o.has("items", "unevaluatedItems") {
		c.fail(path, "an array without items")
	}
	for _, name := range []string{"exclusiveMinimum", "exclusiveMaximum", "minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems"} {
		if v, ok := o.get(name); ok {
			if _, isNumber := v.(number); !isNumber {
				c.fail(path, "%s is not a number", name)
			}
		}
	}
	if c.dialect != MCP && o.has("dependencies", "additionalItems", "$schema", "$dynamicRef", "$recursiveRef") {
		c.fail(path, "a keyword of another draft, or a dialect")
	}
}

// acyclic refuses recursion.
func (c *checker) acyclic() {
	c.cycles(func(bool) bool { return true }, "a schema that refers to itself")
}

// requiredCycles refuses recursion that goes through required properties only.
func (c *checker) requiredCycles() {
	c.cycles(func(optional bool) bool { return !optional }, "a schema that refers to itself outside of optional properties")
}

// cycles looks for a way from a schema back to itself over steps that count.
func (c *checker) cycles(counts func(optional bool) bool, what string) {
	state := map[*object]int{}
	var visit func(v value) bool
	visit = func(v value) bool {
		o, ok := v.(*object)
		if !ok || state[o] == 2 {
			return false
		}
		if state[o] == 1 {
			return true
		}
		state[o] = 1
		found := false
		c.steps(o, func(sub value, optional bool) {
			if counts(optional) && visit(sub) {
				found = true
			}
		})
		state[o] = 2
		return found
	}
	all := []value{c.root}
	c.each(c.root, "", func(o *object, _ string) { all = append(all, o) })
	if slices.ContainsFunc(all, visit) {
		c.fail("", "%s", what)
		return
	}
}

// steps calls f for what a value of o leads to.
func (c *checker) steps(o *object, f func(sub value, optional bool)) {
	if ref, ok := o.member["$ref"].(string); ok {
		if to := c.follow(ref); to != nil {
			f(to, false)
		}
	}
	if props, ok := o.member["properties"].(*object); ok {
		required, _ := o.member["required"].(list)
		for _, name := range props.names {
			f(props.member[name], !slices.ContainsFunc(required, func(v value) bool { return v == name }))
		}
	}
	for _, word := range []string{"anyOf", "allOf", "oneOf", "prefixItems"} {
		if l, ok := o.member[word].(list); ok {
			for _, sub := range l {
				f(sub, false)
			}
		}
	}
	for _, word := range []string{"items", "additionalProperties"} {
		f(o.member[word], false)
	}
}
