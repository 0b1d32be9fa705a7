package helve

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// An Invocation is a handler's view of its call. Nothing in it can be changed;
// what it hands out are copies. It is safe for concurrent use.
type Invocation struct {
	f       *flight
	attempt int
}

type invocationKey struct{}

// InvocationFrom returns the invocation that ctx belongs to, or nil outside of
// a handler.
func InvocationFrom(ctx context.Context) *Invocation {
	inv, _ := ctx.Value(invocationKey{}).(*Invocation)
	return inv
}

// Contract returns a copy of the tool's contract.
func (i *Invocation) Contract() Contract { return i.f.tool.c.clone() }

// Tool returns the tool's own name.
func (i *Invocation) Tool() string { return i.f.tool.c.Name }

// Arguments returns a copy of the settled arguments: exactly what was approved.
func (i *Invocation) Arguments() jsontext.Value { return i.f.arguments() }

// CallID returns the call's id.
func (i *Invocation) CallID() string { return i.f.id }

// Key returns the idempotency key of a call with effects, to be passed on to
// the API behind the tool; "" for a read. Where the contract or the caller
// named one it is that text, else an opaque one that is the same for the same
// call.
func (i *Invocation) Key() string { return i.f.publicKey }

// Attempt counts the entries of the handler for this call, from 1.
func (i *Invocation) Attempt() int { return i.attempt }

// Resumed reports whether the call was suspended before.
func (i *Invocation) Resumed() bool { return i.f.resumed }

// Scope returns on whose behalf the call is made. Its budget is a copy.
func (i *Invocation) Scope() Scope {
	s := i.f.scope
	if s.Budget != nil {
		b := *s.Budget
		s.Budget = &b
	}
	return s
}

// Effect returns the effect of this call.
func (i *Invocation) Effect() Effect { return i.f.effect }
