package schema_test

import "testing"

// TestKeywords says of each keyword what it takes and what it does not. The suite of the specification says more, where it is at
// hand (TestConformance).
func TestKeywords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		schema  string
		valid   []string
		invalid []string
	}{
		{
			name:   "type: a list",
			schema: `{"type":["string","null"]}`,
			valid: []string{
				`"a"`,
				`null`,
			},
			invalid: []string{
				`1`,
				`[]`,
				`{}`,
				`true`,
			},
		},
		{
			name:   "type: number takes integers",
			schema: `{"type":"number"}`,
			valid: []string{
				`1`,
				`1.5`,
				`-0`,
				`1e400`,
			},
			invalid: []string{
				`"1"`,
				`null`,
			},
		},
		{
			name:   "type: integer by value",
			schema: `{"type":"integer"}`,
			valid: []string{
				`1`,
				`1.0`,
				`1e2`,
				`-0.0`,
				`123456789012345678901234567890`,
			},
			invalid: []string{
				`1.5`,
				`1e-1`,
				`"1"`,
			},
		},
		{
			name:   "type: boolean",
			schema: `{"type":"boolean"}`,
			valid: []string{
				`true`,
				`false`,
			},
			invalid: []string{
				`0`,
				`"true"`,
				`null`,
			},
		},
		{
			name:   "enum: any kind of value",
			schema: `{"enum":[1,"a",null,[1,{"x":2}],true]}`,
			valid: []string{
				`1.0`,
				`"a"`,
				`"\u0061"`,
				`null`,
				`[1.0,{"x":2}]`,
				`true`,
			},
			invalid: []string{
				`"1"`,
				`false`,
				`[1]`,
				`[1,{"x":2,"y":3}]`,
				`{}`,
			},
		},
		{
			name:   "enum: empty",
			schema: `{"enum":[]}`,
			invalid: []string{
				`1`,
				`null`,
			},
		},
		{
			name:   "const beside enum",
			schema: `{"const":"a","enum":["a","b"]}`,
			valid: []string{
				`"a"`,
			},
			invalid: []string{
				`"b"`,
				`"c"`,
			},
		},
		{
			name:   "const: an object in any order",
			schema: `{"const":{"a":1,"b":[2]}}`,
			valid: []string{
				`{"b":[2.0],"a":1}`,
			},
			invalid: []string{
				`{"a":1}`,
				`{"a":1,"b":[2],"c":3}`,
				`[]`,
				`{"a":1,"b":2}`,
			},
		},
		{
			name:   "const: names with escapes",
			schema: `{"const":{"a\"b":1}}`,
			valid: []string{
				`{"a\u0022b":1}`,
			},
			invalid: []string{
				`{"ab":1}`,
			},
		},
		{
			name:   "const: false is not 0",
			schema: `{"const":false}`,
			valid: []string{
				`false`,
			},
			invalid: []string{
				`0`,
				`null`,
				`""`,
				`[]`,
			},
		},
		{
			name:   "minimum and maximum",
			schema: `{"minimum":-1.5,"maximum":2}`,
			valid: []string{
				`-1.5`,
				`2`,
				`2.0`,
				`"x"`,
				`null`,
			},
			invalid: []string{
				`-1.51`,
				`2.000000000000000000001`,
			},
		},
		{
			name:   "exclusive limits",
			schema: `{"exclusiveMinimum":0,"exclusiveMaximum":1}`,
			valid: []string{
				`0.5`,
				`1e-400`,
			},
			invalid: []string{
				`0`,
				`1`,
				`-0`,
				`1.0`,
			},
		},
		{
			name:   "multipleOf",
			schema: `{"multipleOf":2.5}`,
			valid: []string{
				`0`,
				`2.5`,
				`-5`,
				`1e3`,
				`"x"`,
			},
			invalid: []string{
				`1`,
				`2.4999`,
			},
		},
		{
			name:   "multipleOf: small",
			schema: `{"multipleOf":1e-10}`,
			valid: []string{
				`0.0000000001`,
				`1`,
				`1e300`,
			},
			invalid: []string{
				`0.00000000001`,
			},
		},
		{
			name:   "minLength and maxLength",
			schema: `{"minLength":1,"maxLength":3}`,
			valid: []string{
				`"a"`,
				`"\u00e9\u00e9\u00e9"`,
				`"\ud83d\ude00aa"`,
				`1`,
				`[]`,
			},
			invalid: []string{
				`""`,
				`"abcd"`,
				`"\ud83d\ude00aaa"`,
			},
		},
		{
			name:   "a length written as 2.0",
			schema: `{"maxLength":2.0}`,
			valid: []string{
				`"ab"`,
			},
			invalid: []string{
				`"abc"`,
			},
		},
		{
			name:   "a length beyond any string",
			schema: `{"maxLength":1e30}`,
			valid: []string{
				`"ab"`,
			},
		},
		{
			name:   "pattern is not anchored",
			schema: `{"pattern":"b+"}`,
			valid: []string{
				`"abbc"`,
				`1`,
			},
			invalid: []string{
				`"ac"`,
				`""`,
			},
		},
		{
			name:   "pattern against an escaped string",
			schema: `{"pattern":"^a\nb$"}`,
			valid: []string{
				`"a\nb"`,
				`"\u0061\u000ab"`,
			},
			invalid: []string{
				`"a\\nb"`,
			},
		},
		{
			name:   "items",
			schema: `{"items":{"type":"integer"}}`,
			valid: []string{
				`[]`,
				`[1,2]`,
				`{}`,
				`"x"`,
			},
			invalid: []string{
				`["a"]`,
				`[1,null]`,
			},
		},
		{
			name:   "items after prefixItems",
			schema: `{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`,
			valid: []string{
				`[]`,
				`["a"]`,
				`["a",1,2]`,
			},
			invalid: []string{
				`[1]`,
				`["a","b"]`,
			},
		},
		{
			name:   "items false",
			schema: `{"items":false}`,
			valid: []string{
				`[]`,
			},
			invalid: []string{
				`[1]`,
			},
		},
		{
			name:   "minItems and maxItems",
			schema: `{"minItems":1,"maxItems":2}`,
			valid: []string{
				`[1]`,
				`[1,2]`,
				`{}`,
			},
			invalid: []string{
				`[]`,
				`[1,2,3]`,
			},
		},
		{
			name:   "uniqueItems",
			schema: `{"uniqueItems":true}`,
			valid: []string{
				`[]`,
				`[1]`,
				`[1,true]`,
				`[0,false]`,
				`["a","A"]`,
				`[[1],[2]]`,
				`[{"a":1},{"a":2}]`,
				`[null,0,"",[],{}]`,
			},
			invalid: []string{
				`[1,1.0]`,
				`["a","\u0061"]`,
				`[[1],[1.0]]`,
				`[{"a":1,"b":2},{"b":2,"a":1}]`,
				`[null,1,null]`,
				`[1,"\u0000",10e-1]`, // the one between had the hash of both
			},
		},
		{
			name:   "uniqueItems false",
			schema: `{"uniqueItems":false}`,
			valid: []string{
				`[1,1]`,
			},
		},
		{
			name:   "contains",
			schema: `{"contains":{"minimum":5}}`,
			valid: []string{
				`[1,5]`,
				`{}`,
				`["x"]`,
			},
			invalid: []string{
				`[]`,
				`[1,2]`,
			},
		},
		{
			name:   "minContains and maxContains",
			schema: `{"contains":{"const":1},"minContains":2,"maxContains":3}`,
			valid: []string{
				`[1,1]`,
				`[1,2,1,1]`,
			},
			invalid: []string{
				`[1]`,
				`[1,1,1,1]`,
				`[]`,
			},
		},
		{
			name:   "minContains 0",
			schema: `{"contains":{"const":1},"minContains":0}`,
			valid: []string{
				`[]`,
				`[2]`,
			},
		},
		{
			name:   "maxContains without contains",
			schema: `{"maxContains":0}`,
			valid: []string{
				`[1]`,
			},
		},
		{
			name:   "properties",
			schema: `{"properties":{"a":{"type":"integer"},"b":false}}`,
			valid: []string{
				`{}`,
				`{"a":1}`,
				`{"c":"x"}`,
				`[]`,
			},
			invalid: []string{
				`{"a":"x"}`,
				`{"b":1}`,
			},
		},
		{
			name:   "properties: the empty name",
			schema: `{"properties":{"":{"type":"integer"}}}`,
			valid: []string{
				`{"":1}`,
			},
			invalid: []string{
				`{"":"x"}`,
			},
		},
		{
			name:   "properties: a name that is written with escapes",
			schema: `{"properties":{"a\"\\":{"type":"integer"}}}`,
			valid: []string{
				`{"a\"\\":1}`,
				`{"\u0061\u0022\u005c":1}`,
			},
			invalid: []string{
				`{"a\u0022\\":"x"}`,
			},
		},
		{
			name:   "patternProperties apply beside properties",
			schema: `{"properties":{"ab":{"minimum":1}},"patternProperties":{"^a":{"maximum":5},"b$":{"multipleOf":2}}}`,
			valid: []string{
				`{"ab":4}`,
				`{"ax":5}`,
				`{"c":100}`,
			},
			invalid: []string{
				`{"ab":3}`,
				`{"ab":0}`,
				`{"ab":6}`,
				`{"ax":6}`,
				`{"xb":1}`,
			},
		},
		{
			name:   "patternProperties against an escaped name",
			schema: `{"patternProperties":{"^a$":{"type":"integer"}}}`,
			valid: []string{
				`{"\u0061":1}`,
			},
			invalid: []string{
				`{"\u0061":"x"}`,
			},
		},
		{
			name:   "additionalProperties",
			schema: `{"properties":{"a":{}},"patternProperties":{"^x":{}},"additionalProperties":{"type":"string"}}`,
			valid: []string{
				`{"a":1,"x1":2,"z":"s"}`,
			},
			invalid: []string{
				`{"z":1}`,
			},
		},
		{
			name:   "additionalProperties looks at its own object only",
			schema: `{"allOf":[{"properties":{"a":{}}}],"additionalProperties":false}`,
			valid: []string{
				`{}`,
			},
			invalid: []string{
				`{"a":1}`,
			},
		},
		{
			name:   "propertyNames",
			schema: `{"propertyNames":{"pattern":"^[a-z]+$","maxLength":2}}`,
			valid: []string{
				`{}`,
				`{"ab":1}`,
				`[]`,
			},
			invalid: []string{
				`{"abc":1}`,
				`{"A":1}`,
			},
		},
		{
			name:   "propertyNames false",
			schema: `{"propertyNames":false}`,
			valid: []string{
				`{}`,
			},
			invalid: []string{
				`{"a":1}`,
			},
		},
		{
			name:   "required",
			schema: `{"required":["a","b c","\u00e9"]}`,
			valid: []string{
				`{"a":1,"b c":2,"\u00e9":3}`,
				`[]`,
				`"x"`,
			},
			invalid: []string{
				`{"a":1}`,
				`{"a":1,"b c":2}`,
			},
		},
		{
			name:   "minProperties and maxProperties",
			schema: `{"minProperties":1,"maxProperties":2}`,
			valid: []string{
				`{"a":1}`,
				`{"a":1,"b":2}`,
				`[]`,
			},
			invalid: []string{
				`{}`,
				`{"a":1,"b":2,"c":3}`,
			},
		},
		{
			name:   "dependentRequired",
			schema: `{"dependentRequired":{"a":["b","c"]}}`,
			valid: []string{
				`{}`,
				`{"b":1}`,
				`{"a":1,"b":2,"c":3}`,
			},
			invalid: []string{
				`{"a":1}`,
				`{"a":1,"b":2}`,
			},
		},
		{
			name:   "dependentSchemas",
			schema: `{"dependentSchemas":{"a":{"properties":{"b":{"type":"integer"}},"required":["b"]}}}`,
			valid: []string{
				`{"b":"x"}`,
				`{"a":1,"b":2}`,
			},
			invalid: []string{
				`{"a":1}`,
				`{"a":1,"b":"x"}`,
			},
		},
		{
			name:   "allOf",
			schema: `{"allOf":[{"minimum":1},{"maximum":2}]}`,
			valid: []string{
				`1`,
				`2`,
				`"x"`,
			},
			invalid: []string{
				`0`,
				`3`,
			},
		},
		{
			name:   "anyOf",
			schema: `{"anyOf":[{"type":"integer"},{"minLength":2}]}`,
			valid: []string{
				`1`,
				`"ab"`,
				`[]`,
				`1.5`,
			},
			invalid: []string{
				`"a"`,
			},
		},
		{
			name:   "oneOf",
			schema: `{"oneOf":[{"multipleOf":2},{"multipleOf":3}]}`,
			valid: []string{
				`2`,
				`3`,
				`4`,
			},
			invalid: []string{
				`6`,
				`1`,
				`"x"`,
			},
		},
		{
			name:   "not",
			schema: `{"not":{"required":["a"]}}`,
			valid: []string{
				`{}`,
			},
			invalid: []string{
				`{"a":1}`,
				`1`,
			},
		},
		{
			name:   "not not",
			schema: `{"not":{"not":{"type":"string"}}}`,
			valid: []string{
				`"x"`,
			},
			invalid: []string{
				`1`,
			},
		},
		{
			name:   "if, then, else",
			schema: `{"if":{"type":"integer"},"then":{"minimum":1},"else":{"type":"string"}}`,
			valid: []string{
				`1`,
				`"x"`,
			},
			invalid: []string{
				`0`,
				`null`,
				`1.5`,
			},
		},
		{
			name:   "then without if",
			schema: `{"then":false,"else":false}`,
			valid: []string{
				`1`,
			},
		},
		{
			name:   "true and false",
			schema: `{"properties":{"a":true,"b":false}}`,
			valid: []string{
				`{"a":1}`,
			},
			invalid: []string{
				`{"b":1}`,
			},
		},
		{
			name:   "unevaluatedProperties sees through allOf, $ref and if",
			schema: `{"$ref":"#/$defs/r","allOf":[{"properties":{"a":{}}}],"if":{"properties":{"c":{"const":1}},"required":["c"]},"then":{"properties":{"d":{}}},"unevaluatedProperties":false,"$defs":{"r":{"properties":{"b":{}}}}}`,
			valid: []string{
				`{"a":1,"b":2}`,
				`{"c":1,"d":2}`,
			},
			invalid: []string{
				`{"z":1}`,
				`{"c":2}`,
				`{"d":1}`,
			},
		},
		{
			name:   "unevaluatedProperties counts only branches that fit",
			schema: `{"anyOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}],"unevaluatedProperties":false}`,
			valid: []string{
				`{"a":1}`,
				`{"b":1}`,
				`{"a":1,"b":1}`,
			},
			invalid: []string{
				`{"a":"x","b":1}`,
				`{"a":1,"c":1}`,
			},
		},
		{
			name:   "unevaluatedProperties as a schema",
			schema: `{"properties":{"a":{}},"unevaluatedProperties":{"type":"integer"}}`,
			valid: []string{
				`{"a":"x","b":1}`,
			},
			invalid: []string{
				`{"b":"x"}`,
			},
		},
		{
			name:   "unevaluatedProperties inside does not see outside",
			schema: `{"properties":{"a":{}},"allOf":[{"unevaluatedProperties":false}]}`,
			valid: []string{
				`{}`,
			},
			invalid: []string{
				`{"a":1}`,
			},
		},
		{
			name:   "unevaluatedProperties through a nested one",
			schema: `{"allOf":[{"properties":{"a":{}},"unevaluatedProperties":true}],"unevaluatedProperties":false}`,
			valid: []string{
				`{"a":1,"b":2}`,
			},
		},
		{
			name:   "unevaluatedItems",
			schema: `{"prefixItems":[{"type":"string"}],"unevaluatedItems":{"type":"integer"}}`,
			valid: []string{
				`["a"]`,
				`["a",1]`,
				`[]`,
			},
			invalid: []string{
				`["a","b"]`,
			},
		},
		{
			name:   "unevaluatedItems sees what contains has matched",
			schema: `{"contains":{"type":"string"},"unevaluatedItems":{"type":"integer"}}`,
			valid: []string{
				`["a",1]`,
			},
			invalid: []string{
				`["a",null]`,
			},
		},
		{
			name:   "unevaluatedItems through anyOf",
			schema: `{"anyOf":[{"prefixItems":[true,{"const":1}]},{"prefixItems":[true,{"const":2},true]}],"unevaluatedItems":false}`,
			valid: []string{
				`[0,1]`,
				`[0,2,3]`,
				`[0]`,
			},
			invalid: []string{
				`[0,1,2]`,
				`[0,2,3,4]`,
			},
		},
		{
			name:   "$ref to a place",
			schema: `{"properties":{"a/b":{"type":"integer"},"c~d":{"$ref":"#/properties/a~1b"},"e%":{"$ref":"#/properties/c~0d"},"f":{"$ref":"#/properties/e%25"}}}`,
			valid: []string{
				`{"f":1}`,
			},
			invalid: []string{
				`{"f":"x"}`,
				`{"e%":"x"}`,
			},
		},
		{
			name:   "$ref below an unknown keyword",
			schema: `{"x-types":{"t":{"type":"integer"}},"$ref":"#/x-types/t"}`,
			valid: []string{
				`1`,
			},
			invalid: []string{
				`"x"`,
			},
		},
		{
			name:   "$ref into a list",
			schema: `{"allOf":[true,{"type":"integer"}],"properties":{"a":{"$ref":"#/allOf/1"}}}`,
			valid: []string{
				`1`,
			},
			invalid: []string{
				`"x"`,
			},
		},
		{
			name:   "$anchor",
			schema: `{"$ref":"#here","$defs":{"a":{"$anchor":"here","type":"integer"}}}`,
			valid: []string{
				`1`,
			},
			invalid: []string{
				`"x"`,
			},
		},
		{
			name:   "$id changes what a reference means",
			schema: `{"$id":"https://example.com/root","$defs":{"a":{"$id":"sub/","$defs":{"b":{"$id":"leaf","type":"integer"}}}},"$ref":"sub/leaf"}`,
			valid: []string{
				`1`,
			},
			invalid: []string{
				`"x"`,
			},
		},
		{
			name:   "$id as a urn",
			schema: `{"$id":"urn:example:root","$ref":"urn:example:leaf#/$defs/x","$defs":{"a":{"$id":"urn:example:leaf","$defs":{"x":{"type":"integer"}}}}}`,
			valid: []string{
				`1`,
			},
			invalid: []string{
				`"x"`,
			},
		},
		{
			name:   "$dynamicRef finds the outermost anchor",
			schema: `{"$id":"https://example.com/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,"$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","type":"object","properties":{"data":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}}}}}`,
			valid: []string{
				`{"children":[{"data":1}]}`,
			},
			invalid: []string{
				`{"children":[{"daat":1}]}`,
				`{"daat":1}`,
			},
		},
		{
			name:   "$dynamicRef to a plain anchor is a $ref",
			schema: `{"$dynamicRef":"#a","$defs":{"x":{"$anchor":"a","type":"integer"}}}`,
			valid: []string{
				`1`,
			},
			invalid: []string{
				`"x"`,
			},
		},
		{
			name:   "recursion",
			schema: `{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`,
			valid: []string{
				`{"next":{"next":{}}}`,
			},
			invalid: []string{
				`{"next":{"x":1}}`,
				`{"next":null}`,
			},
		},
		{
			name:   "default and examples say nothing about the value",
			schema: `{"default":1,"examples":["x"],"title":"t","readOnly":true}`,
			valid: []string{
				`null`,
			},
		},
		{
			name:   "$comment and unknown keywords say nothing",
			schema: `{"$comment":"x","x-a":{"type":"integer"},"minimumm":3}`,
			valid: []string{
				`"x"`,
			},
		},
		{
			name:   "dependencies in 2020-12 too",
			schema: `{"dependencies":{"a":["b"],"c":{"required":["d"]}}}`,
			valid: []string{
				`{"a":1,"b":2}`,
				`{"c":1,"d":2}`,
			},
			invalid: []string{
				`{"a":1}`,
				`{"c":1}`,
			},
		},
		{
			name:   "2019-09: array-form items",
			schema: `{"$schema":"https://json-schema.org/draft/2019-09/schema","items":[{"type":"string"}],"additionalItems":{"type":"integer"}}`,
			valid: []string{
				`["a",1]`,
			},
			invalid: []string{
				`["a","b"]`,
				`[1]`,
			},
		},
		{
			name:   "2019-09: what contains matches is not evaluated",
			schema: `{"$schema":"https://json-schema.org/draft/2019-09/schema","contains":{"type":"string"},"unevaluatedItems":false}`,
			invalid: []string{
				`["a"]`,
			},
		},
		{
			name:   "2019-09: $recursiveRef without $recursiveAnchor",
			schema: `{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"a":{"$recursiveRef":"#"}},"additionalProperties":false}`,
			valid: []string{
				`{"a":{"a":{}}}`,
			},
			invalid: []string{
				`{"a":{"b":1}}`,
			},
		},
		{
			name:   "2019-09: $recursiveRef finds the outermost",
			schema: `{"$schema":"https://json-schema.org/draft/2019-09/schema","$id":"https://example.com/outer","$recursiveAnchor":true,"$ref":"inner","unevaluatedProperties":false,"$defs":{"inner":{"$id":"inner","$recursiveAnchor":true,"properties":{"kids":{"items":{"$recursiveRef":"#"}}}}}}`,
			valid: []string{
				`{"kids":[{"kids":[]}]}`,
			},
			invalid: []string{
				`{"kids":[{"x":1}]}`,
			},
		},
		{
			name:   "draft-07: a property named $ref",
			schema: `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"$ref":{"type":"string"}}}`,
			valid: []string{
				`{"$ref":"a"}`,
			},
			invalid: []string{
				`{"$ref":1}`,
			},
		},
		{
			name:   "draft-07: unevaluatedProperties is unknown",
			schema: `{"$schema":"http://json-schema.org/draft-07/schema#","unevaluatedProperties":false,"dependentRequired":{"a":["b"]}}`,
			valid: []string{
				`{"a":1}`,
			},
		},
		{
			name:   "draft-07: contains ignores minContains",
			schema: `{"$schema":"http://json-schema.org/draft-07/schema#","contains":{"const":1},"minContains":2}`,
			valid: []string{
				`[1]`,
			},
			invalid: []string{
				`[]`,
			},
		},
		{
			name:   "draft-06: const and contains",
			schema: `{"$schema":"http://json-schema.org/draft-06/schema#","contains":{"const":1}}`,
			valid: []string{
				`[1]`,
			},
			invalid: []string{
				`[2]`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := compile(t, c.schema, nil)
			for _, in := range c.valid {
				if r := v.Validate([]byte(in)); !r.OK() {
					t.Errorf("%s is refused: %+v", in, r.Faults)
				}
			}
			for _, in := range c.invalid {
				r := v.Validate([]byte(in))
				if r.OK() {
					t.Errorf("%s is accepted", in)
				}
				for _, f := range faults(r) {
					if f.Problem == "" || f.Problem == "is not valid" {
						t.Errorf("%s: a fault says nothing: %+v", in, f)
					}
				}
			}
		})
	}
}
