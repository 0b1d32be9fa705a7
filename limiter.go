package helve

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limiters hold the rate and concurrency of tools in this process.
type limiters struct{ byName sync.Map }

// toolLimits are those of one tool. A tool that is replaced by one with other
// limits begins anew.
type toolLimits struct {
	rate  Rate
	limit int

	bucket *rate.Limiter // nil: no rate
	slots  chan struct{} // nil: no limit
}

// of returns the tool's limits, or nil where it has none.
func (l *limiters) of(t *Tool) *toolLimits {
	c := t.c
	if c.Rate.Calls == 0 && c.Limit == 0 {
		return nil
	}
	if v, ok := l.byName.Load(c.Name); ok {
		if tl := v.(*toolLimits); tl.rate == c.Rate && tl.limit == c.Limit {
			return tl
		}
	}
	tl := &toolLimits{rate: c.Rate, limit: c.Limit}
	if c.Rate.Calls > 0 {
		tl.bucket = rate.NewLimiter(rate.Limit(float64(c.Rate.Calls)/c.Rate.Per.Seconds()), c.Rate.Calls)
	}
	if c.Limit > 0 {
		tl.slots = make(chan struct{}, c.Limit)
	}
	if v, raced := l.byName.Swap(c.Name, tl); raced {
		if other := v.(*toolLimits); other.rate == tl.rate && other.limit == tl.limit {
			l.byName.Store(c.Name, other)
			return other
		}
	}
	return tl
}

// take takes one call from the rate, or returns how long to wait.
func (l *toolLimits) take(now time.Time) time.Duration {
	if l.bucket == nil {
		return 0
	}
	r := l.bucket.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// enter waits for a free place until the call's deadline; an error says that
// the call was ended meanwhile.
func (l *toolLimits) enter(ctx context.Context, f *flight) (bool, error) {
	if l.slots == nil {
		return true, nil
	}
	select {
	case l.slots <- struct{}{}:
		return true, nil
	default:
	}
	t := time.NewTimer(f.remaining())
	defer t.Stop()
	select {
	case l.slots <- struct{}{}:
		return true, nil
	case <-t.C:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	case <-f.x.closing:
		return false, errClosing
	}
}

func (l *toolLimits) leave() {
	if l.slots != nil {
		<-l.slots
	}
}
