package postgres_test

import (
	"context"
	"fmt"

	"helve.dev/helve/store/postgres"
)

// A program opens the store once, gives it to its executors and closes it at the
// end. What goes wrong is a sentence that can be shown: no password is in it.
func ExampleOpen() {
	ctx := context.Background()
	store, err := postgres.Open(ctx, "postgres://agent:s3cret@db.example:port/helve", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = store.Close() }()
	// Output: open the Postgres store: the DSN cannot be read: it is postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE, with what is special in the password percent-encoded, or words such as host=HOST user=USER dbname=DATABASE
}
