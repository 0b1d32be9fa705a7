package helve

import (
	"log/slog"
	"time"
)

// Bounds and defaults of an [Executor].
const (
	// MaxArguments and MaxDepth bound what a call may send: bytes and nesting.
	MaxArguments = 1 << 20
	MaxDepth     = 64

	DefaultMaxKept     = 1 << 20 // bytes of data that the ledger keeps of one result
	DefaultParallel    = 8       // shared calls of a batch side by side
	DefaultMaxNesting  = 4       // calls inside calls
	DefaultApprovalTTL = 24 * time.Hour
	DefaultLease       = 30 * time.Second // the heartbeat comes at a third of it
	DefaultGrace       = 100 * time.Millisecond

	DefaultLoopWarn   = 3  // equal failing calls until the model is warned
	DefaultLoopRefuse = 5  // equal failing calls until the next is refused
	DefaultLoopEqual  = 20 // equal calls of any outcome in one run

	minOutput = 1 << 10 // an error with its faults must fit
)

// A Config configures an [Executor]. The zero value runs reads, asks a person
// for everything with effects, and remembers in memory.
type Config struct {
	// Policy decides on each call. Nil: allow, so that contract and autonomy
	// decide whether a person is asked.
	Policy Policy
	// Forbid refuses effects altogether.
	Forbid []Effect
	// Store is the durable memory. Nil: a [MemoryStore] of the executor's own.
	Store Store
	// Credentials resolves what contracts declare. Nil: nothing can be resolved.
	Credentials Credentials
	// Observers watch calls, in this order.
	Observers []Observer
	// ObserveContent puts arguments, results and messages, redacted, into the
	// observers' events. Off by default.
	ObserveContent bool
	// Middleware wraps the execution of every tool; the first is the outermost.
	Middleware []Middleware
	// Logger gets what an operator must know: panics with their stacks, and what
	// an error meant for the model left out. Nil: discarded.
	Logger *slog.Logger

	// Coerce takes numbers and booleans in quotes, and JSON text where an object or
	// array is wanted, for models that send them so: where the schema wants
	// nothing else, nothing is lost, and it stands in the audit. Off by default:
	// the model is told what to send instead.
	Coerce bool
	// Secrets are values to redact besides those that Credentials resolves.
	Secrets []Secret
	// Roots are file-system paths to hide in error text, besides the home,
	// working and temporary folder.
	Roots []string
	// HideErrorText keeps the text of plain errors from the model: it gets a
	// reference id, and the text is in the log.
	HideErrorText bool

	// Timeout bounds a call whose contract does not. Zero: [DefaultTimeout].
	Timeout time.Duration
	// Grace is how long a handler may take to end once its call has ended by
	// deadline or cancellation. Zero: [DefaultGrace].
	Grace time.Duration
	// MaxOutput bounds the envelope that the model reads, in bytes, where the
	// contract does not. Zero: [DefaultMaxOutput].
	MaxOutput int
	// MaxKept bounds the data that the ledger keeps. Zero: [DefaultMaxKept].
	MaxKept int
	// Parallel bounds the shared calls of a batch side by side. Zero:
	// [DefaultParallel].
	Parallel int
	// MaxNesting bounds calls inside calls. Zero: [DefaultMaxNesting].
	MaxNesting int
	// ApprovalTTL is how long an approval may be decided on and used. Zero:
	// [DefaultApprovalTTL].
	ApprovalTTL time.Duration
	// Lease is how long a claim holds without a heartbeat. Zero: [DefaultLease].
	Lease time.Duration
	// Loop bounds equal calls within a run.
	Loop LoopLimits
}

// LoopLimits say when a run repeats itself. Zero fields mean the defaults
// [DefaultLoopWarn], [DefaultLoopRefuse] and [DefaultLoopEqual].
type LoopLimits struct {
	// Warn is at how many equal failing calls the model is warned.
	Warn int
	// Refuse is at how many equal failing calls the call is refused. Failing
	// calls that differ only in numbers count together, up to twice as many.
	Refuse int
	// Equal is at how many equal calls, whatever their outcome, the call is
	// refused. [Contract.Poll] replaces it for a tool.
	Equal int
}

// settled returns a copy of cfg with defaults filled in.
func (cfg *Config) settled() Config {
	var c Config
	if cfg != nil {
		c = *cfg
	}
	if c.Store == nil {
		c.Store = NewMemoryStore(nil)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	orDefault(&c.Timeout, DefaultTimeout)
	orDefault(&c.Grace, DefaultGrace)
	orDefault(&c.MaxOutput, DefaultMaxOutput)
	orDefault(&c.MaxKept, DefaultMaxKept)
	orDefault(&c.Parallel, DefaultParallel)
	orDefault(&c.MaxNesting, DefaultMaxNesting)
	orDefault(&c.ApprovalTTL, DefaultApprovalTTL)
	orDefault(&c.Lease, DefaultLease)
	orDefault(&c.Loop.Warn, DefaultLoopWarn)
	orDefault(&c.Loop.Refuse, DefaultLoopRefuse)
	orDefault(&c.Loop.Equal, DefaultLoopEqual)
	return c
}

func orDefault[T int | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}
