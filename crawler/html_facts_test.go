package crawler

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

func TestHTMLDescriptionAndCanonical(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body        string
		header      []string
		description string
		canonical   string
	}{
		"description":         {body: `<meta name=Description content=" A  page ">`, description: "A page"},
		"first one":           {body: `<meta name=description content=""><meta name=description content="a"><meta name=description content="b">`, description: "a"},
		"og":                  {body: `<meta property="og:description" content="shared">`, description: "shared"},
		"own before og":       {body: `<meta property="og:description" content="shared"><meta name=description content="own">`, description: "own"},
		"canonical":           {body: `<link rel=canonical href="/a?b=1#c">`, canonical: "http://www.example.com/a?b=1"},
		"canonical, first":    {body: `<link rel="Canonical" href="/a"><link rel=canonical href="/b">`, canonical: "http://www.example.com/a"},
		"canonical, base":     {body: `<link rel=canonical href=a><base href=/b/>`, canonical: "http://www.example.com/b/a"},
		"canonical, bad":      {body: `<link rel=canonical href="mailto:a@b.example">`},
		"canonical, empty":    {body: `<link rel=canonical>`},
		"header":              {header: []string{"Link", `<style.css>; rel=preload, </h,x>; title="a, <b>"; rel="canonical"`}, canonical: "http://www.example.com/h,x"},
		"header, no base":     {body: `<base href=/b/>`, header: []string{"Link", `<h>; rel=canonical`}, canonical: "http://www.example.com/dir/h"},
		"element over header": {body: `<link rel=canonical href=a>`, header: []string{"Link", `<h>; rel=canonical`}, canonical: "http://www.example.com/dir/a"},
		"broken header":       {header: []string{"Link", `<h; rel=canonical`, "Link", `h; rel=canonical`, "Link", `<h>`, "Link", ""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := new(HTML).Parse(context.Background(), response("text/html", tt.body, tt.header...))
			if err != nil {
				t.Fatal(err)
			}
			if page.Description != tt.description {
				t.Errorf("description %q, want %q", page.Description, tt.description)
			}
			if page.Canonical != tt.canonical {
				t.Errorf("canonical %q, want %q", page.Canonical, tt.canonical)
			}
		})
	}
}

func TestHTMLHeaderLinks(t *testing.T) {
	t.Parallel()
	page, err := new(HTML).Parse(context.Background(), response("text/html", `<base href=/b/><a href=a>a</a>`,
		"Link", `<?page=2>; rel="next"`, "Refresh", "0; url=new"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "http://www.example.com/dir/page?page=2||next\nhttp://www.example.com/dir/new||refresh\nhttp://www.example.com/b/a|a|"
	if got := show(page.Links); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestHTMLLanguage(t *testing.T) {
	t.Parallel()
	const german = "<p>Die Bundesrepublik Deutschland ist ein demokratischer und sozialer Bundesstaat. Alle Staatsgewalt geht vom Volke aus."
	const japanese = "<p>日本語の文字コードは、ウェブページの言語を正しく表示するために必要です。" +
		"国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。信号所に汽車が止まった。向側の座席から娘が立って来て、島村の前のガラス窓を落した。"
	const english = "<p>A crawler visits the pages of a site one after the other, reads what is in them and follows their links " +
		"to the pages that it has not seen yet. It keeps to the rules that the owner of the site wrote down, and it rests between two visits."
	tests := map[string]struct {
		body   string
		header string
		want   string
	}{
		"html":              {`<html lang="en-us">` + german, "", "en-US"},
		"html, xml":         {`<html xml:lang=fr>`, "", "fr"},
		"html, underscore":  {`<html lang=pt_BR>`, "", "pt-BR"},
		"html over header":  {`<html lang=fr>`, "en", "fr"},
		"html, nonsense":    {`<html lang="{{ lang }}">`, "de", "de"},
		"html, unknown":     {`<html lang="">`, "de", "de"},
		"body":              {`<body lang=nl>`, "", "nl"},
		"pragma":            {`<meta http-equiv=content-language content=it>`, "en", "it"},
		"pragma, several":   {`<meta http-equiv=content-language content="it, fr">`, "en", "en"},
		"header, several":   {german, "en, de", "de"},
		"detected":          {german, "", "de"},
		"detected, English": {english, "", "en"},
		"detected, kanji":   {japanese, "", "ja"},
		"too short":         {"<p>Die Bundesrepublik", "", ""},
		"no language":       {"<pre>" + strings.Repeat("0x7f 1e9 a1 b2 ", 100), "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var header []string
			if tt.header != "" {
				header = []string{"Content-Language", tt.header}
			}
			page, err := new(HTML).Parse(context.Background(), response("text/html; charset=utf-8", tt.body, header...))
			if err != nil {
				t.Fatal(err)
			}
			if page.Lang != tt.want {
				t.Errorf("language %q, want %q", page.Lang, tt.want)
			}
		})
	}
}

func TestHTMLRobots(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body              string
		tag               string
		noIndex, noFollow bool
	}{
		"nothing":                {},
		"noindex":                {body: `<meta name=robots content=noindex>`, noIndex: true},
		"none":                   {body: `<META NAME="ROBOTS" CONTENT="NONE">`, noIndex: true, noFollow: true},
		"all":                    {body: `<meta name=robots content="all, follow, index">`},
		"two elements":           {body: `<meta name=robots content=noindex><meta name=robots content=nofollow>`, noIndex: true, noFollow: true},
		"agent":                  {body: `<meta name=MyBot content="noindex">`, noIndex: true},
		"agent adds":             {body: `<meta name=robots content=nofollow><meta name=mybot content="noindex, follow">`, noIndex: true, noFollow: true},
		"another agent":          {body: `<meta name=otherbot content=noindex>`},
		"spaces for commas":      {body: `<meta name=robots content="noindex nofollow">`, noIndex: true, noFollow: true},
		"word within":            {body: `<meta name=robots content="noindexing, max-snippet:-1">`},
		"in a template":          {body: `<template><meta name=robots content=noindex></template>`},
		"in noscript":            {body: `<noscript><meta name=robots content=noindex></noscript>`},
		"header":                 {tag: "noindex, nofollow", noIndex: true, noFollow: true},
		"header, agent":          {tag: "mybot: noindex", noIndex: true},
		"header, another agent":  {tag: "otherbot: noindex, nofollow"},
		"header, both":           {tag: "otherbot: noindex, mybot: nofollow", noFollow: true},
		"header, valued":         {tag: "unavailable_after: 25 Jun 2030 15:00:00 GMT, noindex", noIndex: true},
		"header, for anybody":    {tag: "*: none", noIndex: true, noFollow: true},
		"as http-equiv":          {body: `<meta http-equiv="X-Robots-Tag" content="noindex">`, noIndex: true},
		"max-image-preview none": {tag: "max-image-preview:none"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := (&HTML{Agent: "mybot"}).Parse(context.Background(), response("text/html", tt.body, "X-Robots-Tag", tt.tag))
			if err != nil {
				t.Fatal(err)
			}
			if page.NoIndex != tt.noIndex || page.NoFollow != tt.noFollow {
				t.Errorf("noindex %v, nofollow %v; want %v, %v", page.NoIndex, page.NoFollow, tt.noIndex, tt.noFollow)
			}
		})
	}
}

// TestHTMLRobotsSuites runs the rows that other projects hold themselves to.
func TestHTMLRobotsSuites(t *testing.T) {
	t.Parallel()
	type row struct {
		HTML      string
		Headers   []string
		UserAgent string `json:"user_agent"`
		NoIndex   *bool
		NoFollow  *bool
		MayIndex  *bool   `json:"may_index"`
		MayFollow *bool   `json:"may_follow"`
		Base      *string `json:"base_href"`
		Note      string
	}
	not := func(b *bool) *bool {
		if b == nil {
			return nil
		}
		n := !*b
		return &n
	}
	f, err := os.Open("testdata/html/robots-meta.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	passed, differ := 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.HTML == "" {
			r.NoIndex, r.NoFollow = not(r.MayIndex), not(r.MayFollow)
		}
		var header []string
		for _, h := range r.Headers {
			name, value, _ := strings.Cut(h, ": ")
			header = append(header, name, value)
		}
		body := r.HTML + "<a href=x>x</a>"
		page, err := (&HTML{Agent: strings.Trim(r.UserAgent, "*")}).Parse(context.Background(), response("text/html", body, header...))
		if err != nil {
			t.Fatal(err)
		}
		wrong := r.NoIndex != nil && page.NoIndex != *r.NoIndex || r.NoFollow != nil && page.NoFollow != *r.NoFollow ||
			r.Base != nil && page.Links[0].URL != *r.Base+"x"
		switch {
		case !wrong:
			passed++
		case strings.Contains(r.Note, "suite-specific"): // we add up all that apply, as Google does
			differ++
		default:
			t.Errorf("%s%s for %q: noindex %v, nofollow %v, links %v", r.HTML, r.Headers, r.UserAgent, page.NoIndex, page.NoFollow, page.Links)
		}
	}
	t.Logf("%d rows passed, %d differ by choice", passed, differ)
	if passed != 13 || differ != 1 {
		t.Errorf("%d rows passed and %d differ, want 13 and 1", passed, differ)
	}
}

func TestHTMLRefine(t *testing.T) {
	t.Parallel()
	h := &HTML{Refine: func(doc *goquery.Document, page *Page) error {
		page.Text = doc.Find("main").Text()
		if page.Text == "" {
			return errors.New("no main")
		}
		return nil
	}}
	if page := parseHTML(t, h, "text/html", "<nav>menu</nav><main>news</main>"); page.Text != "news" {
		t.Errorf("text %q", page.Text)
	}
	_, err := h.Parse(context.Background(), response("text/html", "nothing"))
	if !errors.Is(err, ErrParse) || !strings.Contains(err.Error(), "no main") {
		t.Errorf("error %v, want ErrParse with the cause", err)
	}
}
