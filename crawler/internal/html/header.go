package html

import (
	"iter"
	"net/http"
	"strings"
)

// header reads what the HTTP header says of the page. Its URLs are relative to
// the page itself, whatever base the page declares.
func (r *reader) header(h http.Header) {
	r.facts.headerLang = singleLanguage(h)
	for _, v := range h.Values("X-Robots-Tag") {
		r.page.AddHeader(v, r.opt.Agent)
	}
	for _, v := range h.Values("Link") {
		for target, params := range headerLinks(v) {
			if rel := relTokens(linkParam(params, "rel")); rel != "" {
				r.headerLink(target, rel, linkParam(params, "hreflang"))
			}
		}
	}
	if target, now := refreshTarget(h.Get("Refresh")); target != "" {
		r.headerRef(ref{href: target, rel: "refresh"})
		if u, err := r.opt.Canon.URL(r.page.URL, target); err == nil && now {
			r.page.Refresh = u
		}
	}
}

// headerLink takes a link of the HTTP header.
func (r *reader) headerLink(target, rel, lang string) {
	switch {
	case hasToken(rel, "canonical"):
		if u, err := r.opt.Canon.URL(r.page.URL, target); err == nil && r.page.Canonical == "" {
			r.page.Canonical = u // unless the page has its own
		}
	case hasToken(rel, "next") || hasToken(rel, "prev"), hasToken(rel, "alternate") && lang != "":
		r.headerRef(ref{href: target, rel: rel, lang: lang})
	}
}

// headerRef notes a link of the HTTP header.
func (r *reader) headerRef(l ref) {
	if u, err := r.opt.Canon.URL(r.page.URL, l.href); err == nil {
		l.href = u
		r.addRef(l)
	}
}

// singleLanguage returns the Content-Language of a page in one language.
func singleLanguage(h http.Header) string {
	if s := h.Get("Content-Language"); !strings.Contains(s, ",") {
		return strings.TrimSpace(s)
	}
	return ""
}

// headerLinks walks the targets and parameters of a Link header (RFC 8288).
func headerLinks(s string) iter.Seq2[string, string] {
	return func(yield func(target, params string) bool) {
		for {
			open := strings.IndexByte(s, '<')
			if open < 0 {
				return
			}
			target, rest, ok := strings.Cut(s[open+1:], ">")
			if !ok {
				return
			}
			var params string
			params, s = nextLink(rest)
			if !yield(target, params) {
				return
			}
		}
	}
}

// nextLink splits the parameters of a link from the links after it.
func nextLink(s string) (params, rest string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// linkParam returns the first parameter of a name among those of a link.
func linkParam(params, name string) string {
	for param := range strings.SplitSeq(params, ";") {
		key, value, ok := strings.Cut(param, "=")
		if ok && strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
}
