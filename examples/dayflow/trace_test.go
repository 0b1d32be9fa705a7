package main

import (
	"bytes"
	"strings"
	"testing"

	"helve.dev/helve"
	"helve.dev/helve/agent"
	"helve.dev/helve/model"
)

// In a terminal there is a live line, which lines of their own replace. What
// tools and models say can't drive the terminal.
func TestTraceLive(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	tr := newTrace(&out, true)
	tr.live = true
	tr.event(agent.Event{Kind: agent.StepStarted, Step: 1})
	info := helve.CallInfo{Tool: "read_inbox"}
	tr.CallStarted(t.Context(), helve.CallStarted{CallInfo: info})
	tr.CallProgressed(t.Context(), helve.CallProgressed{CallInfo: info, Done: 1, Total: 2, Message: "31 mails\x1b[2J\n" + strings.Repeat("x", 100)})
	tr.event(agent.Event{Kind: agent.StepEnded, Step: 1, Response: &model.Response{Stop: model.EndTurn}})
	tr.footer(&agent.Run{Steps: 1, Calls: 1234, Usage: model.Usage{InputTokens: 1234567}})
	want := "\r\x1b[2Kstep 1: asking the model" +
		"\r\x1b[2Kread_inbox" +
		"\r\x1b[2Kread_inbox 50%: 31 mails[2J " + strings.Repeat("x", 78-len("read_inbox 50%: 31 mails[2J ")) +
		"\r\x1b[2Kstep 1: end_turn (0 tokens in, 0 out)\n" +
		"\n1 step, 1,234 tool calls, 1,234,567 tokens in, 0 out, 0s\n"
	if got := out.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestTraceOff(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	tr := newTrace(&out, false)
	tr.event(agent.Event{Kind: agent.StepEnded, Step: 1, Response: &model.Response{Stop: model.EndTurn}})
	tr.footer(&agent.Run{})
	if out.Len() > 0 {
		t.Errorf("a trace that is off wrote %q", out.String())
	}
}

// A call that has waited is shown twice, every other once.
func TestTraceCall(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	tr := newTrace(&out, true)
	call := model.Call{ID: "1", Tool: "send_email", Arguments: "{\"body\":\x1b" + strings.Repeat("x", 400) + "}"}
	waits := &helve.Result{Pending: &helve.Pending{Reason: "it can't be taken back"}}
	done := &helve.Result{Replayed: true, Data: []byte(`1`)}
	for _, res := range []*helve.Result{waits, waits, done, done} {
		tr.event(agent.Event{Kind: agent.CallsEnded, Calls: []model.Call{call}, Results: []*helve.Result{res}})
	}
	got := out.String()
	if strings.Count(got, "waits for you: it can't be taken back") != 1 || strings.Count(got, "ok, replayed: nothing was done again") != 1 ||
		strings.Count(got, "xxx...") != 2 || strings.Contains(got, "\x1b") {
		t.Errorf("got %q", got)
	}
}
