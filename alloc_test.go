//go:build !race

package helve_test

import (
	"context"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
)

// A read costs so many allocations and no more; what a call costs in time is
// measured in benchmarks only.
func TestAllocationsOfARead(t *testing.T) {
	tool := helve.Must(helve.Func(contract("read", helve.Read), func(context.Context, benchMedium) (benchOut, error) {
		return benchOut{1, "done", true, 3}, nil
	}))
	reg, err := helve.NewRegistry(tool)
	if err != nil {
		t.Fatal(err)
	}
	x, err := helve.NewExecutor(reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := &helve.Call{ID: "c", Tool: "read", Arguments: jsontext.Value(mediumArgs)}
	got := testing.AllocsPerRun(200, func() {
		if res := x.Execute(t.Context(), call); !res.OK() {
			t.Fatal(envelopeOf(res))
		}
	})
	t.Logf("%.0f allocations a medium read", got)
	if got > 20 {
		t.Errorf("%.0f allocations a medium read, want at most 20", got)
	}
}
