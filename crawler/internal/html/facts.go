package html

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/language"

	"github.com/webquarry/quarry/internal/lang"
)

// facts is what a page says about itself.
type facts struct {
	title, ogTitle             string
	description, ogDescription string
	lang, pragmaLang           string // of the html element, of a meta element
	headerLang                 string
	canonical, base, refresh   string // as written
	hasTitle, hasBase          bool
}

// fact takes what an element says about the page, and reports whether the
// element has content to be read like any other.
func (r *reader) fact(n *html.Node) bool {
	if n.Namespace != "" {
		return !unseenForeign(n)
	}
	switch n.DataAtom {
	case atom.Script, atom.Style:
		return false
	case atom.Template: // a shadow root is shown in its host's place
		_, shadow := attr(n, "shadowrootmode")
		return shadow
	case atom.Noscript:
		return r.opt.NoScript || r.spareContent(n)
	case atom.Noframes, atom.Noembed:
		return r.spareContent(n)
	case atom.Iframe, atom.Frame:
		r.frame(n)
		return false
	case atom.Title:
		r.title(n)
		return false
	case atom.Html, atom.Body, atom.Base, atom.Meta, atom.Link:
		if !r.spare {
			r.declaration(n)
		}
	}
	return true
}

// declaration takes an element of the head, or one that may bear a language.
func (r *reader) declaration(n *html.Node) {
	switch n.DataAtom {
	case atom.Html, atom.Body:
		if r.facts.lang == "" {
			r.facts.lang = languageOf(n)
		}
	case atom.Base:
		if href, ok := attr(n, "href"); ok && !r.facts.hasBase {
			r.facts.base, r.facts.hasBase = href, true
		}
	case atom.Meta:
		r.meta(n)
	case atom.Link:
		r.link(n)
	}
}

// spareContent takes the links of an element whose content a browser keeps as
// text, for it is made for other browsers.
func (r *reader) spareContent(n *html.Node) (descend bool) {
	if r.spare {
		return true
	}
	if n.FirstChild == nil || !strings.Contains(n.FirstChild.Data, "<") {
		return false
	}
	tree, err := flatTree(strings.NewReader(n.FirstChild.Data), false)
	if err != nil {
		return false
	}
	r.spare = true
	r.open.gone++
	_ = r.walk(context.Background(), tree) // only a context ends a walk early
	r.open.gone--
	r.spare = false
	return false
}

// frame takes an iframe or frame element.
func (r *reader) frame(n *html.Node) {
	r.text.apart(spaced)
	if src, ok := attr(n, "src"); ok && !fragmentOnly(src) {
		r.addRef(ref{href: src, rel: "frame", text: label(n, "title")})
	}
}

// unseenForeign reports whether an element of SVG or MathML is not drawn.
func unseenForeign(n *html.Node) bool {
	switch n.Data {
	case "script", "style", "title", "desc", "metadata", "defs", "annotation", "annotation-xml":
		return true
	}
	return false
}

// languageOf returns the lang or xml:lang attribute of an element.
func languageOf(n *html.Node) string {
	tag, ok := attr(n, "lang")
	if !ok {
		tag, _ = attr(n, "xml:lang")
	}
	return languageTag(tag)
}

// languageTag trims a language tag.
func languageTag(s string) string { return strings.Trim(s, space) }

// title takes the first title element.
func (r *reader) title(n *html.Node) {
	if r.facts.hasTitle || r.spare {
		return
	}
	r.facts.hasTitle = true
	var t blockText
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t.add(clip(c.Data, 8*longestLabel))
	}
	r.facts.title = clip(string(t.buf), longestLabel)
}

// meta takes a meta element.
func (r *reader) meta(n *html.Node) {
	content, ok := attr(n, "content")
	if !ok {
		return
	}
	f := &r.facts
	name, _ := attr(n, "name")
	if name == "" {
		name, _ = attr(n, "property")
	}
	switch name = strings.ToLower(strings.Trim(name, space)); name {
	case "":
		r.pragma(n, content)
	case "description":
		keepFirst(&f.description, content)
	case "og:description":
		keepFirst(&f.ogDescription, content)
	case "og:title":
		keepFirst(&f.ogTitle, content)
	case "robots":
		r.page.AddMeta(content)
	default:
		if r.opt.Agent != "" && strings.EqualFold(name, r.opt.Agent) {
			r.page.AddMeta(content)
		}
	}
}

// pragma takes a meta element with http-equiv.
func (r *reader) pragma(n *html.Node, content string) {
	equiv, _ := attr(n, "http-equiv")
	switch strings.ToLower(strings.Trim(equiv, space)) {
	case "refresh":
		if target, now := refreshTarget(content); target != "" {
			r.addRef(ref{href: target, rel: "refresh"})
			if now && r.facts.refresh == "" {
				r.facts.refresh = target
			}
		}
	case "content-language":
		if r.facts.pragmaLang == "" && !strings.Contains(content, ",") {
			r.facts.pragmaLang = languageTag(content)
		}
	case "x-robots-tag":
		r.page.AddHeader(content, r.opt.Agent)
	}
}

// keepFirst sets *s to content unless it is set.
func keepFirst(s *string, content string) {
	if *s == "" {
		*s = oneLine(clip(content, 8*longestLabel))
	}
}

// language returns the declared language of the page, or the one its text is
// in if that is beyond doubt.
func (r *reader) language() string {
	for _, declared := range [...]string{r.facts.lang, r.facts.pragmaLang, r.facts.headerLang} {
		if declared == "" || len(declared) > 64 {
			continue
		}
		if tag, err := language.Parse(declared); err == nil && tag != language.Und {
			return tag.String()
		}
	}
	return lang.Detect(r.page.Text)
}
