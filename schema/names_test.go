package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

// TestNamesThatNeedEscapes has names that do not stand in the text as they are: what looks like one letter for letter is another
// name, or no JSON at all. Such texts were taken for the name, and for JSON.
func TestNamesThatNeedEscapes(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"type":"object","properties":{"a\"b":{"type":"integer"},"a\\nb":{"type":"integer"},"a\tb":{"type":"integer"}},"additionalProperties":false}`, nil)
	for _, c := range []struct {
		name, in, want string
	}{
		{"spelled right", `{"a\"b":1,"a\\nb":2,"a\tb":3}`, ""},
		{"spelled otherwise", `{"\u0061\u0022b":1,"a\u005cnb":2,"a\u0009b":3}`, ""},
		{"a quote in a name", `{"a"b":1}`, "is not valid JSON: at byte 4, unexpected \"b\\\":1}\""},
		{"a tab in a name", `{"a\"b":1,"a\\nb":2,"a` + "\t" + `b":3}`, "is not valid JSON: at byte 22, a control character in a string must be escaped; a line break is \\n"},
		{"a line break is another name than a backslash and n", `{"a\"b":1,"a\nb":2}`, "unknown"},
	} {
		got := ""
		if r := v.Validate([]byte(c.in)); !r.OK() {
			got = r.Faults[0].Problem
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPropertiesInAnyOrder has more properties than one word has bits, given in several orders one after the other: what has been learned
// from one order must not matter to another.
func TestPropertiesInAnyOrder(t *testing.T) {
	t.Parallel()
	var props, required []string
	for i := range 200 {
		props = append(props, fmt.Sprintf(`"p%d":{"type":"integer"}`, i))
		if i%50 == 7 {
			required = append(required, fmt.Sprintf(`"p%d"`, i))
		}
	}
	v := compile(t, `{"type":"object","properties":{"self":{"$ref":"#"},`+strings.Join(props, ",")+`},"required":[`+strings.Join(required, ",")+`],`+
		`"dependentRequired":{"p150":["p151"]},"additionalProperties":false}`, &schema.Config{})
	for _, c := range []struct {
		name, in string
		want     []fault
	}{
		{"in order", `{"p7":1,"p57":1,"p107":1,"p157":1}`, nil},
		{"backwards", `{"p157":1,"p107":1,"p57":1,"p7":1}`, nil},
		{"in order again", `{"p7":1,"p57":1,"p107":1,"p157":1}`, nil},
		{"nested", `{"p7":1,"self":{"p7":1,"p57":1,"p107":1,"p157":1},"p57":1,"p107":1,"p157":1}`, nil},
		{"one twice", `{"p7":1,"p57":1,"p107":1,"p157":1,"p157":2}`, []fault{{Path: "/p157", Problem: "duplicate key"}}},
		{"one missing in the nested object alone", `{"p157":1,"self":{"p7":1,"p57":1,"p107":1},"p107":1,"p57":1,"p7":1}`, []fault{{Path: "/self/p157", Problem: "missing; wants an integer"}}},
		{"all missing", `{}`, []fault{
			{Path: "/p7", Problem: "missing; wants an integer"},
			{Path: "/p57", Problem: "missing; wants an integer"},
			{Path: "/p107", Problem: "missing; wants an integer"},
			{Path: "/p157", Problem: "missing; wants an integer"},
		}},
		{"what another one asks for", `{"p150":1,"p7":1,"p57":1,"p107":1,"p157":1}`, []fault{{Path: "/p151", Problem: `missing; needed when "p150" is given`}}},
	} {
		if diff := cmp.Diff(c.want, faults(v.Validate([]byte(c.in)))); diff != "" {
			t.Errorf("%s: faults (-want +got):\n%s", c.name, diff)
		}
	}
}
