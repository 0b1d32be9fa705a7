package helvetest

import (
	"context"
	"slices"
	"sync"

	"helve.dev/helve"
)

// A Recorder keeps every event that an executor tells its observers. It is safe
// for concurrent use.
type Recorder struct {
	mu     sync.Mutex
	events []any
}

func (r *Recorder) add(e any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// All returns the events so far, in the order in which they were told.
func (r *Recorder) All() []any {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// Of returns the events of one type so far, such as Of[helve.CallEnded](r).
func Of[E any](r *Recorder) []E {
	var out []E
	for _, e := range r.All() {
		if v, ok := e.(E); ok {
			out = append(out, v)
		}
	}
	return out
}

// CallStarted records e.
func (r *Recorder) CallStarted(ctx context.Context, e helve.CallStarted) context.Context {
	r.add(e)
	return ctx
}

// CallEnded records e.
func (r *Recorder) CallEnded(_ context.Context, e helve.CallEnded) { r.add(e) }

// CallProgressed records e.
func (r *Recorder) CallProgressed(_ context.Context, e helve.CallProgressed) { r.add(e) }

// CallRetried records e.
func (r *Recorder) CallRetried(_ context.Context, e helve.CallRetried) { r.add(e) }

// ApprovalChanged records e.
func (r *Recorder) ApprovalChanged(_ context.Context, e helve.ApprovalChanged) { r.add(e) }

// CallLate records e.
func (r *Recorder) CallLate(_ context.Context, e helve.CallLate) { r.add(e) }
