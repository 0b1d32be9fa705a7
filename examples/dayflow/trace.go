package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/agent"
	"helve.dev/helve/examples/dayflow/internal/plain"
	"helve.dev/helve/model"
)

// maxShown is how many characters of a call's arguments a trace shows.
const maxShown = 300

// A trace shows a run as it goes: steps and calls on lines of their own, and in
// a terminal what is going on now on a live line below them. It observes the
// executor and is safe for concurrent use.
type trace struct {
	mu    sync.Mutex
	w     io.Writer
	on    bool
	live  bool            // w is a terminal that can take a line back
	shown bool            // the live line is not empty
	told  map[string]bool // calls whose end was told, by id
}

// newTrace returns a trace that writes to w, or to nobody unless on.
func newTrace(w io.Writer, on bool) *trace {
	live := on && isTerminal(w) && os.Getenv("TERM") != "dumb"
	return &trace{w: w, on: on, live: live, told: map[string]bool{}}
}

// event shows an event of the agent.
func (t *trace) event(e agent.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Kind {
	case agent.StepStarted:
		t.status(fmt.Sprintf("step %d: asking the model", e.Step))
	case agent.StepEnded:
		t.print("step %d: %s", e.Step, stepLine(e.Response))
	case agent.CallsEnded:
		for i, c := range e.Calls {
			t.call(&c, e.Results[i])
		}
	case agent.RunEnded:
		if e.Run.Status != agent.Done {
			t.print("run %s%s", e.Run.Status, because(e.Run.Reason))
		}
		t.print("")
	}
}

// because puts a reason behind something.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + plain.Line(reason)
}

// stepLine says what the model answered.
func stepLine(r *model.Response) string {
	line := string(r.Stop)
	switch n := len(r.Message.Calls); n {
	case 0:
	case 1:
		line += ", 1 call"
	default:
		line += fmt.Sprintf(", %d calls", n)
	}
	return fmt.Sprintf("%s (%s tokens in, %s out)", line, count(r.Usage.InputTokens), count(r.Usage.OutputTokens))
}

// call shows the end of a call, once, and once more when it has waited.
func (t *trace) call(c *model.Call, res *helve.Result) {
	id := c.ID
	if res.Pending != nil {
		id += " pending"
	}
	if t.told[id] {
		return
	}
	t.told[id] = true
	args, cut := plain.Line(c.Arguments), ""
	if r := []rune(args); len(r) > maxShown {
		args, cut = string(r[:maxShown]), "..."
	}
	t.print("  %s %s%s\n    -> %s", plain.Line(c.Tool), args, cut, resultLine(res))
}

// resultLine says in a line how a call ended.
func resultLine(res *helve.Result) string {
	raw, err := res.MarshalJSON()
	if err != nil {
		return "the result can't be encoded"
	}
	took := fmt.Sprintf("%s, %s", size(len(raw)), res.Duration.Round(100*time.Microsecond))
	switch {
	case res.Pending != nil:
		return "waits for you" + because(res.Pending.Reason)
	case res.Error != nil:
		return fmt.Sprintf("%s: %s (%s)", res.Error.Code, plain.Line(res.Error.Message), took)
	case res.Replayed:
		return "ok, replayed: nothing was done again, " + took
	}
	return "ok, " + took
}

// footer shows what a run took.
func (t *trace) footer(r *agent.Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.print("\n%s, %s, %s tokens in, %s out, %s", plural(r.Steps, "step"), plural(r.Calls, "tool call"),
		count(r.Usage.InputTokens), count(r.Usage.OutputTokens), r.Duration.Round(time.Millisecond))
}

// CallStarted shows what runs now.
func (t *trace) CallStarted(ctx context.Context, e helve.CallStarted) context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status(e.Tool)
	return ctx
}

// CallProgressed shows how far it is.
func (t *trace) CallProgressed(_ context.Context, e helve.CallProgressed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	line := e.Tool
	if e.Total > 0 {
		line += fmt.Sprintf(" %.0f%%", 100*e.Done/e.Total)
	}
	t.status(line + because(e.Message))
}

// print writes a line above the live line.
func (t *trace) print(format string, args ...any) {
	if !t.on {
		return
	}
	t.status("")
	fmt.Fprintf(t.w, format+"\n", args...)
}

// status replaces the live line. It stays within 78 columns, because a line
// that wraps can't be replaced.
func (t *trace) status(line string) {
	if !t.live || line == "" && !t.shown {
		return
	}
	line = plain.Line(line)
	if r := []rune(line); len(r) > 78 {
		line = string(r[:78])
	}
	fmt.Fprint(t.w, "\r\x1b[2K"+line)
	t.shown = line != ""
}

// plural counts things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%s %ss", count(n), thing)
}

// count writes a number with separators.
func count(n int) string {
	digits := fmt.Sprint(n)
	var groups []string
	for len(digits) > 3 {
		groups = append([]string{digits[len(digits)-3:]}, groups...)
		digits = digits[:len(digits)-3]
	}
	return strings.Join(append([]string{digits}, groups...), ",")
}

// size writes a number of bytes.
func size(n int) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f kB", float64(n)/1000)
}
