package extract

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestDates: what a page says, where, and what counts.
func TestDates(t *testing.T) {
	t.Parallel()
	day := func(s string) string { return s + " 00:00" }
	for name, tt := range map[string]struct{ page, url, published, modified string }{
		"json-ld":        {ld(`{"@type":"NewsArticle","datePublished":"2024-03-05T10:00Z","dateModified":"2024-03-06"}`) + `<meta property="article:published_time" content="2020-01-01">`, "", "2024-03-05 10:00", day("2024-03-06")},
		"article first":  {ld(`[{"@type":"WebPage","datePublished":"2001-01-01"},{"@type":"BlogPosting","datePublished":"2024-03-05"}]`), "", day("2024-03-05"), ""},
		"meta":           {`<meta property="article:published_time" content="2024-03-05"><meta name="Last-Modified" content="6 March 2024">`, "", day("2024-03-05"), day("2024-03-06")},
		"microdata":      {`<div itemscope itemtype="https://schema.org/Article"><time itemprop=datePublished datetime=2024-03-05>long ago</time></div>`, "", day("2024-03-05"), ""},
		"itemprop alone": {`<time itemprop=datePublished>March 5, 2024</time>`, "", day("2024-03-05"), ""},
		"pubdate":        {`<time datetime=2020-01-01>x</time><time pubdate datetime=2024-03-05>x</time>`, "", day("2024-03-05"), ""},
		"text":           {`<p>Published: <b>5 March 2024</b></p><p>Last updated on March 6, 2024</p>`, "", day("2024-03-05"), day("2024-03-06")},
		"german":         {`<p>Veröffentlicht am 5. März 2024</p><p>Stand: 06.03.2024</p>`, "", day("2024-03-05"), day("2024-03-06")},
		"time element":   {`<aside><time datetime=2020-01-01></time></aside><article><time datetime=2024-03-05></time></article>`, "", day("2024-03-05"), ""},
		"url":            {`<p>x</p>`, "https://a.test/2024/3/05/title.html", day("2024-03-05"), ""},
		"url, compact":   {`<p>x</p>`, "https://a.test/news-20240305-title", day("2024-03-05"), ""},
		"none":           {`<p>Since 1 January 2020 we publish daily.</p><footer>Copyright 2020</footer>`, "https://a.test/2024/99/05/", "", ""},
		"unreadable":     {`<meta name=date content="05/06/2024"><p>x</p>`, "", "", ""},
	} {
		a := ReadArticle(parse(t, tt.page), tt.url)
		if got := stamp(a.Published); got != tt.published {
			t.Errorf("%s: published %s, want %s", name, got, tt.published)
		}
		if got := stamp(a.Modified); got != tt.modified {
			t.Errorf("%s: modified %s, want %s", name, got, tt.modified)
		}
	}
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02 15:04")
}

func TestArticle(t *testing.T) {
	t.Parallel()
	const text = "<p>Bees, they say, dance to tell each other where the flowers are, and how far it is to fly there, and back again.</p>"
	page := `<html lang="en-GB"><head><title>Bees | The Times</title><meta property="og:site_name" content="The Times"><meta property="og:title" content="Bees">
		<meta property="og:image" content="/bee.png"><meta property="article:section" content="Nature"><meta name=author content="By  Ann Lee"><meta name=description content="On bees."></head>
		<body><nav><ul>` + strings.Repeat("<li><a href=/x>Some menu entry of many</a></li>", 30) + `</ul></nav><article><h1>Bees</h1>` + strings.Repeat(text, 12) + `</article>
		<footer>Copyright, imprint, and a few words more</footer></body></html>`
	a := ReadArticle(parse(t, page), "https://a.test/bees")
	got := fmt.Sprintf("%s|%s|%s|%s|%s|%s|%s|%v", a.Title, a.Authors, a.Lang, a.Section, a.Site, a.Summary, a.Image, a.Densest)
	if want := "Bees|[Ann Lee]|en-GB|Nature|The Times|On bees.|https://a.test/bee.png|false"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !strings.Contains(a.Text, "Bees, they say") || strings.Contains(a.Text, "menu entry") || strings.Contains(a.Text, "imprint") {
		t.Errorf("text %q", a.Text)
	}
}

// TestDensest: pages that readability makes nothing of, or is not given.
func TestDensest(t *testing.T) {
	t.Parallel()
	menu := "<table><tr><td>" + strings.Repeat("<a href=/x>Some menu entry</a><br>", 300) + "</td><td>"
	rest := strings.Repeat("word after word comes and goes <br>", 60) + "</td></tr></table>"
	large := strings.Repeat("<div><a href=x>link</a><b></b><i></i></div>", 11_000) + "<p>" + strings.Repeat("one sentence of the story. ", 50)
	for name, page := range map[string]string{"large": large, "table": menu + rest} {
		began := time.Now()
		a := ReadArticle(parse(t, page), "https://a.test/")
		if words(a.Text) < 250 || strings.Contains(a.Text, "menu entry") || strings.Contains(a.Text, "link") {
			t.Errorf("%s: %d words of text %.200q", name, words(a.Text), a.Text)
		}
		t.Logf("%s: densest %v, %v", name, a.Densest, time.Since(began))
	}
	if a := ReadArticle(parse(t, ""), ""); a.Text != "" {
		t.Errorf("text of nothing: %q", a.Text)
	}
}

func FuzzReadArticle(f *testing.F) {
	f.Add("<article><p>One, two.</p><time datetime=2020-01-01>x</time>")
	f.Add(`<meta name=date content="5 May 2020"><p>Published 1/2/2020<table><td><a><font>`)
	f.Add(strings.Repeat("\b", 9)) // no page
	f.Fuzz(func(t *testing.T, page string) {
		a := ReadArticle(parseAny(t, page+"."), "http://a.test/2020/01/02/")
		if !a.Modified.IsZero() && (a.Modified.Year() < 1969 || a.Modified.Year() > 2101) {
			t.Errorf("modified %v", a.Modified)
		}
	})
}

func BenchmarkReadArticle(b *testing.B) {
	text := strings.Repeat("<p>Bees, they say, dance to tell each other where the <a href=x>flowers</a> are, and how far.</p>", 100)
	page := "<title>x</title><nav>" + strings.Repeat("<li><a href=/x>Some menu entry</a></li>", 100) + "</nav><article><h1>Bees</h1>" + text + "</article>"
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			parse(b, page)
		}
	})
	doc := parse(b, page)
	b.Run("article", func(b *testing.B) {
		for b.Loop() {
			ReadArticle(doc, "https://a.test/")
		}
	})
	b.Run("items", func(b *testing.B) {
		for b.Loop() {
			Items(doc, "https://a.test/")
		}
	})
	x := extractor(b, "fields: {t: h1, all: {css: p, list: true}, n: {xpath: 'count(//li)', type: int}}")
	b.Run("records", func(b *testing.B) {
		for b.Loop() {
			if _, err := x.Records(doc, "https://a.test/"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
