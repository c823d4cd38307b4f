package crawler

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestHTMLExtras(t *testing.T) {
	t.Parallel()
	const site = "http://www.example.com"
	const body = `<link rel=alternate hreflang=de href=/de title=Deutsch><link rel=alternate type="application/rss+xml" href=/rss title=News>
<link rel="alternate" media=print href=/print><img src=a.png srcset="a.png 1x, b,c.png 2x,d.png 480w , e.png" alt=Logo>
<picture><source srcset="f.webp (max-width: 1,2) 2x, g.webp"></picture><video poster=p.jpg src=v.mp4></video><script src=no.js></script>
<div data-href="/data" data-url=other></div><a href=x hreflang=fr data-link=/y>x</a>`
	for name, tt := range map[string]struct {
		opt  HTML
		want string
	}{
		"none":  {HTML{}, "/de|Deutsch|alternate\n/dir/x|x|"},
		"feeds": {HTML{Feeds: true}, "/de|Deutsch|alternate\n/rss|News|alternate\n/dir/x|x|"},
		"media": {HTML{Media: true}, "/de|Deutsch|alternate\n/dir/a.png|Logo|media\n/dir/a.png|Logo|media\n/dir/b,c.png|Logo|media\n/dir/d.png|Logo|media\n/dir/e.png|Logo|media\n" +
			"/dir/f.webp||media\n/dir/g.webp||media\n/dir/p.jpg||media\n/dir/v.mp4||media\n/dir/x|x|"},
		"data": {HTML{DataLinks: true}, "/de|Deutsch|alternate\n/data||data\n/dir/other||data\n/y||data\n/dir/x|x|"},
	} {
		page := parseHTML(t, &tt.opt, "text/html", body)
		if got := strings.ReplaceAll(show(page.Links), site, ""); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
		if page.Links[0].Lang != "de" || page.Links[len(page.Links)-1].Lang != "fr" {
			t.Errorf("%s: languages %q, %q", name, page.Links[0].Lang, page.Links[len(page.Links)-1].Lang)
		}
	}
}

func TestHTMLHeaderAlternate(t *testing.T) {
	t.Parallel()
	page, err := new(HTML).Parse(t.Context(), response("text/html", "", "Link", `</de>; rel="alternate"; hreflang="de", </x>; rel=alternate`))
	if err != nil || len(page.Links) != 1 || page.Links[0].Lang != "de" || page.Links[0].URL != "http://www.example.com/de" {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestHTMLContext(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"<p>one two three <a href=b>link text</a> four five six</p>": "two three link text four five",
		"<p>one</p><p><a href=b>link</a></p><p>four<p>five six":      "one\nlink\nfour\nfive",
		"<a href=b>link</a>":                                            "link",
		"one <a href=b><img src=x alt=logo></a> two":                    "one two",
		"é è <a href=b>à</a> ù ñ õ":                                     "é è à ù ñ",
		"<div hidden><a href=b>menu</a></div>one two three":             "one two",
		"<a href=b>link</a> " + strings.Repeat("x", 5000):               "link " + strings.Repeat("x", 63),
		strings.Repeat("\u00e9", 5000) + " <a href=b>link</a>":          strings.Repeat("\u00e9", 32) + " link",
		"<iframe src=b></iframe>one two":                                "",
		"<p>permalink <a href='#x'>¶</a></p>one two <a href=b>link</a>": "one two link",
	} {
		page := parseHTML(t, &HTML{Context: 2}, "text/html; charset=utf-8", body)
		if got := page.Links[0].Context; got != want {
			t.Errorf("%.60q: %q, want %q", body, got, want)
		}
		if off := parseHTML(t, &HTML{}, "text/html; charset=utf-8", body); off.Links[0].Context != "" {
			t.Errorf("%.60q: context without being asked for", body)
		}
	}
}

func TestHTMLUnavailable(t *testing.T) {
	t.Parallel()
	fetched := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	for at, gone := range map[string]bool{"2025-05-31": true, "31 May 2025 12:00:00 GMT": true, "2025-06-02": false, "never": false} {
		for _, resp := range []*Response{
			response("text/html", fmt.Sprintf("<meta name=robots content='unavailable_after: %s'>", at)),
			response("text/plain", "x", "X-Robots-Tag", "unavailable_after: "+at),
		} {
			resp.Fetched = fetched
			page, err := new(HTML).Parse(t.Context(), resp)
			if err != nil || page.NoIndex != gone || page.Unavailable.IsZero() != (at == "never") {
				t.Errorf("%s: noindex %v, unavailable %v, %v", at, page.NoIndex, page.Unavailable, err)
			}
		}
	}
}
