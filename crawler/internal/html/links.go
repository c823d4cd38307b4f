package html

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// ref is a link as written.
type ref struct {
	href, rel, lang string
	text            string // what stands for it when its part of the text is blank
	at              span   // its part of the text
	placed          bool   // it has one
}

// kept says which links are kept once there are MaxLinks of them.
type kept struct {
	hrefs map[string]struct{} // of the links so far; nil until then
	full  bool                // there were more
}

// addRef notes a link, and returns its index plus one, 0 when it is left out.
// A page that repeats a few links loses none of the others by it.
func (r *reader) addRef(l ref) int {
	if len(r.refs) >= r.opt.MaxLinks && !r.another(l.href) {
		return 0
	}
	r.refs = append(r.refs, l)
	return len(r.refs)
}

// another reports whether a link is one of the first MaxLinks that differ.
func (r *reader) another(href string) bool {
	if r.kept.hrefs == nil {
		r.kept.hrefs = make(map[string]struct{})
		for _, l := range r.refs {
			r.kept.hrefs[l.href] = struct{}{}
		}
	}
	if _, known := r.kept.hrefs[href]; known {
		return false
	}
	if len(r.kept.hrefs) >= r.opt.MaxLinks {
		r.kept.full = true
		return false
	}
	r.kept.hrefs[href] = struct{}{}
	return true
}

// anchor notes an a or area element, as [reader.addRef].
func (r *reader) anchor(n *html.Node) int {
	href, ok := attr(n, "href")
	if !ok {
		if href, ok = foreignHref(n); !ok {
			return 0
		}
	}
	rel, _ := attr(n, "rel")
	lang, _ := attr(n, "hreflang")
	l := ref{href: href, rel: relTokens(rel), lang: languageTag(lang), placed: true}
	if n.DataAtom == atom.Area {
		l.text = label(n, "alt")
	}
	return r.addRef(l)
}

// foreignHref returns the xlink:href of an anchor in SVG.
func foreignHref(n *html.Node) (string, bool) {
	if n.Namespace != "" {
		for _, a := range n.Attr {
			if a.Key == "href" && a.Namespace == "xlink" {
				return a.Val, true
			}
		}
	}
	return "", false
}

// image gives the anchor around it the image's alternative text.
func (r *reader) image(n *html.Node) {
	if r.open.anchors == 0 {
		return
	}
	for i := len(r.marks) - 1; i >= 0; i-- {
		if m := r.marks[i]; m.ref > 0 {
			if l := &r.refs[m.ref-1]; l.text == "" {
				l.text = label(n, "alt")
			}
			return
		}
	}
}

// closeAnchor completes a link with what its element held.
func (r *reader) closeAnchor(m mark) {
	l := &r.refs[m.ref-1]
	l.at = span{m.from.from, len(r.text.buf)}
	inside := strings.TrimSpace(string(r.text.buf[l.at.from:min(l.at.to, l.at.from+16)]))
	switch {
	case inside == "":
		aside := r.aside.buf[min(m.from.to, len(r.aside.buf)):]
		l.text = cmp.Or(clip(oneLine(string(aside)), longestLabel), l.text, label(m.node, "aria-label"), label(m.node, "title"))
	case strings.HasPrefix(l.href, "#") && (inside == "¶" || inside == "§" || inside == "#" || inside == "🔗"):
		r.text.cut(m.from.from, m.sep)
		l.at.to = l.at.from
	}
}

// label returns an attribute as one line.
func label(n *html.Node, key string) string {
	s, _ := attr(n, key)
	return oneLine(clip(s, longestLabel))
}

// link takes a link element.
func (r *reader) link(n *html.Node) {
	rel, _ := attr(n, "rel")
	href, ok := attr(n, "href")
	if !ok || rel == "" {
		return
	}
	rel = relTokens(rel)
	switch {
	case hasToken(rel, "canonical"):
		if r.facts.canonical == "" {
			r.facts.canonical = href
		}
	case hasToken(rel, "next") || hasToken(rel, "prev"):
		r.addRef(ref{href: href, rel: rel, text: label(n, "title")})
	case hasToken(rel, "alternate"):
		lang, _ := attr(n, "hreflang")
		if lang = languageTag(lang); lang != "" || r.opt.Feeds && isFeed(n) {
			r.addRef(ref{href: href, rel: rel, lang: lang, text: label(n, "title")})
		}
	}
}

// relTokens returns a rel attribute in lower case, its tokens apart by one
// space.
func relTokens(rel string) string {
	if rel == "" {
		return ""
	}
	return strings.Join(strings.Fields(strings.ToLower(clip(rel, longestLabel))), " ")
}

// hasToken reports whether a list of tokens holds one.
func hasToken(list, token string) bool {
	for t := range strings.SplitSeq(list, " ") {
		if t == token {
			return true
		}
	}
	return false
}

// resolve makes the noted URLs canonical.
func (r *reader) resolve() {
	p, c := r.page, r.opt.Canon
	base := p.URL
	if r.facts.hasBase {
		if b, err := c.URLIn(p.URL, r.facts.base, r.charset); err == nil {
			base = b
		}
	}
	if r.facts.canonical != "" {
		if u, err := c.URLIn(base, r.facts.canonical, r.charset); err == nil {
			p.Canonical = u
		}
	}
	if r.facts.refresh != "" && p.Refresh == "" {
		if u, err := c.URLIn(base, r.facts.refresh, r.charset); err == nil {
			p.Refresh = u
		}
	}
	if len(r.refs) == 0 {
		return
	}
	p.Links = make([]Link, 0, len(r.refs))
	for i := range r.refs {
		l := &r.refs[i]
		u, err := c.URLIn(base, l.href, r.charset)
		if err != nil || u == p.URL && fragmentOnly(l.href) {
			continue
		}
		p.Links = append(p.Links, Link{
			URL:      u,
			Text:     cmp.Or(r.label(l.at), l.text),
			Context:  r.context(l),
			Rel:      l.rel,
			Lang:     l.lang,
			NoFollow: p.NoFollow || hasToken(l.rel, "nofollow") || hasToken(l.rel, "ugc") || hasToken(l.rel, "sponsored"),
		})
	}
}

// fragmentOnly reports whether a reference is to its own page.
func fragmentOnly(href string) bool {
	href = strings.TrimLeft(href, space)
	return href == "" || href[0] == '#'
}

// soon is how long a page that leads to another by itself may stand, for that to be a
// redirect: long enough to read a sentence, and too short for a page.
const soon = 10 // seconds

// refreshTarget returns the URL of a refresh declaration such as
// "5; url=/next" (HTML standard, "shared declarative refresh steps"), and whether it is
// gone to soon.
func refreshTarget(s string) (target string, now bool) {
	s = strings.TrimLeft(s, space)
	rest := strings.TrimLeft(s, "0123456789.")
	if rest == s || rest == "" {
		return "", false
	}
	whole, _, _ := strings.Cut(s[:len(s)-len(rest)], ".")
	seconds, err := strconv.Atoi(cmp.Or(whole, "0"))
	now = err == nil && seconds <= soon
	s = strings.TrimLeft(rest, space)
	if rest == s && s[0] != ';' && s[0] != ',' {
		return "", false
	}
	s = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(s, ";"), ","), space)
	if len(s) >= 3 && strings.EqualFold(s[:3], "url") {
		if after := strings.TrimLeft(s[3:], space); strings.HasPrefix(after, "=") {
			s = strings.TrimLeft(after[1:], space)
		}
	}
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s, _, _ = strings.Cut(s[1:], s[:1])
	}
	return s, now
}

// RefreshOf returns the URL that a Refresh header leads to soon.
func RefreshOf(h http.Header) string {
	if target, now := refreshTarget(h.Get("Refresh")); now {
		return target
	}
	return ""
}
