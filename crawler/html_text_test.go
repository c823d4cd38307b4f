package crawler

import (
	"slices"
	"testing"
)

func TestHTMLText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ body, want string }{
		"white space":       {"<p>  one\n\ttwo   three </p>", "one two three"},
		"nbsp and friends":  {"a&nbsp;b&emsp;c\u3000d\u0085e", "a b c d e"},
		"soft hyphen":       {"Donau&shy;dampf\uFEFFschiff", "Donaudampfschiff"},
		"zeros, controls":   {"te\x00xt a\x01b", "text a b"},
		"blocks":            {"<div>a<p>b<p>c</div>d<h2>e</h2>f", "a\nb\nc\nd\ne\nf"},
		"inline":            {"<b>bo</b>ld <i>and</i><span>slanted</span>", "bold andslanted"},
		"br, hr":            {"a<br>b<br><br>c<hr>d", "a\nb\nc\nd"},
		"list":              {"<ul><li>one<li>two<ul><li>three</ul></ul>", "one\ntwo\nthree"},
		"terms":             {"<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\nb\nc\nd"},
		"table":             {"<table><caption>t</caption><tr><th>a<th>b<tr><td>c</td> <td><td>d</table>", "t\na\tb\nc\td"},
		"table with blocks": {"<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>", "a\nb\nc"},
		"pre":               {"x<pre>\nfunc f() {\n\treturn  1\n}\n\n</pre>y", "x\nfunc f() {\n\treturn  1\n}\n\ny"},
		"pre, spans":        {"<pre><b>a</b>\n  <i>b</i></pre>", "a\n  b"},
		"pre, nbsp":         {"<pre>a&nbsp;&nbsp;b</pre>", "a  b"},
		"textarea":          {"<textarea>\na\n b</textarea>", "a\n b"},
		"buttons, images":   {"<button>A</button><button>B</button>c<img alt=x>d", "A B c d"},
		"options":           {"<select><option>a<option>b</select>", "a\nb"},
		"script, style":     {"a<script>var x = '<p>';</script><style>p{}</style>b", "ab"},
		"template":          {"a<template><p>b</template>c", "ac"},
		"shadow root":       {"<div><template shadowrootmode=open><p>b</template></div>", "b"},
		"noscript":          {"a<noscript>Please <b>enable</b></noscript>", "a"},
		"hidden":            {"a<p hidden>b</p><p hidden=until-found>c</p>", "a\nc"},
		"hidden, nested":    {"<div hidden>a<div>b</div>c</div>d", "d"},
		"display none":      {`<p style="color:red; DISPLAY : none !important">a</p>b<p style="display:block">c`, "b\nc"},
		"visibility":        {`<p style="visibility:hidden">a</p>b`, "b"},
		"hidden body":       {`<body style="display:none" hidden>a`, "a"},
		"aria-hidden":       {`<span aria-hidden=true>a</span>`, "a"},
		"dialog":            {"<dialog>a</dialog><dialog open>b</dialog>c", "b\nc"},
		"media":             {"<video>no video</video><canvas>no canvas</canvas><object>plain</object>", "plain"},
		"iframe":            {"a<iframe>no frames</iframe>b", "a b"},
		"ruby":              {"<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</ruby>", "漢字"},
		"svg":               {"<svg><title>t</title><desc>d</desc><text>shown</text></svg>", "shown"},
		"math":              {"<math><mi>x</mi><annotation encoding=tex>\\x</annotation></math>", "x"},
		"permalink":         {`<h2>Usage<a href="#usage">¶</a></h2>next`, "Usage\nnext"},
		"comment":           {"a<!-- b --->c", "ac"},
		"title in the body": {"a<title>t</title>b", "ab"},
		"frameset":          {"<frameset><frame src=a><noframes>no <a href=b>b</a></noframes></frameset>", ""},
		"entities":          {"&lt;p&gt; &#0;&#xD800;&eacute;", "<p> \uFFFD\uFFFDé"},
		"nothing":           {"", ""},
		"blank":             {" \n\n", ""},
		"no tags":           {"just text", "just text"},
		"tag soup":          {"<p><b><i>soup</b></i><table><tr><td>x</a></table><!-- <p>", "soup\nx"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := parseHTML(t, &HTML{}, "text/html; charset=utf-8", tt.body).Text; got != tt.want {
				t.Errorf("%s\n got %q\nwant %q", tt.body, got, tt.want)
			}
		})
	}
}

func TestHTMLNoScript(t *testing.T) {
	t.Parallel()
	const body = "<head><noscript><link rel=canonical href=/plain></noscript><body>a<noscript> b <a href=c>d</a></noscript>"
	page := parseHTML(t, &HTML{NoScript: true}, "text/html", body)
	if page.Text != "a b d" || len(page.Links) != 1 || page.Canonical != "http://www.example.com/plain" {
		t.Errorf("without script: text %q, links %v, canonical %q", page.Text, page.Links, page.Canonical)
	}
	page = parseHTML(t, &HTML{}, "text/html", body)
	if page.Text != "a" || len(page.Links) != 1 || page.Links[0].Text != "d" || page.Canonical != "" {
		t.Errorf("with script: text %q, links %v, canonical %q", page.Text, page.Links, page.Canonical)
	}
}

func TestHTMLTitleAndHeadings(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body, title string
		headings    []string
	}{
		"plain":       {"<title> A \n title </title><h1>One</h1><h6>Six</h6>", "A title", []string{"One", "Six"}},
		"first":       {"<title>a</title><title>b</title>", "a", nil},
		"not of svg":  {"<body><svg><title>icon</title></svg><title>page</title>", "page", nil},
		"og":          {`<meta property="og:title" content="shared">`, "shared", nil},
		"heading":     {"<title> </title><h2>A <b>bold</b><br>one</h2>", "A bold one", []string{"A bold one"}},
		"hidden":      {"<h1 hidden>a</h1><div hidden><h2>b</h2></div><h3>c</h3>", "c", []string{"c"}},
		"empty":       {"<h1><img alt=logo></h1><h2>x</h2>", "x", []string{"x"}},
		"permalink":   {`<h2>Usage<a class=headerlink href="#usage">¶</a></h2>`, "Usage", []string{"Usage"}},
		"entities":    {"<title>R&amp;D &lt;b&gt;</title>", "R&D <b>", nil},
		"in pre":      {"<pre><h2>a  b\nc</h2></pre>", "a b c", []string{"a b c"}},
		"unfinished":  {"<title>never closed <p>text", "never closed <p>text", nil},
		"in noscript": {"<noscript><title>no</title></noscript><title>yes</title>", "yes", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := parseHTML(t, &HTML{}, "text/html; charset=utf-8", tt.body)
			if page.Title != tt.title {
				t.Errorf("title %q, want %q", page.Title, tt.title)
			}
			if !slices.Equal(page.Headings, tt.headings) {
				t.Errorf("headings %q, want %q", page.Headings, tt.headings)
			}
		})
	}
}
