package main

import (
	"context"
	"slices"
	"strings"

	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/model"
)

// models are the models that --model can name.
var models = map[string]func(*setting) model.Model{
	"offline": func(s *setting) model.Model { return standIn{} },
}

// newModel returns the model of a name.
func newModel(name string, s *setting) (model.Model, error) {
	if make, ok := models[name]; ok {
		return make(s), nil
	}
	var names []string
	for known := range models {
		names = append(names, known)
	}
	slices.Sort(names)
	return nil, helvecmd.Usagef("--model %q is not known; there is: %s", name, strings.Join(names, ", "))
}

// standIn reads everything once and says so.
type standIn struct{}

// Generate answers.
func (standIn) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	if len(req.Messages) > 1 {
		return &model.Response{Message: model.Message{Text: "Everything was read."}, Stop: model.EndTurn}, nil
	}
	return &model.Response{Stop: model.ToolUse, Message: model.Message{Calls: []model.Call{
		{ID: "c1", Tool: "read_inbox", Arguments: `{"limit":20}`},
		{ID: "c2", Tool: "read_calendar", Arguments: `{"range":"today"}`},
		{ID: "c3", Tool: "read_calendar", Arguments: `{"range":"week"}`},
		{ID: "c4", Tool: "read_tasks", Arguments: `{}`},
	}}}, nil
}
