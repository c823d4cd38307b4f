package html

import (
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// foreign takes an element of SVG or MathML with all that is in it. Where HTML
// stands in it the page is astray.
func (s *stream) foreign(t startTag, closed bool) {
	f, outside := foreigner{stream: s, space: t.atom.String(), unseen: mostOpen}, s.depth
	f.open(t, closed)
	for more := true; more && s.depth > outside && !s.astray; {
		s.z.AllowCDATA(true)
		more = f.next()
	}
	s.z.AllowCDATA(false)
}

// foreigner is an element of SVG or MathML that is being read.
type foreigner struct {
	*stream
	space  string
	unseen int // from this depth on, elements are not drawn
}

// next takes a token, and is false at the end of the page.
func (f *foreigner) next() bool {
	switch tt := f.z.Next(); tt {
	case html.ErrorToken:
		f.astray = f.z.Err() != io.EOF
		f.depth = min(f.depth, f.unseen)
		return false
	case html.TextToken:
		text := string(f.z.Text())
		if f.astray = strings.Contains(text, "\x00"); f.depth < f.unseen {
			f.addText(text)
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		name, attrs := f.z.TagName()
		t := startTag{atom.Lookup(name), name, attrs}
		if f.astray = breaksOut(t.atom) || holdsHTML(f.nodes[f.depth-1].Data); !f.astray {
			f.open(t, tt == html.SelfClosingTagToken)
		}
	case html.EndTagToken:
		name, _ := f.z.TagName()
		if f.astray = f.nodes[f.depth-1].Data != string(name); !f.astray {
			f.close()
		}
	}
	return true
}

func (f *foreigner) open(t startTag, closed bool) {
	n := f.tag(t)
	n.Namespace, n.Data = f.space, string(t.name)
	if f.depth < f.unseen && !f.enter(n) {
		f.unseen = f.depth + 1
	}
	f.z.NextIsNotRawText()
	f.depth++
	f.astray = f.astray || f.depth >= mostOpen
	if closed {
		f.close()
	}
}

// close closes the innermost element.
func (f *foreigner) close() {
	if f.depth--; f.depth < f.unseen {
		f.leave(f.nodes[f.depth])
	}
	if f.depth < f.unseen {
		f.unseen = mostOpen
	}
}

// breaksOut reports whether an element ends SVG and MathML around it.
func breaksOut(a atom.Atom) bool {
	switch nestingOf(a) {
	case blockTag, headingTag, itemTag, formattingTag, emptyTag, tableTag, treeTag, choosyTag:
		return a != atom.A && a != atom.Image
	}
	switch a {
	case atom.Span, atom.Sub, atom.Sup, atom.Var, atom.Ruby:
		return true
	}
	return false
}

// holdsHTML reports whether an element of SVG or MathML may have HTML in it.
func holdsHTML(name string) bool {
	switch name {
	case "foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml":
		return true
	}
	return false
}

// template passes over what is no part of the page.
func (s *stream) template(t startTag) {
	n := s.tag(t)
	_, shown := attr(n, "shadowrootmode")
	s.enter(n)
	s.leave(n)
	tags := s.depth
	for within := 1; within > 0 && !shown && tags < mostOpen; {
		switch s.z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			tags++
			switch name, _ := s.z.TagName(); atom.Lookup(name) {
			case atom.Template:
				within++
			case atom.Svg, atom.Math, atom.Plaintext:
				shown = true // where the same tags may mean other things
			}
		case html.EndTagToken:
			if name, _ := s.z.TagName(); atom.Lookup(name) == atom.Template {
				within--
			}
		}
	}
	s.astray = shown || tags >= mostOpen
}
