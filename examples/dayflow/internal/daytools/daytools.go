// Package daytools has the five tools of the daily brief: read_inbox,
// read_calendar, read_tasks, create_task and send_email.
//
// Sources are read anew at every call, so that a call sees what is there now,
// and one that went away is unavailable rather than old.
package daytools

import (
	"context"
	"errors"
	"fmt"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/examples/dayflow/internal/calendar"
	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/mailbox"
	"helve.dev/helve/examples/dayflow/internal/tasks"
	"helve.dev/helve/schema"
)

// The names of the tools.
const (
	ReadInbox    = "read_inbox"
	ReadCalendar = "read_calendar"
	ReadTasks    = "read_tasks"
	CreateTask   = "create_task"
	SendEmail    = "send_email"
)

// CodeInvalidDue is the error code of create_task for a day in the past.
const CodeInvalidDue helve.Code = "invalid_due"

// Config says whose day it is and where it is read from.
type Config struct {
	// Mail and Calendar are the sources. The zero Source is unavailable.
	Mail, Calendar Source
	// Tasks holds the tasks. It is needed.
	Tasks *tasks.Store
	// Outbox takes the mail that is sent. Nil: one in memory.
	Outbox *Outbox
	// Today is the day that the brief is for. Zero: the present day in Zone.
	Today day.Date
	// Zone is the person's time zone. Nil: that of the computer.
	Zone *time.Location
	// Me is the person's address. Empty: the most frequent recipient of the mail.
	Me string
}

// A toolbox is what the handlers work on.
type toolbox struct{ Config }

// New returns the tools, by name. The error tells everything that is wrong with
// the configuration or the contracts.
func New(cfg Config) ([]*helve.Tool, error) {
	if cfg.Tasks == nil {
		return nil, errors.New("daytools: a store of tasks is needed")
	}
	if cfg.Outbox == nil {
		cfg.Outbox = NewOutbox("")
	}
	if cfg.Zone == nil {
		cfg.Zone = time.Local
	}
	if cfg.Today.IsZero() {
		cfg.Today = day.Of(time.Now().In(cfg.Zone))
	}
	b := &toolbox{cfg}
	var tools []*helve.Tool
	var errs []error
	for _, define := range []func() (*helve.Tool, error){
		b.createTaskTool, b.readCalendarTool, b.readInboxTool, b.readTasksTool, b.sendEmailTool,
	} {
		t, err := define()
		tools, errs = append(tools, t), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return tools, nil
}

// Skipped names something of a source that was left out.
type Skipped struct {
	File   string `json:"file" doc:"The file in the source"`
	Item   string `json:"item,omitempty" doc:"The event within the file"`
	Reason string `json:"reason" doc:"Why it was left out"`
}

// tags are the tags of a tool.
func tags(area string) map[string]string { return map[string]string{"area": area} }

// unavailable is the error of a source that can't be opened. The message names
// the kind of source and never its path.
func unavailable(source string, err error) error {
	e := helve.Errorf(helve.CodeUnavailable, "the %s can't be opened: %s", source, reason(err))
	if errors.Is(err, errNoSource) {
		e = helve.Errorf(helve.CodeUnavailable, "no %s was given to dayflow", source)
	}
	e.Retryable = true
	e.Suggestion = fmt.Sprintf("Go on without it, and tell the user that the %s is missing. Do not guess at its content.", source)
	return e
}

// box opens the mail.
func (b *toolbox) box() (*mailbox.Box, error) {
	box, err := open(b.Mail, mailbox.Open, mailbox.OpenFS)
	if err != nil {
		return nil, unavailable("mailbox", err)
	}
	return box, nil
}

// agenda opens the calendar.
func (b *toolbox) agenda() (*calendar.Calendar, error) {
	c, err := open(b.Calendar, calendar.Open, calendar.OpenFS)
	if err != nil {
		return nil, unavailable("calendar", err)
	}
	return c, nil
}

// me returns whose mail it is; "" where that can't be known.
func (b *toolbox) me(box *mailbox.Box) string {
	if b.Me != "" || box == nil {
		return b.Me
	}
	return box.MostFrequentRecipient()
}

// output returns the schema of a result for tools that reply with more than a
// value.
func output[T any]() (*schema.Schema, error) { return schema.For[T]() }

// progress tells that a handler has done one of two parts.
func progress(ctx context.Context, done float64, message string) {
	helve.Progress(ctx, done, 2, message)
}
