package helve

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"sync"
)

const (
	maxLoopRuns  = 1024 // runs watched at once; the oldest are forgotten
	maxLoopCalls = 4096 // different calls counted in one run
)

// A loopGuard counts equal calls within runs.
type loopGuard struct {
	limits LoopLimits

	mu    sync.Mutex
	runs  map[loopRun]*loopCounts
	order []loopRun
}

type loopRun struct{ tenant, run string }

type loopCounts struct{ equal, failed, alike map[Digest]int }

var digits = regexp.MustCompile(`[0-9]+`)

// identify names a call: exactly, and but for its numbers.
func (g *loopGuard) identify(f *flight) (run loopRun, call, alike Digest) {
	name := f.name
	if f.tool != nil {
		name = f.tool.c.Name
	}
	args := f.asked
	if args == nil {
		args = f.sent
	}
	whole := append([]byte(name+"\x00"), args...)
	return loopRun{f.scope.Tenant, f.scope.Run}, sha256.Sum256(whole), sha256.Sum256(digits.ReplaceAll(whole, []byte("0")))
}

// check is asked before a call runs, and refuses one that repeats itself.
func (g *loopGuard) check(f *flight) *Error {
	if f.scope.Run == "" || f.depth > 0 {
		return nil
	}
	run, call, alike := g.identify(f)
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.counts(run)
	limit := g.limits.Equal
	if f.tool.c.Poll > 0 {
		limit = f.tool.c.Poll
	}
	// Of equal calls with one key one runs for all, also where fifty come at once:
	// only what runs each time can be a loop. It is counted here, when it is about
	// to run, so that calls side by side cannot pass the limit together.
	if f.effect == Read || f.tool.c.Key == KeyCall {
		bump(c.equal, call)
		if c.equal[call] >= limit && f.tool.c.Poll == 0 || c.equal[call] > limit {
			return loopError(fmt.Sprintf("this exact call was made %d times in this run", c.equal[call]))
		}
	}
	if f.tool.c.Poll == 0 {
		return g.failing(c, call, alike)
	}
	return nil
}

// failing refuses the call that would be one failure too many.
func (g *loopGuard) failing(c *loopCounts, call, alike Digest) *Error {
	if n := c.failed[call] + 1; n >= g.limits.Refuse {
		return loopError(fmt.Sprintf("this exact call has failed %d times already", n-1))
	}
	if n := c.alike[alike] + 1; n >= 2*g.limits.Refuse {
		return loopError(fmt.Sprintf("calls like this one, but for their numbers, have failed %d times already", n-1))
	}
	return nil
}

func loopError(why string) *Error {
	return &Error{
		Code: CodeLoopDetected, Message: why + "; it is refused now",
		Suggestion: "Do something else, or tell the user what does not work.",
	}
}

// note counts a call that has its result: one that failed is warned of, and
// one that is refused before it could run is refused for good at the limit.
func (g *loopGuard) note(f *flight, res *Result) {
	if f.scope.Run == "" || f.depth > 0 {
		return
	}
	run, call, alike := g.identify(f)
	g.mu.Lock()
	defer g.mu.Unlock()
	switch res.Code() {
	case "":
		if c := g.runs[run]; c != nil {
			delete(c.failed, call)
			delete(c.alike, alike)
		}
		return
	case CodePending, CodeConflict, CodeInProgress, CodeOutcomeUnknown, CodeApprovalDenied, CodeApprovalExpired,
		CodeApprovalMismatch, CodeRateLimited, CodeBudgetExhausted, CodeLoopDetected, CodeCanceled:
		return // these say where the call stands, and say it as often as they are asked
	}
	c := g.counts(run)
	if e := g.failing(c, call, alike); e != nil && f.attempts == 0 {
		e.Faults, e.Details = res.Error.Faults, res.Error.Details
		e.Message += "; the last failure was: " + res.Error.Message
		res.Error = e
		return
	}
	bump(c.failed, call)
	bump(c.alike, alike)
	if n := c.failed[call]; n >= g.limits.Warn {
		res.Warnings = append(res.Warnings, fmt.Sprintf("This exact call has failed %d times. Change something, or stop: after %d it is refused.", n, g.limits.Refuse-1))
	}
}

// counts returns the run's counts, making room for a new run.
func (g *loopGuard) counts(run loopRun) *loopCounts {
	if c := g.runs[run]; c != nil {
		return c
	}
	if g.runs == nil {
		g.runs = map[loopRun]*loopCounts{}
	}
	if len(g.order) == maxLoopRuns {
		delete(g.runs, g.order[0])
		g.order = g.order[1:]
	}
	c := &loopCounts{map[Digest]int{}, map[Digest]int{}, map[Digest]int{}}
	g.runs[run] = c
	g.order = append(g.order, run)
	return c
}

func bump(m map[Digest]int, key Digest) {
	if _, known := m[key]; known || len(m) < maxLoopCalls {
		m[key]++
	}
}
