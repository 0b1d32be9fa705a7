package helve

import (
	"context"
	"time"
)

// Runs keeps the runs of agents as bytes that only their owner reads.
type Runs interface {
	// SaveRun stores a run whose Version is that of the stored one, zero for a
	// new one, and raises the version in r. [ErrRunChanged] says that another
	// process has saved it since, or that it exists already.
	SaveRun(ctx context.Context, r *RunRecord) error
	// LoadRun returns a run, or [ErrNoRun].
	LoadRun(ctx context.Context, tenant, id string) (*RunRecord, error)
	// ListRuns returns those that match, the latest change first, without Data.
	ListRuns(ctx context.Context, f RunFilter) ([]*RunRecord, error)
}

// A RunRecord is one run of an agent.
type RunRecord struct {
	Tenant string `json:"tenant,omitempty"`
	// ID is the [Scope.Run] of its calls.
	ID      string `json:"id"`
	Version int64  `json:"version"`
	// Kind says who can read Data, such as "agent/1".
	Kind string `json:"kind"`
	// Title is a line for people.
	Title string `json:"title,omitempty"`
	// State is a word of its owner, such as "suspended".
	State string `json:"state"`
	// Ended says that the run is over and makes no more calls.
	Ended bool `json:"ended"`
	// Data is the run. It may hold what the model read.
	Data []byte `json:"-"`
	// Created and Updated are by the store's clock.
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
}

// A RunFilter selects runs of one tenant.
type RunFilter struct {
	// Tenant is matched as it is: the zero value is the empty tenant, not all.
	Tenant string
	// State and Kind narrow it further. Empty: any.
	State, Kind string
	// Limit bounds how many are returned. Zero: 1,000.
	Limit int
}
