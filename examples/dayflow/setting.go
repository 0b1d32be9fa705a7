package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/daytools"
	"helve.dev/helve/examples/dayflow/internal/tasks"
	"helve.dev/helve/store/postgres"
	"helve.dev/helve/store/sqlite"
)

// A setting says whose day a command works on.
type setting struct {
	sample         bool
	mail, calendar daytools.Source
	state, outbox  string // "": in memory
	store          string // sqlite:FILE, postgres://... or "": in memory
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

// open makes the executor, and what closes tasks and store beneath it.
func (s *setting) open(ctx context.Context, observers ...helve.Observer) (*helve.Executor, func() error, error) {
	store, err := s.openTasks() // first: a --state that is wrong gets no store beside it
	if err != nil {
		return nil, nil, err
	}
	kept, closeKept, err := s.openStore(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	closeBoth := func() error { return errors.Join(store.Close(), closeKept()) }
	x, err := s.executor(store, kept, observers)
	if err != nil {
		return nil, nil, errors.Join(err, closeBoth())
	}
	return x, closeBoth, nil
}

// mustExist refuses to begin a store where one was to be found.
func (s *setting) mustExist() error {
	scheme, path, _ := strings.Cut(s.store, ":")
	if _, err := os.Stat(path); scheme == "sqlite" && errors.Is(err, os.ErrNotExist) {
		return helvecmd.Usagef("there is no file %s; is --state or --store the one of the brief?", path)
	}
	return nil
}

// openStore opens what remembers approvals, runs and what was done.
func (s *setting) openStore(ctx context.Context) (helve.Store, func() error, error) {
	scheme, path, _ := strings.Cut(s.store, ":")
	switch scheme {
	case "":
		return helve.NewMemoryStore(nil), func() error { return nil }, nil
	case "sqlite":
		store, err := sqlite.Open(ctx, path, nil)
		if err != nil {
			return nil, nil, err
		}
		return store, store.Close, nil
	}
	store, err := postgres.Open(ctx, s.store, nil)
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

// openTasks opens the tasks.
func (s *setting) openTasks() (*tasks.Store, error) {
	store, err := tasks.Open(s.state)
	switch {
	case errors.Is(err, tasks.ErrNotDatabase):
		return nil, helvecmd.Usagef("--state %s holds something else than tasks; choose another file", s.state)
	case err != nil:
		return nil, fmt.Errorf("open --state %s: %w", s.state, err)
	}
	return store, nil
}

// executor makes the executor of the tools on tasks.
func (s *setting) executor(store *tasks.Store, kept helve.Store, observers []helve.Observer) (*helve.Executor, error) {
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
	return helve.NewExecutor(registry, &helve.Config{Policy: policy, Store: kept, Observers: observers, ObserveContent: true})
}
