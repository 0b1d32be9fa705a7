// Package call measures one tool call in the process: raw JSON arguments in, a
// typed handler that does nothing, JSON out.
package call

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"charm.land/fantasy"
	anthropic "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/toolrunner"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve.dev/helve"
	"helve.dev/helve/bench/cases"
	"helve.dev/helve/schema"
)

// A caller runs one call and says whether it failed.
type caller func(ctx context.Context, raw []byte) (text string, failed bool)

// A maker makes the caller of one participant for a tool of input T.
type maker[T any] func(tb testing.TB, c cases.Case, handle func(T) cases.Out) caller

// peer is a participant for the three sizes.
type peer struct {
	name   string
	tiny   maker[cases.Tiny]
	medium maker[cases.Medium]
	large  maker[cases.Large]
}

var peers = []peer{
	{"helve", helveTool[cases.Tiny](helve.Read), helveTool[cases.Medium](helve.Read), helveTool[cases.Large](helve.Read)},
	{"helve-write-approved", helveTool[cases.Tiny](helve.Write), helveTool[cases.Medium](helve.Write), helveTool[cases.Large](helve.Write)},
	{"floor-decode", bareDecode[cases.Tiny], bareDecode[cases.Medium], bareDecode[cases.Large]},
	{"go-sdk", goSDK[cases.Tiny], goSDK[cases.Medium], goSDK[cases.Large]},
	{"mcp-go", mcpGo[cases.Tiny](false), mcpGo[cases.Medium](false), mcpGo[cases.Large](false)},
	{"mcp-go-validating", mcpGo[cases.Tiny](true), mcpGo[cases.Medium](true), mcpGo[cases.Large](true)},
	{"fantasy", fantasyTool[cases.Tiny], fantasyTool[cases.Medium], fantasyTool[cases.Large]},
	{"anthropic", anthropicTool[cases.Tiny], anthropicTool[cases.Medium], anthropicTool[cases.Large]},
}

func (p peer) make(tb testing.TB, c cases.Case) caller {
	tb.Helper()
	out := func(id string, n int) cases.Out { return cases.Out{ID: id, Count: n, Score: 21.5, OK: true} }
	switch c.Name {
	case "tiny":
		return p.tiny(tb, c, func(in cases.Tiny) cases.Out { return out(in.City, len(in.City)) })
	case "medium":
		return p.medium(tb, c, func(in cases.Medium) cases.Out { return out(in.Room, len(in.Guests)) })
	}
	return p.large(tb, c, func(in cases.Large) cases.Out { return out(in.Batch, len(in.Rows)) })
}

func helveExecutor[T any](tb testing.TB, c cases.Case, effect helve.Effect, handle func(T) cases.Out) *helve.Executor {
	tb.Helper()
	tool := helve.Must(helve.Func(helve.Contract{
		Name: "t", Effect: effect, Key: helve.KeyCall, Input: schema.MustParse(c.Schema), Output: schema.MustParse(cases.OutSchema),
		Description: "Does nothing, as fast as it can, for a benchmark.",
	}, func(_ context.Context, in T) (cases.Out, error) { return handle(in), nil }))
	reg, err := helve.NewRegistry(tool)
	if err != nil {
		tb.Fatal(err)
	}
	x, err := helve.NewExecutor(reg, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

// helveTool runs the whole pipeline, the output check included. A write has a
// row in the memory ledger and consumes an approval in each call.
func helveTool[T any](effect helve.Effect) maker[T] {
	return func(tb testing.TB, c cases.Case, handle func(T) cases.Out) caller {
		tb.Helper()
		x := helveExecutor(tb, c, effect, handle)
		run := func(ctx context.Context, raw []byte, id string) *helve.Result {
			return x.Execute(ctx, &helve.Call{ID: id, Tool: "t", Arguments: raw})
		}
		text := func(res *helve.Result) (string, bool) {
			b, err := res.MarshalJSON()
			return string(b), err != nil || !res.OK()
		}
		if effect == helve.Read {
			return func(ctx context.Context, raw []byte) (string, bool) { return text(run(ctx, raw, "c")) }
		}
		return func(ctx context.Context, raw []byte) (string, bool) {
			res := run(ctx, raw, "")
			if res.Pending == nil {
				return text(res)
			}
			if _, err := x.Decide(ctx, res.Pending.Approval, helve.Decision{Approve: true}); err != nil {
				return err.Error(), true
			}
			return text(run(ctx, raw, res.CallID))
		}
	}
}

// bareDecode is what langchaingo leaves to its user: an interface, and
// encoding/json.
func bareDecode[T any](_ testing.TB, _ cases.Case, handle func(T) cases.Out) caller {
	return func(_ context.Context, raw []byte) (string, bool) {
		var in T
		if err := json.Unmarshal(raw, &in); err != nil {
			return err.Error(), true
		}
		b, err := json.Marshal(handle(in))
		return string(b), err != nil
	}
}

// goSDK calls the server's own method handler, captured from a middleware, so
// that no transport counts.
func goSDK[T any](tb testing.TB, c cases.Case, handle func(T) cases.Out) caller {
	tb.Helper()
	ctx := context.Background()
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "t", Description: "d", InputSchema: json.RawMessage(c.Schema)},
		func(_ context.Context, _ *mcp.CallToolRequest, in T) (*mcp.CallToolResult, cases.Out, error) {
			return nil, handle(in), nil
		})
	var inner mcp.MethodHandler
	var request *mcp.CallToolRequest
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.CallToolRequest); ok && inner == nil {
				inner, request = next, r
			}
			return next(ctx, method, req)
		}
	})
	clientSide, serverSide := mcp.NewInMemoryTransports()
	session, err := s.Connect(ctx, serverSide, nil)
	if err != nil {
		tb.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(ctx, clientSide, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = client.Close()
		_ = session.Wait()
	})
	if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "t", Arguments: json.RawMessage(c.JSON)}); err != nil {
		tb.Fatal(err)
	}
	return func(ctx context.Context, raw []byte) (string, bool) {
		request.Params.Arguments = raw
		res, err := inner(ctx, "tools/call", request)
		if err != nil {
			return err.Error(), true
		}
		r := res.(*mcp.CallToolResult)
		if b, ok := r.StructuredContent.(json.RawMessage); ok {
			return string(b), r.IsError
		}
		return r.Content[0].(*mcp.TextContent).Text, r.IsError
	}
}

// mcpGo hands the server a whole message, as a transport would.
func mcpGo[T any](validating bool) maker[T] {
	return func(tb testing.TB, c cases.Case, handle func(T) cases.Out) caller {
		tb.Helper()
		var opts []mcpgoserver.ServerOption
		if validating {
			opts = append(opts, mcpgoserver.WithInputSchemaValidation())
		}
		s := mcpgoserver.NewMCPServer("s", "1", opts...)
		s.AddTool(mcpgo.NewToolWithRawSchema("t", "d", json.RawMessage(c.Schema)),
			mcpgo.NewStructuredToolHandler(func(_ context.Context, _ mcpgo.CallToolRequest, in T) (cases.Out, error) { return handle(in), nil }))
		return func(ctx context.Context, raw []byte) (string, bool) {
			msg := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":` + string(raw) + `}}`
			b, err := json.Marshal(s.HandleMessage(ctx, json.RawMessage(msg)))
			text := string(b)
			return text, err != nil || strings.Contains(text, `"isError":true`) || strings.Contains(text, `"error":`)
		}
	}
}

func fantasyTool[T any](_ testing.TB, _ cases.Case, handle func(T) cases.Out) caller {
	t := fantasy.NewAgentTool("t", "d", func(_ context.Context, in T, _ fantasy.ToolCall) (fantasy.ToolResponse, error) {
		b, err := json.Marshal(handle(in))
		return fantasy.NewTextResponse(string(b)), err
	})
	return func(ctx context.Context, raw []byte) (string, bool) {
		r, err := t.Run(ctx, fantasy.ToolCall{ID: "1", Name: "t", Input: string(raw)})
		if err != nil {
			return err.Error(), true
		}
		return r.Content, r.IsError
	}
}

func anthropicTool[T any](tb testing.TB, _ cases.Case, handle func(T) cases.Out) caller {
	tb.Helper()
	t, err := toolrunner.NewBetaToolFromJSONSchema("t", "d", func(_ context.Context, in T) (anthropic.BetaToolResultBlockParamContentUnion, error) {
		b, err := json.Marshal(handle(in))
		return anthropic.BetaToolResultBlockParamContentUnion{OfText: &anthropic.BetaTextBlockParam{Text: string(b)}}, err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return func(ctx context.Context, raw []byte) (string, bool) {
		r, err := t.Execute(ctx, json.RawMessage(raw))
		if err != nil {
			return err.Error(), true
		}
		return r[0].OfText.Text, false
	}
}

func run(b *testing.B, f caller, raw []byte, wantFailed bool) {
	b.Helper()
	ctx := context.Background()
	if text, failed := f(ctx, raw); failed != wantFailed {
		b.Fatalf("failed is %v: %s", failed, text)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		f(ctx, raw)
	}
}

// BenchmarkCall is a call with valid arguments.
func BenchmarkCall(b *testing.B) {
	for _, c := range cases.All() {
		for _, p := range peers {
			b.Run(c.Name+"/"+p.name, func(b *testing.B) { run(b, p.make(b, c), c.JSON, false) })
		}
	}
}

// BenchmarkApproved is a write that a person has approved before: the approval is
// found, checked and consumed, the call has its row in the memory ledger. Asking
// and deciding do not count; helve-write-approved of BenchmarkCall has them too.
func BenchmarkApproved(b *testing.B) {
	c := cases.MediumCase()
	b.Run("helve", func(b *testing.B) {
		x := helveExecutor(b, c, helve.Write, func(in cases.Medium) cases.Out {
			return cases.Out{ID: in.Room, Count: len(in.Guests), Score: 21.5, OK: true}
		})
		type approved struct {
			ctx context.Context
			id  string
		}
		var ready []approved
		ask := func(n int) { // an approval covers equal calls of a subject, so each has its own
			ctx := helve.WithScope(context.Background(), helve.Scope{Subject: strconv.Itoa(n)})
			res := x.Execute(ctx, &helve.Call{Tool: "t", Arguments: c.JSON})
			if _, err := x.Decide(ctx, res.Pending.Approval, helve.Decision{Approve: true}); err != nil {
				b.Fatal(err)
			}
			ready = append(ready, approved{ctx, res.CallID})
		}
		asked := 0
		b.ReportAllocs()
		for b.Loop() {
			if len(ready) == 0 {
				b.StopTimer()
				for range 512 {
					asked++
					ask(asked)
				}
				b.StartTimer()
			}
			next := ready[len(ready)-1]
			ready = ready[:len(ready)-1]
			res := x.Execute(next.ctx, &helve.Call{ID: next.id, Tool: "t", Arguments: c.JSON})
			if _, err := res.MarshalJSON(); err != nil || !res.OK() {
				b.Fatal(res.Err(), err)
			}
		}
	})
}

// BenchmarkRefuse is a call with five faults, for those who refuse it.
func BenchmarkRefuse(b *testing.B) {
	c := cases.MediumCase()
	for _, p := range peers {
		switch p.name {
		case "helve", "go-sdk", "mcp-go-validating":
			b.Run(p.name, func(b *testing.B) { run(b, p.make(b, c), cases.Broken(), true) })
		}
	}
}
