package helvecmd_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"helve.dev/helve"
	"helve.dev/helve/cmd/helvecmd"
)

type cityInput struct {
	City string `json:"city" doc:"Its English name."`
}

// openCities makes an executor of one tool.
func openCities(context.Context) (*helve.Executor, func() error, error) {
	tool, err := helve.Func(helve.Contract{
		Name: "city_population", Effect: helve.Read, Idempotent: true,
		Description: "Returns how many people live in a city.",
	}, func(_ context.Context, in cityInput) (int, error) {
		return map[string]int{"lisbon": 545000, "porto": 231000}[strings.ToLower(in.City)], nil
	})
	if err != nil {
		return nil, nil, err
	}
	registry, err := helve.NewRegistry(tool)
	if err != nil {
		return nil, nil, err
	}
	x, err := helve.NewExecutor(registry, nil)
	return x, nil, err
}

// A program adds the subcommands to its own tree.
func ExampleAdd() {
	root := &cobra.Command{Use: "cities"}
	helvecmd.Add(root, openCities)
	status := helvecmd.Run(context.Background(), root, []string{"tools"}, os.Stdin, os.Stdout, os.Stdout)
	fmt.Println("exit status", status)
	// Output:
	// city_population (read)
	//   Returns how many people live in a city.
	//     city  string  Its English name.
	// exit status 0
}

// A program without an executor takes only what needs none.
func ExampleAddVersion() {
	root := &cobra.Command{Use: "cities"}
	helvecmd.AddVersion(root)
	for _, cmd := range root.Commands() {
		fmt.Println(cmd.CommandPath()+":", cmd.Short)
	}
	// Output: cities version: Tell version and commit
}

// The exit status says how a call ended.
func ExampleRun() {
	for _, arguments := range []string{`{"city":"Lisbon"}`, `{"town":"Lisbon"}`} {
		root := &cobra.Command{Use: "cities"}
		helvecmd.Add(root, openCities)
		status := helvecmd.Run(context.Background(), root, []string{"call", "city_population", arguments}, os.Stdin, os.Stdout, os.Stdout)
		fmt.Println("exit status", status)
	}
	// Output:
	// 545000
	// exit status 0
	// city_population failed: 2 problems with the arguments (invalid_input)
	//   /town: unknown; accepted: city
	//   /city: missing; wants a string
	// Send the call again with these corrected.
	// exit status 1
}

// A subcommand of one's own works with the executor and drains it.
func ExampleWith() {
	root := &cobra.Command{Use: "cities"}
	root.AddCommand(&cobra.Command{
		Use: "largest",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return helvecmd.With(cmd, openCities, func(ctx context.Context, x *helve.Executor) error {
				n, err := helve.ExecuteAs[int](ctx, x, &helve.Call{Tool: "city_population", Arguments: raw(`{"city":"Lisbon"}`)})
				fmt.Fprintln(cmd.OutOrStdout(), "Lisbon:", n)
				return err
			})
		},
	})
	fmt.Println("exit status", helvecmd.Run(context.Background(), root, []string{"largest"}, os.Stdin, os.Stdout, os.Stdout))
	// Output:
	// Lisbon: 545000
	// exit status 0
}

func ExampleUsagef() {
	root := &cobra.Command{
		Use: "cities",
		RunE: func(*cobra.Command, []string) error {
			return helvecmd.Usagef("--country %q is not known; write it like PT", "Portugal")
		},
	}
	fmt.Println("exit status", helvecmd.Run(context.Background(), root, nil, os.Stdin, os.Stdout, os.Stdout))
	// Output:
	// cities: --country "Portugal" is not known; write it like PT
	// Run 'cities --help' for how to use it.
	// exit status 2
}

func ExampleExitError() {
	root := &cobra.Command{
		Use: "cities",
		RunE: func(*cobra.Command, []string) error {
			return &helvecmd.ExitError{Status: helvecmd.ExitPending, Err: errors.New("the mayor has to agree first")}
		},
	}
	fmt.Println("exit status", helvecmd.Run(context.Background(), root, nil, os.Stdin, os.Stdout, os.Stdout))
	// Output:
	// cities: the mayor has to agree first
	// exit status 3
}

// The person at the terminal changes what would run, and agrees.
func ExamplePrompt_Decide() {
	ctx := helve.WithScope(context.Background(), helve.Scope{Autonomy: helve.Manual})
	x, _, err := openCities(ctx)
	if err != nil {
		panic(err)
	}
	defer x.Close(ctx)
	call := &helve.Call{ID: "call_1", Tool: "city_population", Arguments: raw(`{"city":"Lisbon"}`)}
	res := x.Execute(ctx, call)

	answers := strings.NewReader("edit\n{\"city\":\"Porto\"}\nyes\n")
	var shown bytes.Buffer
	approval, err := helvecmd.NewPrompt(answers, &shown).Decide(ctx, x, res.Pending.Approval)
	if err != nil {
		panic(err)
	}
	fmt.Println(approval.State, string(x.Execute(ctx, call).Data))
	// Output: approved 231000
}
