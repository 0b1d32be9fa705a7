package dialect

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A Dialect is a receiver of tool schemas.
type Dialect string

// The receivers.
const (
	Anthropic Dialect = "anthropic"
	OpenAI    Dialect = "openai"
	Gemini    Dialect = "gemini"
	MCP       Dialect = "mcp"
)

// Check returns what the receiver would refuse, or ignore, in the input schema of a tool; nil when it is right. strict is the
// switch of that name beside the schema, which only Anthropic and OpenAI have.
func Check(d Dialect, wire []byte, strict bool) []string {
	doc, err := parse(wire)
	if err != nil {
		return []string{err.Error()}
	}
	root, ok := doc.(*object)
	if !ok {
		return []string{"the root is not an object"}
	}
	c := &checker{dialect: d, strict: strict, root: root}
	c.checkRoot()
	switch {
	case strict && d == Anthropic:
		c.each(root, "", c.anthropic)
		c.acyclic()
	case strict && d == OpenAI:
		c.each(root, "", c.openAI)
	case strict:
		c.fail("", "there is no strict form")
	case d == Gemini:
		c.each(root, "", c.gemini)
		c.requiredCycles()
	default:
		c.each(root, "", c.plain)
	}
	if strict {
		c.faults = append(c.faults, overLimits(d, Count(wire))...)
	}
	return c.faults
}

// CheckSet checks the sums over the strict tools of one request.
func CheckSet(d Dialect, strict [][]byte) []string {
	var sum Counts
	for _, wire := range strict {
		sum = sum.Add(Count(wire))
	}
	return overLimits(d, sum)
}

type checker struct {
	dialect Dialect
	strict  bool
	root    *object
	faults  []string
}

func (c *checker) fail(path, format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf("at %q: ", path)+fmt.Sprintf(format, args...))
}

func (c *checker) checkRoot() {
	if t, _ := c.root.get("type"); t != "object" {
		c.fail("", "the root's type is not object")
	}
	if _, ok := c.root.member["properties"].(*object); !ok {
		c.fail("", "the root has no properties")
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "$ref"} {
		if c.root.has(name) {
			c.fail("", "the root says %s", name)
		}
	}
}

// each calls f for every schema of the document. Names of properties and definitions are names, never keywords.
func (c *checker) each(v value, path string, f func(o *object, path string)) {
	o, ok := v.(*object)
	if !ok {
		if _, isBool := v.(bool); !isBool || c.rebuilt() {
			c.fail(path, "not a schema object")
		}
		return
	}
	f(o, path)
	for _, name := range o.names {
		below := o.member[name]
		at := path + "/" + name
		switch name {
		case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
			c.eachIn(below, at, f)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			c.eachOf(below, at, f)
		case "items":
			if _, isList := below.(list); isList {
				c.eachOf(below, at, f)
				c.oldItems(at)
				continue
			}
			c.each(below, at, f)
		case "additionalProperties":
			if _, isBool := below.(bool); !isBool {
				c.each(below, at, f)
			}
		case "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "additionalItems":
			c.each(below, at, f)
		}
	}
}

func (c *checker) rebuilt() bool { return c.strict || c.dialect == Gemini }

// oldItems refuses array-form items where drafts before 2020-12 are not read.
func (c *checker) oldItems(path string) {
	declared, _ := c.root.get("$schema")
	if text, ok := declared.(string); ok && c.dialect == MCP && !strings.Contains(text, "2020-12") {
		return
	}
	c.fail(path, "items is an array, which 2020-12 does not have")
}

func (c *checker) eachIn(v value, path string, f func(*object, string)) {
	o, ok := v.(*object)
	if !ok {
		c.fail(path, "not an object of schemas")
		return
	}
	for _, name := range o.names {
		c.each(o.member[name], path+"/"+name, f)
	}
}

func (c *checker) eachOf(v value, path string, f func(*object, string)) {
	l, ok := v.(list)
	if !ok || len(l) == 0 {
		c.fail(path, "not a list of schemas")
		return
	}
	for i, item := range l {
		c.each(item, fmt.Sprintf("%s/%d", path, i), f)
	}
}

var typeNames = []string{"object", "array", "string", "integer", "number", "boolean", "null"}

// types returns the names that the keyword type lists.
func (c *checker) types(o *object, path string) []string {
	t, ok := o.get("type")
	if !ok {
		return nil
	}
	var names []string
	switch t := t.(type) {
	case string:
		names = []string{t}
	case list:
		for _, item := range t {
			name, _ := item.(string)
			names = append(names, name)
		}
	}
	if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(typeNames, name) }) {
		c.fail(path, "type is wrong")
	}
	return names
}

func (c *checker) only(o *object, path, allowed string) {
	words := strings.Fields(allowed)
	for _, name := range o.names {
		if !slices.Contains(words, name) {
			c.fail(path, "the keyword %s", name)
		}
	}
}

// required returns the names that are required.
func (c *checker) required(o *object, path string) []string {
	v, ok := o.get("required")
	if !ok {
		return nil
	}
	l, ok := v.(list)
	if !ok {
		c.fail(path, "required is not an array")
		return nil
	}
	names := []string{}
	for _, item := range l {
		name, ok := item.(string)
		if !ok || slices.Contains(names, name) {
			c.fail(path, "required is not a list of different names")
		}
		names = append(names, name)
	}
	return names
}

func (c *checker) enum(o *object, path string, scalar func(value) bool) {
	v, ok := o.get("enum")
	if !ok {
		return
	}
	l, ok := v.(list)
	if !ok || len(l) == 0 {
		c.fail(path, "enum is not a list of values")
		return
	}
	for _, item := range l {
		if !scalar(item) {
			c.fail(path, "enum lists a value of a type that is not taken")
		}
	}
}

func isScalar(v value) bool {
	switch v.(type) {
	case list, *object:
		return false
	}
	return true
}

func isText(v value) bool {
	switch v.(type) {
	case string, number:
		return true
	}
	return false
}

func (c *checker) format(o *object, path, formats string) {
	if v, ok := o.get("format"); ok {
		name, _ := v.(string)
		if !slices.Contains(strings.Split(formats, ","), name) {
			c.fail(path, "the format %v", v)
		}
	}
}

// closed checks an object of a strict schema.
func (c *checker) closed(o *object, path string, all bool) {
	if extra, ok := o.get("additionalProperties"); !ok || extra != false {
		c.fail(path, "additionalProperties is not false")
	}
	props, ok := o.member["properties"].(*object)
	if !ok {
		c.fail(path, "an object without properties")
		return
	}
	if !o.has("required") {
		c.fail(path, "an object without required")
	}
	required := c.required(o, path)
	for _, name := range required {
		if !props.has(name) {
			c.fail(path, "%q is required but no property", name)
		}
	}
	for _, name := range props.names {
		if all && !slices.Contains(required, name) {
			c.fail(path, "%q is not required", name)
		}
	}
}

// ref checks that a reference is local and leads to a definition.
func (c *checker) ref(o *object, path string) {
	v, ok := o.get("$ref")
	if !ok {
		return
	}
	text, _ := v.(string)
	if to, ok := c.lead(text); !ok || c.rebuilt() && !isObject(to) {
		c.fail(path, "$ref %v leads nowhere in this document", v)
	}
}

func isObject(v value) bool {
	_, ok := v.(*object)
	return ok
}

// follow returns the schema object that a local reference leads to, or nil.
func (c *checker) follow(ref string) *object {
	to, _ := c.lead(ref)
	o, _ := to.(*object)
	return o
}

// lead returns what a local reference leads to.
func (c *checker) lead(ref string) (value, bool) {
	fragment, local := strings.CutPrefix(ref, "#")
	pointer, err := url.PathUnescape(fragment)
	if !local || err != nil {
		return nil, false
	}
	if pointer == "" {
		return c.root, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	var at value = c.root
	for token := range strings.SplitSeq(pointer[1:], "/") {
		if l, isList := at.(list); isList {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(l) {
				return nil, false
			}
			at = l[i]
			continue
		}
		o, ok := at.(*object)
		if !ok {
			return nil, false
		}
		if at, ok = o.member[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]; !ok {
			return nil, false
		}
	}
	return at, true
}

func (c *checker) typedSomehow(o *object, path string) {
	if !o.has("type", "anyOf", "$ref", "enum", "const", "allOf") {
		c.fail(path, "a schema without a type")
	}
}
