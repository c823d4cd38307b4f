package crawler

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
		r.robotsHeader(v)
	}
	for _, v := range h.Values("Link") {
		for target, rel := range headerLinks(v) {
			r.headerLink(target, rel)
		}
	}
	if target := refreshTarget(h.Get("Refresh")); target != "" {
		r.headerRef(target, "refresh")
	}
}

// headerLink takes a link of the HTTP header.
func (r *reader) headerLink(target, rel string) {
	switch {
	case hasToken(rel, "canonical"):
		if u, err := r.opt.Canon.URL(r.page.URL, target); err == nil && r.page.Canonical == "" {
			r.page.Canonical = u // unless the page has its own
		}
	case hasToken(rel, "next") || hasToken(rel, "prev"):
		r.headerRef(target, rel)
	}
}

// headerRef notes a link of the HTTP header.
func (r *reader) headerRef(target, rel string) {
	if u, err := r.opt.Canon.URL(r.page.URL, target); err == nil {
		r.addRef(ref{href: u, rel: rel})
	}
}

// singleLanguage returns the Content-Language of a page in one language.
func singleLanguage(h http.Header) string {
	if s := h.Get("Content-Language"); !strings.Contains(s, ",") {
		return strings.TrimSpace(s)
	}
	return ""
}

// headerLinks walks the targets and relations of a Link header (RFC 8288).
func headerLinks(s string) iter.Seq2[string, string] {
	return func(yield func(target, rel string) bool) {
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
			if rel := linkRel(params); rel != "" && !yield(target, rel) {
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

// linkRel returns the first rel among the parameters of a link.
func linkRel(params string) string {
	for param := range strings.SplitSeq(params, ";") {
		name, value, ok := strings.Cut(param, "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), "rel") {
			return relTokens(strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return ""
}
