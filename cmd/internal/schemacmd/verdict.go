package schemacmd

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// A verdict is what is said of one value: valid, not valid and why, or that it
// could not be checked.
type verdict struct {
	File   string         `json:"file,omitzero"`
	Valid  *bool          `json:"valid,omitzero"`
	Faults []schema.Fault `json:"faults,omitzero"`
	// More counts the faults beyond those listed.
	More  int    `json:"more,omitzero"`
	Error string `json:"error,omitzero"`
}

// verdictOf turns a report into a verdict.
func verdictOf(r *schema.Report) verdict {
	ok := r.OK()
	v := verdict{Valid: &ok}
	if !ok {
		v.Faults, v.More = r.Faults, r.More
	}
	return v
}

// ok reports whether the value is valid.
func (v *verdict) ok() bool { return v.Valid != nil && *v.Valid }

// printJSON prints any value as JSON on one line.
func printJSON(w io.Writer, v any) error {
	raw, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	_, err = w.Write(append(raw, '\n'))
	return err
}

// print prints the verdict for people.
func (v *verdict) print(w io.Writer) error {
	var b strings.Builder
	switch {
	case v.Error != "":
		fmt.Fprintf(&b, "%s: %s\n", v.File, v.Error)
	case v.ok():
		fmt.Fprintf(&b, "%s: valid\n", v.File)
	default:
		fmt.Fprintf(&b, "%s: not valid, %s\n", v.File, count(len(v.Faults)+v.More, "fault"))
		for _, f := range v.Faults {
			fmt.Fprintf(&b, "  %s\n", oneLine(faultText(f)))
		}
		if v.More > 0 {
			fmt.Fprintf(&b, "  and %d more\n", v.More)
		}
	}
	_, err := io.WriteString(w, plainText(b.String()))
	return err
}

// faultText says a fault in one line, with what was probably meant in brackets.
func faultText(f schema.Fault) string {
	text := "the value: " + f.Problem
	if f.Path != "" {
		text = f.Path + ": " + f.Problem
	}
	if f.Suggestion != "" {
		text += " (" + f.Suggestion + ")"
	}
	return text
}

// count says "1 fault" or "2 faults".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }

// plainText shows control and direction characters instead of obeying them:
// names and values come from anywhere, and a terminal can be driven by them.
func plainText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteRune(r)
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == 0x2028, r == 0x2029, r == 0xFEFF:
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
