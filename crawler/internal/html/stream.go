package html

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// stream reads a page as its tags come, without building its tree, which is most
// of the work. It keeps the stack of open elements as the HTML standard tells
// ("Tree construction", 13.2.6), of which it has the rules for tags that stand
// where they may. Where a tree would come out in another order than the tags, as
// where formatting is misnested or a table holds text of its own, the page is
// astray, and is read by its tree.
type stream struct {
	*reader
	z      *html.Tokenizer
	nodes  []*html.Node // of which the first few are open; the others are used again
	depth  int
	stage  stage
	form   bool // one was begun and not ended
	astray bool
}

// stage is how far a page is, before its body.
type stage uint8

const (
	htmlStage stage = iota
	headStage
	inHeadStage
	afterHeadStage
	bodyStage
)

// mostOpen is how many elements golang.org/x/net/html has open at most.
const mostOpen = 512

// stream reads a page by its tags, and reports whether it could.
func (r *reader) stream(ctx context.Context, body []byte) bool {
	in := &tagReader{ctx: ctx, body: body}
	s := &stream{reader: r, z: html.NewTokenizer(in)}
	r.begin()
	for !s.astray {
		switch s.z.Next() {
		case html.ErrorToken:
			if s.z.Err() != io.EOF {
				return false
			}
			s.drop(0)
			r.end()
			if in.cut {
				r.flaw(flawCut)
			}
			return true
		case html.TextToken:
			s.text(string(s.z.Text()))
		case html.StartTagToken:
			s.start(false)
		case html.SelfClosingTagToken:
			s.start(true)
		case html.EndTagToken:
			s.endTag()
		}
	}
	return false
}

const (
	flawCut = "html: more tags than are read"
	blanks  = " \t\r\n\f"
)

// top is the element that is open and within which there is no other.
func (s *stream) top() atom.Atom {
	if s.depth == 0 {
		return 0
	}
	return s.nodes[s.depth-1].DataAtom
}

// node makes an element that is to be opened next.
func (s *stream) node(a atom.Atom, name []byte) *html.Node {
	if s.depth == len(s.nodes) {
		s.nodes = append(s.nodes, &html.Node{Type: html.ElementNode})
	}
	n := s.nodes[s.depth]
	n.DataAtom, n.Data, n.Namespace, n.Attr, n.FirstChild = a, "", "", n.Attr[:0], nil
	if a == 0 {
		n.Data = string(name)
	}
	return n
}

// imply opens an element that has no tag.
func (s *stream) imply(a atom.Atom) { s.open(s.node(a, nil)) }

// tag is the element of the start tag at hand.
func (s *stream) tag(t startTag) *html.Node {
	n := s.node(t.atom, t.name)
	for more := t.attrs && s.counts(t.atom); more; {
		var key, val []byte
		key, val, more = s.z.TagAttr()
		switch k := keyThatCounts(key); k {
		case "":
		case "xlink:href": // in HTML there are none
			n.Attr = append(n.Attr, html.Attribute{Namespace: "xlink", Key: "href", Val: string(val)})
		default:
			n.Attr = append(n.Attr, html.Attribute{Key: k, Val: string(val)})
		}
	}
	return n
}

// counts reports whether a tag may have attributes that a reader asks for. Most have
// none, and reading them takes longer than looking.
func (s *stream) counts(a atom.Atom) bool {
	switch nestingOf(a) {
	case blockTag, headingTag, itemTag, formattingTag, plainTag, cellTag:
	default:
		return true
	}
	if a == atom.A || a == atom.Dialog || s.opt.Media || s.opt.DataLinks {
		return true
	}
	tag := s.z.Raw()
	for i, c := range tag {
		switch rest := tag[i:]; c | 0x20 {
		case 'h':
			if len(rest) >= 6 && bytes.EqualFold(rest[:6], []byte("hidden")) {
				return true
			}
		case 's':
			if len(rest) >= 5 && bytes.EqualFold(rest[:5], []byte("style")) {
				return true
			}
		}
	}
	return false
}

// keyThatCounts returns the name of an attribute if a reader asks for it.
func keyThatCounts(key []byte) string {
	switch k := atom.String(key); k {
	case "alt", "aria-label", "content", "data-href", "data-link", "data-src", "data-srcset", "data-url", "hidden", "href",
		"hreflang", "http-equiv", "lang", "name", "open", "poster", "property", "rel", "shadowrootmode", "src", "srcset", "style", "title",
		"type", "xlink:href", "xml:lang":
		return k
	}
	return ""
}

func (s *stream) open(n *html.Node) {
	s.enter(n)
	s.depth++
	if s.depth >= mostOpen {
		s.astray = true
	}
}

// drop closes elements until only so many are open.
func (s *stream) drop(depth int) {
	for s.depth > depth {
		s.depth--
		s.leave(s.nodes[s.depth])
	}
}

// close is drop, where formatting goes on behind what is closed: then the page is
// astray.
func (s *stream) close(depth int) {
	for _, n := range s.nodes[depth:s.depth] {
		if nestingOf(n.DataAtom) == formattingTag {
			s.astray = true
			return
		}
	}
	s.drop(depth)
}

// void opens and closes an element without content.
func (s *stream) void(t startTag) {
	n := s.tag(t)
	s.enter(n)
	s.leave(n)
}

// raw takes an element whose content is text, up to its end tag.
func (s *stream) raw(t startTag) {
	n := s.tag(t)
	var text string
	for {
		tt := s.z.Next()
		if tt != html.TextToken {
			break
		}
		if t.atom != atom.Script && t.atom != atom.Style {
			text += string(s.z.Text())
		}
	}
	if text != "" {
		n.FirstChild = &html.Node{Type: html.TextNode, Data: text}
	}
	if s.enter(n) && text != "" {
		s.addText(text)
	}
	s.leave(n)
}

// text takes text between tags.
func (s *stream) text(text string) {
	if s.stage != bodyStage {
		if text = strings.TrimLeft(text, blanks); text == "" {
			return
		}
		s.toBody()
	}
	text = strings.ReplaceAll(text, "\x00", "") // as trees do
	if partOfTable(s.top()) && strings.Trim(text, blanks) != "" {
		s.astray = true
		return
	}
	s.addText(text)
}

// startTag is one that was read but for its attributes.
type startTag struct {
	atom  atom.Atom
	name  []byte
	attrs bool
}

func (s *stream) start(closed bool) {
	name, attrs := s.z.TagName()
	t := startTag{atom.Lookup(name), name, attrs}
	switch {
	case s.stage != bodyStage && s.startsHead(t):
	case t.atom == atom.Template:
		s.template(t)
	case partOfTable(s.top()):
		s.startInTable(t)
	case t.atom == atom.Svg || t.atom == atom.Math:
		s.foreign(t, closed)
	default:
		s.startInBody(t)
	}
}

// startsHead takes a tag before the body, and reports false if the body begins.
func (s *stream) startsHead(t startTag) bool {
	switch t.atom {
	case atom.Html:
		if s.astray = s.stage != htmlStage; !s.astray {
			s.open(s.tag(t))
			s.stage = headStage
		}
	case atom.Head:
		if s.stage < inHeadStage {
			s.toHTML()
			s.open(s.tag(t))
			s.stage = inHeadStage
		}
	case atom.Body:
		s.toAfterHead()
		s.open(s.tag(t))
		s.stage = bodyStage
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta:
		s.toHead()
		s.void(t)
	case atom.Title, atom.Script, atom.Style, atom.Noframes:
		s.toHead()
		s.raw(t)
	case atom.Noscript:
		if s.stage == afterHeadStage {
			s.toBody()
			return false
		}
		s.toHead()
		s.raw(t)
	case atom.Template:
		s.toHead()
		s.template(t)
	case atom.Frameset:
		s.astray = true
	default:
		s.toBody()
		return false
	}
	return true
}

func (s *stream) toHTML() {
	if s.stage == htmlStage {
		s.imply(atom.Html)
		s.stage = headStage
	}
}

// toHead begins the head if it did not. What belongs there and comes behind it
// goes into it all the same.
func (s *stream) toHead() {
	if s.toHTML(); s.stage == headStage {
		s.imply(atom.Head)
		s.stage = inHeadStage
	}
}

func (s *stream) toAfterHead() {
	if s.toHead(); s.stage == inHeadStage {
		s.drop(1)
		s.stage = afterHeadStage
	}
}

func (s *stream) toBody() {
	s.toAfterHead()
	s.imply(atom.Body)
	s.stage = bodyStage
}

func (s *stream) startInBody(t startTag) {
	switch nestingOf(t.atom) {
	case blockTag:
		s.closeP()
		s.open(s.tag(t))
	case headingTag:
		if s.closeP(); nestingOf(s.top()) == headingTag {
			s.drop(s.depth - 1)
		}
		s.open(s.tag(t))
	case itemTag:
		s.closeItem(t.atom)
		s.closeP()
		s.open(s.tag(t))
	case formTag:
		if s.form {
			return
		}
		s.closeP()
		s.open(s.tag(t))
		s.form = true
	case formattingTag:
		s.startFormatting(t)
	case emptyTag:
		s.void(t)
	case textTag:
		s.raw(t)
	case rowTag, cellTag:
		s.startBesideTable(t)
	case boxTag, plainTag:
		s.open(s.tag(t))
	case tableTag:
		if s.astray = s.find(buttonScope, atom.P) >= 0; !s.astray { // which a page in quirks mode does not close
			s.open(s.tag(t))
		}
	default:
		s.startOther(t)
	}
}

// startOther takes tags that close others of their kind.
func (s *stream) startOther(t startTag) {
	switch t.atom {
	case atom.Hr:
		s.closeP()
		s.astray = s.astray || s.find(defaultScope, atom.Select) >= 0
		s.void(t)
	case atom.Input:
		s.astray = s.find(defaultScope, atom.Select) >= 0
		s.void(t)
	case atom.Button, atom.Select:
		if s.astray = s.find(defaultScope, t.atom) >= 0; !s.astray {
			s.open(s.tag(t))
		}
	case atom.Option, atom.Optgroup:
		if s.find(defaultScope, atom.Select) >= 0 {
			s.closeImplied(t.atom == atom.Option)
		} else if s.top() == atom.Option {
			s.drop(s.depth - 1)
		}
		s.open(s.tag(t))
	default:
		s.astray = true
	}
}

// startFormatting opens what goes on behind the end of its parent, if it is not
// closed before. A link ends the one before.
func (s *stream) startFormatting(t startTag) {
	if t.atom == atom.A {
		for _, n := range s.nodes[:s.depth] {
			if n.DataAtom == atom.A {
				s.astray = true
				return
			}
		}
	}
	n := s.tag(t)
	slices.SortFunc(n.Attr, func(a, b html.Attribute) int { // as trees have them
		if c := strings.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		return strings.Compare(a.Val, b.Val)
	})
	s.open(n)
}
