package html

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// FuzzHTML holds the reader to what a crawl relies on, whatever the bytes: no
// panic, valid UTF-8, canonical URLs, the same page whether by its tags or its tree.
func FuzzHTML(f *testing.F) {
	seeds, err := filepath.Glob("../charset/testdata/pages/*")
	if err != nil || len(seeds) == 0 {
		f.Fatal(seeds, err)
	}
	for _, name := range append(seeds, "../../testdata/html/page.html") {
		body, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add("text/html", "", body[:min(len(body), 700)])
	}
	f.Add("text/html; charset=\"utf-16", `<a>; rel=next, <b>; rel="canonical`, []byte("<base href=//x/><a href=?q=\xe9#x>\x00<svg><a xlink:href=b>"))
	f.Add("", "", []byte("<noscript><noscript><iframe src=x><template shadowrootmode><meta http-equiv=refresh content=0;url=x>"))
	f.Add("text/plain; charset=gbk", "", []byte("title\r\r\n\x81\x30\x81"))
	f.Add("application/xhtml+xml", "", []byte("<?xml encoding='koi8-r'?><html xml:lang=ru><h1><a href=x><img alt=y hidden></h1><pre>\n\n <td>"))

	for _, tt := range streamed {
		f.Add("text/html", "", []byte(tt.body))
	}

	f.Fuzz(func(t *testing.T, contentType, link string, body []byte) {
		src := &Source{URL: "http://www.example.com/dir/page", Header: http.Header{"Content-Type": {contentType}, "Link": {link}}, Body: body, Fetched: time.Unix(1e9, 0)}
		media, kind := TypeOf(src.Header, src.Body)
		if kind == Other {
			return
		}
		o := Options{Canon: new(urlnorm.Profile), MaxLinks: 50_000}
		page, _, err := Read(t.Context(), src, media, kind, &o)
		if err != nil {
			t.Fatal(err)
		}
		o.Tree = true
		again, _, err := Read(t.Context(), src, media, kind, &o)
		if diff := cmp.Diff(page, again); err != nil || diff != "" {
			t.Fatalf("another page by its tree: %v\n%s", err, diff)
		}
		texts := append([]string{page.Title, page.Text, page.Description, page.Lang}, page.Headings...)
		urls := []string{page.Canonical}
		for _, l := range page.Links {
			urls, texts = append(urls, l.URL), append(texts, l.Text, l.Rel)
		}
		for _, s := range texts {
			if !utf8.ValidString(s) {
				t.Errorf("%q is not valid UTF-8", s)
			}
		}
		for _, u := range urls {
			if again, err := urlnorm.URL("", u); u != "" && (err != nil || again != u) {
				t.Errorf("%q is not canonical: %q, %v", u, again, err)
			}
		}
	})
}
