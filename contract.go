package helve

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// Defaults that hold where a [Contract] or a [Config] leaves a field at zero.
const (
	DefaultVersion   = "1.0.0"
	DefaultTimeout   = 30 * time.Second
	DefaultAttempts  = 3        // for reads and repeatable tools; one for the rest
	DefaultMaxOutput = 64 << 10 // bytes of the envelope as the model reads it
	DefaultDedupe    = 24 * time.Hour
)

// MinDescription is the least number of characters that a model must be told
// about a tool.
const MinDescription = 30

// A Contract is everything about a tool but its code: plain data that can be
// compared, hashed, linted, locked, diffed and sent to a model. A tool holds a
// copy; changing a Contract after the tool was made changes nothing.
type Contract struct {
	// Name is what the model calls: ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$, which every
	// provider takes.
	Name string `json:"name"`
	// Title is a name for people. Empty: Name is shown.
	Title string `json:"title,omitempty"`
	// Version of the contract. Empty: [DefaultVersion].
	Version string `json:"version,omitempty"`
	// Description is what the model reads, trimmed. Empty: Doc is used.
	Description string `json:"description"`
	// Doc is a doc comment. The model gets what stands above a line of only
	// "---"; the rest is for people.
	Doc string `json:"-"`

	// Input and Output are the schemas. Nil: inferred by [Func]; given: used
	// instead. [schema.None] as Output turns the output check off.
	Input  *schema.Schema `json:"input,omitempty"`
	Output *schema.Schema `json:"output,omitempty"`

	// Effect has no default.
	Effect Effect `json:"effect"`
	// EffectBy lowers the effect by an argument's value. Zero: never.
	EffectBy EffectBy `json:"effect_by,omitzero"`
	// Idempotent says that running the tool again with the same input is
	// harmless. It is independent of Effect.
	Idempotent bool `json:"idempotent,omitzero"`
	// OpenWorld says that the tool reaches outside the system: a network, people.
	OpenWorld bool `json:"open_world,omitzero"`
	// Concurrency says whether calls run beside others of one turn.
	Concurrency Concurrency `json:"concurrency,omitzero"`
	// Approval demands a person's approval for every call when it is AskAlways.
	Approval ApprovalMode `json:"approval,omitzero"`
	// Key says under which key the ledger remembers a call with effects.
	Key KeyRule `json:"key,omitempty"`

	// DedupeOn names arguments that make two calls the same action, whatever their
	// keys and runs: within DedupeFor the second one gets the result of the first,
	// or a conflict where it differs in other arguments. Empty: none.
	DedupeOn []string `json:"dedupe_on,omitempty"`
	// DedupeFor is how long. Zero: [DefaultDedupe].
	DedupeFor time.Duration `json:"dedupe_for,omitzero"`

	// Timeout bounds one call with its retries and waiting. Zero: Config.Timeout.
	Timeout time.Duration `json:"timeout,omitzero"`
	// Stall ends a call that reports no progress for so long. Zero: never.
	Stall time.Duration `json:"stall,omitzero"`
	// Attempts bounds how often a handler is entered for one call. Zero:
	// [DefaultAttempts] for reads and repeatable tools, one for the rest.
	Attempts int `json:"attempts,omitzero"`
	// MaxOutput bounds the envelope that the model reads, in bytes. Zero:
	// Config.MaxOutput.
	MaxOutput int `json:"max_output,omitzero"`
	// Rate bounds how often the tool runs in this process. Zero: unlimited.
	Rate Rate `json:"rate,omitzero"`
	// Limit bounds how many calls run at once in this process. Zero: unlimited.
	Limit int `json:"limit,omitzero"`
	// Cost is what one call takes from a run's cost budget, in the budget's unit.
	Cost int64 `json:"cost,omitzero"`
	// CacheFor keeps results of an idempotent read for so long. Zero: not at all.
	CacheFor time.Duration `json:"cache_for,omitzero"`
	// Poll says that equal calls are meant, up to so many in a run. Zero: the
	// loop guard's own limits hold.
	Poll int `json:"poll,omitzero"`
	// Paging names the arguments with which the rest of a cut result is asked for.
	Paging Paging `json:"paging,omitzero"`
	// Verify names the tool that finds out whether a call with an unknown
	// outcome happened. Empty: the model is told to ask the user.
	Verify string `json:"verify,omitempty"`

	// Credentials are the names of the secrets that the handler may ask for.
	Credentials []string `json:"credentials,omitempty"`
	// Uses are the names of the tools that the handler may call.
	Uses []string `json:"uses,omitempty"`
	// Resumable says that the handler may suspend and be entered again.
	Resumable bool `json:"resumable,omitzero"`
	// Tags are for lookup.
	Tags map[string]string `json:"tags,omitempty"`

	// Aliases are former names of the tool that still work.
	Aliases []string `json:"aliases,omitempty"`
	// ParamAliases maps former names of root parameters to the present ones.
	ParamAliases map[string]string `json:"param_aliases,omitempty"`
	// Deprecated says what to use instead. Empty: the tool is current.
	Deprecated string `json:"deprecated,omitempty"`
	// DeprecatedParams maps root parameters to what to use instead.
	DeprecatedParams map[string]string `json:"deprecated_params,omitempty"`
	// Errors are the tool's own error codes, told to the model beforehand.
	Errors []ErrorSpec `json:"errors,omitempty"`
	// Examples are arguments of sensible calls; each must be valid.
	Examples []jsontext.Value `json:"examples,omitempty"`
	// Hidden tools can be called from Go and from tools that use them, and are
	// never shown to or callable by a model.
	Hidden bool `json:"hidden,omitzero"`
}

// A Rate is so many calls in so much time, with bursts of up to Calls.
type Rate struct {
	Calls int           `json:"calls"`
	Per   time.Duration `json:"per"`
}

// Paging names the arguments that ask for a part of a result.
type Paging struct {
	// Offset is the argument that says how many items or lines to leave out.
	// Empty: the tool has no paging.
	Offset string `json:"offset,omitempty"`
}

// An ErrorSpec declares one of a tool's own error codes.
type ErrorSpec struct {
	Code      Code   `json:"code"`
	When      string `json:"when"`
	Retryable bool   `json:"retryable,omitzero"`
}

// repeatable reports whether running a call again is harmless.
func (c *Contract) repeatable(e Effect) bool { return e == Read || c.Idempotent }

// effectOf returns the effect of a call whose EffectBy argument has this value.
func (c *Contract) effectOf(value string) Effect {
	if e, ok := c.EffectBy.Values[value]; ok {
		return e
	}
	return c.Effect
}

// attempts returns how often the handler may be entered for one call.
func (c *Contract) attempts(e Effect) int {
	switch {
	case e == Destructive && !c.Idempotent:
		return 1
	case c.Attempts > 0:
		return c.Attempts
	case c.repeatable(e):
		return DefaultAttempts
	}
	return 1
}

// ModelText returns what a model is told about the tool: the description, then
// what it is replaced by, then its own error codes.
func (c *Contract) ModelText() string {
	var b strings.Builder
	b.WriteString(c.Description)
	if c.Deprecated != "" {
		b.WriteString("\n\nDeprecated: " + c.Deprecated)
	}
	for i, e := range c.Errors {
		if i == 0 {
			b.WriteString("\n\nErrors:")
		}
		b.WriteString("\n- " + string(e.Code) + ": " + e.When)
		if e.Retryable {
			b.WriteString(" (may be retried)")
		}
	}
	return b.String()
}

// contractOptions fix how a contract looks as JSON.
var contractOptions = json.JoinOptions(schema.JSONOptions(), json.Deterministic(true))

// MarshalJSON writes the contract with its fields in a fixed order.
func (c Contract) MarshalJSON() ([]byte, error) {
	type plain Contract
	return json.Marshal(plain(c), contractOptions)
}

// UnmarshalJSON reads what MarshalJSON wrote and refuses unknown fields.
func (c *Contract) UnmarshalJSON(b []byte) error {
	type plain Contract
	return json.Unmarshal(b, (*plain)(c), contractOptions, json.RejectUnknownMembers(true))
}

// clone returns a copy that shares nothing that can be changed.
func (c *Contract) clone() Contract {
	d := *c
	d.EffectBy.Values = maps.Clone(c.EffectBy.Values)
	d.DedupeOn = slices.Clone(c.DedupeOn)
	d.Credentials = slices.Clone(c.Credentials)
	d.Uses = slices.Clone(c.Uses)
	d.Tags = maps.Clone(c.Tags)
	d.Aliases = slices.Clone(c.Aliases)
	d.ParamAliases = maps.Clone(c.ParamAliases)
	d.DeprecatedParams = maps.Clone(c.DeprecatedParams)
	d.Errors = slices.Clone(c.Errors)
	d.Examples = slices.Clone(c.Examples)
	for i, e := range d.Examples {
		d.Examples[i] = e.Clone()
	}
	return d
}
