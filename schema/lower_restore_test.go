package schema_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

func TestRestore(t *testing.T) {
	t.Parallel()
	const (
		labels = `{"type":"object","properties":{"labels":{"type":"object","additionalProperties":{"type":"integer"}},"any":{}},"required":["labels","any"]}`
		nested = `{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"object","properties":{"a":{"type":"string"},"sub":{"type":"object","additionalProperties":{"type":"string"}}},"required":["sub"]}}},"required":["m"]}`
		union  = `{"type":"object","properties":{"u":{"anyOf":[{"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"integer"}},"required":["kind"]},{"type":"object","properties":{"kind":{"const":"b"},"x":{"type":["integer","null"]}},"required":["kind"]},{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}}}},{"type":"string","pattern":"^z"}]}},"required":["u"]}`
		tree   = `{"type":"object","properties":{"v":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#"}},"left":{"$ref":"#"}},"required":["v"]}`
	)
	for name, c := range map[string]struct{ text, sent, want string }{
		"pairs":            {labels, `{"labels":[{"key":"a","value":1},{"key":"b","value":2}],"any":"[1,{}]"}`, `{"labels":{"a":1,"b":2},"any":[1,{}]}`},
		"no pairs":         {labels, `{"labels":[],"any":"null"}`, `{"labels":{},"any":null}`},
		"not pairs":        {labels, `{"labels":[{"key":"a"}],"any":"x"}`, `{"labels":[{"key":"a"}],"any":"x"}`},
		"a map after all":  {labels, `{"labels":{"a":1},"any":3}`, `{"labels":{"a":1},"any":3}`},
		"a key twice":      {labels, `{"labels":[{"key":"a","value":1},{"key":"a","value":2}],"any":"1"}`, `{"labels":{"a":1,"a":2},"any":1}`},
		"text in text":     {labels, `{"labels":[],"any":"\"\\\"x\\\"\""}`, `{"labels":{},"any":"\"x\""}`},
		"pairs in pairs":   {nested, `{"m":[{"key":"k","value":{"a":null,"sub":[{"key":"x","value":"y"}]}}]}`, `{"m":{"k":{"sub":{"x":"y"}}}}`},
		"first branch":     {union, `{"u":{"kind":"a","x":null}}`, `{"u":{"kind":"a"}}`},
		"second branch":    {union, `{"u":{"kind":"b","x":null}}`, `{"u":{"kind":"b","x":null}}`},
		"array in a union": {union, `{"u":[{"x":null},{"x":"y"}]}`, `{"u":[{},{"x":"y"}]}`},
		"text in a union":  {union, `{"u":"zz"}`, `{"u":"zz"}`},
		"no branch":        {union, `{"u":{"kind":"c","x":null}}`, `{"u":{"kind":"c","x":null}}`},
		"recursion":        {tree, `{"v":"r","kids":[{"v":"k","kids":null,"left":null}],"left":{"v":"l","kids":[],"left":null}}`, `{"v":"r","kids":[{"v":"k"}],"left":{"v":"l","kids":[]}}`},
		"nothing":          {tree, ``, ``},
		"space":            {tree, ` `, ` `},
		"spelling kept":    {tree, `{ "v" : "r", "kids" : [] }`, `{ "v" : "r", "kids" : [] }`},
		"exact numbers":    {labels, `{"labels":[{"key":"a","value":9007199254740993.0}],"any":"1"}`, `{"labels":{"a":9007199254740993.0},"any":1}`},
	} {
		low, err := schema.Lower(schema.MustParse(c.text), schema.OpenAIStrict, &schema.LowerConfig{MapsAsPairs: true, AnyAsText: true})
		if err != nil || !low.Strict {
			t.Errorf("%s: %+v, %v", name, low, err)
			continue
		}
		sent := jsontext.Value(c.sent)
		got, err := low.Restore(sent)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s becomes %s, %v, want %s", name, c.sent, got, err, c.want)
		}
		if string(sent) != c.sent {
			t.Errorf("%s: the arguments have changed to %s", name, sent)
		}
	}
}

func TestRestoreErrors(t *testing.T) {
	t.Parallel()
	low, err := schema.Lower(schema.MustParse(`{"type":"object","properties":{"a":{"type":"string"}}}`), schema.OpenAIStrict, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := low.Restore([]byte(`{"a":`)); err == nil || !strings.Contains(err.Error(), "is not JSON") || string(got) != `{"a":` {
		t.Errorf("got %s, %v", got, err)
	}
	var none *schema.Lowered
	if got, err := none.Restore([]byte(`{}`)); err != nil || string(got) != `{}` {
		t.Errorf("nil: got %s, %v", got, err)
	}
	plain, err := schema.Lower(nil, schema.MCP, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := plain.Restore([]byte(`{`)); err != nil || string(got) != `{` {
		t.Errorf("plain: got %s, %v", got, err)
	}
}
