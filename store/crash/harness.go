package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"helve.dev/helve"
	"helve.dev/helve/store/audit"
	"helve.dev/helve/store/sqlite"
)

// A config says how much is to be done.
type config struct {
	calls, kills, workers int
	seed                  uint64
	log                   io.Writer
}

// A harness hands out jobs, plays the backend, and kills.
type harness struct {
	cfg   config
	store string // as openStore takes it
	url   string

	mu      sync.Mutex
	rand    *rand.Rand
	queue   []job
	later   []delayed
	held    map[int]job // by worker
	procs   map[int]*exec.Cmd
	next    int            // worker number
	jobs    map[string]job // by key
	effects map[string]int
	killed  map[string]bool // keys during which a worker was killed
	ended   map[string]verdict
	replays int
	sent    int
	kills   int
	final   bool // the last round: everything is asked for once more, nobody is killed
	stuck   error
}

type delayed struct {
	job
	at time.Time
}

// runOn runs the harness on a new store of a kind.
func runOn(ctx context.Context, kind string, cfg config) (*result, error) {
	if cfg.seed == 0 {
		cfg.seed = uint64(time.Now().UnixNano())
	}
	dir, err := os.MkdirTemp("", "helve-crash")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	where, drop, err := newStore(ctx, kind, dir)
	if err != nil {
		return nil, err
	}
	defer drop()
	h := &harness{
		cfg: cfg, store: where, rand: rand.New(rand.NewPCG(cfg.seed, 1)), //nolint:gosec // G404: chance for a test
		held: map[int]job{}, procs: map[int]*exec.Cmd{}, jobs: map[string]job{}, effects: map[string]int{},
		killed: map[string]bool{}, ended: map[string]verdict{},
	}
	return h.run(ctx, kind)
}

// newStore names a new store.
func newStore(ctx context.Context, kind, dir string) (where string, drop func(), err error) {
	switch kind {
	case "sqlite":
		return "sqlite:" + filepath.Join(dir, "crash.db"), func() {}, nil
	case "postgres":
		return newPostgres(ctx)
	}
	return "", nil, fmt.Errorf("%q is no kind of store: say sqlite or postgres", kind)
}

// A logged store is one whose audit is a log.
type logged interface {
	helve.Store
	audit.Log
}

func openStore(ctx context.Context, where string) (logged, func() error, error) {
	if path, ok := strings.CutPrefix(where, "sqlite:"); ok {
		s, err := sqlite.Open(ctx, path, &sqlite.Config{SweepEvery: time.Second})
		if err != nil {
			return nil, nil, err
		}
		return s, s.Close, nil
	}
	return openPostgres(ctx, where)
}

func (h *harness) run(ctx context.Context, kind string) (*result, error) {
	began := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: h.handler(), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()
	h.url = "http://" + listener.Addr().String()

	// More keys than asked for are made until there were kills enough.
	for i := range h.cfg.calls {
		h.add(i)
	}
	fmt.Fprintf(h.cfg.log, "%s: %d calls, %d kills, %d workers, seed %d\n", kind, h.cfg.calls, h.cfg.kills, h.cfg.workers, h.cfg.seed)
	if err := h.round(ctx, kind); err != nil {
		return nil, err
	}
	// Everything once more: what succeeded is replayed, and has no second effect.
	h.mu.Lock()
	h.final = true
	for _, j := range h.jobs {
		h.queue = append(h.queue, j)
	}
	h.mu.Unlock()
	if err := h.round(ctx, kind); err != nil {
		return nil, err
	}
	r, err := h.count(ctx)
	if err != nil {
		return nil, err
	}
	r.Seconds = int(time.Since(began).Seconds())
	return r, nil
}

// add makes one more key.
func (h *harness) add(i int) {
	tool := "act"
	switch n := h.rand.IntN(10); {
	case n < 2:
		tool = "repeat"
	case n == 2:
		tool = "refuse"
	}
	millis := h.rand.IntN(20)
	if h.rand.IntN(15) == 0 {
		millis = int(lease.Milliseconds()) // long enough for heartbeats
	}
	key := fmt.Sprintf("%s-%d", tool, i)
	h.jobs[key] = job{key, tool, millis}
	h.queue = append(h.queue, h.jobs[key])
}

// round lets workers work until every key has an answer.
func (h *harness) round(ctx context.Context, kind string) error {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	for range h.cfg.workers {
		all.Go(func() { h.keepAlive(ctx) })
	}
	killer := make(chan struct{})
	go func() {
		defer close(killer)
		h.killAtRandom(ctx)
	}()
	defer func() {
		cancel()
		<-killer
		all.Wait()
	}()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	done := time.NewTicker(20 * time.Millisecond)
	defer done.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			h.mu.Lock()
			fmt.Fprintf(h.cfg.log, "%s: %d of %d keys ended, %d kills\n", kind, len(h.ended), len(h.jobs), h.kills)
			h.mu.Unlock()
		case <-done.C:
			h.mu.Lock()
			over, err := len(h.queue) == 0 && len(h.later) == 0 && len(h.held) == 0, h.stuck
			h.mu.Unlock()
			if over || err != nil {
				return err
			}
		}
	}
}

// keepAlive starts a worker again whenever it has died.
func (h *harness) keepAlive(ctx context.Context) {
	for ctx.Err() == nil {
		h.mu.Lock()
		h.next++
		n := h.next
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), envWorker+"="+strconv.Itoa(n), envServer+"="+h.url, envStore+"="+h.store)
		cmd.Stderr = h.cfg.log
		err := cmd.Start()
		if err == nil {
			h.procs[n] = cmd
		}
		h.mu.Unlock()
		if err != nil {
			h.fail(err)
			return
		}
		err = cmd.Wait()
		h.mu.Lock()
		j, busy := h.held[n]
		delete(h.procs, n)
		delete(h.held, n)
		if busy { // it died in the middle: the same call is sent again
			h.later = append(h.later, delayed{j, time.Now()})
		}
		h.mu.Unlock()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
			h.fail(fmt.Errorf("worker %d: %w", n, err))
			return
		}
	}
}

func (h *harness) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stuck == nil {
		h.stuck = err
	}
}

// kill kills a worker that is in the middle of a call; h.mu is held.
func (h *harness) kill(n int) {
	j, busy := h.held[n]
	p := h.procs[n]
	if !busy || p == nil || h.final || h.kills >= h.cfg.kills {
		return
	}
	h.killed[j.Key] = true
	h.kills++
	_ = p.Process.Kill()
}

// killAtRandom kills at any moment: in a claim, a heartbeat, a finish.
func (h *harness) killAtRandom(ctx context.Context) {
	for {
		h.mu.Lock()
		pause := time.Duration(20+h.rand.IntN(180)) * time.Millisecond
		h.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		h.mu.Lock()
		var busy []int
		for n := range h.held {
			busy = append(busy, n)
		}
		if len(busy) > 0 {
			h.kill(busy[h.rand.IntN(len(busy))])
		}
		h.mu.Unlock()
	}
}

// handler is what workers talk to.
func (h *harness) handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(path string, fn func(worker int, body []byte) any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			worker, werr := strconv.Atoi(r.Header.Get("Worker"))
			if err := errors.Join(err, werr); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			raw, err := json.Marshal(fn(worker, body))
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			_, _ = w.Write(raw)
		})
	}
	handle("/job", func(worker int, _ []byte) any { return h.hand(worker) })
	handle("/done", func(worker int, body []byte) any {
		var v verdict
		if err := json.Unmarshal(body, &v); err != nil {
			h.fail(err)
		}
		h.done(worker, v)
		return nil
	})
	handle("/effect", func(_ int, body []byte) any {
		var e effect
		if err := json.Unmarshal(body, &e); err != nil {
			h.fail(err)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.effects[e.Key]++
		return nil
	})
	handle("/point", func(worker int, _ []byte) any {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.rand.IntN(2*h.cfg.calls) < h.cfg.kills { // about as many at the points as by the clock
			h.kill(worker)
		}
		return nil
	})
	return mux
}

// hand gives a worker its next job, after a wait where there is none just now.
func (h *harness) hand(worker int) job {
	for {
		h.mu.Lock()
		now := time.Now()
		for i, d := range h.later {
			if !d.at.After(now) {
				h.later = append(h.later[:i], h.later[i+1:]...)
				h.queue = append(h.queue, d.job)
				break
			}
		}
		if n := len(h.queue); n > 0 {
			i := h.rand.IntN(n)
			j := h.queue[i]
			h.queue[i] = h.queue[n-1]
			h.queue = h.queue[:n-1]
			h.held[worker] = j
			h.sent++
			h.mu.Unlock()
			return j
		}
		over := len(h.later) == 0 && len(h.held) == 0 || h.stuck != nil
		h.mu.Unlock()
		if over {
			return job{}
		}
		time.Sleep(5 * time.Millisecond) //nolint:forbidigo // a worker polls, and may be killed meanwhile
	}
}

// done notes what became of a job.
func (h *harness) done(worker int, v verdict) {
	h.mu.Lock()
	defer h.mu.Unlock()
	j, ok := h.held[worker]
	if !ok || j.Key != v.Key {
		return // it was killed in the same moment
	}
	delete(h.held, worker)
	if v.Replayed {
		h.replays++
	}
	switch v.Code {
	case helve.CodeInProgress, helve.CodeUnavailable: // its holder is dead, or the store was busy: later
		h.later = append(h.later, delayed{j, time.Now().Add(time.Duration(min(v.WaitMS, 1000)) * time.Millisecond)})
	default:
		h.ended[v.Key] = v
	}
}
