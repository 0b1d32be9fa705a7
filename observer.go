package helve

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// An Observer watches calls and cannot change them. It implements one or more
// of [StartObserver], [EndObserver], [ProgressObserver], [RetryObserver],
// [ApprovalObserver] and [LateObserver]; [NewExecutor] refuses one that
// implements none. Its methods are called by many goroutines. One that panics
// changes nothing and is reported once to the log.
type Observer any

// A StartObserver is told when a call comes in, before anything is checked. The
// context that it returns is used for the rest of the call, so that a trace can
// nest; nil means ctx. It must be derived from ctx.
type StartObserver interface {
	CallStarted(ctx context.Context, e CallStarted) context.Context
}

// An EndObserver is told when a call has its result.
type EndObserver interface {
	CallEnded(ctx context.Context, e CallEnded)
}

// A ProgressObserver is told what a handler reports with [Progress].
type ProgressObserver interface {
	CallProgressed(ctx context.Context, e CallProgressed)
}

// A RetryObserver is told when an attempt failed and another one will follow.
type RetryObserver interface {
	CallRetried(ctx context.Context, e CallRetried)
}

// An ApprovalObserver is told when a person is asked, and when one has decided.
type ApprovalObserver interface {
	ApprovalChanged(ctx context.Context, e ApprovalChanged)
}

// A LateObserver is told when a handler ended after its call had its result.
type LateObserver interface {
	CallLate(ctx context.Context, e CallLate)
}

// A CallInfo says which call an event is about.
type CallInfo struct {
	// Tool is the tool's own name, or the name as called while no tool is found.
	Tool   string
	CallID string
	Effect Effect // of this call; zero before it is known
	Tenant string
	Run    string
	// Parent is the id of the call whose handler makes this one, and Depth how
	// many there are above it.
	Parent string
	Depth  int
}

// CallStarted is the event of [StartObserver].
type CallStarted struct {
	CallInfo
	// Arguments are as sent, redacted. Nil unless Config.ObserveContent.
	Arguments jsontext.Value
}

// CallEnded is the event of [EndObserver].
type CallEnded struct {
	CallInfo
	// Code is "" when the call succeeded; see [Result.Code].
	Code     Code
	Replayed bool
	Cached   bool
	Approval string // the id that a pending call waits for
	Attempts int
	Duration time.Duration
	// Size is the length of the data in bytes.
	Size int
	// Alias is the former name under which the tool was called, or "".
	Alias string
	// Deprecated lists what was used of the contract that is deprecated: the
	// tool's name, or pointers into the arguments.
	Deprecated []string
	// Reference is the id under which an internal error stands in the log.
	Reference string
	// Envelope is what the model reads, redacted once more by pattern. Nil
	// unless Config.ObserveContent.
	Envelope jsontext.Value
}

// CallProgressed is the event of [ProgressObserver].
type CallProgressed struct {
	CallInfo
	Done, Total float64
	// Message is redacted. Empty unless Config.ObserveContent.
	Message string
}

// CallRetried is the event of [RetryObserver].
type CallRetried struct {
	CallInfo
	Attempt int           // the one that failed, from 1
	Wait    time.Duration // until the next
	Code    Code
	Message string // redacted; empty unless Config.ObserveContent
}

// ApprovalChanged is the event of [ApprovalObserver].
type ApprovalChanged struct {
	CallInfo
	Approval string
	State    ApprovalState
	Rule     string
	By       string
	Expires  time.Time
}

// CallLate is the event of [LateObserver].
type CallLate struct {
	CallInfo
	// State is what the late result would be in the ledger.
	State EntryState
	// Recorded says that it still resolved the ledger's entry.
	Recorded bool
	// After is the time since the call had its result.
	After time.Duration
}

// watchers are the observers by what they want to be told.
type watchers struct {
	log      *slog.Logger
	content  bool
	reported sync.Map // observer and event -> true

	start    []StartObserver
	end      []EndObserver
	progress []ProgressObserver
	retry    []RetryObserver
	approval []ApprovalObserver
	late     []LateObserver
}

func newWatchers(all []Observer, log *slog.Logger, content bool) (*watchers, error) {
	w := &watchers{log: log, content: content}
	for i, o := range all {
		n := collect(&w.start, o) + collect(&w.end, o) + collect(&w.progress, o) +
			collect(&w.retry, o) + collect(&w.approval, o) + collect(&w.late, o)
		if n == 0 {
			return nil, fmt.Errorf("helve: observer %d (%T) implements none of the observer interfaces", i+1, o)
		}
	}
	return w, nil
}

func collect[O any](list *[]O, o Observer) int {
	v, ok := o.(O)
	if !ok {
		return 0
	}
	*list = append(*list, v)
	return 1
}

// tell gives an event to each observer of a list, whatever they do with it.
func tell[O any](w *watchers, list []O, event string, fn func(O)) {
	for _, o := range list {
		func() {
			defer func() {
				if v := recover(); v != nil {
					if _, again := w.reported.LoadOrStore(fmt.Sprintf("%T %s", o, event), true); !again {
						w.log.Error("an observer panicked; it changes nothing and is not reported again",
							"observer", fmt.Sprintf("%T", o), "event", event, "panic", patterns(fmt.Sprint(v)))
					}
				}
			}()
			fn(o)
		}()
	}
}
