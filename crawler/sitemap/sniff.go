package sitemap

import (
	"bytes"
	"errors"
	"strings"
)

// Format is the kind of a list of URLs.
type Format string

// The formats.
const (
	NotSitemap Format = ""
	URLSet     Format = "urlset"
	Index      Format = "index"
	Text       Format = "text" // one URL a line
	RSS        Format = "rss"  // RSS 0.9 to 2.0, RDF included
	Atom       Format = "atom"
	JSONFeed   Format = "json feed"
)

// sniffed is how much of a body tells its format.
const sniffed = 1024

// Sniff tells the format of a body by its first bytes, unpacked where it is
// packed. Text is any text whose first line is an http or https URL.
func Sniff(body []byte) Format {
	src, err := open(bytes.NewReader(body[:min(len(body), 64<<10)]), defaultBytes)
	if err != nil {
		return NotSitemap
	}
	head, _ := src.Peek(sniffed)
	f := format(head)
	if f == Text {
		first, _, _ := strings.Cut(strings.TrimLeft(string(head), " \t\r\n"), "\n")
		if !hasScheme(strings.TrimSpace(first)) {
			return NotSitemap
		}
	}
	return f
}

// format tells the format of what begins with head. What has no tags may be a
// list in plain text.
func format(head []byte) Format {
	s := strings.TrimLeft(string(head), " \t\r\n\ufeff")
	switch {
	case s == "":
		return NotSitemap
	case s[0] == '{':
		if strings.Contains(s, "jsonfeed.org/version/") {
			return JSONFeed
		}
		return NotSitemap
	case s[0] != '<':
		return Text
	}
	switch root(s) {
	case "urlset", "url":
		return URLSet
	case "sitemapindex", "sitemap":
		return Index
	case "rss", "rdf", "channel", "item":
		return RSS
	case "feed", "entry":
		return Atom
	}
	return NotSitemap
}

// root returns the local name of the first element in lower case.
func root(s string) string {
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 || i+1 == len(s) {
			return ""
		}
		s = s[i+1:]
		switch {
		case strings.HasPrefix(s, "!--"):
			_, after, ok := strings.Cut(s, "-->")
			if !ok {
				return ""
			}
			s = after
		case s[0] == '!' || s[0] == '?':
			if len(s) > 13 && strings.EqualFold(strings.TrimSpace(s[1:9])+strings.TrimSpace(s[8:13]), "doctypehtml") {
				return "html"
			}
		default:
			name := s
			if end := strings.IndexAny(s, " \t\r\n/>"); end >= 0 {
				name = s[:end]
			}
			if _, local, ok := strings.Cut(name, ":"); ok {
				name = local
			}
			return strings.ToLower(name)
		}
	}
}

// notOne says what a body is that is no sitemap.
func notOne(head []byte) error {
	s := strings.TrimSpace(string(head))
	switch name := root(s); {
	case s == "":
		return errors.New("empty")
	case name == "html", strings.Contains(strings.ToLower(s), "<!doctype html"):
		return errors.New("an HTML page")
	case name != "":
		return errors.New("an element " + clip(name, 40))
	}
	return errors.New("of an unknown type")
}
