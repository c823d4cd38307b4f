package html

import (
	"bytes"
	"context"
	"io"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of a tree: a node takes some 150 bytes, whatever it stands for.
const (
	mostTags = 1_000_000 // of one body; what comes after them is not read
	deepest  = 200       // elements open at a time in a flat tree
	farthest = 16        // how far an end tag looks for its start tag there
)

// tagReader reads a body until its context ends or there were too many tags.
type tagReader struct {
	ctx  context.Context
	body []byte
	tags int
	cut  bool
}

func (t *tagReader) Read(b []byte) (int, error) {
	if err := t.ctx.Err(); err != nil {
		return 0, err
	}
	if len(t.body) == 0 || t.cut {
		return 0, io.EOF
	}
	n := copy(b, t.body)
	t.body = t.body[n:]
	t.tags += bytes.Count(b[:n], []byte("<"))
	t.cut = t.tags > mostTags && len(t.body) > 0
	return n, nil
}

// flatTree builds a tree from the tokens of a page that the HTML parser
// refuses. It keeps text, elements and their attributes, in order; their
// nesting only so far as it is shallow and the end tags are there. Without
// scripting the content of noscript, noframes and noembed becomes elements.
func flatTree(src io.Reader, scripting bool) (*html.Node, error) {
	z := html.NewTokenizer(src)
	doc := &html.Node{Type: html.DocumentNode}
	open := []*html.Node{doc}
	for {
		top := open[len(open)-1]
		switch tt := z.Next(); tt {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				return nil, z.Err()
			}
			return doc, nil
		case html.TextToken:
			top.AppendChild(&html.Node{Type: html.TextNode, Data: string(z.Text())})
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			n := &html.Node{Type: html.ElementNode, DataAtom: t.DataAtom, Data: t.Data, Attr: t.Attr}
			if !scripting && spare(n.DataAtom) {
				z.NextIsNotRawText()
			}
			if closesItself(n.DataAtom) {
				open = closeTag(open, n.DataAtom, 1)
			} else if n.DataAtom == atom.A {
				open = closeTag(open, atom.A, farthest)
			}
			open[len(open)-1].AppendChild(n)
			if tt == html.StartTagToken && !void(n.DataAtom) {
				open = append(open, n)
			}
			if len(open) > deepest { // what comes next matters more than what it is in
				open = open[:deepest/2]
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			open = closeTag(open, atom.Lookup(name), farthest)
		}
	}
}

// closeTag closes the innermost open element of a kind, if it is not far.
func closeTag(open []*html.Node, a atom.Atom, far int) []*html.Node {
	for i := len(open) - 1; i > 0 && i >= len(open)-far; i-- {
		if open[i].DataAtom == a {
			return open[:i]
		}
	}
	return open
}

// spare reports whether an element holds what is for other browsers.
func spare(a atom.Atom) bool {
	return a == atom.Noscript || a == atom.Noframes || a == atom.Noembed
}

// closesItself reports whether the start of an element ends another one of its
// kind.
func closesItself(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Li, atom.Dt, atom.Dd, atom.Tr, atom.Td, atom.Th, atom.Option:
		return true
	}
	return false
}

// void reports whether an element has no content and no end tag.
func void(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Frame, atom.Hr, atom.Img, atom.Input, atom.Link,
		atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}
