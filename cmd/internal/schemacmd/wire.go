package schemacmd

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/schema"
)

// A provider is a form in which tools are sent.
type provider struct {
	name string
	// plain and strict are its dialects; a zero strict means that it has no strict form.
	plain, strict schema.Dialect
	// names are those that it takes, and takes says so. Nil: any.
	names *regexp.Regexp
	takes string
	// wire returns the value of the field tools of a request.
	wire func(tools []schema.LoweredTool) any
}

// providers are the values of --to.
var providers = []provider{
	{"anthropic", schema.AnthropicPlain, schema.AnthropicStrict, short, "up to 64 of A-Z a-z 0-9 _ -", each(anthropicTool)},
	{"openai", schema.OpenAIPlain, schema.OpenAIStrict, long, "up to 128 of A-Z a-z 0-9 _ -", each(responsesTool)},
	{"openai-chat", schema.OpenAIPlain, schema.OpenAIStrict, short, "up to 64 of A-Z a-z 0-9 _ -", each(chatTool)},
	{"gemini", schema.Gemini, 0, dotted, "a letter or _ and up to 127 of A-Z a-z 0-9 _ . : -", geminiTools},
	{"mcp", schema.MCP, 0, nil, "", each(mcpTool)},
}

// The names of tools that providers take.
var (
	short  = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	long   = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	dotted = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`)
)

// warning says what the provider has against a name, or "".
func (p *provider) warning(name string) string {
	if p.names == nil || p.names.MatchString(name) {
		return ""
	}
	return fmt.Sprintf("%s refuses a request with this name: it takes %s", p.name, p.takes)
}

// providerOf returns the provider of a name.
func providerOf(name string) (provider, error) {
	var names []string
	for _, p := range providers {
		if p.name == name {
			return p, nil
		}
		names = append(names, p.name)
	}
	last := len(names) - 1
	text := fmt.Sprintf("--to must be %s or %s, not %q", strings.Join(names[:last], ", "), names[last], name)
	if near := schema.Nearest(name, names); len(near) > 0 && !slices.Contains(names, name) {
		text += "; did you mean " + near[0] + "?"
	}
	return provider{}, helvecmd.Usagef("%s", text)
}

// dialect returns the dialect to lower to. A provider without a strict form
// gets the plain one.
func (p *provider) dialect(strict bool) schema.Dialect {
	if strict && p.strict != 0 {
		return p.strict
	}
	return p.plain
}

// each makes an array of tools from the form of one.
func each[T any](form func(schema.LoweredTool) T) func([]schema.LoweredTool) any {
	return func(tools []schema.LoweredTool) any {
		out := []T{}
		for _, t := range tools {
			out = append(out, form(t))
		}
		return out
	}
}

// anthropic is a tool of the Messages API.
type anthropic struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	InputSchema *schema.Schema `json:"input_schema"`
	Strict      bool           `json:"strict,omitzero"`
}

func anthropicTool(t schema.LoweredTool) anthropic {
	return anthropic{t.Name, t.Description, t.Schema, t.Strict}
}

// function is a function of OpenAI. Strict is always said: the Responses API
// takes its absence for an attempt at it.
type function struct {
	Type        string         `json:"type,omitzero"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  *schema.Schema `json:"parameters"`
	Strict      bool           `json:"strict"`
}

func responsesTool(t schema.LoweredTool) function {
	return function{"function", t.Name, t.Description, t.Schema, t.Strict}
}

// chat is a tool of the Chat Completions API.
type chat struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

func chatTool(t schema.LoweredTool) chat {
	return chat{"function", function{"", t.Name, t.Description, t.Schema, t.Strict}}
}

// declaration is a function declaration of Gemini.
type declaration struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  *schema.Schema `json:"parametersJsonSchema"`
}

// declarations is the one tool that holds all functions.
type declarations struct {
	FunctionDeclarations []declaration `json:"functionDeclarations"`
}

func geminiTools(tools []schema.LoweredTool) any {
	all := declarations{FunctionDeclarations: []declaration{}}
	for _, t := range tools {
		all.FunctionDeclarations = append(all.FunctionDeclarations, declaration{t.Name, t.Description, t.Schema})
	}
	return []declarations{all}
}

// mcp is a tool of the Model Context Protocol.
type mcp struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	InputSchema *schema.Schema `json:"inputSchema"`
}

func mcpTool(t schema.LoweredTool) mcp { return mcp{t.Name, t.Description, t.Schema} }
