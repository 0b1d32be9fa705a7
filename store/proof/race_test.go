package proof_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/store/internal/pgtest"
)

// The environment of a process that races with others.
const (
	envStore  = "HELVE_PROOF_STORE"
	envEffect = "HELVE_PROOF_EFFECT" // the file that gets a line for each effect
	envNumber = "HELVE_PROOF_NUMBER"
)

const (
	processes = 4
	callers   = 64 // in all processes together
)

// TestMain runs the tests, or one process of TestManyProcessesOneKey.
func TestMain(m *testing.M) {
	if os.Getenv(envStore) != "" {
		if err := raceAsProcess(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(pgtest.Main(m))
}

// An answer is what one caller of a process got.
type answer struct {
	Body   string     `json:"body"`
	Code   helve.Code `json:"code"`
	Data   string     `json:"data"`
	Replay bool       `json:"replay"`
}

// writer is a tool whose effect is a line in a file.
func writer(file string) (*helve.Tool, error) {
	return helve.Func(helve.Contract{
		Name: "write", Effect: helve.Write, Key: helve.KeyFrom("key"), Description: "Writes a line into a file, which is its effect.",
	}, func(ctx context.Context, in struct {
		Key  string `json:"key"`
		Body string `json:"body"`
	},
	) (string, error) {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return "", helve.NotDone(err)
		}
		defer func() { _ = f.Close() }()
		if _, err := f.WriteString(in.Body + "\n"); err != nil {
			return "", err
		}
		select { // so that the others come meanwhile
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
		return "wrote " + in.Body, nil
	})
}

// raceAsProcess makes callers/processes calls at once, half with another body.
func raceAsProcess() error {
	ctx := context.Background()
	store, closeStore, err := open(ctx, os.Getenv(envStore))
	if err != nil {
		return err
	}
	answers, err := raceOn(ctx, store, os.Getenv(envEffect), os.Getenv(envNumber), callers/processes)
	if err != nil {
		return err
	}
	if err := closeStore(); err != nil {
		return err
	}
	return json.MarshalWrite(os.Stdout, answers)
}

func raceOn(ctx context.Context, store helve.Store, file, process string, n int) ([]answer, error) {
	t, err := writer(file)
	if err != nil {
		return nil, err
	}
	reg, err := helve.NewRegistry(t)
	if err != nil {
		return nil, err
	}
	x, err := helve.NewExecutor(reg, &helve.Config{Store: store})
	if err != nil {
		return nil, err
	}
	ctx = helve.WithScope(ctx, helve.Scope{Tenant: "race", Autonomy: helve.Auto})
	answers := make([]answer, n)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			body := []string{"one", "other"}[i%2]
			res := x.Execute(ctx, &helve.Call{
				ID: "process " + process + " call " + strconv.Itoa(i), Tool: "write", Arguments: jsontext.Value(`{"key":"same","body":"` + body + `"}`),
			})
			answers[i] = answer{body, res.Code(), string(res.Data), res.Replayed}
		})
	}
	wg.Wait()
	return answers, nil
}

// wantOneEffect holds that the body that won was written once, its callers all
// have its result, and the others a conflict.
func wantOneEffect(t *testing.T, file string, answers []answer) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(raw))
	if len(lines) != 1 {
		t.Fatalf("effects: %q", lines)
	}
	if len(answers) != callers {
		t.Fatalf("%d answers", len(answers))
	}
	first := 0
	for _, a := range answers {
		switch {
		case a.Body != lines[0] && a.Code == helve.CodeConflict:
		case a.Body == lines[0] && a.Code == "" && a.Data == `"wrote `+lines[0]+`"`:
			if !a.Replay {
				first++
			}
		default:
			t.Errorf("%s was written, and a call with %s got %q %s", lines[0], a.Body, a.Code, a.Data)
		}
	}
	if first != 1 {
		t.Errorf("%d calls say that they wrote it", first)
	}
}

// 64 callers in four processes, one key, half with another body.
func TestManyProcessesOneKey(t *testing.T) {
	onDatabases(t, func(t *testing.T, where string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "effects")
		_, closeStore, err := open(t.Context(), where) // migrated before they race
		if err != nil {
			t.Fatal(err)
		}
		if err := closeStore(); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var all []answer
		var wg sync.WaitGroup
		for n := range processes {
			wg.Go(func() {
				cmd := exec.CommandContext(t.Context(), os.Args[0])
				cmd.Env = append(os.Environ(), envStore+"="+where, envEffect+"="+file, envNumber+"="+strconv.Itoa(n))
				var out, errs bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &errs
				if err := cmd.Run(); err != nil {
					t.Errorf("process %d: %v\n%s", n, err, &errs)
					return
				}
				var answers []answer
				if err := json.Unmarshal(out.Bytes(), &answers); err != nil {
					t.Errorf("process %d: %v: %s", n, err, &out)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				all = append(all, answers...)
			})
		}
		wg.Wait()
		wantOneEffect(t, file, all)
	})
}

// The same in one process, on every store.
func TestManyCallersOneKey(t *testing.T) {
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "effects")
		answers, err := raceOn(t.Context(), restart(), file, "0", callers)
		if err != nil {
			t.Fatal(err)
		}
		wantOneEffect(t, file, answers)
	})
}

// Fifty clicks on "approve", each followed by the call, and again after a restart:
// it runs once.
func TestDoubleClicks(t *testing.T) {
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		var ran atomic.Int32
		pay := helve.Must(helve.Func(helve.Contract{Name: "pay", Effect: helve.Destructive, Description: "Pays an invoice out of the account."},
			func(context.Context, struct {
				Amount int `json:"amount"`
			},
			) (string, error) {
				ran.Add(1)
				return "paid", nil
			}))
		ctx := helve.WithScope(t.Context(), helve.Scope{Tenant: "click", Run: "r"})
		call := &helve.Call{ID: "c", Tool: "pay", Arguments: jsontext.Value(`{"amount":100}`)}
		x := executor(t, restart(), helve.Config{}, pay)
		id := x.Execute(ctx, call).Pending.Approval
		for range 2 {
			var wg sync.WaitGroup
			for range 50 {
				wg.Go(func() {
					if _, err := x.Decide(ctx, id, helve.Decision{Approve: true, By: "ann"}); err != nil {
						t.Error(err)
					}
					if res := x.Execute(ctx, call); string(res.Data) != `"paid"` {
						t.Error(show(res))
					}
				})
			}
			wg.Wait()
			x = executor(t, restart(), helve.Config{}, pay)
		}
		if n := ran.Load(); n != 1 {
			t.Errorf("it ran %d times", n)
		}
	})
}

// A worker whose lease is over wakes up: what it says late resolves an outcome that
// is unknown, and nothing else; who was sent away stays away.
func TestZombie(t *testing.T) {
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		store := restart()
		ctx := t.Context()
		claim := func(key string, repeatable bool, lease time.Duration) *helve.Claim {
			c, err := store.Claim(ctx, &helve.ClaimParams{Lease: lease, Entry: &helve.Entry{
				Token: helve.Token{LedgerKey: helve.LedgerKey{Tenant: "z", Scope: "act", Key: key}}, Fingerprint: helve.Digest{1}, Repeatable: repeatable,
			}})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		zombie, lost := claim("safe", true, 100*time.Millisecond), claim("unsafe", false, 100*time.Millisecond)
		<-time.After(250 * time.Millisecond)
		heir := claim("safe", true, time.Hour)
		if !heir.Won || claim("unsafe", false, time.Hour).Won {
			t.Fatal("the expired leases were not told apart")
		}
		for _, err := range []error{
			store.Beat(ctx, zombie.Entry.Token, time.Hour),
			store.Finish(ctx, &helve.FinishParams{Token: &zombie.Entry.Token, State: helve.EntryFailed}),
			store.Beat(ctx, lost.Entry.Token, time.Hour),
		} {
			if err == nil || !strings.Contains(err.Error(), helve.ErrFenced.Error()) {
				t.Errorf("the zombie was let in: %v", err)
			}
		}
		for _, tok := range []*helve.Token{&heir.Entry.Token, &lost.Entry.Token} {
			if err := store.Finish(ctx, &helve.FinishParams{Token: tok, State: helve.EntrySucceeded}); err != nil {
				t.Error(err)
			}
		}
	})
}
