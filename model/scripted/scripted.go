// Package scripted has a model that plays a script, for tests and examples.
package scripted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"helve.dev/helve/model"
)

// A Turn is one answer of the script.
type Turn struct {
	// Text is what the model says.
	Text string
	// Calls are what it calls. Missing ids are filled in.
	Calls []model.Call
	// Stop is why it ends. Empty: [model.ToolUse] with calls, else [model.EndTurn].
	Stop model.StopReason
	// Usage is what the turn takes.
	Usage model.Usage
	// Err is returned in place of an answer.
	Err error
	// Check looks at the request first; its error ends the script. Nil: none.
	Check func(*model.Request) error
}

// Call returns a turn with one call.
func Call(tool, arguments string) Turn {
	return Turn{Calls: []model.Call{{Tool: tool, Arguments: arguments}}}
}

// Say returns a turn of text.
func Say(text string) Turn { return Turn{Text: text} }

// A Model plays turns in their order. It is safe for concurrent use.
type Model struct {
	mu       sync.Mutex
	turns    []Turn
	played   int
	requests []model.Request
}

// New returns a Model that plays turns.
func New(turns ...Turn) *Model { return &Model{turns: turns} }

// ErrScriptOver is returned when the script has no turn left.
var ErrScriptOver = errors.New("scripted: the script is over")

// Generate plays the next turn.
func (m *Model) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := *req
	r.Messages = slices.Clone(req.Messages)
	m.requests = append(m.requests, r)
	if m.played == len(m.turns) {
		return nil, ErrScriptOver
	}
	turn := m.turns[m.played]
	m.played++
	if turn.Check != nil {
		if err := turn.Check(req); err != nil {
			return nil, fmt.Errorf("scripted: turn %d: %w", m.played, err)
		}
	}
	if turn.Err != nil {
		return nil, turn.Err
	}
	calls := slices.Clone(turn.Calls)
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = fmt.Sprintf("call_%d_%d", m.played, i+1)
		}
	}
	stop := turn.Stop
	if stop == "" {
		stop = model.EndTurn
		if len(calls) > 0 {
			stop = model.ToolUse
		}
	}
	return &model.Response{
		Message: model.Message{Role: model.Assistant, Text: turn.Text, Calls: calls},
		Stop:    stop, Usage: turn.Usage,
	}, nil
}

// Requests returns what the model was asked so far.
func (m *Model) Requests() []model.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}
