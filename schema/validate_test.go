package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

type fault = schema.Fault

// A check is one value against one schema, with every fault that is wanted, in order.
type check struct {
	name   string
	schema string
	cfg    *schema.Config
	in     string
	want   []fault
}

func runChecks(t *testing.T, checks []check) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := faults(compile(t, c.schema, c.cfg).Validate([]byte(c.in)))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("faults of %s (-want +got):\n%s", c.in, diff)
			}
		})
	}
}

var closed = &schema.Config{Closed: true}

const forecastSchema = `{"type":"object","properties":{"city":{"type":"string"},"unit":{"type":"string","enum":["celsius","fahrenheit"]},` +
	`"days":{"type":"integer","default":3},"mode":{"type":"string","enum":["hourly","daily"],"default":"daily"}},"required":["city","unit"],"additionalProperties":false}`

func TestFaults(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"valid", forecastSchema, nil, `{"city":"Porto","unit":"celsius"}`, nil},
		{"every fault at once, in document order", forecastSchema, nil, `{"unit":"Kelvin","days":"3","mode":"Daily","citi":1}`, []fault{
			{"/unit", `must be "celsius" or "fahrenheit", got "Kelvin"`, ""},
			{"/days", `must be an integer, got the string "3"`, "3"},
			{"/mode", `must be "hourly" or "daily", got "Daily"`, "daily"},
			{"/citi", `unknown`, "city"},
			{"/city", `missing; wants a string`, ""},
		}},
		{"kelvin shows both units", forecastSchema, nil, `{"city":"Porto","unit":"kelvin"}`, []fault{{"/unit", `must be "celsius" or "fahrenheit", got "kelvin"`, ""}}},
		{"text that a writer has escaped is told as it reads", `{"enum":["\u5317\u4eac\u5e02\u671d\u9633\u533a","x\u0001"]}`, nil, `"\u4e0a\u6d77\u5e02\u9ec4\u6d66\u533a"`, []fault{{"", `must be "北京市朝阳区" or "x\u0001", got "上海市黄浦区"`, ""}}},
		{"B19 quoted number is refused, with what to send", forecastSchema, nil, `{"city":"a","unit":"celsius","days":"3"}`, []fault{{"/days", `must be an integer, got the string "3"`, "3"}}},
		{"B19 quoted boolean", `{"properties":{"b":{"type":"boolean"}}}`, nil, `{"b":"True"}`, []fault{{"/b", `must be a boolean, got the string "True"`, "true"}}},
		{"B19 a quoted number that is no integer gets no suggestion", `{"type":"integer"}`, nil, `"1.5"`, []fault{{"", `must be an integer, got the string "1.5"`, ""}}},
		{"B20 the whole arguments as JSON text", forecastSchema, nil, `"{\"city\":\"Porto\"}"`, []fault{
			{"", `must be an object, got JSON text in a string; send the object itself, without quotes around it`, `{"city":"Porto"}`},
		}},
		{"B20 a nested array as JSON text", `{"properties":{"l":{"type":"array"}}}`, nil, `{"l":"[1,2]"}`, []fault{
			{"/l", `must be an array, got JSON text in a string; send the array itself, without quotes around it`, `[1,2]`},
		}},
		{"B25 an unknown name is a fault", forecastSchema, nil, `{"city":"a","unit":"celsius","language":"pt"}`, []fault{
			{"/language", `unknown; accepted: city, unit, days, mode`, ""},
		}},
		{"notify: message is not near msg", `{"type":"object","properties":{"msg":{"type":"string"}}}`, closed, `{"message":"prod is down"}`, []fault{{"/message", "unknown; accepted: msg", ""}}},
		{"B26 duplicate keys", `{"properties":{"to":{}}}`, nil, `{"to":1,"x":2,"to":3,"x":4}`, []fault{{"/to", "duplicate key", ""}, {"/x", "duplicate key", ""}}},
		{"B26 duplicate keys, spelt with an escape", `{}`, nil, `{"to":1,"t\u006f":2}`, []fault{{"/to", "duplicate key", ""}}},
		{"B26 duplicate keys deep in an open value", `true`, nil, `[{"a":{"b":1,"b":2}}]`, []fault{{"/0/a/b", "duplicate key", ""}}},
		{"B06 nullable enum accepts null", `{"type":["string","null"],"enum":["a",null]}`, nil, `null`, nil},
		{"a number where a string is wanted", `{"properties":{"zip":{"type":"string"}}}`, nil, `{"zip":1234}`, []fault{{"/zip", "must be a string, got the number 1234", `"1234"`}}},
		{"one value where a list is wanted", `{"properties":{"to":{"type":"array","items":{"type":"string"}}}}`, nil, `{"to":"ana"}`, []fault{
			{"/to", `must be an array of strings, got the string "ana"`, `["ana"]`},
		}},
		{"pointers are escaped", `{"properties":{"a/b":{"properties":{"m~n":{"type":"null"}}}}}`, nil, `{"a/b":{"m~n":1}}`, []fault{{"/a~1b/m~0n", "must be null, got the number 1", ""}}},
		{"B20 JSON text where an object or null is wanted", `{"properties":{"o":{"anyOf":[{"type":"object","properties":{"a":{}}},{"type":"null"}]}}}`, nil, `{"o":" {\"a\":1} "}`, []fault{
			{"/o", `must be an object, got JSON text in a string; send the object itself, without quotes around it`, `{"a":1}`},
		}},
		{"B20 text that only looks like JSON", `{"type":"object"}`, nil, `"{a}"`, []fault{{"", `must be an object, got the string "{a}"`, ""}}},
		{"no for a boolean", `{"type":"boolean"}`, nil, `"No"`, []fault{{"", `must be a boolean, got the string "No"`, "false"}}},
		{"null as text", `{"type":["integer","null"]}`, nil, `"null"`, []fault{{"", `must be an integer or null, got the string "null"`, "null"}}},
		{"a number for a string enum", `{"type":"string","enum":["1","2"]}`, nil, `2`, []fault{{"", `must be "1" or "2", got the number 2`, `"2"`}}},
		{"a string for a number enum", `{"enum":[1,2]}`, nil, `"2"`, []fault{{"", `must be 1 or 2, got "2"`, `2`}}},
		{"true for True", `{"enum":["True","False"]}`, nil, `true`, []fault{{"", `must be "True" or "False", got true`, `"True"`}}},
		{"another number is no slip", `{"enum":["45 minutes","2 hours"]}`, nil, `"5 minutes"`, []fault{{"", `must be "45 minutes" or "2 hours", got "5 minutes"`, ""}}},
		{"an array of objects is wanted", `{"required":["l"],"properties":{"l":{"type":"array","items":{"type":"object"}}}}`, nil, `{}`, []fault{{"/l", "missing; wants an array of objects", ""}}},
		{"what is missing by reference", `{"required":["l"],"properties":{"l":{"$ref":"#/$defs/l"}},"$defs":{"l":{"enum":["a","b","c"]}}}`, nil, `{}`, []fault{{"/l", `missing; wants "a", "b" or "c"`, ""}}},
		{"what is missing among the additional", `{"required":["l"],"additionalProperties":{"type":"number"}}`, nil, `{}`, []fault{{"/l", "missing; wants a number", ""}}},
		{"many accepted names", `{"properties":{` + manyNames(25) + `},"additionalProperties":false}`, nil, `{"zzz":1}`, []fault{
			{"/zzz", "unknown; accepted: property00, property01, property02, property03, property04, property05, property06, property07, property08, property09, " +
				"property10, property11, property12, property13, property14, property15, property16, property17, property18, property19 and 5 more", ""},
		}},
		{"quotes and line breaks in what is quoted", `{"enum":["a"]}`, nil, `"b\n\"\u0001"`, []fault{{"", `must be "a", got "b\n\"\u0001"`, ""}}},
		{"the same said twice is one fault", `{"allOf":[{"type":"string"},{"type":"string"}]}`, nil, `1`, []fault{{"", "must be a string, got the number 1", `"1"`}}},
		{"long values are cut", `{"type":"integer"}`, nil, `"` + strings.Repeat("long ", 50) + `"`, []fault{{"", `must be an integer, got the string "long long long long long long long long..."`, ""}}},
		{"a whole number is an integer however it is written", `{"type":"integer"}`, nil, `10e-1`, nil},
		{"a fraction is no integer", `{"type":"integer"}`, nil, `1.5`, []fault{{"", "must be an integer, got the number 1.5, which is not whole", ""}}},
		{"names of the root itself", `{"type":"object"}`, closed, `{"a":1}`, []fault{{"/a", "unknown; no properties are accepted here", ""}}},
	})
}

func manyNames(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"property%02d":{}`, i)
	}
	return strings.Join(list, ",")
}

// TestManyProperties goes beyond one word of the bit sets.
func TestManyProperties(t *testing.T) {
	t.Parallel()
	list, required := make([]string, 200), make([]string, 200)
	for i := range list {
		list[i] = fmt.Sprintf(`"p%d":{"type":"integer","default":%d}`, i, i)
		required[i] = fmt.Sprintf(`"p%d"`, i)
	}
	text := `{"properties":{` + strings.Join(list, ",") + `},"required":[` + strings.Join(required, ",") + `]}`
	given := make([]string, 0, 200)
	for i := range 200 {
		if i != 3 && i != 70 && i != 199 {
			given = append(given, fmt.Sprintf(`"p%d":%d`, i, i))
		}
	}
	in := "{" + strings.Join(given, ",") + `,"p130":1}`
	want := []fault{
		{"/p130", "duplicate key", ""},
		{"/p3", "missing; wants an integer", ""},
		{"/p70", "missing; wants an integer", ""},
		{"/p199", "missing; wants an integer", ""},
	}
	if diff := cmp.Diff(want, faults(compile(t, text, nil).Validate([]byte(in)))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	v := compile(t, strings.Replace(text, `"required"`, `"x-required"`, 1), nil)
	got, r := v.Normalize([]byte("{" + strings.Join(given, ",") + "}"))
	if !r.OK() || !strings.HasSuffix(string(got), `,"p3":3,"p70":70,"p199":199}`) {
		t.Errorf("got %s, %v", got, r)
	}
}

func TestFaultsOfEachKeyword(t *testing.T) {
	t.Parallel()
	one := func(problem string) []fault { return []fault{{Problem: problem}} }
	runChecks(t, []check{
		{"minimum", `{"minimum":1}`, nil, `0`, one("must be at least 1, got 0")},
		{"maximum", `{"maximum":10000}`, nil, `20000`, one("must be at most 10000, got 20000")},
		{"exclusiveMinimum", `{"exclusiveMinimum":0}`, nil, `0`, one("must be more than 0, got 0")},
		{"exclusiveMaximum", `{"exclusiveMaximum":0}`, nil, `0.0`, one("must be less than 0, got 0.0")},
		{"multipleOf", `{"multipleOf":0.1}`, nil, `0.35`, one("must be a multiple of 0.1, got 0.35")},
		{"minLength 1", `{"minLength":1}`, nil, `""`, one("must not be empty")},
		{"minLength counts runes", `{"minLength":3}`, nil, `"é\ud83d\ude00"`, one("must have at least 3 characters, has 2")},
		{"maxLength counts runes", `{"maxLength":2}`, nil, `"ééé"`, one("must have at most 2 characters, has 3")},
		{"pattern", `{"pattern":"^a+$"}`, nil, `"b"`, one(`must match the pattern ^a+$, got "b"`)},
		{"format", `{"format":"email"}`, nil, `"x"`, one(`must be an e-mail address, got "x"`)},
		{"minItems", `{"minItems":1}`, nil, `[]`, one("must have at least 1 item, has 0")},
		{"maxItems", `{"maxItems":1}`, nil, `[1,2]`, one("must have at most 1 item, has 2")},
		{"uniqueItems", `{"uniqueItems":true}`, nil, `[{"a":1,"b":2},3,{"b":2.0,"a":1e0}]`, []fault{{"/2", "is the same as item 0; each item may occur once", ""}}},
		{"contains", `{"contains":{"type":"string"}}`, nil, `[1]`, one("must hold at least 1 item that fit a string, holds 0")},
		{"maxContains", `{"contains":{"type":"string"},"maxContains":1}`, nil, `["a","b"]`, one("must hold at most 1 item that fit a string, holds 2")},
		{"prefixItems and items false", `{"prefixItems":[{}],"items":false}`, nil, `[1,2]`, []fault{{"/1", "is not allowed; leave it out", ""}}},
		{"minProperties", `{"minProperties":1}`, nil, `{}`, one("must have at least 1 property, has 0")},
		{"maxProperties", `{"maxProperties":1}`, nil, `{"a":1,"b":2}`, one("must have at most 1 property, has 2")},
		{"propertyNames", `{"propertyNames":{"maxLength":1}}`, nil, `{"ab":1}`, []fault{{"/ab", "must have at most 1 character, has 2", ""}}},
		{"patternProperties", `{"patternProperties":{"^n_":{"type":"integer"}}}`, nil, `{"n_a":"x"}`, []fault{{"/n_a", `must be an integer, got the string "x"`, ""}}},
		{"dependentRequired", `{"dependentRequired":{"card":["cvc"]}}`, nil, `{"card":1}`, []fault{{"/cvc", `missing; needed when "card" is given`, ""}}},
		{"dependentSchemas", `{"dependentSchemas":{"a":{"required":["b"]}}}`, nil, `{"a":1}`, []fault{{"/b", "missing", ""}}},
		{"const", `{"const":{"a":[1]}}`, nil, `{"a":[2]}`, one(`must be {"a":[1]}, got {"a":[2]}`)},
		{"enum of many", `{"enum":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}`, nil, `0`, one("must be one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 3 more, got 0")},
		{"not", `{"not":{"type":"string"}}`, nil, `"a"`, one("must not be a string")},
		{"if then", `{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]}}`, nil, `{"a":1}`, []fault{{"/b", "missing", ""}}},
		{"false", `{"properties":{"a":false}}`, nil, `{"a":1}`, []fault{{"/a", "is not allowed; leave it out", ""}}},
		{"unevaluatedProperties", `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, nil, `{"a":1,"b":2}`, []fault{{"/b", "unknown; accepted: a", ""}}},
		{"unevaluatedItems", `{"allOf":[{"prefixItems":[{}]}],"unevaluatedItems":false}`, nil, `[1,2]`, []fault{{"/1", "is not allowed; leave it out", ""}}},
		{"date in another order", `{"format":"date"}`, nil, `"31.01.2026"`, []fault{{"", `must be a date such as 2026-01-31, got "31.01.2026"`, "2026-01-31"}}},
		{"date that has two readings", `{"format":"date"}`, nil, `"01/02/2026"`, one(`must be a date such as 2026-01-31, got "01/02/2026"`)},
		{"a number nobody needs", `{"type":"number"}`, nil, `1e9999999999`, one("must be a number of a usual size, got 1e9999999999")},
	})
}

func TestFaultsOfAlternatives(t *testing.T) {
	t.Parallel()
	const shapes = `{"oneOf":[` +
		`{"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},` +
		`{"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]}]}`
	runChecks(t, []check{
		{"no branch takes the type: one sentence", `{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`, nil, `{}`, []fault{{"", "must be a string, an integer or null, got an object", ""}}},
		{"the branch of the same type was meant", `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}`, nil, `[1]`, []fault{{"/0", "must be a string, got the number 1", `"1"`}}},
		{"the branch that the discriminator names", shapes, nil, `{"kind":"circle","side":3}`, []fault{{"/r", "missing; wants a number", ""}}},
		{"a discriminator that names none", shapes, nil, `{"kind":"Circle","side":3}`, []fault{{"/kind", `must be "circle" or "square", got "Circle"`, "circle"}}},
		{"no discriminator", shapes, nil, `{"r":1}`, []fault{{"/kind", `missing; wants "circle" or "square"`, ""}}},
		{"closed: names of the other branch", shapes, closed, `{"kind":"circle","r":1,"side":3}`, []fault{{"/side", "unknown in this form of the object; another form has it", ""}}},
		{"more than one branch of oneOf", `{"oneOf":[{"type":"integer"},{"minimum":2}]}`, nil, `3`, []fault{{"", `fits more than one of the accepted forms, an integer and {"minimum":2}; it must fit exactly one`, ""}}},
		{"fewest faults", `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b","c"]},{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}]}`, nil, `{}`, []fault{{"/a", "missing; wants a string", ""}}},
	})
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"empty", ``, "is empty, which is not JSON"},
		{"B22 white space", " \n", "is empty, which is not JSON"},
		{"cut off", `{"a":`, "is not valid JSON: it ends too early, at byte 5"},
		{"trailing text", `{} x`, "is not one JSON value: more text follows it at byte 3, x"},
		{"NaN", `{"a":NaN}`, "is not valid JSON: at byte 5, NaN is not a JSON value"},
		{"Infinity", `[-Infinity]`, "is not valid JSON: at byte 2, Infinity is not a JSON value"},
		{"Python literals", `{"a":None}`, "is not valid JSON: at byte 5, None is not a JSON value"},
		{"trailing comma", `{"a":1,}`, "is not valid JSON: at byte 7, a comma or a bracket too many: }"},
		{"single quotes", `{'a':1}`, "is not valid JSON: at byte 1, strings are written with double quotes"},
		{"bad UTF-8", "{\"a\":\"x\xff\"}", "is not valid JSON: at byte 7, the text is not valid UTF-8"},
		{"lone surrogate", `"\ud800"`, `is not valid JSON: at byte 1, the escape sequence is not valid: \ud800"`},
		{"bad escape", `"\q"`, `is not valid JSON: at byte 1, the escape sequence is not valid: \q"`},
		{"line break in a string", "\"a\nb\"", `is not valid JSON: at byte 2, a control character in a string must be escaped; a line break is \n`},
		{"leading zero", `01`, "is not one JSON value: more text follows it at byte 1, 1"},
		{"half an escape", `"\`, `is not valid JSON: at byte 1, the escape sequence is not valid: \`},
		{"half a unicode escape", `"\u12`, `is not valid JSON: at byte 1, the escape sequence is not valid: \u12`},
		{"no hexadecimal", `"\u12x4"`, `is not valid JSON: at byte 1, the escape sequence is not valid: \u12x4"`},
		{"a low surrogate alone", `"\udc00"`, `is not valid JSON: at byte 1, the escape sequence is not valid: \udc00"`},
		{"a high surrogate before something else", `"\ud800\u0041"`, `is not valid JSON: at byte 1, the escape sequence is not valid: \ud800\u0041`},
		{"a string without an end", `{"a":"b`, "is not valid JSON: it ends too early, at byte 7"},
		{"an array without an end", `[1`, "is not valid JSON: it ends too early, at byte 2"},
		{"an array that has just begun", `[`, "is not valid JSON: it ends too early, at byte 1"},
		{"an object without an end", `{"a":1`, "is not valid JSON: it ends too early, at byte 6"},
		{"an object that has just begun", `{ `, "is not valid JSON: it ends too early, at byte 2"},
		{"two members without a comma", `{"b":1 "a":1}`, `is not valid JSON: at byte 7, unexpected "\"a\":1}"`},
		{"an exponent without digits", `[1e]`, "is not valid JSON: at byte 3, a comma or a bracket too many: ]"},
		{"a sign alone", `-`, "is not valid JSON: it ends too early, at byte 1"},
		{"half a literal", `tru`, "is not valid JSON: it ends too early, at byte 3"},
		{"a name that is no string", `{1:2}`, `is not valid JSON: at byte 1, unexpected "1:2}"`},
		{"a comment", `{/*x*/}`, `is not valid JSON: at byte 1, unexpected "/*x*/}"`},
		{"a byte order mark", "\ufeff{}", `is not valid JSON: at byte 0, it starts with a byte order mark; send the JSON without it`},
		{"a control character outside of a string", "{\"a\":\f1}", `is not valid JSON: at byte 5, unexpected control character "\f"`},
		{"a control character after a string with a quote in it", `{"a\"b":` + "\x00}", `is not valid JSON: at byte 8, unexpected control character "\x00"`},
		{"missing colon", `{"a" 1}`, `is not valid JSON: at byte 5, unexpected "1}"`},
		{"missing comma", `[1 2]`, `is not valid JSON: at byte 3, unexpected "2]"`},
		{"too deep", strings.Repeat("[", 65) + strings.Repeat("]", 65), "is nested too deep: more than 64 levels at byte 64"},
		{"too large", `"` + strings.Repeat("a", 1<<20) + `"`, "is too large: 1048578 bytes, at most 1048576 are accepted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{`true`, `{"properties":{"a":{"type":"integer"}},"items":{"anyOf":[{"type":"null"}]}}`} {
				got := faults(compile(t, text, nil).Validate([]byte(c.in)))
				if diff := cmp.Diff([]fault{{Path: "", Problem: c.want}}, got); diff != "" {
					t.Errorf("against %s (-want +got):\n%s", text, diff)
				}
			}
		})
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, schema, in string
		unknown          []string
	}{
		{"true stays open", `true`, `{"a":1}`, nil},
		{"a root that names no dialect of objects stays open", `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, `{"a":1}`, nil},
		{"the schema's own word counts", `{"properties":{"a":{}},"additionalProperties":true}`, `{"b":1}`, nil},
		{"a schema for the others", `{"properties":{"a":{}},"additionalProperties":{"type":"integer"}}`, `{"b":1}`, nil},
		{"a bare object takes nothing", `{"type":"object"}`, `{"a":1}`, []string{"/a"}},
		{"a bare object by reference", `{"$ref":"#/$defs/o","$defs":{"o":{"type":"object"}}}`, `{"a":1}`, []string{"/a"}},
		{"names that are only required", `{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1}`, nil},
		{"a condition is not closed", `{"if":{"properties":{"o":{"properties":{"k":{"const":1}}}},"required":["o"]},"then":{"properties":{"o":{},"extra":{}}}}`, `{"o":{"k":1,"z":2},"extra":1}`, nil},
		{"nested", `{"properties":{"a":{"properties":{"b":{}}}}}`, `{"a":{"c":1}}`, []string{"/a/c"}},
		{"nested without properties stays open", `{"properties":{"a":{"type":"object"}}}`, `{"a":{"c":1}}`, nil},
		{"items", `{"type":"array","items":{"properties":{"b":{}}}}`, `[{"c":1}]`, []string{"/0/c"}},
		{"allOf knows the names of every part", `{"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, `{"a":1,"b":2,"c":3}`, []string{"/c"}},
		{"$ref", `{"properties":{"x":{"$ref":"#/$defs/X"}},"$defs":{"X":{"properties":{"a":{}}}}}`, `{"x":{"a":1,"b":2}}`, []string{"/x/b"}},
		{"$ref beside properties", `{"$ref":"#/$defs/X","properties":{"b":{}},"$defs":{"X":{"properties":{"a":{}}}}}`, `{"a":1,"b":2,"c":3}`, []string{"/c"}},
		{"recursion", `{"properties":{"next":{"$ref":"#"}}}`, `{"next":{"next":{"x":1}}}`, []string{"/next/next/x"}},
		{"a part that opens the object", `{"allOf":[{"properties":{"a":{}},"additionalProperties":true}]}`, `{"b":1}`, nil},
		{"patterns", `{"properties":{"a":{}},"patternProperties":{"^x_":{}}}`, `{"x_1":1,"y":2}`, []string{"/y"}},
		{"if and then", `{"properties":{"a":{}},"if":{"required":["a"]},"then":{"properties":{"b":{}}}}`, `{"a":1,"b":2,"c":3}`, []string{"/c"}},
		{"then does not apply", `{"properties":{"a":{}},"if":{"required":["a"]},"then":{"properties":{"b":{}}}}`, `{"b":2}`, []string{"/b"}},
		{"dependentSchemas", `{"properties":{"a":{}},"dependentSchemas":{"a":{"properties":{"b":{}}}}}`, `{"a":1,"b":2,"c":3}`, []string{"/c"}},
		{"not lists nothing", `{"properties":{"a":{}},"not":{"properties":{"b":{"const":1}},"required":["b"]}}`, `{"b":2}`, []string{"/b"}},
		{"draft-07 ref with siblings", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"x":{"$ref":"#/definitions/X","properties":{"b":{}}}},"definitions":{"X":{"properties":{"a":{}}}}}`, `{"x":{"b":1}}`, []string{"/x/b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range faults(compile(t, c.schema, closed).Validate([]byte(c.in))) {
				if !strings.HasPrefix(f.Problem, "unknown") {
					t.Errorf("unexpected fault %+v", f)
				}
				got = append(got, f.Path)
			}
			if diff := cmp.Diff(c.unknown, got); diff != "" {
				t.Errorf("unknown names (-want +got):\n%s", diff)
			}
			if got := faults(compile(t, c.schema, nil).Validate([]byte(c.in))); len(got) > 0 {
				t.Errorf("without Closed: %v", got)
			}
		})
	}
}

func TestMoreFaultsThanListed(t *testing.T) {
	t.Parallel()
	in := "[" + strings.Repeat("1,", 999) + "1]"
	r := compile(t, `{"items":{"type":"string"}}`, nil).Validate([]byte(in))
	if len(r.Faults) != 32 || r.More != 968 {
		t.Fatalf("%d listed and %d more, want 32 and 968", len(r.Faults), r.More)
	}
	if r.Faults[31].Path != "/31" {
		t.Errorf("last listed is %s, want the 32nd in document order", r.Faults[31].Path)
	}
}

// TestExactNumbers shows that no number passes through float64 (B17).
func TestExactNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schema, in string
		valid      bool
	}{
		{`{"maximum":9007199254740992}`, `9007199254740993`, false},
		{`{"maximum":9007199254740993}`, `9007199254740993`, true},
		{`{"const":9007199254740993}`, `9007199254740992`, false},
		{`{"const":1}`, `1.0`, true},
		{`{"const":1}`, `10e-1`, true},
		{`{"const":0}`, `-0`, true},
		{`{"minimum":0.1}`, `0.10000000000000000001`, true},
		{`{"minimum":0.1}`, `0.09999999999999999999`, false},
		{`{"multipleOf":0.01}`, `4.35`, true},
		{`{"multipleOf":1e-8}`, `12391239123`, true},
		{`{"multipleOf":0.0001}`, `0.00751`, false},
		{`{"multipleOf":3}`, `1e1000000`, false},
		{`{"multipleOf":2}`, `1e1000000`, true},
		{`{"type":"integer","multipleOf":123456789012345678901234567890}`, `246913578024691357802469135780`, true},
		{`{"exclusiveMaximum":1e400}`, `1e399`, true},
		{`{"exclusiveMaximum":1e400}`, `10e399`, false},
		{`{"uniqueItems":true}`, `[1,1.0]`, false},
		{`{"uniqueItems":true}`, `[9007199254740993,9007199254740992]`, true},
		{`{"enum":[1.50,"1.5"]}`, `15e-1`, true},
	} {
		if got := compile(t, c.schema, nil).Validate([]byte(c.in)).OK(); got != c.valid {
			t.Errorf("%s against %s: valid is %v, want %v", c.in, c.schema, got, c.valid)
		}
	}
}

// TestConcurrent shows that a Validator may be used by many at once; the race detector judges.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	v := compile(t, eventSchema, closed)
	done := make(chan bool)
	for i := range 8 {
		go func() {
			ok := true
			for range 200 {
				ok = ok && v.Validate([]byte(event)).OK()
				ok = ok && !v.Validate([]byte(`{"title":1}`)).OK()
				_, r := v.Normalize([]byte(event))
				ok = ok && r.OK() && i >= 0
			}
			done <- ok
		}()
	}
	for range 8 {
		if !<-done {
			t.Error("a verdict changed under concurrent use")
		}
	}
}
