package helve

import (
	"fmt"
	"strings"
	"time"

	"helve.dev/helve/schema"
)

// resolve is stage 1: name or alias to tool. A tool that is hidden from the
// caller looks nonexistent.
func (f *flight) resolve() *Result {
	t, ok := f.surface.byName[f.name]
	if !ok || t.c.Hidden && !f.trusted {
		return f.unknownTool()
	}
	f.tool, f.effect = t, t.c.Effect
	f.aliased = f.name != t.c.Name
	if t.c.Deprecated != "" || f.aliased {
		f.deprecated = append(f.deprecated, f.name)
	}
	timeout := t.c.Timeout
	if timeout == 0 {
		timeout = f.x.cfg.Timeout
	}
	f.deadline = f.started.Add(timeout)
	return nil
}

func (f *flight) unknownTool() *Result {
	e := &Error{Code: CodeUnknownTool, Message: fmt.Sprintf("there is no tool named %q", clip(f.name, 80))}
	names := f.surface.names()
	switch near := schema.Nearest(f.name, names); {
	case len(near) > 0:
		e.Suggestion = "Did you mean " + quotedList(near, "or") + "?"
	case len(names) == 0:
		e.Suggestion = "No tools can be called here."
	case len(names) <= 20:
		e.Suggestion = "The tools are: " + strings.Join(names, ", ") + "."
	default:
		e.Suggestion = fmt.Sprintf("Call one of the %d tools that you were given, by its exact name.", len(names))
	}
	return f.fail(e)
}

// remaining is the time until the call's deadline.
func (f *flight) remaining() time.Duration { return time.Until(f.deadline) }

// quotedList writes "a", "b" or "c".
func quotedList(names []string, last string) string {
	var b strings.Builder
	for i, n := range names {
		switch {
		case i > 0 && i == len(names)-1:
			b.WriteString(" " + last + " ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", n)
	}
	return b.String()
}
