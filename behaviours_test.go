package helve_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
	"helve.dev/helve/helvetest"
	"helve.dev/helve/schema"
)

// The tests of this file show the promised behaviours literally, with their
// names and values.

func cityPopulation() *helve.Tool {
	type In struct {
		City string `json:"city"`
	}
	return helve.Must(helve.Func(helve.Contract{
		Name: "city_population", Effect: helve.Read, Idempotent: true,
		Description: "Returns how many people live in a city, as a bare number.",
	}, func(_ context.Context, in In) (int, error) {
		return map[string]int{"lisbon": 545000, "porto": 231000}[strings.ToLower(in.City)], nil
	}))
}

func TestBehaviour1CityPopulation(t *testing.T) {
	x := helvetest.NewExecutor(t, nil, cityPopulation())
	wantData(t, x.Call("city_population", `{"city":"Lisbon"}`), "545000")
	wantData(t, x.Call("city_population", `{"city":"Atlantis"}`), "0")
	wantEqual(t, cityPopulation().Contract().Input.String(),
		`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`)
}

func TestBehaviour2Forecast(t *testing.T) {
	type In struct {
		City string `json:"city"`
		Unit string `json:"unit" enum:"celsius,fahrenheit"`
		Days int    `json:"days" default:"3"`
		Mode string `json:"mode" enum:"hourly,daily" default:"daily"`
	}
	var got In
	tool := helve.Must(helve.Func(contract("forecast", helve.Read), func(_ context.Context, in In) (string, error) {
		got = in
		return "sunny", nil
	}))
	x := helvetest.NewExecutor(t, nil, tool)
	s := tool.Contract().Input.String()
	if !strings.Contains(s, `"required":["city","unit"]`) {
		t.Errorf("required is wrong: %s", s)
	}
	for i, name := range []string{"city", "unit", "days", "mode"} {
		if i > 0 && strings.Index(s, `"`+name+`":{`) < strings.Index(s, `"city":{`) {
			t.Errorf("%s stands before city: %s", name, s)
		}
	}
	wantData(t, x.Call("forecast", `{"city":"Porto","unit":"celsius"}`), `"sunny"`)
	wantEqual(t, got, In{"Porto", "celsius", 3, "daily"})

	res := x.Call("forecast", `{"city":"Porto","unit":"kelvin"}`)
	wantCode(t, res, helve.CodeInvalidInput)
	if e := envelope(t, res); !strings.Contains(e, "celsius") || !strings.Contains(e, "fahrenheit") || !strings.Contains(e, `"/unit"`) {
		t.Errorf("the allowed values are not told: %s", e)
	}
	res = x.Call("forecast", `{"city":"Porto","unit":"celsius","days":"3"}`)
	wantCode(t, res, helve.CodeInvalidInput)
	wantEqual(t, res.Error.Faults[0].Path, "/days")
}

func TestBehaviour3DocComment(t *testing.T) {
	first, second := "OrderStatus tells where an order is and when it arrives.", "It knows orders of the last two years only."
	doc := "\n\t" + first + "\n\n\t" + second + "\n\t"
	read := func(doc string) string {
		t.Helper()
		c := contract("order_status", helve.Read)
		c.Description, c.Doc = "", doc
		tool, err := helve.Func(c, func(context.Context, nothing) (string, error) { return "", nil })
		if err != nil {
			t.Fatal(err)
		}
		c = tool.Contract()
		return c.ModelText()
	}
	wantEqual(t, read(doc), first+"\n\n"+second)
	wantEqual(t, read(strings.ReplaceAll(doc, "\n", "\r\n")), read(doc))
	wantEqual(t, read("\n\t"+first+"\n\t---\n\t"+second+"\n"), first)
}

func TestBehaviour4Definition(t *testing.T) {
	define := func(description, doc string, effect helve.Effect) error {
		_, err := helve.Func(helve.Contract{Name: "lookup", Description: description, Doc: doc, Effect: effect},
			func(context.Context, nothing) (string, error) { return "", nil })
		return err
	}
	long := "Looks a thing up by its name, and says what it is and where it lies."
	refused := []struct {
		name, description, doc string
		effect                 helve.Effect
		says                   []string
	}{
		{"no effect", long, "", 0, []string{"lookup", "effect", "helve.Read"}},
		{"too short", "", "Look it up.", helve.Read, []string{"11 characters", "at least 30"}},
		{"too short above a cut", "", "Look it up.\n---\n" + long + long, helve.Read, []string{"11 characters", "---"}},
		{"a developer note", "", long + "\n   - TODO: rewrite", helve.Read, []string{"TODO", "---"}},
		{"all at once", "", "Look it up.", 0, []string{"effect", "11 characters"}},
	}
	for _, c := range refused {
		t.Run(c.name, func(t *testing.T) { wantErrors(t, define(c.description, c.doc, c.effect), c.says...) })
	}
	accepted := []struct{ name, description, doc string }{
		{"a TODO within a sentence", "", "Append a TODO: item to the checklist"},
		{"a word that begins with XXX", "", "XXXL is a size that this tool knows of."},
		{"an explicit description beside a doc comment", long, "TODO: say something here"},
		{"a note below the cut", "", long + "\n---\nTODO: rewrite"},
	}
	for _, c := range accepted {
		t.Run(c.name, func(t *testing.T) {
			if err := define(c.description, c.doc, helve.Read); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBehaviour6SendEmailTwice(t *testing.T) {
	tool, sent := counted(contract("send_email", helve.Write), done)
	x := auto(helvetest.NewExecutor(t, nil, tool))
	wantEqual(t, x.Call("send_email", `{"text":"hi"}`).Replayed, false)
	again := x.Call("send_email", `{"text":"hi"}`)
	wantData(t, again, `"done"`)
	wantEqual(t, again.Replayed, true)
	wantEqual(t, sent.Load(), 1)
	x.Scope.Run = "another"
	wantEqual(t, x.Call("send_email", `{"text":"hi"}`).Replayed, false)
	wantEqual(t, sent.Load(), 2)
}

func TestBehaviour7TenantThroughContext(t *testing.T) {
	type In struct {
		Prefix string `json:"prefix"`
	}
	var tenant string
	tool := helve.Must(helve.Func(contract("list_projects", helve.Read), func(ctx context.Context, _ In) ([]string, error) {
		tenant = helve.InvocationFrom(ctx).Scope().Tenant
		return nil, nil
	}))
	x := helvetest.NewExecutor(t, nil, tool)
	x.Scope.Tenant = "org7/dom1"
	wantData(t, x.Call("list_projects", `{"prefix":"a"}`), "[]")
	wantEqual(t, tenant, "org7/dom1")
	if s := tool.Contract().Input.String(); !strings.Contains(s, `"properties":{"prefix":{"type":"string"}}`) {
		t.Errorf("the model sees more than the prefix: %s", s)
	}
	res := x.Call("list_projects", `{"prefix":"a","ctx":{}}`)
	wantCode(t, res, helve.CodeInvalidInput)
	wantEqual(t, res.Error.Faults[0].Path, "/ctx")
}

func TestBehaviour8NotifyUnknownName(t *testing.T) {
	type In struct {
		Msg string `json:"msg" default:"default message"`
	}
	sent := 0
	tool := helve.Must(helve.Func(contract("notify", helve.Write), func(context.Context, In) (string, error) {
		sent++
		return "sent", nil
	}))
	x := auto(helvetest.NewExecutor(t, nil, tool))
	res := x.Call("notify", `{"message":"prod is down"}`)
	wantCode(t, res, helve.CodeInvalidInput)
	f := res.Error.Faults[0]
	if f.Path != "/message" || !strings.Contains(f.Problem+f.Suggestion, "msg") {
		t.Errorf("the fault does not name message and the accepted msg: %+v", f)
	}
	wantEqual(t, sent, 0)
}

type panickingObserver struct{}

func (panickingObserver) CallEnded(context.Context, helve.CallEnded) { panic("observer") }

func TestBehaviour9InvalidOutput(t *testing.T) {
	c := contract("get_quote", helve.Read)
	c.Output = schema.MustParse(`{"type":"object","properties":{"symbol":{"type":"string"},"price":{"type":"number"}},"required":["symbol","price"]}`)
	tool := rawTool(c, func(context.Context, *helve.Invocation) (*helve.Reply, error) {
		return &helve.Reply{Data: "ACME is at 12"}, nil
	})
	x := helvetest.NewExecutor(t, &helve.Config{Observers: []helve.Observer{panickingObserver{}}}, tool)
	res := x.Call("get_quote", `{}`)
	wantCode(t, res, helve.CodeInvalidOutput)
	var ce *helve.CallError
	if !errors.As(res.Err(), &ce) {
		t.Fatalf("no CallError: %v", res.Err())
	}
	wantEqual(t, []string{ce.Tool, string(ce.Direction), string(ce.Raw)}, []string{"get_quote", "output", `"ACME is at 12"`})
}

func TestBehaviour10FlexibleAndReplace(t *testing.T) {
	type In struct {
		Query string                    `json:"query"`
		More  map[string]jsontext.Value `json:",embed"`
	}
	var got In
	define := func(answer string) *helve.Tool {
		return helve.Must(helve.Func(contract("flexible", helve.Read), func(_ context.Context, in In) (string, error) {
			got = in
			return answer, nil
		}))
	}
	reg, err := helve.NewRegistry(define("first"))
	if err != nil {
		t.Fatal(err)
	}
	x, err := helve.NewExecutor(reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := &helve.Call{Tool: "flexible", Arguments: value(`{"query":"boots","colour":"brown","size":42}`)}
	wantData(t, x.Execute(t.Context(), call), `"first"`)
	wantEqual(t, string(got.More["colour"])+string(got.More["size"]), `"brown"42`)
	wantErrors(t, reg.Add(define("second")), `"flexible"`, "Replace")
	if err := reg.Replace(define("second")); err != nil {
		t.Fatal(err)
	}
	wantData(t, x.Execute(t.Context(), call), `"second"`)
}

func TestBehaviour12FetchWeather(t *testing.T) {
	const key = "wk-5up3r-s3cret-9"
	type In struct {
		City    string `json:"city"`
		Country string `json:"country" default:"US"`
		Units   string `json:"units" enum:"imperial,metric" default:"imperial"`
	}
	errQuota := errors.New("quota")
	var got In
	c := contract("fetch_weather", helve.Write)
	c.Credentials = []string{"weather-api-key"}
	tool := helve.Must(helve.Func(c, func(ctx context.Context, in In) (string, error) {
		got = in
		s, err := helve.Credential(ctx, "weather-api-key")
		if err != nil || s.Reveal() != key {
			return "", fmt.Errorf("wrong credential: %w", err)
		}
		helve.Progress(ctx, 1, 2, "asking with "+s.Reveal())
		if in.City == "Nowhere" {
			return "", fmt.Errorf("GET https://api.example.com/?key=%s: %w", key, errQuota)
		}
		return "sunny, your key is " + key, nil
	}))
	var log strings.Builder
	x := auto(helvetest.NewExecutor(t, &helve.Config{
		ObserveContent: true,
		Logger:         slog.New(slog.NewTextHandler(&log, nil)),
		Observers:      []helve.Observer{helve.LogObserver(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))},
		Credentials: helve.CredentialFunc(func(context.Context, helve.Scope, string) (helve.Secret, error) {
			return helve.NewSecret(key), nil
		}),
	}, tool))
	wantData(t, x.Call("fetch_weather", `{"city":"Boston"}`), `"sunny, your key is [redacted]"`)
	wantEqual(t, got, In{"Boston", "US", "imperial"})

	failed := x.Call("fetch_weather", `{"city":"Nowhere"}`)
	wantCode(t, failed, helve.CodeToolFailed)
	if !errors.Is(failed.Err(), errQuota) {
		t.Error("errors.Is does not find the handler's own error")
	}
	three := x.Call("fetch_weather", `{"country":5,"units":"kelvin"}`)
	wantEqual(t, len(three.Error.Faults), 3)

	audit, err := x.Store().Audit(t.Context(), helve.AuditFilter{})
	if err != nil || len(audit) == 0 {
		t.Fatal("no audit", err)
	}
	everything := envelope(t, failed) + log.String() + fmt.Sprintf("%+v %+v", audit, x.Events.All())
	if strings.Contains(everything, key) {
		t.Errorf("the secret leaked: %s", everything)
	}
	if !strings.Contains(log.String(), "redacted") {
		t.Error("the log shows no trace of what was redacted: the test proves nothing")
	}
}

type createdTask struct {
	ID      string `json:"id"`
	Created bool   `json:"created"`
}

func (c createdTask) Replayed() createdTask { c.Created = false; return c }

func TestBehaviour13CreateTaskOnce(t *testing.T) {
	type In struct {
		Title string `json:"title"`
		Key   string `json:"idempotency_key"`
	}
	stored := map[string]string{}
	failAfter := false
	c := contract("create_task", helve.Write)
	c.Key, c.Idempotent = helve.KeyFrom("idempotency_key"), true
	tool := helve.Must(helve.Func(c, func(_ context.Context, in In) (createdTask, error) {
		_, known := stored[in.Key]
		stored[in.Key] = in.Title
		if failAfter {
			failAfter = false
			return createdTask{}, context.DeadlineExceeded
		}
		return createdTask{ID: "task_" + in.Key, Created: !known}, nil
	}))
	x := auto(helvetest.NewExecutor(t, nil, tool))
	wantData(t, x.Call("create_task", `{"title":"Call Ann","idempotency_key":"k1"}`), `{"id":"task_k1","created":true}`)
	x.Scope.Run = "tomorrow"
	wantData(t, x.Call("create_task", `{"title":"Call Ann","idempotency_key":"k1"}`), `{"id":"task_k1","created":false}`)

	failAfter = true // the task is stored, and the answer is lost once
	wantData(t, x.Call("create_task", `{"title":"Pay rent","idempotency_key":"k2"}`), `{"id":"task_k2","created":false}`)
	wantEqual(t, len(stored), 2)

	conflict := x.Call("create_task", `{"title":"Call Bob","idempotency_key":"k1"}`)
	wantCode(t, conflict, helve.CodeConflict)
	if d := string(conflict.Error.Details); !strings.Contains(d, "Call Ann") || !strings.Contains(d, `"differs":["title"]`) || !strings.Contains(d, "task_k1") {
		t.Errorf("the conflict does not show the first: %s", d)
	}
	wantEqual(t, stored["k1"], "Call Ann")
}

func TestBehaviour14ReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "long.txt")
	var lines strings.Builder
	for i := range 9312 {
		fmt.Fprintf(&lines, "line %d — ünïcödé\n", i)
	}
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	type In struct {
		Path     string `json:"path"`
		Offset   int    `json:"offset" default:"0" minimum:"0"`
		MaxLines int    `json:"max_lines" default:"10000" minimum:"1" maximum:"10000"`
	}
	read := 0
	c := contract("read_file", helve.Read)
	c.Paging.Offset = "offset"
	tool := helve.Must(helve.Func(c, func(_ context.Context, in In) (string, error) {
		read++
		b, err := os.ReadFile(in.Path)
		all := strings.SplitAfter(string(b), "\n")
		return strings.Join(all[min(in.Offset, len(all)):min(in.Offset+in.MaxLines, len(all))], ""), err
	}))
	x := helvetest.NewExecutor(t, nil, tool)
	res := x.Call("read_file", fmt.Sprintf(`{"path":%q}`, path))
	view := envelope(t, res)
	if !utf8.ValidString(view) || len(view) > helve.DefaultMaxOutput {
		t.Errorf("the view is not valid or %d bytes long", len(view))
	}
	cut := res.Truncated
	if cut == nil || cut.Unit != "lines" || cut.Total != 9312 || cut.Kept == 0 {
		t.Fatalf("truncated: %+v", cut)
	}
	wantEqual(t, cut.Next, fmt.Sprintf("call again with offset %d", cut.Kept))
	wantEqual(t, len(res.Data) > helve.DefaultMaxOutput, true)

	next := x.Call("read_file", fmt.Sprintf(`{"path":%q,"offset":%d}`, path, cut.Kept))
	if want := fmt.Sprintf(`"line %d `, cut.Kept); !strings.HasPrefix(string(next.Data), want) {
		t.Errorf("going on does not begin with %s: %.40s", want, next.Data)
	}
	before := read
	for _, bad := range []string{`"fifty"`, `20000`} {
		wantCode(t, x.Call("read_file", fmt.Sprintf(`{"path":"x","max_lines":%s}`, bad)), helve.CodeInvalidInput)
	}
	wantEqual(t, read, before)
}

func TestBehaviour14Attempts(t *testing.T) {
	fails := 2
	flaky := func(context.Context, text) (string, error) {
		if fails > 0 {
			fails--
			return "", errors.New("connection reset")
		}
		return "ok", nil
	}
	read, reads := counted(contract("read", helve.Read), flaky)
	write, writes := counted(contract("write", helve.Write), flaky)
	x := auto(helvetest.NewExecutor(t, nil, read, write))
	res := x.Call("read", `{}`)
	wantData(t, res, `"ok"`)
	wantEqual(t, []int{res.Attempts, int(reads.Load())}, []int{3, 3})
	fails = 2
	wantCode(t, x.Call("write", `{}`), helve.CodeToolFailed)
	wantEqual(t, writes.Load(), 1)
}

func TestBehaviour14FindAndReplace(t *testing.T) {
	file := "a b a"
	read := helve.Must(helve.Func(contract("read_file", helve.Read), func(context.Context, nothing) (string, error) { return file, nil }))
	write := helve.Must(helve.Func(contract("write_file", helve.Write), func(_ context.Context, in text) (string, error) {
		file = in.Text
		return "written", nil
	}))
	c := contract("find_and_replace", helve.Write)
	c.Uses = []string{"read_file", "write_file"}
	replace := helve.Must(helve.Func(c, func(ctx context.Context, _ nothing) (string, error) {
		var now string
		if err := helve.Invoke(ctx, "read_file", nothing{}).Decode(&now); err != nil {
			return "", err
		}
		return "replaced", helve.Invoke(ctx, "write_file", text{strings.ReplaceAll(now, "a", "c")}).Err()
	}))
	var asked []string
	policy := helve.PolicyFunc(func(_ context.Context, r *helve.Request) (helve.Ruling, error) {
		asked = append(asked, r.Parent+">"+r.Contract.Name)
		return helve.Ruling{Verdict: helve.Preapprove}, nil
	})
	x := helvetest.NewExecutor(t, &helve.Config{Policy: policy}, read, write, replace)
	x.Scope.Budget = &helve.Budget{Calls: 10}
	wantData(t, x.Call("find_and_replace", `{}`), `"replaced"`)
	wantEqual(t, file, "c b c")
	wantEqual(t, asked, []string{">find_and_replace", "find_and_replace>read_file", "find_and_replace>write_file"})
	spent, err := x.Store().Spent(t.Context(), "", "run:test")
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, spent.Calls, 3)
	audit, _ := x.Store().Audit(t.Context(), helve.AuditFilter{Run: "test"})
	var seen []string
	for _, e := range audit {
		seen = append(seen, string(e.Kind)+" "+e.Tool)
	}
	wantEqual(t, seen, []string{"claimed find_and_replace", "claimed write_file", "finished write_file", "finished find_and_replace"})
	// What a handler does not declare, it cannot call.
	c.Uses, c.Name = []string{"read_file"}, "sneaky"
	sneaky := helve.Must(helve.Func(c, func(ctx context.Context, _ nothing) (string, error) {
		return "", helve.Invoke(ctx, "write_file", text{"x"}).Err()
	}))
	if err := x.Tools().Add(sneaky); err != nil {
		t.Fatal(err)
	}
	if e := envelope(t, x.Call("sneaky", `{}`)); !strings.Contains(e, "does not use") || !strings.Contains(e, "Contract.Uses") {
		t.Errorf("envelope: %s", e)
	}
	wantEqual(t, file, "c b c")
}
