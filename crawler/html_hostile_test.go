package crawler

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHTMLDeep holds pages that the HTML parser refuses to what is left: title,
// text, links.
func TestHTMLDeep(t *testing.T) {
	t.Parallel()
	body := "<!DOCTYPE html><html lang=en><title>Nested</title><base href=/b/><meta name=robots content=noindex>" +
		strings.Repeat("<div><b>", 300_000) +
		`<h2>deep</h2><p>one<p>two <a href=a>a <img alt=x></a><ul><li>i<li>j</ul><div hidden>no <div>no</div> no</div>` +
		`<script>no</script><noscript><a href=n>plain</a></noscript><pre> x</pre>`
	page := parseHTML(t, &HTML{}, "text/html", body)
	if page.Title != "Nested" || page.Lang != "en" || !page.NoIndex || !slices.Equal(page.Headings, []string{"deep"}) {
		t.Errorf("title %q, language %q, noindex %v, headings %q", page.Title, page.Lang, page.NoIndex, page.Headings)
	}
	if want := "deep\none\ntwo a\ni\nj\n x"; page.Text != want {
		t.Errorf("text %q, want %q", page.Text, want)
	}
	if want := "http://www.example.com/b/a|a|\nhttp://www.example.com/b/n|plain|"; show(page.Links) != want {
		t.Errorf("links:\n%s\nwant:\n%s", show(page.Links), want)
	}
	if len(page.Flaws) != 1 || !strings.Contains(page.Flaws[0], "512") {
		t.Errorf("flaws %q", page.Flaws)
	}
}

func TestHTMLFlatTree(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<i>", 600)
	for body, want := range map[string]string{
		"<table><tr><td>a<td>b<tr><td>c</table>":       "a\tb\nc",
		"<dl><dt>a<dd>b</dl><select><option>x<option>": "a\nb\nx",
		"<a href=x>one<a href=y>two</a> three":         "onetwo three",
		"</p></unknown></b><custom>x</custom>y":        "xy",
		"<br/>a<br>b<img>c<input/>d":                   "a\nb c d",
		"a<!-- b -->c<!DOCTYPE html><?php x ?>":        "ac",
		"<svg><path/></svg>x":                          "x",
	} {
		page := parseHTML(t, &HTML{}, "text/html", body+"<p>"+deep)
		if page.Text != want || len(page.Flaws) == 0 {
			t.Errorf("%s: text %q, want %q; flaws %q", body, page.Text, want, page.Flaws)
		}
	}
}

// TestHTMLHostile reads pages made to cost time or memory. Each would take
// minutes if any step were quadratic.
func TestHTMLHostile(t *testing.T) {
	t.Parallel()
	const size = 512 << 10
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	var attributes, links strings.Builder
	for i := range size / 64 {
		fmt.Fprintf(&attributes, " a%d", i)
		fmt.Fprintf(&links, "<a href=/n/%d>%d</a>\n", i, i)
	}
	for name, body := range map[string]string{
		"nested":               fill("<div><b>"),
		"links":                links.String(),
		"attributes":           "<a href=x" + attributes.String() + ">x</a>",
		"one attribute":        `<a title="` + fill("a"),
		"less-than":            fill("<"),
		"paragraphs":           fill("<p>"),
		"noscript":             fill("<noscript>"),
		"templates":            fill("<template>"),
		"misnested":            fill("<b><p></b>"),
		"misnested links":      fill("<a><table><tr><td>"),
		"foster parents":       "<table>" + fill("<a>x"),
		"foreign":              fill("<svg><a href=x><foreignObject>"),
		"comments":             fill("<!--"),
		"characters":           fill("&amp"),
		"headings":             strings.Repeat("<h1>a<div>", 200) + fill("word "),
		"hidden":               fill("<div hidden><a href=x>"),
		"bodies":               fill("<body a=b>"),
		"lines":                "<pre>" + fill("\n"),
		"bytes of no encoding": fill("\xe9\xe8 "),
		"scripts":              fill("<script><!--<script>"),
		"rel":                  fill("<a href=x rel='" + strings.Repeat("a ", 400) + "'>"),
		"images in a link":     "<a href=x>" + fill("<img>"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := parseHTML(t, &HTML{}, "text/html", body)
			if len(page.Links) > 50_000 {
				t.Errorf("%d links", len(page.Links))
			}
			if !utf8.ValidString(page.Text) {
				t.Error("text is not valid UTF-8")
			}
		})
	}
}

func TestHTMLTagCap(t *testing.T) {
	t.Parallel()
	page := parseHTML(t, &HTML{}, "text/html", "<title>T</title>"+strings.Repeat("<p>", 1_000_000)+strings.Repeat("x", 64<<10)+"end")
	if page.Title != "T" || !slices.Contains(page.Flaws, "html: more tags than are read") || strings.HasSuffix(page.Text, "end") {
		t.Errorf("title %q, %d bytes of text, flaws %q", page.Title, len(page.Text), page.Flaws)
	}
}
