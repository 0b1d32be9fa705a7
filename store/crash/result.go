package main

import (
	"errors"
	"fmt"
)

// A result is what the harness counted on one store.
type result struct {
	Seed    uint64 `json:"seed"`
	Calls   int    `json:"calls"`   // sent, the same ones again included
	Kills   int    `json:"kills"`   // of workers, each in the middle of a call
	Keys    int    `json:"keys"`    // different calls
	Effects int    `json:"effects"` // that the backend got

	// Doubled are keys of tools that are not repeatable with more than one effect.
	Doubled int `json:"doubled"`
	// Lost are effects that the ledger does not know of: it has no row, or one
	// that says that nothing happened.
	Lost int `json:"lost"`
	// Invented are keys that the ledger says succeeded and that had no effect.
	Invented int `json:"invented"`
	// Open are keys that ended neither succeeded nor failed nor unknown.
	Open    int `json:"open"`
	Unknown int `json:"unknown"`
	// UnknownWithoutAKill are unknown keys whose worker was never killed during them.
	UnknownWithoutAKill int `json:"unknown_without_a_kill"`
	Succeeded           int `json:"succeeded"`
	Failed              int `json:"failed"`
	// Takeovers are keys of repeatable tools that a second worker finished.
	Takeovers int `json:"takeovers"`
	// Replays are answers without an effect; the last round asks for all of them.
	Replays int `json:"replays"`
	// AuditEntries verified in the end.
	AuditEntries int64  `json:"audit_entries"`
	AuditBad     string `json:"audit_bad,omitempty"`
	Seconds      int    `json:"seconds"`
}

// check returns what must not be.
func (r *result) check(name string) error {
	var errs []error
	for _, c := range []struct {
		what string
		n    int
	}{
		{"keys with a doubled effect", r.Doubled},
		{"lost effects", r.Lost},
		{"invented successes", r.Invented},
		{"keys that came to no end", r.Open},
		{"unknown outcomes without a kill", r.UnknownWithoutAKill},
	} {
		if c.n != 0 {
			errs = append(errs, fmt.Errorf("%s: %d %s (seed %d)", name, c.n, c.what, r.Seed))
		}
	}
	if r.AuditBad != "" {
		errs = append(errs, fmt.Errorf("%s: the audit is bad: %s (seed %d)", name, r.AuditBad, r.Seed))
	}
	return errors.Join(errs...)
}
