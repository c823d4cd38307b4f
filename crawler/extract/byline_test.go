package extract

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

var filler = "<p>" + strings.Repeat("This is a long paragraph of an article that says something about the world, with commas, and words. ", 8) + "</p>"

func readPage(t *testing.T, head, body string) *Article {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader("<html><head>" + head + "</head><body>" + body + "</body></html>"))
	if err != nil {
		t.Fatal(err)
	}
	return ReadArticle(doc, "http://www.example.org/x")
}

func TestAuthors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ head, body, authors string }{
		"two meta":           {`<meta name="author" content="Jenny Smith"><meta name="author" content="John Smith">`, "", "Jenny Smith|John Smith"},
		"two article:author": {`<meta property="article:author" content="Jenny Smith"><meta property="article:author" content="John Smith">`, "", "Jenny Smith|John Smith"},
		"citation_author":    {`<meta name="citation_author" content="Jenny Smith"><meta name="citation_author" content="John Smith">`, "", "Jenny Smith|John Smith"},
		"og:author":          {`<meta property="og:author" content="Jenny Smith">`, "", "Jenny Smith"},
		"an address":         {`<meta property="article:author" content="https://www.facebook.com/jenny"><meta name="parsely-author" content="Jenny Smith">`, "", "Jenny Smith"},
		"two rel":            {"", `<a rel=author href=/a>Jenny Smith</a>, <a rel=author href=/b>John Doe</a>`, "Jenny Smith|John Doe"},
		"list":               {"", `<p class="byline">By Jenny Smith, John Doe and Jim Roe</p>`, "Jenny Smith|John Doe|Jim Roe"},
		"agency":             {"", `<p class="byline">By Jenny Smith, Reuters</p>`, "Jenny Smith, Reuters"},
		"glued":              {"", `<div class="byline-content"><div class="byline"><a>Jenny Smith</a></div><time>July 12, 2021 08:05</time></div>`, "Jenny Smith"},
		"by:":                {"", `<p class="author">By: Jenny Smith</p>`, "Jenny Smith"},
		"photo":              {"", `<figure><img src=a.jpg><div class="author">Photo Person</div></figure>`, ""},
		"quote":              {"", `<div class="quote"><p>My quote here</p><p class="quote-author"><span>—</span> Other Person</p></div>`, ""},
	} {
		if got := strings.Join(readPage(t, "<title>T</title>"+c.head, "<article><h1>T</h1>"+c.body+filler+"</article>").Authors, "|"); got != c.authors {
			t.Errorf("%s: %q, want %q", name, got, c.authors)
		}
	}
}

func TestArticleFacts(t *testing.T) {
	t.Parallel()
	if a := readPage(t, "", "<article><h1>The real title</h1>"+filler+"</article>"); a.Title != "The real title" {
		t.Errorf("title %q", a.Title)
	}
	for _, m := range []string{`<meta property="og:image:url" content="/a.jpg">`, `<meta property="og:image:secure_url" content="/a.jpg">`, `<meta name="twitter:image:src" content="/a.jpg">`} {
		if a := readPage(t, "<title>T</title>"+m, "<article>"+filler+"</article>"); a.Image != "http://www.example.org/a.jpg" {
			t.Errorf("%s: image %q", m, a.Image)
		}
	}
	foot := `<footer class="entry-footer"><span class="posted-on"><time class="entry-date published" datetime="2015-03-04T10:00:00+00:00">4 March 2015</time><time class="updated" datetime="2016-01-01T10:00:00+00:00">1 Jan 2016</time></span><span class="byline"><span class="author vcard"><a class="url fn n" href="/a">Jenny Smith</a></span></span></footer>`
	if a := readPage(t, "<title>T</title>", "<article><header><h1>T</h1></header>"+filler+foot+"</article>"); a.Published.Year() != 2015 || a.Modified.Year() != 2016 || strings.Join(a.Authors, "|") != "Jenny Smith" {
		t.Errorf("the article's footer: published %v, modified %v, authors %v", a.Published, a.Modified, a.Authors)
	}
	if a := readPage(t, "<title>T</title>", "<footer><header><time>2015-03-04</time></header></footer><article>"+filler+"</article>"); !a.Published.IsZero() {
		t.Errorf("the page's footer: %v", a.Published)
	}
	for name, body := range map[string]string{
		"updated first":  `<header><h1>T</h1><time class="updated" datetime="2016-01-01T10:00:00Z">1 Jan 2016</time><time class="entry-date published" datetime="2015-03-04T10:00:00Z">4 March 2015</time></header>`,
		"by class":       `<span class="publish-date">4 March 2015</span><span class="last-updated">1 Jan 2016</span>`,
		"abbr and class": `<abbr class="published" title="2015-03-04T10:00:00Z">long ago</abbr><abbr class="updated" title="2016-01-01">since</abbr>`,
	} {
		if a := readPage(t, "<title>T</title>", "<article>"+body+filler+"</article>"); a.Published.Year() != 2015 || a.Modified.Year() != 2016 {
			t.Errorf("%s: %v, %v", name, a.Published, a.Modified)
		}
	}
	for _, m := range []string{`<meta name="DC.Issued" content="2021-07-13">`, `<meta property="article:published" content="2021-07-13">`, `<meta name="prism.publicationDate" content="2021-07-13">`, `<meta name="citation_online_date" content="2021/07/13">`, `<meta http-equiv="date" content="2021-07-13">`, `<meta property="dc:created" content="2021-07-13">`, `<meta name="originalpublicationdate" content="2021/07/13 07:55:50">`} {
		if a := readPage(t, "<title>T</title>"+m, "<article>"+filler+"</article>"); a.Published.Format("2006-01-02") != "2021-07-13" {
			t.Errorf("%s: %v", m, a.Published)
		}
	}
	for _, b := range []string{"<!-- c -->\n{\"@type\":\"Person\",\"name\":\"J\"}", "{\"@type\":\"Person\",\n<!-- c -->\"name\":\"J\"}", "<!--\n{\"@type\":\"Person\",\"name\":\"J\"}\n-->", "<!-- a --><!-- b -->{\"@type\":\"Person\",\"name\":\"J\"}<!-- c -->"} {
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(`<html><script type="application/ld+json">` + b + `</script>`))
		if err != nil {
			t.Fatal(err)
		}
		if items := Items(doc, "http://e.org/"); len(items) != 1 || items[0].Text("name") != "J" {
			t.Errorf("%q: %v", b, items)
		}
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(`<div itemscope itemtype="http://schema.org/Thing"><a itemprop="url" href="/a#part">x</a></div>`))
	if err != nil {
		t.Fatal(err)
	}
	if items := Items(doc, "http://e.org/"); len(items) != 1 || items[0].Text("url") != "http://e.org/a#part" {
		t.Errorf("%v", items)
	}
}
