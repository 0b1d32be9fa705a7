package helve

import (
	"fmt"
	"slices"
	"strconv"
)

// An Effect is what a tool may do to the world. The zero value is no effect at
// all and is refused at definition: leaving the effect out is a mistake, never
// a read.
type Effect uint8

const (
	_ Effect = iota
	// Read changes nothing that anybody would miss.
	Read
	// Write changes something that can be put right again.
	Write
	// Destructive changes something that cannot be taken back. It asks a person
	// at every autonomy unless the policy preapproves it, is never retried by
	// itself, and its redacted arguments stand in the audit.
	Destructive
)

var effectNames = [...]string{Read: "read", Write: "write", Destructive: "destructive"}

// String returns "read", "write" or "destructive".
func (e Effect) String() string { return enumName(effectNames[:], e) }

// MarshalText writes the name; the zero Effect is an error.
func (e Effect) MarshalText() ([]byte, error) { return enumText("effect", effectNames[:], e) }

// UnmarshalText reads a name; an unknown one is an error.
func (e *Effect) UnmarshalText(b []byte) error {
	return enumParse("effect", effectNames[:], string(b), e)
}

// An EffectBy lowers the effect of a call by the value of one of its arguments.
// It is meant for tools whose shape a vendor fixes, such as a memory tool whose
// command "view" only reads.
type EffectBy struct {
	// Arg is the name of the argument, at the root of the input. Empty: the
	// contract's effect holds for every call.
	Arg string `json:"arg,omitempty"`
	// Values gives the effect of a call by the argument's value. A value that is
	// not listed has the contract's effect; a listed one may not exceed it.
	Values map[string]Effect `json:"values,omitempty"`
}

// Concurrency says whether calls of a tool may run beside others of the same turn.
type Concurrency uint8

const (
	// ConcurrencyAuto lets reads run beside others and everything else alone.
	ConcurrencyAuto Concurrency = iota
	// ConcurrencyShared lets every call of the tool run beside others.
	ConcurrencyShared
	// ConcurrencyExclusive makes every call of the tool run alone in its batch.
	ConcurrencyExclusive
)

var concurrencyNames = [...]string{"auto", "shared", "exclusive"}

// String returns "auto", "shared" or "exclusive".
func (c Concurrency) String() string { return enumName(concurrencyNames[:], c) }

// MarshalText writes the name.
func (c Concurrency) MarshalText() ([]byte, error) {
	return enumText("concurrency", concurrencyNames[:], c)
}

// UnmarshalText reads a name; an unknown one is an error.
func (c *Concurrency) UnmarshalText(b []byte) error {
	return enumParse("concurrency", concurrencyNames[:], string(b), c)
}

// ApprovalMode says whether the contract itself demands a person's approval.
type ApprovalMode uint8

const (
	// AskByPolicy leaves the question to autonomy and policy.
	AskByPolicy ApprovalMode = iota
	// AskAlways asks for every call, whatever autonomy and policy say.
	AskAlways
)

var approvalModeNames = [...]string{"by_policy", "always"}

// String returns "by_policy" or "always".
func (m ApprovalMode) String() string { return enumName(approvalModeNames[:], m) }

// MarshalText writes the name.
func (m ApprovalMode) MarshalText() ([]byte, error) {
	return enumText("approval mode", approvalModeNames[:], m)
}

// UnmarshalText reads a name; an unknown one is an error.
func (m *ApprovalMode) UnmarshalText(b []byte) error {
	return enumParse("approval mode", approvalModeNames[:], string(b), m)
}

// enumName, enumText and enumParse serve the small enumerations of this package.
func enumName[T ~uint8](names []string, v T) string {
	if int(v) < len(names) && names[v] != "" {
		return names[v]
	}
	return "invalid(" + strconv.Itoa(int(v)) + ")"
}

func enumText[T ~uint8](what string, names []string, v T) ([]byte, error) {
	if int(v) < len(names) && names[v] != "" {
		return []byte(names[v]), nil
	}
	return nil, fmt.Errorf("helve: %d is no %s", v, what)
}

func enumParse[T ~uint8](what string, names []string, text string, v *T) error {
	for i, name := range names {
		if name == text && name != "" {
			*v = T(i)
			return nil
		}
	}
	known := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "" })
	return fmt.Errorf("helve: %q is no %s: use %s", text, what, quotedList(known, "or"))
}
