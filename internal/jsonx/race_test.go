//go:build race

package jsonx_test

// raceEnabled says whether the race detector is on: pools drop what they hold then, so that allocations cannot be counted.
const raceEnabled = true
