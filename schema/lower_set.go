package schema

import (
	"cmp"
	"fmt"
	"slices"
)

// A LowerTool is one tool of a set for [LowerAll].
type LowerTool struct {
	// Name is the tool's name, for the report.
	Name string
	// Description is the tool's description. It may be empty.
	Description string
	// Schema is the canonical schema of the tool's input. nil accepts any object.
	Schema *Schema
	// Priority decides who is strict when not all can be: higher goes first. Default (0): the order of the list decides.
	Priority int
}

// A LoweredTool is a tool of a set in a dialect.
type LoweredTool struct {
	Name string
	// Description is the tool's own, followed by [Lowered.Note].
	Description string
	*Lowered
}

// A SetReport says what a whole set of tools uses of the provider's limits, and which tools had to give way.
type SetReport struct {
	// Limits are the bounds that were applied. All zero for a dialect that is not strict.
	Limits Limits
	// Used is what the strict tools use together.
	Used Limits
	// Strict and Plain count the tools of each form.
	Strict, Plain int
	// Degraded names the tools that could be strict alone but not in this set, in the order of the list, with the reason.
	Degraded []Degraded
}

// Degraded is a tool that is not strict because the set is too large.
type Degraded struct {
	Tool string `json:"tool"`
	What string `json:"what"`
}

// LowerAll lowers a set of tools that go out in one request, and keeps the strict ones within the provider's limits, which count
// over the whole request.
//
// The rule: tools are taken by falling Priority, and in the order of the list where that is equal. Each tool that can be strict is,
// if it fits into what the tools before it have left; else it is sent in the plain form, its report says why, and later tools may
// still fit. So a tool that is added at the end changes nothing for the others. The result is in the order of the list.
//
// An error names the first tool that [Lower] refuses; a name given twice is refused too.
func LowerAll(tools []LowerTool, d Dialect, limits *LowerConfig) ([]LoweredTool, *SetReport, error) {
	out := make([]LoweredTool, len(tools))
	names := map[string]bool{}
	for i, tool := range tools {
		if names[tool.Name] {
			return nil, nil, fmt.Errorf("lower tools: the name %q is given twice", tool.Name)
		}
		names[tool.Name] = true
		low, err := Lower(tool.Schema, d, limits)
		if err != nil {
			return nil, nil, fmt.Errorf("lower tool %q: %w", tool.Name, err)
		}
		out[i] = LoweredTool{Name: tool.Name, Lowered: low}
	}
	report := &SetReport{Limits: d.Limits()}
	if limits != nil && limits.Limits != nil {
		report.Limits = *limits.Limits
	}
	if err := fitSet(tools, out, d, limits, report); err != nil {
		return nil, nil, err
	}
	for i := range out {
		if out[i].Description = tools[i].Description; out[i].Note != "" {
			out[i].Description = joinText(out[i].Description, out[i].Note)
		}
	}
	return out, report, nil
}

// fitSet takes the strictness from the tools that exceed the limits.
func fitSet(tools []LowerTool, out []LoweredTool, d Dialect, limits *LowerConfig, report *SetReport) error {
	order := make([]int, len(tools))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tools[b].Priority, tools[a].Priority) })
	why := map[int]string{}
	for _, i := range order {
		if !out[i].Strict {
			report.Plain++
			continue
		}
		wire, err := parseTree(out[i].Schema.text())
		if err != nil {
			return fmt.Errorf("lower tool %q: %w", tools[i].Name, err)
		}
		with := report.Used.add(measure(wire))
		over := with.over(report.Limits)
		if len(over) == 0 {
			report.Used = with
			report.Strict++
			continue
		}
		report.Plain++
		why[i] = "not strict: with it the set would have " + listText(over, "and")
		low, err := nonStrict(tools[i].Schema, d, limits, Loss{What: why[i]})
		if err != nil {
			return fmt.Errorf("lower tool %q: %w", tools[i].Name, err)
		}
		out[i].Lowered = low
	}
	for i := range tools {
		if why[i] != "" {
			report.Degraded = append(report.Degraded, Degraded{Tool: tools[i].Name, What: why[i]})
		}
	}
	return nil
}
