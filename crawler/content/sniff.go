package content

import (
	"bytes"
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sitemap"
)

// body is what a body turns out to be.
type body int

const (
	otherBody body = iota // for HTML to read, or to refuse
	pdfBody
	feedBody
	sitemapBody
	xmlBody
	jsonBody
	textBody
)

// sniff tells what a body is.
func sniff(resp *crawler.Response, media string) body {
	_, _, asked := sitemap.Marked(resp.Request.Meta)
	format := sitemap.NotSitemap
	if listed(media, resp.Body) || asked {
		format = sitemap.Sniff(resp.Body)
	}
	switch {
	case asked: // if it is none, that is an error: many servers send a page for whatever they do not have
		return sitemapBody
	case isPDF(resp.Body):
		return pdfBody
	case format == sitemap.URLSet, format == sitemap.Index, format == sitemap.Text && named(resp.URL):
		return sitemapBody
	case format == sitemap.RSS, format == sitemap.Atom, format == sitemap.JSONFeed:
		return feedBody
	case isJSON(media):
		return jsonBody
	case isText(media):
		return textBody
	case media == "application/xhtml+xml", looksLikeHTML(resp.Body):
		return otherBody
	case media == "application/xml", media == "text/xml", strings.HasSuffix(media, "+xml"):
		return xmlBody
	case unclear(media) && bytes.HasPrefix(bytes.TrimLeft(resp.Body, "\ufeff \t\r\n"), []byte("<?xml")):
		return xmlBody
	}
	return otherBody
}

// listed reports whether a body of that type may be a sitemap or a feed. Many are
// sent as HTML, and are told by their first tag: to look closely at every page is
// dear.
func listed(media string, body []byte) bool {
	switch {
	case media == "text/html", media == "application/xhtml+xml":
		return beginsAsList(body)
	case strings.HasPrefix(media, "image/"), strings.HasPrefix(media, "video/"), strings.HasPrefix(media, "audio/"):
		return false
	}
	return true
}

func beginsAsList(b []byte) bool {
	b = bytes.TrimLeft(b[:min(len(b), 256)], "\ufeff \t\r\n")
	for _, tag := range [...]string{"<?xml", "<rss", "<feed", "<rdf:rdf", "<urlset", "<sitemapindex"} {
		if len(b) > len(tag) && strings.EqualFold(string(b[:len(tag)]), tag) {
			return true
		}
	}
	return false
}

// isJSON reports whether a type is that of JSON, or of one value a line.
func isJSON(media string) bool {
	switch media {
	case "application/json", "text/json", "application/ndjson", "application/x-ndjson", "application/jsonl", "application/x-jsonlines":
		return true
	}
	return strings.HasSuffix(media, "+json")
}

// unclear reports whether a declared type says nothing.
func unclear(media string) bool {
	return !strings.Contains(media, "/") || media == "application/octet-stream" || media == "text/plain"
}

// isPDF looks for the header within the first 1,024 bytes, as readers do.
func isPDF(b []byte) bool { return bytes.Contains(b[:min(len(b), 1024)], []byte("%PDF-")) }

// looksLikeHTML reports whether a body begins as pages do.
func looksLikeHTML(b []byte) bool {
	s := strings.ToLower(string(b[:min(len(b), 1024)]))
	return strings.Contains(s, "<!doctype html") || strings.Contains(s, "<html") || strings.Contains(s, "<body")
}

// named reports whether a URL looks like that of a sitemap. A text of URLs is
// one only then: it may be anything.
func named(url string) bool { return strings.Contains(strings.ToLower(url), "sitemap") }
