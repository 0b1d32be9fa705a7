package helve

import (
	"sync"
	"time"
)

// alarms wakes calls whose patience is over. One timer serves all that an
// executor runs: nearly every call ends long before its time, and a timer for
// each would cost as much as the rest of its entry.
type alarms struct {
	mu    sync.Mutex
	due   map[*running]time.Time
	timer *time.Timer
	next  time.Time // when the timer fires; zero: it does not
}

// set wakes r when it is due, instead of what was set before.
func (a *alarms) set(r *running, due time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.due == nil {
		a.due = map[*running]time.Time{}
	}
	a.due[r] = due
	a.arm(due)
}

func (a *alarms) unset(r *running) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.due, r)
}

// arm makes the timer fire at t, if it would not before.
func (a *alarms) arm(t time.Time) {
	switch {
	case !a.next.IsZero() && !t.Before(a.next):
		return
	case a.timer == nil:
		a.timer = time.AfterFunc(time.Until(t), a.ring)
	default:
		a.timer.Reset(time.Until(t))
	}
	a.next = t
}

// ring wakes those who are due, and waits for the next.
func (a *alarms) ring() {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	a.next = time.Time{}
	for r, due := range a.due {
		if now.Before(due) {
			a.arm(due)
			continue
		}
		delete(a.due, r)
		r.nudge()
	}
}

// all wakes everybody.
func (a *alarms) all() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for r := range a.due {
		r.nudge()
	}
}
