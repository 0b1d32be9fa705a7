package helve

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A Verdict is a policy's answer. The zero value denies.
type Verdict uint8

const (
	// Deny refuses the call.
	Deny Verdict = iota
	// Ask wants a person's approval.
	Ask
	// Allow leaves it to contract and autonomy whether a person is asked.
	Allow
	// Preapprove stands for the approval that autonomy [Gated], or a destructive
	// tool, would ask for. It never satisfies [Manual], a contract's [AskAlways],
	// or another rule that asks.
	Preapprove
)

var verdictNames = [...]string{"deny", "ask", "allow", "preapprove"}

// String returns "deny", "ask", "allow" or "preapprove".
func (v Verdict) String() string { return enumName(verdictNames[:], v) }

// MarshalText writes the name.
func (v Verdict) MarshalText() ([]byte, error) { return enumText("verdict", verdictNames[:], v) }

// UnmarshalText reads a name; an unknown one is an error.
func (v *Verdict) UnmarshalText(b []byte) error {
	return enumParse("verdict", verdictNames[:], string(b), v)
}

// A Ruling is a verdict with its reason. The zero value denies.
type Ruling struct {
	Verdict Verdict
	// Reason is shown to the model when denied and to the person when asked.
	Reason string
	// Rule names the rule that decided, for approvals and audit.
	Rule string
	// Version names the policy's version, kept with an approval.
	Version string
}

// A Request is what a policy decides on. It must not be changed.
type Request struct {
	// Contract is the tool's contract.
	Contract *Contract
	// Effect is the effect of this very call.
	Effect Effect
	// Arguments are the settled arguments: exactly what will run.
	Arguments jsontext.Value
	// Scope says on whose behalf the call is made.
	Scope Scope
	// CallID is the call's id.
	CallID string
	// Parent is the name of the tool whose handler makes the call, or "".
	Parent string
}

// A Policy decides whether a call may run. An error or a panic denies. It must
// be safe for concurrent use, and give the same answer on every machine that
// shares a store.
type Policy interface {
	Decide(ctx context.Context, r *Request) (Ruling, error)
}

// PolicyFunc makes a Policy of a function.
type PolicyFunc func(ctx context.Context, r *Request) (Ruling, error)

// Decide calls f.
func (f PolicyFunc) Decide(ctx context.Context, r *Request) (Ruling, error) { return f(ctx, r) }

// A Rule is one line of [Rules].
type Rule struct {
	// Name stands in approvals and audit.
	Name string
	// Tools are the names it is about. Empty: all.
	Tools []string
	// Effects are the effects it is about. Empty: all.
	Effects []Effect
	// When narrows it further. Nil: always. An error or a panic means Ask.
	When func(ctx context.Context, r *Request) (bool, error)
	// Verdict and Reason are its answer.
	Verdict Verdict
	Reason  string
}

// Rules is a Policy of rules that are all looked at: deny beats ask beats
// preapprove beats allow. A call that no rule is about is allowed, so that
// contract and autonomy decide. An empty Rules allows.
type Rules []Rule

// Decide looks at every rule.
func (rs Rules) Decide(ctx context.Context, r *Request) (Ruling, error) {
	ruling := Ruling{Verdict: Allow}
	for i := range rs {
		next, about := rs[i].decide(ctx, r)
		if about && stricter(next.Verdict, ruling.Verdict) {
			ruling = next
		}
	}
	return ruling, nil
}

// stricter reports whether a beats b.
func stricter(a, b Verdict) bool {
	rank := [...]int{Deny: 3, Ask: 2, Preapprove: 1, Allow: 0}
	return rank[a] > rank[b]
}

func (rule *Rule) decide(ctx context.Context, r *Request) (_ Ruling, about bool) {
	if len(rule.Tools) > 0 && !slices.Contains(rule.Tools, r.Contract.Name) ||
		len(rule.Effects) > 0 && !slices.Contains(rule.Effects, r.Effect) {
		return Ruling{}, false
	}
	ruling := Ruling{Verdict: rule.Verdict, Reason: rule.Reason, Rule: rule.Name}
	if int(ruling.Verdict) >= len(verdictNames) {
		ruling.Verdict = Deny
	}
	if rule.When == nil {
		return ruling, true
	}
	hit, err := rule.when(ctx, r)
	if err != nil {
		return Ruling{Verdict: Ask, Rule: rule.Name, Reason: "a rule could not be checked, so a person decides"}, true
	}
	return ruling, hit
}

func (rule *Rule) when(ctx context.Context, r *Request) (hit bool, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("rule %s: panic: %v", rule.Name, v)
		}
	}()
	return rule.When(ctx, r)
}

// Policies combines policies: deny beats ask beats preapprove beats allow. An
// error of any denies. Without policies it denies.
func Policies(all ...Policy) Policy {
	return PolicyFunc(func(ctx context.Context, r *Request) (Ruling, error) {
		var ruling Ruling
		for i, p := range all {
			next, err := p.Decide(ctx, r)
			if err != nil {
				return Ruling{}, err
			}
			if i == 0 || stricter(next.Verdict, ruling.Verdict) {
				ruling = next
			}
		}
		return ruling, nil
	})
}
