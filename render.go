package helve

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// A Surface is where a person looks at a result.
type Surface uint8

const (
	// Terminal is plain text without control sequences.
	Terminal Surface = iota
	// Page is HTML, escaped, to be put into a page as it is.
	Page
)

// A RenderFunc makes what a person sees of a result that has data, as plain
// text. It is escaped for the surface afterwards, so that nothing a tool returns
// can drive a terminal or a page, and followed by note and warnings. Where it
// returns "" or panics the data is shown as it is.
type RenderFunc func(res *Result, surface Surface) string

// Render returns what a person sees of a result. The data looks as the tool's
// own view has it, where it has one; see [Tool.WithRender].
func Render(res *Result, surface Surface) string {
	var b strings.Builder
	switch {
	case res.Pending != nil:
		fmt.Fprintf(&b, "%s waits: %s", res.Tool, res.Pending.Reason)
		if id := res.Pending.Approval; id != "" {
			fmt.Fprintf(&b, " (approval %s)", id)
		}
	case res.Error != nil:
		renderError(&b, res)
	default:
		b.WriteString(orElse(renderOwn(res, surface), renderData(res.Data)))
	}
	if res.Replayed {
		b.WriteString("\n(replayed: nothing was done again)")
	}
	for _, c := range res.Content {
		fmt.Fprintf(&b, "\n[%s %s %s]", c.Type, c.Name, c.URI)
	}
	for _, line := range append([]string{res.Note}, res.Warnings...) {
		if line != "" {
			b.WriteString("\n" + line)
		}
	}
	return onSurface(b.String(), surface)
}

// onSurface escapes text for where it is shown.
func onSurface(text string, surface Surface) string {
	text = plainText(text)
	if surface == Page {
		return "<pre>" + html.EscapeString(text) + "</pre>"
	}
	return text
}

func renderOwn(res *Result, surface Surface) (text string) {
	if res.render == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return res.render(res, surface)
}

func renderError(b *strings.Builder, res *Result) {
	fmt.Fprintf(b, "%s failed: %s (%s)", res.Tool, res.Error.Message, res.Error.Code)
	for _, f := range res.Error.Faults {
		fmt.Fprintf(b, "\n  %s: %s", orElse(f.Path, "arguments"), f.Problem)
		if f.Suggestion != "" {
			fmt.Fprintf(b, " (%s)", f.Suggestion)
		}
	}
	if res.Error.Suggestion != "" {
		b.WriteString("\n" + res.Error.Suggestion)
	}
}

// renderData shows text as text and the rest as indented JSON.
func renderData(data jsontext.Value) string {
	if text, err := unquote(data); err == nil {
		return text
	}
	v := data.Clone()
	if v.Indent(jsontext.WithIndent("  ")) != nil {
		return string(data)
	}
	return string(bytes.TrimSpace(v))
}

// RenderCall returns what a person who is asked must see: the tool, and exactly
// the arguments that will run, each on lines of its own. A text that could be
// taken for another value stands in quotes.
func RenderCall(a *Approval, surface Surface) string {
	var b strings.Builder
	b.WriteString(a.Tool)
	if a.Effect != 0 { // a ledger does not know it
		fmt.Fprintf(&b, " (%s)", a.Effect)
	}
	for _, f := range members(a.Arguments) {
		text := renderData(f.value)
		if f.value.Kind() == '"' && (strings.TrimSpace(text) != text && !strings.Contains(text, "\n") || jsontext.Value(text).IsValid()) {
			text = string(f.value)
		}
		if strings.Contains(text, "\n") {
			text = "\n    " + strings.ReplaceAll(text, "\n", "\n    ")
		}
		fmt.Fprintf(&b, "\n  %s: %s", renderName(f.name), orElse(text, `""`))
	}
	return onSurface(b.String(), surface)
}

// renderName puts a name in quotes that could be taken for more than a name: an
// open input takes any, and one with a line in it would look like an argument.
func renderName(name string) string {
	if name != "" && strings.TrimSpace(name) == name && !strings.ContainsAny(name, "\n\t:\"") {
		return name
	}
	return string(quote(name))
}

// plainText shows control and direction characters instead of obeying them, and
// those that cannot be seen: a text that rewrites the line above it must not
// deceive who approves it, nor one that holds more than it shows.
func plainText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == unicode.ReplacementChar:
			b.WriteRune(r)
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == 0x2028, r == 0x2029, r == 0xFEFF:
			fmt.Fprintf(&b, "\\u%04x", r)
		case r == 0xAD, r == 0x34F, r == 0x200B, r >= 0x2060 && r <= 0x2064: // padding; joiners (200C, 200D) shape words
			fmt.Fprintf(&b, "\\u%04x", r)
		case r >= 0xE0000 && r <= 0xE007F: // tags, in which instructions to a model can be hidden
			fmt.Fprintf(&b, "\\U%08x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
