package schema

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
)

// Lengths of what a message quotes: enough to recognise a value by, too little to flood a prompt.
const (
	excerptLength = 40
	listedNames   = 20
	listedValues  = 12
)

// word puts a fault into words, at the end of s.text.
func (s *state) word(f *fault) worded {
	w := worded{start: len(s.text)}
	value, b := s.d[f.at:f.end], s.appendPath(s.text, f)
	if f.kind == missing || f.kind == missingBeside {
		b = append(append(b, '/'), escapePointer(f.name)...)
	}
	w.problem = len(b)
	switch f.kind {
	case wrongType:
		b, w.suggestion = appendWrongType(b, f.node, value)
	case notInEnum, notConst, badDiscriminator:
		b = appendGot(append(append(b, "must be "...), f.enum.alternatives()...), value)
		w.suggestion = suggestValue(f.enum, value)
	case unknown:
		b, w.suggestion = appendUnknown(b, f.node, value)
	case missing:
		b = appendWants(append(b, "missing"...), f.node)
	case missingBeside:
		b = append(strconv.AppendQuote(append(b, "missing; needed when "...), f.other), " is given"...)
	case duplicate:
		b = append(b, "duplicate key"...)
	case aliasTwice:
		b = append(b, "the former name of "+strconv.Quote(f.name)+", which is given too; send only "+strconv.Quote(f.name)...)
	case wrongFormat:
		text := unquotedText(value)
		b = appendGot(append(append(b, "must be "...), f.node.str.format.want...), value)
		if w.suggestion = suggestFormat(f.node.str.format, text); w.suggestion == "" && f.node.str.format == formats["date-time"] && noZone(text) {
			b = append(b, ", which has no time zone: end it with Z, or with an offset such as +01:00"...)
		}
	case noBranch:
		b, w.suggestion = s.appendNoBranch(b, f, value)
	case notCarried:
		b = appendGot(append(append(b, "must be "...), f.node.carrier.want...), value)
	case belowMin, aboveMax, belowCarrier, aboveCarrier, notAbove, notBelow, notMultiple, outOfRange:
		b = appendGot(appendNumber(b, f), value)
	default:
		b = append(b, s.wordRest(f)...)
	}
	switch f.kind {
	case wrongType, wrongFormat:
		if w.suggestion != "" && !s.suits(f, w.suggestion) {
			w.suggestion = ""
		}
	}
	s.text, w.end = b, len(b)
	return w
}

// suits reports whether the schema that the fault is about takes what is suggested. JSON text and what has been cut are not looked
// at: there the form of the value is the point.
func (s *state) suits(f *fault, suggestion string) bool {
	n := f.node
	if n == nil || n.obj == nil && n.arr == nil && n.num == nil && n.str == nil && n.in == nil || s.work > workBudget {
		return true
	}
	text := []byte(suggestion)
	if c := suggestion[0]; c == '{' || c == '[' && s.d[f.at] == '"' && strings.HasPrefix(strings.TrimSpace(unquotedText(s.d[f.at:f.end])), "[") {
		return true
	}
	for range 2 {
		if jsontext.Value(text).IsValid() {
			ok, work := s.v.fits(n, text)
			if s.work += work; ok {
				return true
			}
		}
		text = jsonx.AppendQuote(nil, suggestion)
	}
	return false
}

// appendGot appends what was sent instead.
func appendGot(b, value []byte) []byte { return appendExcerpt(append(b, ", got "...), value) }

func appendNumber(b []byte, f *fault) []byte {
	r := f.node.num // nil where only the carrier says something
	switch f.kind {
	case belowMin:
		return append(append(b, "must be at least "...), r.min.text...)
	case aboveMax:
		return append(append(b, "must be at most "...), r.max.text...)
	case notAbove:
		return append(append(b, "must be more than "...), r.above.text...)
	case notBelow:
		return append(append(b, "must be less than "...), r.below.text...)
	case belowCarrier:
		return append(append(b, "must be at least "...), f.name...)
	case aboveCarrier:
		return append(append(b, "must be at most "...), f.name...)
	case notMultiple:
		return append(append(b, "must be a multiple of "...), r.multipleOf.text...)
	}
	return append(b, "must be a number of a usual size"...)
}

func (s *state) wordRest(f *fault) string {
	n := f.node
	switch f.kind {
	case tooShort:
		if n.str.minLen == 1 {
			return "must not be empty"
		}
		return fmt.Sprintf("must have at least %s, has %d", plural(n.str.minLen, "character"), f.x)
	case tooLong:
		return fmt.Sprintf("must have at most %s, has %d", plural(n.str.maxLen, "character"), f.x)
	case noMatch:
		return "must match the pattern " + cut(n.str.pattern.src, 2*excerptLength) + ", got " + excerpt(s.d[f.at:f.end])
	case tooFewItems:
		return fmt.Sprintf("must have at least %s, has %d", plural(n.arr.minItems, "item"), f.x)
	case tooManyItems:
		return fmt.Sprintf("must have at most %s, has %d", plural(n.arr.maxItems, "item"), f.x)
	case tooFewMatches:
		return fmt.Sprintf("must hold at least %s that fit %s, holds %d", plural(n.arr.minContains, "item"), outline(n.arr.contains), f.x)
	case tooManyMatches:
		return fmt.Sprintf("must hold at most %s that fit %s, holds %d", plural(n.arr.maxContains, "item"), outline(n.arr.contains), f.x)
	case notUnique:
		return fmt.Sprintf("is the same as item %d; each item may occur once", f.x)
	case tooFewMembers:
		return fmt.Sprintf("must have at least %s, has %d", propertyCount(n.obj.minProps), f.x)
	case tooManyMembers:
		return fmt.Sprintf("must have at most %s, has %d", propertyCount(n.obj.maxProps), f.x)
	case notAllowed:
		return "is not allowed; leave it out"
	case mustNot:
		return "must not be " + outline(n)
	case ambiguous:
		return fmt.Sprintf("fits more than one of the accepted forms, %s and %s; it must fit exactly one", outline(f.list[f.x]), outline(f.list[f.y]))
	}
	return "is not valid"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func propertyCount(n int) string {
	if n == 1 {
		return "1 property"
	}
	return strconv.Itoa(n) + " properties"
}

// appendWrongType says which type is wanted, and what to send instead where the value shows what was meant.
func appendWrongType(b []byte, n *node, value []byte) (_ []byte, suggestion string) {
	if value[0] != '"' {
		b = appendValue(append(append(append(b, "must be "...), describe(n)...), ", got "...), value)
		switch {
		case n.types&tString != 0 && (isNumber(value[0]) || value[0] == 't' || value[0] == 'f') && n.str == nil && n.enum == nil:
			suggestion = strconv.Quote(string(value))
		case n.enum != nil:
			suggestion = suggestValue(n.enum, value)
		case n.types&tInteger != 0 && isNumber(value[0]):
			b = append(b, ", which is not whole"...)
		case value[0] != '[' && value[0] != '{' && value[0] != 'n' && n.takesItem(value):
			suggestion = "[" + string(value) + "]"
		}
		return b, suggestion
	}
	if problem, suggestion := wordJSONText(n, value); problem != "" {
		return append(b, problem...), suggestion
	}
	b = appendExcerpt(append(append(append(b, "must be "...), describe(n)...), ", got the string "...), value)
	return b, suggestForString(n, value)
}

// suggestForString finds what was probably meant by a string where the schema takes none.
func suggestForString(n *node, value []byte) string {
	text := strings.TrimSpace(unquotedText(value))
	switch {
	case n.enum != nil:
		return suggestValue(n.enum, value)
	case text == "":
	case isNumber(text[0]):
		if isNumberText(text) && (n.types&tNumber != 0 || n.types&tInteger != 0 && integral(text)) {
			return text
		}
	case (text == "true" || text == "false") && n.types&tBoolean != 0, text == "null" && n.types&tNull != 0:
		return text
	}
	if text != "" && !strings.ContainsAny(text, "[{,;\n") && n.takesItem(value) {
		return "[" + string(value) + "]" // a list in words is no item
	}
	if n.types&tBoolean != 0 {
		switch strings.ToLower(text) {
		case "true", "yes":
			return "true"
		case "false", "no":
			return "false"
		}
	}
	return ""
}

// takesItem reports whether the schema wants an array of values of the type that a short value has.
func (n *node) takesItem(value []byte) bool {
	if n.types&tArray == 0 || n.arr == nil || n.arr.items == nil || len(n.arr.prefix) > 0 || len(value) > excerptLength {
		return false
	}
	item := n.arr.items.target()
	switch {
	case item.never || item.types == tAny && item.enum == nil:
		return false
	case item.enum != nil:
		return slices.ContainsFunc(item.enum.values, func(v *tree) bool { return string(v.raw) == string(value) })
	case value[0] == '"':
		return item.types&tString != 0
	case isNumber(value[0]):
		return item.types&tNumber != 0 || item.types&tInteger != 0 && integral(string(value))
	}
	return item.types&tBoolean != 0
}

// wordJSONText explains an object or array that came as JSON text in a string; "" when the value is something else.
func wordJSONText(n *node, value []byte) (problem, suggestion string) {
	if value[0] != '"' || n.types&tString != 0 || n.types&(tObject|tArray) == 0 {
		return "", ""
	}
	text := strings.TrimSpace(unquotedText(value))
	if text == "" || text[0] == '{' && n.types&tObject == 0 || text[0] == '[' && n.types&tArray == 0 || text[0] != '{' && text[0] != '[' {
		return "", ""
	}
	kind, what := describeKind(text[0]), "JSON text"
	if !jsontext.Value(text).IsValid() {
		if text, what = pythonJSON(text), "Python text"; text == "" {
			return "", ""
		}
	}
	return "must be " + describe(n) + ", got " + what + " in a string; send the " + kind + " itself, without quotes around it", cutValue(text)
}

// pythonJSON turns what Python prints of a list or dictionary, {'a': True}, into JSON; "" where it is not plainly that.
func pythonJSON(text string) string {
	if strings.ContainsAny(text, `"\\`) {
		return ""
	}
	parts := strings.Split(text, "'") // every second one is a string
	for i := 0; i < len(parts); i += 2 {
		parts[i] = pythonWords.Replace(parts[i])
	}
	if text = strings.Join(parts, `"`); !jsontext.Value(text).IsValid() {
		return ""
	}
	return text
}

var pythonWords = strings.NewReplacer("True", "true", "False", "false", "None", "null")

func isNumberText(text string) bool {
	end, ok := jsonx.Number([]byte(text), 0)
	return ok && end == len(text)
}

func integral(text string) bool {
	v, err := jsonx.ParseDecimal([]byte(text))
	return err == nil && v.IsInteger()
}

// suggestValue finds the value of an enum that was probably meant.
func suggestValue(r *enumRule, value []byte) string {
	text := string(value)
	if value[0] == '"' {
		text = unquotedText(value)
		// A slip in a word is likely, one in a number is another number.
		near := remember(&r.near, func() candidates { return newCandidates(r.names) }).nearest(text)
		if near != "" && sameDigits(near, text) {
			return near
		}
	}
	if value[0] == '[' && text[len(text)-1] == ']' { // one value where an array was sent
		text = strings.TrimSpace(text[1 : len(text)-1])
	}
	// The right text with or without quotes, or in another spelling: true for "True", "2" for 2 or 2.0, 1 for "1.0".
	for _, v := range r.values {
		switch {
		case v.kind == '"' && value[0] == '[' && string(v.raw) == text:
			return v.str
		case v.kind == '"' && value[0] != '"' && (strings.EqualFold(v.str, text) || sameNumber(v.str, text)):
			return strconv.Quote(v.str)
		case v.kind != '"' && value[0] == '"' && (strings.EqualFold(string(v.raw), strings.TrimSpace(text)) || sameNumber(string(v.raw), text)):
			return string(v.raw)
		}
	}
	return ""
}

// sameNumber reports whether both texts are JSON numbers of the same value.
func sameNumber(a, b string) bool {
	x, okX := numberOf(a)
	y, okY := numberOf(b)
	return okX && okY && x.Compare(y) == 0
}

func numberOf(text string) (jsonx.Decimal, bool) {
	if !isNumberText(text) {
		return jsonx.Decimal{}, false
	}
	v, err := jsonx.ParseDecimal([]byte(text))
	return v, err == nil
}

// sameDigits reports whether a and b hold the same digits in the same order.
func sameDigits(a, b string) bool {
	for {
		i, j := strings.IndexAny(a, digits), strings.IndexAny(b, digits)
		if i < 0 || j < 0 || a[i] != b[j] {
			return i < 0 && j < 0
		}
		a, b = a[i+1:], b[j+1:]
	}
}

const digits = "0123456789"

// alternatives lists the values: "a", "b" or "c".
func (r *enumRule) alternatives() string {
	return *remember(&r.text, func() string {
		if len(r.values) == 0 {
			return "nothing: no value is accepted"
		}
		list := make([]string, 0, len(r.values))
		for i, v := range r.values {
			if i == listedValues && len(r.values) > listedValues+1 {
				return "one of " + strings.Join(list, ", ") + " and " + strconv.Itoa(len(r.values)-i) + " more"
			}
			list = append(list, cutValue(string(v.raw)))
		}
		return joinOr(list)
	})
}

// remember returns what is kept at p, which find is asked for the first time.
func remember[T any](p *atomic.Pointer[T], find func() T) *T {
	if known := p.Load(); known != nil {
		return known
	}
	found := find()
	p.Store(&found)
	return &found
}

func joinOr(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

func appendUnknown(b []byte, n *node, name []byte) (_ []byte, suggestion string) {
	text, known := unquotedText(name), n.accepted()
	accepted := known.names
	if slices.Contains(accepted, text) {
		return append(b, "unknown in this form of the object; another form has it"...), ""
	}
	if near := known.nearest(text); near != "" {
		return append(b, "unknown"...), near
	}
	if len(accepted) == 0 {
		return append(b, "unknown; no properties are accepted here"...), ""
	}
	b = append(b, "unknown; accepted: "...)
	for i, name := range accepted[:min(len(accepted), listedNames)] {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, name...)
	}
	if more := len(accepted) - listedNames; more > 0 {
		b = append(strconv.AppendInt(append(b, " and "...), int64(more), 10), " more"...)
	}
	return b, ""
}

// unquotedText returns what a string literal stands for.
func unquotedText(lit []byte) string {
	if bytes.IndexByte(lit, '\\') < 0 {
		return string(lit[1 : len(lit)-1])
	}
	return string(jsonx.Unquote(nil, lit))
}

func appendWants(b []byte, n *node) []byte {
	if n == nil {
		return b
	}
	if n = n.target(); n.always || n.never || describe(n) == anything {
		return b
	}
	return append(append(b, "; wants "...), describe(n)...)
}

// appendNoBranch says in one sentence what the branches of anyOf or oneOf take.
func (s *state) appendNoBranch(b []byte, f *fault, value []byte) (_ []byte, suggestion string) {
	for _, sub := range f.list {
		if problem, suggestion := wordJSONText(sub.target(), value); problem != "" {
			return append(b, problem...), suggestion
		}
	}
	forms := appendForms(nil, f.list, s.typeOf(f.at, f.end), map[*node]bool{})
	for _, sub := range f.list {
		if likely := suggestFor(sub.target(), value); suggestion == "" && likely != "" && s.suits(f, likely) {
			suggestion = likely
		}
	}
	return appendValue(append(append(append(b, "must be "...), joinOr(forms)...), ", got "...), value), suggestion
}

// appendForms lists what the branches of a union take, and those of unions in it, for a value of one type that none took: of a
// branch for that type, the name of the type would not say why.
func appendForms(forms []string, list []*node, got types, seen map[*node]bool) []string {
	for _, n := range list {
		for n = n.target(); n.isOnlyRef(); n = n.in.ref.target() {
		}
		if seen[n] {
			continue
		}
		seen[n] = true
		if in := n.in; in != nil && n.types == tAny && n.enum == nil && in.allOf == nil && in.not == nil && (in.anyOf == nil) != (in.oneOf == nil) {
			forms = appendForms(forms, slices.Concat(in.anyOf, in.oneOf), got, seen)
			continue
		}
		text := outline(n)
		if plain := n.enum == nil && (n.str == nil || n.str.format == nil) && (n.obj == nil || n.obj.declared == 0) && !strings.HasPrefix(text, "an array of "); plain && n.types != tAny && n.types&got != 0 {
			text = cut(string(n.raw), 2*excerptLength)
		}
		if len(forms) < listedValues && !slices.Contains(forms, text) {
			forms = append(forms, text)
		}
	}
	return forms
}

// isOnlyRef reports whether all that describes the schema is what it refers to.
func (n *node) isOnlyRef() bool {
	return n.types == tAny && n.enum == nil && n.in != nil && n.in.ref != nil
}

func suggestFor(n *node, value []byte) string {
	switch {
	case n.enum != nil && value[0] == '"':
		return suggestValue(n.enum, value)
	case value[0] == '"' && n.types&tString == 0:
		if _, suggestion := wordJSONText(n, value); suggestion != "" {
			return suggestion
		}
		return suggestForString(n, value)
	}
	return ""
}

const anything = "a value"

// describe says what a schema wants: "an integer", "a string or null", "an array of strings", `"a" or "b"`.
func describe(n *node) string {
	n = n.target()
	return *remember(&n.described, n.describe)
}

func (n *node) describe() string {
	switch {
	case n.enum != nil:
		return n.enum.alternatives()
	case n.types == tArray && n.arr != nil && n.arr.items != nil:
		if plural := pluralTypes[n.arr.items.target().types]; plural != "" {
			return "an array of " + plural
		}
	case n.types == tAny && n.in != nil:
		return describeInPlace(n.in)
	}
	if n.types == tAny {
		return anything
	}
	var names []string
	for _, t := range typeArticles {
		switch {
		case n.types&t.bits != t.bits, t.bits == tInteger && n.types&tNumber != 0:
		case t.bits == tString && n.str != nil && n.str.format != nil:
			names = append(names, n.str.format.want)
		default:
			names = append(names, t.name)
		}
	}
	return joinOr(names)
}

func describeInPlace(in *inPlace) string {
	list := in.anyOf
	if list == nil {
		list = in.oneOf
	}
	if in.ref != nil {
		return describe(in.ref)
	}
	var forms []string
	for _, sub := range list {
		if sub = sub.target(); sub.in != nil && sub.types == tAny {
			return anything
		}
		if text := describe(sub); !slices.Contains(forms, text) {
			forms = append(forms, text)
		}
	}
	if len(forms) == 0 {
		return anything
	}
	return joinOr(forms)
}

var typeArticles = []struct {
	bits types
	name string
}{
	{tString, "a string"},
	{tInteger, "an integer"},
	{tNumber | tInteger, "a number"},
	{tBoolean, "a boolean"},
	{tArray, "an array"},
	{tObject, "an object"},
	{tNull, "null"},
}

var pluralTypes = map[types]string{
	tString: "strings", tInteger: "integers", tNumber | tInteger: "numbers", tBoolean: "booleans", tArray: "arrays", tObject: "objects",
}

// outline describes a schema, with its text where a few words do not say it.
func outline(n *node) string {
	if n = n.target(); n.isOnlyRef() {
		return outline(n.in.ref)
	}
	text := describe(n)
	if n.types == tObject && n.obj != nil && n.obj.declared > 0 {
		names := make([]string, 0, 4)
		for _, p := range n.obj.props[:min(n.obj.declared, 4)] {
			names = append(names, p.name)
		}
		if n.obj.declared > 4 {
			names = append(names, "...")
		}
		return "an object with " + strings.Join(names, ", ")
	}
	if text == anything || n.num != nil || n.str != nil && n.enum == nil && n.str.format == nil || n.in != nil && n.in.not != nil {
		return cut(string(n.raw), 2*excerptLength)
	}
	return text
}

func describeKind(c byte) string {
	switch c {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func describeTree(t *tree) string { return describeValue(t.raw) }

func describeValue(value []byte) string { return string(appendValue(nil, value)) }

// appendValue names a value: the string "x", the number 3, an object.
func appendValue(b, value []byte) []byte {
	switch kind := describeKind(value[0]); kind {
	case "object", "array":
		return append(append(b, "an "...), kind...)
	case "null":
		return append(b, kind...)
	case "boolean":
		return append(b, value...)
	default:
		return appendExcerpt(append(append(append(b, "the "...), kind...), ' '), value)
	}
}

// excerpt returns the text of a value, cut to what is enough to recognise it by.
func excerpt(value []byte) string { return string(appendExcerpt(nil, value)) }

// appendExcerpt appends the excerpt. What is escaped without need is written as it reads: some writers escape whatever is not ASCII.
func appendExcerpt(b, value []byte) []byte {
	if len(value) > 0 && value[0] == '"' && bytes.Contains(value[:min(len(value), excerptLength)], []byte(`\u`)) {
		if end, _, ok := jsonx.String(value, 0); ok && end == len(value) {
			value = jsonx.AppendQuote(nil, string(jsonx.Unquote(nil, value)))
		}
	}
	return appendLiteral(b, value)
}

// appendLiteral appends the beginning of a value, spelled as it is. The quotes of a string that has been cut are closed.
func appendLiteral(b, value []byte) []byte {
	b = appendCut(b, value, excerptLength)
	if len(value) > excerptLength && value[0] == '"' {
		b = append(b, '"')
	}
	return b
}

func cutValue(text string) string { return excerpt([]byte(text)) }

func cut(text string, limit int) string { return string(appendCut(nil, []byte(text), limit)) }

// appendCut appends the beginning of a text, without what could spoil a line.
func appendCut(b, text []byte, limit int) []byte {
	end := len(text)
	if end > limit {
		for end = limit; end > 0 && !utf8.RuneStart(text[end]); end-- {
		}
	}
	for i := 0; i < end; {
		run := i
		for run < end && text[run] >= ' ' && text[run] < utf8.RuneSelf {
			run++
		}
		if b = append(b, text[i:run]...); run == end {
			break
		}
		r, n := utf8.DecodeRune(text[run:end])
		if r < ' ' || r == utf8.RuneError {
			r = '.'
		}
		b, i = utf8.AppendRune(b, r), run+n
	}
	if end < len(text) {
		b = append(b, "..."...)
	}
	return b
}

// malformedAt says what is wrong with the text at a byte.
func malformedAt(d []byte, at int) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity", "undefined", "None", "True", "False"} {
		if strings.HasPrefix(string(d[at:min(len(d), at+len(word))]), word) || at > 0 && d[at-1] == '-' && strings.HasPrefix(string(d[at:]), word) {
			return word + " is not a JSON value"
		}
	}
	switch c := d[at]; {
	case at == 0 && bytes.HasPrefix(d, []byte("\uFEFF")):
		return "it starts with a byte order mark; send the JSON without it"
	case c == '\\':
		return "the escape sequence is not valid: " + cut(string(d[at:min(len(d), at+12)]), 12)
	case c >= utf8.RuneSelf && invalidRune(d[at:]):
		return "the text is not valid UTF-8"
	case c < ' ' && !inString(d, at):
		return "unexpected control character " + strconv.Quote(string(c))
	case c < ' ':
		return "a control character in a string must be escaped; a line break is \\n"
	case c == '\'':
		return "strings are written with double quotes"
	case c == '}' || c == ']':
		return "a comma or a bracket too many: " + string(c)
	}
	return "unexpected " + cut(strconv.Quote(string(d[at:min(len(d), at+12)])), excerptLength)
}

// inString reports whether the text breaks off at d[at] in the middle of a string.
func inString(d []byte, at int) (in bool) {
	for i := 0; i < at; i++ {
		switch {
		case d[i] == '"':
			in = !in
		case in && d[i] == '\\':
			i++
		}
	}
	return in
}

func invalidRune(d []byte) bool {
	r, n := utf8.DecodeRune(d)
	return r == utf8.RuneError && n <= 1
}
