package offline_test

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/offline"
	"helve.dev/helve/model"
)

// The model is asked what to do, gets the result of what it called, and writes
// the brief. In a program, package agent does this.
func ExampleNew() {
	m := offline.New(offline.Config{Today: day.MustParse("2024-05-14"), Zone: time.UTC})
	req := &model.Request{
		Messages: []model.Message{{Role: model.User, Text: "Write my brief."}},
		Tools:    []model.Tool{{Name: "read_inbox"}},
	}
	resp, err := m.Generate(context.Background(), req)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, call := range resp.Message.Calls {
		fmt.Println(call.Tool, call.Arguments)
		req.Messages = append(req.Messages, resp.Message, model.Message{Role: model.ToolResults, Results: []model.Result{{
			CallID: call.ID, Tool: call.Tool, OK: true, Envelope: jsontext.Value(`{"ok":true,"data":{"messages":[{"id":"1","from":"ana.lima@example.org",
				"subject":"Tax","date":"2024-05-13T10:00:00Z","body":"Could you sign it by Friday, 18 May 2024?"}],"total":1,"skipped":[]}}`),
		}}})
	}
	resp, err = m.Generate(context.Background(), req)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Message.Text)
	// Output:
	// read_inbox {"limit":100}
	// This brief was put together by fixed rules, not by a language model.
	//
	// Mail: 1 message read, 1 of them asking for something or naming a deadline.
	// - Ana Lima, "Tax", Mon 13 May 2024, with a deadline in doubt: "Could you sign it by Friday, 18 May 2024?"
	// To look at:
	// - Ana Lima, "Tax", says Friday, but 18 May 2024 is a Saturday.
	//
	// Tasks:
	// - I created no task: without the list I can't tell what is on it.
	//
	// Missing:
	// - Your calendar: there is no tool for it
	// - Your tasks: there is no tool for it
}
