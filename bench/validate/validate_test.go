// Package validate measures a validator alone: from raw bytes to a verdict, the
// decoding that it needs included.
package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	google "github.com/google/jsonschema-go/jsonschema"
	kaptinlin "github.com/kaptinlin/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"helve.dev/helve/bench/cases"
	"helve.dev/helve/schema"
)

// A check says how many faults it reports; -1 for text that it cannot read.
type check func(raw []byte) int

type participant struct {
	name    string
	compile func(tb testing.TB, doc string) check
}

var participants = []participant{
	{"helve", func(tb testing.TB, doc string) check {
		tb.Helper()
		v, err := schema.Compile(schema.MustParse(doc), nil)
		if err != nil {
			tb.Fatal(err)
		}
		return func(raw []byte) int {
			if rep := v.Validate(raw); rep != nil {
				return len(rep.Faults) + rep.More
			}
			return 0
		}
	}},
	{"floor-tokens", func(testing.TB, string) check {
		dec := jsontext.NewDecoder(bytes.NewReader([]byte("0")))
		return func(raw []byte) int {
			dec.Reset(bytes.NewBuffer(raw))
			for {
				if _, err := dec.ReadToken(); errors.Is(err, io.EOF) {
					return 0
				} else if err != nil {
					return -1
				}
			}
		}
	}},
	{"santhosh", func(tb testing.TB, doc string) check {
		tb.Helper()
		s := compileSanthosh(tb, doc)
		return func(raw []byte) int {
			v, err := santhosh.UnmarshalJSON(bytes.NewReader(raw))
			if err != nil {
				return -1
			}
			if ve, ok := errors.AsType[*santhosh.ValidationError](s.Validate(v)); ok {
				return leaves(ve)
			}
			return 0
		}
	}},
	{"jsonschema-go", func(tb testing.TB, doc string) check {
		tb.Helper()
		var s google.Schema
		if err := json.Unmarshal([]byte(doc), &s); err != nil {
			tb.Fatal(err)
		}
		r, err := s.Resolve(nil)
		if err != nil {
			tb.Fatal(err)
		}
		return func(raw []byte) int {
			var v any
			if json.Unmarshal(raw, &v) != nil {
				return -1
			}
			if r.Validate(v) != nil {
				return 1
			}
			return 0
		}
	}},
	{"kaptinlin", func(tb testing.TB, doc string) check {
		tb.Helper()
		s, err := kaptinlin.NewCompiler().Compile([]byte(doc))
		if err != nil {
			tb.Fatal(err)
		}
		return func(raw []byte) int {
			if r := s.ValidateJSON(raw); !r.IsValid() {
				return max(1, len(r.DetailedErrors()))
			}
			return 0
		}
	}},
}

func compileSanthosh(tb testing.TB, doc string) *santhosh.Schema {
	tb.Helper()
	v, err := santhosh.UnmarshalJSON(strings.NewReader(doc))
	if err != nil {
		tb.Fatal(err)
	}
	c := santhosh.NewCompiler()
	if err := c.AddResource("mem:///s.json", v); err != nil {
		tb.Fatal(err)
	}
	return c.MustCompile("mem:///s.json")
}

func leaves(e *santhosh.ValidationError) int {
	if len(e.Causes) == 0 {
		return 1
	}
	n := 0
	for _, c := range e.Causes {
		n += leaves(c)
	}
	return n
}

func measure(b *testing.B, f check, raw []byte, want func(int) bool) {
	b.Helper()
	if n := f(raw); !want(n) {
		b.Fatalf("%d faults", n)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		f(raw)
	}
}

func valid(n int) bool { return n == 0 }

// BenchmarkValidate is valid arguments.
func BenchmarkValidate(b *testing.B) {
	for _, c := range cases.All() {
		for _, p := range participants {
			b.Run(c.Name+"/"+p.name, func(b *testing.B) { measure(b, p.compile(b, c.Schema), c.JSON, valid) })
		}
	}
}

// BenchmarkFormats is valid arguments that are mostly formats and lists without
// repetition.
func BenchmarkFormats(b *testing.B) {
	c := cases.FormatsCase()
	for _, p := range participants {
		b.Run(p.name, func(b *testing.B) { measure(b, p.compile(b, c.Schema), c.JSON, valid) })
	}
}

// BenchmarkNormalize is valid arguments that need no settling, as the executor
// checks them: beside Validate on the same.
func BenchmarkNormalize(b *testing.B) {
	for _, c := range append(cases.All(), cases.FormatsCase()) {
		b.Run(c.Name+"/validate", func(b *testing.B) { measure(b, participants[0].compile(b, c.Schema), c.JSON, valid) })
		b.Run(c.Name+"/helve", func(b *testing.B) { measure(b, normalizer(b, c.Schema), c.JSON, valid) })
	}
}

func normalizer(tb testing.TB, doc string) check {
	tb.Helper()
	v, err := schema.Compile(schema.MustParse(doc), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return func(raw []byte) int {
		if _, rep := v.Normalize(raw); rep != nil {
			return len(rep.Faults) + rep.More
		}
		return 0
	}
}

// BenchmarkRefuse is the medium arguments with five faults.
func BenchmarkRefuse(b *testing.B) {
	c := cases.MediumCase()
	for _, p := range participants {
		if p.name == "floor-tokens" {
			continue
		}
		b.Run(p.name, func(b *testing.B) {
			measure(b, p.compile(b, c.Schema), cases.Broken(), func(n int) bool { return n > 0 })
		})
	}
}

// BenchmarkGrowth is ten times the input, and a hundred times the schema.
func BenchmarkGrowth(b *testing.B) {
	helve, large := participants[0], cases.All()[2]
	for name, rows := range map[string]int{"rows-50": 50, "rows-500": 500} {
		b.Run(name, func(b *testing.B) { measure(b, helve.compile(b, large.Schema), cases.LargeJSON(rows), valid) })
	}
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprintf("properties-%d", n), func(b *testing.B) { measure(b, helve.compile(b, cases.Wide(n)), cases.All()[0].JSON, valid) })
		b.Run(fmt.Sprintf("scattered-%d", n), func(b *testing.B) { measure(b, helve.compile(b, cases.Wide(n)), cases.WideJSON(n), valid) })
	}
}

// Helve tells all five faults, in document order.
func TestRefusesWithAllFaults(t *testing.T) {
	v, err := schema.Compile(schema.MustParse(cases.MediumCase().Schema), nil)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range v.Validate(cases.Broken()).Faults {
		paths = append(paths, f.Path)
	}
	if got := strings.Join(paths, " "); got != "/priority /audience /whole_day /colour /title" {
		t.Errorf("faults at %s", got)
	}
}
