//go:build race

package schema_test

// raceEnabled says that the race detector is on: pools drop what they hold then, so that allocations cannot be counted.
const raceEnabled = true
