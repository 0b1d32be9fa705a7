package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/store/sqlite"
)

// What one process has done, another knows: the second answers from the ledger.
func Example() {
	dir, err := os.MkdirTemp("", "helve")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := helve.WithScope(context.Background(), helve.Scope{Run: "monday", Autonomy: helve.Auto})

	process := func() {
		store, err := sqlite.Open(ctx, filepath.Join(dir, "helve.db"), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer func() { _ = store.Close() }()
		send := helve.Must(helve.Func(helve.Contract{
			Name: "send", Effect: helve.Write, Description: "Sends a message to a person and says that it did.",
		}, func(_ context.Context, in struct {
			To string `json:"to"`
		},
		) (string, error) {
			fmt.Println("sending to", in.To)
			return "sent", nil
		}))
		tools, err := helve.NewRegistry(send)
		if err != nil {
			fmt.Println(err)
			return
		}
		x, err := helve.NewExecutor(tools, &helve.Config{Store: store})
		if err != nil {
			fmt.Println(err)
			return
		}
		res := x.Execute(ctx, &helve.Call{Tool: "send", Arguments: jsontext.Value(`{"to":"ann"}`)})
		fmt.Println(string(res.Data), res.Replayed)
	}
	process()
	process()
	// Output:
	// sending to ann
	// "sent" false
	// "sent" true
}
