package html

import (
	"iter"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// look is how an element is drawn as far as text goes: by what it is, and by its own
// style attribute. Style sheets are not read.
type look struct {
	layout layout
	gone   bool     // neither it nor what is in it is drawn
	unseen inherits // visibility: what is in it may say otherwise
	lines  inherits // white space is kept
}

// inherits is the value of a property that holds for what is in an element too.
type inherits uint8

const (
	asAround inherits = iota
	no
	yes
)

// within returns the value in an element in which the value around it is known.
func (i inherits) within(around bool) bool {
	if i == asAround {
		return around
	}
	return i == yes
}

// lookOf returns the look of an element. The body is not hidden: where it says that it
// is a script will show it.
func lookOf(n *html.Node) look {
	l := look{layout: layoutOf(n)}
	switch l.layout {
	case linesLayout:
		l.layout, l.lines = lineLayout, yes
	case noLayout:
		l.layout, l.gone = inlineLayout, true
	}
	for i := range n.Attr {
		if a := &n.Attr[i]; a.Key == "hidden" && a.Namespace == "" && !strings.EqualFold(a.Val, "until-found") {
			l.gone = true
		}
	}
	if style, ok := attr(n, "style"); ok {
		l.style(n, style)
	}
	if n.DataAtom == atom.Body || n.DataAtom == atom.Html {
		l.gone, l.unseen = false, asAround
	}
	return l
}

// style applies a style attribute: what an element is drawn as by CSS Display 3, and
// that what floats or is positioned is a block (CSS 2, 9.7). An inline-block is not, as
// for innerText: letters that are to be moved one by one are written so.
func (l *look) style(n *html.Node, style string) {
	var set [numProperties]struct {
		value     string
		important bool
	}
	for name, value := range declarations(style) {
		p := propertyOf(name)
		value, important := cutImportant(value)
		if value = strings.ToLower(value); p == otherProperty || set[p].important && !important || !p.takes(value) {
			continue
		}
		set[p].value, set[p].important = value, important
	}
	switch v := set[display].value; {
	case v == "none":
		l.gone = true
	case v != "":
		if !isFallback(n.DataAtom) {
			l.gone = false // it says so itself, against the attribute hidden and a dialog that is not open
		}
		l.draw(n, displays[v])
	}
	if !l.gone && (floats(set[float].value) || floats(set[position].value)) {
		l.draw(n, lineLayout)
	}
	switch set[visibility].value {
	case "hidden", "collapse":
		l.unseen = yes
	case "visible", "initial":
		l.unseen = no
	}
	switch set[whiteSpace].value {
	case "pre", "pre-wrap", "pre-line", "break-spaces":
		l.lines = yes
	case "normal", "nowrap", "initial":
		l.lines = no
	}
	l.gone = l.gone || set[contentVisibility].value == "hidden"
}

// draw has an element drawn in a way that its style asks for.
func (l *look) draw(n *html.Node, as layout) {
	switch n.DataAtom {
	case atom.Br, atom.Hr, atom.Template, atom.Script, atom.Style:
		return
	case atom.Button, atom.Embed, atom.Iframe, atom.Image, atom.Img, atom.Input, atom.Object:
		if as == inlineLayout {
			return // what stands there is no text
		}
	}
	l.layout = as
}

// isFallback reports whether the content of an element is never read: it is for browsers
// that do not know the element, or says how a word is pronounced.
func isFallback(a atom.Atom) bool {
	switch a {
	case atom.Audio, atom.Canvas, atom.Video, atom.Rp, atom.Rt, atom.Rtc:
		return true
	}
	return false
}

// floats reports whether a value of float or position takes an element out of its line.
func floats(value string) bool {
	switch value {
	case "left", "right", "inline-start", "inline-end", "absolute", "fixed":
		return true
	}
	return false
}

// property is one of those that make a difference.
type property uint8

const (
	otherProperty property = iota
	display
	float
	position
	visibility
	whiteSpace
	contentVisibility
	numProperties
)

func propertyOf(name string) property {
	for p, s := range [numProperties]string{"", "display", "float", "position", "visibility", "white-space", "content-visibility"} {
		if len(s) == len(name) && p > 0 && strings.EqualFold(s, name) {
			return property(p)
		}
	}
	return otherProperty
}

// displays are the values of display but for none.
var displays = func() map[string]layout {
	m := make(map[string]layout)
	for l, values := range map[layout]string{
		lineLayout: `block flow-root flex grid list-item table table-row table-row-group table-header-group
			table-footer-group table-caption -webkit-box -webkit-flex -ms-flexbox -ms-grid -moz-box flow run-in`,
		cellLayout: "table-cell",
		inlineLayout: `inline inline-block inline-flex inline-grid inline-table contents ruby initial unset math table-column
			table-column-group -webkit-inline-box -webkit-inline-flex -ms-inline-flexbox -moz-inline-box`,
	} {
		for v := range strings.FieldsSeq(values) {
			m[v] = l
		}
	}
	for outside, l := range map[string]layout{"block": lineLayout, "inline": inlineLayout} {
		for inside := range strings.FieldsSeq("flow flow-root flex grid table ruby math") {
			m[outside+" "+inside], m[inside+" "+outside] = l, l
		}
	}
	return m
}()

// values are those of the other properties.
var values = [numProperties]string{
	float:             " none left right inline-start inline-end initial unset ",
	position:          " static relative sticky absolute fixed initial unset ",
	visibility:        " visible hidden collapse inherit initial unset ",
	whiteSpace:        " normal nowrap pre pre-wrap pre-line break-spaces inherit initial unset ",
	contentVisibility: " visible auto hidden initial unset ",
}

// takes reports whether a value is one of a property. A declaration with another does not
// count, so that an earlier one holds.
func (p property) takes(value string) bool {
	if p == display {
		_, ok := displays[value]
		return ok || value == "none"
	}
	return value != "" && !strings.Contains(value, " ") && strings.Contains(values[p], " "+value+" ")
}

// declarations yields the names and values of a style attribute. Semicolons within strings,
// brackets and comments part nothing (CSS Syntax 3).
func declarations(style string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		if strings.Contains(style, "/*") {
			style = withoutComments(style)
		}
		for style != "" {
			var decl string
			decl, style = cutDeclaration(style)
			name, value, ok := strings.Cut(decl, ":")
			if ok && !yield(strings.Trim(name, space), strings.Trim(value, space)) {
				return
			}
		}
	}
}

// cutDeclaration cuts off what is before the first semicolon that parts.
func cutDeclaration(style string) (decl, rest string) {
	brackets, quote := 0, byte(0)
	for i := 0; i < len(style); i++ {
		switch c := style[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{':
			brackets++
		case c == ')' || c == ']' || c == '}':
			brackets = max(brackets-1, 0)
		case c == ';' && brackets == 0:
			return style[:i], style[i+1:]
		}
	}
	return style, ""
}

// withoutComments replaces comments outside of strings by spaces.
func withoutComments(style string) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(style); i++ {
		c := style[i]
		switch {
		case c == '\\' && i+1 < len(style):
			b.WriteByte(c)
			i++
			c = style[i]
		case quote != 0:
			if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.HasPrefix(style[i:], "/*"):
			end := strings.Index(style[i+2:], "*/")
			if end < 0 {
				return b.String()
			}
			i += 2 + end + 1
			c = ' '
		}
		b.WriteByte(c)
	}
	return b.String()
}

// cutImportant cuts "!important" off a value.
func cutImportant(value string) (string, bool) {
	v, mark, ok := strings.Cut(value, "!")
	if !ok {
		return value, false
	}
	return strings.TrimRight(v, space), strings.EqualFold(strings.Trim(mark, space), "important")
}
