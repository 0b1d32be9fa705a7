// Package cases holds what every participant of the benchmarks is given: three
// sizes of arguments with their Go types and JSON Schemas, and arguments that a
// validator has to refuse.
package cases

import (
	"fmt"
	"strings"
)

// Out is the result of every tool: small, so that the input dominates.
type Out struct {
	ID    string  `json:"id"`
	Count int     `json:"count"`
	Score float64 `json:"score"`
	OK    bool    `json:"ok"`
}

// OutSchema is the schema of Out.
const OutSchema = `{"type":"object","properties":{"id":{"type":"string"},"count":{"type":"integer"},"score":{"type":"number"},"ok":{"type":"boolean"}},"required":["id","count","score","ok"],"additionalProperties":false}`

// Tiny is one short text.
type Tiny struct {
	City string `json:"city"`
}

// Medium is what a tool of ordinary size takes.
type Medium struct {
	Room      string   `json:"room"`
	Title     string   `json:"title"`
	Agenda    string   `json:"agenda"`
	From      string   `json:"from"`
	To        string   `json:"to"`
	Priority  int      `json:"priority"`
	Audience  string   `json:"audience"`
	Guests    []string `json:"guests"`
	Labels    []string `json:"labels"`
	Place     Place    `json:"place"`
	WholeDay  bool     `json:"whole_day"`
	RemindMin int      `json:"remind_min"`
}

// Place is where a meeting is.
type Place struct {
	Name string  `json:"name"`
	Lat  float64 `json:"lat"`
	Lon  float64 `json:"lon"`
}

// Large is a batch of 500 rows.
type Large struct {
	Batch string `json:"batch"`
	Rows  []Row  `json:"rows"`
}

// Row is one of them.
type Row struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Stock int      `json:"stock"`
	Price float64  `json:"price"`
	State string   `json:"state"`
	Tags  []string `json:"tags"`
}

const (
	tinySchema = `{"type":"object","properties":{"city":{"type":"string","minLength":1,"maxLength":80}},"required":["city"],"additionalProperties":false}`

	mediumSchema = `{"type":"object","properties":{
"room":{"type":"string","pattern":"^room_[a-z0-9]{7}$"},"title":{"type":"string","minLength":1,"maxLength":200},
"agenda":{"type":"string","maxLength":2000},"from":{"type":"string","minLength":20,"maxLength":35},"to":{"type":"string","minLength":20,"maxLength":35},
"priority":{"type":"integer","minimum":1,"maximum":5},"audience":{"type":"string","enum":["everyone","team","invited"]},
"guests":{"type":"array","maxItems":50,"items":{"type":"string","minLength":3,"maxLength":120}},
"labels":{"type":"array","maxItems":20,"items":{"type":"string","minLength":1,"maxLength":40}},
"place":{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":120},"lat":{"type":"number","minimum":-90,"maximum":90},"lon":{"type":"number","minimum":-180,"maximum":180}},"required":["name","lat","lon"],"additionalProperties":false},
"whole_day":{"type":"boolean"},"remind_min":{"type":"integer","minimum":0,"maximum":10080}},
"required":["room","title","from","to","priority","audience","guests","place"],"additionalProperties":false}`

	largeSchema = `{"type":"object","properties":{"batch":{"type":"string","minLength":1,"maxLength":40},
"rows":{"type":"array","minItems":1,"maxItems":1000,"items":{"type":"object","properties":{
"id":{"type":"string","minLength":1,"maxLength":40},"name":{"type":"string","minLength":1,"maxLength":80},
"stock":{"type":"integer","minimum":0,"maximum":100000},"price":{"type":"number","minimum":0},
"state":{"type":"string","enum":["open","held","done"]},"tags":{"type":"array","maxItems":8,"items":{"type":"string","minLength":1,"maxLength":20}}},
"required":["id","name","stock","price","state","tags"],"additionalProperties":false}}},"required":["batch","rows"],"additionalProperties":false}`

	formatsSchema = `{"type":"object","properties":{"people":{"type":"array","uniqueItems":true,"items":{"type":"object","properties":{
"id":{"type":"string","format":"uuid"},"mail":{"type":"string","format":"email"},"page":{"type":"string","format":"uri"},
"since":{"type":"string","format":"date-time"},"born":{"type":"string","format":"date"},"host":{"type":"string","format":"hostname"},
"address":{"type":"string","format":"ipv4"},"groups":{"type":"array","uniqueItems":true,"items":{"type":"string"}},
"ranks":{"type":"array","uniqueItems":true,"items":{"type":"integer"}}},
"required":["id","mail"],"additionalProperties":false}}},"required":["people"],"additionalProperties":false}`

	tinyJSON = `{"city":"Lisbon"}`

	mediumJSON = `{"room":"room_7f3a9c0","title":"Planning of the quarter with the team in Lisbon","agenda":"The last quarter, whom to hire, and the budget of the new office. Please bring your numbers.",` +
		`"from":"2026-12-03T09:00:00+00:00","to":"2026-12-03T10:30:00+00:00","priority":3,"audience":"invited",` +
		`"guests":["ana@example.com","joao@example.com","marta@example.com","rui@example.com"],"labels":["planning","quarter","lisbon"],` +
		`"place":{"name":"Rua Augusta 12 \u2014 room 3","lat":38.7101,"lon":-9.1366},"whole_day":false,"remind_min":15}`
)

// A Case is one size.
type Case struct {
	Name, Schema string
	JSON         []byte
}

// All returns the three sizes.
func All() []Case {
	return []Case{
		{"tiny", tinySchema, []byte(tinyJSON)},
		{"medium", mediumSchema, []byte(mediumJSON)},
		{"large", largeSchema, LargeJSON(500)},
	}
}

// MediumCase returns the size that most targets are about.
func MediumCase() Case { return All()[1] }

// FormatsCase returns arguments that are formats and lists without repetition.
func FormatsCase() Case {
	var b strings.Builder
	for i := range 12 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"0b9f2c4e-7d31-4e5a-8f60-%012x","mail":"person.%d@mail.example.com","page":"https://www.example.com/people/%d?tab=notes#top",`+
			`"since":"2026-%02d-%02dT09:30:00.5+02:00","born":"19%02d-02-28","host":"node-%d.eu.example.net","address":"192.0.2.%d","groups":["g%d","staff","lisbon"],"ranks":[%d,%d,%d]}`,
			i*7919, i, i*31, i%12+1, i+10, i+70, i, i*17, i, i, i+100, i*3+200)
	}
	return Case{"formats", formatsSchema, []byte(`{"people":[` + b.String() + `]}`)}
}

// LargeJSON returns a batch of n rows.
func LargeJSON(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"batch":"b-2026-11-30","rows":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"row_%08d","name":"A thing with the number %d, blue","stock":%d,"price":%d.%02d,"state":"%s","tags":["t%d","stock"]}`,
			i*7919, i, (i*37)%1000, i%400, i%100, []string{"open", "held", "done"}[i%3], i%17)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// Broken returns the medium arguments with five faults: a wrong type, an unknown
// key, a value out of range, one that is not in its enum, and a missing key.
func Broken() []byte {
	return []byte(strings.NewReplacer(
		`"priority":3`, `"priority":9`, `"invited"`, `"nobody"`, `"whole_day":false`, `"whole_day":"no","colour":"red"`,
		`"title":"Planning of the quarter with the team in Lisbon",`, ``,
	).Replace(mediumJSON))
}

// WideJSON returns arguments for Wide(n): ten of its properties, as far from each
// other as they can be, and the one that Tiny's arguments give.
func WideJSON(n int) []byte {
	var b strings.Builder
	b.WriteByte('{')
	for i := range 10 {
		fmt.Fprintf(&b, `"property_%05d":"a text",`, i*n/10)
	}
	b.WriteString(`"city":"Lisbon"}`)
	return []byte(b.String())
}

// Wide returns a schema of n optional texts around the one that Tiny's arguments
// give.
func Wide(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i := range n {
		fmt.Fprintf(&b, `"property_%05d":{"type":"string","maxLength":40},`, i)
	}
	b.WriteString(`"city":{"type":"string","minLength":1,"maxLength":80}},"required":["city"],"additionalProperties":false}`)
	return b.String()
}
