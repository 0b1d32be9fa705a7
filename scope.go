package helve

import "context"

// Autonomy says for which calls a person is asked. The zero value is [Gated].
type Autonomy uint8

const (
	// Gated asks for every call with effects.
	Gated Autonomy = iota
	// Manual asks for every call.
	Manual
	// Auto asks for none by itself; contracts, policy and destructive tools still may.
	Auto
)

var autonomyNames = [...]string{"gated", "manual", "auto"}

// String returns "gated", "manual" or "auto".
func (a Autonomy) String() string { return enumName(autonomyNames[:], a) }

// MarshalText writes the name.
func (a Autonomy) MarshalText() ([]byte, error) { return enumText("autonomy", autonomyNames[:], a) }

// UnmarshalText reads a name; an unknown one is an error.
func (a *Autonomy) UnmarshalText(b []byte) error {
	return enumParse("autonomy", autonomyNames[:], string(b), a)
}

// A Scope says on whose behalf calls are made. The zero value is: empty tenant,
// [Gated], no run, no budget.
type Scope struct {
	// Tenant separates customers: ledger, approvals, budgets and caches never
	// cross it.
	Tenant string
	// Subject is the person or service that the calls are made for.
	Subject string
	// Run identifies one conversation of an agent. Empty: none, so that
	// [KeyArguments] behaves as [KeyCall] and no loop is watched for.
	Run string
	// Autonomy says for which calls a person is asked.
	Autonomy Autonomy
	// Budget bounds what the run may spend. Nil: unbounded.
	Budget *Budget
}

type scopeKey struct{}

// WithScope returns a context whose calls are made on behalf of s.
func WithScope(ctx context.Context, s Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

// ScopeFrom returns the scope of ctx, or the zero Scope.
func ScopeFrom(ctx context.Context) Scope {
	s, _ := ctx.Value(scopeKey{}).(Scope)
	return s
}
