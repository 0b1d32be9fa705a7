package storetest_test

import (
	"fmt"
	"testing"

	"helve.dev/helve"
	"helve.dev/helve/storetest"
)

// A store that lives in one process hands out the same handle each time; one in
// a database opens it once more, as another process would. A test then says
// storetest.Run(t, open).
func Example() {
	var open storetest.Opener = func(*testing.T) func() helve.Store {
		store := helve.NewMemoryStore(nil)
		return func() helve.Store { return store }
	}
	handle := open(nil)
	fmt.Println(handle() == handle())
	// Output: true
}
