package mailbox

import (
	"errors"
	"io"
	"mime"
	"path"
	"strings"

	"github.com/emersion/go-message"
	gomail "github.com/emersion/go-message/mail"

	"helve.dev/helve/examples/dayflow/internal/plain"
)

// The bounds of a body. Whatever lies beyond sets Partial.
const (
	maxText  = 1 << 20 // bytes of text that are read from one message
	maxDepth = 12      // multiparts within each other
	maxParts = 500     // parts of one message
)

// content is the text of a part.
type content struct {
	text string
	html bool // it was made from HTML
}

// blank reports whether there is nothing to read.
func (c content) blank() bool { return strings.TrimSpace(c.text) == "" }

// walker goes through the parts of one message.
type walker struct {
	attachments []string
	partial     bool
	parts       int
	text        int // bytes of text so far
}

// read returns the text of an entity and of all that it contains.
func (w *walker) read(e *message.Entity, depth int) content {
	kind, params := mediaType(e)
	if !strings.HasPrefix(kind, "multipart/") {
		return w.leaf(e, kind, params["charset"])
	}
	parts := e.MultipartReader()
	if parts == nil || params["boundary"] == "" || depth == maxDepth {
		w.partial = true
		return content{}
	}
	var children []content
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		w.parts++
		if part == nil || err != nil && !decodingError(err) || w.parts > maxParts {
			w.partial = true
			break
		}
		w.partial = w.partial || err != nil
		if child := w.read(part, depth+1); !child.blank() {
			children = append(children, child)
		}
	}
	if kind == "multipart/alternative" {
		return alternative(children)
	}
	return joined(children)
}

// alternative chooses the plain one of several forms of the same text, else
// the last, which is the richest (RFC 2046, section 5.1.4).
func alternative(children []content) content {
	for _, c := range children {
		if !c.html {
			return c
		}
	}
	if len(children) == 0 {
		return content{}
	}
	return children[len(children)-1]
}

// joined puts texts that follow each other into one.
func joined(children []content) content {
	texts := make([]string, 0, len(children))
	html := len(children) > 0
	for _, c := range children {
		texts = append(texts, c.text)
		html = html && c.html
	}
	return content{text: strings.Join(texts, "\n\n"), html: html}
}

// leaf returns the text of a part that has no parts, or notes it as an
// attachment.
func (w *walker) leaf(e *message.Entity, kind, charset string) content {
	header := gomail.AttachmentHeader{Header: e.Header}
	disposition, _, _ := header.ContentDisposition()
	name, _ := header.Filename()
	readable := kind == "text/plain" || kind == "text/html" || kind == "text"
	second := name != "" && w.text > 0
	if !readable || strings.EqualFold(disposition, "attachment") || second {
		w.attach(name, kind, disposition)
		return content{}
	}
	raw, err := io.ReadAll(io.LimitReader(e.Body, int64(maxText-w.text)+1))
	if err != nil || w.text+len(raw) > maxText {
		w.partial = true
		raw = raw[:min(len(raw), maxText-w.text)]
	}
	w.text += len(raw)
	text := toUTF8(raw, charset == "" || strings.EqualFold(charset, "us-ascii"))
	if kind == "text/html" {
		seen, ok := htmlText(text)
		w.partial = w.partial || !ok
		return content{text: seen, html: true}
	}
	return content{text: plainText(text)}
}

// attach notes an attachment. A picture that the text shows in its place and
// that has no name isn't one.
func (w *walker) attach(name, kind, disposition string) {
	name = path.Base(path.Clean("/" + strings.ReplaceAll(plain.Line(name), `\`, "/")))
	if name == "/" {
		if strings.EqualFold(disposition, "inline") || strings.HasPrefix(kind, "image/") {
			return
		}
		name = "unnamed (" + plain.Line(kind) + ")"
	}
	w.attachments = append(w.attachments, name)
}

// mediaType returns the type of an entity in lower case and its parameters. A
// type that can't be parsed still gives what stands before its parameters.
func mediaType(e *message.Entity) (string, map[string]string) {
	value := e.Header.Get("Content-Type")
	if value == "" {
		return "text/plain", nil
	}
	kind, params, err := mime.ParseMediaType(value)
	if err != nil {
		kind, _, _ = strings.Cut(value, ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	return kind, params
}

// plainText returns text without white space at the ends of lines and empty
// lines at either end.
func plainText(text string) string {
	lines := strings.Split(plain.Text(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\u00a0")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
