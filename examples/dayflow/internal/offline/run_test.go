package offline_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/agent"
	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/daytools"
	"helve.dev/helve/examples/dayflow/internal/offline"
	"helve.dev/helve/examples/dayflow/internal/sample"
	"helve.dev/helve/examples/dayflow/internal/tasks"
)

// system stands in for the program's.
const system = "You write a person's daily brief."

// run runs the brief on real tools.
func run(t *testing.T, cfg daytools.Config) *agent.Run {
	t.Helper()
	tools, err := daytools.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return runTools(t, tools, offline.Config{Today: cfg.Today, Zone: cfg.Zone}, nil)
}

// runTools runs the brief on tools. A nil policy lets tasks be created.
func runTools(t *testing.T, tools []*helve.Tool, cfg offline.Config, policy helve.Policy) *agent.Run {
	t.Helper()
	registry, err := helve.NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	if policy == nil {
		policy = helve.Rules{{Name: "tasks", Tools: []string{daytools.CreateTask}, Verdict: helve.Preapprove}}
	}
	x, err := helve.NewExecutor(registry, &helve.Config{Policy: policy})
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(offline.New(cfg), x, &agent.Config{System: system})
	if err != nil {
		t.Fatal(err)
	}
	ctx := helve.WithScope(t.Context(), helve.Scope{Autonomy: helve.Gated})
	got, err := a.Run(ctx, "Write my brief.")
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// memory returns tasks in memory.
func memory(t *testing.T) *tasks.Store {
	t.Helper()
	s, err := tasks.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestSample(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation(sample.TZ)
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	src := daytools.Source{FS: sample.FS}
	got := run(t, daytools.Config{Mail: src, Calendar: src, Tasks: memory(t), Today: sample.Today, Zone: zone, Me: sample.Me})
	t.Log("\n" + got.Text)
}

// corpus returns the corpus that nobody here wrote, or skips the test.
func corpus(t *testing.T) string {
	t.Helper()
	root := os.Getenv("HELVE_CORPORA")
	if root == "" {
		t.Skip("HELVE_CORPORA is not set: the corpus is not looked at")
	}
	dir := filepath.Join(root, "dayflow")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	return dir
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	src := daytools.Source{Path: corpus(t)}
	store := memory(t)
	cfg := daytools.Config{Mail: src, Calendar: src, Tasks: store, Today: day.New(2024, 5, 15), Zone: time.UTC}
	got := run(t, cfg)
	t.Log("\n" + got.Text)
	got = run(t, cfg)
	t.Log("\n" + got.Text)
}
