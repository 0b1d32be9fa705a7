package scripted_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"helve.dev/helve/model"
	"helve.dev/helve/model/scripted"
)

func ExampleNew() {
	m := scripted.New(
		scripted.Call("city_population", `{"city":"Lisbon"}`),
		scripted.Say("Lisbon has about 545,000 residents."),
	)
	for range 3 {
		resp, err := m.Generate(context.Background(), &model.Request{})
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Printf("%s %d %q\n", resp.Stop, len(resp.Message.Calls), resp.Message.Text)
	}
	// Output:
	// tool_use 1 ""
	// end_turn 0 "Lisbon has about 545,000 residents."
	// scripted: the script is over
}

func TestScript(t *testing.T) {
	boom, wrong := errors.New("boom"), errors.New("wrong question")
	m := scripted.New(
		scripted.Turn{Err: boom},
		scripted.Turn{Check: func(r *model.Request) error {
			if r.System != "right" {
				return wrong
			}
			return nil
		}},
		scripted.Turn{Calls: []model.Call{{Tool: "a"}, {ID: "mine", Tool: "b"}}, Stop: model.MaxTokens},
	)
	if _, err := m.Generate(t.Context(), &model.Request{}); !errors.Is(err, boom) {
		t.Errorf("turn 1: %v", err)
	}
	if _, err := m.Generate(t.Context(), &model.Request{System: "left"}); !errors.Is(err, wrong) {
		t.Errorf("turn 2: %v", err)
	}
	resp, err := m.Generate(t.Context(), &model.Request{})
	if err != nil || resp.Stop != model.MaxTokens || resp.Message.Calls[0].ID != "call_3_1" || resp.Message.Calls[1].ID != "mine" {
		t.Errorf("turn 3: %+v, %v", resp, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Generate(ctx, &model.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if n := len(m.Requests()); n != 3 {
		t.Errorf("%d requests are kept", n)
	}
}
