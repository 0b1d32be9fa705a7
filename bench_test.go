package helve_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
)

// The inputs of the benchmarks: 17 bytes, about half a kilobyte, about 60.
type benchTiny struct {
	City string `json:"city"`
}

type benchMedium struct {
	ID       int64    `json:"id"`
	Title    string   `json:"title" minLength:"1" maxLength:"200"`
	Kind     string   `json:"kind" enum:"meeting,call,task,note"`
	Email    string   `json:"email" pattern:"^[^@ ]+@[^@ ]+$"`
	Priority int      `json:"priority" minimum:"1" maximum:"5"`
	Ratio    float64  `json:"ratio"`
	Done     bool     `json:"done"`
	Tags     []string `json:"tags"`
	People   []string `json:"people"`
	Note     *string  `json:"note"`
	Place    struct {
		Street string  `json:"street"`
		City   string  `json:"city"`
		Lat    float64 `json:"lat"`
		Lon    float64 `json:"lon"`
	} `json:"place"`
	Text string `json:"text"`
}

type benchLarge struct {
	Rows []struct {
		ID     int     `json:"id"`
		Name   string  `json:"name"`
		Amount float64 `json:"amount"`
		Active bool    `json:"active"`
		Group  string  `json:"group" enum:"a,b,c"`
		Note   string  `json:"note"`
	} `json:"rows"`
}

type benchOut struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	OK    bool   `json:"ok"`
	Count int    `json:"count"`
}

const mediumArgs = `{"id":9007199254740993,"title":"Quarterly planning with the whole \u0074eam","kind":"meeting","email":"ann@example.org",` +
	`"priority":3,"ratio":0.25,"done":false,"tags":["planning","quarter","budget","travel"],"people":["ann@example.org","bob@example.org","eve@example.org"],` +
	`"note":null,"place":{"street":"Rua Augusta 24","city":"Lisbon","lat":38.7103,"lon":-9.1365},` +
	`"text":"We go through the numbers of the last quarter, decide on the budget of the next one and book the travel for the team meeting."}`

func largeArgs() string {
	var b strings.Builder
	b.WriteString(`{"rows":[`)
	for i := range 500 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"row number %d","amount":%d.25,"active":%v,"group":"b","note":"a note of ordinary length about this row"}`, i, i, i*3, i%2 == 0)
	}
	b.WriteString(`]}`)
	return b.String()
}

func benchTool[In any](b *testing.B, name string, effect helve.Effect) *helve.Executor {
	b.Helper()
	tool := helve.Must(helve.Func(contract(name, effect), func(context.Context, In) (benchOut, error) {
		return benchOut{1, "done", true, 3}, nil
	}))
	reg, err := helve.NewRegistry(tool)
	if err != nil {
		b.Fatal(err)
	}
	x, err := helve.NewExecutor(reg, nil)
	if err != nil {
		b.Fatal(err)
	}
	return x
}

func benchCall(ctx context.Context, b *testing.B, x *helve.Executor, tool, args string, want helve.Code) {
	b.Helper()
	call := &helve.Call{ID: "c", Tool: tool, Arguments: jsontext.Value(args)}
	b.SetBytes(int64(len(args)))
	b.ReportAllocs()
	for b.Loop() {
		res := x.Execute(ctx, call)
		if res.Code() != want {
			b.Fatal(envelopeOf(res))
		}
		if _, err := res.MarshalJSON(); err != nil {
			b.Fatal(err)
		}
	}
}

func envelopeOf(res *helve.Result) string {
	e, _ := res.MarshalJSON()
	return string(e)
}

// BenchmarkRead is one read through the whole pipeline, observers off: resolve,
// validate, policy, deadline, handler, output check, envelope.
func BenchmarkRead(b *testing.B) {
	b.Run("tiny", func(b *testing.B) {
		benchCall(b.Context(), b, benchTool[benchTiny](b, "read", helve.Read), "read", `{"city":"Lisbon"}`, "")
	})
	b.Run("medium", func(b *testing.B) {
		benchCall(b.Context(), b, benchTool[benchMedium](b, "read", helve.Read), "read", mediumArgs, "")
	})
	b.Run("large", func(b *testing.B) {
		benchCall(b.Context(), b, benchTool[benchLarge](b, "read", helve.Read), "read", largeArgs(), "")
	})
}

// BenchmarkWrite is a write with its row in the memory ledger; each call is new.
func BenchmarkWrite(b *testing.B) {
	x := benchTool[benchMedium](b, "write", helve.Write)
	ctx := helve.WithScope(b.Context(), helve.Scope{Autonomy: helve.Auto})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		res := x.Execute(ctx, &helve.Call{ID: fmt.Sprint(i), Tool: "write", Arguments: jsontext.Value(mediumArgs)})
		if !res.OK() {
			b.Fatal(envelopeOf(res))
		}
	}
}

// BenchmarkRefuse is a call with three faults.
func BenchmarkRefuse(b *testing.B) {
	args := strings.NewReplacer(`"meeting"`, `"metting"`, `"priority":3`, `"priority":9`, `"done":false`, `"dnoe":false`).Replace(mediumArgs)
	benchCall(b.Context(), b, benchTool[benchMedium](b, "read", helve.Read), "read", args, helve.CodeInvalidInput)
}
