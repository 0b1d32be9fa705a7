package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Dialect is a form of JSON Schema that a receiver of tool definitions takes. The zero Dialect is none: [Lower] refuses it.
type Dialect int

const (
	// AnthropicStrict is what Anthropic's Messages API compiles to a grammar when a tool says strict (structured outputs, "JSON
	// Schema limitations"). Every object is closed; optional properties stay optional; no bounds, no recursion.
	AnthropicStrict Dialect = iota + 1
	// AnthropicPlain is the input_schema of a tool that is not strict: draft 2020-12 with an object at the root, without
	// combinators there.
	AnthropicPlain
	// OpenAIStrict is the subset that OpenAI enforces when a function says strict, for Responses and Chat Completions alike
	// (structured outputs, "Supported schemas"). Every object is closed and requires all its properties; what is optional
	// becomes nullable. It holds no default, which Azure refuses.
	OpenAIStrict
	// OpenAIPlain is the parameters of a function with strict false, for both APIs. Say the false: Responses takes a missing
	// strict for an attempt at it.
	OpenAIPlain
	// Gemini is the parametersJsonSchema of a function declaration, limited to the keywords that the SDK lists as honoured
	// for responseJsonSchema. What is not listed would be ignored without a word, so it is told in descriptions. There is no
	// strict form.
	Gemini
	// MCP is the inputSchema of a tool of the Model Context Protocol: any keyword, an object at the root. Combinators at the
	// root are folded here too, because clients hand the schema on to providers that refuse all tools for one such root.
	MCP
)

var dialectNames = [...]string{AnthropicStrict: "anthropic-strict", AnthropicPlain: "anthropic", OpenAIStrict: "openai-strict", OpenAIPlain: "openai", Gemini: "gemini", MCP: "mcp"}

// String returns the dialect's name, such as openai-strict.
func (d Dialect) String() string {
	if d.known() {
		return dialectNames[d]
	}
	return fmt.Sprintf("Dialect(%d)", int(d))
}

// Strict reports whether the dialect is one whose schemas the provider enforces.
func (d Dialect) Strict() bool { return d == AnthropicStrict || d == OpenAIStrict }

func (d Dialect) known() bool { return d >= AnthropicStrict && d <= MCP }

// plain returns the form that a tool takes which cannot be strict.
func (d Dialect) plain() Dialect {
	switch d {
	case AnthropicStrict:
		return AnthropicPlain
	case OpenAIStrict:
		return OpenAIPlain
	}
	return d
}

// LowerConfig configures [Lower] and [LowerAll]. A nil *LowerConfig is the zero LowerConfig.
type LowerConfig struct {
	// MapsAsPairs sends an object with names of any kind (additionalProperties with a schema, patternProperties) to a strict
	// provider as an array of {"key","value"} objects, which [Lowered.Restore] turns back. Default: such an object makes the
	// tool non-strict.
	MapsAsPairs bool
	// AnyAsText sends what a strict provider cannot describe at all (a value of any kind, a free-form object) as a string that
	// holds JSON, which [Lowered.Restore] parses. Default: such a value makes the tool non-strict.
	AnyAsText bool
	// CloseOpen lets a strict schema close an object that lists properties and explicitly takes further ones, which then cannot
	// be sent. Default: such an object makes the tool non-strict.
	CloseOpen bool
	// ExpandDepth is how often a schema that refers to itself is written out within itself where a reference is not taken.
	// Beyond it a strict schema leaves the property out, and Gemini takes any value. Default (0): AnthropicStrict degrades
	// to non-strict, and Gemini, which follows references in optional properties only, writes out 3.
	ExpandDepth int
	// Limits replaces the provider's published limits. Default (nil): [Dialect.Limits].
	Limits *Limits
	// Loader returns remote documents, as [Config.Loader] does. Default (nil): references to them are errors.
	Loader func(uri string) ([]byte, error)
}

// A Loss is one step in which the wire schema says less, or another thing, than the canonical one. The canonical schema still
// enforces it when the arguments arrive.
type Loss struct {
	// Path is a JSON Pointer into the canonical schema, to the subschema that holds the keyword ("" is the root).
	Path string `json:"path"`
	// Keyword is the keyword that is not said as it stands; "" when the subschema as a whole is meant.
	Keyword string `json:"keyword,omitempty"`
	// What says in a sentence what became of it.
	What string `json:"what"`
}

// Lowered is a schema in a provider's dialect. It is safe for concurrent use.
type Lowered struct {
	// Schema is the wire schema. Its root is an object with properties.
	Schema *Schema
	// Strict says whether the tool can be marked strict. False for a strict dialect means that the schema is in the provider's
	// plain form, for the reasons that the report names first.
	Strict bool
	// Note is the text of the rules that were moved from the root's keywords to its description. Send it as part of the tool's
	// description too: not every provider shows the description of a schema's root to the model. Mostly empty.
	Note string
	// Report lists every lossy step, those that cost the strictness first, then in the order of the walk.
	Report []Loss

	restore *restorer
}

var errUncallable = errors.New("the schema accepts no object, so that a tool with it could never be called")

// Lower writes s in the dialect d.
//
// It never changes s, is a pure function of its arguments down to the byte, and keeps the order of properties. The wire schema of
// a strict dialect accepts no value that s refuses, but for the rules in the report, once [Lowered.Restore] and
// [Validator.Normalize] have undone what the provider needed. Names below properties, patternProperties and $defs are never
// taken for keywords.
//
// In the rebuilt dialects (AnthropicStrict, OpenAIStrict, Gemini):
//
//   - allOf and the siblings of a $ref are merged, oneOf is sent as anyOf, const as an enum of one value;
//   - an object that lists properties and does not say what others may be is closed, as [Config.Closed] reads it;
//   - a schema without type that speaks about properties is taken to be an object, and so on for items, lengths and bounds;
//   - the positions of a tuple become alternatives of its items (Gemini takes tuples);
//   - a default, and any keyword that the dialect lacks, moves to the description in words.
//
// The plain dialects keep all keywords; there drafts before 2020-12 are rewritten to its spelling (a document for MCP that names
// its dialect stays in it), and references to the root's definitions, where they are not so already.
//
// Errors: an unknown dialect; a schema that does not compile; one whose root accepts no object; for Gemini, one that is too large
// when written out. A schema that a strict dialect cannot say is no error: the result is the plain form with Strict false.
func Lower(s *Schema, d Dialect, limits *LowerConfig) (*Lowered, error) {
	if !d.known() {
		return nil, fmt.Errorf("lower schema: %v is not a dialect", d)
	}
	var cfg LowerConfig
	if limits != nil {
		cfg = *limits
	}
	src, err := newSource(s, &cfg)
	if err != nil {
		return nil, fmt.Errorf("lower schema: %w", err)
	}
	root, err := src.foldRoot()
	if err != nil {
		return nil, fmt.Errorf("lower schema for %v: %w", d, err)
	}
	if d == Gemini || d.Strict() {
		out, reasons, err := rebuild(src, root, d, &cfg)
		switch {
		case err != nil:
			return nil, fmt.Errorf("lower schema for %v: %w", d, err)
		case len(reasons) == 0:
			return out, nil
		case d == Gemini:
			return nil, fmt.Errorf("lower schema for %v: %s", d, strings.TrimPrefix(reasons[0].What, "the tool is not strict: "))
		}
		return src.plain(root, d.plain(), reasons), nil
	}
	return src.plain(root, d, nil), nil
}

// nonStrict is the same tool in the plain form, because of why.
func nonStrict(s *Schema, d Dialect, limits *LowerConfig, why Loss) (*Lowered, error) {
	out, err := Lower(s, d.plain(), limits)
	if err != nil {
		return nil, err
	}
	out.Report = append([]Loss{why}, out.Report...)
	return out, nil
}

// Restore turns arguments that answer the wire schema into arguments for the canonical one: pairs become maps, JSON text becomes
// values, and a null that only the wire schema allowed is left out. What does not have the form of the wire schema stays as it is,
// so that the check of the arguments can tell what is wrong with it. When nothing changes, which is so for every plain dialect,
// the result is args itself. It is an error when args is not JSON; nil and white space, which stand for no arguments, are returned.
func (l *Lowered) Restore(args jsontext.Value) (jsontext.Value, error) {
	if l == nil || l.restore == nil || len(trimLeading(args)) == 0 {
		return args, nil
	}
	return l.restore.run(args)
}
