package main

import (
	"errors"
	"fmt"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/daytools"
	"helve.dev/helve/examples/dayflow/internal/tasks"
)

// A setting says whose day a command works on.
type setting struct {
	sample         bool
	mail, calendar daytools.Source
	state, outbox  string // "": in memory
	today          day.Date
	zone           *time.Location
	me             string // "": the mailbox says it
}

// policy is what the person has agreed to: tasks may be noted down without
// asking, mail leaves the house only with a yes.
var policy = helve.Rules{
	{
		Name: "tasks-are-mine", Tools: []string{daytools.CreateTask}, Verdict: helve.Preapprove,
		Reason: "the list of tasks is private and a task can be removed again",
	},
	{
		Name: "mail-asks", Tools: []string{daytools.SendEmail}, Verdict: helve.Ask,
		Reason: "an email goes out in your name and can't be taken back",
	},
}

// open makes the executor, and what closes the tasks beneath it.
func (s *setting) open(observers ...helve.Observer) (*helve.Executor, func() error, error) {
	store, err := tasks.Open(s.state)
	switch {
	case errors.Is(err, tasks.ErrNotDatabase):
		return nil, nil, helvecmd.Usagef("--state %s holds something else than tasks; choose another file", s.state)
	case err != nil:
		return nil, nil, fmt.Errorf("open --state %s: %w", s.state, err)
	}
	x, err := s.executor(store, observers)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return x, store.Close, nil
}

// executor makes the executor of the tools on a store.
func (s *setting) executor(store *tasks.Store, observers []helve.Observer) (*helve.Executor, error) {
	tools, err := daytools.New(daytools.Config{
		Mail: s.mail, Calendar: s.calendar, Tasks: store, Outbox: daytools.NewOutbox(s.outbox),
		Today: s.today, Zone: s.zone, Me: s.me,
	})
	if err != nil {
		return nil, fmt.Errorf("make the tools: %w", err)
	}
	registry, err := helve.NewRegistry(tools...)
	if err != nil {
		return nil, fmt.Errorf("make the tools: %w", err)
	}
	return helve.NewExecutor(registry, &helve.Config{Policy: policy, Observers: observers, ObserveContent: true})
}
