package helvecmd_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"helve.dev/helve"
	"helve.dev/helve/cmd/helvecmd"
)

type sumInput struct {
	A int `json:"a" doc:"The first number. Any will do."`
	B int `json:"b" default:"1"`
}

type noteInput struct {
	Text string  `json:"text" minLength:"1"`
	Due  *string `json:"due,omitempty" format:"date"`
	Tone string  `json:"tone" enum:"plain,kind" default:"plain"`
}

type nothing struct{}

// newDesk returns a program with a few tools: one that adds, one that writes,
// one that always asks, one that waits until it is canceled, and one that does
// not listen.
func newDesk(stderr io.Writer) *cobra.Command {
	root := &cobra.Command{Use: "desk", Short: "A desk with tools"}
	root.CompletionOptions.HiddenDefaultCmd = true
	var broken bool
	root.PersistentFlags().BoolVar(&broken, "broken", false, "fail to open")
	helvecmd.Add(root, func(context.Context) (*helve.Executor, func() error, error) {
		if broken {
			return nil, nil, errors.New("the desk is locked")
		}
		x, err := newDeskExecutor(stderr)
		return x, func() error {
			if os.Getenv("DESK_CLOSE") != "" {
				return errors.New("the drawer is stuck")
			}
			return nil
		}, err
	})
	root.AddCommand(&cobra.Command{
		Use:  "fail",
		RunE: func(*cobra.Command, []string) error { return errors.New("it failed") },
	})
	return root
}

func newDeskExecutor(stderr io.Writer) (*helve.Executor, error) {
	sum := helve.Must(helve.Func(helve.Contract{
		Name: "sum", Effect: helve.Read, Idempotent: true, Tags: map[string]string{"area": "numbers"},
		Description: "Adds two numbers. The result is exact.",
	}, func(_ context.Context, in sumInput) (int, error) { return in.A + in.B, nil }))
	note := helve.Must(helve.Func(helve.Contract{
		Name: "note", Effect: helve.Write, Tags: map[string]string{"area": "paper"},
		Description: "Writes a note on the desk. Nobody else sees it.", Deprecated: "use the diary",
	}, func(_ context.Context, in noteInput) (string, error) { return "noted: " + in.Text, nil }))
	wipe := helve.Must(helve.Func(helve.Contract{
		Name: "wipe", Effect: helve.Destructive, OpenWorld: true, Approval: helve.AskAlways,
		Description: "Wipes the desk clean, which cannot be undone.",
	}, func(_ context.Context, in noteInput) (string, error) { return "wiped with " + in.Text, nil }))
	wait := helve.Must(helve.Func(helve.Contract{
		Name: "wait", Effect: helve.Read, Description: "Waits until somebody interrupts it.",
	}, func(ctx context.Context, _ nothing) (string, error) {
		fmt.Fprintln(stderr, "waiting")
		<-ctx.Done()
		return "", ctx.Err()
	}))
	deaf := helve.Must(helve.Func(helve.Contract{
		Name: "deaf", Effect: helve.Write, Description: "Waits and does not listen to anybody.",
	}, func(context.Context, nothing) (string, error) {
		fmt.Fprintln(stderr, "waiting")
		select {}
	}))
	ask := helve.Must(helve.New(helve.Contract{
		Name: "ask", Effect: helve.Read, Resumable: true, Description: "Asks a question of its own first.",
		Input: helve.Must(helve.Func(helve.Contract{Name: "x", Effect: helve.Read, Description: "Only for its schema, which is empty."},
			func(context.Context, nothing) (string, error) { return "", nil })).Contract().Input,
	}, func(context.Context, *helve.Invocation) (*helve.Reply, error) {
		return nil, helve.Suspend(helve.Pending{Question: "which desk?", Reason: "it is not clear which desk"})
	}))
	registry, err := helve.NewRegistry(sum, note, wipe, wait, deaf, ask)
	if err != nil {
		return nil, err
	}
	return helve.NewExecutor(registry, nil)
}

// raw is short for JSON in tests.
func raw(text string) jsontext.Value { return jsontext.Value(text) }
