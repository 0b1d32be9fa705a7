package helve

import (
	"context"
	"fmt"
	"sync"
)

// Close drains the executor: new calls are refused, those that run may end
// until ctx is done, then they are cancelled. It returns once every handler has
// ended, late ones included, or with an error that says how many have not by
// the time a cancelled handler's grace is over. Closing twice is allowed.
func (x *Executor) Close(ctx context.Context) error {
	x.calls.close()
	if x.calls.wait(ctx) && x.handlers.wait(ctx) {
		return nil
	}
	x.cancelAll()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*x.cfg.Grace)
	defer cancel()
	x.calls.wait(grace)
	if !x.handlers.wait(grace) {
		return fmt.Errorf("helve: %d handlers ignored their cancellation and still run", x.handlers.count())
	}
	return nil
}

func (x *Executor) cancelAll() {
	x.closeOnce.Do(func() {
		close(x.closing)
		x.alarms.all()
	})
}

func (x *Executor) isClosing() bool {
	select {
	case <-x.closing:
		return true
	default:
		return false
	}
}

// drain counts what has to end before a close is done.
type drain struct {
	mu     sync.Mutex
	n      int
	closed bool
	zero   chan struct{} // closed when n falls to zero while somebody waits
}

// enter reports whether one more may begin. What belongs to something that runs
// already always may.
func (d *drain) enter(inner bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed && !inner {
		return false
	}
	d.n++
	return true
}

func (d *drain) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.n--; d.n == 0 && d.zero != nil {
		close(d.zero)
		d.zero = nil
	}
}

func (d *drain) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
}

func (d *drain) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.n
}

// wait waits until nothing runs, or until ctx is done, and reports which.
func (d *drain) wait(ctx context.Context) bool {
	d.mu.Lock()
	if d.n == 0 {
		d.mu.Unlock()
		return true
	}
	if d.zero == nil {
		d.zero = make(chan struct{})
	}
	zero := d.zero
	d.mu.Unlock()
	select {
	case <-zero:
		return true
	case <-ctx.Done():
		return false
	}
}
