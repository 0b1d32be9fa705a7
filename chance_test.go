package helve_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"helve.dev/helve"
)

// Whatever happens to calls, their approvals, their store and their processes, in
// whatever order, what a call is told is so: nothing happens twice or unapproved,
// nothing is told as done that was not. HELVE_SEED repeats a run.
func TestCallsByChance(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("HELVE_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("HELVE_SEED=%d", seed)
	for n := range 300 {
		synctest.Test(t, func(t *testing.T) {
			w := &world{T: t, r: rand.New(rand.NewPCG(seed, uint64(n))), store: helve.NewMemoryStore(nil), effects: map[string][]effect{}, live: map[string]int{}}
			w.tools = []string{pick(w.r, tools...), pick(w.r, tools...)}
			w.start()
			for range 40 {
				w.step()
				if t.Failed() {
					break
				}
			}
			w.end()
			if t.Failed() {
				t.Fatalf("world %d of HELVE_SEED=%d:\n%s", n, seed, strings.Join(w.said, "\n"))
			}
		})
	}
}

// A world is a backend that counts effects, a store, and processes that come and go.
type world struct {
	*testing.T
	r     *rand.Rand
	store helve.Store
	p     *process
	said  []string
	tools []string // that are called in this world

	mu      sync.Mutex
	next    []string            // what the next handlers do
	effects map[string][]effect // by tool and key
	live    map[string]int      // handlers that have not ended, by tool and key
	n       int
}

type effect struct {
	id, text, call string
	asked          bool // somebody had to be
}

// A process is an executor with its way to the store.
type process struct {
	helve.Store
	x *helve.Executor

	mu     sync.Mutex
	dead   bool
	failAt int // the call of the store that fails, counted down; zero: none
	after  bool
	cancel func() // instead of failing
}

var errStore = errors.New("the store cannot be reached")

// at does what is to happen around a call of the store.
func (p *process) at(do func() error) error {
	p.mu.Lock()
	if p.dead {
		p.mu.Unlock()
		return errStore
	}
	p.failAt--
	now, after, cancel := p.failAt == 0, p.after, p.cancel
	p.mu.Unlock()
	switch {
	case !now:
		return do()
	case cancel != nil && after:
		defer cancel()
		return do()
	case cancel != nil:
		cancel()
		return do()
	case after:
		_ = do()
	}
	return errStore
}

func (p *process) Recall(ctx context.Context, q *helve.RecallParams) (e *helve.Entry, err error) {
	err = p.at(func() (err error) { e, err = p.Store.Recall(ctx, q); return err })
	return e, err
}

func (p *process) Claim(ctx context.Context, q *helve.ClaimParams) (c *helve.Claim, err error) {
	err = p.at(func() (err error) { c, err = p.Store.Claim(ctx, q); return err })
	return c, err
}

func (p *process) Beat(ctx context.Context, t helve.Token, lease time.Duration) error {
	return p.at(func() error { return p.Store.Beat(ctx, t, lease) })
}

func (p *process) Finish(ctx context.Context, q *helve.FinishParams) error {
	return p.at(func() error { return p.Store.Finish(ctx, q) })
}

func (p *process) Ask(ctx context.Context, a *helve.Approval, ttl time.Duration, audit ...helve.AuditEntry) (got *helve.Approval, err error) {
	err = p.at(func() (err error) { got, err = p.Store.Ask(ctx, a, ttl, audit...); return err })
	return got, err
}

func (p *process) Approval(ctx context.Context, tenant, id string) (a *helve.Approval, err error) {
	err = p.at(func() (err error) { a, err = p.Store.Approval(ctx, tenant, id); return err })
	return a, err
}

func (p *process) Reserve(ctx context.Context, r helve.Reservation) error {
	return p.at(func() error { return p.Store.Reserve(ctx, r) })
}

func (p *process) AppendAudit(ctx context.Context, entries ...helve.AuditEntry) error {
	return p.at(func() error { return p.Store.AppendAudit(ctx, entries...) })
}

func (p *process) die() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
}

func (p *process) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

var tools = []string{"plain", "attempts", "call", "argument", "dedupe", "finds", "finds2"}

// start begins a new process; the one before it is dead.
func (w *world) start() {
	p := &process{Store: w.store}
	handler := func(name string) func(context.Context, text) (string, error) {
		return func(ctx context.Context, in text) (string, error) { return w.handle(ctx, p, name, in) }
	}
	tool := func(name string, edit func(*helve.Contract)) *helve.Tool {
		c := contract(name, helve.Write, func(c *helve.Contract) { c.Resumable = true }, edit)
		return helve.Must(helve.Func(c, handler(name)))
	}
	find := func(_ context.Context, inv *helve.Invocation) (*helve.Reply, bool, error) { return w.find(inv) }
	reg, err := helve.NewRegistry(
		tool("plain", func(c *helve.Contract) { c.Resumable = false }),
		tool("attempts", func(c *helve.Contract) { c.Attempts = 3 }),
		tool("call", func(c *helve.Contract) { c.Key = helve.KeyCall }),
		tool("argument", func(c *helve.Contract) { c.Key = helve.KeyFrom("text") }),
		tool("dedupe", func(c *helve.Contract) { c.DedupeOn, c.DedupeFor = []string{"text"}, 1000*time.Hour }),
		tool("finds", func(*helve.Contract) {}).WithReconcile(find),
		tool("finds2", func(c *helve.Contract) { c.DedupeOn, c.DedupeFor = []string{"text"}, 1000*time.Hour }).WithReconcile(find),
	)
	if err != nil {
		w.Fatal(err)
	}
	w.p = p
	p.x, err = helve.NewExecutor(reg, &helve.Config{Store: p, Timeout: time.Minute, Loop: helve.LoopLimits{Warn: 1e6, Refuse: 1e6, Equal: 1e6}})
	if err != nil {
		w.Fatal(err)
	}
}

// exits are what a handler may do: what comes before the effect, and what after.
var exits = []string{
	"done", "done", "done", "not done", "says no", "says later", "fails", "fails after", "panics", "panics after",
	"hangs", "hangs after", "comes late", "dies", "dies after", "suspends", "partial after", "slow",
}

// say notes what is done, to be told where something is wrong.
func (w *world) say(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, text)
}

func (w *world) handle(ctx context.Context, p *process, name string, in text) (string, error) {
	inv := helve.InvocationFrom(ctx)
	key := name + " " + inv.Key()
	w.mu.Lock()
	exit := "done"
	if len(w.next) > 0 {
		exit, w.next = w.next[0], w.next[1:]
	}
	w.live[key]++
	w.said = append(w.said, fmt.Sprintf("    %s %q as %s (attempt %d): %s", key, in.Text, inv.CallID(), inv.Attempt(), exit))
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.live[key]--
	}()
	did := func() string {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.n++
		e := effect{fmt.Sprint("e", w.n), in.Text, inv.CallID(), inv.Scope().Autonomy == helve.Gated}
		w.effects[key] = append(w.effects[key], e)
		if n := len(w.effects[key]); n > 1 {
			w.Errorf("%s has happened %d times", key, n)
		}
		return e.id
	}
	no := helve.Errorf("no", "there is none")
	switch exit {
	case "not done":
		return "", helve.NotDone(errBackend)
	case "says no":
		return "", no
	case "says later":
		no.Retryable = true
		return "", no
	case "fails":
		return "", errBackend
	case "fails after":
		did()
		return "", errBackend
	case "panics":
		panic("no")
	case "panics after":
		did()
		panic("no")
	case "hangs":
		<-ctx.Done()
		return "", ctx.Err()
	case "hangs after":
		did()
		<-ctx.Done()
		return "", ctx.Err()
	case "comes late":
		time.Sleep(2 * time.Minute)
	case "slow":
		time.Sleep(45 * time.Second)
	case "dies":
		p.die()
		return "", errBackend
	case "dies after":
		did()
		p.die()
		return "", errBackend
	case "suspends":
		return "", helve.Suspend(helve.Pending{Reason: "wait"})
	case "partial after":
		did()
		return "", helve.Partial("a part", errBackend)
	}
	if p.isDead() {
		return "", errBackend
	}
	return did(), nil
}

func (w *world) find(inv *helve.Invocation) (*helve.Reply, bool, error) {
	var in text
	if err := jsonGet(inv.Arguments(), &in); err != nil {
		return nil, false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	key := inv.Tool() + " " + inv.Key()
	if w.live[key] > 0 {
		return nil, false, errors.New("it may still come")
	}
	happened := w.effects[key]
	if len(happened) == 0 {
		return nil, false, nil
	}
	if happened[0].text != in.Text {
		w.Errorf("asked for %q, sent %+v", in.Text, happened[0])
	}
	return &helve.Reply{Data: happened[0].id}, true, nil
}

func (w *world) step() {
	r := w.r
	switch k := r.IntN(21); {
	case k < 13:
		var next []string
		for range 1 + r.IntN(3) {
			next = append(next, pick(r, exits...))
		}
		w.mu.Lock()
		w.next = next
		w.mu.Unlock()
		c := &helve.Call{
			ID: fmt.Sprint("c", r.IntN(5)), Tool: pick(r, w.tools...),
			Key: pick(r, "", "", "k1", "k2"), Arguments: value(fmt.Sprintf(`{"text":"t%d"}`, r.IntN(2))),
		}
		scope := helve.Scope{Run: pick(r, "r1", "r1", "r1", "r2", ""), Autonomy: pick(r, helve.Auto, helve.Gated), Budget: &helve.Budget{ID: "b", Calls: 1e6}}
		ctx, cancel := context.WithCancel(helve.WithScope(w.Context(), scope))
		w.p.mu.Lock()
		w.p.failAt, w.p.cancel, w.p.after = 0, nil, r.IntN(2) == 0
		if r.IntN(3) == 0 {
			w.p.failAt = 1 + r.IntN(6)
			if r.IntN(2) == 0 {
				w.p.cancel = cancel
			}
		}
		w.say(fmt.Sprintf("call %s %s %q %s in run %q %s, fails at %d, after %v, cancels %v", c.Tool, c.ID, c.Key, c.Arguments, scope.Run, scope.Autonomy,
			w.p.failAt, w.p.after, w.p.cancel != nil))
		w.p.mu.Unlock()
		var wg sync.WaitGroup
		for range 1 + r.IntN(5)/4 {
			wg.Go(func() { w.check(c, w.p.x.Execute(ctx, c)) })
		}
		wg.Wait()
		cancel()
		w.p.mu.Lock()
		w.p.failAt = 0
		w.p.mu.Unlock()
		if w.p.isDead() {
			w.start()
		}
	case k < 17:
		w.decide()
	case k < 18:
		w.resolve()
	case k < 19:
		d := pick(r, time.Second, time.Minute, time.Minute, 25*time.Hour)
		w.say("wait " + d.String())
		time.Sleep(d)
	case k < 20:
		if _, err := w.store.Sweep(w.Context(), helve.Retention{Results: 30 * time.Hour}); err != nil {
			w.Fatal(err)
		}
	default:
		w.say("restart")
		w.p.die()
		w.start()
	}
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// check holds what a call was told against what has happened.
func (w *world) check(c *helve.Call, res *helve.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	raw, _ := res.MarshalJSON()
	w.said = append(w.said, "    "+string(raw))
	var in text
	_ = jsonGet(c.Arguments, &in)
	switch {
	case res.OK() && res.Data == nil || string(res.Data) == "null": // no longer kept
	case res.OK():
		for key, all := range w.effects {
			for _, e := range all {
				if strconv.Quote(e.id) == string(res.Data) && strings.HasPrefix(key, c.Tool+" ") && (e.text == in.Text || e.text == "edited "+in.Text) {
					return
				}
			}
		}
		w.Errorf("%s is told as done: %s", res.Data, raw)
	}
}

// decide decides on one of the pending approvals.
func (w *world) decide() {
	list, err := w.store.ListApprovals(w.Context(), helve.ApprovalFilter{State: helve.ApprovalPending})
	if err != nil {
		w.Fatal(err)
	}
	if len(list) == 0 {
		return
	}
	a := pick(w.r, list...)
	d := helve.Decision{Approve: w.r.IntN(5) > 0, By: "ana"}
	if d.Approve && w.r.IntN(3) == 0 {
		var in text
		_ = jsonGet(a.Arguments, &in)
		d.Arguments = value(fmt.Sprintf(`{"text":"edited %s"}`, in.Text))
	}
	w.say(fmt.Sprintf("decide %s of %s %s: %v %s", a.ID, a.CallID, a.Arguments, d.Approve, d.Arguments))
	if _, err := w.p.x.Decide(w.Context(), a.ID, d); err != nil {
		w.Fatal(err)
	}
}

// resolve says, as a person would, what became of an unknown outcome.
func (w *world) resolve() {
	list, err := w.store.Entries(w.Context(), helve.EntryFilter{State: helve.EntryUnknown})
	if err != nil {
		w.Fatal(err)
	}
	for _, e := range list {
		key := w.keyOf(e)
		w.mu.Lock()
		live, happened := w.live[key], slices.Clone(w.effects[key])
		w.mu.Unlock()
		if live > 0 {
			continue
		}
		p := &helve.FinishParams{Token: &e.Token, State: helve.EntryRetryable, Record: &helve.Record{}}
		if len(happened) > 0 {
			p.State, p.Record.Data = helve.EntrySucceeded, value(strconv.Quote(happened[0].id))
		}
		w.say(fmt.Sprintf("resolve %s: %s", key, p.State))
		if err := w.store.Finish(w.Context(), p); err != nil {
			w.Fatal(err)
		}
		return
	}
}

// keyOf is the key of an entry as its handler saw it.
func (w *world) keyOf(e *helve.Entry) string {
	return e.Scope + " " + helve.PublicKey(e.LedgerKey)
}

// end waits until nothing moves any more, and holds ledger, approvals, audit and
// budget against the effects.
func (w *world) end() {
	time.Sleep(time.Hour)
	synctest.Wait()
	entries, err := w.store.Entries(w.Context(), helve.EntryFilter{})
	if err != nil {
		w.Fatal(err)
	}
	w.p.die()
	known, covered := map[string]bool{}, map[string]string{}
	for _, e := range entries {
		key := w.keyOf(e)
		known[key] = true
		happened := len(w.effects[key])
		want := map[helve.EntryState]int{helve.EntrySucceeded: 1, helve.EntryFailed: 0, helve.EntryRetryable: 0, helve.EntryReserved: 0, helve.EntryUnknown: happened}
		if n, ok := want[e.State]; !ok || n != happened {
			w.Errorf("%s is %s and has happened %d times", key, e.State, happened)
		}
		if happened > 0 && e.Approval == "" && w.effects[key][0].asked {
			w.Errorf("%s has happened, and nobody was asked", key)
		}
		if happened > 0 && e.Approval != "" {
			if other := covered[e.Approval]; other != "" {
				w.Errorf("%s covers both %s and %s", e.Approval, key, other)
			}
			covered[e.Approval] = key
			a, err := w.store.Approval(w.Context(), "", e.Approval)
			if err != nil {
				w.Fatal(err)
			}
			ran := a.Arguments
			if a.Edited != nil {
				ran = a.Edited
			}
			if a.State != helve.ApprovalConsumed || a.DecidedBy != "ana" || string(ran) != fmt.Sprintf(`{"text":%q}`, w.effects[key][0].text) {
				w.Errorf("%s ran %+v under %+v", key, w.effects[key], a)
			}
		}
	}
	for key := range w.effects {
		if !known[key] {
			w.Errorf("the ledger does not know %s, which has happened", key)
		}
	}
	claims, err := w.store.Audit(w.Context(), helve.AuditFilter{Kind: helve.AuditClaimed})
	if err != nil {
		w.Fatal(err)
	}
	if spent, err := w.store.Spent(w.Context(), "", "id:b"); err != nil || spent.Calls > int64(len(claims)) || spent.Calls < int64(w.n) {
		w.Errorf("spent %+v of %d claims with %d effects, %v", spent, len(claims), w.n, err)
	}
}
