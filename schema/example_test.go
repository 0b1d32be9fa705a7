package schema_test

import (
	"fmt"

	"helve.dev/helve/schema"
)

func ExampleFor() {
	type Forecast struct {
		City string `json:"city" doc:"City, as on the map"`
		Unit string `json:"unit" enum:"celsius,fahrenheit"`
		Days int    `json:"days" default:"3" minimum:"1" maximum:"10"`
	}
	s, err := schema.For[Forecast]()
	if err != nil {
		panic(err)
	}
	fmt.Println(s)
	// Output:
	// {"type":"object","properties":{"city":{"type":"string","description":"City, as on the map"},"unit":{"type":"string","enum":["celsius","fahrenheit"]},"days":{"type":"integer","minimum":1,"maximum":10,"default":3}},"required":["city","unit"],"additionalProperties":false}
}

func ExampleParse() {
	s, err := schema.Parse([]byte(`{ "type": "object", "properties": { "b": true, "a": true } }`))
	fmt.Println(s, err)
	// Output:
	// {"type":"object","properties":{"b":true,"a":true}} <nil>
}

func ExampleCompile() {
	s := schema.MustParse(`{"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["celsius","fahrenheit"]},"days":{"type":"integer"}},"required":["city","unit"]}`)
	v, err := schema.Compile(s, &schema.Config{Closed: true})
	if err != nil {
		panic(err)
	}
	report := v.Validate([]byte(`{"unit":"Celsius","days":"3","citi":"Porto"}`))
	for _, f := range report.Faults {
		fmt.Printf("%s: %s", f.Path, f.Problem)
		if f.Suggestion != "" {
			fmt.Printf(" (did you mean %s?)", f.Suggestion)
		}
		fmt.Println()
	}
	// Output:
	// /unit: must be "celsius" or "fahrenheit", got "Celsius" (did you mean celsius?)
	// /days: must be an integer, got the string "3" (did you mean 3?)
	// /citi: unknown (did you mean city?)
	// /city: missing; wants a string
}

func ExampleValidator_Normalize() {
	s := schema.MustParse(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","default":3},"note":{"type":"string"}},"required":["city"]}`)
	v, err := schema.Compile(s, &schema.Config{Closed: true, Aliases: map[string]string{"town": "city"}})
	if err != nil {
		panic(err)
	}
	settled, report := v.Normalize([]byte(`{"town": "Porto", "note": null}`))
	fmt.Println(string(settled), report.OK(), report.Aliases)
	// Output:
	// {"city": "Porto","days":3} true [{town city}]
}

func ExampleObject() {
	s := schema.Object(
		schema.Required("city", schema.String().Doc("City, as on the map")),
		schema.Optional("days", schema.Integer().Min(1).Default(3)),
		schema.Optional("labels", schema.Map(schema.String())),
	).Must()
	fmt.Println(s)
	// Output:
	// {"type":"object","properties":{"city":{"type":"string","description":"City, as on the map"},"days":{"type":"integer","minimum":1,"default":3},"labels":{"type":"object","additionalProperties":{"type":"string"}}},"required":["city"],"additionalProperties":false}
}

func ExampleParams() {
	p := schema.Params{
		{Name: "query", Type: "string", Description: "What to look for"},
		{Name: "limit", Type: "integer", Default: []byte(`10`)},
	}
	s, err := p.Schema()
	fmt.Println(s, err)
	// Output:
	// {"type":"object","properties":{"query":{"type":"string","description":"What to look for"},"limit":{"type":"integer","default":10}},"required":["query"],"additionalProperties":false} <nil>
}

func ExampleNearest() {
	fmt.Println(schema.Nearest("limt", []string{"offset", "limit"}))
	fmt.Println(schema.Nearest("depth", []string{"path", "maxDepth"}))
	fmt.Println(schema.Nearest("message", []string{"msg"}))
	// Output:
	// [limit]
	// [maxDepth]
	// []
}
