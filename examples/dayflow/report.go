package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"helve.dev/helve"
	"helve.dev/helve/agent"
	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/examples/dayflow/internal/plain"
	"helve.dev/helve/model"
)

// A document is what brief --json prints.
type document struct {
	Brief string `json:"brief"`
	// Status is ok, suspended, stopped, failed or canceled.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Run is the id that resume takes.
	Run   string       `json:"run"`
	Steps int          `json:"steps"`
	Calls []callRecord `json:"calls"`
	Usage model.Usage  `json:"usage"`
}

// A callRecord is one call of a run.
type callRecord struct {
	// Step counts the turns of the model from 1: equal steps ran in one turn.
	Step int    `json:"step"`
	Tool string `json:"tool"`
	// Arguments are as the model wrote them: JSON, or a string where it was none.
	Arguments jsontext.Value `json:"arguments"`
	// Result is the envelope; null for a call that has none.
	Result jsontext.Value `json:"result"`
}

// report prints the outcome of a run and returns how the command ends.
func report(ctx context.Context, cmd *cobra.Command, x *helve.Executor, run *agent.Run, err error, asJSON bool) error {
	if ctx.Err() != nil && run.Status != agent.Done {
		run.Status, run.Reason = agent.Canceled, "the run was canceled"
		sayLeft(cmd, run)
	}
	if asJSON {
		if err := printDocument(cmd.OutOrStdout(), run); err != nil {
			return err
		}
	} else {
		printBrief(ctx, cmd, x, run)
	}
	switch run.Status {
	case agent.Done:
		return nil
	case agent.Suspended:
		return &helvecmd.ExitError{Status: helvecmd.ExitPending}
	case agent.Failed:
		return fmt.Errorf("the brief could not be written: %w", err)
	}
	return &helvecmd.ExitError{Status: helvecmd.ExitFailed}
}

// printDocument prints the run as one JSON document.
func printDocument(w io.Writer, run *agent.Run) error {
	doc := document{Brief: run.Text, Status: string(run.Status), Reason: run.Reason, Run: run.ID, Steps: run.Steps, Calls: records(run), Usage: run.Usage}
	if run.Status == agent.Done {
		doc.Status = "ok"
	}
	raw, err := json.Marshal(&doc, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("encode the document: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", raw)
	return err
}

// printBrief prints the run for a person.
func printBrief(ctx context.Context, cmd *cobra.Command, x *helve.Executor, run *agent.Run) {
	w := cmd.OutOrStdout()
	if text := strings.TrimSpace(plain.Text(run.Text)); text != "" {
		fmt.Fprintln(w, text)
	}
	switch run.Status {
	case agent.Suspended:
		fmt.Fprintf(w, "\nThe brief is not finished: %s.\n", plain.Line(run.Reason))
		for _, p := range run.Pending() {
			if a, err := x.Store().Approval(ctx, helve.ScopeFrom(ctx).Tenant, p.Approval); err == nil {
				fmt.Fprintf(w, "\n%s\nAsked because: %s\nApproval %s, until %s\n", helve.RenderCall(a, helve.Terminal),
					plain.Line(a.Reason), a.ID, a.Expires.Local().Format(time.DateTime))
			}
		}
		fmt.Fprintf(w, "\nNothing of this was done. Run it in a terminal to be asked, or, where --state or --store\n"+
			"keeps it, with the same flags:\n"+
			"  dayflow approve ID, deny ID --why TEXT or edit ID JSON, and then dayflow resume %s\n", run.ID)
	case agent.Stopped:
		fmt.Fprintf(w, "\nThe brief is not finished: %s.\n", plain.Line(run.Reason))
	}
}

// sayLeft says what a canceled run has not done, or may have done.
func sayLeft(cmd *cobra.Command, run *agent.Run) {
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, "Canceled in step %d after %s.\n", run.Steps, plural(run.Calls, "tool call"))
	left := 0
	for _, c := range records(run) {
		var res helve.Result
		if c.Result.Kind() == jsontext.KindBeginObject && res.UnmarshalJSON(c.Result) != nil {
			continue
		}
		var why string
		switch code := res.Code(); {
		case c.Result.Kind() != jsontext.KindBeginObject:
			why = "was not begun"
		case code == helve.CodePending:
			why = "waited for an answer; nothing was done"
		case code == helve.CodeOutcomeUnknown:
			why = "was running; whether it happened is not known"
		case code == helve.CodeCanceled:
			why = "was ended"
		default:
			continue
		}
		left++
		fmt.Fprintf(w, "  left: %s %s: %s\n", plain.Line(c.Tool), plain.Line(string(c.Arguments)), why)
	}
	if left == 0 {
		fmt.Fprintln(w, "  left: the model's next answer; no call was running")
	}
}

// records lists the calls of a run with their results.
func records(run *agent.Run) []callRecord {
	out := []callRecord{}
	step := 0
	for i, m := range run.Messages {
		if m.Role != model.Assistant {
			continue
		}
		step++
		for j, c := range m.Calls {
			r := callRecord{Step: step, Tool: c.Tool, Arguments: rawOrText(c.Arguments), Result: jsontext.Value("null")}
			switch {
			case i+1 < len(run.Messages) && j < len(run.Messages[i+1].Results):
				r.Result = run.Messages[i+1].Results[j].Envelope
			case i+1 == len(run.Messages) && j < len(run.Open) && run.Open[j] != nil:
				if raw, err := run.Open[j].MarshalJSON(); err == nil {
					r.Result = raw
				}
			}
			out = append(out, r)
		}
	}
	return out
}

// rawOrText returns what a model wrote as arguments: as it is where it is JSON,
// else as a string.
func rawOrText(text string) jsontext.Value {
	if raw := jsontext.Value(text); raw.IsValid() {
		return raw
	}
	raw, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return jsontext.Value(`""`)
	}
	return raw
}
