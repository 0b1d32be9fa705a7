package schema_test

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"helve.dev/helve/schema"
)

type (
	channel interface{ channel() }
	byMail  struct {
		To string `json:"to" format:"email"`
	}
	bySMS struct {
		Number string `json:"number" pattern:"^[+][0-9]+$"`
	}
	channels struct{}
)

func (byMail) channel() {}
func (bySMS) channel()  {}

func (channels) Variants() (string, []schema.Variant) {
	return "kind", []schema.Variant{schema.VariantOf[byMail]("mail"), schema.VariantOf[bySMS]("sms")}
}

// A union of two forms in the input of a tool.
func ExampleUnion() {
	type Channel = schema.Union[channel, channels]
	type Notify struct {
		Text string  `json:"text"`
		Via  Channel `json:"via"`
	}
	s, err := schema.For[Notify]()
	if err != nil {
		panic(err)
	}
	v, err := schema.Compile(s, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(v.Validate([]byte(`{"text":"Hi","via":{"kind":"sms","number":"12"}}`)).Faults)

	var in Notify
	if err := json.Unmarshal([]byte(`{"text":"Hi","via":{"kind":"mail","to":"ana@example.org"}}`), &in, schema.JSONOptions()); err != nil {
		panic(err)
	}
	fmt.Printf("%#v\n", in.Via.Value)
	raw, err := json.Marshal(Notify{Text: "Hi", Via: Channel{Value: bySMS{"+351"}}}, schema.JSONOptions())
	fmt.Println(string(raw), err)
	// Output:
	// [{/via/number must match the pattern ^[+][0-9]+$, got "12" }]
	// schema_test.byMail{To:"ana@example.org"}
	// {"text":"Hi","via":{"kind":"sms","number":"+351"}} <nil>
}

// A model that quotes its numbers, and sends an array as text.
func ExampleConfig_coerce() {
	s := schema.MustParse(`{"type":"object","properties":{"days":{"type":"integer"},"name":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}}}`)
	v, err := schema.Compile(s, &schema.Config{Coerce: true})
	if err != nil {
		panic(err)
	}
	settled, report := v.Normalize([]byte(`{"days":"3","name":"007","tags":"[\"a\"]"}`))
	fmt.Println(string(settled))
	for _, c := range report.Coerced {
		fmt.Println(c.Path, c.From, "->", c.To)
	}
	// Output:
	// {"days":3,"name":"007","tags":["a"]}
	// /days "3" -> 3
	// /tags "[\"a\"]" -> ["a"]
}
