package crawler

import (
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// foreign takes an element of SVG or MathML with all that is in it. Where HTML
// stands in it the page is astray.
func (s *stream) foreign(t startTag, closed bool) {
	space, outside := t.atom.String(), s.depth
	unseen := mostOpen // from this depth on, elements are not drawn
	open := func(t startTag, closed bool) {
		n := s.tag(t)
		n.Namespace, n.Data = space, string(t.name)
		if s.depth < unseen && !s.enter(n) {
			unseen = s.depth + 1
		}
		s.z.NextIsNotRawText()
		s.depth++
		s.astray = s.astray || s.depth >= mostOpen
		if closed {
			s.closeForeign(&unseen)
		}
	}
	for open(t, closed); s.depth > outside && !s.astray; {
		s.z.AllowCDATA(true)
		switch tt := s.z.Next(); tt {
		case html.ErrorToken:
			s.astray = s.z.Err() != io.EOF
			for s.depth > unseen {
				s.depth--
			}
			return
		case html.TextToken:
			text := string(s.z.Text())
			if s.astray = strings.Contains(text, "\x00"); s.depth < unseen {
				s.addText(text)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, attrs := s.z.TagName()
			t := startTag{atom.Lookup(name), name, attrs}
			if s.astray = breaksOut(t.atom) || holdsHTML(s.nodes[s.depth-1].Data); !s.astray {
				open(t, tt == html.SelfClosingTagToken)
			}
		case html.EndTagToken:
			name, _ := s.z.TagName()
			if s.astray = s.nodes[s.depth-1].Data != string(name); !s.astray {
				s.closeForeign(&unseen)
			}
		}
	}
	s.z.AllowCDATA(false)
}

// closeForeign closes the innermost element.
func (s *stream) closeForeign(unseen *int) {
	if s.depth--; s.depth < *unseen {
		s.leave(s.nodes[s.depth])
	}
	if s.depth < *unseen {
		*unseen = mostOpen
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
