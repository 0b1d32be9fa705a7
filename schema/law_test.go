package schema_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
	"helve.dev/helve/schema"
)

// TestLaw holds the law of inference over random values of many types: what json/v2 with JSONOptions writes validates against
// the inferred schema, with and without Closed, and what validates decodes. HELVE_LAW_SEED=n repeats a run, HELVE_LAW_VALUES=n
// asks for n values of each type.
func TestLaw(t *testing.T) {
	t.Parallel()
	seed, count := uint64(time.Now().UnixNano()), 120
	if text := os.Getenv("HELVE_LAW_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	if text := os.Getenv("HELVE_LAW_VALUES"); text != "" {
		count, _ = strconv.Atoi(text)
	}
	if n := len(lawTypes); n < 80 || n*count < 10_000 {
		t.Fatalf("%d types with %d values each, want at least 80 types and 10,000 values", n, count)
	}
	written, made, mutated := 0, 0, 0
	for k, typ := range lawTypes {
		l := newLaw(t, typ, seed+uint64(k))
		for range count {
			raw := l.written(t)
			if written++; t.Failed() {
				t.Fatalf("seed: HELVE_LAW_SEED=%d", seed)
			}
			if l.decodes(t, l.mutate(raw)) {
				mutated++
			}
			if l.decodes(t, []byte(l.value(l.document, 4))) {
				made++
			}
			if t.Failed() {
				t.Fatalf("seed: HELVE_LAW_SEED=%d", seed)
			}
		}
	}
	t.Logf("%d types, %d values written, %d made from schemas, %d written ones changed", len(lawTypes), written, made, mutated)
	if made < written/2 || mutated < written/10 {
		t.Error("too few valid values for the law to say anything")
	}
}

// law tries one type.
type law struct {
	*rand.Rand
	typ          reflect.Type
	text         string
	document     any
	open, closed *schema.Validator
}

func newLaw(t *testing.T, typ reflect.Type, seed uint64) *law {
	t.Helper()
	s, err := schema.Of(typ)
	if err != nil {
		t.Fatalf("%v: %v", typ, err)
	}
	l := &law{Rand: rand.New(rand.NewPCG(seed, 7)), typ: typ, text: s.String(), document: decode(t, s.Raw())}
	for cfg, v := range map[*schema.Config]**schema.Validator{nil: &l.open, {Closed: true, CheckDefaults: true}: &l.closed} {
		if *v, err = schema.Compile(s, cfg); err != nil {
			t.Fatalf("%v: %s: %v", typ, s, err)
		}
	}
	return l
}

// written writes a random value and checks that it is valid, and decodes to what writes the same.
func (l *law) written(t *testing.T) []byte {
	t.Helper()
	v := reflect.New(l.typ)
	l.fill(v.Elem(), 4)
	raw, err := json.Marshal(v.Interface(), schema.JSONOptions())
	if err != nil {
		t.Errorf("%v: %+v cannot be written: %v", l.typ, v.Elem(), err)
		return nil
	}
	for _, validator := range []*schema.Validator{l.open, l.closed} {
		if r := validator.Validate(raw); !r.OK() {
			t.Errorf("%v writes\n%s\nwhich is refused: %+v\nschema: %s", l.typ, raw, r.Faults, l.text)
			return raw
		}
	}
	back := reflect.New(l.typ)
	if err := json.Unmarshal(raw, back.Interface(), schema.JSONOptions()); err != nil {
		t.Errorf("%v: %s is not read back: %v", l.typ, raw, err)
	} else if again, err := json.Marshal(back.Interface(), schema.JSONOptions()); err != nil || string(again) != string(raw) {
		t.Errorf("%v: %s is read back as %s, %v", l.typ, raw, again, err)
	}
	return raw
}

// decodes reports whether raw is valid, and checks that it decodes then, as package helve does it.
func (l *law) decodes(t *testing.T, raw []byte) bool {
	t.Helper()
	if !l.closed.Validate(raw).OK() {
		return false
	}
	options := json.JoinOptions(schema.JSONOptions(), jsontext.AllowDuplicateNames(true))
	err := json.Unmarshal(raw, reflect.New(l.typ).Interface(), options)
	if err != nil {
		err = json.Unmarshal(jsonx.Integral(raw), reflect.New(l.typ).Interface(), options)
	}
	if err != nil {
		t.Errorf("%v: %s\nis valid and does not decode: %v\nschema: %s", l.typ, raw, err, l.text)
	}
	return true
}

// fill sets v to a random value.
func (l *law) fill(v reflect.Value, depth int) {
	if l.special(v, depth) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(l.IntN(2) == 0)
	case reflect.String:
		v.SetString(l.string())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(l.Uint64()) >> (64 - v.Type().Bits()) >> l.IntN(v.Type().Bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(l.Uint64() >> (64 - v.Type().Bits()) >> l.IntN(v.Type().Bits()))
	case reflect.Float32:
		v.SetFloat(float64(choose(l, float32(l.IntN(100)), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, float32(l.NormFloat64()), 1e21)))
	case reflect.Float64:
		v.SetFloat(choose(l, float64(l.IntN(100)), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, l.NormFloat64(), 1e21, 1e-7))
	case reflect.Pointer:
		if depth > 0 && l.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			l.fill(v.Elem(), depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() || v.Type().Field(i).Anonymous && f.Kind() == reflect.Struct {
				l.fill(f, depth-1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			l.fill(v.Index(i), depth-1)
		}
	case reflect.Slice, reflect.Map:
		l.fillMany(v, depth)
	}
}

func (l *law) fillMany(v reflect.Value, depth int) {
	n := l.IntN(4) - 1
	if n < 0 || depth <= 0 {
		return // nil
	}
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			l.fill(v.Index(i), depth-1)
		}
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		l.fill(key, depth-1)
		l.fill(value, depth-1)
		v.SetMapIndex(key, value)
	}
}

// special sets the values of types that are more than their kind.
func (l *law) special(v reflect.Value, depth int) bool {
	if !v.CanSet() {
		return false // embedded: its fields can be
	}
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		at := time.Unix(l.Int64N(200_000_000_000)-62_000_000_000, l.Int64N(1e9)*l.Int64N(2)).UTC()
		*p = choose(l, at, at.In(time.FixedZone("", (l.IntN(57)-28)*1800)), time.Time{})
	case *time.Duration:
		*p = choose(l, time.Duration(l.Int64()-l.Int64()), 0, math.MinInt64, 90*time.Minute, time.Duration(l.IntN(1e6)))
	case *url.URL:
		if l.IntN(3) == 0 {
			*p = choose(l, url.URL{}, url.URL{Path: "/" + l.string()}, url.URL{Path: "a b"}, url.URL{RawQuery: "q=1"})
			return true
		}
		*p = url.URL{
			Scheme: choose(l, "http", "https", "x+y"), Host: choose(l, "example.com", "[::1]:80", "a.b:1", ""),
			Path: "/" + l.string(), RawQuery: url.Values{l.string(): {l.string()}}.Encode(), Fragment: l.string(),
		}
	case *big.Int:
		for range 1 + l.IntN(5) {
			p.Add(p.Lsh(p, 64), new(big.Int).SetUint64(l.Uint64()))
		}
		p.Rsh(p, uint(l.IntN(64)))
		if l.IntN(2) == 0 {
			p.Neg(p)
		}
	case *big.Rat:
		p.SetFrac64(l.Int64()-l.Int64(), 1+l.Int64N(1000))
	case *big.Float:
		p.SetFloat64(l.NormFloat64())
	case *netip.Addr:
		*p = l.addr()
	case *netip.AddrPort:
		*p = choose(l, netip.AddrPortFrom(l.addr().WithZone(""), uint16(l.Uint32())), netip.AddrPort{})
		if !p.IsValid() {
			*p = netip.AddrPort{}
		}
	case *netip.Prefix:
		*p = netip.PrefixFrom(netip.AddrFrom4([4]byte{byte(l.Uint32()), 1}), l.IntN(33))
	case *jsontext.Value:
		*p = jsontext.Value(l.json(depth))
		if v.Type() == reflect.TypeFor[jsontext.Value]() && l.IntN(4) == 0 {
			*p = nil
		}
	case *any:
		*p = nil
		_ = json.Unmarshal([]byte(l.json(depth)), p)
	case *lawRestRaw:
		*p = lawRestRaw{A: l.IntN(9), Other: choose(l, nil, jsontext.Value(`{}`), jsontext.Value(`{"b":`+l.json(1)+`}`))}
	case *lawRest:
		*p = lawRest{A: l.IntN(9), Other: choose(l, nil, map[string]int16{"b": 3, "": -1})}
	case *lawText:
		p.text = l.string()
	case *lawTextKey:
		p.n = l.IntN(1000)
	case *lawDate:
		p.days = l.IntN(1e6) - 500_000
	case *lawDateJSON:
		p.lawInner.days = l.IntN(1e6)
	case *lawJSON:
		p.raw = l.json(depth)
	case *lawMoney:
		p.cents = l.Int64() - l.Int64()
	case *color:
		*p = choose[color](l, "red", "green")
	case *lawWeekday:
		*p = lawWeekday(l.IntN(7))
	case *lawSize:
		*p = choose[lawSize](l, 0.5, 1, 2.25)
	default:
		return l.fillUnion(v, depth)
	}
	return true
}

func (l *law) fillUnion(v reflect.Value, depth int) bool {
	if v.Kind() != reflect.Struct || v.NumField() != 1 || lawVariants[v.Type().Field(0).Type] == nil {
		return false
	}
	list := lawVariants[v.Type().Field(0).Type]
	typ := list[0]
	if depth > 0 {
		typ = list[l.IntN(len(list))]
	}
	value := reflect.New(typ).Elem()
	if typ.Kind() == reflect.Pointer {
		value.Set(reflect.New(typ.Elem()))
		l.fill(value.Elem(), depth-1)
	} else {
		l.fill(value, depth-1)
	}
	if label, ok := value.Interface().(lawLabel); ok {
		delete(label.Other, "text")
		delete(label.Other, "type")
	}
	v.Field(0).Set(value)
	return true
}

func (l *law) addr() netip.Addr {
	var a [16]byte
	for i := range a {
		a[i] = byte(l.Uint32())
	}
	return choose(l, netip.AddrFrom16(a), netip.AddrFrom4([4]byte(a[:4])), netip.IPv6Unspecified().WithZone("eth0"), netip.Addr{})
}

func choose[T any](l *law, choices ...T) T { return choices[l.IntN(len(choices))] }

func (l *law) string() string {
	return choose(l, "", "a", "type", "héllo wörld", "\U0001F4C1\n\t\"\\/", "\x00\u2028", strings.Repeat("x", l.IntN(50)), "3", "true", "{}", "a b?c#d%")
}

// json is a random JSON value that survives a round trip through any.
func (l *law) json(depth int) string {
	if depth <= 0 {
		return choose(l, `null`, `true`, `1`, `"x"`, `-2.5`, `{}`, `[]`)
	}
	switch l.IntN(5) {
	case 0:
		return `[` + l.json(depth-1) + `,` + l.json(depth-1) + `]`
	case 1:
		return `{"a":` + l.json(depth-1) + `,"b":` + l.json(depth-2) + `}`
	}
	return choose(l, `null`, `false`, `0`, `1e+21`, `"é\n"`, quote(l.string()))
}

var numberToken = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?`)

// mutate changes numbers, strings and brackets of a written value; most of the time the result is not valid.
func (l *law) mutate(raw []byte) []byte {
	switch spots := numberToken.FindAllIndex(raw, -1); {
	case len(spots) > 0 && l.IntN(4) > 0:
		at := spots[l.IntN(len(spots))]
		number := choose(l, "0", "-0", "1.0", "1e2", "300", "-1", "0.5", "1e10", "99999999999999999999", "9223372036854775808", "18446744073709551615", "-9223372036854775809", "3.5e38", "1e-400", "12345678901234567890.0", "1e39", "1e45")
		if !strings.Contains(l.text, "true") && l.text != "true" { // any holds no more than a float64
			number = choose(l, number, "1e400", "-1e309")
		}
		return slices.Concat(raw[:at[0]], []byte(number), raw[at[1]:])
	case len(raw) > 0:
		i := l.IntN(len(raw))
		return slices.Concat(raw[:i], []byte(choose(l, "", "a", "0", "Z", "=", "\\n", "+", "t", ":60Z")), raw[min(len(raw), i+l.IntN(2)):])
	}
	return raw
}

// value makes a value that fits the document, as far as the document says.
func (l *law) value(document any, depth int) string {
	rules, isObject := document.(map[string]any)
	if !isObject {
		return l.json(min(depth, 2))
	}
	if ref, ok := rules["$ref"].(string); ok {
		return l.value(reference{root: l.document}.target(ref), depth-1)
	}
	if list, ok := rules["enum"].([]any); ok {
		return l.encode(list[l.IntN(len(list))])
	}
	if value, ok := rules["const"]; ok {
		return l.encode(value)
	}
	if list, ok := rules["anyOf"].([]any); ok {
		if depth <= 0 { // the last is null, or the first is the one that ends
			return l.value(list[(len(list)-1)*btoi(strings.HasSuffix(l.encode(list), `{"type":"null"}]`))], depth)
		}
		return l.value(list[l.IntN(len(list))], depth)
	}
	kind := rules["type"]
	if list, ok := kind.([]any); ok {
		kind = list[l.IntN(len(list))]
	}
	switch kind {
	case "null":
		return "null"
	case "boolean":
		return choose(l, "true", "false")
	case "integer", "number":
		return l.number(rules, kind == "integer")
	case "string":
		return quote(l.text4(rules))
	case "array":
		return l.array(rules, depth)
	case "object":
		return l.object(rules, depth)
	}
	return l.json(1)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (l *law) encode(v any) string {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func (l *law) number(rules map[string]any, integer bool) string {
	if least, ok := rules["minimum"]; ok && l.IntN(2) == 0 {
		return choose(l, l.encode(least), l.encode(rules["minimum"])+".0")
	}
	if integer {
		return choose(l, "0", "1", "-0", "7.0", "1e2", "127", "-128", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616", "1e38", "1e60")
	}
	return choose(l, "0", "-1.5", "1e3", "3.4028235e38", "3.4028236e38", "1.7976931348623157e308", "1.7976931348623159e308", "1e-320", "123456789.123456789")
}

// text4 makes a text that fits the rules for a string.
func (l *law) text4(rules map[string]any) string {
	switch rules["format"] {
	case "date-time":
		return choose(l, "2026-01-31T09:30:00Z", "2026-01-31t09:30:00z", "2016-12-31T23:59:60Z", "0000-01-01T00:00:00.123456789012Z", "9999-12-31T23:59:59-23:59", "2024-02-29T00:00:00+14:00")
	case "date":
		return choose(l, "2026-01-31", "0001-01-01", "9999-12-31", "2024-02-29", "0000-01-01")
	case "uri-reference":
		return choose(l, "", "/a", "?b", "//h", "../a", "https://example.com/a?b#c", "urn:isbn:1", "mailto:a@b.c", "http://[v1.x]/", "http://h:99999999999/", "x:%20", "http://[::1]:80", "a://%41/", "http://a:b:c@h/")
	}
	switch pattern, _ := rules["pattern"].(string); {
	case strings.Contains(pattern, "EUR"):
		return strconv.Itoa(l.IntN(1e9)) + " EUR"
	case strings.Contains(pattern, "ns|us"):
		return choose(l, "1h30m", "-5s", "0s", "1.5h", "99999999999h", "2562047h48m", "1µs", "00001ns")
	case strings.Contains(pattern, `(\.`):
		return choose(l, "0", "-1.5", "1e3", "3.5E+38", "1e400", "-0", "0.1")
	case strings.HasPrefix(pattern, "^-?(0|"):
		return choose(l, "0", "-0", "-128", "127", "9223372036854775807", "9223372036854775808", "300")
	case pattern != "":
		return choose(l, "0", "65535", "65536", "18446744073709551615", "18446744073709551616")
	case rules["contentEncoding"] != nil:
		return choose(l, base64.StdEncoding.EncodeToString(make([]byte, l.IntN(20))), "", "AAAA", "AAA=", "AA==", "AB==", "A===", "AAA", "AA\nA", "____", "AAAAAAA=", "AAAAAAAAAAAAAAAAAAAAAA==")
	}
	return choose(l, l.string(), "192.0.2.1", "::1", "fe80::1%eth0", "192.0.2.1:80", "10.0.0.0/8", "1/3", "1.5", "-7", "k12", "text x", "2026-01-31", "Inf")
}

func (l *law) array(rules map[string]any, depth int) string {
	n := l.IntN(3)
	if depth <= 0 {
		n = 0
	}
	if least, ok := rules["minItems"].(float64); ok {
		n = int(least)
	}
	items := make([]string, n)
	for i := range items {
		items[i] = l.value(rules["items"], depth-1)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func (l *law) object(rules map[string]any, depth int) string {
	var members []string
	properties, _ := rules["properties"].(map[string]any)
	required, _ := rules["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || depth > 0 && l.IntN(2) == 0 {
			members = append(members, quote(name)+":"+l.value(properties[name], depth-1))
		}
	}
	l.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	if more := rules["additionalProperties"]; more != nil && more != false && depth > 0 && l.IntN(3) > 0 {
		names, _ := rules["propertyNames"].(map[string]any)
		name := "new"
		switch {
		case names["enum"] != nil:
			name = names["enum"].([]any)[0].(string)
		case properties == nil:
			name = l.text4(names)
		}
		members = append(members, quote(name)+":"+l.value(more, depth-1))
	}
	return "{" + strings.Join(members, " ,") + "}"
}

// TestCarriers shows faults that an inferred schema finds though its document does not say so, and that the document stays plain.
func TestCarriers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ  reflect.Type
		in   string
		want string // the problem; "" for valid
	}{
		{reflect.TypeFor[int](), "9223372036854775807", ""},
		{reflect.TypeFor[int](), "-9223372036854775808", ""},
		{reflect.TypeFor[int64](), "9223372036854775808", "must be at most 9223372036854775807, got 9223372036854775808"},
		{reflect.TypeFor[int64](), "-9223372036854775809", "must be at least -9223372036854775808, got -9223372036854775809"},
		{reflect.TypeFor[*int64](), "1e30", "must be at most 9223372036854775807, got 1e30"},
		{reflect.TypeFor[uint64](), "18446744073709551615", ""},
		{reflect.TypeFor[uint64](), "18446744073709551616", "must be at most 18446744073709551615, got 18446744073709551616"},
		{reflect.TypeFor[float32](), "3.4028236e38", "must be at most 3.4028235e38, got 3.4028236e38"},
		{reflect.TypeFor[float64](), "-1e400", "must be at least -1.7976931348623157e308, got -1e400"},
		{reflect.TypeFor[big.Int](), "1e39", ""},
		{reflect.TypeFor[big.Int](), strings.Repeat("9", 200), ""},
		{reflect.TypeFor[big.Int](), "1e60", "must be a number of a usual size, got 1e60"},
		{reflect.TypeFor[time.Time](), `"2016-12-31T23:59:60Z"`, `must be a date and time such as 2026-01-31T09:30:00Z, got "2016-12-31T23:59:60Z"`},
		{reflect.TypeFor[time.Duration](), `"9999999999h"`, `must be a duration such as 1h30m, got "9999999999h"`},
		{reflect.TypeFor[netip.Addr](), `"soon"`, `must be an IP address such as 192.0.2.1, got "soon"`},
		{reflect.TypeFor[netip.AddrPort](), `"192.0.2.1"`, `must be an IP address and port such as 192.0.2.1:80, got "192.0.2.1"`},
		{reflect.TypeFor[netip.Prefix](), `"10.0.0.0/40"`, `must be an IP network such as 192.0.2.0/24, got "10.0.0.0/40"`},
		{reflect.TypeFor[big.Rat](), `"1/0"`, `must be a fraction such as 1/3, got "1/0"`},
		{reflect.TypeFor[big.Float](), `"one"`, `must be a number such as 1.5, got "one"`},
		{reflect.TypeFor[[]byte](), `"AA A"`, `must be base64, got "AA A"`},
		{reflect.TypeFor[[2]byte](), `"AAAA"`, `must be base64 of bytes, as many as 2, got "AAAA"`},
		{reflect.TypeFor[[]byte](), `"AA=="`, ""},
	} {
		s, err := schema.Of(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(s.String(), "9223372036854775807") || strings.Contains(s.String(), `\u0000`) {
			t.Errorf("%v: the document says %s", c.typ, s)
		}
		v, err := schema.Compile(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		var want []fault
		if c.want != "" {
			want = []fault{{Problem: c.want}}
		}
		if got := faults(v.Validate([]byte(c.in))); !slices.Equal(got, want) {
			t.Errorf("%v: %s: faults %v, want %v", c.typ, c.in, got, want)
		}
		if again := compile(t, s.String(), nil); c.want != "" && !strings.HasPrefix(c.want, "must be a number of a usual") && !again.Validate([]byte(c.in)).OK() {
			t.Errorf("%v: %s: the document itself refuses it, so the case shows nothing", c.typ, c.in)
		}
	}
	for in, want := range map[string]string{
		`{"I":{"99999999999999999999":""}}`: "/I/99999999999999999999 must be a number in a string that fits 64 bits",
		`{"F":{"x":1}}`:                     "/F/x must be a number in a string that fits 64 bits",
		`{"A":{"x":1}}`:                     "/A/x must be an IP address such as 192.0.2.1",
		`{"J":{"128":true}}`:                "/J/128 must be a number in a string that fits 8 bits",
	} {
		s, err := schema.Of(reflect.TypeFor[lawKeys]())
		if err != nil {
			t.Fatal(err)
		}
		v, err := schema.Compile(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range faults(v.Validate([]byte(in))) {
			got = append(got, f.Path+" "+f.Problem)
		}
		if !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, want) }) {
			t.Errorf("%s: %s, want %q", in, fmt.Sprint(got), want)
		}
	}
}

// goNames finds what only a Go programmer would say.
var goNames = regexp.MustCompile(`\b(u?int(8|16|32|64)|uint|float(32|64)|struct|interface|slice|map\[|chan|func|nil|Go|json:|jsontext|unmarshal|schema_test|lawt?[A-Z]\w*|time\.Time|reflect)\b`)

// TestFaultsNameNoGoTypes sends what is wrong to every type of the law: who reads the faults knows no Go.
func TestFaultsNameNoGoTypes(t *testing.T) {
	t.Parallel()
	wrong := []string{`null`, `true`, `"x"`, `"300"`, `""`, `1.5`, `-1`, `300`, `1e400`, `99999999999999999999999`, `[]`, `["x",1,null]`, `{}`, `{"x":1}`, `{"kind":"x"}`, `[[]]`, `{"x":{"y":[]}}`, `[{"a":`, `nil`}
	told := 0
	for _, typ := range lawTypes {
		s, err := schema.Of(typ)
		if err != nil {
			t.Fatal(err)
		}
		v, err := schema.Compile(s, &schema.Config{Closed: true})
		if err != nil {
			t.Fatal(err)
		}
		values := slices.Clone(wrong)
		var doc struct {
			Properties map[string]jsontext.Value `json:"properties"`
		}
		if json.Unmarshal(s.Raw(), &doc) == nil { // and to each of its properties
			for name := range doc.Properties {
				for _, value := range wrong {
					values = append(values, `{`+quote(name)+`:`+value+`}`)
				}
			}
		}
		for _, value := range values {
			for _, f := range faults(v.Validate([]byte(value))) {
				told++
				if found := goNames.FindString(f.Problem + " " + f.Suggestion); found != "" {
					t.Errorf("%v: %s: the fault names %s: %+v", typ, value, found, f)
				}
			}
		}
	}
	t.Logf("%d faults", told)
	if told < 2000 {
		t.Error("too few faults to say anything")
	}
}
