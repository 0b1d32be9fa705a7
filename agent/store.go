package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/schema"
)

// Kind marks the runs of this package in a store.
const Kind = "agent/1"

// Load returns a run of the tenant of ctx that was kept; see [Config.Runs]. A run
// that is [Running] was interrupted, as one that is [Suspended] it can be
// continued. Two processes that continue the same run do nothing twice, but only
// one of them can keep it. [helve.ErrNoRun] says that there is none.
func Load(ctx context.Context, runs helve.Runs, id string) (*Run, error) {
	rec, err := runs.LoadRun(ctx, helve.ScopeFrom(ctx).Tenant, id)
	if err != nil {
		return nil, fmt.Errorf("agent: load run %s: %w", id, err)
	}
	if rec.Kind != Kind {
		return nil, fmt.Errorf("agent: run %s is of another kind: %s", id, rec.Kind)
	}
	r := &Run{}
	if err := r.UnmarshalJSON(rec.Data); err != nil {
		return nil, fmt.Errorf("agent: load run %s: %w", id, err)
	}
	r.version = rec.Version
	return r, nil
}

// MarshalJSON writes the run, whatever options the encoder has.
func (r *Run) MarshalJSON() ([]byte, error) {
	type plain Run
	return json.Marshal((*plain)(r), runOptions)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Run) UnmarshalJSON(b []byte) error {
	type plain Run
	return json.Unmarshal(b, (*plain)(r), runOptions)
}

var runOptions = json.JoinOptions(schema.JSONOptions(), jsontext.AllowInvalidUTF8(true))

// save keeps the run as it stands.
func (a *Agent) save(ctx context.Context, r *Run) error {
	if a.cfg.Runs == nil {
		return nil
	}
	raw, err := r.MarshalJSON()
	if err != nil {
		return fmt.Errorf("agent: keep run %s: %w", r.ID, err)
	}
	rec := &helve.RunRecord{
		Tenant: helve.ScopeFrom(ctx).Tenant, ID: r.ID, Version: r.version, Kind: Kind, Title: r.title(), State: string(r.Status),
		Ended: r.Status != Running && r.Status != Suspended, Data: raw,
	}
	if err := a.cfg.Runs.SaveRun(ctx, rec); err != nil {
		return fmt.Errorf("agent: keep run %s: %w", r.ID, err)
	}
	r.version = rec.Version
	return nil
}

const maxTitle = 100 // characters

// title is the beginning of what the user said.
func (r *Run) title() string {
	if len(r.Messages) == 0 {
		return ""
	}
	text := []rune(strings.Join(strings.Fields(r.Messages[0].Text), " "))
	return string(text[:min(len(text), maxTitle)])
}
