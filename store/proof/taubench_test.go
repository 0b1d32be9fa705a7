package proof_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve"
)

// A state is a database: collection, key, record.
type state map[string]map[string]jsontext.Value

func (s state) clone() state {
	c := state{}
	for name, records := range s {
		c[name] = maps.Clone(records)
	}
	return c
}

func (s state) apply(after state) {
	for name, records := range after {
		maps.Copy(s[name], records)
	}
}

// flat makes two states comparable.
func (s state) flat() map[string]string {
	out := map[string]string{}
	for name, records := range s {
		for key, record := range records {
			out[name+" "+key] = string(record)
		}
	}
	return out
}

type action struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
	Effect    string         `json:"effect"`
	Result    jsontext.Value `json:"result"`
	Error     string         `json:"error"`
	After     state          `json:"after"`
}

type task struct {
	ID      string   `json:"id"`
	Domain  string   `json:"domain"`
	Actions []action `json:"actions"`
}

// A shop plays the backend of one task: what each call does was recorded.
type shop struct {
	state   state
	now     *action // the call that is made
	entered int
}

func (s *shop) handle(context.Context, *helve.Invocation) (*helve.Reply, error) {
	s.entered++
	if s.now.Error != "" {
		return nil, helve.Errorf("rejected", "%s", s.now.Error)
	}
	s.state.apply(s.now.After)
	if s.now.Result != nil {
		return &helve.Reply{Data: s.now.Result}, nil
	}
	return &helve.Reply{Data: "done"}, nil
}

func (s *shop) tools(t *testing.T, all []*tool, domain string) []*helve.Tool {
	t.Helper()
	var out []*helve.Tool
	for _, def := range all {
		if def.Domain == domain {
			out = append(out, def.make(t, s.handle))
		}
	}
	return out
}

func databases(t *testing.T) map[string]state {
	t.Helper()
	out := map[string]state{}
	for _, domain := range []string{"retail", "airline"} {
		raw, err := os.ReadFile(corpus(t, "taubench/db_"+domain+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var s state
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		out[domain] = s
	}
	return out
}

// All the gold actions of taubench: each write is parked, the process ends, a
// person approves, it runs once, and is sent again, which changes nothing.
func TestTaubenchWritesHappenOnce(t *testing.T) {
	tools, tasks, dbs := lines[*tool](t, "taubench/tools.jsonl"), lines[*task](t, "taubench/tasks.jsonl"), databases(t)
	onStores(t, func(t *testing.T, restart process) {
		t.Helper()
		actions, writes := 0, 0
		for _, task := range tasks {
			want := dbs[task.Domain].clone()
			s := &shop{state: dbs[task.Domain].clone()}
			ctx := helve.WithScope(t.Context(), helve.Scope{Tenant: "tau", Run: task.ID})
			x := executor(t, restart(), helve.Config{}, s.tools(t, tools, task.Domain)...)
			for i := range task.Actions {
				a := &task.Actions[i]
				s.now = a
				actions++
				call := &helve.Call{ID: fmt.Sprint("c", i), Tool: a.Name, Arguments: a.Arguments}
				if a.Effect != "write" {
					check(t, a, x.Execute(ctx, call))
					continue
				}
				writes++
				before, entered := s.state.flat(), s.entered
				parked := x.Execute(ctx, call)
				if parked.Pending == nil || s.entered != entered {
					t.Fatalf("%s %s was not parked: %s", task.ID, a.Name, show(parked))
				}
				x = executor(t, restart(), helve.Config{}, s.tools(t, tools, task.Domain)...) // another process
				if _, err := x.Decide(ctx, parked.Pending.Approval, helve.Decision{Approve: true, By: "ann"}); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(before, s.state.flat()); d != "" {
					t.Fatalf("a parked call changed the state: %s", d)
				}
				first := x.Execute(ctx, call)
				check(t, a, first)
				if s.entered != entered+1 {
					t.Fatalf("%s %s ran %d times", task.ID, a.Name, s.entered-entered)
				}
				want.apply(a.After)
				again := x.Execute(ctx, call)
				check(t, a, again)
				if !again.Replayed || s.entered != entered+1 {
					t.Fatalf("%s %s was not replayed: %s", task.ID, a.Name, show(again))
				}
			}
			if d := cmp.Diff(want.flat(), s.state.flat()); d != "" {
				t.Fatalf("%s: (-recorded +reached)\n%s", task.ID, d)
			}
		}
		t.Logf("%d actions, %d writes", actions, writes)
		if actions < 692 || writes < 225 {
			t.Errorf("only %d actions and %d writes", actions, writes)
		}
	})
}

// check holds a result against what was recorded.
func check(t *testing.T, a *action, res *helve.Result) {
	t.Helper()
	switch {
	case a.Error != "":
		if res.Code() != "rejected" || res.Error.Message != a.Error {
			t.Fatalf("%s: %s, want the error %q", a.Name, show(res), a.Error)
		}
	case !res.OK():
		t.Fatalf("%s: %s", a.Name, show(res))
	}
}

// A surface that only reads runs every read and refuses every write.
func TestTaubenchReadOnly(t *testing.T) {
	tools, tasks, dbs := lines[*tool](t, "taubench/tools.jsonl"), lines[*task](t, "taubench/tasks.jsonl"), databases(t)
	reads, refused := 0, 0
	for _, task := range tasks {
		s := &shop{state: dbs[task.Domain].clone()}
		x := executor(t, helve.NewMemoryStore(nil), helve.Config{Forbid: []helve.Effect{helve.Write, helve.Destructive}}, s.tools(t, tools, task.Domain)...)
		ctx := helve.WithScope(t.Context(), helve.Scope{Run: task.ID, Autonomy: helve.Auto})
		for i := range task.Actions {
			a := &task.Actions[i]
			s.now = a
			res := x.Execute(ctx, &helve.Call{ID: fmt.Sprint("c", i), Tool: a.Name, Arguments: a.Arguments})
			if a.Effect == "write" {
				if res.Code() != helve.CodeDenied {
					t.Fatalf("%s %s: %s", task.ID, a.Name, show(res))
				}
				refused++
				continue
			}
			check(t, a, res)
			reads++
		}
		if d := cmp.Diff(dbs[task.Domain].flat(), s.state.flat()); d != "" {
			t.Fatalf("%s: the state changed: %s", task.ID, d)
		}
	}
	t.Logf("%d reads ran, %d writes were refused", reads, refused)
	if reads < 467 || refused < 225 {
		t.Errorf("only %d reads and %d writes", reads, refused)
	}
}
