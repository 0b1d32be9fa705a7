package daytools

import (
	"fmt"
	"strings"
	"time"

	"helve.dev/helve"
)

// decode reads the data of a result for a person's view. Where it can't, the
// view is left to helve.
func decode[T any](res *helve.Result, view func(*strings.Builder, *T)) string {
	var data T
	if res.Decode(&data) != nil {
		return ""
	}
	var b strings.Builder
	view(&b, &data)
	return strings.TrimRight(b.String(), "\n")
}

func renderInbox(res *helve.Result, _ helve.Surface) string {
	return decode(res, func(b *strings.Builder, in *Inbox) {
		fmt.Fprintf(b, "%d of %d mails\n", len(in.Messages), in.Total)
		for _, m := range in.Messages {
			from := m.From
			if m.FromName != "" {
				from = m.FromName + " <" + m.From + ">"
			}
			fmt.Fprintf(b, "\n%s  %s\n  %s\n", m.Date.Format("Mon 2 Jan 15:04"), from, m.Subject)
			text, cut := cutText(strings.Join(strings.Fields(m.Body), " "), 160)
			if cut {
				text += " ..."
			}
			fmt.Fprintf(b, "  %s\n", text)
			if len(m.Attachments) > 0 {
				fmt.Fprintf(b, "  attached: %s\n", strings.Join(m.Attachments, ", "))
			}
		}
		renderSkipped(b, in.Skipped)
	})
}

func renderCalendar(res *helve.Result, _ helve.Surface) string {
	return decode(res, func(b *strings.Builder, c *Calendar) {
		fmt.Fprintf(b, "%s to %s: %d events\n", c.From, c.To, len(c.Events))
		for _, e := range c.Events {
			fmt.Fprintf(b, "  %s  %s", span(&e), e.Title)
			if e.Location != "" {
				fmt.Fprintf(b, " (%s)", e.Location)
			}
			if e.Status != "confirmed" {
				fmt.Fprintf(b, " [%s]", e.Status)
			}
			b.WriteString("\n")
		}
		renderSkipped(b, c.Skipped)
	})
}

// span says when an event is.
func span(e *Event) string {
	start, err1 := time.Parse(time.RFC3339, e.Start)
	end, err2 := time.Parse(time.RFC3339, e.End)
	switch {
	case e.AllDay && e.Start == e.End:
		return e.Start + " all day    "
	case e.AllDay || err1 != nil || err2 != nil:
		return e.Start + " to " + e.End
	}
	return start.Format("Mon 2006-01-02 15:04") + "-" + end.Format("15:04")
}

func renderTasks(res *helve.Result, _ helve.Surface) string {
	return decode(res, func(b *strings.Builder, t *Tasks) {
		fmt.Fprintf(b, "%d tasks\n", len(t.Tasks))
		for _, one := range t.Tasks {
			fmt.Fprintf(b, "  %s\n", taskLine(&one))
		}
	})
}

func renderCreated(res *helve.Result, _ helve.Surface) string {
	return decode(res, func(b *strings.Builder, t *CreatedTask) {
		verb := "Was there already"
		if t.Created {
			verb = "Created"
		}
		fmt.Fprintf(b, "%s: %s\n", verb, taskLine(&t.Task))
	})
}

// taskLine shows a task on one line.
func taskLine(t *Task) string {
	line := t.Title
	if t.Due != nil {
		line += " (due " + t.Due.String() + ")"
	}
	if t.Done {
		line += " [done]"
	}
	return line
}

func renderSent(res *helve.Result, _ helve.Surface) string {
	return decode(res, func(b *strings.Builder, e *SentEmail) {
		verb := "Was sent before"
		if e.Sent {
			verb = "Sent"
		}
		fmt.Fprintf(b, "%s: %q to %s", verb, e.Subject, e.To)
		if e.File != "" {
			fmt.Fprintf(b, ", in the outbox as %s", e.File)
		}
	})
}

func renderSkipped(b *strings.Builder, skipped []Skipped) {
	if len(skipped) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%d could not be read:\n", len(skipped))
	for _, s := range skipped {
		fmt.Fprintf(b, "  %s\n", strings.TrimSpace(s.File+" "+s.Item+": "+s.Reason))
	}
}
