// Package genkit measures genkit in a module of its own: what it requires does
// not compile beside what the Anthropic SDK requires.
package genkit

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"

	"helve.dev/helve/bench/cases"
)

type caller func(ctx context.Context, raw []byte) (text string, failed bool)

func tool[T any](handle func(T) cases.Out) caller {
	t := genkit.DefineTool(genkit.Init(context.Background()), "t", "d", func(_ *ai.ToolContext, in T) (cases.Out, error) {
		return handle(in), nil
	})
	return func(ctx context.Context, raw []byte) (string, bool) {
		out, err := t.RunRaw(ctx, json.RawMessage(raw)) // its cheapest way: a map would be marshalled first
		if err != nil {
			return err.Error(), true
		}
		b, err := json.Marshal(out)
		return string(b), err != nil
	}
}

func sized(name string) caller {
	out := func(id string, n int) cases.Out { return cases.Out{ID: id, Count: n, Score: 21.5, OK: true} }
	switch name {
	case "tiny":
		return tool(func(in cases.Tiny) cases.Out { return out(in.City, len(in.City)) })
	case "medium":
		return tool(func(in cases.Medium) cases.Out { return out(in.Room, len(in.Guests)) })
	}
	return tool(func(in cases.Large) cases.Out { return out(in.Batch, len(in.Rows)) })
}

// BenchmarkCall is a call with valid arguments.
func BenchmarkCall(b *testing.B) {
	ctx := context.Background()
	for _, c := range cases.All() {
		b.Run(c.Name+"/genkit", func(b *testing.B) {
			f := sized(c.Name)
			if text, failed := f(ctx, c.JSON); failed {
				b.Fatal(text)
			}
			b.SetBytes(int64(len(c.JSON)))
			b.ReportAllocs()
			for b.Loop() {
				f(ctx, c.JSON)
			}
		})
	}
}
