package schema_test

import (
	"testing"

	"helve.dev/helve/schema"
)

// compile compiles the text of a schema.
func compile(tb testing.TB, text string, cfg *schema.Config) *schema.Validator {
	tb.Helper()
	s, err := schema.Parse([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	v, err := schema.Compile(s, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// faults returns the faults of a report, and nil for a nil report.
func faults(r *schema.Report) []schema.Fault {
	if r == nil {
		return nil
	}
	return r.Faults
}
