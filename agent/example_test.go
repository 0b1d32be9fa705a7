package agent_test

import (
	"context"
	"fmt"

	"helve.dev/helve"
	"helve.dev/helve/agent"
	"helve.dev/helve/model/scripted"
)

func Example() {
	send := helve.Must(helve.Func(helve.Contract{
		Name: "send_email", Effect: helve.Write,
		Description: "Sends an email, which cannot be unsent. Returns a confirmation.",
	}, func(_ context.Context, mail struct {
		To string `json:"to"`
	},
	) (string, error) {
		return "sent to " + mail.To, nil
	}))
	reg, _ := helve.NewRegistry(send)
	exec, _ := helve.NewExecutor(reg, nil)
	m := scripted.New(
		scripted.Call("send_email", `{"to":"ann@example.org"}`),
		scripted.Say("I wrote to Ann."),
	)
	a, err := agent.New(m, exec, nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	run, _ := a.Run(ctx, "Write to Ann.")
	fmt.Println(run.Status+":", run.Reason)

	for _, p := range run.Pending() {
		_, _ = exec.Decide(ctx, p.Approval, helve.Decision{Approve: true, By: "sam"})
	}
	_ = a.Continue(ctx, run)
	fmt.Println(run.Status+":", run.Text)
	// Output:
	// suspended: 1 call waits for a person
	// done: I wrote to Ann.
}
