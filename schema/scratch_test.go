package schema_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"math/big"
	"net/url"
	"testing"
	"time"

	"helve.dev/helve/schema"
	jsonv2 "github.com/go-json-experiment/json"
)

func TestScratch(t *testing.T) {
	show := func(sc, in string, cfg *schema.Config) {
		s, err := schema.Parse([]byte(sc)); if err != nil { t.Fatal(err) }
		v, err := schema.Compile(s, cfg)
		if err != nil { fmt.Println("COMPILE", err); return }
		out, r := v.Normalize([]byte(in))
		j, _ := json.Marshal(r)
		fmt.Printf("%s\n  %s -> %s\n  %s\n", sc, in, out, j)
	}
	closed := &schema.Config{Closed: true}
	show(`{"type":"object","properties":{"msg":{"type":"string","default":"default message"}}}`, `{"message":"prod is down"}`, closed)
	show(`{"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["celsius","fahrenheit"]},"days":{"type":"integer","default":3},"mode":{"type":"string","enum":["hourly","daily"],"default":"daily"}},"required":["city","unit"]}`, `{"city":"Porto","unit":"celsius"}`, closed)
	show(`{"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["celsius","fahrenheit"]},"days":{"type":"integer","default":3},"mode":{"type":"string","enum":["hourly","daily"],"default":"daily"}},"required":["city","unit"]}`, `{"unit":"Kelvin","days":"3","mode":"Daily","citi":1}`, closed)
	show(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}},"l":{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer","default":7}},"required":["x"]}}}}`, `{ "a":{"b":null}, "l":[{"x":1,"y":null},{"x":null}] , "a":1, "z":null}`, closed)
	show(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"type":"integer"}}}`, ` { "a" : null , "b" : null , "c" : null } `, closed)
	show(`{"type":"object","properties":{"limit":{"type":"integer"}}}`, `{"max":3}`, &schema.Config{Closed: true, Aliases: map[string]string{"max":"limit"}})
	show(`{"type":"object","properties":{"limit":{"type":"integer"}}}`, `{"max":3,"limit":4}`, &schema.Config{Closed: true, Aliases: map[string]string{"max":"limit"}})
	show(`{"type":"object","properties":{"when":{"type":"string","format":"date"},"tags":{"type":"array","items":{"type":"string"}},"o":{"type":"object"},"n":{"type":"number"},"s":{"type":"string"},"b":{"type":"boolean"}},"required":["x"]}`, `{"when":"31.01.2026","tags":"a","o":"{\"a\":1}","n":"1.5","s":12,"b":"true"}`, closed)
	show(`{"type":"object","properties":{"when":{"type":"string"}}}`, `"{\"title\":\"x\"}"`, closed)
	show(`{"type":"object","properties":{"when":{"type":"string"}}}`, ``, closed)
	show(`{"type":"object"}`, `{"a":1}`, closed)
	show(`{"oneOf":[{"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},{"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]}]}`, `{"kind":"circle","side":3}`, closed)
	show(`{"oneOf":[{"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},{"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]}]}`, `{"kind":"Circle","side":3}`, closed)
	show(`{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`, `{}`, closed)
	show(`{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`, `1.5`, closed)
	show(`{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}`, `[1]`, closed)
	show(`{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"allOf":[{"properties":{"x":{"type":"integer","default":1}}},{"properties":{"y":{}}}]}}}`, `{"a":{"y":1,"z":2}}`, closed)
	show(`{"properties":{"a":{"anyOf":[{"type":"object","properties":{"x":{"default":1}},"required":["q"]},{"type":"null"}]}}}`, `{"a":{"w":1}}`, closed)
	show(`{"type":"object","properties":{"a":{"type":"object","properties":{"f":{"type":"string","deprecated":true}}}}}`, `{"a":{"f":"x"}}`, closed)
	for _, in := range []string{`{"a":NaN}`, `{"a":1,}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `{"a":1}x`, `{"a"`, `{'a':1}`, `{"a":"\q"}`, `{"to":1,"t\u006f":2}`, `{"a":1,"a":2,"b":1,"b":3}`, `{"a":01}`, "{\"a\":\"x\ny\"}"} {
		show(`{"type":"object","properties":{"a":{}}}`, in, nil)
	}
	show(`{"type":"object","properties":{"a":{"type":"integer","exclusiveMinimum":true},"b":{"pattern":"("},"c":{"$ref":"#/nope"}},"allOf":3}`, `1`, nil)
	show(`{"$ref":"#"}`, `1`, nil)
	show(`{"$schema":"http://json-schema.org/draft-04/schema#"}`, `1`, nil)
	show(`{"type":"object","properties":{"a":{"type":"integer","minimum":1,"maximum":10000},"p":{"type":"string","pattern":"^(?=a).*$","minLength":3},"e":{"type":"string","format":"email"},"m":{"type":"number","multipleOf":0.1}}}`, `{"a":20000,"p":"b","e":"x","m":0.35}`, nil)
}

type Base struct { ID string `json:"id" doc:"the id"` }
type Stamp struct { time.Time }
type Node struct { Value int `json:"value"`; Kids []Node `json:"kids"`; Next *Node `json:"next"` }
type Color string
func (Color) Enum() []Color { return []Color{"red","green"} }
type In struct {
	Base
	City string `json:"city" doc:"City name" minLength:"1"`
	Days int `json:"days" default:"3" minimum:"1" maximum:"10"`
	Opt *int `json:"opt,omitempty"`
	C Color `json:"c"`
	CP *Color `json:"cp"`
	CS []Color `json:"cs"`
	At time.Time `json:"at"`
	St Stamp `json:"st"`
	D time.Duration `json:"d"`
	U url.URL `json:"u"`
	UP *url.URL `json:"up"`
	B *big.Int `json:"b"`
	IP netip.Addr `json:"ip"`
	Raw []byte `json:"raw"`
	M map[string]int8 `json:"m"`
	MI map[int]bool `json:"mi"`
	Arr [2]float64 `json:"arr"`
	Sub *struct{ X string `json:"x"` } `json:"sub"`
	Any any `json:"any" doc:"anything"`
	Level string `json:"level" enum:"low, high" default:"low"`
	Tags []string `json:"tags" enum:"a,b" maxItems:"3" default:"[\"a\"]"`
	Q int64 `json:"q,string"`
	N Node `json:"n"`
	Extra map[string]any `json:",embed"`
}
type Bad struct {
	Filters []struct { Fn func() }
	C chan int
	N int `default:"x" minimum:"q"`
	S string `minLenght:"3"`
	D int8 `default:"300"`
	E string `default:"zz" enum:"a,b"`
	X any `json:",inline"`
}
func TestScratchInfer(t *testing.T) {
	s, err := schema.For[In]()
	fmt.Println(s, err)
	if err == nil {
		fmt.Println(schema.MustParse(s.String()).Equal(s))
		v, err := schema.Compile(s, &schema.Config{Closed:true})
		fmt.Println(err)
		u, _ := url.Parse("https://a.b/c")
		in := In{Base: Base{"x"}, City:"c", Days: 3, C:"red", CS: []Color{"red"}, Level: "low", Tags: []string{"a"}, U: *u, UP: u}
		raw, err := jsonv2.Marshal(in, schema.JSONOptions())
		fmt.Println(string(raw), err)
		r := v.Validate(raw)
		fmt.Printf("%+v\n", r)
		var back In
		fmt.Println(jsonv2.Unmarshal(raw, &back, schema.JSONOptions()))
		fmt.Println(back.U, back.UP, back.D)
	}
	fmt.Println(schema.For[Bad]())
	fmt.Println(schema.For[Node]())
	fmt.Println(schema.For[struct{City string `json:"city"`}]())
	fmt.Println(schema.For[struct{}]())
	fmt.Println(schema.For[int]())
	fmt.Println(schema.For[Stamp]())
	fmt.Println(schema.For[*Color]())
}
