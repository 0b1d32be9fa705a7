package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
)

// The environment of a worker.
const (
	envWorker = "HELVE_CRASH_WORKER" // its number
	envServer = "HELVE_CRASH_SERVER" // where the harness listens
	envStore  = "HELVE_CRASH_STORE"  // sqlite:FILE or postgres://...
)

// lease is short, so that the calls of the dead are free again soon.
const lease = 600 * time.Millisecond

// A job is one call that a worker is to make.
type job struct {
	Key  string `json:"key"`
	Tool string `json:"tool"`
	// Millis is how long the handler takes.
	Millis int `json:"millis"`
}

// A verdict is what became of a job.
type verdict struct {
	Key      string     `json:"key"`
	Code     helve.Code `json:"code"`
	OK       bool       `json:"ok"`
	Replayed bool       `json:"replayed"`
	WaitMS   int64      `json:"wait_ms"`
}

// work is the life of a worker: it gets a job, makes the call, says what became
// of it, until the harness has no more.
func work() int {
	ctx := context.Background()
	store, closeStore, err := openStore(ctx, os.Getenv(envStore))
	if err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		return 1
	}
	x, err := newExecutor(store)
	if err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		return 1
	}
	for {
		var j job
		if err := talk(ctx, "/job", nil, &j); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			return 1
		}
		if j.Key == "" {
			break
		}
		// A run for each key, so that no loop guard sees a loop.
		scope := helve.WithScope(ctx, helve.Scope{Tenant: "crash", Run: j.Key, Autonomy: helve.Auto})
		res := x.Execute(scope, &helve.Call{
			ID: j.Key, Tool: j.Tool, Arguments: jsontext.Value(fmt.Sprintf(`{"key":%q,"millis":%d}`, j.Key, j.Millis)),
		})
		v := verdict{Key: j.Key, Code: res.Code(), OK: res.OK(), Replayed: res.Replayed}
		if res.Error != nil {
			v.WaitMS = res.Error.RetryAfter.Milliseconds()
		}
		if err := talk(ctx, "/done", v, nil); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			return 1
		}
	}
	if err := errors.Join(x.Close(ctx), closeStore()); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		return 1
	}
	return 0
}

type effect struct {
	Key    string `json:"key"`
	Millis int    `json:"millis"`
}

// newExecutor makes the tools: one that must not happen twice, one that may, and
// one that knows that nothing happened.
func newExecutor(store helve.Store) (*helve.Executor, error) {
	act := func(ctx context.Context, in effect) (string, error) {
		if err := pass(ctx, "before", in.Key); err != nil {
			return "", err
		}
		if err := talk(ctx, "/effect", in, nil); err != nil {
			return "", err
		}
		if err := pass(ctx, "after", in.Key); err != nil {
			return "", err
		}
		select { // heartbeats come meanwhile
		case <-time.After(time.Duration(in.Millis) * time.Millisecond):
		case <-ctx.Done():
		}
		return "done", nil
	}
	refuse := func(ctx context.Context, in effect) (string, error) {
		if err := pass(ctx, "before", in.Key); err != nil {
			return "", err
		}
		return "", helve.Errorf("refused", "this cannot be done")
	}
	contract := helve.Contract{Effect: helve.Write, Key: helve.KeyFrom("key"), Description: "Has an effect on the backend that counts effects."}
	var tools []*helve.Tool
	for name, fn := range map[string]func(context.Context, effect) (string, error){"act": act, "repeat": act, "refuse": refuse} {
		c := contract
		c.Name, c.Idempotent = name, name == "repeat"
		t, err := helve.Func(c, fn)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	reg, err := helve.NewRegistry(tools...)
	if err != nil {
		return nil, err
	}
	return helve.NewExecutor(reg, &helve.Config{Store: store, Lease: lease, Timeout: time.Minute})
}

// pass tells the harness where the worker is, which may be the last that it does.
func pass(ctx context.Context, point, key string) error {
	return talk(ctx, "/point", map[string]string{"point": point, "key": key, "worker": os.Getenv(envWorker)}, nil)
}

// talk posts a value to the harness and reads its answer.
func talk(ctx context.Context, path string, send, into any) error {
	raw, err := json.Marshal(send)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv(envServer)+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Worker", os.Getenv(envWorker))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", path, resp.Status, body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(body, into)
}
