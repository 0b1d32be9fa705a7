package main

import (
	"context"
	"errors"
	"fmt"

	"helve.dev/helve"
	"helve.dev/helve/store/audit"
)

// count holds the ledger against what the backend got.
func (h *harness) count(ctx context.Context) (_ *result, err error) {
	store, closeStore, err := openStore(ctx, h.store)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	r := &result{Seed: h.cfg.seed, Calls: h.sent, Kills: h.kills, Keys: len(h.jobs), Replays: h.replays}
	entries, err := store.Entries(ctx, helve.EntryFilter{Tenant: "crash", Limit: 10 * len(h.jobs)})
	if err != nil {
		return nil, err
	}
	rows := map[string]*helve.Entry{}
	for _, e := range entries {
		rows[e.Scope+" "+e.Key] = e
	}
	for key, j := range h.jobs {
		h.judge(r, key, j.Tool, rows[j.Tool+" argument:"+key])
	}
	report, err := audit.Verify(ctx, store, "crash")
	if err != nil {
		return nil, err
	}
	if r.AuditEntries = report.Entries; report.Bad != nil {
		r.AuditBad = report.Bad.String()
	}
	return r, nil
}

// judge counts one key.
func (h *harness) judge(r *result, key, tool string, e *helve.Entry) {
	n := h.effects[key]
	r.Effects += n
	if n > 1 && tool != "repeat" {
		r.Doubled++
	}
	state := helve.EntryState("")
	if e != nil {
		state = e.State
		if tool == "repeat" && e.Attempts > 1 {
			r.Takeovers++
		}
	}
	switch state {
	case helve.EntrySucceeded:
		r.Succeeded++
		if n == 0 {
			r.Invented++
		}
	case helve.EntryUnknown:
		r.Unknown++
		if !h.killed[key] {
			r.UnknownWithoutAKill++
		}
	case helve.EntryFailed:
		r.Failed++
		if n > 0 {
			r.Lost++
		}
	default:
		r.Open++
		fmt.Fprintf(h.cfg.log, "open: %s is %q, %d effects, last answer %+v\n", key, state, n, h.ended[key])
		if n > 0 {
			r.Lost++
		}
	}
}
