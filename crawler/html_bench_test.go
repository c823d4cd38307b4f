package crawler

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// BenchmarkHTML compares the parser with what one would write with goquery
// alone, and with building the document and no more. Run with -count 10 and
// look at the fastest; repeat asks for a page of that many articles.
func BenchmarkHTML(b *testing.B) {
	body, err := os.ReadFile("testdata/html/page.html")
	if err != nil {
		b.Fatal(err)
	}
	head, rest, _ := bytes.Cut(body, []byte("<article>"))
	article, foot, _ := bytes.Cut(rest, []byte("</article>"))
	for _, size := range []struct {
		name   string
		repeat int
	}{{"6KB", 1}, {"60KB", 16}} {
		page := bytes.Join([][]byte{head, bytes.Repeat(article, size.repeat), foot}, nil)
		resp := response("text/html; charset=utf-8", string(page))
		b.Run(size.name+"/quarry", func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := new(HTML).Parse(context.Background(), resp); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(size.name+"/goquery", func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			base, _ := url.Parse(resp.URL)
			for b.Loop() {
				if plainGoquery(base, page) == 0 {
					b.Fatal("nothing read")
				}
			}
		})
		b.Run(size.name+"/document", func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := goquery.NewDocumentFromReader(bytes.NewReader(page)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// plainGoquery takes title, text and distinct links, and returns how much that
// was.
func plainGoquery(base *url.URL, body []byte) int {
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(body))
	if err != nil {
		return 0
	}
	if href, ok := doc.Find("base[href]").First().Attr("href"); ok {
		if b, err := base.Parse(href); err == nil {
			base = b
		}
	}
	links := map[string]bool{}
	doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
		href, _ := a.Attr("href")
		u, err := base.Parse(strings.TrimSpace(href))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return
		}
		u.Fragment, u.RawFragment = "", ""
		u.Host = strings.ToLower(u.Host)
		links[u.String()] = true
	})
	doc.Find("script,style,noscript,template").Remove()
	title := doc.Find("head title").First().Text()
	text := strings.Join(strings.Fields(doc.Find("body").Text()), " ")
	return len(title) + len(text) + len(links)
}
