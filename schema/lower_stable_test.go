package schema_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"helve.dev/helve/schema"
)

// lowerDigest is the digest of everything that Lower and LowerAll say about the cases.
func lowerDigest(t *testing.T) string {
	t.Helper()
	h := sha256.New()
	var tools []schema.LowerTool
	for _, c := range lowerCases {
		tools = append(tools, schema.LowerTool{Name: c.name, Schema: schema.MustParse(c.text)})
		for _, d := range dialects {
			for _, cfg := range []*schema.LowerConfig{nil, wideConfig} {
				low, err := schema.Lower(schema.MustParse(c.text), d, cfg)
				if err != nil {
					fmt.Fprintln(h, err)
					continue
				}
				fmt.Fprintln(h, low.Schema, low.Strict, low.Note, low.Report)
			}
		}
	}
	for _, d := range dialects {
		out, report, err := schema.LowerAll(tools, d, wideConfig)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range out {
			fmt.Fprintln(h, tool.Name, tool.Description, tool.Schema, tool.Report)
		}
		fmt.Fprintf(h, "%+v\n", report)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestLowerStable lowers 100 times here and once in each of 3 fresh processes: always the same bytes (B56).
func TestLowerStable(t *testing.T) {
	const child = "HELVE_LOWER_DIGEST"
	want := lowerDigest(t)
	if os.Getenv(child) != "" {
		fmt.Println("digest", want)
		return
	}
	for range 99 {
		if got := lowerDigest(t); got != want {
			t.Fatalf("got %s, then %s", want, got)
		}
	}
	for range 3 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLowerStable$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if !strings.Contains(string(out), "digest "+want) {
			t.Errorf("a fresh process says %s, want %s", out, want)
		}
	}
}
