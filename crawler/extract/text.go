package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// attr returns an attribute of an element.
func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}

// line returns the text of a node as one line.
func line(n *html.Node) string {
	var t collector
	t.walk(n)
	return strings.Join(strings.Fields(t.String()), " ")
}

// blocks returns the text of a node, blocks on lines of their own.
func blocks(n *html.Node) string {
	t := collector{lines: true}
	t.walk(n)
	return t.tidy()
}

// innerHTML returns what is within an element.
func innerHTML(n *html.Node) string {
	var b limited
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if html.Render(&b, c) != nil {
			break
		}
	}
	return strings.TrimSpace(b.String())
}

// limited is a buffer that refuses more than a value may have.
type limited struct{ strings.Builder }

func (b *limited) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxText {
		return 0, errTooLong
	}
	return b.Builder.Write(p)
}

// WriteString and WriteByte keep html.Render from going past Write.
func (b *limited) WriteString(s string) (int, error) { return b.Write([]byte(s)) }

func (b *limited) WriteByte(c byte) error {
	_, err := b.Write([]byte{c})
	return err
}

// collector collects text. A newline in it is the border of a block.
type collector struct {
	strings.Builder
	lines bool
}

func (t *collector) walk(n *html.Node) {
	if t.Len() > maxText {
		return
	}
	switch n.Type {
	case html.TextNode:
		t.WriteString(t.inLine(n))
		return
	case html.CommentNode:
		return
	}
	border := n.Type == html.ElementNode && (breaks(n.DataAtom) || n.DataAtom == atom.Br)
	if border {
		t.WriteByte('\n')
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if !unseen(c.DataAtom) {
			t.walk(c)
		}
	}
	if border && n.DataAtom != atom.Br {
		t.WriteByte('\n')
	}
	if n.DataAtom == atom.Td || n.DataAtom == atom.Th {
		t.WriteByte('\t')
	}
}

// inLine returns the text of a node in which newlines are no borders, unless
// it is preformatted.
func (t *collector) inLine(n *html.Node) string {
	if !t.lines || !strings.ContainsAny(n.Data, "\r\n") {
		return n.Data
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Pre || p.DataAtom == atom.Textarea {
			return n.Data
		}
	}
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(n.Data)
}

// tidy collapses white space, and drops empty lines.
func (t *collector) tidy() string {
	var b strings.Builder
	for l := range strings.SplitSeq(t.String(), "\n") {
		if l = strings.Join(strings.Fields(l), " "); l != "" {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(l)
		}
	}
	return b.String()
}

// unseen reports whether an element's content is never shown.
func unseen(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Head, atom.Iframe, atom.Noframes, atom.Noembed:
		return true
	}
	return false
}

// breaks reports whether an element stands on lines of its own.
func breaks(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Dd, atom.Details,
		atom.Dialog, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hr, atom.Li, atom.Main, atom.Menu, atom.Nav,
		atom.Ol, atom.Option, atom.P, atom.Pre, atom.Section, atom.Select, atom.Summary, atom.Table, atom.Tbody, atom.Tfoot, atom.Thead,
		atom.Tr, atom.Ul:
		return true
	}
	return false
}

// words counts the words of a text. Where words are not apart, as in Chinese,
// each character is one.
func words(s string) (n int) {
	in := false
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Han, r), unicode.Is(unicode.Hiragana, r), unicode.Is(unicode.Katakana, r):
			n, in = n+1, false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !in {
				n++
			}
			in = true
		default:
			in = in && (r == '\'' || r == '’' || unicode.IsMark(r))
		}
	}
	return n
}

// clip shortens s to at most n bytes, at a grapheme cluster; at a character when the
// first cluster is longer.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end := 0
	for g := graphemes.FromString(s); g.Next() && end+len(g.Value()) <= n; {
		end += len(g.Value())
	}
	if end > 0 {
		return s[:end]
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
