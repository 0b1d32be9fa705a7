package helvecmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/user"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
)

// ErrNoAnswer says that the person gave no answer: the input has ended. The
// approval stays pending.
var ErrNoAnswer = errors.New("no answer was given")

// A Prompt asks a person at a terminal to decide on approvals. Use one for all
// questions on the same input, because it reads ahead. It is not safe for
// concurrent use.
type Prompt struct {
	out   io.Writer
	by    string
	in    *bufio.Reader
	lines chan line
}

// line is one line of input without its end.
type line struct {
	text string
	err  error
}

// NewPrompt returns a prompt that reads answers from in and writes questions to
// out. Decisions are recorded as made by the user of the process.
func NewPrompt(in io.Reader, out io.Writer) *Prompt {
	by := "the person at the terminal"
	if u, err := user.Current(); err == nil && u.Username != "" {
		by = u.Username
	}
	return &Prompt{out: out, by: by, in: bufio.NewReader(in)}
}

// Decide shows exactly what would run, asks, and records the decision: yes, no
// with a reason that the model reads, or other arguments, which are shown once
// more before they are approved. It returns the record as it then stands; where
// somebody else decides first, that is told, and counts. The error is
// [ErrNoAnswer], that of ctx, or one of [helve.Executor.Decide].
func (p *Prompt) Decide(ctx context.Context, x *helve.Executor, approval string) (*helve.Approval, error) {
	asked, err := x.Store().Approval(ctx, helve.ScopeFrom(ctx).Tenant, approval)
	if err != nil {
		return nil, err
	}
	// While the person thinks, another process may decide.
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		if a, err := x.AwaitDecision(ctx, approval); err == nil {
			stop(&elsewhereError{a})
		}
	}()
	a, err := p.decide(ctx, x, asked)
	if other, ok := errors.AsType[*elsewhereError](context.Cause(ctx)); ok && (err != nil || a == nil) {
		a = other.Approval
	} else if !errors.Is(err, helve.ErrDecided) {
		return a, err
	}
	fmt.Fprintf(p.out, "Somebody else was first: it is %s%s.\n", a.State, plain(strings.TrimSuffix(" by "+a.DecidedBy, " by ")))
	return a, nil
}

// elsewhereError ends a question that somebody else has answered.
type elsewhereError struct{ *helve.Approval }

func (*elsewhereError) Error() string { return "it was decided elsewhere" }

// decide asks until there is a decision.
func (p *Prompt) decide(ctx context.Context, x *helve.Executor, asked *helve.Approval) (*helve.Approval, error) {
	show := *asked
	var edited jsontext.Value
	for {
		fmt.Fprintf(p.out, "\n%s\nAsked because: %s\n", helve.RenderCall(&show, helve.Terminal), plain(show.Reason))
		answer, err := p.ask(ctx, "Run it? [y]es, [n]o, [e]dit: ")
		if err != nil {
			return nil, err
		}
		d := helve.Decision{By: p.by, ArgumentsDigest: asked.ArgumentsDigest}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			d.Approve, d.Arguments = true, edited
		case "n", "no":
			if d.Reason, err = p.ask(ctx, "Why not? The model reads the answer; it may be empty: "); err != nil {
				return nil, err
			}
		case "e", "edit":
			if raw, err := p.arguments(ctx); err != nil {
				return nil, err
			} else if raw != nil {
				edited, show.Arguments = raw, raw
			}
			continue
		default:
			fmt.Fprintln(p.out, "Please answer yes, no or edit.")
			continue
		}
		record, err := x.Decide(ctx, asked.ID, d)
		if refused, ok := errors.AsType[*helve.CallError](err); ok {
			fmt.Fprintln(p.out, explain(refused))
			edited, show = nil, *asked
			continue
		}
		return record, err
	}
}

// arguments reads other arguments, which may go over several lines. It returns
// nil when the person gave none that can be used.
func (p *Prompt) arguments(ctx context.Context) (jsontext.Value, error) {
	question := "New arguments as JSON, or @FILE; empty to go back: "
	var text strings.Builder
	for {
		more, err := p.ask(ctx, question)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(more) == "" {
			return nil, nil
		}
		text.WriteString(more + "\n")
		raw, goesOn, problem := typed(text.String())
		if !goesOn {
			if problem != "" {
				fmt.Fprintln(p.out, plain(problem))
			}
			return raw, nil
		}
		question = "... "
	}
}

// typed returns the JSON object that was typed, whether it needs more lines, or
// what is wrong with it.
func typed(text string) (raw jsontext.Value, goesOn bool, problem string) {
	text = strings.TrimSpace(text)
	raw, err := readArguments(nil, text)
	if err != nil {
		return nil, false, err.Error()
	}
	err = raw.Compact()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && strings.HasPrefix(text, "{"): // typed, and not in a file
		return nil, true, ""
	case err != nil || raw.Kind() != jsontext.KindBeginObject:
		return nil, false, "That is no JSON object; nothing was changed."
	}
	return raw, false, ""
}

// ask writes a question and reads the next line.
func (p *Prompt) ask(ctx context.Context, question string) (string, error) {
	if p.lines == nil {
		p.lines = make(chan line)
		go p.read()
	}
	fmt.Fprint(p.out, question)
	select {
	case l, ok := <-p.lines:
		if !ok || l.err != nil {
			fmt.Fprintln(p.out)
			return "", ErrNoAnswer
		}
		return l.text, nil
	case <-ctx.Done():
		fmt.Fprintln(p.out)
		return "", ctx.Err()
	}
}

// read hands out the lines of the input. A read from a terminal cannot be
// ended, so it has a goroutine of its own, which ends with the input.
func (p *Prompt) read() {
	defer close(p.lines)
	for {
		text, err := p.in.ReadString('\n')
		if text = strings.TrimRight(text, "\r\n"); text != "" || err == nil {
			p.lines <- line{text: text}
		}
		if err != nil {
			p.lines <- line{err: err}
			return
		}
	}
}

// explain says why edited arguments cannot run.
func explain(e *helve.CallError) string {
	if e.Err == nil {
		return plain(e.Error())
	}
	return helve.Render(&helve.Result{Tool: e.Tool, CallID: e.CallID, Error: e.Err}, helve.Terminal)
}

// plain shows text of others without letting it drive the terminal.
func plain(text string) string {
	return helve.Render(&helve.Result{Data: quote(text)}, helve.Terminal)
}

// quote returns text as a JSON string.
func quote(text string) jsontext.Value {
	raw, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return jsontext.Value(`""`)
	}
	return raw
}
