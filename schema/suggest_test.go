package schema_test

import (
	"strings"
	"testing"

	"helve.dev/helve/schema"
)

// TestSuggestions has what models send instead of what is wanted, and what they are told to send: "" where nobody can know.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	const (
		units   = `{"type":"string","enum":["celsius","fahrenheit"]}`
		strs    = `{"type":"array","items":{"type":"string"}}`
		ints    = `{"type":"array","items":{"type":"integer"}}`
		day     = `{"type":"string","format":"date"}`
		instant = `{"type":"string","format":"date-time"}`
	)
	for _, c := range []struct{ name, schema, in, want string }{
		{"an unknown name near a known one", `{"properties":{"limit":{}}}`, `{"limt":1}`, "limit"},
		{"a value in another case", units, `"Celsius"`, "celsius"},
		{"a value with spaces around it", units, `" fahrenheit "`, "fahrenheit"},
		{"a value with spaces for underscores", `{"enum":["in_progress"]}`, `"In Progress"`, "in_progress"},
		{"a value in an array", units, `["celsius"]`, "celsius"},
		{"two values in an array", units, `["celsius","fahrenheit"]`, ""},
		{"a number that is a string", `{"enum":["1","2"]}`, `2`, `"2"`},
		{"a number that is a string, spelled in another way", `{"enum":["1","2"]}`, `2.0`, `"2"`},
		{"a string that is a number", `{"enum":[1,2]}`, `"2"`, "2"},
		{"a string that is a number, spelled in another way", `{"enum":[1,2]}`, `"1.0"`, "1"},
		{"a string that is a number, but not listed", `{"type":"integer","enum":[1,2]}`, `"3"`, ""},
		{"a string that is a boolean", `{"const":true}`, `"True"`, "true"},
		{"a boolean that is a string", `{"enum":["True","False"]}`, `true`, `"True"`},
		{"a number in quotes", `{"type":"integer"}`, `"3"`, "3"},
		{"a number in quotes and spaces", `{"type":"number"}`, `" 3.5 "`, "3.5"},
		{"a number with a unit", `{"type":"integer"}`, `"5 days"`, ""},
		{"JSON text of an object", `{"type":"object"}`, `"{\"a\":1}"`, `{"a":1}`},
		{"JSON text of an array", strs, `"[\"a\"]"`, `["a"]`},
		{"Python text of an object", `{"type":"object"}`, `"{'a': True, 'b': None}"`, `{"a": true, "b": null}`},
		{"Python text of an array", strs, `"['a', 'b']"`, `["a", "b"]`},
		{"Python text with a word in a string", `{"type":"object"}`, `"{'a': 'x: None', 'l': [True, None]}"`, `{"a": "x: None", "l": [true, null]}`},
		{"a number in quotes that is out of range", `{"type":"integer","maximum":5}`, `"12"`, ""},
		{"one item where two are wanted", `{"type":"array","items":{"type":"string"},"minItems":2}`, `"a"`, ""},
		{"one item that is too large", `{"type":"array","items":{"type":"integer","maximum":5}}`, `7`, ""},
		{"a date that another rule refuses", `{"type":"string","format":"date","pattern":"^(2026|31)"}`, `"31/01/2025"`, ""},
		{"a number in quotes for the second form", `{"anyOf":[{"type":"integer","maximum":5},{"type":"number","minimum":10}]}`, `"12"`, "12"},
		{"text that is no array after all", strs, `"[a"`, ""},
		{"one item", strs, `"a"`, `["a"]`},
		{"one number", ints, `7`, `[7]`},
		{"one number that is no item", ints, `7.5`, ""},
		{"items in words", strs, `"a, b"`, ""},
		{"the day first", day, `"31/01/2026"`, "2026-01-31"},
		{"the month first", day, `"01/31/2026"`, "2026-01-31"},
		{"the day or the month first", day, `"03/04/2026"`, ""},
		{"the day in the middle", day, `"2026-31-01"`, "2026-01-31"},
		{"without leading zeros", day, `"2026-1-5"`, "2026-01-05"},
		{"in words", day, `"Saturday, January 31, 2026"`, "2026-01-31"},
		{"a day that is not", day, `"2026-02-30"`, ""},
		{"a space before it", day, `" 2026-01-31"`, "2026-01-31"},
		{"a time, where a day is wanted", day, `"2026-01-31T10:00:00Z"`, "2026-01-31"},
		{"a space between day and time", instant, `"2026-01-31 10:00:00Z"`, "2026-01-31T10:00:00Z"},
		{"the day first, with a time", instant, `"31.01.2026 10:00 +01:00"`, "2026-01-31T10:00:00+01:00"},
		{"in words, with a time", instant, `"January 31, 2026 3:04 PM UTC"`, "2026-01-31T15:04:00Z"},
		{"an offset without a colon", instant, `"2026-01-31T10:00:00.5+0100"`, "2026-01-31T10:00:00.5+01:00"},
		{"the day or the month first, with a time", instant, `"03/04/2026 10:00Z"`, ""},
		{"another zone by its name", instant, `"2026-01-31 10:00:00 CET"`, ""},
		{"no zone", instant, `"2026-01-31T10:00:00"`, ""},
		{"no time", instant, `"2026-01-31"`, ""},
		{"an address with a space", `{"format":"email"}`, `"ann@example.com "`, "ann@example.com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := compile(t, c.schema, &schema.Config{Closed: true}).Validate([]byte(c.in))
			if len(faults(r)) != 1 {
				t.Fatalf("got %+v, want one fault", r)
			}
			if r.Faults[0].Suggestion != c.want {
				t.Errorf("got the suggestion %q, want %q: %+v", r.Faults[0].Suggestion, c.want, r.Faults[0])
			}
		})
	}
}

// TestFormsSayWhatIsWrong shows that what no form takes is not told to be of a type that it is of.
func TestFormsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, schema, in, want string }{
		{"a number out of range", `{"anyOf":[{"$ref":"#/$defs/n","properties":{}},{"$ref":"#/$defs/n","properties":{"a":{}}}],"$defs":{"n":{"type":"integer","minimum":1}}}`, `-1`, `must be {"type":"integer","minimum":1}, got the number -1`},
		{"a union in a union", `{"anyOf":[{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]},{"type":"integer","multipleOf":2}]}`, `-1`, `must be {"type":"integer","minimum":1}, null or {"type":"integer","multipleOf":2}, got the number -1`},
		{"a text of no format", `{"anyOf":[{"type":["string","null"],"format":"date"},{"type":"string","format":"ipv4"}]}`, `"x"`, `must be a date such as 2026-01-31 or null or an IPv4 address such as 192.0.2.1, got the string "x"`},
		{"an array of the wrong items", `{"anyOf":[{"oneOf":[{"type":"boolean"},{"const":"low"}]},{"type":"array","items":{"type":"null"}}]}`, `["x"]`, `must be a boolean, "low" or {"type":"array","items":{"type":"null"}}, got an array`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := compile(t, c.schema, nil).Validate([]byte(c.in))
			if len(faults(r)) != 1 || r.Faults[0].Problem != c.want {
				t.Errorf("got %+v\nwant %s", faults(r), c.want)
			}
		})
	}
}

// TestNoTimeZone tells what lacks where nobody can say what should stand there.
func TestNoTimeZone(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"format":"date-time"}`, nil)
	for _, in := range []string{`"2026-01-31T10:00:00"`, `"2026-01-31 10:00:00.25"`, `"2026-01-31T10:00"`} {
		if r := v.Validate([]byte(in)); r.OK() || !strings.Contains(r.Faults[0].Problem, "has no time zone: end it with Z") {
			t.Errorf("%s: got %+v", in, faults(r))
		}
	}
}

// TestFaultsAreShort sends long pieces of text everywhere: no fault repeats more than a piece of them.
func TestFaultsAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("all the king's secrets ", 200)
	for _, c := range []struct{ name, schema, in string }{
		{"an unknown name", `{"properties":{"a":{}}}`, `{"` + long + `":1}`},
		{"a fault below a long name", `{"additionalProperties":{"type":"integer"}}`, `{"` + long + `":"x"}`},
		{"a name twice", `{}`, `{"` + long + `":1,"` + long + `":1}`},
		{"a name that does not fit", `{"propertyNames":{"maxLength":3}}`, `{"` + long + `":1}`},
		{"a string for a number", `{"type":"integer"}`, `"` + long + `"`},
		{"a string that is not listed", `{"enum":["a"]}`, `"` + long + `"`},
		{"an object that is not listed", `{"enum":["a"]}`, `{"a":"` + long + `"}`},
		{"a pattern", `{"pattern":"^x"}`, `"` + long + `"`},
		{"a format", `{"format":"date"}`, `"` + long + `"`},
		{"JSON text", `{"type":"object"}`, `"{\"a\":\"` + long + `\"}"`},
		{"a long number", `{"maximum":3}`, strings.Repeat("7", 5000)},
		{"no form", `{"anyOf":[{"type":"integer"},{"type":"array"}]}`, `"` + long + `"`},
		{"one item", `{"type":"array","items":{"type":"string"}}`, `"` + long + `"`},
		{"text that is no JSON", `{}`, `[` + long},
		{"text after the value", `{}`, `{} ` + long},
		{"an escape that is none", `{}`, `"\` + long},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := compile(t, c.schema, &schema.Config{Closed: true}).Validate([]byte(c.in))
			if r.OK() {
				t.Fatal("accepted")
			}
			for _, f := range r.Faults {
				if text := f.Path + f.Problem + f.Suggestion; len(text) > 300 || strings.Contains(text, long[:60]) {
					t.Errorf("%d bytes: %.400s", len(text), text)
				}
			}
		})
	}
}
