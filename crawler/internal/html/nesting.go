package html

import "golang.org/x/net/html/atom"

// nesting is which rules of the HTML standard an element is under.
type nesting uint8

const (
	plainTag      nesting = iota
	blockTag              // it ends a paragraph
	headingTag            // and a heading before it
	itemTag               // and the item before it
	formTag               // within it there is no other
	formattingTag         // it goes on behind the end of its parent
	emptyTag              // without content
	textTag               // with text only
	tableTag
	rowTag    // part of a table that holds parts, or nothing
	cellTag   // and one that holds all else
	boxTag    // what is within does not end what is without
	choosyTag // with rules of its own
	treeTag   // for trees only
)

func nestingOf(a atom.Atom) nesting {
	switch a {
	case 0, atom.Span, atom.Label, atom.Cite, atom.Abbr, atom.Var, atom.Kbd, atom.Samp, atom.Dfn, atom.Sub, atom.Sup:
		return plainTag
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.S, atom.Small, atom.Strike, atom.Strong,
		atom.Tt, atom.U:
		return formattingTag
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details, atom.Dialog, atom.Dir,
		atom.Div, atom.Dl, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup,
		atom.Listing, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P, atom.Pre, atom.Search, atom.Section,
		atom.Summary, atom.Ul:
		return blockTag
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return headingTag
	case atom.Li, atom.Dd, atom.Dt:
		return itemTag
	case atom.Area, atom.Base, atom.Basefont, atom.Bgsound, atom.Br, atom.Embed, atom.Img, atom.Keygen, atom.Link,
		atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr:
		return emptyTag
	case atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript, atom.Script, atom.Style, atom.Textarea, atom.Title:
		return textTag
	}
	return rarelyNested(a)
}

func rarelyNested(a atom.Atom) nesting {
	switch a {
	case atom.Table:
		return tableTag
	case atom.Colgroup, atom.Col, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
		return rowTag
	case atom.Caption, atom.Td, atom.Th:
		return cellTag
	case atom.Form:
		return formTag
	case atom.Applet, atom.Marquee, atom.Object:
		return boxTag
	case atom.Button, atom.Hr, atom.Input, atom.Optgroup, atom.Option, atom.Select:
		return choosyTag
	case atom.Body, atom.Frame, atom.Frameset, atom.Head, atom.Html, atom.Image, atom.Math, atom.Nobr, atom.Plaintext,
		atom.Rb, atom.Rp, atom.Rt, atom.Rtc, atom.Svg, atom.Template, atom.Xmp:
		return treeTag
	}
	return plainTag
}

// special reports whether an end tag of another element looks no further.
func special(a atom.Atom) bool {
	switch a {
	case atom.Dialog, atom.Search, atom.Option, atom.Optgroup:
		return false
	}
	k := nestingOf(a)
	return k != plainTag && k != formattingTag
}

// partOfTable reports whether an element is of those that hold parts of a table
// and nothing else.
func partOfTable(a atom.Atom) bool {
	switch a {
	case atom.Table, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr, atom.Colgroup:
		return true
	}
	return false
}

// scope is within what an element is looked for.
type scope uint8

const (
	defaultScope scope = iota
	itemScope
	buttonScope
	tableScope
)

func (s scope) ends(a atom.Atom) bool {
	switch a {
	case atom.Html, atom.Table:
		return true
	case atom.Applet, atom.Caption, atom.Td, atom.Th, atom.Marquee, atom.Object, atom.Select:
		return s != tableScope
	case atom.Ol, atom.Ul:
		return s == itemScope
	case atom.Button:
		return s == buttonScope
	}
	return false
}

// find returns the place of the innermost open element of one of some kinds, -1 if
// there is none in scope.
func (s *stream) find(in scope, a ...atom.Atom) int {
	for i := s.depth - 1; i >= 0; i-- {
		at := s.nodes[i].DataAtom
		for _, a := range a {
			if at == a {
				return i
			}
		}
		if in.ends(at) {
			break
		}
	}
	return -1
}

func (s *stream) closeP() {
	if i := s.find(buttonScope, atom.P); i >= 0 {
		s.close(i)
	}
}

// closeItem closes the item that comes before one.
func (s *stream) closeItem(a atom.Atom) {
	for i := s.depth - 1; i >= 0; i-- {
		switch at := s.nodes[i].DataAtom; {
		case at == a && a == atom.Li, a != atom.Li && (at == atom.Dd || at == atom.Dt):
			s.close(i)
			return
		case at != atom.Address && at != atom.Div && at != atom.P && special(at):
			return
		}
	}
}

// closeImplied closes elements whose end tags may be left out.
func (s *stream) closeImplied(butGroups bool) {
	for s.depth > 0 {
		switch a := s.top(); a {
		case atom.Dd, atom.Dt, atom.Li, atom.Option, atom.P:
		case atom.Optgroup:
			if butGroups {
				return
			}
		default:
			return
		}
		s.drop(s.depth - 1)
	}
}

func (s *stream) endTag() {
	name, _ := s.z.TagName()
	a := atom.Lookup(name)
	if s.stage != bodyStage {
		s.endInHead(a)
		return
	}
	switch nestingOf(a) {
	case blockTag:
		s.endBlock(a)
	case headingTag:
		if i := s.find(defaultScope, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6); i >= 0 {
			s.close(i)
		}
	case itemTag:
		in := defaultScope
		if a == atom.Li {
			in = itemScope
		}
		if i := s.find(in, a); i >= 0 {
			s.close(i)
		}
	case formTag:
		s.endForm()
	case formattingTag:
		s.endFormatting(a)
	case tableTag, rowTag, cellTag:
		s.endInTable(a)
	case boxTag:
		if i := s.find(defaultScope, a); i >= 0 {
			s.drop(i)
		}
	default:
		s.endOther(a, name)
	}
}

// endInHead takes an end tag before the body.
func (s *stream) endInHead(a atom.Atom) {
	switch a {
	case atom.Head:
		s.toAfterHead()
	case atom.Body, atom.Html, atom.Br:
		s.astray = true
	}
}

func (s *stream) endBlock(a atom.Atom) {
	if a == atom.P {
		switch i := s.find(buttonScope, atom.P); {
		case i >= 0:
			s.close(i)
		case partOfTable(s.top()):
			s.astray = true
		default: // there is an empty one then
			s.imply(atom.P)
			s.drop(s.depth - 1)
		}
		return
	}
	if i := s.find(defaultScope, a); i >= 0 {
		s.close(i)
	}
}

func (s *stream) endForm() {
	if !s.form {
		return
	}
	s.form = false
	if i := s.find(defaultScope, atom.Form); i >= 0 {
		if s.closeImplied(false); s.depth-1 == i {
			s.drop(i)
		} else {
			s.astray = true // what it holds goes on
		}
	}
}

// endFormatting closes what is open innermost. What is not open at all counts for
// nothing.
func (s *stream) endFormatting(a atom.Atom) {
	if s.top() == a {
		s.drop(s.depth - 1)
		return
	}
	for i := s.depth - 1; i >= 0 && !s.astray; i-- {
		s.astray = s.nodes[i].DataAtom == a
	}
}

// endOther takes the end tags of all else.
func (s *stream) endOther(a atom.Atom, name []byte) {
	switch a {
	case atom.Br, atom.Template:
		s.astray = true
		return
	case atom.Body, atom.Html:
		return // what comes behind still belongs to it
	case atom.Button, atom.Select:
		s.endBlock(a)
		return
	}
	for i := s.depth - 1; i >= 0; i-- {
		n := s.nodes[i]
		if n.DataAtom == a && (a != 0 || n.Data == string(name)) {
			s.close(i)
			return
		}
		if special(n.DataAtom) {
			return
		}
	}
}
