package helve

import (
	"context"
	"fmt"
	"sync"
)

// ExecuteAll runs the calls of one model turn and returns exactly one result
// for each, in the order of the calls. Calls that may run beside others do, up
// to Config.Parallel at once; one that may not is a barrier: it begins when all
// before it have ended and ends before any after it begins. No call stops or
// loses another. A missing id, or one that stands twice, is replaced; the
// result has the id that was used.
func (x *Executor) ExecuteAll(ctx context.Context, calls []*Call) []*Result {
	results := make([]*Result, len(calls))
	calls = reissue(calls)
	var wg sync.WaitGroup
	slots := make(chan struct{}, x.cfg.Parallel)
	for i, call := range calls {
		run := func() { results[i] = x.Execute(ctx, call) }
		if !x.sharedCall(call) {
			wg.Wait()
			run()
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			run()
		})
	}
	wg.Wait()
	return results
}

// reissue gives every call an id of its own.
func reissue(calls []*Call) []*Call {
	out := make([]*Call, len(calls))
	seen := make(map[string]bool, len(calls))
	for i, call := range calls {
		c := Call{}
		if call != nil {
			c = *call
		}
		if c.ID == "" {
			c.ID = newID("call_")
		}
		for n, base := 2, c.ID; seen[c.ID]; n++ {
			c.ID = fmt.Sprintf("%s-%d", base, n)
		}
		seen[c.ID] = true
		out[i] = &c
	}
	return out
}

// sharedCall reports whether a call may run beside others. One that will be
// refused may: it runs no handler.
func (x *Executor) sharedCall(call *Call) bool {
	t, ok := x.tools.Lookup(call.Tool)
	if !ok {
		return true
	}
	switch t.c.Concurrency {
	case ConcurrencyShared:
		return true
	case ConcurrencyExclusive:
		return false
	}
	if t.c.EffectBy.Arg == "" {
		return t.c.Effect == Read
	}
	value, err := unquote(member(call.Arguments, t.c.EffectBy.Arg))
	return err == nil && t.c.effectOf(value) == Read
}
