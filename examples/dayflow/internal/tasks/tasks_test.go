package tasks_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/tasks"
)

// open opens a store that is closed at the end of the test.
func open(t *testing.T, path string) *tasks.Store {
	t.Helper()
	s, err := tasks.Open(path)
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

// create adds a task that has to be new.
func create(t *testing.T, s *tasks.Store, task tasks.Task) tasks.Task {
	t.Helper()
	got, created, err := s.Create(t.Context(), task)
	if err != nil || !created {
		t.Fatalf("create %v: created is %v, %v", task, created, err)
	}
	return got
}

// list returns all tasks.
func list(t *testing.T, s *tasks.Store) []tasks.Task {
	t.Helper()
	got, err := s.List(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// due returns a due date.
func due(s string) *day.Date {
	d := day.MustParse(s)
	return &d
}

// anyTime compares tasks without the time of their creation.
var anyTime = cmpopts.IgnoreFields(tasks.Task{}, "CreatedAt")

// stores are the two kinds of a store.
var stores = map[string]func(t *testing.T) string{
	"memory": func(*testing.T) string { return "" },
	"file": func(t *testing.T) string {
		t.Helper()
		return filepath.Join(t.TempDir(), "tasks.db")
	},
}

func TestCreate(t *testing.T) {
	t.Parallel()
	for name, path := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, path(t))
			before := time.Now().Add(-time.Second)
			got := create(t, s, tasks.Task{ID: "task_99", Title: " Send proofs\n", Due: due("2026-03-12"), Key: "k1", Done: true})
			want := tasks.Task{ID: "task_1", Title: "Send proofs", Due: due("2026-03-12"), Key: "k1"}
			if diff := cmp.Diff(want, got, anyTime); diff != "" {
				t.Errorf("task (-want +got):\n%s", diff)
			}
			if got.CreatedAt.Before(before) || got.CreatedAt.After(time.Now()) || got.CreatedAt.Location() != time.UTC {
				t.Errorf("created at %s, want now in UTC", got.CreatedAt)
			}
			if diff := cmp.Diff([]tasks.Task{got}, list(t, s)); diff != "" {
				t.Errorf("list (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCreateTwice(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		again    tasks.Task
		created  bool
		conflict bool
	}{
		"same":          {again: tasks.Task{Title: "Quote", Due: due("2026-03-16"), Key: "k"}},
		"same, spaces":  {again: tasks.Task{Title: " Quote ", Due: due("2026-03-16"), Key: "k"}},
		"other key":     {again: tasks.Task{Title: "Quote", Due: due("2026-03-16"), Key: "k2"}, created: true},
		"no key":        {again: tasks.Task{Title: "Quote", Due: due("2026-03-16")}, created: true},
		"other title":   {again: tasks.Task{Title: "quote", Due: due("2026-03-16"), Key: "k"}, conflict: true},
		"other due":     {again: tasks.Task{Title: "Quote", Due: due("2026-03-17"), Key: "k"}, conflict: true},
		"no due":        {again: tasks.Task{Title: "Quote", Key: "k"}, conflict: true},
		"key's case":    {again: tasks.Task{Title: "Quote", Key: "K"}, created: true},
		"quotes in key": {again: tasks.Task{Title: "Quote", Key: `k'); DROP TABLE tasks; --`}, created: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, "")
			first := create(t, s, tasks.Task{Title: "Quote", Due: due("2026-03-16"), Key: "k"})
			got, created, err := s.Create(t.Context(), tt.again)
			if created != tt.created || errors.Is(err, tasks.ErrKeyConflict) != tt.conflict || (err != nil) != tt.conflict {
				t.Fatalf("got %v, %v, %v", got, created, err)
			}
			if conflict, ok := errors.AsType[*tasks.KeyConflictError](err); ok {
				got = conflict.First
				if !strings.Contains(err.Error(), "task_1") {
					t.Errorf("the error doesn't name the first task: %v", err)
				}
			}
			if !tt.created && !cmp.Equal(first, got) {
				t.Errorf("got %v, want the first task %v", got, first)
			}
			want := 1
			if tt.created {
				want = 2
			}
			if n := len(list(t, s)); n != want {
				t.Errorf("there are %d tasks, want %d", n, want)
			}
		})
	}
}

func TestCreateWithoutKey(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	create(t, s, tasks.Task{Title: "Call"})
	if got := create(t, s, tasks.Task{Title: "Call"}); got.ID != "task_2" {
		t.Errorf("got %s, want a second task", got.ID)
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	for name, task := range map[string]tasks.Task{
		"no title":   {Title: " \n"},
		"long title": {Title: strings.Repeat("x", tasks.MaxTitle+1)},
		"long key":   {Title: "x", Key: strings.Repeat("x", tasks.MaxKey+1)},
	} {
		if _, created, err := s.Create(t.Context(), task); created || !errors.Is(err, tasks.ErrInvalid) {
			t.Errorf("%s: got %v, %v; want ErrInvalid", name, created, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Create(ctx, tasks.Task{Title: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the error of the context", err)
	}
	if n := len(list(t, s)); n != 0 {
		t.Errorf("there are %d tasks, want none", n)
	}
}

func TestCreateAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	two := []*tasks.Store{open(t, path), open(t, path)}
	var wg sync.WaitGroup
	var mu sync.Mutex
	ids, made := map[string]bool{}, 0
	for i := range 20 {
		wg.Go(func() {
			got, created, err := two[i%2].Create(t.Context(), tasks.Task{Title: "Once", Key: "k"})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			ids[got.ID] = true
			if created {
				made++
			}
		})
	}
	wg.Wait()
	if made != 1 || len(ids) != 1 {
		t.Errorf("%d tasks were made, with the IDs %v; want one", made, ids)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	for i, d := range []*day.Date{nil, due("2026-03-16"), due("2026-03-12"), nil, due("2026-03-12")} {
		create(t, s, tasks.Task{Title: fmt.Sprint(i), Due: d})
	}
	done, err := s.Complete(t.Context(), "task_3")
	if err != nil || !done.Done || done.Title != "2" {
		t.Fatalf("complete: got %v, %v", done, err)
	}
	if again, err := s.Complete(t.Context(), "task_3"); err != nil || !cmp.Equal(done, again) {
		t.Errorf("complete again: got %v, %v", again, err)
	}
	tests := map[string]struct {
		done bool
		want []string
	}{
		"open": {want: []string{"task_5", "task_2", "task_1", "task_4"}},
		"all":  {done: true, want: []string{"task_3", "task_5", "task_2", "task_1", "task_4"}},
	}
	for name, tt := range tests {
		all, err := s.List(t.Context(), tt.done)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, task := range all {
			got = append(got, task.ID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCompletedKey(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	create(t, s, tasks.Task{Title: "x", Key: "k"})
	if _, err := s.Complete(t.Context(), "task_1"); err != nil {
		t.Fatal(err)
	}
	got, created, err := s.Create(t.Context(), tasks.Task{Title: "x", Key: "k"})
	if err != nil || created || !got.Done {
		t.Errorf("got %v, %v, %v; want the task that is done", got, created, err)
	}
}

func TestCompleteUnknown(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	create(t, s, tasks.Task{Title: "x"})
	for _, id := range []string{"task_2", "task_01", "task_", "1", "task_+1", "", "task_99999999999999999999"} {
		if _, err := s.Complete(t.Context(), id); !errors.Is(err, tasks.ErrNotFound) {
			t.Errorf("%q: got %v, want ErrNotFound", id, err)
		}
	}
}

func TestReopen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "odd name ?#%20 é.db")
	s, err := tasks.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	first := create(t, s, tasks.Task{Title: "Keep", Due: due("2026-03-12"), Key: "k"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file: got %v, %v; want mode 0600", info, err)
		}
	}
	s = open(t, path)
	if diff := cmp.Diff([]tasks.Task{first}, list(t, s)); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if got, created, err := s.Create(t.Context(), tasks.Task{Title: "Keep", Due: due("2026-03-12"), Key: "k"}); err != nil || created || got.ID != first.ID {
		t.Errorf("got %v, %v, %v; want the first task", got, created, err)
	}
}

func TestMemoryIsApart(t *testing.T) {
	t.Parallel()
	create(t, open(t, ""), tasks.Task{Title: "x"})
	if n := len(list(t, open(t, ""))); n != 0 {
		t.Errorf("a second store in memory has %d tasks", n)
	}
}

// database makes a database with the statements.
func database(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text       string // what is in the file,
		statements string // or how it was made
		want       error
	}{
		"text":                      {text: strings.Repeat("Dear diary, ", 1000), want: tasks.ErrNotDatabase},
		"short text":                {text: "{}", want: tasks.ErrNotDatabase},
		"another program's":         {statements: "CREATE TABLE notes (x)", want: tasks.ErrNotDatabase},
		"another program's tasks":   {statements: "CREATE TABLE tasks (x)", want: tasks.ErrNotDatabase},
		"another program's version": {statements: "CREATE TABLE notes (x); PRAGMA user_version = 1", want: tasks.ErrNotDatabase},
		"newer":                     {statements: "CREATE TABLE tasks (x); PRAGMA user_version = 2", want: tasks.ErrNewer},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x.db")
			if tt.statements != "" {
				database(t, path, tt.statements)
			} else if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := tasks.Open(path)
			if !errors.Is(err, tt.want) || !errors.Is(err, tasks.ErrUnavailable) || s != nil {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

func TestOpenRefusesFolder(t *testing.T) {
	t.Parallel()
	s, err := tasks.Open(t.TempDir())
	if !errors.Is(err, tasks.ErrNotDatabase) || !errors.Is(err, tasks.ErrUnavailable) || s != nil {
		t.Errorf("got %v, want ErrNotDatabase", err)
	}
}

func TestOpenNoFolder(t *testing.T) {
	t.Parallel()
	_, err := tasks.Open(filepath.Join(t.TempDir(), "nowhere", "x.db"))
	if !errors.Is(err, tasks.ErrUnavailable) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want ErrUnavailable for a folder that isn't there", err)
	}
}

func TestOpenEmptyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	create(t, open(t, path), tasks.Task{Title: "x"})
}

func TestSchema(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	create(t, open(t, path), tasks.Task{Title: "x"})
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for query, want := range map[string]string{
		"PRAGMA user_version": "1",
		"PRAGMA journal_mode": "wal",
		"SELECT strict FROM pragma_table_list WHERE name = 'tasks'": "1",
		"SELECT count(*) FROM tasks":                                "1",
	} {
		var got string
		if err := db.QueryRowContext(t.Context(), query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", query, got, err, want)
		}
	}
	for name, statement := range map[string]string{
		"a due date in words": "UPDATE tasks SET due = 'tomorrow'",
		"half done":           "UPDATE tasks SET done = 2",
		"no title":            "UPDATE tasks SET title = ''",
		"another type":        "UPDATE tasks SET created_at = 'now'",
	} {
		if _, err := db.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("the schema takes %s", name)
		}
	}
}

func TestDamagedDue(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path)
	create(t, s, tasks.Task{Title: "x", Key: "k"})
	database(t, path, "UPDATE tasks SET due = '2026-99-99'")
	if got, err := s.List(t.Context(), true); err == nil {
		t.Errorf("got %v for a day that doesn't exist, want an error", got)
	}
	if _, created, err := s.Create(t.Context(), tasks.Task{Title: "x", Key: "k"}); err == nil || created {
		t.Errorf("got %v, %v; want an error rather than a second task", created, err)
	}
}

func TestIDsAreNotReused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path)
	create(t, s, tasks.Task{Title: "x"})
	database(t, path, "DELETE FROM tasks")
	if got := create(t, s, tasks.Task{Title: "y"}); got.ID != "task_2" {
		t.Errorf("got %s, want task_2", got.ID)
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	titles := []string{"Orçamento 🖨️", "a\nb", `'; DROP TABLE tasks; --`, "%s %[1]d", strings.Repeat("é", tasks.MaxTitle/2)}
	for _, title := range titles {
		create(t, s, tasks.Task{Title: title})
	}
	var got []string
	for _, task := range list(t, s) {
		got = append(got, task.Title)
	}
	if diff := cmp.Diff(titles, got); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	s, err := tasks.Open("")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Create(t.Context(), tasks.Task{Title: "x"}); err == nil {
		t.Error("create: no error after Close")
	}
	if _, err := s.List(t.Context(), true); err == nil {
		t.Error("list: no error after Close")
	}
	if _, err := s.Complete(t.Context(), "task_1"); err == nil {
		t.Error("complete: no error after Close")
	}
}
