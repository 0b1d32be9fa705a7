package offline

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"helve.dev/helve"
	"helve.dev/helve/examples/dayflow/internal/daytools"
	"helve.dev/helve/examples/dayflow/internal/plain"
	"helve.dev/helve/model"
)

// A history is what a conversation tells since the person last spoke.
type history struct {
	calls    int  // in the whole conversation
	began    bool // the sources were asked for
	proposed bool // tasks were proposed

	inbox source[daytools.Inbox]
	today source[daytools.Calendar]
	week  source[daytools.Calendar]
	tasks source[daytools.Tasks]

	attempts []attempt
}

// A source is what came back of one read.
type source[T any] struct {
	// problem says why there is no data. Empty: there is.
	problem string
	data    T
	cut     *helve.Truncated
}

// missing is the problem of a source that was never asked for.
const missing = "there is no tool for it"

// here reports whether there is something to read.
func (s *source[T]) here() bool { return s.problem == "" }

// An attempt is a call of create_task and what became of it.
type attempt struct {
	task daytools.TaskInput
	res  helve.Result
	// problem says why there is no result. Empty: there is.
	problem string
}

// readHistory reads the messages after the last one of the user.
func readHistory(messages []model.Message) *history {
	h := &history{}
	h.inbox.problem, h.today.problem, h.week.problem, h.tasks.problem = missing, missing, missing, missing
	start := 0
	for i, m := range messages {
		h.calls += len(m.Calls)
		if m.Role == model.User {
			start = i + 1
		}
	}
	results := map[string]model.Result{}
	for _, m := range messages[start:] {
		for _, res := range m.Results {
			results[res.CallID] = res
		}
	}
	for _, m := range messages[start:] {
		for _, c := range m.Calls {
			h.call(c, results)
		}
	}
	return h
}

// call takes in one call.
func (h *history) call(c model.Call, results map[string]model.Result) {
	res, problem := result(c, results)
	switch c.Tool {
	case daytools.ReadInbox:
		h.began = true
		h.inbox = sourceOf[daytools.Inbox](res, problem)
	case daytools.ReadTasks:
		h.began = true
		h.tasks = sourceOf[daytools.Tasks](res, problem)
	case daytools.ReadCalendar:
		h.began = true
		var in daytools.CalendarInput
		if json.Unmarshal([]byte(c.Arguments), &in) == nil && in.Range == "today" {
			h.today = sourceOf[daytools.Calendar](res, problem)
		} else {
			h.week = sourceOf[daytools.Calendar](res, problem)
		}
	case daytools.CreateTask:
		h.began, h.proposed = true, true
		a := attempt{res: res, problem: problem}
		if err := json.Unmarshal([]byte(c.Arguments), &a.task); err != nil {
			a.task.Title = "(unreadable)"
		}
		h.attempts = append(h.attempts, a)
	}
}

// result returns the result of a call, or what is wrong with it.
func result(c model.Call, results map[string]model.Result) (res helve.Result, problem string) {
	raw, ok := results[c.ID]
	if !ok {
		return res, "there is no result"
	}
	if err := res.UnmarshalJSON(raw.Envelope); err != nil {
		return helve.Result{}, "its result could not be read"
	}
	return res, ""
}

// sourceOf returns what a read gave.
func sourceOf[T any](res helve.Result, problem string) source[T] {
	s := source[T]{problem: problem, cut: res.Truncated}
	switch {
	case problem != "":
	case res.Pending != nil:
		s.problem = "it waits for an answer: " + clip(res.Pending.Reason, 120)
	case res.Error != nil:
		s.problem = clip(res.Error.Message, 160)
		if s.problem == "" {
			s.problem = clip(string(res.Error.Code), 60)
		}
	case len(res.Data) == 0 && s.cut != nil:
		s.problem = "its result was too large to be shown"
	case res.Decode(&s.data) != nil:
		s.problem = "its result has another form than expected"
	}
	if s.problem != "" {
		var none T
		s.data = none
	}
	return s
}

// reads returns the calls that read everything, of those tools that there are.
func reads(tools []model.Tool) []model.Call {
	var out []model.Call
	for _, c := range []model.Call{
		{Tool: daytools.ReadInbox, Arguments: `{"limit":100}`},
		{Tool: daytools.ReadCalendar, Arguments: `{"range":"today"}`},
		{Tool: daytools.ReadCalendar, Arguments: `{"range":"week"}`},
		{Tool: daytools.ReadTasks, Arguments: `{"include_done":true}`},
	} {
		if has(tools, c.Tool) {
			out = append(out, c)
		}
	}
	return out
}

// has reports whether a tool may be called.
func has(tools []model.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(t model.Tool) bool { return t.Name == name })
}

// number gives calls the ids that follow those of the conversation.
func (h *history) number(calls []model.Call) []model.Call {
	for i := range calls {
		calls[i].ID = fmt.Sprintf("call_%d", h.calls+i+1)
	}
	return calls
}

// clip returns text on one line of at most n characters, without what can't be
// seen.
func clip(text string, n int) string {
	const more = "..."
	line := []rune(plain.Line(cutBytes(text, 8*n+64))) // what remains is enough for n characters
	if len(line) <= n {
		return string(line)
	}
	return plain.Line(string(line[:n-len(more)])) + more
}
