package helve

import "context"

// A Handler runs a call whose arguments are valid, permitted and claimed. What
// its error means is said at [Error], [NotDone], [Partial] and [Suspend]; any
// other error of a tool with effects that is not repeatable means "it may have
// happened". A handler returns soon after ctx is done.
type Handler func(ctx context.Context, inv *Invocation) (*Reply, error)

// A Middleware wraps the execution of a call: after permission, approval and
// claim, inside deadline, retries and panic guard. It is entered once for each
// attempt.
type Middleware func(next Handler) Handler
