package sitemap

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/unicode"
)

const at = "https://www.example.com/sitemap.xml"

// show writes entries one a line: URL, date, what else there is.
func show(all []Entry) string {
	var b strings.Builder
	for _, e := range all {
		b.WriteString(strings.TrimPrefix(e.URL, "https://www.example.com"))
		if e.Sitemap {
			b.WriteString(" sitemap")
		}
		if !e.Modified.IsZero() {
			b.WriteString(e.Modified.Format(" 2006-01-02"))
		}
		if e.Change != "" {
			b.WriteString(" " + e.Change)
		}
		if e.Priority != 0.5 {
			fmt.Fprintf(&b, " %g", e.Priority)
		}
		if e.Title != "" {
			b.WriteString(" (" + e.Title + ")")
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// packed returns s in gzip.
func packed(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return b.String()
}

func utf16(s string, order unicode.Endianness, mark unicode.BOMPolicy) string {
	out, err := unicode.UTF16(order, mark).NewEncoder().String(s)
	if err != nil {
		panic(err)
	}
	return out
}

func TestRead(t *testing.T) {
	t.Parallel()
	const site = "https://www.example.com"
	const plain = "<urlset><url><loc>" + site + "/a</loc><lastmod>2020-02-03</lastmod><changefreq>Weekly</changefreq><priority>0.8</priority></url></urlset>"
	const want = "/a 2020-02-03 weekly 0.8"
	tests := map[string]struct {
		body, want string
		kinds      []Kind
	}{
		"plain":              {plain, want, nil},
		"a prefix":           {"<s:urlset xmlns:s='x'><s:url><s:loc>" + site + "/a</s:loc></s:url></s:urlset>", "/a", nil},
		"no such prefix":     {"<s:urlset><s:url><s:loc>" + site + "/a</s:loc></s:url></s:urlset>", "/a", nil},
		"gzip":               {packed(plain), want, nil},
		"gzip, twice":        {packed(packed(plain)), want, nil},
		"gzip, members":      {packed(plain[:30]) + packed(plain[30:]), want, nil},
		"gzip, cut":          {packed(plain)[:60], "", []Kind{ErrTruncated}},
		"byte order mark":    {"\ufeff" + plain, want, nil},
		"white space":        {" \r\n\t<?xml version='1.0'?>" + plain, want, nil},
		"UTF-16":             {utf16(`<?xml version="1.0" encoding="UTF-16"?>`+plain, unicode.BigEndian, unicode.UseBOM), want, nil},
		"UTF-16, no mark":    {utf16(plain, unicode.LittleEndian, unicode.IgnoreBOM), want, nil},
		"windows-1251":       {"<?xml version='1.0' encoding='windows-1251'?><urlset><url><loc>" + site + "/\xec\xe8\xf0</loc></url></urlset>", "/мир", nil},
		"prefix":             {`<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>` + site + `/a</s:loc></s:url></s:urlset>`, "/a", nil},
		"comment, doctype":   {"<!-- <url> --><!DOCTYPE urlset>" + plain, want, nil},
		"upper case":         {strings.ReplaceAll(plain, "loc>", "LOC>"), want, nil},
		"index":              {"<sitemapindex><sitemap><loc>" + site + "/1.xml</loc></sitemap></sitemapindex>", "/1.xml sitemap", nil},
		"ampersand":          {"<urlset><url><loc>" + site + "/?a=1&copy=2&amp;b=&#x33;&bad;</loc></url></urlset>", "/?a=1&copy=2&b=3&bad;", nil},
		"bad date":           {"<urlset><url><loc>" + site + "/a</loc><lastmod>soon</lastmod><priority>x</priority><changefreq>often</changefreq></url></urlset>", "/a", nil},
		"priority, beyond":   {"<urlset><url><loc>" + site + "/a</loc><priority>7</priority></url></urlset>", "/a 1", nil},
		"relative":           {"<urlset><url><loc>/a</loc></url><url><loc>a</loc></url></urlset>", "/a", []Kind{ErrMalformed}},
		"other host":         {"<urlset><url><loc>http://other.example/</loc></url><url><loc>http://example.com:81/x</loc></url></urlset>", "http://example.com:81/x", []Kind{ErrOtherHost}},
		"cut in a URL":       {"<urlset><url><loc>" + site + "/a</loc></url><url><loc>" + site + "/b", "/a", []Kind{ErrTruncated}},
		"cut after a URL":    {"<urlset><url><loc>" + site + "/a</loc></url><url><loc>" + site + "/b</l", "/a\n/b", []Kind{ErrTruncated}},
		"loc without end":    {"<urlset><url><loc>" + site + "/a<lastmod>2020-02-03</lastmod></url><url><loc>" + site + "/b</url></urlset>", "/a 2020-02-03\n/b", []Kind{ErrMalformed}},
		"url without end":    {"<urlset><url><loc>" + site + "/a</loc><url><loc>" + site + "/b</loc></url></urlset>", "/a\n/b", nil},
		"no urlset":          {"<url><loc>" + site + "/a</loc></url>", "/a", []Kind{ErrMalformed}},
		"a bad one":          {"<urlset><url><loc>http://[::1/</loc></url><url><loc>ftp://a/</loc></url><url><loc>" + site + "/a</loc></url></urlset>", "/a", []Kind{ErrOtherHost, ErrMalformed}},
		"entities":           {`<!DOCTYPE urlset [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>` + "<urlset><url><loc>" + site + "/a</loc></url><url><loc>&b;</loc></url></urlset>", "/a", []Kind{ErrEntities, ErrMalformed}},
		"text":               {"\ufeff" + site + "/a\r\n\r\n" + site + "/b\r", "/a\n/b", nil},
		"text, bad lines":    {site + "/a\n# no\n" + site + "/b", "/a\n/b", []Kind{ErrMalformed}},
		"text, none":         {"hello\nworld", "", []Kind{ErrNotSitemap}},
		"HTML":               {"<!DOCTYPE html><html><body><a href=" + site + "/a>", "", []Kind{ErrNotSitemap}},
		"XML":                {"<note><url>" + site + "/a</url></note>", "", []Kind{ErrNotSitemap}},
		"empty":              {"", "", []Kind{ErrNotSitemap}},
		"RSS":                {"<rss><channel><link>/no</link><title>no</title><item><title>One &amp; two</title><link>/a</link><pubDate>Mon, 03 Feb 2020 10:00:00 GMT</pubDate><description><![CDATA[<link>/no</link>]]></description></item></channel></rss>", "/a 2020-02-03 (One & two)", nil},
		"RSS, guid":          {"<rss><channel><item><guid>http://other.example/a</guid></item><item><guid isPermaLink=false>7</guid></item></channel></rss>", "http://other.example/a", nil},
		"Atom":               {`<feed><link rel=next href="/2.atom"/><link rel=self href=/no /><entry><link rel=edit href=/no /><link href="a"/><content><a><link href=/no /></a></content><published>2020-02-02</published><updated>2020-02-03</updated><source><link href=/no /></source></entry></feed>`, "/2.atom sitemap\n/a 2020-02-03", nil},
		"JSON feed":          {`{"version":"https://jsonfeed.org/version/1.1","x":[{}],"items":[{"id":"1","url":"/a","title":"A","date_modified":"2020-02-03T00:00:00Z"},{"url":7},{"id":"` + site + `/b"}],"next_url":"/2"}`, "/a 2020-02-03 (A)\n/b\n/2 sitemap", []Kind{ErrMalformed}},
		"JSON feed, cut":     {`{"version":"https://jsonfeed.org/version/1","items":[{"url":"/a"},{"url":`, "/a", []Kind{ErrTruncated}},
		"JSON feed, invalid": {`{"version":"https://jsonfeed.org/version/1","items":[{"url":"/a"},}`, "/a", []Kind{ErrMalformed}},
		"JSON":               {`{"items":[]}`, "", []Kind{ErrNotSitemap}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, err := Collect(Read(iotest.OneByteReader(strings.NewReader(tt.body)), at))
			if got := show(all); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
			for _, k := range tt.kinds {
				if !errors.Is(err, k) {
					t.Errorf("error %v is not %q", err, k)
				}
			}
			if n := len(kindsOf(err)); n != len(tt.kinds) {
				t.Errorf("error %v, want %q", err, tt.kinds)
			}
		})
	}
}

// kindsOf lists the errors that were joined.
func kindsOf(err error) []error {
	if err == nil {
		return nil
	}
	var all []error
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		if joined, ok := e.(interface{ Unwrap() []error }); ok {
			if _, single := e.(*Error); !single {
				all = append(all, joined.Unwrap()...)
				continue
			}
		}
		all = append(all, e)
	}
	return all
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	read := func(name string) []Entry {
		f, err := os.Open("testdata/crawler-commons/sitemaps/extension/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		all, err := Collect((&Reader{Hosts: []string{"*"}}).Read(f, at))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return all
	}
	links := read("sitemap-links.xml")
	if len(links) != 3 || len(links[0].Alternates) != 3 || links[0].Alternates[1] != (Alternate{"de-ch", "http://www.example.com/schweiz-deutsch/"}) {
		t.Errorf("links: %+v", links)
	}
	videos := read("sitemap-videos.xml")
	if len(videos) != 3 || len(videos[0].Videos) != 1 || videos[0].Videos[0] != (Video{
		Title: "Grilling steaks for summer", Content: "http://www.example.com/video123.flv",
		Player: "http://www.example.com/videoplayer.swf?video=123", Thumbnail: "http://www.example.com/thumbs/123.jpg"}) {
		t.Errorf("videos: %+v", videos)
	}
	articles := read("sitemap-news.xml")
	if len(articles) != 2 || articles[0].News == nil || articles[0].News.Title != "Companies A, B in Merger Talks" ||
		articles[0].News.Publication != "The Example Times" || articles[0].News.Lang != "en" || articles[0].News.Published.Year() != 2008 {
		t.Errorf("news: %+v", articles)
	}
	images := read("sitemap-images.xml")
	if len(images) == 0 || len(images[0].Images) != 2 || images[0].URL == images[0].Images[0] {
		t.Errorf("images: %+v", images)
	}
	for name, want := range map[string]int{"pagemaps-sitemap.xml": 2, "sitemap-mobile.xml": 3, "shinpaideshou-news-sitemap.xml": 3, "sitemap-videos-tvshow.xml": 1, "hebdenbridgetimes-articles-sitemap.xml": 74} {
		if n := len(read(name)); n != want {
			t.Errorf("%s: %d entries, want %d", name, n, want)
		}
	}
}

// TestOddDates has dates of feeds with one odd part, which cost the whole date.
func TestOddDates(t *testing.T) {
	t.Parallel()
	for date, want := range map[string]string{
		"Mon, 26 Jan 2004 16:31:00 +02:00": "14:31", "Mon, 26 Jan 2004 16:31:00 GMT+0200": "14:31", "Mon, 26 Jan 2004 16:31:00 JST": "07:31", "Mon, 26 Jan 2004 16:31:00 MET": "15:31",
		"Mon, 26 Jan 2004 4:31 PM +0000": "16:31", "Lun, 26 Jan 2004 16:31:00 +0100": "15:31", "Mon, 26 Jan 2004 16:31:00GMT": "16:31", "Sun, 25 Jan 2004 24:00:00 GMT": "00:00",
		"1075134660": "16:31", "26. Januar 2004, 16.31 Uhr": "16:31", "4:31 p.m. Jan. 26, 2004": "16:31",
	} {
		all, err := Collect(Read(strings.NewReader("<rss version='2.0'><channel><item><link>http://e.org/1</link><pubDate>"+date+"</pubDate></item></channel></rss>"), "http://e.org/feed"))
		if err != nil || len(all) != 1 || all[0].Modified.Format("2006-01-02 15:04") != "2004-01-26 "+want {
			t.Errorf("%q: %v, %v, want %s", date, all, err, want)
		}
	}
}
