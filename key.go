package helve

import "strings"

// A KeyRule says under which key the ledger remembers a call with effects, so
// that the same call sent twice happens once. The zero value is [KeyArguments].
//
// Whatever the rule, the argument named by [KeyFrom] comes first, then
// [Call.Key], then the rule.
type KeyRule string

const (
	// KeyArguments uses the canonical arguments within the run: a model that
	// sends the same write twice in one run gets the first result, flagged as
	// replayed. Without a run it behaves as KeyCall.
	KeyArguments KeyRule = "arguments"
	// KeyCall uses the call id, for tools where the same call twice is meant.
	KeyCall KeyRule = "call"
)

const keyFromPrefix = "argument:"

// KeyFrom uses the value of the named root argument, scoped by tenant and tool,
// so that it holds across runs. Where a call leaves the argument out, the next
// rule applies.
func KeyFrom(argument string) KeyRule { return KeyRule(keyFromPrefix + argument) }

// argument returns the argument that k names, or "".
func (k KeyRule) argument() string {
	name, _ := strings.CutPrefix(string(k), keyFromPrefix)
	if name == string(k) {
		return ""
	}
	return name
}

func (k KeyRule) valid() bool {
	return k == "" || k == KeyArguments || k == KeyCall || k.argument() != ""
}
