package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"helve.dev/helve/internal/dialect"
)

// right are schemas that each receiver takes.
var right = []struct {
	d      dialect.Dialect
	strict bool
	wire   string
}{
	{dialect.Anthropic, true, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`},
	{dialect.Anthropic, true, `{"type":"object","properties":{"additionalProperties":{"type":"string","format":"uri"},"$ref":{"type":"array","items":{"$ref":"#/$defs/a"},"minItems":1}},"required":["$ref"],"additionalProperties":false,"$defs":{"a":{"type":["string","null"],"enum":["x",null],"pattern":"^[a-z]{1,3}$"}}}`},
	{dialect.OpenAI, true, `{"type":"object","properties":{"strict":{"anyOf":[{"$ref":"#"},{"type":"null"}]},"n":{"type":"integer","minimum":1,"multipleOf":2}},"required":["strict","n"],"additionalProperties":false}`},
	{dialect.OpenAI, false, `{"type":"object","properties":{"a":{"type":"array","items":{}}},"required":["a","b"],"minProperties":1}`},
	{dialect.Anthropic, false, `{"type":"object","properties":{"a":{"not":{"type":"string"}}}}`},
	{dialect.Gemini, false, `{"type":"object","properties":{"a":{"type":"array","prefixItems":[{"type":"string"}]},"b":{"enum":["x",1]},"c":{"$ref":"#/$defs/c"}},"$defs":{"c":{"type":"object","properties":{"c":{"$ref":"#/$defs/c"}}}}}`},
	{dialect.MCP, false, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"items":[{"type":"string"}]}},"dependencies":{"a":["b"]}}`},
}

func TestRight(t *testing.T) {
	t.Parallel()
	for _, c := range right {
		if faults := dialect.Check(c.d, []byte(c.wire), c.strict); len(faults) > 0 {
			t.Errorf("%s (strict %v): %s: %v", c.d, c.strict, c.wire, faults)
		}
	}
}

// in puts the schema of a property into a closed object that requires it.
func in(prop string) string {
	return `{"type":"object","properties":{"x":` + prop + `},"required":["x"],"additionalProperties":false}`
}

func many(n int, format string) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf(format, i))
	}
	return strings.Join(parts, ",")
}

// TestWrong breaks each rule by hand: the checker finds it.
func TestWrong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("y", 70)
	deep := strings.Repeat(`{"type":"array","items":`, 10) + `{"type":"string"}` + strings.Repeat("}", 10)
	for name, c := range map[string]struct {
		d      dialect.Dialect
		strict bool
		wire   string
		want   string
	}{
		"not JSON":             {dialect.MCP, false, `{`, "EOF"},
		"duplicate names":      {dialect.MCP, false, `{"type":"object","type":"object"}`, "duplicate"},
		"text after":           {dialect.MCP, false, `{"type":"object","properties":{}} {}`, "after"},
		"boolean root":         {dialect.MCP, false, `true`, "not an object"},
		"root without type":    {dialect.MCP, false, `{"properties":{}}`, "root's type"},
		"root of two types":    {dialect.OpenAI, false, `{"type":["object","null"],"properties":{}}`, "root's type"},
		"no properties (B09)":  {dialect.OpenAI, false, `{"type":"object"}`, "no properties"},
		"null required (B09)":  {dialect.OpenAI, false, `{"type":"object","properties":{},"required":null}`, "required is not"},
		"root anyOf (B11)":     {dialect.Anthropic, false, `{"type":"object","properties":{},"anyOf":[{}]}`, "root says anyOf"},
		"root oneOf":           {dialect.Anthropic, true, `{"type":"object","properties":{},"required":[],"additionalProperties":false,"oneOf":[{"type":"object"}]}`, "root says oneOf"},
		"root allOf":           {dialect.OpenAI, false, `{"type":"object","properties":{},"allOf":[{}]}`, "root says allOf"},
		"root not":             {dialect.OpenAI, false, `{"type":"object","properties":{},"not":{}}`, "root says not"},
		"root reference":       {dialect.MCP, false, `{"type":"object","properties":{},"$ref":"#/$defs/a","$defs":{"a":{}}}`, "root says $ref"},
		"old tuple":            {dialect.Anthropic, false, `{"type":"object","properties":{"a":{"items":[{}]}}}`, "items is an array"},
		"old dependencies":     {dialect.OpenAI, false, `{"type":"object","properties":{"a":{"dependencies":{}}}}`, "another draft"},
		"draft-04 bound":       {dialect.Anthropic, false, `{"type":"object","properties":{"a":{"exclusiveMinimum":true}}}`, "exclusiveMinimum is not a number"},
		"wrong type name":      {dialect.MCP, false, `{"type":"object","properties":{"a":{"type":"str"}}}`, "type is wrong"},
		"empty enum":           {dialect.OpenAI, false, `{"type":"object","properties":{"a":{"enum":[]}}}`, "enum is not a list"},
		"untyped items, plain": {dialect.OpenAI, false, `{"type":"object","properties":{"a":{"type":"array"}}}`, "array without items"},
		"no such strict form":  {dialect.Gemini, true, `{"type":"object","properties":{}}`, "no strict form"},

		"open object, Anthropic":        {dialect.Anthropic, true, in(`{"type":"object","properties":{},"required":[]}`), "additionalProperties is not false"},
		"open object by true (B15)":     {dialect.Anthropic, true, in(`{"type":"object","properties":{},"required":[],"additionalProperties":true}`), "additionalProperties is not false"},
		"map (B15)":                     {dialect.Anthropic, true, in(`{"type":"object","properties":{},"required":[],"additionalProperties":{"type":"string"}}`), "additionalProperties is not false"},
		"object without properties":     {dialect.Anthropic, true, in(`{"type":"object","required":[],"additionalProperties":false}`), "without properties"},
		"untyped closed object (B13)":   {dialect.OpenAI, true, in(`{"properties":{"a":{"type":"string"}}}`), "additionalProperties is not false"},
		"nullable object (B13)":         {dialect.OpenAI, true, in(`{"type":["object","null"],"properties":{"a":{"type":"string"}},"additionalProperties":false,"required":[]}`), `"a" is not required`},
		"object in anyOf (B13)":         {dialect.OpenAI, true, in(`{"anyOf":[{"type":"object","properties":{}},{"type":"null"}]}`), "additionalProperties is not false"},
		"object in items (B13)":         {dialect.OpenAI, true, in(`{"type":"array","items":{"type":"object","properties":{}}}`), "additionalProperties is not false"},
		"object in $defs (B13)":         {dialect.OpenAI, true, `{"type":"object","properties":{},"required":[],"additionalProperties":false,"$defs":{"a":{"type":"object","properties":{}}}}`, "additionalProperties is not false"},
		"optional property":             {dialect.OpenAI, true, `{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`, `"a" is not required`},
		"default (B14)":                 {dialect.OpenAI, true, in(`{"type":"integer","default":20}`), "keyword default"},
		"minLength, OpenAI":             {dialect.OpenAI, true, in(`{"type":"string","minLength":1}`), "keyword minLength"},
		"uri, OpenAI":                   {dialect.OpenAI, true, in(`{"type":"string","format":"uri"}`), "format uri"},
		"look-ahead":                    {dialect.OpenAI, true, in(`{"type":"string","pattern":"^(?=a)"}`), "looks around"},
		"siblings of $ref":              {dialect.OpenAI, true, in(`{"$ref":"#","description":"x"}`), "$ref has siblings"},
		"allOf, OpenAI":                 {dialect.OpenAI, true, in(`{"allOf":[{"type":"string"}]}`), "keyword allOf"},
		"oneOf, OpenAI":                 {dialect.OpenAI, true, in(`{"oneOf":[{"type":"string"}]}`), "keyword oneOf"},
		"array without items, OpenAI":   {dialect.OpenAI, true, in(`{"type":"array"}`), "array without items"},
		"untyped items, strict":         {dialect.OpenAI, true, in(`{"type":"array","items":{}}`), "without a type"},
		"boolean schema":                {dialect.OpenAI, true, in(`true`), "not a schema object"},
		"dangling reference":            {dialect.OpenAI, true, in(`{"$ref":"#/$defs/none"}`), "leads nowhere"},
		"remote reference":              {dialect.Anthropic, true, in(`{"$ref":"https://example.com/a"}`), "leads nowhere"},
		"required unknown name":         {dialect.Anthropic, true, `{"type":"object","properties":{},"required":["a"],"additionalProperties":false}`, "is required but no property"},
		"bound, Anthropic":              {dialect.Anthropic, true, in(`{"type":"integer","minimum":1}`), "keyword minimum"},
		"maxLength, Anthropic":          {dialect.Anthropic, true, in(`{"type":"string","maxLength":1}`), "keyword maxLength"},
		"maxItems, Anthropic":           {dialect.Anthropic, true, in(`{"type":"array","items":{"type":"string"},"maxItems":1}`), "keyword maxItems"},
		"minItems of 2, Anthropic":      {dialect.Anthropic, true, in(`{"type":"array","items":{"type":"string"},"minItems":2}`), "minItems is not 0 or 1"},
		"uniqueItems, Anthropic":        {dialect.Anthropic, true, in(`{"type":"array","items":{"type":"string"},"uniqueItems":true}`), "keyword uniqueItems"},
		"recursion, Anthropic":          {dialect.Anthropic, true, in(`{"anyOf":[{"$ref":"#"},{"type":"null"}]}`), "refers to itself"},
		"recursion in $defs, Anthropic": {dialect.Anthropic, true, `{"type":"object","properties":{},"required":[],"additionalProperties":false,"$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}}}}`, "refers to itself"},
		"complex enum, Anthropic":       {dialect.Anthropic, true, in(`{"enum":[{"a":1}]}`), "enum lists a value"},
		"regex format, Anthropic":       {dialect.Anthropic, true, in(`{"type":"string","format":"regex"}`), "format regex"},
		"word boundary, Anthropic":      {dialect.Anthropic, true, in(`{"type":"string","pattern":"\\bx"}`), "not simple"},
		"back reference, Anthropic":     {dialect.Anthropic, true, in(`{"type":"string","pattern":"(a)\\1"}`), "not simple"},
		"large count, Anthropic":        {dialect.Anthropic, true, in(`{"type":"string","pattern":"^a{1,5000}$"}`), "not simple"},
		"allOf of $ref, Anthropic":      {dialect.Anthropic, true, in(`{"allOf":[{"$ref":"#/$defs/a"}]}`), "allOf with a $ref"},
		"25 optional, Anthropic":        {dialect.Anthropic, true, `{"type":"object","properties":{` + many(25, `"p%d":{"type":"string"}`) + `},"required":[],"additionalProperties":false}`, "25 optional"},
		"17 unions, Anthropic":          {dialect.Anthropic, true, `{"type":"object","properties":{` + many(17, `"p%d":{"type":["string","null"]}`) + `},"required":[` + many(17, `"p%d"`) + `],"additionalProperties":false}`, "17 parameters with a union"},
		"11 levels, OpenAI":             {dialect.OpenAI, true, in(deep), "11 levels"},
		"1001 enum values, OpenAI":      {dialect.OpenAI, true, in(`{"type":"integer","enum":[` + many(1001, `%d`) + `]}`), "1001 enum values"},
		"long enum, OpenAI":             {dialect.OpenAI, true, in(`{"type":"string","enum":[` + many(251, `"`+long+`%d"`) + `]}`), "characters in one enum"},
		"5001 properties, OpenAI":       {dialect.OpenAI, true, `{"type":"object","properties":{` + many(5001, `"p%d":{"type":"string"}`) + `},"required":[` + many(5001, `"p%d"`) + `],"additionalProperties":false}`, "5001 properties"},
		"120,001 characters, OpenAI":    {dialect.OpenAI, true, in(`{"type":"string","enum":[` + many(200, `"`+strings.Repeat("z", 600)+`%d"`) + `]}`), "characters, more"},

		"pattern, Gemini":             {dialect.Gemini, false, in(`{"type":"string","pattern":"a"}`), "keyword pattern"},
		"const, Gemini":               {dialect.Gemini, false, in(`{"const":"a"}`), "keyword const"},
		"allOf, Gemini":               {dialect.Gemini, false, in(`{"allOf":[{"type":"string"}]}`), "keyword allOf"},
		"exclusive bound, Gemini":     {dialect.Gemini, false, in(`{"type":"integer","exclusiveMinimum":1}`), "keyword exclusiveMinimum"},
		"null in an enum, Gemini":     {dialect.Gemini, false, in(`{"type":["string","null"],"enum":["a",null]}`), "enum lists a value"},
		"boolean enum, Gemini":        {dialect.Gemini, false, in(`{"enum":[true]}`), "enum lists a value"},
		"siblings of $ref, Gemini":    {dialect.Gemini, false, in(`{"$ref":"#","description":"x"}`), "has the sibling description"},
		"required recursion, Gemini":  {dialect.Gemini, false, in(`{"$ref":"#"}`), "outside of optional properties"},
		"default, Gemini":             {dialect.Gemini, false, in(`{"type":"integer","default":1}`), "keyword default"},
		"boolean schema, Gemini":      {dialect.Gemini, false, in(`false`), "not a schema object"},
		"array without items, Gemini": {dialect.Gemini, false, in(`{"type":"array"}`), "array without items"},
	} {
		faults := dialect.Check(c.d, []byte(c.wire), c.strict)
		if !strings.Contains(strings.Join(faults, "\n"), c.want) {
			t.Errorf("%s: got %v, want a fault with %q", name, faults, c.want)
		}
	}
}

func TestWrongSet(t *testing.T) {
	t.Parallel()
	tool := []byte(`{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`)
	var set [][]byte
	for range 20 {
		set = append(set, tool)
	}
	if faults := dialect.CheckSet(dialect.Anthropic, set); len(faults) > 0 {
		t.Errorf("20 tools: %v", faults)
	}
	if faults := dialect.CheckSet(dialect.Anthropic, append(set, tool)); len(faults) != 1 || !strings.Contains(faults[0], "21 strict tools") {
		t.Errorf("21 tools: %v", faults)
	}
}

// TestGenerate shows that the walk reaches what the schema allows, and only that.
func TestGenerate(t *testing.T) {
	t.Parallel()
	wire := []byte(`{"type":"object","properties":{"a":{"type":"string","pattern":"^[ab]{2}$"},"b":{"anyOf":[{"type":"integer","minimum":3,"exclusiveMaximum":5},{"type":"null"}]},"c":{"$ref":"#/$defs/c"}},"required":["a","b"],"additionalProperties":false,"$defs":{"c":{"type":"array","items":{"enum":["x"]},"minItems":1,"maxItems":1}}}`)
	seen := map[string]bool{}
	for seed := range uint64(400) {
		out, err := dialect.Generate(wire, seed)
		if err != nil {
			t.Fatal(err)
		}
		seen[string(out)] = true
	}
	if len(seen) != 4*3*2 {
		t.Errorf("%d different values, want 24: %v", len(seen), seen)
	}
	for _, want := range []string{`{"a":"ab","b":3,"c":["x"]}`, `{"a":"bb","b":null}`} {
		if !seen[want] {
			t.Errorf("%s is never made", want)
		}
	}
}
