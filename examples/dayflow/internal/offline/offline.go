// Package offline has a stand-in for a language model: fixed rules about
// English mail, written as a [model.Model], for trying the daily brief without
// a key and without a network.
//
// It is no language model and says so in the first line of what it writes. It
// knows nothing but what the tools return, and what a mail says is shown and
// never followed.
package offline

import (
	"context"
	"fmt"
	"time"

	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/model"
)

// A Config says for which day the brief is.
type Config struct {
	// Today is the day of the brief. Zero: the present day in Zone.
	Today day.Date
	// Zone is the person's time zone. Nil: that of the computer.
	Zone *time.Location
}

// New returns the model. It holds no state of a conversation, so that one can
// be suspended, stored and continued by another, and is safe for concurrent use.
//
// It takes three turns at most: it reads mail, calendar and tasks side by side,
// creates at most two tasks, and writes the brief. The usage that it reports is
// an estimate of four bytes a token.
func New(cfg Config) model.Model {
	if cfg.Zone == nil {
		cfg.Zone = time.Local
	}
	if cfg.Today.IsZero() {
		cfg.Today = day.Of(time.Now().In(cfg.Zone))
	}
	return &rules{today: cfg.Today, zone: cfg.Zone}
}

// rules is the model.
type rules struct {
	today day.Date
	zone  *time.Location
}

// Generate returns the next message of the conversation. The only error is that
// of ctx.
func (r *rules) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("offline: %w", err)
	}
	h := readHistory(req.Messages)
	if !h.began {
		if calls := h.number(reads(req.Tools)); len(calls) > 0 {
			return answer(req, model.Message{Role: model.Assistant, Calls: calls}), nil
		}
	}
	mail := r.study(h)
	if !h.proposed {
		if calls := h.number(r.proposals(h, req.Tools, mail)); len(calls) > 0 {
			return answer(req, model.Message{Role: model.Assistant, Calls: calls}), nil
		}
	}
	return answer(req, model.Message{Role: model.Assistant, Text: r.brief(h, mail)}), nil
}

// answer returns the response with a message, and an estimate of what it took.
func answer(req *model.Request, m model.Message) *model.Response {
	stop := model.EndTurn
	if len(m.Calls) > 0 {
		stop = model.ToolUse
	}
	in := len(req.System)
	for _, t := range req.Tools {
		in += len(t.Name) + len(t.Description)
	}
	for _, before := range req.Messages {
		in += size(before)
	}
	return &model.Response{
		Message: m, Stop: stop,
		Usage: model.Usage{InputTokens: tokens(in), OutputTokens: tokens(size(m))},
	}
}

// size returns the bytes of a message that a model would read or write.
func size(m model.Message) int {
	n := len(m.Text)
	for _, c := range m.Calls {
		n += len(c.Tool) + len(c.Arguments)
	}
	for _, res := range m.Results {
		n += len(res.Tool) + len(res.Envelope)
	}
	return n
}

// tokens estimates how many tokens n bytes are.
func tokens(n int) int { return (n + 3) / 4 }
