package offline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/daytools"
	"helve.dev/helve/examples/dayflow/internal/plain"
	"helve.dev/helve/model"
)

const (
	// maxProposals is how many tasks from mail are kept in hand at once.
	maxProposals = 2
	// maxTitle is how many characters a title has at most.
	maxTitle = 80
	// keptKey is for how many days a key is looked for whose thread has lost
	// its first mail.
	keptKey = 60
)

// proposals returns the calls that create tasks. The foremost mails take the
// places, and those of them that are tracked already need no call, so that
// another brief on the same day creates nothing more.
func (r *rules) proposals(h *history, tools []model.Tool, mail []*matter) []model.Call {
	if !has(tools, daytools.CreateTask) || !h.tasks.here() {
		return nil
	}
	var out []model.Call
	for _, m := range foremost(mail, h.tasks.data.Tasks) {
		if _, found := tracked(m, h.tasks.data.Tasks); found {
			continue
		}
		in := daytools.TaskInput{Title: title(m), Key: m.thread.key}
		if !m.due.IsZero() {
			in.Due = &daytools.Date{Date: m.due}
		}
		raw, err := json.Marshal(&in)
		if err != nil {
			continue // a title is valid text and a due date is a day
		}
		out = append(out, model.Call{Tool: daytools.CreateTask, Arguments: string(raw)})
	}
	return out
}

// foremost returns the mails that come first: those with a deadline, the
// soonest first, then the newest; one of each thread, and none whose task is
// done.
func foremost(mail []*matter, tasks []daytools.Task) []*matter {
	var out []*matter
	for _, m := range mail {
		if task, found := tracked(m, tasks); m.wants() && !m.handover && !(found && task.Done) {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, byUrgency)
	seen := map[*thread]bool{}
	out = slices.DeleteFunc(out, func(m *matter) bool {
		twice := seen[m.thread]
		seen[m.thread] = true
		return twice
	})
	return out[:min(len(out), maxProposals)]
}

// byUrgency puts deadlines first, the soonest before. Equals stay as they are,
// newest first.
func byUrgency(a, b *matter) int {
	switch {
	case a.due.IsZero() && b.due.IsZero():
		return 0
	case a.due.IsZero():
		return 1
	case b.due.IsZero():
		return -1
	}
	return cmp.Or(a.due.Compare(b.due), b.msg.Date.Compare(a.msg.Date))
}

// tracked returns the task that there is for a mail: one with its key, or an
// open one with its title.
func tracked(m *matter, tasks []daytools.Task) (daytools.Task, bool) {
	for _, t := range tasks {
		if t.Key == m.thread.key || m.thread.rootless && earlier(t.Key, m.thread) {
			return t, true
		}
	}
	for _, t := range tasks {
		if !t.Done && alike(t.Title, m) {
			return t, true
		}
	}
	return daytools.Task{}, false
}

// earlier reports whether a key is that of a thread when more of its mail was
// still in the inbox.
func earlier(key string, t *thread) bool {
	when, ok := strings.CutPrefix(key, t.stem+"-")
	if !ok {
		return false
	}
	d, err := day.Parse(when)
	return err == nil && !d.After(t.first) && !d.AddDays(keptKey).Before(t.first)
}

// alike reports whether a title is that of a mail, has its whole subject in it,
// or is a part of it. Short ones say too little.
func alike(have string, m *matter) bool {
	have, subject := folded(have), folded(m.subject)
	if have == folded(title(m)) || have == subject {
		return have != ""
	}
	telling := func(s string) bool { return len(s) > 8 && strings.Contains(s, " ") }
	padded := func(s string) string { return " " + s + " " }
	return telling(subject) && strings.Contains(padded(have), padded(subject)) ||
		telling(have) && strings.Contains(padded(subject), padded(have))
}

// folded returns the letters and digits of a text in lower case, words apart.
func folded(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.M, r)
	}), " ")
}

// verbs say how the title of a mail that wants a deed begins.
var verbs = []struct {
	in    *regexp.Regexp
	begin string
}{
	{regexp.MustCompile(`\bconfirm\b`), "Confirm to "},
	{regexp.MustCompile(`\b(review|proofread|look over|go over|have a look|take a look|look at)\b`), "Review for "},
	{regexp.MustCompile(`\bsign\b`), "Sign for "},
	{regexp.MustCompile(`\b(approve|sign off)\b`), "Approve for "},
	{regexp.MustCompile(`\b(send|submit|share|provide|return|e-?mail)\b.*\b(me|us)\b|\b(submit|send) (in )?(your|the)\b`), "Send to "},
	{regexp.MustCompile(`\b(complete|finish|fill (in|out))\b`), "Complete for "},
	{regexp.MustCompile(`\b(prepare|draft)\b`), "Prepare for "},
	{regexp.MustCompile(`\b(call|phone|ring) (me|us)\b`), "Call "},
}

// title returns the title of the task for a mail, such as "Reply to Ana Lima:
// Lunch".
func title(m *matter) string {
	begin := "Answer "
	switch {
	case m.ask == askReply:
		begin = "Reply to "
	case m.ask == askNothing:
		begin = "Keep the deadline of "
	default:
		low := strings.ToLower(m.quote)
		for _, v := range verbs {
			if v.in.MatchString(low) {
				begin = v.begin
				break
			}
		}
	}
	text := begin + sender(m.msg)
	if m.subject != "" {
		text += ": " + m.subject
	}
	return clip(text, maxTitle)
}

// sender returns a name for who wrote a mail: as it was given, else made from
// the address.
func sender(msg daytools.Message) string {
	name := strings.Trim(plain.Line(msg.FromName), `"' `)
	if last, first, ok := strings.Cut(name, ", "); ok && !strings.Contains(name, "@") && len(strings.Fields(last)) == 1 && len(strings.Fields(first)) == 1 {
		name = first + " " + last
	}
	if name == "" {
		name = fromAddress(plain.Line(msg.From))
	}
	if name == "" {
		name = "an unknown sender"
	}
	return clip(name, 32)
}

// fromAddress makes a name of an address like ana.lima@example.org; of others
// it returns the address.
func fromAddress(address string) string {
	local, _, _ := strings.Cut(address, "@")
	parts := strings.FieldsFunc(local, func(r rune) bool { return r == '.' || r == '_' })
	if len(parts) < 2 || len(parts) > 3 {
		return address
	}
	for i, p := range parts {
		if strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
			return address
		}
		runes := []rune(p)
		runes[0] = unicode.ToUpper(runes[0])
		parts[i] = string(runes)
	}
	return strings.Join(parts, " ")
}
