package schema_test

import (
	"strings"
	"testing"
)

// TestIDN has names that the suite of the specification lacks; TestConformance has the rest.
func TestIDN(t *testing.T) {
	t.Parallel()
	for format, c := range map[string]struct{ valid, invalid []string }{
		"idn-hostname": {
			[]string{
				"bücher.example", "xn--bcher-kva.example", "例え.テスト", "مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv", "Example.COM", "faß.de", "xn--fa-hia.de",
				"l·l", "שלום.example", "a1.שלום", "पाठशाला", "क्\u200cष", "ي\u200cي", "日本語。jp", strings.Repeat("a", 63) + ".b",
			},
			[]string{
				"Bücher.example", "xn--", "xn--a", "xn--bcher-kva-.x", "xn--BüCHER", "a b", "a_b", "bü_cher", "ﬀ.example", "Ａ.example", "☃.example", "a。", "😀.com", "\u00ad.x",
				"שלוםa", "aא", "1.א", "א-", "xn--999999999999", "xn--0", "ا\u200cا", "ü" + strings.Repeat("ü", 60), strings.Repeat("ü.", 130) + "a", "\U000E0100a", "ᄀ", "x\u0640",
			},
		},
		"hostname": {
			[]string{"xn--bcher-kva.example", "XN--BCHER-KVA.example", "xn--mgbh0fb.xn--kgbechtv"},
			[]string{"bücher.example", "xn--bcher-kv.example", "xn--a", "xn--ascii-", "xn--zzzzzzzzzzzzzzzzzzzzzzzzzz", "日本語。jp", "xn--mgbh0fb.1"},
		},
		"idn-email": {[]string{"ü@bücher.example", "a@xn--bcher-kva.example"}, []string{"a@Bücher_.example", "a@xn--a", "a@b。"}},
	} {
		v := compile(t, `{"format":`+quote(format)+`}`, nil)
		for _, s := range c.valid {
			if !v.Validate([]byte(quote(s))).OK() {
				t.Errorf("%s: %q is refused", format, s)
			}
		}
		for _, s := range c.invalid {
			if v.Validate([]byte(quote(s))).OK() {
				t.Errorf("%s: %q is accepted", format, s)
			}
		}
	}
}

// FuzzHostnames holds for any text: nothing panics, and a host name is an international one too.
func FuzzHostnames(f *testing.F) {
	for _, s := range []string{"example.com", "xn--bcher-kva.example", "bücher", "xn--a", "א-", "l·l", "ك\u200cك", "a。b", "xn--999999999", ""} {
		f.Add(s)
	}
	plain, international := compile(f, `{"format":"hostname"}`, nil), compile(f, `{"format":"idn-hostname"}`, nil)
	f.Fuzz(func(t *testing.T, s string) {
		in := []byte(quote(strings.ToValidUTF8(s, "")))
		if plain.Validate(in).OK() && !international.Validate(in).OK() {
			t.Errorf("%s is a host name, but not an international one", in)
		}
	})
}
