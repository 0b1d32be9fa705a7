package schema_test

import (
	"fmt"

	"helve.dev/helve/schema"
)

func ExampleLower() {
	s := schema.Object(
		schema.Required("city", schema.String().Doc("City, as on the map").Min(2)),
		schema.Optional("days", schema.Integer().Min(1).Default(3)),
	).Must()
	for _, d := range []schema.Dialect{schema.AnthropicStrict, schema.OpenAIStrict} {
		low, err := schema.Lower(s, d, nil)
		if err != nil {
			panic(err)
		}
		fmt.Println(d, low.Strict)
		fmt.Println(low.Schema)
		for _, loss := range low.Report {
			fmt.Printf("%s %s: %s\n", loss.Path, loss.Keyword, loss.What)
		}
	}
	// Output:
	// anthropic-strict true
	// {"type":"object","properties":{"city":{"type":"string","description":"City, as on the map. At least 2 characters."},"days":{"type":"integer","description":"Default: 3. At least 1."}},"required":["city"],"additionalProperties":false}
	// /properties/city minLength: moved to the description: At least 2 characters.
	// /properties/days default: moved to the description: Default: 3.
	// /properties/days minimum: moved to the description: At least 1.
	// openai-strict true
	// {"type":"object","properties":{"city":{"type":"string","description":"City, as on the map. At least 2 characters."},"days":{"type":["integer","null"],"description":"Default: 3.","minimum":1}},"required":["city","days"],"additionalProperties":false}
	// /properties/city minLength: moved to the description: At least 2 characters.
	// /properties/days default: moved to the description: Default: 3.
	// /properties/days required: "days" is optional, but every property is required here: it takes null, which means that it is not given
}

func ExampleLowered_Restore() {
	s := schema.Object(
		schema.Required("title", schema.String()),
		schema.Optional("labels", schema.Map(schema.String())),
		schema.Optional("note", schema.String()),
	).Must()
	low, err := schema.Lower(s, schema.OpenAIStrict, &schema.LowerConfig{MapsAsPairs: true})
	if err != nil {
		panic(err)
	}
	args, err := low.Restore([]byte(`{"title":"x","labels":[{"key":"env","value":"prod"}],"note":null}`))
	fmt.Println(low.Strict, string(args), err)
	// Output:
	// true {"title":"x","labels":{"env":"prod"}} <nil>
}

func ExampleLowerAll() {
	free := schema.Object(schema.Required("meta", schema.Map(nil))).Must()
	text := schema.Object(schema.Required("q", schema.String())).Must()
	tools, report, err := schema.LowerAll([]schema.LowerTool{{Name: "put", Schema: free}, {Name: "find", Schema: text}, {Name: "list", Schema: text}},
		schema.AnthropicStrict, &schema.LowerConfig{Limits: &schema.Limits{Tools: 1}})
	if err != nil {
		panic(err)
	}
	for _, tool := range tools {
		fmt.Println(tool.Name, tool.Strict)
	}
	fmt.Println(report.Degraded)
	// Output:
	// put false
	// find true
	// list false
	// [{list not strict: with it the set would have 2 strict tools, where the provider takes 1}]
}

func ExampleDialect_Limits() {
	fmt.Printf("%+v\n", schema.AnthropicStrict.Limits())
	// Output:
	// {Tools:20 Optional:24 Unions:16 Properties:0 Depth:0 Characters:0 EnumValues:0 EnumCharacters:0}
}
