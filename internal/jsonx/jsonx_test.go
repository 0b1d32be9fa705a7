package jsonx_test

import (
	"bytes"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/internal/jsonx"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"white space", " { \"a\" : [ 1 , true , null ] } ", `{"a":[1,true,null]}`},
		{
			"RFC 8785 section 3.2.3: by UTF-16 code units", "{\"\u20ac\":1,\"\\r\":2,\"\ufb33\":3,\"1\":4,\"\U0001f600\":5,\"\u0080\":6,\"\u00f6\":7}",
			"{\"\\r\":2,\"1\":4,\"\u0080\":6,\"\u00f6\":7,\"\u20ac\":1,\"\U0001f600\":5,\"\ufb33\":3}",
		},
		{"nested", `{"b":{"d":1,"c":2},"a":[]}`, `{"a":[],"b":{"c":2,"d":1}}`},
		{"strings", `"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/\b\f\t\r"`, "\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\\b\\f\\t\\r\""},
		{"a pair of surrogates", `"\ud83d\ude00"`, "\"\U0001f600\""},
		{"nothing to escape", "\"\u007f\u2028é\"", "\"\u007f\u2028é\""},
		{"numbers that are one", `[1,1.0,1e0,10e-1,0.1E+1,100e-2,1.000]`, `[1,1,1,1,1,1,1]`},
		{"zeros", `[0,-0,0.0,0e5,-0.00e-9,0e999999999999]`, `[0,0,0,0,0,0]`},
		{"B17 beyond float64", `[9007199254740993,9007199254740992,0.1000000000000000055511151231257827021181583404541015625]`, `[9007199254740993,9007199254740992,0.1000000000000000055511151231257827021181583404541015625]`},
		{"as ECMAScript writes", `[1e20,1e21,123456789012345678901234,0.000001,0.0000001,1.5e-7,-12.50,1e-5,123e18]`, `[100000000000000000000,1e+21,1.23456789012345678901234e+23,0.000001,1e-7,1.5e-7,-12.5,0.00001,123000000000000000000]`},
		{"large exponents stay small", `[1e1000000000,-1.50e-999999999,10e999999999]`, `[1e+1000000000,-1.5e-999999999,1e+1000000000]`},
		{"scalars", `"a"`, `"a"`},
	} {
		got, err := jsonx.Canonical([]byte(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestCanonicalOrder compares the order of names with that of their UTF-16 code units.
func TestCanonicalOrder(t *testing.T) {
	t.Parallel()
	const alphabet = "az\u007f\u0080\u07ff\u0800\ud7ff\ue000\uefff\uf000\uffff\U00010000\U0003ffff\U00040000\U0010ffff\"\\\n"
	var names []string
	for _, a := range alphabet {
		names = append(names, string(a))
		for _, b := range alphabet {
			names = append(names, string(a)+string(b))
		}
	}
	var in []byte
	for i, name := range names {
		in = append(in, "{,"[min(i, 1)])
		in = append(jsonx.AppendQuote(in, name), ":1"...)
	}
	in = append(in, '}')
	slices.SortFunc(names, func(a, b string) int { return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) })
	got, err := jsonx.Canonical(in)
	if err != nil {
		t.Fatal(err)
	}
	dec := jsontext.NewDecoder(bytes.NewReader(got))
	for i := -1; i < len(names); i++ {
		token, err := dec.ReadToken()
		if err != nil || i >= 0 && token.String() != names[i] {
			t.Fatalf("name %d is %s, %v, want %q", i, token, err, names[i])
		}
		if i >= 0 {
			_ = dec.SkipValue()
		}
	}
}

// TestCanonicalAllocations holds the goal for a step that every write takes: one allocation, for the result.
func TestCanonicalAllocations(t *testing.T) {
	for _, in := range []string{`{"b":{"d":1.50,"c":[2,"x\n"]},"a":[],"\u0061b":{"z":1,"y":2}}`, `[1,2,3]`} {
		raw := []byte(in)
		if n := testing.AllocsPerRun(100, func() { _, _ = jsonx.Canonical(raw) }); n > 2 && !raceEnabled {
			t.Errorf("%s: %v allocations, want 1 and at most one more for growing", in, n)
		}
	}
}

// TestCanonicalDeep shows that depth does not multiply the cost.
func TestCanonicalDeep(t *testing.T) {
	t.Parallel()
	const depth = 9000
	in := strings.Repeat(`{"b":1,"a":`, depth) + `"` + strings.Repeat("x", 1<<18) + `"` + strings.Repeat(`}`, depth)
	got, err := jsonx.Canonical([]byte(in))
	if want := strings.Repeat(`{"a":`, depth) + `"` + strings.Repeat("x", 1<<18) + `"` + strings.Repeat(`,"b":1}`, depth); err != nil || string(got) != want {
		t.Errorf("got %.40s and %v", got, err)
	}
}

func BenchmarkCanonical(b *testing.B) {
	in := []byte(`{"title":"Quarterly review","start":"2026-01-31T09:30:00Z","minutes":90,"priority":2.50,"attendees":["ana@example.com","rui@example.com"],"location":{"name":"Room 4","lat":38.7223,"lon":-9.1393},"all_day":false}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := jsonx.Canonical(in); err != nil {
			b.Fatal(err)
		}
	}
}

func TestCanonicalErrors(t *testing.T) {
	t.Parallel()
	for _, in := range []string{``, ` `, `{`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, "\"\xff\"", `"\ud800"`, `[1,]`, `1 2`, `NaN`, `01`, strings.Repeat("[", 20000)} {
		if got, err := jsonx.Canonical([]byte(in)); err == nil {
			t.Errorf("%.20q: got %s, want an error", in, got)
		}
	}
	if _, err := jsonx.Canonical([]byte(`[1e1000000001]`)); !errors.Is(err, jsonx.ErrExponent) {
		t.Errorf("got %v, want ErrExponent", err)
	}
}

func TestIntegral(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`1.0`, `1`},
		{` [ 1e3, 10e-1, 1.50, -2.0 , 7] `, ` [ 1000, 1, 1.50, -2 , 7] `},
		{`{"1.0":"1.0","a":1.0}`, `{"1.0":"1.0","a":1}`},
		{`{"a\"1.0":2.0e0}`, `{"a\"1.0":2}`},
		{`-0.0`, `0`},
		{`[-0, 0]`, `[0, 0]`},
		{`1e39`, `1` + strings.Repeat("0", 39)},
		{`1e40`, `1e40`},
		{`1e999999999999`, `1e999999999999`},
		{`123456789012345678901234567890.0`, `123456789012345678901234567890`},
	} {
		if got := string(jsonx.Integral([]byte(c.in))); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
	for _, in := range []string{`{"a":[1,2.5,"3.0",true,null,-7,1.5e0]}`, ``, `x`, `-`, `[1.`} {
		raw := []byte(in)
		if got := jsonx.Integral(raw); string(got) != in || unsafe.SliceData(got) != unsafe.SliceData(raw) {
			t.Errorf("%s: got a copy %s, want the input itself", in, got)
		}
	}
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"1", "1.0", 0},
		{"1", "2", -1},
		{"-1", "-2", 1},
		{"-1", "1", -1},
		{"0", "-0.0", 0},
		{"0.1", "0.10000000000000000001", -1},
		{"1e400", "1e401", -1},
		{"10e400", "1e401", 0},
		{"9.9", "10", -1},
		{"0.05", "5e-2", 0},
		{"123.456", "123.4560", 0},
		{"123.45", "123.456", -1},
		{"-0.001", "0", -1},
		{"100", "1e2", 0},
		{"99999999999999999999", "100000000000000000000", -1},
	} {
		a, b := decimal(t, c.a), decimal(t, c.b)
		if a.Compare(b) != c.want || b.Compare(a) != -c.want {
			t.Errorf("%s against %s: %d and %d, want %d", c.a, c.b, a.Compare(b), b.Compare(a), c.want)
		}
		if c.want == 0 && a.Hash(1) != b.Hash(1) {
			t.Errorf("%s and %s are equal but hash differently", c.a, c.b)
		}
	}
	for lit, want := range map[string]bool{"1": true, "1.0": true, "1.5": false, "10e-1": true, "1e-1": false, "0.0": true, "1e300": true, "120e-2": false, "-3": true} {
		if got := decimal(t, lit).IsInteger(); got != want {
			t.Errorf("%s: integer is %v, want %v", lit, got, want)
		}
	}
}

func decimal(tb testing.TB, lit string) jsonx.Decimal {
	tb.Helper()
	v, err := jsonx.ParseDecimal([]byte(lit))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// FuzzDecimal compares with exact rationals.
func FuzzDecimal(f *testing.F) {
	for _, pair := range [][2]string{{"1", "1.0"}, {"4.35", "0.01"}, {"-0.0", "0"}, {"123456789012345678901234567890", "1234567890123456789"}, {"1e30", "7"}, {"0.00751", "0.0001"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, lit := range []string{a, b} {
			end, ok := jsonx.Number([]byte(lit), 0)
			if k := strings.IndexAny(lit, "eE"); !ok || end != len(lit) || len(lit) > 60 || k >= 0 && len(lit)-k > 4 {
				t.Skip()
			}
		}
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		v, w := decimal(t, a), decimal(t, b)
		if v.Compare(w) != x.Cmp(y) {
			t.Errorf("%s against %s: %d, want %d", a, b, v.Compare(w), x.Cmp(y))
		}
		if v.IsInteger() != x.IsInt() || v.Sign() != x.Sign() {
			t.Errorf("%s: integer %v and sign %d, want %v and %d", a, v.IsInteger(), v.Sign(), x.IsInt(), x.Sign())
		}
		if want := y.Sign() != 0 && new(big.Rat).Quo(x, y).IsInt() || y.Sign() == 0 && x.Sign() == 0; v.MultipleOf(w) != want {
			t.Errorf("%s is a multiple of %s: %v, want %v", a, b, !want, want)
		}
		back, ok := new(big.Rat).SetString(string(v.Append(nil)))
		if !ok || back.Cmp(x) != 0 {
			t.Errorf("%s is written as %s", a, v.Append(nil))
		}
	})
}

// FuzzCanonical holds for any bytes: a canonical text is a fixed point, valid, of the same meaning, and as jsontext orders it.
func FuzzCanonical(f *testing.F) {
	for _, in := range []string{`{"b":1.0,"a":[1e3,"\u0041\n"]}`, `{"\ufb33":1,"\ud83d\ude00":2}`, `[0.1,1e21,-0]`, `"\u007f"`, ` null `, `{"a":{"a":{}}}`} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := jsonx.Canonical(in)
		strict := jsontext.Value(in).IsValid()
		if err != nil {
			if strict && !errors.Is(err, jsonx.ErrExponent) {
				t.Fatalf("strict JSON is refused: %v", err)
			}
			return
		}
		if !strict || !jsontext.Value(got).IsValid() {
			t.Fatalf("accepted %q as %q", in, got)
		}
		again, err := jsonx.Canonical(got)
		if err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%s becomes %s, %v", got, again, err)
		}
		if bytes.ContainsAny(in, "0123456789") {
			return // numbers differ from RFC 8785 on purpose
		}
		want := jsontext.Value(bytes.Clone(in))
		if err := want.Canonicalize(); err != nil || !bytes.Equal(want, got) {
			t.Fatalf("got %s, RFC 8785 has %s, %v", got, want, err)
		}
	})
}

// FuzzScan compares the scanner with jsontext, token by token.
func FuzzScan(f *testing.F) {
	for _, in := range []string{`"a\u0041\ud83d\ude00"`, "\"\xc3\x28\"", `"\ud800x"`, `1.5e+10`, `-`, `tru`, `"12345678\"12345678"`, "\"1234567\x1f\"", `0x`, "\"\xed\xa0\x80\""} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 {
			return
		}
		var end int
		var ok bool
		switch c := in[0]; {
		case c == '"':
			end, _, ok = jsonx.String(in, 0)
		case c == '-' || c >= '0' && c <= '9':
			end, ok = jsonx.Number(in, 0)
		case c == 't' || c == 'f' || c == 'n':
			end, ok = jsonx.Literal(in, 0)
		default:
			return
		}
		if end > len(in) {
			t.Fatalf("end %d beyond %d bytes", end, len(in))
		}
		whole := ok && end == len(in)
		if want := jsontext.Value(in).IsValid() && !bytes.ContainsAny(in[len(in)-1:], " \n\t\r"); whole != want {
			t.Fatalf("%q: whole is %v, want %v", in, whole, want)
		}
		if whole && in[0] == '"' {
			want, err := jsontext.AppendUnquote(nil, in)
			if got := jsonx.Unquote(nil, in); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%q stands for %q, want %q", in, got, want)
			}
		}
		if whole && jsonx.Skip(in, 0) != len(in) {
			t.Fatalf("%q: Skip ends at %d", in, jsonx.Skip(in, 0))
		}
	})
}

func TestSkip(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`{"a":[1,{"b":"]}"}],"c":"\""}`, `[]`, `"a\\"`, `12`, `true`, `[[],{}]`} {
		text := " " + value + ",x"
		if end := jsonx.Skip([]byte(text), 1); end != 1+len(value) {
			t.Errorf("%s: ends at %d, want %d", value, end, 1+len(value))
		}
	}
}

func TestAppendQuote(t *testing.T) {
	t.Parallel()
	if got := string(jsonx.AppendQuote([]byte("x"), "a\"\\\x01é\xff")); got != "x\"a\\\"\\\\\\u0001é\uFFFD\"" {
		t.Errorf("got %s", got)
	}
}

// A literal is what json/v2 writes, bytes that are not UTF-8 included.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain text that is longer than a word", "a\"b\\c\n\x00\x1f\x7f", "é\u2028\U0001F600", "a\xffb\xc3", "\xed\xa0\x80 surrogate"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := jsontext.AppendQuote([]byte("x"), s)
		got, ok := jsonx.AppendString([]byte("x"), s)
		if string(got) != string(want) || ok != (err == nil) {
			t.Errorf("%q: got %s, %v, want %s, %v", s, got, ok, want, err)
		}
		if same, ok := jsonx.AppendString([]byte("x"), []byte(s)); string(same) != string(got) || ok != (err == nil) {
			t.Errorf("%q: as bytes %s, as text %s", s, same, got)
		}
	})
}
