package main

import (
	"slices"
	"strings"

	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/examples/dayflow/internal/offline"
	"helve.dev/helve/model"
)

// models are the models that --model can name.
var models = map[string]func(*setting) model.Model{
	"offline": func(s *setting) model.Model { return offline.New(offline.Config{Today: s.today, Zone: s.zone}) },
}

// newModel returns the model of a name.
func newModel(name string, s *setting) (model.Model, error) {
	if newOne, ok := models[name]; ok {
		return newOne(s), nil
	}
	var names []string
	for known := range models {
		names = append(names, known)
	}
	slices.Sort(names)
	return nil, helvecmd.Usagef("--model %q is not known; there is: %s", name, strings.Join(names, ", "))
}
