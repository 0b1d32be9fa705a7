package helve

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

var (
	toolName  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	errorCode = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	docCut    = regexp.MustCompile(`(?m)^[ \t]*---[ \t]*$`)
	devNote   = regexp.MustCompile(`(?m)^\s*(?:[-*+•]\s+|\d+[.)]\s+)*(TODO|FIXME|XXX|HACK)\b`)
)

// A definition collects what is wrong with a contract, so that its author
// reads all of it at once.
type definition struct {
	c    *Contract
	errs []error
}

// fault notes a sentence that says what is wrong and how to mend it.
func (d *definition) fault(format string, args ...any) {
	d.errs = append(d.errs, fmt.Errorf("helve: tool %q: %w", d.c.Name, fmt.Errorf(format, args...)))
}

func (d *definition) err() error { return errors.Join(d.errs...) }

// settle fills in defaults and checks what can be checked without schemas.
func (d *definition) settle() {
	c := d.c
	if c.Version == "" {
		c.Version = DefaultVersion
	}
	if !toolName.MatchString(c.Name) {
		d.fault("the name must be 1 to 64 letters, digits, _ or -, and start with a letter or _")
	}
	d.text()
	switch {
	case c.Effect == 0:
		d.fault("no effect is declared: set Effect to helve.Read, helve.Write or helve.Destructive")
	case int(c.Effect) >= len(effectNames):
		d.fault("the effect %d is unknown: set Effect to helve.Read, helve.Write or helve.Destructive", c.Effect)
	}
	if int(c.Approval) >= len(approvalModeNames) {
		d.fault("the approval mode %d is unknown: set Approval to helve.AskAlways, or leave it out", c.Approval)
	}
	if int(c.Concurrency) >= len(concurrencyNames) {
		d.fault("the concurrency %d is unknown: set Concurrency to helve.ConcurrencyShared or helve.ConcurrencyExclusive, or leave it out", c.Concurrency)
	}
	d.effectBy()
	if !c.Key.valid() {
		d.fault("the key rule %q is unknown: use KeyArguments, KeyCall or KeyFrom(argument)", string(c.Key))
	}
	d.operational()
	d.names()
}

// text settles what the model reads.
func (d *definition) text() {
	c := d.c
	cut := false
	source := "description"
	c.Description = strings.TrimSpace(strings.ReplaceAll(c.Description, "\r\n", "\n"))
	if c.Description == "" && c.Doc != "" {
		c.Description, cut = docText(c.Doc)
		source = "doc comment"
		if note := devNote.FindStringSubmatch(c.Description); note != nil {
			d.fault("the part of its doc comment that the model reads holds a developer note (%s): remove it, or move it below a line of only ---", note[1])
		}
	}
	if !utf8.ValidString(c.Description) {
		d.fault("its %s is not valid UTF-8", source)
	}
	if n := utf8.RuneCountInString(c.Description); n < MinDescription {
		rest := ""
		if cut {
			rest = "; the rest stands below the line --- and is for people only"
		}
		d.fault("the model would read %d characters (%q) of its %s, and needs at least %d%s: say what comes back, and when to call it", n, c.Description, source, MinDescription, rest)
	}
}

// docText returns the model's part of a doc comment: above a line of only ---,
// without the indent that all lines share, with \n line ends.
func docText(doc string) (text string, cut bool) {
	doc = strings.ReplaceAll(strings.ReplaceAll(doc, "\r\n", "\n"), "\r", "\n")
	if at := docCut.FindStringIndex(doc); at != nil {
		cut = strings.TrimSpace(doc[at[1]:]) != ""
		doc = doc[:at[0]]
	}
	lines := strings.Split(doc, "\n")
	indent := -1
	for i, line := range lines {
		trimmed := strings.TrimLeft(line, " \t")
		if trimmed == "" || i == 0 && trimmed == line {
			continue // blank, or a first line that starts right after the quote
		}
		if n := len(line) - len(trimmed); indent < 0 || n < indent {
			indent = n
		}
	}
	for i, line := range lines {
		n := min(max(indent, 0), len(line)-len(strings.TrimLeft(line, " \t")))
		lines[i] = strings.TrimRight(line[n:], " \t")
	}
	return strings.TrimSpace(strings.Join(lines, "\n")), cut
}

func (d *definition) effectBy() {
	by := d.c.EffectBy
	if by.Arg == "" {
		if len(by.Values) > 0 {
			d.fault("EffectBy has values and no argument: set EffectBy.Arg")
		}
		return
	}
	for _, value := range sortedKeys(by.Values) {
		if e := by.Values[value]; e == 0 || e > d.c.Effect {
			d.fault("EffectBy raises the effect of %q to %s: declare the highest effect as Effect and lower it by value", value, e)
		}
	}
}

func (d *definition) operational() {
	c := d.c
	for _, v := range []struct {
		name string
		bad  bool
	}{
		{"Timeout", c.Timeout < 0},
		{"Stall", c.Stall < 0},
		{"Attempts", c.Attempts < 0},
		{"MaxOutput", c.MaxOutput < 0},
		{"Rate", c.Rate.Calls < 0 || c.Rate.Per < 0 || (c.Rate.Calls > 0) != (c.Rate.Per > 0)},
		{"Limit", c.Limit < 0},
		{"Cost", c.Cost < 0},
		{"CacheFor", c.CacheFor < 0},
		{"Poll", c.Poll < 0},
		{"DedupeFor", c.DedupeFor < 0},
	} {
		if v.bad {
			d.fault("%s is negative or incomplete: leave it at zero for the default", v.name)
		}
	}
	if c.MaxOutput > 0 && c.MaxOutput < minOutput {
		d.fault("MaxOutput is %d bytes: an envelope needs at least %d", c.MaxOutput, minOutput)
	}
	if c.CacheFor > 0 && (c.Effect != Read || !c.Idempotent) {
		d.fault("CacheFor is for idempotent reads: a tool with effects is replayed from the ledger, never cached")
	}
	if c.Effect == Read && len(c.DedupeOn) > 0 {
		d.fault("DedupeOn is for tools with effects: a read may run as often as it is called")
	}
}

func (d *definition) names() {
	c := d.c
	seen := map[string]bool{c.Name: true}
	for _, alias := range c.Aliases {
		if !toolName.MatchString(alias) {
			d.fault("the alias %q is no valid tool name", alias)
		}
		if seen[alias] {
			d.fault("the alias %q collides with the name or another alias", alias)
		}
		seen[alias] = true
	}
	if c.Verify != "" && (c.Verify == c.Name || slices.Contains(c.Aliases, c.Verify)) {
		d.fault("Verify names the tool itself: name the tool that reads whether it happened")
	}
	if slices.Contains(c.Credentials, "") {
		d.fault("a credential has no name: Credentials lists the names of secrets")
	}
	if slices.Contains(c.Uses, c.Name) {
		d.fault("it uses itself: a handler cannot call its own tool")
	}
	codes := map[Code]bool{}
	for _, e := range c.Errors {
		mayReturn, taken := reserved[e.Code]
		switch {
		case !errorCode.MatchString(string(e.Code)):
			d.fault("the error code %q must be lower_case", e.Code)
		case taken && !mayReturn:
			d.fault("the error code %q belongs to the pipeline: choose another name", e.Code)
		case codes[e.Code]:
			d.fault("the error code %q is declared twice", e.Code)
		}
		if strings.TrimSpace(e.When) == "" {
			d.fault("the error code %q says nothing of when it comes: fill in When", e.Code)
		}
		codes[e.Code] = true
	}
}

// properties returns the root property names of the input schema, in order,
// looking through allOf and local references no deeper than the root.
func properties(s *schema.Schema) []string {
	var names []string
	for _, m := range members(member(s.Raw(), "properties")) {
		names = append(names, m.name)
	}
	return names
}

// input checks everything that names a parameter.
func (d *definition) input() {
	c := d.c
	if t := member(c.Input.Raw(), "type"); t != nil && t.Kind() == '"' && string(t) != `"object"` {
		d.fault("its input is %s: the arguments of a tool are an object; wrap the value in a struct with a named field", t)
		return
	}
	names := properties(c.Input)
	has := func(what, name string) {
		if !slices.Contains(names, name) {
			near := ""
			if n := schema.Nearest(name, names); len(n) > 0 {
				near = fmt.Sprintf("; did you mean %q?", n[0])
			}
			d.fault("%s names the parameter %q, which its input does not have%s", what, name, near)
		}
	}
	if arg := c.Key.argument(); arg != "" {
		has("Key", arg)
	}
	for _, arg := range c.DedupeOn {
		has("DedupeOn", arg)
	}
	if c.EffectBy.Arg != "" {
		has("EffectBy", c.EffectBy.Arg)
		d.effectValues()
	}
	if c.Paging.Offset != "" {
		has("Paging", c.Paging.Offset)
	}
	for _, old := range sortedKeys(c.ParamAliases) {
		has("ParamAliases", c.ParamAliases[old])
		if slices.Contains(names, old) {
			d.fault("the parameter alias %q collides with the parameter of that name", old)
		}
	}
	for _, name := range sortedKeys(c.DeprecatedParams) {
		has("DeprecatedParams", name)
	}
}

// effectValues finds values that the argument of EffectBy cannot have. They would
// never lower the effect of a call.
func (d *definition) effectValues() {
	by := d.c.EffectBy
	prop := member(member(d.c.Input.Raw(), "properties"), by.Arg)
	if kind, err := unquote(member(prop, "type")); err == nil && kind != "string" {
		d.fault("EffectBy names the parameter %q, which is of type %s: it must be a string", by.Arg, kind)
		return
	}
	var enum []string
	if json.Unmarshal(member(prop, "enum"), &enum) != nil {
		return // none, or one with values that are no strings
	}
	for _, value := range sortedKeys(by.Values) {
		if !slices.Contains(enum, value) {
			d.fault("EffectBy has the value %q, which the parameter %q cannot have: it takes %s", value, by.Arg, strings.Join(enum, ", "))
		}
	}
}

// examples checks that each example is a valid call.
func (d *definition) examples(v *schema.Validator) {
	for i, ex := range d.c.Examples {
		if _, rep := v.Normalize(ex); !rep.OK() {
			f := rep.Faults[0]
			d.fault("example %d is not a valid call: %s", i+1, faultText(f))
		}
	}
}

// deprecateParams marks the deprecated parameters in the schema that the model reads.
func deprecateParams(s *schema.Schema, notes map[string]string) (*schema.Schema, error) {
	raw := s.Raw()
	props := members(member(raw, "properties"))
	for i, p := range props {
		note, ok := notes[p.name]
		if !ok || p.value.Kind() != '{' {
			continue
		}
		text := "Deprecated: " + note
		if old, err := unquote(member(p.value, "description")); err == nil && old != "" {
			text = old + " " + text
		}
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			return nil, err
		}
		v := withMember(p.value, "description", quoted)
		props[i].value = withMember(v, "deprecated", jsontext.Value("true"))
	}
	return schema.Parse(withMember(raw, "properties", object(props)))
}
