package offline

import (
	"fmt"
	"slices"
	"strings"

	"helve.dev/helve"
	"helve.dev/helve/examples/dayflow/internal/daytools"
)

// opening is the first line of every brief.
const opening = "This brief was put together by fixed rules, not by a language model."

// How many lines the parts of a brief have at most.
const (
	maxToday   = 6
	maxAsking  = 6
	maxDoubts  = 4
	maxOpen    = 5
	maxMissing = 5
)

// brief writes the brief.
func (r *rules) brief(h *history, mail []*matter) string {
	parts := [][]string{
		{opening},
		r.todayPart(h),
		r.weekPart(h),
		r.mailPart(h, mail),
		r.tasksPart(h, mail),
		r.missingPart(h),
	}
	var out []string
	for _, lines := range parts {
		if len(lines) > 0 {
			out = append(out, strings.Join(lines, "\n"))
		}
	}
	return strings.Join(out, "\n\n")
}

// limit returns at most n lines, the last of which says how many more there
// are.
func limit(lines []string, n int) []string {
	if len(lines) <= n {
		return lines
	}
	left := len(lines) - (n - 1)
	return append(slices.Clone(lines[:n-1]), fmt.Sprintf("- ... and %d more", left))
}

// plural returns a number with a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// mailPart tells of the mail.
func (r *rules) mailPart(h *history, mail []*matter) []string {
	if !h.inbox.here() {
		return nil
	}
	var asking, doubts []string
	wanting := slices.DeleteFunc(slices.Clone(mail), func(m *matter) bool { return !m.wants() })
	slices.SortStableFunc(wanting, byUrgency)
	for _, m := range wanting {
		asking = append(asking, r.asking(h, m))
	}
	for _, m := range mail {
		doubts = append(doubts, remarks(m)...)
	}
	out := []string{"Mail: " + count(h, mail, len(asking))}
	out = append(out, limit(asking, maxAsking)...)
	if len(doubts) > 0 {
		out = append(append(out, "To look at:"), limit(doubts, maxDoubts)...)
	}
	return out
}

// remarks are what a person should look at in a mail.
func remarks(m *matter) []string {
	switch {
	case m.orders:
		return []string{fmt.Sprintf("- %s seems to speak to a program that reads mail. I follow nothing that a mail says.", label(m))}
	case m.automatic:
		return nil
	}
	var out []string
	for _, d := range m.doubts {
		out = append(out, fmt.Sprintf("- %s %s.", label(m), d))
	}
	if m.missed {
		out = append(out, fmt.Sprintf("- %s names a deadline that is past: %s.", label(m), short(m.past)))
	}
	return out
}

// count sums up the mail.
func count(h *history, mail []*matter, asking int) string {
	if len(mail) == 0 && h.inbox.data.Total == 0 {
		return "none in the last days."
	}
	automatic, past := 0, 0
	for _, m := range mail {
		switch {
		case m.automatic && !m.orders:
			automatic++
		case !m.past.IsZero() && !m.orders:
			past++
		}
	}
	text := plural(len(mail), "message") + " read, " + fmt.Sprint(asking) + " of them asking for something or naming a deadline"
	if past > 0 {
		text += fmt.Sprintf(", %d asking for something that is past", past)
	}
	if automatic > 0 {
		text += fmt.Sprintf(", %d automatic or to many", automatic)
	}
	return text + "."
}

// label names a mail by sender and subject.
func label(m *matter) string {
	subject := clip(m.subject, 60)
	if subject == "" {
		return sender(m.msg) + ", without a subject,"
	}
	return fmt.Sprintf("%s, \"%s\",", sender(m.msg), subject)
}

// asking is the line of a mail that asks for something.
func (r *rules) asking(h *history, m *matter) string {
	text := "- " + strings.TrimSuffix(label(m), ",")
	if !m.day.IsZero() {
		text += ", " + short(m.day)
	}
	switch {
	case m.unsure:
		text += ", with a deadline in doubt"
	case !m.due.IsZero():
		text += fmt.Sprintf(", due %s (\"%s\")", short(m.due), clip(m.phrase, 40))
	}
	if _, found := tracked(m, h.tasks.data.Tasks); found {
		text += ", on your list"
	}
	if m.quote != "" {
		text += ": \"" + clip(m.quote, 110) + "\""
	}
	return text
}

// tasksPart tells of the tasks, and of what was created.
func (r *rules) tasksPart(h *history, mail []*matter) []string {
	var open []string
	for _, t := range h.tasks.data.Tasks {
		if !t.Done {
			open = append(open, r.taskLine(t))
		}
	}
	var out []string
	switch {
	case !h.tasks.here():
		out = append(out, "Tasks:")
	case len(open) == 0:
		out = append(out, "Tasks: none were open.")
	default:
		out = append(out, "Tasks: "+plural(len(open), "task")+" open before this brief.")
		out = append(out, limit(open, maxOpen)...)
	}
	for _, a := range h.attempts {
		out = append(out, a.line())
	}
	wanting := slices.ContainsFunc(mail, (*matter).wants)
	if !h.tasks.here() && wanting && len(h.attempts) == 0 {
		out = append(out, "- I created no task: without the list I can't tell what is on it.")
	}
	if len(out) == 1 && !h.tasks.here() {
		return nil
	}
	return out
}

// taskLine is the line of an open task.
func (r *rules) taskLine(t daytools.Task) string {
	text := "- " + clip(t.Title, 100)
	switch {
	case t.Due == nil:
	case t.Due.Before(r.today):
		text += fmt.Sprintf(" (OVERDUE, was due %s)", short(t.Due.Date))
	case t.Due.Date == r.today:
		text += " (due today)"
	default:
		text += fmt.Sprintf(" (due %s)", short(t.Due.Date))
	}
	return text
}

// line says what became of a task that was to be created.
func (a *attempt) line() string {
	what := "\"" + clip(a.task.Title, maxTitle) + "\" (no due date)"
	if a.task.Due != nil {
		what = fmt.Sprintf("\"%s\" (due %s)", clip(a.task.Title, maxTitle), short(a.task.Due.Date))
	}
	switch res := &a.res; {
	case a.problem != "":
		return "- I can't tell whether this task was created: " + what + ": " + a.problem
	case res.Pending != nil:
		return "- This task was not created: " + what + ": it waits for your answer: " + reason(res.Pending.Reason)
	case res.Error != nil && slices.Contains([]helve.Code{helve.CodeOutcomeUnknown, helve.CodeTimeout, helve.CodeCanceled, helve.CodeInProgress}, res.Error.Code):
		return "- I can't tell whether this task was created: " + what + ": " + reason(res.Error.Message)
	case res.Error != nil:
		return "- This task was not created: " + what + ": " + reason(res.Error.Message)
	}
	var got daytools.CreatedTask
	if err := a.res.Decode(&got); err != nil {
		return "- I can't tell whether this task was created: " + what + ": its result has another form than expected"
	}
	if !got.Created || a.res.Replayed {
		return "- This task was there already: " + what
	}
	return "- I created this task: " + what
}

// reason returns why something was not done.
func reason(text string) string {
	if text = clip(text, 160); text != "" {
		return text
	}
	return "no reason was given"
}

// missingPart tells what the brief could not look at.
func (r *rules) missingPart(h *history) []string {
	var lines []string
	gone := func(what, problem string) {
		if problem != "" {
			lines = append(lines, "- "+what+": "+problem)
		}
	}
	gone("Your mail", h.inbox.problem)
	if h.today.problem == h.week.problem {
		gone("Your calendar", h.today.problem)
	} else {
		gone("Today's events", h.today.problem)
		gone("The week's events", h.week.problem)
	}
	gone("Your tasks", h.tasks.problem)
	lines = append(lines, partial("mail", h.inbox.cut, h.inbox.here())...)
	if in := &h.inbox.data; h.inbox.cut == nil && in.Total > len(in.Messages) {
		lines = append(lines, fmt.Sprintf("- Only the newest %d of %s were read.", len(in.Messages), plural(in.Total, "message")))
	}
	lines = append(lines, skipped("message", h.inbox.data.Skipped)...)
	lines = append(lines, partial("today's events", h.today.cut, h.today.here())...)
	lines = append(lines, partial("the week's events", h.week.cut, h.week.here())...)
	events := h.week.data.Skipped
	if !h.week.here() {
		events = h.today.data.Skipped
	}
	lines = append(lines, skipped("event", events)...)
	lines = append(lines, partial("the tasks", h.tasks.cut, h.tasks.here())...)
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"Missing:"}, limit(lines, maxMissing)...)
}

// partial says that a result came cut.
func partial(what string, cut *helve.Truncated, here bool) []string {
	if cut == nil || !here {
		return nil
	}
	return []string{fmt.Sprintf("- The result with %s was cut: %d of %d %s came through.", what, cut.Kept, cut.Total, clip(cut.Unit, 20))}
}

// skipped says that items could not be read, and why the first could not.
func skipped(noun string, items []daytools.Skipped) []string {
	if len(items) == 0 {
		return nil
	}
	first := items[0]
	name := clip(strings.TrimSpace(first.File+" "+first.Item), 60)
	text := fmt.Sprintf("- %s could not be read and was left out", plural(len(items), noun))
	if len(items) > 1 {
		text = fmt.Sprintf("- %s could not be read and were left out, the first being", plural(len(items), noun))
		return []string{fmt.Sprintf("%s %s: %s", text, name, reason(first.Reason))}
	}
	return []string{fmt.Sprintf("%s: %s: %s", text, name, reason(first.Reason))}
}
