package mailbox_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/examples/dayflow/internal/mailbox"
)

// with returns a message with the lines in its header and the body.
func with(t *testing.T, header, body string) mailbox.Message {
	t.Helper()
	m, err := mailbox.Parse([]byte("Date: Wed, 11 Mar 2026 09:00:00 +0000\n" + header + "\n\n" + body))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestHTML(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ html, want string }{
		"words":                {html: "a  b\n\tc", want: "a b c"},
		"inline":               {html: "<b>a</b><i>b</i> <u> c</u>", want: "ab c"},
		"break":                {html: "a<br>b<br/>c", want: "a\nb\nc"},
		"two breaks":           {html: "a<br><br><br>b", want: "a\n\nb"},
		"paragraphs":           {html: "<p>a</p><p>b</p>", want: "a\n\nb"},
		"divs":                 {html: "<div>a<div>b</div></div><div>c</div>", want: "a\nb\nc"},
		"list":                 {html: "x<ul><li>a<li>b</ul>y", want: "x\n\n- a\n- b\n\ny"},
		"list in list":         {html: "<ul><li>a<ul><li>b</li></ul></li></ul>", want: "- a\n\n- b"},
		"table":                {html: "<table><tr><th>a<th>b<tr><td>c<td>d</table>", want: "a b\nc d"},
		"heading":              {html: "<h1>a</h1>b", want: "a\n\nb"},
		"rule":                 {html: "a<hr>b", want: "a\n\nb"},
		"link":                 {html: `<a href="https://x.example">here</a>`, want: "here"},
		"picture":              {html: `a<img src="cid:x" alt="logo">b`, want: "ab"},
		"preformatted":         {html: "<pre>a\n  b</pre>c", want: "a\n  b\n\nc"},
		"entities":             {html: "&lt;a&gt; &amp; &euro; &#x1F600; &bogus;", want: "<a> & € 😀 &bogus;"},
		"comment":              {html: "a<!-- x -->b<!--[if mso]>x<![endif]-->", want: "ab"},
		"script":               {html: "a<script>x</script><style>x</style><template>x</template>b", want: "ab"},
		"script without end":   {html: "a<script>x", want: "a"},
		"title":                {html: "<title>x</title>a", want: "a"},
		"hidden":               {html: "<p hidden>x</p><p style='display:none'>x</p><p>a", want: "a"},
		"hidden within":        {html: "<div style='display:none'><p style='display:block'>x</p></div>a", want: "a"},
		"hidden, important":    {html: "<p style='font-size:0 !important'>x</p><p style='opacity:0.0;'>x</p>a", want: "a"},
		"hidden, Outlook":      {html: "<span style='mso-hide:all'>x</span>a", want: "a"},
		"collapsed":            {html: "<p style='visibility : collapse'>x</p>a", want: "a"},
		"small, not hidden":    {html: "<p style='font-size:0.8em;opacity:0.9'>a</p>", want: "a"},
		"shown":                {html: "<p style='display:block;visibility:visible'>a</p>", want: "a"},
		"form":                 {html: "<form>a<textarea>x</textarea><select><option>x</select></form>", want: "a"},
		"picture text":         {html: "<svg><text>x</text></svg>a", want: "a"},
		"no-break space":       {html: "<p>a&nbsp;b&nbsp;</p>", want: "a\u00a0b"},
		"broken":               {html: "<p><b>a</p>b</div></span><p", want: "a\n\nb"},
		"nothing":              {html: "<html><body></body></html>", want: ""},
		"quote":                {html: "a<blockquote>b</blockquote>c", want: "a\n\nb\n\nc"},
		"padding of no width":  {html: "a&#8203;&zwnj;&shy;b", want: "a\u200cb"},
		"text in the table":    {html: "<table>a<tr><td>b</table>", want: "a\n\nb"},
		"space between inline": {html: "<b>a</b>\n<b>b</b>", want: "a b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := with(t, "Content-Type: text/html; charset=utf-8", tt.html)
			if diff := cmp.Diff(tt.want, m.Body); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSubject(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ header, want string }{
		"plain":              {header: "Subject: Lunch", want: "Lunch"},
		"folded":             {header: "Subject: Lunch\n with\n\tMei", want: "Lunch with Mei"},
		"two words":          {header: "Subject: =?utf-8?Q?Ol=C3=A1?= =?utf-8?Q?_Sam?=", want: "Olá Sam"},
		"word and text":      {header: "Subject: Re: =?utf-8?Q?Ol=C3=A1?= Sam", want: "Re: Olá Sam"},
		"two charsets":       {header: "Subject: =?iso-8859-1?Q?=E1?= =?koi8-r?Q?=C1?=", want: "áа"},
		"unknown charset":    {header: "Subject: =?x-klingon?Q?a?=", want: "=?x-klingon?Q?a?="},
		"broken word":        {header: "Subject: =?utf-8?Q?a", want: "=?utf-8?Q?a"},
		"broken base64":      {header: "Subject: =?utf-8?B?!!!?=", want: "=?utf-8?B?!!!?="},
		"raw UTF-8":          {header: "Subject: Olá", want: "Olá"},
		"raw Latin 1":        {header: "Subject: Ol\xe1", want: "Olá"},
		"bad raw UTF-8":      {header: "Subject: Olá \xff", want: "Olá \uFFFD"},
		"bad UTF-8 in words": {header: "Subject: =?utf-8?Q?a=FFb?=", want: "a\uFFFDb"},
		"none":               {header: "X-A: b", want: ""},
		"empty":              {header: "Subject:", want: ""},
		"two":                {header: "Subject: first\nSubject: second", want: "first"},
		"lower case":         {header: "subject: Lunch", want: "Lunch"},
		"new line inside":    {header: "Subject: =?utf-8?Q?a=0D=0ABcc:_x?=", want: "a Bcc: x"},
		"hidden tags":        {header: "Subject: a\U000E0041\U000E0042b", want: "ab"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := with(t, tt.header, "").Subject; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFrom(t *testing.T) {
	t.Parallel()
	tests := map[string]mailbox.Address{
		"ann@example.com":                           {Email: "ann@example.com"},
		"<ann@example.com>":                         {Email: "ann@example.com"},
		"Ann <ann@example.com>":                     {Name: "Ann", Email: "ann@example.com"},
		`"Ann, \"A\"" <ann@example.com>`:            {Name: `Ann, "A"`, Email: "ann@example.com"},
		"=?utf-8?Q?=C3=81nn?= <ann@example.com>":    {Name: "Ánn", Email: "ann@example.com"},
		`"=?utf-8?Q?=C3=81nn?=" <ann@example.com>`:  {Name: "=?utf-8?Q?=C3=81nn?=", Email: "ann@example.com"},
		"ann@example.com (Ann)":                     {Name: "Ann", Email: "ann@example.com"},
		"Ann @ Home <ann@example.com>":              {Name: "Ann @ Home", Email: "ann@example.com"},
		"Ann <ann@example.com":                      {Name: "Ann", Email: "ann@example.com"},
		"ann@example.com, bob@example.com":          {Email: "ann@example.com"},
		"Ann":                                       {},
		"Ann <>":                                    {},
		"":                                          {},
		"\xc1nn <ann@example.com>":                  {Name: "Ánn", Email: "ann@example.com"},
		"Ann <ann@localhost>":                       {Name: "Ann", Email: "ann@localhost"},
		"=?x-klingon?Q?a?= <ann@example.com>":       {Name: "=?x-klingon?Q?a?=", Email: "ann@example.com"},
		"Ann\u202e <ann@example.com>":               {Name: "Ann", Email: "ann@example.com"},
		strings.Repeat("a@example.com, ", 1<<13):    {Email: "a@example.com"},
		strings.Repeat("(", 1<<16) + "a@b.example":  {},
		strings.Repeat("<", 1000) + "a@example.com": {Email: "a@example.com"},
	}
	for from, want := range tests {
		t.Run(from[:min(len(from), 30)], func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, with(t, "From: "+from, "").From); diff != "" {
				t.Errorf("from (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAttachmentNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		header string
		want   []string
	}{
		"file name":         {header: "Content-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf", want: []string{"a.pdf"}},
		"name":              {header: "Content-Type: application/pdf; name=a.pdf", want: []string{"a.pdf"}},
		"continued":         {header: "Content-Type: application/pdf\nContent-Disposition: attachment; filename*0=a; filename*1=b.pdf", want: []string{"ab.pdf"}},
		"path":              {header: "Content-Type: application/pdf\nContent-Disposition: attachment; filename=\"/etc/../a.pdf\"", want: []string{"a.pdf"}},
		"only dots":         {header: "Content-Type: application/pdf\nContent-Disposition: attachment; filename=\"..\"", want: []string{"unnamed (application/pdf)"}},
		"none":              {header: "Content-Type: application/pdf\nContent-Disposition: attachment", want: []string{"unnamed (application/pdf)"}},
		"text":              {header: "Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt", want: []string{"a.txt"}},
		"invitation":        {header: "Content-Type: text/calendar; method=REQUEST; name=invite.ics", want: []string{"invite.ics"}},
		"inline":            {header: "Content-Type: image/png\nContent-Disposition: inline", want: nil},
		"inline, named":     {header: "Content-Type: image/png\nContent-Disposition: inline; filename=photo.png", want: []string{"photo.png"}},
		"picture":           {header: "Content-Type: image/png", want: nil},
		"direction":         {header: "Content-Type: application/x\nContent-Disposition: attachment; filename=\"a\u202egpj.exe\"", want: []string{"agpj.exe"}},
		"type in disorder":  {header: "Content-Type: ;;;\nContent-Disposition: attachment; filename=a.bin", want: []string{"a.bin"}},
		"unknown charset":   {header: "Content-Type: application/pdf; name=\"=?x-klingon?Q?a?=\"", want: []string{"=?x-klingon?Q?a?="}},
		"unknown encoding":  {header: "Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: x-rot13", want: []string{"a.pdf"}},
		"forwarded message": {header: "Content-Type: message/rfc822; name=\"Fwd.eml\"", want: []string{"Fwd.eml"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := "--x\nContent-Type: text/plain\n\nwords\n--x\n" + tt.header + "\n\ndata\n--x--\n"
			m := with(t, "Content-Type: multipart/mixed; boundary=x", body)
			if diff := cmp.Diff(tt.want, m.Attachments); diff != "" {
				t.Errorf("attachments (-want +got):\n%s", diff)
			}
			if m.Body != "words" {
				t.Errorf("body is %q", m.Body)
			}
		})
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	const plain, html = "Content-Type: text/plain\n\nplain", "Content-Type: text/html\n\n<p>rich</p>"
	tests := map[string]struct {
		kind  string
		parts []string
		want  string
	}{
		"alternative":            {kind: "alternative", parts: []string{plain, html}, want: "plain"},
		"alternative, turned":    {kind: "alternative", parts: []string{html, plain}, want: "plain"},
		"alternative, only HTML": {kind: "alternative", parts: []string{html, "Content-Type: text/html\n\nrichest"}, want: "richest"},
		"alternative, nothing":   {kind: "alternative", parts: []string{"Content-Type: image/png\n\nx"}, want: ""},
		"mixed":                  {kind: "mixed", parts: []string{plain, html, plain}, want: "plain\n\nrich\n\nplain"},
		"signed":                 {kind: "signed", parts: []string{plain, "Content-Type: application/pgp-signature\n\nx"}, want: "plain"},
		"report":                 {kind: "report", parts: []string{plain, "Content-Type: message/delivery-status\n\nStatus: 5.1.1"}, want: "plain"},
		"unknown kind":           {kind: "x-parallel", parts: []string{plain, plain}, want: "plain\n\nplain"},
		"no type":                {kind: "mixed", parts: []string{"\nwords"}, want: "words"},
		"old type":               {kind: "mixed", parts: []string{"Content-Type: text\n\nwords"}, want: "words"},
		"no parts":               {kind: "mixed", want: ""},
		"preamble as first part": {kind: "mixed", parts: []string{"\n \n", plain}, want: "plain"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var body strings.Builder
			for _, p := range tt.parts {
				body.WriteString("--x\n" + p + "\n")
			}
			m := with(t, "Content-Type: multipart/"+tt.kind+"; boundary=x", body.String()+"--x--\n")
			if diff := cmp.Diff(tt.want, m.Body); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}
