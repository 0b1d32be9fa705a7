package helve

import (
	"fmt"
	"sync"
	"time"
)

// lateNotes are what runs are told in their next call: that an outcome which was
// unknown to them is known since. They live in the process whose handler came late.
type lateNotes struct {
	mu    sync.Mutex
	runs  map[loopRun][]string
	order []loopRun
}

const (
	maxLateRuns  = 1024 // the oldest are forgotten; the ledger knows it all the same
	maxLateNotes = 8    // of one run
)

// add notes how a call of a run ended after its run was told that nobody knows.
func (l *lateNotes) add(f *flight, out *outcome) {
	if f.scope.Run == "" || f.repeatable() {
		return
	}
	what := "was carried out"
	if out.Error != nil {
		what = "failed and did nothing"
	}
	note := fmt.Sprintf("The outcome of %s (call %s) was not known: it %s, %s after it was sent.",
		f.tool.c.Name, clip(f.id, 80), what, time.Since(f.started).Round(time.Millisecond))
	run := loopRun{f.scope.Tenant, f.scope.Run}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs == nil {
		l.runs = map[loopRun][]string{}
	}
	if _, known := l.runs[run]; !known {
		if len(l.order) == maxLateRuns {
			delete(l.runs, l.order[0])
			l.order = l.order[1:]
		}
		l.order = append(l.order, run)
	}
	if len(l.runs[run]) < maxLateNotes {
		l.runs[run] = append(l.runs[run], note)
	}
}

// tell puts what a run has not been told yet into a result of it.
func (l *lateNotes) tell(f *flight, res *Result) {
	if f.scope.Run == "" || f.depth > 0 {
		return
	}
	run := loopRun{f.scope.Tenant, f.scope.Run}
	l.mu.Lock()
	defer l.mu.Unlock()
	res.Warnings = append(res.Warnings, l.runs[run]...)
	if l.runs[run] != nil {
		l.runs[run] = nil // its place in the order stays, until it is its turn
	}
}
