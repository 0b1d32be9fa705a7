// Package agent runs the loop of a model and its tools: ask the model, run what
// it calls through a [helve.Executor], give it the results, until it is done,
// waits for a person, or meets a limit.
package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/model"
)

// Limits that hold where a [Config] leaves a field at zero.
const (
	DefaultMaxSteps  = 20
	DefaultMaxCalls  = 100
	DefaultMaxTokens = 1_000_000
)

// A Config configures an [Agent].
type Config struct {
	// System tells the model what it is.
	System string
	// MaxSteps bounds how often the model is asked. Zero: [DefaultMaxSteps].
	MaxSteps int
	// MaxCalls bounds the tool calls of a run. Zero: [DefaultMaxCalls].
	MaxCalls int
	// MaxTokens bounds the tokens of a run, in and out. A step that passes it is
	// the last one. Zero: [DefaultMaxTokens].
	MaxTokens int
	// Runs keeps each run as it goes, so that another process can continue it; see
	// [Load]. Nil: a run is in the memory of its caller alone.
	Runs helve.Runs
	// Events is told what happens, in order, one event at a time. Nil: nobody.
	Events func(Event)
}

// An Agent is a model with tools. It holds no state of its runs and is safe for
// concurrent use.
type Agent struct {
	model model.Model
	exec  *helve.Executor
	cfg   Config
}

// New returns an agent. A nil cfg means the zero [Config].
func New(m model.Model, exec *helve.Executor, cfg *Config) (*Agent, error) {
	if m == nil || exec == nil {
		return nil, errors.New("agent: a model and an executor are needed")
	}
	a := &Agent{model: m, exec: exec}
	if cfg != nil {
		a.cfg = *cfg
	}
	for _, d := range []struct {
		v    *int
		zero int
	}{{&a.cfg.MaxSteps, DefaultMaxSteps}, {&a.cfg.MaxCalls, DefaultMaxCalls}, {&a.cfg.MaxTokens, DefaultMaxTokens}} {
		if *d.v <= 0 {
			*d.v = d.zero
		}
	}
	return a, nil
}

// A Status is where a run stands.
type Status string

// The states of a run.
const (
	Running   Status = "running"
	Done      Status = "done"      // the model has said what it wanted to say
	Suspended Status = "suspended" // calls wait for a person; see [Run.Pending]
	Stopped   Status = "stopped"   // a limit, a loop or a refusal; see [Run.Reason]
	Failed    Status = "failed"    // the model gave no answer
	Canceled  Status = "canceled"  // the context ended
)

// A Run is one conversation and all there is to know of it. It is plain data:
// it can be stored and continued later.
type Run struct {
	ID string `json:"id"`
	// Status says where the run stands, and Reason why, for people.
	Status Status `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Text is what the model said last.
	Text     string          `json:"text"`
	Messages []model.Message `json:"messages"`
	// Open are the results so far of the calls of the last message, in its
	// order, while some of them are pending.
	Open  []*helve.Result `json:"open,omitempty"`
	Steps int             `json:"steps"`
	Calls int             `json:"calls"`
	Usage model.Usage     `json:"usage"`
	// Duration is the time spent running, without the waiting in between.
	Duration time.Duration `json:"duration"`

	version int64 // of the stored run
}

// Pending returns what waits for a person, in the order of the calls.
func (r *Run) Pending() []*helve.Pending {
	var out []*helve.Pending
	for _, res := range r.Open {
		if res.Pending != nil {
			out = append(out, res.Pending)
		}
	}
	return out
}

// An EventKind says what an [Event] is about.
type EventKind string

// The kinds of events.
const (
	StepStarted EventKind = "step_started" // the model is asked
	StepEnded   EventKind = "step_ended"   // it has answered: Response
	CallsEnded  EventKind = "calls_ended"  // its calls have results: Calls, Results
	RunEnded    EventKind = "run_ended"    // the run is done, suspended or stopped: Run
)

// An Event tells of a run as it goes.
type Event struct {
	Kind EventKind
	Step int
	// Response is set for StepEnded.
	Response *model.Response
	// Calls and Results, in the same order, are set for CallsEnded.
	Calls   []model.Call
	Results []*helve.Result
	// Run is the run so far. It must not be changed.
	Run *Run
}

func (a *Agent) tell(e Event) {
	if a.cfg.Events != nil {
		a.cfg.Events(e)
	}
}

// Run starts a conversation with a user's message and runs it as far as it
// goes. The scope comes from ctx; where it names no run, one is begun. The run
// is returned also with an error, which is that of the model, or of ctx.
func (a *Agent) Run(ctx context.Context, input string) (*Run, error) {
	r := &Run{ID: helve.ScopeFrom(ctx).Run, Status: Running}
	if r.ID == "" {
		r.ID = "run_" + rand.Text()[:20]
	}
	r.Messages = []model.Message{{Role: model.User, Text: input}}
	return r, a.Continue(ctx, r)
}

// Continue goes on with a suspended run: the calls that waited are sent again,
// unchanged, and answer from their decisions, whatever the autonomy of ctx; those
// that have a result are not run again. A run that still waits stays suspended.
func (a *Agent) Continue(ctx context.Context, r *Run) error {
	if r.Status != Running && r.Status != Suspended {
		return fmt.Errorf("agent: run %s is %s and cannot be continued", r.ID, r.Status)
	}
	scope := helve.ScopeFrom(ctx)
	scope.Run = r.ID
	ctx = helve.WithScope(ctx, scope)
	began := time.Now()
	r.Status, r.Reason = Running, ""
	err := a.loop(ctx, r)
	r.Duration += time.Since(began)
	// Whatever ended the run is kept; another process that has taken it over since
	// keeps what is its own.
	err = errors.Join(err, a.save(context.WithoutCancel(ctx), r))
	a.tell(Event{Kind: RunEnded, Step: r.Steps, Run: r})
	return err
}

func (a *Agent) loop(ctx context.Context, r *Run) error {
	for {
		if len(r.Open) > 0 || openCalls(r) != nil {
			if !a.runCalls(ctx, r) {
				return nil
			}
		}
		if err := ctx.Err(); err != nil {
			r.Status, r.Reason = Canceled, "the run was canceled"
			return err
		}
		if reason := a.limit(r); reason != "" {
			r.Status, r.Reason = Stopped, reason
			return nil
		}
		if err := a.step(ctx, r); err != nil {
			return err
		}
		if r.Status != Running {
			return nil
		}
		// Before its calls run: whoever continues the run sends the same calls, and
		// those that happened are answered by the ledger.
		if err := a.save(ctx, r); err != nil {
			r.Status, r.Reason = Failed, "the run could not be kept"
			return err
		}
	}
}

func (a *Agent) limit(r *Run) string {
	switch {
	case r.Steps >= a.cfg.MaxSteps:
		return fmt.Sprintf("the limit of %d steps is reached", a.cfg.MaxSteps)
	case r.Calls >= a.cfg.MaxCalls:
		return fmt.Sprintf("the limit of %d tool calls is reached", a.cfg.MaxCalls)
	case r.Usage.Total() >= a.cfg.MaxTokens:
		return fmt.Sprintf("the limit of %d tokens is reached", a.cfg.MaxTokens)
	}
	return ""
}

// step asks the model once.
func (a *Agent) step(ctx context.Context, r *Run) error {
	r.Steps++
	a.tell(Event{Kind: StepStarted, Step: r.Steps, Run: r})
	resp, err := a.model.Generate(ctx, &model.Request{
		System: a.cfg.System, Messages: slices.Clone(r.Messages), Tools: model.Tools(a.exec.Tools()),
	})
	if err == nil && resp == nil {
		err = errors.New("the model returned no answer")
	}
	if err != nil {
		r.Status, r.Reason = Failed, "the model gave no answer"
		if ctx.Err() != nil {
			r.Status, r.Reason = Canceled, "the run was canceled"
		}
		return fmt.Errorf("agent: step %d: %w", r.Steps, err)
	}
	msg := resp.Message
	msg.Role = model.Assistant
	msg.Calls = uniqueIDs(r.Messages, msg.Calls)
	r.Usage = r.Usage.Add(resp.Usage)
	r.Text = msg.Text
	r.Messages = append(r.Messages, msg)
	a.tell(Event{Kind: StepEnded, Step: r.Steps, Response: resp, Run: r})
	if len(msg.Calls) > 0 {
		return nil
	}
	switch resp.Stop {
	case model.MaxTokens:
		r.Status, r.Reason = Stopped, "the model's answer was cut off"
	case model.Refusal:
		r.Status, r.Reason = Stopped, "the model declined to answer"
	default:
		r.Status = Done
	}
	return nil
}

// uniqueIDs gives every call an id that no call of the run has.
func uniqueIDs(before []model.Message, calls []model.Call) []model.Call {
	seen := map[string]bool{"": true}
	for _, m := range before {
		for _, c := range m.Calls {
			seen[c.ID] = true
		}
	}
	calls = slices.Clone(calls)
	for i := range calls {
		for seen[calls[i].ID] {
			calls[i].ID = "call_" + rand.Text()[:20]
		}
		seen[calls[i].ID] = true
	}
	return calls
}

// openCalls returns the calls of the last message, while they have no results.
func openCalls(r *Run) []model.Call {
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == model.Assistant {
		return r.Messages[n-1].Calls
	}
	return nil
}

// runCalls runs the open calls that have no result yet, and reports whether the
// run goes on. Every call ends up with exactly one result, in order.
func (a *Agent) runCalls(ctx context.Context, r *Run) bool {
	calls := openCalls(r)
	first := r.Open == nil
	if first {
		r.Open = make([]*helve.Result, len(calls))
	}
	var todo []*helve.Call
	var at []int
	for i, c := range calls {
		if res := r.Open[i]; res != nil && res.Pending == nil {
			continue
		}
		if first && r.Calls >= a.cfg.MaxCalls {
			r.Open[i] = overLimit(c, a.cfg.MaxCalls)
			continue
		}
		if first {
			r.Calls++
		}
		call := &helve.Call{ID: c.ID, Tool: c.Tool, Arguments: jsontext.Value(c.Arguments)}
		if r.Open[i] != nil {
			call.Approval = r.Open[i].Pending.Approval
		}
		todo = append(todo, call)
		at = append(at, i)
	}
	for i, res := range a.exec.ExecuteAll(ctx, todo) {
		r.Open[at[i]] = res
	}
	a.tell(Event{Kind: CallsEnded, Step: r.Steps, Calls: calls, Results: r.Open, Run: r})
	if n := len(r.Pending()); n > 0 {
		r.Status, r.Reason = Suspended, "1 call waits for a person"
		if n > 1 {
			r.Reason = fmt.Sprintf("%d calls wait for a person", n)
		}
		return false
	}
	return a.closeCalls(r, calls)
}

// closeCalls writes the results into the conversation.
func (a *Agent) closeCalls(r *Run, calls []model.Call) bool {
	msg := model.Message{Role: model.ToolResults}
	for i, res := range r.Open {
		env, err := res.MarshalJSON()
		if err != nil {
			env = []byte(`{"ok":false,"error":{"code":"internal","message":"the result could not be written","retryable":false}}`)
		}
		msg.Results = append(msg.Results, model.Result{CallID: calls[i].ID, Tool: calls[i].Tool, OK: res.OK() && err == nil, Envelope: env})
		if res.Code() == helve.CodeLoopDetected {
			r.Status, r.Reason = Stopped, "the model repeats itself: "+res.Error.Message
		}
	}
	r.Messages = append(r.Messages, msg)
	r.Open = nil
	return r.Status == Running
}

func overLimit(c model.Call, limit int) *helve.Result {
	return &helve.Result{Tool: c.Tool, CallID: c.ID, Error: &helve.Error{
		Code: helve.CodeBudgetExhausted, Message: fmt.Sprintf("the limit of %d tool calls is reached; nothing was done", limit),
	}}
}
