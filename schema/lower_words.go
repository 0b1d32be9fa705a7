package schema

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of what a description says about a schema, so that a rule stays readable and its text finite.
const (
	phraseDepth  = 4
	phraseLength = 600
	phraseList   = 12
)

// joinText joins sentences. A text that does not end one gets a full stop.
func joinText(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			if s := b.String(); !strings.ContainsAny(s[len(s)-1:], ".!?:;") {
				b.WriteByte('.')
			}
			b.WriteByte(' ')
		}
		b.WriteString(part)
	}
	return b.String()
}

func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "..."
}

// listed joins with commas and a last word.
func listText(list []string, last string) string {
	if len(list) > phraseList {
		list = append(slices.Clone(list[:phraseList]), strconv.Itoa(len(list)-phraseList)+" more")
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " " + last + " " + list[len(list)-1]
}

func quotedNames(t *tree) []string {
	var names []string
	for _, item := range t.items {
		names = append(names, cutText(item.text(), 80))
	}
	return names
}

// sentence says in words what the keyword name of t with this value asks for; "" when there is nothing to say to a model.
func (s *source) sentence(t *tree, name string, value *tree) string {
	w := &wording{s: s, open: map[*tree]bool{t: true}}
	return cutText(w.sentence(t, name, value), phraseLength)
}

// A wording puts schemas into words. open holds the schemas that it is in the middle of.
type wording struct {
	s     *source
	open  map[*tree]bool
	depth int
	size  int
}

func (w *wording) sentence(t *tree, name string, value *tree) string {
	if text := boundSentence(name, value); text != "" {
		return text
	}
	switch name {
	case "not":
		return "Must not be " + w.phrase(value) + "."
	case "anyOf":
		return w.alternatives("At least one of these", value.items)
	case "oneOf":
		return w.alternatives("Exactly one of these", value.items)
	case "if":
		return w.condition(t, value)
	case "contains":
		return w.contains(t, value)
	case "propertyNames":
		return "Each name must be " + w.phrase(value) + "."
	case "patternProperties":
		return w.patternSentence(value)
	case "dependentRequired", "dependentSchemas", "dependencies":
		return w.dependent(value)
	case "additionalProperties", "unevaluatedProperties":
		return w.rest("Further properties", value)
	case "additionalItems", "unevaluatedItems":
		return w.rest("Further items", value)
	}
	return ""
}

// boundSentence words the keywords whose value is plain.
func boundSentence(name string, value *tree) string {
	text := cutText(value.text(), 200)
	switch name {
	case "minimum":
		return "At least " + text + "."
	case "maximum":
		return "At most " + text + "."
	case "exclusiveMinimum":
		return "More than " + text + "."
	case "exclusiveMaximum":
		return "Less than " + text + "."
	case "multipleOf":
		return "A multiple of " + text + "."
	case "minLength":
		return "At least " + text + countWord(text, " character") + "."
	case "maxLength":
		return "At most " + text + countWord(text, " character") + "."
	case "minItems":
		return "At least " + text + countWord(text, " item") + "."
	case "maxItems":
		return "At most " + text + countWord(text, " item") + "."
	case "minProperties":
		return "At least " + text + countWord(text, " member") + "."
	case "maxProperties":
		return "At most " + text + countWord(text, " member") + "."
	case "enum":
		return "One of " + listText(quotedNames(value), "or") + "."
	case "const":
		return "Always " + text + "."
	case "default":
		return "Default: " + text + "."
	}
	return textSentence(name, value)
}

func textSentence(name string, value *tree) string {
	switch name {
	case "pattern":
		return "Must match the pattern `" + cutText(value.str, 300) + "`."
	case "format":
		return "Format: " + cutText(value.str, 60) + "."
	case "contentEncoding":
		return "Encoded as " + cutText(value.str, 60) + "."
	case "contentMediaType":
		return "Content type: " + cutText(value.str, 60) + "."
	case "uniqueItems":
		if value.kind == 't' {
			return "No two items are equal."
		}
	case "deprecated":
		if value.kind == 't' {
			return "Deprecated."
		}
	case "examples":
		if len(value.items) > 0 {
			return "For example: " + cutText(value.items[0].text(), 200) + "."
		}
	}
	return ""
}

func countWord(count, word string) string {
	if count == "1" {
		return word
	}
	return word + "s"
}

func (w *wording) alternatives(lead string, list []*tree) string {
	var given, parts []string
	for i, t := range list {
		if only := t.get("required"); only != nil && len(t.members) == 1 {
			given = append(given, listText(quotedNames(only), "and"))
		}
		parts = append(parts, "("+strconv.Itoa(i+1)+") "+w.phrase(t))
	}
	if len(given) == len(list) {
		return lead + " must be given: " + strings.Join(given, "; ") + "."
	}
	return lead + " must hold: " + strings.Join(parts, "; ") + "."
}

func (w *wording) condition(t, cond *tree) string {
	then, els := t.get("then"), t.get("else")
	text := "If it is " + w.phrase(cond)
	switch {
	case then != nil && els != nil:
		return text + ", it must be " + w.phrase(then) + "; else " + w.phrase(els) + "."
	case then != nil:
		return text + ", it must be " + w.phrase(then) + "."
	case els != nil:
		return "Unless" + strings.TrimPrefix(text, "If") + ", it must be " + w.phrase(els) + "."
	}
	return ""
}

func (w *wording) contains(t, value *tree) string {
	low, high := t.get("minContains"), t.get("maxContains")
	text := "At least 1 item"
	if low != nil {
		text = "At least " + low.text() + countWord(low.text(), " item")
	}
	if high != nil {
		text += ", and at most " + high.text() + ","
	}
	return text + " must be " + w.phrase(value) + "."
}

func (w *wording) patternSentence(value *tree) string {
	var parts []string
	for _, m := range value.members {
		parts = append(parts, "A member whose name matches `"+cutText(m.name, 100)+"` must be "+w.phrase(m.value)+".")
	}
	return strings.Join(parts, " ")
}

func (w *wording) dependent(value *tree) string {
	var parts []string
	for _, m := range value.members {
		switch {
		case m.value.kind == '[' && len(m.value.items) > 0:
			parts = append(parts, "With "+strconv.Quote(m.name)+", "+listText(quotedNames(m.value), "and")+" must be given too.")
		case m.value.isSchema():
			parts = append(parts, "With "+strconv.Quote(m.name)+", it must be "+w.phrase(m.value)+".")
		}
	}
	return strings.Join(parts, " ")
}

func (w *wording) rest(what string, value *tree) string {
	switch value.kind {
	case 'f':
		return what + " are not taken."
	case 't':
		return ""
	}
	if len(value.members) == 0 {
		return ""
	}
	return what + " must be " + w.phrase(value) + "."
}

// phrase names a schema as a noun: a string of at least 3 characters.
func (w *wording) phrase(t *tree) string {
	switch {
	case t.kind == 't':
		return "anything"
	case t.kind == 'f':
		return "nothing"
	case w.open[t] || w.depth >= phraseDepth || w.size > 2*phraseLength:
		return "as the schema says"
	}
	w.open[t] = true
	w.depth++
	text := w.parts(t)
	w.depth--
	delete(w.open, t)
	w.size += len(text)
	return text
}

func (w *wording) parts(t *tree) string {
	if to := w.s.target(t, "$ref"); to != nil && len(t.members) == 1 {
		return w.phrase(to)
	}
	lead := "anything"
	if typ := t.get("type"); typ != nil {
		lead = typePhrase(typ)
	}
	if v := t.get("const"); v != nil {
		lead = cutText(v.text(), 100)
	} else if v := t.get("enum"); v != nil {
		lead = listText(quotedNames(v), "or")
	}
	var more []string
	if v := t.get("required"); v != nil && len(v.items) > 0 {
		more = append(more, "with "+listText(quotedNames(v), "and"))
	}
	more = append(more, w.members(t)...)
	for _, m := range t.members {
		if m.name == "enum" || m.name == "const" || m.name == "default" || m.name == "examples" || !w.s.c.counts(t, m.name) {
			continue
		}
		if text := w.sentence(t, m.name, m.value); text != "" {
			more = append(more, strings.ToLower(text[:1])+strings.TrimRight(text[1:], ". "))
		}
	}
	if len(more) == 0 {
		return lead
	}
	if lead == "anything" {
		lead = "a value"
	}
	return lead + " (" + strings.Join(more, ", ") + ")"
}

// members words what the properties of t are, where that is more than a type.
func (w *wording) members(t *tree) []string {
	props := t.get("properties")
	if props == nil {
		return nil
	}
	var list []string
	for _, m := range props.members {
		if len(list) == phraseList {
			break
		}
		if text := w.phrase(m.value); text != "anything" {
			list = append(list, strconv.Quote(m.name)+" is "+text)
		}
	}
	return list
}

func typePhrase(t *tree) string {
	article := func(name string) string {
		switch name {
		case "null":
			return name
		case "object", "array", "integer":
			return "an " + name
		}
		return "a " + name
	}
	if t.kind == '"' {
		return article(t.str)
	}
	var names []string
	for _, item := range t.items {
		names = append(names, article(item.str))
	}
	return listText(names, "or")
}
