package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// extras takes the links that only some want.
func (r *reader) extras(n *html.Node) {
	for i := range n.Attr {
		a := &n.Attr[i]
		if a.Namespace != "" || a.Val == "" {
			continue
		}
		switch a.Key {
		case "data-href", "data-url", "data-link":
			if r.opt.DataLinks {
				r.addRef(ref{href: a.Val, rel: "data"})
			}
		case "src", "srcset", "poster", "data-src", "data-srcset":
			if r.opt.Media {
				r.media(n, a)
			}
		}
	}
}

// media takes the source of an image, audio or video.
func (r *reader) media(n *html.Node, a *html.Attribute) {
	switch n.DataAtom {
	case atom.Img, atom.Image, atom.Source, atom.Video, atom.Audio, atom.Track, atom.Input:
	default:
		return
	}
	text := label(n, "alt")
	if !strings.HasSuffix(a.Key, "srcset") {
		r.addRef(ref{href: a.Val, rel: "media", text: text})
		return
	}
	for _, u := range srcset(a.Val) {
		r.addRef(ref{href: u, rel: "media", text: text})
	}
}

// srcset returns the URLs of image candidates (HTML standard, "parsing a srcset
// attribute"): white space ends a URL, commas within it belong to it, and a
// comma outside parentheses ends its descriptors.
func srcset(s string) (urls []string) {
	for {
		s = strings.TrimLeft(s, space+",")
		if s == "" {
			return urls
		}
		end := strings.IndexAny(s, space)
		if end < 0 {
			end = len(s)
		}
		u := s[:end]
		s = s[end:]
		if trimmed := strings.TrimRight(u, ","); trimmed != u {
			u = trimmed
		} else {
			s = afterDescriptors(s)
		}
		if u != "" {
			urls = append(urls, u)
		}
	}
}

// afterDescriptors skips to behind the next comma that is not in parentheses.
func afterDescriptors(s string) string {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth <= 0 {
				return s[i+1:]
			}
		}
	}
	return ""
}

// isFeed reports whether a link element leads to a feed.
func isFeed(n *html.Node) bool {
	t, _ := attr(n, "type")
	t, _, _ = strings.Cut(strings.ToLower(t), ";")
	switch strings.Trim(t, space) {
	case "application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml":
		return true
	}
	return false
}

// context returns the text around a link.
func (r *reader) context(l *ref) string {
	n := r.opt.Context
	if n <= 0 || !l.placed {
		return ""
	}
	const longest = 32 // bytes of a word, on average
	text := r.page.Text
	from, to := min(l.at.from, len(text)), min(max(l.at.to, l.at.from), len(text))
	before := text[max(0, from-n*longest):from]
	for range n {
		before = strings.TrimRight(before, " \t\n")
		before = before[:strings.LastIndexAny(before, " \t\n")+1]
	}
	// What is left of before is what comes before those words.
	start := max(0, from-n*longest) + len(before)
	after := text[to:min(len(text), to+n*longest)]
	rest := after
	for range n {
		rest = strings.TrimLeft(rest, " \t\n")
		if i := strings.IndexAny(rest, " \t\n"); i >= 0 {
			rest = rest[i:]
		} else {
			rest = ""
		}
	}
	return strings.ToValidUTF8(strings.TrimSpace(text[start:to+len(after)-len(rest)]), "")
}
