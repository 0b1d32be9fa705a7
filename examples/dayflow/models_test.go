package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"helve.dev/helve/model"
	"helve.dev/helve/model/scripted"
)

// testModels are models that --model names in tests only.
var testModels = map[string]func(*setting) model.Model{
	"mailer": func(*setting) model.Model {
		turn := scripted.Call("send_email", `{"to":"ana@example.org","subject":"Hello","body":"Hi Ana\u001b[2J\n","idempotency_key":"hello-ana"}`)
		turn.Text = "I would like to write to Ana."
		return scripted.New(turn, scripted.Say("That is all."))
	},
	"resumer": func(*setting) model.Model { return scripted.New(scripted.Say("That is all.")) },
	"tasker": func(*setting) model.Model {
		return scripted.New(
			scripted.Call("create_task", `{"title":"Call Ana","due":null,"idempotency_key":"call-ana"}`),
			scripted.Call("create_task", `{"title":"Call Ana","due":null,"idempotency_key":"call-ana"}`),
			scripted.Say("I created a task.\x1b[2J"),
		)
	},
	"clumsy": func(*setting) model.Model {
		return scripted.New(
			scripted.Turn{Calls: []model.Call{
				{ID: "1", Tool: "read_inbox", Arguments: `{"limit": `},
				{ID: "2", Tool: "read_mail", Arguments: `{}`},
				{ID: "3", Tool: "read_tasks", Arguments: ``},
			}},
			scripted.Say("I have read what I could."),
		)
	},
	"cut": func(*setting) model.Model {
		return scripted.New(scripted.Turn{Text: "Today you", Stop: model.MaxTokens})
	},
	"down": func(*setting) model.Model {
		return scripted.New(scripted.Turn{Err: errors.New("the provider is down")})
	},
	"stuck": func(*setting) model.Model { return stuck{} },
	"deaf":  func(*setting) model.Model { return deaf{} },
}

// stuck is a model that reads the tasks and then thinks until it is canceled.
type stuck struct{}

// Generate says on standard error that it thinks, and waits.
func (stuck) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	if len(req.Messages) == 1 {
		return &model.Response{Stop: model.ToolUse, Message: model.Message{Calls: []model.Call{{Tool: "read_tasks"}}}}, nil
	}
	fmt.Fprintln(os.Stderr, "thinking")
	<-ctx.Done()
	return nil, ctx.Err()
}

// deaf is a model that does not even listen to its context.
type deaf struct{}

// Generate says on standard error that it thinks, and never ends.
func (deaf) Generate(context.Context, *model.Request) (*model.Response, error) {
	fmt.Fprintln(os.Stderr, "thinking")
	select {}
}
