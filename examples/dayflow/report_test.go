package main

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"helve.dev/helve"
	"helve.dev/helve/agent"
	"helve.dev/helve/model"
)

// A run that was canceled says of each call that is not done how it stands.
func TestSayLeft(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetErr(&out)
	failed := func(code helve.Code) *helve.Result {
		return &helve.Result{Error: &helve.Error{Code: code, Message: "x"}}
	}
	sayLeft(cmd, &agent.Run{Steps: 2, Calls: 6, Messages: []model.Message{
		{Role: model.User},
		{Role: model.Assistant, Calls: []model.Call{{Tool: "read_inbox", Arguments: "{}"}}},
		{Role: model.ToolResults, Results: []model.Result{{Envelope: []byte(`{"ok":true,"data":1}`)}}},
		{Role: model.Assistant, Calls: []model.Call{
			{Tool: "ended", Arguments: "{}"},
			{Tool: "unknown", Arguments: "{}"},
			{Tool: "waits", Arguments: "{not JSON\x1b"},
			{Tool: "done", Arguments: "{}"},
			{Tool: "not_begun", Arguments: "{}"},
		}},
	}, Open: []*helve.Result{
		failed(helve.CodeCanceled), failed(helve.CodeOutcomeUnknown), {Pending: &helve.Pending{Reason: "x"}}, {Data: []byte("1")}, nil,
	}})
	want := `Canceled in step 2 after 6 tool calls.
  left: ended {}: was ended
  left: unknown {}: was running; whether it happened is not known
  left: waits "{not JSON\u001b": waited for an answer; nothing was done
  left: not_begun {}: was not begun
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("what is left differs (-want +got):\n%s", diff)
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	got := records(&agent.Run{Messages: []model.Message{
		{Role: model.User},
		{Role: model.Assistant, Calls: []model.Call{{Tool: "a", Arguments: `{"x":1}`}, {Tool: "b", Arguments: `{"x":1,"x":2}`}}},
		{Role: model.ToolResults, Results: []model.Result{{Envelope: []byte(`{"ok":true,"data":1}`)}, {Envelope: []byte(`{"ok":true,"data":2}`)}}},
		{Role: model.Assistant, Calls: []model.Call{{Tool: "c", Arguments: "\xff"}}},
	}})
	want := []callRecord{
		{Step: 1, Tool: "a", Arguments: []byte(`{"x":1}`), Result: []byte(`{"ok":true,"data":1}`)},
		{Step: 1, Tool: "b", Arguments: []byte(`"{\"x\":1,\"x\":2}"`), Result: []byte(`{"ok":true,"data":2}`)},
		{Step: 2, Tool: "c", Arguments: []byte("\"\uFFFD\""), Result: []byte(`null`)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the records differ (-want +got):\n%s", diff)
	}
}
