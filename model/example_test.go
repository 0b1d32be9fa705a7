package model_test

import (
	"context"
	"fmt"

	"helve.dev/helve"
	"helve.dev/helve/model"
)

func ExampleTools() {
	population := helve.Must(helve.Func(helve.Contract{
		Name: "city_population", Effect: helve.Read,
		Description: "Returns how many people live in a city, as a bare number.",
		Errors:      []helve.ErrorSpec{{Code: "no_census", When: "nobody has counted there"}},
	}, func(context.Context, struct {
		City string `json:"city"`
	},
	) (int, error) {
		return 0, nil
	}))
	reg, _ := helve.NewRegistry(population)
	for _, t := range model.Tools(reg) {
		fmt.Println(t.Name, t.Input)
		fmt.Println(t.Description)
	}
	fmt.Println(model.Usage{InputTokens: 10, OutputTokens: 2}.Add(model.Usage{InputTokens: 5}).Total())
	// Output:
	// city_population {"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}
	// Returns how many people live in a city, as a bare number.
	//
	// Errors:
	// - no_census: nobody has counted there
	// 17
}
