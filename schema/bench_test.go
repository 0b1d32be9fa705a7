package schema_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

const eventSchema = `{
	"type":"object",
	"properties":{
		"calendar_id":{"type":"string","pattern":"^[a-z0-9_]{3,40}$"},
		"title":{"type":"string","minLength":1,"maxLength":200},
		"start":{"type":"string","format":"date-time"},
		"minutes":{"type":"integer","minimum":5,"maximum":1440},
		"priority":{"type":"number","exclusiveMinimum":0,"maximum":9.5},
		"visibility":{"type":"string","enum":["public","private","confidential"]},
		"all_day":{"type":"boolean"},
		"attendees":{"type":"array","maxItems":50,"uniqueItems":true,"items":{"type":"string","format":"email"}},
		"location":{"type":"object","properties":{"name":{"type":"string"},"lat":{"type":"number"},"lon":{"type":"number"}},"required":["name"]},
		"labels":{"type":"object","additionalProperties":{"type":"string"}},
		"repeat":{"anyOf":[{"type":"string"},{"type":"null"}]},
		"note":{"type":["string","null"]}
	},
	"required":["calendar_id","title","start"]
}`

const event = `{"calendar_id":"work_main","title":"Quarterly \u201creview\u201d with everyone","start":"2026-01-31T09:30:00Z",
"minutes":90,"priority":2.5,"visibility":"private","all_day":false,"attendees":["ana@example.com","rui@example.com","zoe@example.org"],
"location":{"name":"Room 4, second floor","lat":38.7223,"lon":-9.1393},"labels":{"team":"core","quarter":"Q1"},"repeat":null,"note":"bring the figures"}`

// sizes are the inputs that the performance goals speak of.
func sizes() []struct{ name, schema, input string } {
	rows := make([]string, 500)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":%d,"name":"row number %d","price":%d.50,"in_stock":true,"tags":["a","b"],"note":"a line of text that says little"}`, i, i, i)
	}
	return []struct{ name, schema, input string }{
		{"tiny", `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`, `{"city":"Lisbon"}`},
		{"medium", eventSchema, event},
		{"large", `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string","maxLength":80},` +
			`"price":{"type":"number","minimum":0},"in_stock":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string"}},"note":{"type":"string"}},` +
			`"required":["id","name"],"additionalProperties":false}}}}`, `{"rows":[` + strings.Join(rows, ",") + `]}`},
	}
}

// sketches are inputs of the shape that the performance goals were measured with first: names in the schema's order, bounds on
// every string, a pattern, an enum.
func sketches() []struct{ name, schema, input string } {
	items := make([]string, 500)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id":"itm_%08d","name":"Shelf number %d, painted","qty":%d,"price":%d.%02d,"status":%q,"tags":["t%d","stock"]}`, i*7919, i, i*37%1000, i, i%100, []string{"open", "held", "done"}[i%3], i%17)
	}
	const short = `{"type":"string","minLength":1,"maxLength":40}`
	return []struct{ name, schema, input string }{
		{
			"medium-sketch", `{"type":"object","properties":{"calendar":{"type":"string","pattern":"^cal_[a-z0-9]{8}$"},"title":` + short + `,"text":{"type":"string","maxLength":2000},
"start":{"type":"string","minLength":20,"maxLength":35},"end":{"type":"string","minLength":20,"maxLength":35},"priority":{"type":"integer","minimum":1,"maximum":5},
"visibility":{"type":"string","enum":["public","private","confidential"]},"attendees":{"type":"array","maxItems":50,"items":{"type":"string","minLength":3,"maxLength":120}},
"tags":{"type":"array","maxItems":20,"items":` + short + `},"location":{"type":"object","properties":{"name":` + short + `,"lat":{"type":"number","minimum":-90,"maximum":90},"lon":{"type":"number","minimum":-180,"maximum":180}},
"required":["name","lat","lon"],"additionalProperties":false},"all_day":{"type":"boolean"},"reminder":{"type":"integer","minimum":0,"maximum":10080}},
"required":["calendar","title","start","end","priority","visibility","attendees","location"],"additionalProperties":false}`,
			`{"calendar":"cal_7f3a9c01","title":"Planning with the Lisbon team","text":"Agenda: a look back at the quarter, hiring, the budget for the new office. Bring figures.","start":"2026-12-03T09:00:00+00:00","end":"2026-12-03T10:30:00+00:00","priority":3,"visibility":"private","attendees":["ana@example.com","rui@example.com","zoe@example.com","joao@example.com"],"tags":["planning","q1","lisbon"],"location":{"name":"Rua Augusta 12 \u2014 room 3","lat":38.7101,"lon":-9.1366},"all_day":false,"reminder":15}`,
		},
		{
			"large-sketch", `{"type":"object","properties":{"batch":` + short + `,"items":{"type":"array","minItems":1,"maxItems":1000,"items":{"type":"object","properties":{"id":` + short + `,"name":{"type":"string","minLength":1,"maxLength":80},"qty":{"type":"integer","minimum":0,"maximum":100000},
"price":{"type":"number","minimum":0},"status":{"type":"string","enum":["open","held","done"]},"tags":{"type":"array","maxItems":8,"items":` + short + `}},"required":["id","name","qty","price","status","tags"],"additionalProperties":false}}},"required":["batch","items"],"additionalProperties":false}`,
			`{"batch":"b-2026-11-30","items":[` + strings.Join(items, ",") + `]}`,
		},
	}
}

// TestValidNoAllocations holds the goal of docs: a valid value costs no allocation, whatever its size.
func TestValidNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools drop what they hold")
	}
	for _, size := range append(sizes(), sketches()...) {
		v := compile(t, size.schema, &schema.Config{Closed: true})
		in := []byte(size.input)
		if r := v.Validate(in); !r.OK() {
			t.Fatalf("%s: %v", size.name, r.Faults)
		}
		if n := testing.AllocsPerRun(100, func() { v.Validate(in) }); n > 0 {
			t.Errorf("%s: Validate: %v allocations, want none", size.name, n)
		}
		if n := testing.AllocsPerRun(100, func() { v.Normalize(in) }); n > 0 {
			t.Errorf("%s: Normalize: %v allocations, want none", size.name, n)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	for _, size := range append(sizes(), sketches()...) {
		v := compile(b, size.schema, &schema.Config{Closed: true})
		in := []byte(size.input)
		b.Run(size.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				v.Validate(in)
			}
		})
		b.Run(size.name+"/tokens", func(b *testing.B) { // the floor that the goal is a multiple of
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			dec := jsontext.NewDecoder(bytes.NewReader(in))
			for b.Loop() {
				dec.Reset(bytes.NewBuffer(in))
				for {
					if _, err := dec.ReadToken(); err != nil {
						if !errors.Is(err, io.EOF) {
							b.Fatal(err)
						}
						break
					}
				}
			}
		})
	}
}

// TestNothingToSettleNoAllocations has schemas with something to settle and values where it has been settled, or cannot be.
func TestNothingToSettleNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools drop what they hold")
	}
	const forecast = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","default":3},"unit":{"type":["string","null"]}},"required":["city"]}`
	for _, c := range []struct{ name, schema, in string }{
		{"all is given", forecast, `{"city":"Porto","days":2,"unit":"metric"}`},
		{"null where it is accepted", forecast, `{"city":"Porto","days":2,"unit":null}`},
		{"a default that does not fit", strings.Replace(forecast, `"default":3`, `"default":"x"`, 1), `{"city":"Porto"}`},
		{
			"defaults of branches, which are not filled in",
			`{"type":"object","properties":{"city":{"anyOf":[{"type":"object","properties":{"name":{"type":"string"},"country":{"type":"string","default":"PT"}},"required":["name"]},{"type":"string"}]}}}`,
			`{"city":{"name":"Porto"}}`,
		},
		{
			"formats", `{"type":"object","properties":{"city":{"type":"string","format":"uri"},"with":{"type":"array","uniqueItems":true,"items":{"type":["string","number","array","object"],"format":"email"}}}}`,
			`{"city":"https://example.com/porto?a#b","with":["ana@example.com","rui@example.com",1,2.5,[1],{"a":1},["a","b","c","d","e"]]}`,
		},
	} {
		v := compile(t, c.schema, &schema.Config{Closed: true, Aliases: map[string]string{"town": "city"}})
		in := []byte(c.in)
		if out, r := v.Normalize(in); r != nil || string(out) != c.in {
			t.Fatalf("%s: %s, %v", c.name, out, r)
		}
		if n := testing.AllocsPerRun(100, func() { v.Normalize(in) }); n > 0 {
			t.Errorf("%s: %v allocations, want none", c.name, n)
		}
	}
}

// TestRefuseAllocations bounds what it costs to put three faults into words.
func TestRefuseAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools drop what they hold")
	}
	v := compile(t, eventSchema, &schema.Config{Closed: true})
	in := []byte(strings.NewReplacer(`"minutes":90`, `"minutes":"90"`, `"private"`, `"secret"`, `"note"`, `"notes"`).Replace(event))
	if n := testing.AllocsPerRun(100, func() { v.Validate(in) }); n > 12 {
		t.Errorf("%v allocations for three faults, want at most 12", n)
	}
}

func BenchmarkRefuse(b *testing.B) {
	v := compile(b, eventSchema, &schema.Config{Closed: true})
	in := []byte(strings.NewReplacer(`"minutes":90`, `"minutes":"90"`, `"private"`, `"secret"`, `"note"`, `"notes"`).Replace(event))
	b.ReportAllocs()
	for b.Loop() {
		if r := v.Validate(in); len(r.Faults) != 3 {
			b.Fatal(r.Faults)
		}
	}
}

func BenchmarkNormalizeDefaults(b *testing.B) {
	v := compile(b, `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","default":3},"mode":{"enum":["hourly","daily"],"default":"daily"}},"required":["city"]}`, nil)
	in := []byte(`{"city":"Porto"}`)
	b.ReportAllocs()
	for b.Loop() {
		v.Normalize(in)
	}
}
