package schema_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// TestFormats has the edges of each format; the suite of the specification has the rest (TestConformance).
func TestFormats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format  string
		valid   []string
		invalid []string
	}{
		{"date", []string{"2024-02-29", "0001-01-01"}, []string{"2023-02-29", "2024-13-01", "2024-00-10", "2024-01-32", "24-01-01", "2024-1-1", "", "2024-01-01 "}},
		{"time", []string{"09:30:00Z", "23:59:60Z", "23:29:60-00:30", "09:30:00.123456789+05:30", "00:00:00z"}, []string{"09:30", "09:30:00", "24:00:00Z", "12:00:60Z", "12:00:00+24:00", "12:00:00.Z", "12:00:00+1:00"}},
		{"date-time", []string{"2026-01-31T09:30:00Z", "2026-01-31t09:30:00.5+01:00"}, []string{"2026-01-31 09:30:00Z", "2026-01-31T09:30:00", "2026-02-30T09:30:00Z", "2026-01-31"}},
		{"duration", []string{"P1Y2M3DT4H5M6S", "PT1H", "P3W", "PT0S", "P1D"}, []string{"P", "PT", "1D", "P1H", "PT1D", "P1Y2W", "P1", "P1DT", "PT1S1H", "P-1D"}},
		{"email", []string{"a@example.com", `"a b"@example.com`, "a.b+c@[192.0.2.1]", "a@[IPv6:::1]"}, []string{"a", "@b", "a@", ".a@b.c", "a..b@c.d", "a@-b.c", "a b@c.d", "é@b.c"}},
		{"idn-email", []string{"é@example.com", "a@exämple.com"}, []string{"é", "é@"}},
		{"hostname", []string{"a", "example.com", "xn--bcher-kva.example", "1a.b-c"}, []string{"", "-a.b", "a-.b", "a..b", "a_b", "é.b", ".", "a."}},
		{"ipv4", []string{"192.0.2.1"}, []string{"192.0.2", "256.0.0.1", "01.2.3.4", "1.2.3.4.5", "::1"}},
		{"ipv6", []string{"::1", "2001:db8::ff00:42:8329", "::ffff:192.0.2.1"}, []string{"1::2::3", "12345::", "::1%eth0", "192.0.2.1", ":::"}},
		{"uri", []string{"https://example.com/a?b=c#d", "urn:isbn:1", "mailto:a@b.c", "http://[::1]:80/", "http://u:p@h/%20"}, []string{"/a", "a b:c", "http://a b", "http://[::1", "http://h:x/", "://a", "http://a/%2", "http://a/<b>", "1a:b"}},
		{"uri-reference", []string{"/a", "", "#a", "a/b:c", "//h/p"}, []string{"a:b c", "\\\\a", "a b", "1:b", "#%"}},
		{"iri", []string{"https://exämple.com/é"}, []string{"/é", "https://a b"}},
		{"iri-reference", []string{"é#ü"}, []string{"a b"}},
		{"uuid", []string{"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"}, []string{"123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g", ""}},
		{"regex", []string{"^a+$", "(?=a)b", `\d`, "(?<n>a)"}, []string{"(", "a{2,1}", "(?i)a", `\a`, "[b-a]"}},
		{"json-pointer", []string{"", "/a/0", "/~0~1", "/"}, []string{"a", "/~", "/~2"}},
		{"relative-json-pointer", []string{"0", "1/a", "0#"}, []string{"", "/a", "01/a", "-1/a", "0##"}},
		{"uri-template", []string{"/a/{id}", "{?a,b:3,c*}", "x"}, []string{"{", "{}", "{a b}", "}", "{a:0}", "<a>", "%2"}},
	} {
		v := compile(t, fmt.Sprintf(`{"format":%q}`, c.format), nil)
		for _, s := range c.valid {
			if r := v.Validate([]byte(quote(s))); !r.OK() {
				t.Errorf("%s: %q is refused: %v", c.format, s, r.Faults)
			}
		}
		for _, s := range c.invalid {
			if v.Validate([]byte(quote(s))).OK() {
				t.Errorf("%s: %q is accepted", c.format, s)
			}
		}
		if !v.Validate([]byte(`3`)).OK() {
			t.Errorf("%s: says something about a number", c.format)
		}
	}
}

// quote writes a JSON string literal.
func quote(s string) string {
	raw, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern        string
		match, nomatch []string
	}{
		{`^\d+$`, []string{"1"}, []string{"१", ""}},
		{`^\s$`, []string{" ", "\t", "\u00a0", "\ufeff", "\u2028"}, []string{"a", "\u200b"}},
		{`^\S$`, []string{"a"}, []string{"\u00a0"}},
		{`^[\s\d]+$`, []string{"1 \u00a0"}, []string{"a"}},
		{`^[^\S]$`, []string{" "}, []string{"a"}},
		{`^.$`, []string{"a", "é", "\U0001F600"}, []string{"\n", "\r", "\u2028"}},
		{`^\u00e9$`, []string{"é"}, []string{"e"}},
		{`^\x41\cA$`, []string{"A\x01"}, []string{"AA"}},
		{`^a$`, []string{"a"}, []string{"a\n"}},
		{`^\p{Letter}+$`, []string{"aé"}, []string{"1"}},
		{`^\p{Script=Greek}$`, []string{"α"}, []string{"a"}},
		{`^(?=.*\d)[a-z\d]{3,}$`, []string{"ab1"}, []string{"abc"}},
		{`^(?!a)`, []string{"b"}, []string{"a"}},
		{`(?<=a)b`, []string{"ab"}, []string{"b"}},
		{`^(a|b)\1$`, []string{"aa"}, []string{"ab"}},
		{`^(?<x>a)$`, []string{"a"}, []string{"b"}},
		{`^[[a]$`, []string{"[", "a"}, []string{"b"}},
		{`^\/\-$`, []string{"/-"}, []string{"-"}},
		{`b`, []string{"abc"}, []string{"ac"}},
		{`^[^]$`, []string{"a", "\n"}, []string{""}},
		{`^\0$`, []string{"\x00"}, []string{"0"}},
	} {
		s, err := schema.String().Pattern(c.pattern).Schema()
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		v, err := schema.Compile(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range c.match {
			if !v.Validate([]byte(quote(in))).OK() {
				t.Errorf("%s does not match %q", c.pattern, in)
			}
		}
		for _, in := range c.nomatch {
			if v.Validate([]byte(quote(in))).OK() {
				t.Errorf("%s matches %q", c.pattern, in)
			}
		}
	}
}

// TestSimplePatterns compares patterns that are matched by a loop with package regexp, which decides for all others.
func TestSimplePatterns(t *testing.T) {
	t.Parallel()
	patterns := []string{
		`^a$`, `^[a-z0-9_]{3,5}$`, `^cal_[a-c]{2}$`, `^a*b+c?$`, `^a?a$`, `^a*[ab]$`, `^[ab]{0,2}c*$`, `^-?[0-9]+$`, `^a{2}$`, `^\d{2}-\d{2}$`, `^\w+@\w+$`,
		`^é$`, `^[^a]$`, `^.$`, `^a|b$`, `^(ab)+$`, `a$`, `^a`, `^ab{2}$`, `^a{0}b$`, `^\.\/$`, `^[a-b]{2,}c{1,3}$`, `^$`, `^a{0,1}b{0,1}a$`,
	}
	const alphabet = "abc_1-@é./"
	var texts []string
	grown := []string{""}
	for range 4 {
		var next []string
		for _, text := range grown {
			for _, r := range alphabet {
				next = append(next, text+string(r))
			}
		}
		texts, grown = append(texts, grown...), next
	}
	for _, p := range patterns {
		v := compile(t, fmt.Sprintf(`{"pattern":%s}`, quote(p)), nil)
		re := regexp.MustCompile(p)
		for _, text := range texts {
			if got, want := v.Validate([]byte(quote(text))).OK(), re.MatchString(text); got != want {
				t.Errorf("%s against %q: %v, want %v", p, text, got, want)
			}
		}
	}
}
