package schema_test

import (
	"strings"
	"testing"

	"helve.dev/helve/internal/dialect"
	"helve.dev/helve/schema"
)

// FuzzLower holds for any schema and dialect: nothing panics or hangs; the canonical schema stays; the outcome is the same each
// time, compiles, and is right by the independent rules, or the error says why there is none; lowering the outcome again changes
// nothing; what a strict provider could send comes back from Restore as JSON.
func FuzzLower(f *testing.F) {
	for _, c := range lowerCases {
		f.Add([]byte(c.text), uint8(0), uint64(1))
		f.Add([]byte(c.text), uint8(len(c.text)), uint64(2))
	}
	for _, text := range fuzzSchemas {
		f.Add([]byte(text), uint8(9), uint64(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, choice uint8, seed uint64) {
		canonical, err := schema.Parse(text)
		if err != nil {
			return
		}
		d := dialects[int(choice)%len(dialects)]
		bits := int(choice) / len(dialects)
		cfg := &schema.LowerConfig{MapsAsPairs: bits&1 != 0, AnyAsText: bits&2 != 0, CloseOpen: bits&4 != 0, ExpandDepth: bits >> 3}
		before := canonical.String()
		low, err := schema.Lower(canonical, d, cfg)
		if canonical.String() != before {
			t.Fatal("the canonical schema has changed")
		}
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Fatal("an error without a reason")
			}
			return
		}
		again, err := schema.Lower(canonical, d, cfg)
		if err != nil || !again.Schema.Equal(low.Schema) || len(again.Report) != len(low.Report) {
			t.Fatalf("once %s, then %s, %v", low.Schema, again.Schema, err)
		}
		if strings.Contains(before, `"$id"`) || strings.Contains(before, "://") {
			return // references may lead to other documents, which only MCP hands on
		}
		if _, err := schema.Compile(low.Schema, nil); err != nil {
			t.Fatalf("%v: %s does not compile: %v", d, low.Schema, err)
		}
		if d != schema.MCP {
			for _, fault := range dialect.Check(receiver(d), low.Schema.Raw(), low.Strict) {
				t.Fatalf("%v: %s in %s", d, fault, low.Schema)
			}
		}
		if low.Strict == d.Strict() {
			twice, err := schema.Lower(low.Schema, d, cfg)
			if err != nil || twice.Strict != low.Strict {
				t.Fatalf("%v: lowered again: %v, %+v, from %s", d, err, twice, low.Schema)
			}
		}
		if low.Strict {
			if args, err := dialect.Generate(low.Schema.Raw(), seed); err == nil {
				if _, err := low.Restore(args); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
