package main

// measureTargets holds the results against what is promised. Every bound is an
// upper one.
func measureTargets(r results) []target {
	var out []target
	add := func(name, unit string, value float64, measured bool, bound float64) {
		if measured {
			out = append(out, target{name, value, bound, value <= bound, unit})
		}
	}
	ratio := func(name, a, b string, bound float64) {
		v, ok := r.ratio(a, b)
		add(name, "times", v, ok, bound)
	}
	allocs := func(s sample) float64 { return s.allocs }
	for _, size := range []string{"tiny", "medium", "large"} {
		v, ok := r.median("validate/Validate/"+size+"/helve", allocs)
		add("validate "+size+": allocations", "allocations", v, ok, 0)
		ratio("validate "+size+": over a bare token walk", "validate/Validate/"+size+"/helve", "validate/Validate/"+size+"/floor-tokens", 1.25)
		best, found := 0.0, false
		for _, peer := range []string{"santhosh", "jsonschema-go", "kaptinlin"} {
			if v, ok := r.ratio("validate/Validate/"+size+"/helve", "validate/Validate/"+size+"/"+peer); ok && v > best {
				best, found = v, true
			}
		}
		add("validate "+size+": over the fastest peer", "times", best, found, 0.1)
	}
	ratio("validate formats: over a bare token walk", "validate/Formats/helve", "validate/Formats/floor-tokens", 1.25)
	for _, size := range []string{"tiny", "medium", "large", "formats"} {
		v, ok := r.median("validate/Normalize/"+size+"/helve", allocs)
		add("normalize "+size+": allocations", "allocations", v, ok, 0)
		ratio("normalize "+size+": over validate", "validate/Normalize/"+size+"/helve", "validate/Normalize/"+size+"/validate", 1.25)
	}
	v, ok := r.median("call/Call/medium/helve", allocs)
	add("read medium: allocations", "allocations", v, ok, 25)
	v, ok = r.median("call/Call/medium/helve", func(s sample) float64 { return s.bytes })
	add("read medium: memory", "bytes", v, ok, 2560)
	ratio("read medium: over go-sdk", "call/Call/medium/helve", "call/Call/medium/go-sdk", 0.1)
	for _, peer := range []string{"fantasy", "floor-decode", "anthropic"} {
		ratio("read medium: over the bare decoder of "+peer, "call/Call/medium/helve", "call/Call/medium/"+peer, 1)
	}
	ratio("approved write medium: over go-sdk", "call/Approved/helve", "call/Call/medium/go-sdk", 0.25)
	ratio("refuse five faults: over santhosh", "validate/Refuse/helve", "validate/Refuse/santhosh", 0.25)
	ratio("refuse five faults: over go-sdk", "call/Refuse/helve", "call/Refuse/go-sdk", 0.125)
	ratio("ten times the input", "validate/Growth/rows-500", "validate/Growth/rows-50", 13)
	ratio("a hundred times the schema's properties", "validate/Growth/properties-1000", "validate/Growth/properties-10", 1.3)
	ratio("a hundred times the schema's properties, ten of them given", "validate/Growth/scattered-1000", "validate/Growth/scattered-10", 1.3)
	for _, store := range []string{"sqlite", "postgres"} {
		ledger := "ledger/Ledger/" + store + "/"
		ratio("ledgered call, "+store+": over its two statements", ledger+"call", ledger+"bare", 1.3)
		ratio("ledgered call, "+store+": a million rows over none", ledger+"call-many-rows", ledger+"call", 1.3)
	}
	ratio("ledgered call, sqlite: one of sixteen writers over a single one", "ledger/Ledger/sqlite/call-16-writers", "ledger/Ledger/sqlite/call", 0.25)
	v, ok = r.median("ledger/Ledger/sqlite/call-16-writers", func(s sample) float64 { return s.commits })
	add("ledgered call, sqlite: commits of one of sixteen writers", "commits", v, ok, 0.25)
	return out
}
