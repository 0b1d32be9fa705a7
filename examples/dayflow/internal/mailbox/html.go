package mailbox

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"helve.dev/helve/examples/dayflow/internal/plain"
)

// maxNesting is how deep elements are followed; deeper ones are dropped.
const maxNesting = 400

// htmlText returns what a reader of the HTML would see, as plain text: blocks
// on lines of their own, list items with a dash, cells apart. It is false for
// HTML that is nested too deeply to be anything but an attack.
func htmlText(source string) (string, bool) {
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return "", false
	}
	var p printer
	p.node(root, 0)
	return plainText(strings.TrimSpace(p.b.String())), true
}

// printer writes the text of HTML nodes. It holds white space back until it
// knows what comes next.
type printer struct {
	b        strings.Builder
	space    bool
	newlines int
	pre      int
	item     bool // the dash of a list item was the last thing written
}

// node writes n and its children.
func (p *printer) node(n *html.Node, depth int) {
	switch {
	case n.Type == html.TextNode:
		p.write(n.Data)
		return
	case depth > maxNesting || n.Type == html.CommentNode:
		return
	case n.Type == html.ElementNode && hidden(n):
		return
	}
	gap := blockGap(n.DataAtom)
	p.gap(gap)
	switch n.DataAtom {
	case atom.Br:
		p.newlines++
	case atom.Td, atom.Th:
		p.space = true
	case atom.Li:
		p.write("- ")
		p.item = true
	case atom.Pre:
		p.pre++
		defer func() { p.pre-- }()
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		p.node(child, depth+1)
	}
	p.gap(gap)
}

// gap asks for at least n newlines before the next word, unless that word
// belongs beside the dash of its list item.
func (p *printer) gap(n int) {
	if !p.item {
		p.newlines = max(p.newlines, n)
	}
}

// write writes text with its white space folded, except in pre.
func (p *printer) write(text string) {
	if p.pre > 0 {
		p.flush()
		p.b.WriteString(text)
		return
	}
	words := strings.FieldsFunc(plain.Text(text), isSpace)
	if len(words) == 0 {
		p.space = p.space || text != ""
		return
	}
	p.space = p.space || isSpace(rune(text[0]))
	p.flush()
	p.b.WriteString(strings.Join(words, " "))
	p.space = isSpace(rune(text[len(text)-1]))
}

// flush writes the white space that was held back: at most one empty line.
func (p *printer) flush() {
	switch {
	case p.b.Len() == 0:
	case p.newlines > 0:
		p.b.WriteString("\n\n"[:min(p.newlines, 2)])
	case p.space:
		p.b.WriteByte(' ')
	}
	p.space, p.newlines, p.item = false, 0, false
}

// isSpace reports whether HTML folds r. A no-break space isn't folded.
func isSpace(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' }

// blockGap returns how many newlines set an element off from what is around
// it: 0 for one within a line, 2 for one with space around it.
func blockGap(a atom.Atom) int {
	switch a {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote,
		atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Pre, atom.Hr:
		return 2
	case atom.Div, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Section, atom.Article, atom.Header,
		atom.Footer, atom.Main, atom.Center, atom.Address, atom.Form, atom.Figure, atom.Caption:
		return 1
	}
	return 0
}

// hiddenStyle finds the styles that senders hide text with.
var hiddenStyle = regexp.MustCompile(
	`(?i)(display:none|visibility:(hidden|collapse)|mso-hide:all|font-size:0(px|pt|em|%)?(;|!|$)|opacity:0(\.0+)?(;|!|$))`)

// hidden reports whether a browser wouldn't show the element.
func hidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Head, atom.Title, atom.Template, atom.Noscript, atom.Iframe,
		atom.Object, atom.Svg, atom.Select, atom.Textarea:
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" {
			return true
		}
		if a.Key == "style" && hiddenStyle.MatchString(strings.Join(strings.Fields(a.Val), "")) {
			return true
		}
	}
	return false
}
