package extract_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/internal/unicodetest"
)

// No page makes the HTML parser or what is extracted from pages panic, and what they give is
// UTF-8; QUARRY_TEXTS=1000000 makes it a million pages.
func TestPagesOfUnicode(t *testing.T) {
	t.Parallel()
	unicodetest.Each(t, 500, func(r *rand.Rand, text string) {
		other := unicodetest.Text(r)
		body := [...]string{
			text,
			"<html><head><title>" + text + "</title><meta name=description content=\"" + other + "\"></head><body><h1>" + other + "</h1><p>" + text + "</p><a href=\"" + other + "\">" + text + "</a></body></html>",
			"<article><h1>" + text + "</h1><p>" + strings.Repeat(other+" , ", 20) + "</p><time datetime='" + text + "'>" + other + "</time></article>",
			"<div itemscope itemtype='https://schema.org/Product'><span itemprop=name>" + text + "</span><span itemprop=price>" + other + "</span></div><script type='application/ld+json'>{\"@type\":\"Thing\",\"name\":\"" + text + "\"}</script>",
			"<table><tr><td>" + text + "<td>" + other + "</table><pre>" + text + "</pre><ul><li>" + other,
		}[r.IntN(5)]
		kind := []string{"text/html", "text/html; charset=utf-8", "text/html; charset=utf-16le", "text/html; charset=gb18030", "text/plain", "text/html; charset=" + text}[r.IntN(6)]
		resp := &crawler.Response{Request: frontier.Request{URL: "https://e.org/"}, URL: "https://e.org/", Status: 200, Header: http.Header{"Content-Type": {kind}}, Body: []byte(body)}
		page, err := (&crawler.HTML{}).Parse(t.Context(), resp)
		if err == nil {
			for _, s := range append([]string{page.Title, page.Text, page.Description, page.Lang, page.Canonical}, page.Headings...) {
				if !utf8.ValidString(s) {
					t.Errorf("%q, %+q: %+q is no UTF-8", kind, body, s)
				}
			}
			for _, l := range page.Links {
				if !utf8.ValidString(l.Text + l.Context + l.URL) {
					t.Errorf("%q, %+q: link %+q is no UTF-8", kind, body, l.Text)
				}
			}
		}
		doc, err := extract.Document(t.Context(), resp)
		if err == nil {
			a := extract.ReadArticle(doc, resp.URL)
			if a != nil && !utf8.ValidString(a.Title+a.Text+strings.Join(a.Authors, "")) {
				t.Errorf("%q, %+q: %+q is no UTF-8", kind, body, a.Title)
			}
			for _, item := range extract.Items(doc, resp.URL) {
				item.Text("name")
				_, _ = item.MarshalJSON()
			}
		}
		for _, s := range []string{text, other, "$" + text, text + " 2024"} {
			if p, err := extract.ParsePrice(s); err == nil && (p.Amount != p.Amount || !utf8.ValidString(p.Currency)) {
				t.Errorf("%+q costs %v", s, p)
			}
			if at, err := extract.ParseTime(s); err == nil && (at.Year() < -1 || at.Year() > 10000) {
				t.Errorf("%+q is %v", s, at)
			}
		}
		_, _ = extract.Parse([]byte(text))
	})
}
