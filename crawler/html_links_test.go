package crawler

import (
	"fmt"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// show writes links one a line: URL, text, rel, and a cross for nofollow.
func show(links []Link) string {
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, "%s|%s|%s", l.URL, l.Text, l.Rel)
		if l.NoFollow {
			b.WriteString("|x")
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestHTMLLinks(t *testing.T) {
	t.Parallel()
	const site = "http://www.example.com"
	tests := map[string]struct{ body, want string }{
		"relative":         {`<a href="b">one</a><a href=/c>two</a><a href="?q">three</a>`, site + "/dir/b|one|\n" + site + "/c|two|\n" + site + "/dir/page?q|three|"},
		"absolute":         {`<a href="//other.example/x">a</a><A HREF='HTTPS://Other.Example:443/'>b</A>`, "http://other.example/x|a|\nhttps://other.example/|b|"},
		"space":            {"<a href=\" b \n\">a</a><a href='c\nd'>b</a>", site + "/dir/b|a|\n" + site + "/dir/cd|b|"},
		"entities":         {`<a href="b?x=1&amp;y=2">a</a>`, site + "/dir/b?x=1&y=2|a|"},
		"other schemes":    {`<a href="javascript:go()">a</a><a href="mailto:a@b.c">b</a><a href="tel:1">c</a><a href="data:text/html,x">d</a><a href=" JaVaScRiPt:x">e</a><a href="java` + "\n" + `script:x">f</a><a href="ftp://a/b">g</a>`, ""},
		"unparsable":       {`<a href="http://[::1">a</a><a href="http://a b/">b</a><a href="//">c</a>`, ""},
		"own fragments":    {`<a href="#top">a</a><a href=" #top">b</a><a href="">c</a><a href="page#x">d</a><a href="b#x">e</a>`, site + "/dir/page|d|\n" + site + "/dir/b|e|"},
		"no href":          {`<a name=x>a</a>`, ""},
		"repeated":         {`<a href=b>one</a><a href=b>two</a>`, site + "/dir/b|one|\n" + site + "/dir/b|two|"},
		"text":             {"<a href=b> <b>bo</b>ld\n<i>and</i> <br> more </a>", site + "/dir/b|bold and more|"},
		"image":            {`<a href=b><img src=x alt=" The  logo "></a><a href=c>see <img alt=y></a>`, site + "/dir/b|The logo|\n" + site + "/dir/c|see|"},
		"image, two":       {`<a href=b><img><img alt=""><img alt=x><img alt=y></a>`, site + "/dir/b|x|"},
		"labels":           {`<a href=b aria-label="Next"><svg></svg></a><a href=c title="More"></a>`, site + "/dir/b|Next|\n" + site + "/dir/c|More|"},
		"hidden":           {`<div hidden><a href=b>menu <b>item</b></a><a href=c>second</a></div>`, site + "/dir/b|menu item|\n" + site + "/dir/c|second|"},
		"hidden within":    {`<a href=b><span hidden>open</span></a><a href=c>x<span hidden>y</span></a>`, site + "/dir/b|open|\n" + site + "/dir/c|x|"},
		"area":             {`<map><area href=b alt=North></map>`, site + "/dir/b|North|"},
		"frames":           {`<iframe src=b title=Map></iframe><iframe src=""></iframe><iframe srcdoc=x></iframe><iframe src="about:blank"></iframe>`, site + "/dir/b|Map|frame"},
		"frameset":         {`<frameset><frame src=b><noframes><a href=c>plain</a></noframes></frameset>`, site + "/dir/b||frame\n" + site + "/dir/c|plain|"},
		"noscript":         {`<noscript><img src=x><a href=b>plain</a><iframe src=c></iframe><base href=/z/></noscript><a href=d>d</a>`, site + "/dir/b|plain|\n" + site + "/dir/c||frame\n" + site + "/dir/d|d|"},
		"noscript, nested": {`<noscript><noscript><noscript><a href=b>c</a>`, site + "/dir/b|c|"},
		"template":         {`<template><a href="/{{id}}">a</a></template>`, ""},
		"shadow root":      {`<template shadowrootmode=open><a href=b>a</a></template>`, site + "/dir/b|a|"},
		"script":           {`<script>"<a href=b>a</a>"</script><!-- <a href=b>a</a> --><textarea><a href=b></textarea>`, ""},
		"next, prev":       {`<link rel="Next" href=b title=Two><link rel=prev href=a><link rel=stylesheet href=c>`, site + "/dir/b|Two|next\n" + site + "/dir/a||prev"},
		"refresh":          {`<meta http-equiv=Refresh content="5; URL='b'">`, site + "/dir/b||refresh"},
		"refresh, self":    {`<meta http-equiv=refresh content="60"><meta http-equiv=refresh content="60;">`, ""},
		"svg":              {`<svg><a href=b><text>one</text></a><a xlink:href="c">two</a></svg>`, site + "/dir/b|one|\n" + site + "/dir/c|two|"},
		"rel":              {`<a rel="NoFollow  ugc" href=b>a</a><a rel=sponsored href=c>b</a><a rel="noopener" href=d>c</a>`, site + "/dir/b|a|nofollow ugc|x\n" + site + "/dir/c|b|sponsored|x\n" + site + "/dir/d|c|noopener"},
		"page nofollow":    {`<a href=b>a</a><meta name=robots content=nofollow>`, site + "/dir/b|a||x"},
		"base":             {`<a href=b>a</a><base target=x><base href="/o/"><base href="/no/"><a href=c>b</a><a href="#d">e</a>`, site + "/o/b|a|\n" + site + "/o/c|b|\n" + site + "/o/|e|"},
		"base, absolute":   {`<base href="https://cdn.example/x/y"><a href=b>a</a><a href=/c>b</a>`, "https://cdn.example/x/b|a|\nhttps://cdn.example/c|b|"},
		"base, bad":        {`<base href="data:,x"><a href=b>a</a>`, site + "/dir/b|a|"},
		"base, worse":      {`<base href="http://[/"><a href=b>a</a>`, site + "/dir/b|a|"},
		"unclosed":         {`<a href=b>one<a href=c>two`, site + "/dir/b|one|\n" + site + "/dir/c|two|"},
		"block anchor":     {`<a href=b><h2>Head</h2><p>Text</p></a>`, site + "/dir/b|Head Text|"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := parseHTML(t, &HTML{}, "text/html; charset=utf-8", tt.body)
			if got := show(page.Links); got != tt.want {
				t.Errorf("%s\n got:\n%s\nwant:\n%s", tt.body, got, tt.want)
			}
		})
	}
}

func TestHTMLMaxLinks(t *testing.T) {
	t.Parallel()
	page := parseHTML(t, &HTML{MaxLinks: 2}, "text/html", "<a href=a>a</a><a href=b>b</a><a href=c>c</a><iframe src=d></iframe>")
	if len(page.Links) != 2 || page.Text != "abc" || len(page.Flaws) != 1 {
		t.Errorf("%d links, text %q, flaws %q", len(page.Links), page.Text, page.Flaws)
	}
}

func TestHTMLMaxLinksRepeated(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("<a href=/dir/page>self</a>", 100) + "<a href=new>new</a><a href=new>new</a><a href=newer>newer</a>"
	page := parseHTML(t, &HTML{MaxLinks: 10}, "text/html", body)
	if n := len(page.Links); n != 12 || page.Links[10].Text != "new" || page.Links[11].Text != "newer" || len(page.Flaws) != 0 {
		t.Errorf("%d links, flaws %q: %v", n, page.Flaws, page.Links)
	}
}

func TestHTMLCanon(t *testing.T) {
	t.Parallel()
	const body = `<a href="#/topic/1">1</a><a href="#/topic/2">2</a><a href="#top">top</a>`
	page := parseHTML(t, &HTML{Canon: &urlnorm.Profile{Fragments: urlnorm.KeepRoutes}}, "text/html", body)
	const want = "http://www.example.com/dir/page#/topic/1|1|\nhttp://www.example.com/dir/page#/topic/2|2|"
	if got := show(page.Links); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
