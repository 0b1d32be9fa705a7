// Package model says what a language model is to Helve: something that reads
// messages and tool definitions, and answers with text or tool calls. Adapters
// to providers implement [Model]; package model/scripted plays a script.
package model

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/schema"
)

// A Model answers a conversation. It must be safe for concurrent use.
type Model interface {
	// Generate returns the model's next message. An error means that there is
	// none: the provider could not be reached, or refused the request. It
	// returns soon after ctx is done.
	Generate(ctx context.Context, req *Request) (*Response, error)
}

// A Request is what the model reads. It must not be changed or kept.
type Request struct {
	// System tells the model what it is. Empty: nothing.
	System string
	// Messages is the conversation so far, oldest first.
	Messages []Message
	// Tools are what the model may call.
	Tools []Tool
	// MaxTokens bounds the answer. Zero: the provider's default.
	MaxTokens int
}

// A Tool is what a model is told of a tool.
type Tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Input       *schema.Schema `json:"input"`
}

// Tools returns what a model is told of the visible tools of a registry or
// view, sorted by name, so that the same surface is the same bytes each time.
func Tools(tools *helve.Registry) []Tool {
	var out []Tool
	for _, c := range tools.Contracts() {
		out = append(out, Tool{Name: c.Name, Description: c.ModelText(), Input: c.Input})
	}
	return out
}

// A Role says who speaks.
type Role string

// The roles of messages.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	// ToolResults answer the calls of the assistant's message before them.
	ToolResults Role = "tool"
)

// A Message is one turn of a conversation.
type Message struct {
	Role Role `json:"role"`
	// Text is what is said. Empty in tool results.
	Text string `json:"text,omitempty"`
	// Calls are what an assistant's message wants to be run.
	Calls []Call `json:"calls,omitempty"`
	// Results answer each call of the message before, in its order.
	Results []Result `json:"results,omitempty"`
}

// A Call is a tool call as the model wrote it.
type Call struct {
	// ID is the provider's. Empty or repeated ones are replaced by who runs them.
	ID string `json:"id"`
	// Tool is the name as the model wrote it, which may be of no tool.
	Tool string `json:"tool"`
	// Arguments is what the model wrote, which may be no JSON at all.
	Arguments string `json:"arguments"`
}

// A Result is what the model reads of a call.
type Result struct {
	CallID string `json:"call_id"`
	Tool   string `json:"tool"`
	// OK mirrors the envelope exactly; text is never used to guess it.
	OK bool `json:"ok"`
	// Envelope is the JSON form of a [helve.Result].
	Envelope jsontext.Value `json:"envelope"`
}

// A StopReason says why a model ended its message.
type StopReason string

// The reasons to end a message.
const (
	EndTurn   StopReason = "end_turn"   // it has said what it wants to say
	ToolUse   StopReason = "tool_use"   // it waits for tool results
	MaxTokens StopReason = "max_tokens" // it was cut off
	Refusal   StopReason = "refusal"    // it, or its provider, declines
)

// A Response is a model's answer.
type Response struct {
	// Message has the role [Assistant].
	Message Message
	Stop    StopReason
	Usage   Usage
}

// Usage is what an answer took.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

// Add returns the sum of both.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens}
}

// Total returns input and output together.
func (u Usage) Total() int { return u.InputTokens + u.OutputTokens }
