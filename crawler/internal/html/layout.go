package html

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// layout is how an element's content stands in the text around it.
type layout uint8

const (
	inlineLayout layout = iota
	gapLayout           // a word ends here
	cellLayout          // apart by a tab
	lineLayout          // on lines of its own
	linesLayout         // likewise, with its white space kept; see lookOf
	noLayout            // not to be seen; see lookOf
)

// layoutOf is the layout of an element by its name. It follows the rendering section of the
// HTML standard.
func layoutOf(n *html.Node) layout {
	switch n.DataAtom {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Br, atom.Caption, atom.Center,
		atom.Dd, atom.Details, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
		atom.Footer, atom.Form, atom.Frameset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header,
		atom.Hgroup, atom.Hr, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Optgroup,
		atom.Option, atom.P, atom.Search, atom.Section, atom.Select, atom.Summary, atom.Table, atom.Tbody, atom.Tfoot,
		atom.Thead, atom.Tr, atom.Ul:
		return lineLayout
	case atom.Dialog:
		if _, open := attr(n, "open"); !open {
			return noLayout
		}
		return lineLayout
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext, atom.Textarea:
		return linesLayout
	case atom.Td, atom.Th:
		return cellLayout
	case atom.Audio, atom.Canvas, atom.Video, atom.Datalist, atom.Rp, atom.Rt, atom.Rtc:
		return noLayout
	case atom.Button, atom.Embed, atom.Iframe, atom.Image, atom.Img, atom.Input, atom.Object:
		return gapLayout
	}
	return inlineLayout
}

// attr returns an attribute of an element.
func attr(n *html.Node, key string) (value string, ok bool) {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val, true
		}
	}
	return "", false
}
