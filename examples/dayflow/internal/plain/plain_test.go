package plain_test

import (
	"testing"
	"unicode/utf8"

	"helve.dev/helve/examples/dayflow/internal/plain"
)

func TestText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"plain":          {in: "Olá, Sam – 5 €\n\tyes", want: "Olá, Sam – 5 €\n\tyes"},
		"line ends":      {in: "a\r\nb\rc\n", want: "a\nb\nc\n"},
		"control":        {in: "a\x00b\x1b[2Jc\x7fd\u0085e", want: "ab[2Jcde"},
		"bad UTF-8":      {in: "a\xffb", want: "a\uFFFDb"},
		"padding":        {in: "a\u200b\ufeff\u00ad\u034fb", want: "ab"},
		"joiner":         {in: "می\u200cخواهم", want: "می\u200cخواهم"},
		"direction":      {in: "a\u202egpj.exe\u2066b", want: "agpj.exeb"},
		"hidden in tags": {in: "hello\U000E0069\U000E0067", want: "hello"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := plain.Text(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	if got, want := plain.Line(" a\r\n b\u00a0c\t\u200b d "), "a b c d"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\r\n\xff\u202e")
	f.Fuzz(func(t *testing.T, in string) {
		got := plain.Text(in)
		if !utf8.ValidString(got) || plain.Text(got) != got {
			t.Errorf("%q became %q, which isn't clean", in, got)
		}
	})
}
