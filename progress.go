package helve

import (
	"context"
	"sync/atomic"
	"time"
)

// progressMark remembers when a handler last showed a sign of life, as the time
// since its call began: the wall clock may be set while it runs.
type progressMark struct{ after atomic.Int64 }

func (p *progressMark) touch(started time.Time) { p.after.Store(int64(time.Since(started))) }

func (p *progressMark) last(started time.Time) time.Time {
	return started.Add(time.Duration(p.after.Load()))
}

// Progress reports that a handler is getting on: done of total, in any unit,
// and what it is at. A total of zero means that it is not known. It feeds the
// stall guard and the observers; outside of a handler it does nothing.
func Progress(ctx context.Context, done, total float64, message string) {
	inv := InvocationFrom(ctx)
	if inv == nil {
		return
	}
	f := inv.f
	f.progress.touch(f.started)
	w := f.x.watch
	if len(w.progress) == 0 {
		return
	}
	e := CallProgressed{CallInfo: f.info(), Done: done, Total: total}
	if w.content {
		e.Message = f.x.redact.text(message)
	}
	tell(w, w.progress, "progress", func(o ProgressObserver) { o.CallProgressed(ctx, e) })
	if f.parent != nil {
		f.parent.progress.touch(f.parent.started) // a nested call that gets on is progress of its parent
	}
}
