package html

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/webquarry/quarry/crawler/internal/charset"
	"github.com/webquarry/quarry/crawler/urlnorm"
)

// read reads a page as text/html.
func read(t *testing.T, src *Source, o Options) *Page {
	t.Helper()
	page, _, err := Read(t.Context(), src, "text/html", Hypertext, &o)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// source is a page in UTF-8 at http://www.example.com/dir/page.
func source(body string) *Source {
	return &Source{URL: "http://www.example.com/dir/page", Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(body), Fetched: time.Unix(1e9, 0)}
}

// streamed are pages of which it is known whether their tags tell what their tree
// does.
var streamed = []struct {
	name, body string
	astray     bool
}{
	{"nothing", "", false},
	{"text alone", "a <!-- b --> c", false},
	{"all tags there", "<!DOCTYPE html><html lang=de><head><title>a&amp;b</title><meta name=description content=c></head><body><p>d</p></body></html>", false},
	{"tags left out", "<title>a</title><link rel=canonical href=/x><h1>b<h2>c</h2><p>d<ul><li>e<li>f<p>g</ul>h</p>i", false},
	{"head behind the head", "<head></head><meta name=robots content=noindex><title>a</title><body>b", false},
	{"noscript behind the head", "<head></head><noscript><a href=x>a</a></noscript>b", false},
	{"text in the head", "<head><title>a</title> b <meta name=robots content=nofollow><a href=x>c</a>", false},
	{"behind the body", "<body>a</body>b</html><p>c<a href=d>e</a>", false},
	{"another html", "<html><body>a<html lang=fr>b", true},
	{"another body", "<body>a<body lang=fr>b", true},
	{"frames", "<frameset><frame src=a></frameset>", true},
	{"definitions", "<dl><dt>a<dd>b<div><dd>c</div><dt>d</dl>", false},
	{"hidden until it ends", "<p hidden>a<div>b</div><li hidden>c<div><li>d", false},
	{"end tags of nothing", "a</b></div></td></script></p>b</li></h1></form></table></foo>", false},
	{"a heading that ends another", "<h1>a</h2>b<h3>c<h4>d", false},
	{"formatting", "<p><b>a <i>b</i></b> <a href=x>c <code>d</code></a>", false},
	{"formatting that goes on", "<p><b>a</p>b<p>c</b>", true},
	{"formatting that crosses", "<b>a<i>b</b>c</i>", true},
	{"a link that goes on", "<p><a href=x>a</p>b", true},
	{"a link in a link", "<a href=x>a<a href=y>b</a>", true},
	{"links in cells", "<table><tr><td><a href=x>a<td><a href=y>b<tr><th><b>c</table>d", false},
	{"a table in full", "<table><caption>a</caption><colgroup><col></colgroup><thead><tr><th>b</thead><tbody><tr><td>c</tr></tbody><tfoot><tr><td>d</tfoot></table>e", false},
	{"parts of a table out of place", "<tr><td>a</td></tr><div><table><td>b<tbody><td>c</td><col></table>", true},
	{"a table in a table", "<table><tr><td>a<table><tr><td>b</table>c</td><td>d</table>", false},
	{"end tags in a table", "<table></tr></td><tr></div></foo></table>a<table><tr><td></th></thead></caption>b</table>", false},
	{"text in a table", "<table>a<tr><td>b</table>", true},
	{"a form in a table", "<table><form><tr><td>a</form><td>b</table>", true},
	{"a table in a paragraph", "<p>a<table><tr><td>b</table>", true},
	{"forms", "<form>a<form>b</form>c<form><p>d</form>e", false},
	{"a form that is cut", "<form><div>a</form>b</div>", true},
	{"choices", "<select><optgroup label=a><option>b<option>c<optgroup><option>d</select>e<button>f</button>", false},
	{"a choice in a choice", "<select><option>a<select>b</select>", true},
	{"an input in a choice", "<select><input>a</select>", true},
	{"lines", "<pre>\n a\n  b</pre><textarea>\n\nc\n d</textarea><div>e<pre><b>\n\n f</pre>", true},
	{"text elements", "<script>a<b</script><style>c</style><noscript><a href=x>d</a></noscript><iframe src=y>e</iframe><noembed>f</noembed>g<title>h", false},
	{"a drawing", "<svg viewBox=0><title>a</title><desc>b</desc><style>c</style><a xlink:href=x><text>d</text></a><path/><image href=y /></svg>e", false},
	{"a drawing that is cut", "<svg><g><desc><g>a", true},
	{"a drawing with HTML", "<svg><foreignObject><p>a</p></foreignObject></svg>b", true},
	{"a drawing that HTML ends", "<svg><g>a<p>b</svg>c", true},
	{"a formula", "<math><mi>x</mi><mo>=</mo><mfrac><mn>1</mn></mfrac></math>", false},
	{"an object", "<object data=a><p>b</object>c<object><b>d</object>e", false},
	{"elements of their own", "<x-a hidden>a<x-b>b</x-b>c</x-a>d<x-a hidden>e<div>f</x-a>g</div></x-a>h", false},
	{"templates", "<template>a<template><p></template><table><td>b</table></template>c<table><template><td></template><tr><td>d</table><template>e", false},
	{"a template that is shown", "<div><template shadowrootmode=open>a</template>b</div>", true},
	{"zeros", "a\x00b<p\x00>c<a hr\x00ef=x>d", false},
	{"zeros before lines", "a<pre>\x00\n b</pre><listing>\x00<i></i>\n\n c</listing>", false},
	{"zeros in a table", "<table>\x00<tr>\x00<td>a</table>", false},
	{"many attributes", "<a style=x hidden=until-found href=b href=a rel=nofollow>c</a><font style='display:none' hidden=until-found>d</font>", false},
	{"deep", strings.Repeat("<div>", 600) + "a", true},
	{"cut within a tag", "<p>a<a href=x", false},
	{"cut within a title", "<title>a", false},
}

func TestTagsTellWhatTheTreeDoes(t *testing.T) {
	t.Parallel()
	plain := Options{Canon: new(urlnorm.Profile), MaxLinks: 50_000}
	most := Options{Canon: new(urlnorm.Profile), Context: 2, Media: true, DataLinks: true, Feeds: true, MaxLinks: 2}
	for _, o := range []Options{plain, most} {
		for _, tt := range streamed {
			src := source(tt.body)
			got := read(t, src, o)
			o.Tree = true
			if diff := cmp.Diff(read(t, src, o), got); diff != "" {
				t.Errorf("%s: -by its tree +by its tags\n%s", tt.name, diff)
			}
			o.Tree = false
			if astray := !newReader(src, charset.Text{}, &o).stream(t.Context(), src.Body); astray != tt.astray {
				t.Errorf("%s: astray %v", tt.name, astray)
			}
		}
	}
}

// TestTagsOfAnySoup does so for tags in any order.
func TestTagsOfAnySoup(t *testing.T) {
	t.Parallel()
	words := strings.Fields(`html head body title base meta link script style noscript noframes iframe template frameset
		p div ul ol li dl dt dd h1 h2 pre address center span label ins b i a font nobr x-y svg math g desc mi form
		table caption colgroup col thead tbody tfoot tr td th select optgroup option button input textarea hr br img
		object ruby rt dialog details xmp`)
	attrs := []string{"", "", "", " hidden", " href=u", " href=v title=w", " style=display:none", " style=display:block", " style=visibility:hidden", " style=visibility:visible", " style=float:left;white-space:pre", " color=red", " rel=nofollow href=w"}
	rnd := rand.New(rand.NewPCG(1, 2))
	soups, streamed := 3000, 0
	for range soups {
		some := words[rnd.IntN(len(words)):]
		if rnd.IntN(3) > 0 {
			some = some[:min(len(some), 12)]
		}
		var soup strings.Builder
		for n := range 3 + rnd.IntN(24) {
			switch name := some[rnd.IntN(len(some))]; rnd.IntN(5) {
			case 0, 1:
				fmt.Fprintf(&soup, "<%s%s>", name, attrs[rnd.IntN(len(attrs))])
			case 2, 3:
				fmt.Fprintf(&soup, "</%s>", name)
			default:
				soup.WriteString([]string{fmt.Sprint("w", n), " ", "\n x\n y", "<!-- c -->", "<br/>"}[rnd.IntN(5)])
			}
		}
		src, o := source(soup.String()), Options{Canon: new(urlnorm.Profile), MaxLinks: 50_000, Context: 1}
		got := newReader(src, charset.Decode(src.Body, "text/html", ""), &o)
		if !got.stream(t.Context(), src.Body) {
			continue
		}
		got.finish()
		streamed++
		o.Tree = true
		if diff := cmp.Diff(read(t, src, o), got.page); diff != "" {
			t.Fatalf("%s\n-by its tree +by its tags\n%s", soup.String(), diff)
		}
	}
	if streamed < soups/4 {
		t.Errorf("only %d of %d were read by their tags", streamed, soups)
	}
}
