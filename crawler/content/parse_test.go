package content

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// response is what a fetcher brings from https://www.example.com/dir/doc.
func response(contentType, body string) *crawler.Response {
	h := http.Header{}
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	const url = "https://www.example.com/dir/doc"
	return &crawler.Response{URL: url, Request: frontier.Request{URL: url}, Status: 200, Header: h, Body: []byte(body)}
}

func parse(t *testing.T, p crawler.Parser, resp *crawler.Response) *crawler.Page {
	t.Helper()
	page, err := p.Parse(t.Context(), resp)
	if err != nil {
		t.Fatal(err)
	}
	if page.Response != resp {
		t.Error("the page has another response")
	}
	return page
}

// urls writes links one a line: URL, text, rel.
func urls(links []crawler.Link) string {
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, "%s|%s|%s\n", strings.TrimPrefix(l.URL, "https://www.example.com"), l.Text, l.Rel)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func packed(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return b.String()
}

const (
	urlset = "<urlset><url><loc>https://www.example.com/a</loc></url></urlset>"
	rss    = "<rss><channel><title>News</title><item><title>One</title><link>/a</link></item></channel></rss>"
)

// TestByType sees which Parser is chosen.
func TestByType(t *testing.T) {
	t.Parallel()
	const none = ""
	for _, tt := range []struct{ media, body, want string }{
		{"text/html", "<p>x", "html"},
		{"application/xhtml+xml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><p>x</p></html>`, "html"},
		{"application/xml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><p>x</p></html>`, "html"},
		{"", "<!doctype html><p>x", "html"},
		{"text/plain", "hello", "html"},
		{"text/plain", "https://www.example.com/a\nhttps://www.example.com/b", "html"}, // not named as a sitemap
		{"text/html", urlset, "sitemap"},
		{"text/html", "\ufeff\n<?xml version='1.0'?>\n" + rss, "feed"},
		{"text/html", "<FEED xmlns='http://www.w3.org/2005/Atom'></FEED>", "feed"},
		{"text/html", "<?xml version='1.0'?><html><p>" + rss, "html"},
		{"text/html", "<p>" + rss, "html"},
		{"application/x-ndjson", "{\"a\":1}\n{\"a\":2}", "json"},
		{"application/pdf", "%PDF-1.4", "pdf"},
		{"text/html", "\n%PDF-1.4", "pdf"},
		{"application/octet-stream", "%PDF-1.4", "pdf"},
		{"application/xml", urlset, "sitemap"},
		{"application/gzip", packed(urlset), "sitemap"},
		{"text/plain", urlset, "sitemap"},
		{"", urlset, "sitemap"},
		{"text/xml", rss, "feed"},
		{"application/rss+xml", rss, "feed"},
		{"application/atom+xml", "<feed></feed>", "feed"},
		{"application/json", `{"version":"https://jsonfeed.org/version/1.1","items":[]}`, "feed"},
		{"application/json", `{"a":1}`, "json"},
		{"application/ld+json; charset=utf-8", `{"a":1}`, "json"},
		{"text/xml", "<note>x</note>", "xml"},
		{"image/svg+xml", "<svg/>", "xml"},
		{"application/octet-stream", `<?xml version="1.0"?><note/>`, "xml"},
		{"application/epub+zip", "PK", "epub"},
		{"image/png", "\x89PNG\r\n\x1a\n", "image"},
		{"application/zip", "PK\x03\x04", none},
		{"application/gzip", packed("hello"), none},
	} {
		as := func(name string) crawler.Parser { return named1(name) }
		p := &ByType{PDF: as("pdf"), Feed: as("feed"), Sitemap: as("sitemap"), XML: as("xml"), JSON: as("json"),
			Other: map[string]crawler.Parser{"application/epub+zip": as("epub"), "image/png": as("image")}}
		page, err := p.Parse(t.Context(), response(tt.media, tt.body))
		got := "html"
		switch {
		case errors.Is(err, crawler.ErrUnsupportedType):
			got = none
		case err != nil:
			t.Errorf("%q, %q: %v", tt.media, tt.body, err)
		case page.Description == "named":
			got = page.Title
		}
		if got != tt.want {
			t.Errorf("%q, %.30q: %q, want %q", tt.media, tt.body, got, tt.want)
		}
	}
	if _, err := (&ByType{PDF: Skip{}}).Parse(t.Context(), response("application/pdf", "%PDF-1.4")); !errors.Is(err, crawler.ErrUnsupportedType) {
		t.Errorf("skipped: %v", err)
	}
}

// TestText reads text of any type, in its encoding, and nothing else.
func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		parser            crawler.Parser
		media, body, want string // the text, and "!" where it is refused
	}{
		{new(ByType), "text/csv; charset=iso-8859-1", "Name,Stadt\nAnna,K\xf6ln", "Name,Stadt\nAnna,Köln"},
		{new(ByType), "text/x-rst", "Title\n=====\n\n<b>text</b>", "Title\n=====\n\n<b>text</b>"},
		{new(ByType), "text/csv", "%PDF-", "!"},
		{new(ByType), "text/x-python", "print(1)", "!"},
		{&ByType{Other: map[string]crawler.Parser{"text/*": Text{}}}, "text/x-python", "print(1)", "print(1)"},
		{Text{}, "", "hello", "hello"},
		{Text{}, "application/x-sh", "\x89PNG\r\n\x1a\n\x00", "!"},
	} {
		resp := response(tt.media, tt.body)
		page, err := tt.parser.Parse(t.Context(), resp)
		switch {
		case err != nil && tt.want != "!", err == nil && page.Text != tt.want:
			t.Errorf("%q, %q: %+v, %v", tt.media, tt.body, page, err)
		case err == nil && page.Response.Header.Get("Content-Type") != tt.media:
			t.Errorf("%q became %q", tt.media, page.Response.Header.Get("Content-Type"))
		}
	}
}

// TestTextWithoutHeader: a Response need not have one.
func TestTextWithoutHeader(t *testing.T) {
	t.Parallel()
	if page, err := (Text{}).Parse(t.Context(), &crawler.Response{URL: "http://a.test/", Body: []byte("hello")}); err != nil || page.Text != "hello" {
		t.Errorf("%+v, %v", page, err)
	}
}

// named1 is a Parser that tells its name.
type named1 string

func (n named1) Parse(_ context.Context, resp *crawler.Response) (*crawler.Page, error) {
	return &crawler.Page{Response: resp, Title: string(n), Description: "named"}, nil
}

func TestFeed(t *testing.T) {
	t.Parallel()
	page := parse(t, new(ByType), response("application/rss+xml", `<?xml version="1.0"?><rss version="2.0"><channel>
<title>News &amp; more</title><description>All the news</description><language>de</language><link>/</link>
<item><title>Eins</title><link>/eins?utm_source=rss</link><description><![CDATA[<p>Der <b>erste</b> <a href="/mehr">Artikel</a></p><p>Zweiter Absatz</p>]]></description></item>
<item><title>Zwei</title><guid>https://www.example.com/zwei</guid><enclosure url="/zwei.mp3" type="audio/mpeg"/></item>
</channel></rss>`))
	if page.Title != "News & more" || page.Description != "All the news" || page.Lang != "de" || page.NoIndex {
		t.Errorf("%+v", page)
	}
	if want := "Eins\nDer erste Artikel\nZweiter Absatz\nZwei"; page.Text != want {
		t.Errorf("text %q, want %q", page.Text, want)
	}
	if got, want := urls(page.Links), "/eins|Eins|\n/mehr|Artikel|\n/zwei|Zwei|\n/||alternate\n/zwei.mp3||enclosure"; got != want {
		t.Errorf("links\n%s\nwant\n%s", got, want)
	}
	if got := strings.Join(page.Headings, ","); got != "Eins,Zwei" {
		t.Errorf("headings %q", got)
	}
	atom := parse(t, new(ByType), response("text/xml", `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><link rel="next" href="/2"/><entry><title>E</title><link href="/e"/><summary>S</summary></entry></feed>`))
	if got, want := urls(atom.Links), "/e|E|\n/2||next"; got != want {
		t.Errorf("links\n%s\nwant\n%s", got, want)
	}
	cut := parse(t, new(ByType), response("text/xml", `<rss><channel><item><title>One</title><link>/a</link></item><item><title>Tw`))
	if got, want := urls(cut.Links), "/a|One|"; got != want || len(cut.Flaws) == 0 {
		t.Errorf("cut: links %q, flaws %q", got, cut.Flaws)
	}
	if _, err := (Feed{}).Parse(t.Context(), response("", "hello")); !errors.Is(err, crawler.ErrParse) {
		t.Errorf("no feed: %v", err)
	}
}

// TestFeedMarkup sees that an item speaks for itself alone.
func TestFeedMarkup(t *testing.T) {
	t.Parallel()
	for _, evil := range []string{
		`<meta name=robots content="noindex, nofollow">`, `<base href="https://evil.example/">`, `<link rel=canonical href=/other>`, `<title>Evil</title>`,
		`<plaintext>`, `<p><plaintext>`, `<!-- `, `<script>`, `<textarea>`, `<title>`, `<table><base href=/x/>`, `<div hidden>`, `</div></body></html>`, strings.Repeat("<b>", 2000),
	} {
		page := parse(t, new(ByType), response("text/xml", "<rss><channel><title>News</title><item><title>One</title><link>/1</link><description><![CDATA["+evil+
			"]]></description></item><item><title>Two</title><link>/2</link></item></channel></rss>"))
		if page.Title != "News" || page.NoIndex || page.NoFollow || page.Canonical != "" || page.Text != "One\nTwo" || urls(page.Links) != "/1|One|\n/2|Two|" {
			t.Errorf("%.40q: title %q, text %q, links %q, noindex %v, canonical %q", evil, page.Title, page.Text, urls(page.Links), page.NoIndex, page.Canonical)
		}
	}
}

func TestData(t *testing.T) {
	t.Parallel()
	x := parse(t, new(ByType), response("text/xml", `<?xml version="1.0" encoding="iso-8859-1"?><book xmlns="http://ns.example/"><title>Caf`+"\xe9"+`</title><a href="b">One &lt;two&gt;</a><ref>https://other.example/</ref><img src="i.png"/></book>`))
	if x.Title != "Café" || x.Text != "Café\nOne <two>\nhttps://other.example/" {
		t.Errorf("title %q, text %q", x.Title, x.Text)
	}
	if got, want := urls(x.Links), "/dir/b||\nhttps://other.example/||\n/dir/i.png||"; got != want {
		t.Errorf("links\n%s\nwant\n%s", got, want)
	}
	broken := parse(t, XML{}, response("text/xml", `<a><b>kept</b><c`))
	if broken.Text != "kept" || len(broken.Flaws) != 1 || broken.Title != "doc" {
		t.Errorf("%+v", broken)
	}
	j := parse(t, new(ByType), response("application/json", `{"name":"Widget","price":1.5,"tags":["red","<b>"],"url":"https://www.example.com/w","deep":{"title":"no"},"ok":true}`))
	if j.Title != "Widget" || j.Text != "name: Widget\nprice: 1.5\ntags: red\ntags: <b>\nurl: https://www.example.com/w\ntitle: no" {
		t.Errorf("title %q, text %q", j.Title, j.Text)
	}
	if got, want := urls(j.Links), "/w|url|"; got != want {
		t.Errorf("links %q", got)
	}
	lines := parse(t, JSON{}, response("application/json", "{\"a\":\"x\"}\n{\"a\":\"y\"}\n{"))
	if lines.Text != "a: x\na: y" {
		t.Errorf("text %q, flaws %q", lines.Text, lines.Flaws)
	}
	for _, p := range []crawler.Parser{XML{}, JSON{}} {
		if _, err := p.Parse(t.Context(), response("", "")); !errors.Is(err, crawler.ErrParse) {
			t.Errorf("%T of nothing: %v", p, err)
		}
	}
}

// TestDeep reads what is nested without end.
func TestDeep(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("five large files")
	}
	for name, body := range map[string]string{
		"feed":      `<rss xmlns:m="http://m.example/"><channel><item><link>/a</link><m:a>` + strings.Repeat("<m:a>", 500_000),
		"Atom":      `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:m="http://m.example/"><entry><link href="/a"/><m:a>` + strings.Repeat("<m:a>", 500_000),
		"XML":       "<a href='/a'>" + strings.Repeat("<a>", 500_000),
		"JSON":      `["https://www.example.com/a",` + strings.Repeat("[", 1_000_000),
		"JSON feed": `{"version":"https://jsonfeed.org/version/1","items":[{"url":"/a"},` + strings.Repeat("[", 1_000_000),
	} {
		media := "text/xml"
		if strings.HasPrefix(name, "JSON") {
			media = "application/json"
		}
		start := time.Now()
		page, err := new(ByType).Parse(t.Context(), response(media, body))
		if err != nil || len(page.Links) == 0 || page.Links[0].URL != "https://www.example.com/a" {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}
