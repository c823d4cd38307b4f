package html

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Caps on what is kept of one page, against pages made to fill memory.
const (
	longestLabel = 1000 // bytes of a title, heading or anchor text
	mostHeadings = 1000
)

// reader reads one document in one walk. Links wait as written until the end:
// a base element may come after them.
type reader struct {
	opt     *Options
	from    *Source
	page    *Page
	charset string
	text    blockText // what is visible
	aside   blockText // what is not, within an anchor: the name of a closed menu's link
	marks   []mark    // open elements that change how their content is read
	open    around
	refs    []ref
	heads   []span
	facts   facts
	spare   bool // within the content of a noscript, of which only links count
	kept    kept // which links are, once there are many
}

// around is what holds for the content of the open elements.
type around struct {
	gone    int // of how many of them nothing is drawn
	anchors int
	unseen  bool // it is not visible
	lines   bool // white space is kept
}

// mark is an open element.
type mark struct {
	node    *html.Node
	look    look
	from    span      // where text and aside stood when it was opened
	sep     separator // what was due in text then
	ref     int       // index of its link plus one
	heading bool
	outside around // what holds around it
}

// span is a part of the text, in bytes.
type span struct{ from, to int }

// read walks the tree of a document.
func (r *reader) read(ctx context.Context, root *html.Node) error {
	r.begin()
	err := r.walk(ctx, root)
	r.end()
	return err
}

// begin makes room for what is read.
func (r *reader) begin() {
	size := len(r.from.Body)
	r.text.buf = make([]byte, 0, min(size/4+512, 64<<10)) // few pages have more text, or more links
	r.refs = slices.Grow(r.refs, min(size/512+8, 512))
}

// end takes the text, once all of it is there.
func (r *reader) end() {
	r.page.Text = strings.TrimRight(string(r.text.buf), " \t\n")
	for _, h := range r.heads {
		if s := r.label(h); s != "" {
			r.page.Headings = append(r.page.Headings, s)
		}
	}
}

// walk visits the nodes below root in document order. It does not recurse, for
// trees can be deeper than the parser's limit on open elements.
func (r *reader) walk(ctx context.Context, root *html.Node) error {
	n := root
	for steps := 1; ; steps++ {
		if steps%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		descend := true
		switch n.Type {
		case html.TextNode:
			r.addText(n.Data)
		case html.ElementNode:
			descend = r.enter(n)
		}
		if descend && n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for {
			if n.Type == html.ElementNode {
				r.leave(n)
			}
			if n == root {
				return nil
			}
			if n.NextSibling != nil {
				n = n.NextSibling
				break
			}
			n = n.Parent
		}
	}
}

// addText takes a text node.
func (r *reader) addText(s string) {
	switch {
	case r.open.gone > 0 || r.open.unseen:
		if r.open.anchors > 0 {
			r.aside.add(s)
		}
	case r.open.lines:
		r.text.addLines(s)
	default:
		r.text.add(s)
	}
}

// enter opens an element and reports whether its content is to be read.
func (r *reader) enter(n *html.Node) bool {
	if !r.fact(n) {
		return false
	}
	m := mark{node: n, look: lookOf(n), from: span{len(r.text.buf), len(r.aside.buf)}, sep: r.text.sep, outside: r.open}
	r.part(m.look.layout)
	if r.opt.Media || r.opt.DataLinks {
		r.extras(n)
	}
	switch n.DataAtom {
	case atom.A, atom.Area:
		m.ref = r.anchor(n)
	case atom.Img, atom.Image:
		r.image(n)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		m.heading = true
	}
	r.push(m)
	return true
}

// part separates an element from what is around it.
func (r *reader) part(as layout) {
	switch as {
	case lineLayout, linesLayout:
		r.text.apart(lined)
	case cellLayout:
		r.text.apart(celled)
	case gapLayout:
		r.text.apart(spaced)
	}
}

// push opens a mark if it makes a difference.
func (r *reader) push(m mark) {
	if m.look == (look{layout: layoutOf(m.node)}) && !m.heading && m.ref == 0 {
		return
	}
	if m.look.gone {
		r.open.gone++
	}
	r.open.unseen = m.look.unseen.within(r.open.unseen)
	r.open.lines = m.look.lines.within(r.open.lines)
	if m.ref > 0 {
		r.open.anchors++
	}
	r.marks = append(r.marks, m)
}

// leave closes an element.
func (r *reader) leave(n *html.Node) {
	as := layoutOf(n)
	if last := len(r.marks) - 1; last >= 0 && r.marks[last].node == n {
		as = r.marks[last].look.layout
		r.pop(r.marks[last])
		r.marks = r.marks[:last]
	}
	r.part(as)
}

// pop closes a mark.
func (r *reader) pop(m mark) {
	r.open = m.outside
	if m.heading && r.open.gone == 0 && len(r.heads) < mostHeadings {
		r.heads = append(r.heads, span{m.from.from, len(r.text.buf)})
	}
	if m.ref > 0 {
		r.closeAnchor(m)
		if r.open.anchors == 0 {
			r.aside = blockText{buf: r.aside.buf[:0]}
		}
	}
}

// label returns a part of the text as one line.
func (r *reader) label(at span) string {
	text := r.page.Text
	s := strings.TrimSpace(text[min(at.from, len(text)):min(at.to, len(text))])
	s = clip(s, longestLabel)
	if strings.ContainsAny(s, "\t\n") || strings.Contains(s, "  ") {
		s = oneLine(s)
	}
	return s
}

// flaw notes what was wrong with the page.
func (r *reader) flaw(what string) {
	if what != "" {
		r.page.Flaws = append(r.page.Flaws, what)
	}
}

// finish draws the conclusions.
func (r *reader) finish() {
	p, f := r.page, &r.facts
	p.Title = cmp.Or(p.Title, f.title, f.ogTitle)
	if p.Title == "" && len(p.Headings) > 0 {
		p.Title = p.Headings[0]
	}
	p.Description = cmp.Or(f.description, f.ogDescription)
	p.Lang = r.language()
	p.Directives = p.At(cmp.Or(r.from.Fetched, time.Now()))
	r.resolve()
	if r.kept.full {
		r.flaw("html: more links than are kept")
	}
}
