package content

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"net/http"
	"path"
	"strings"

	"github.com/webquarry/quarry/crawler"
)

// document is a document on its way to become a page. It is written as HTML, so
// that blocks, language, directives of the header and URLs come out as they do
// for pages.
type document struct {
	title, description, lang string
	body                     strings.Builder
	links                    strings.Builder // without text: they come after all
	headings                 []string        // where the body does not have them
	flaws                    []string
}

// block and pre add text that is not markup.
func (d *document) block(s string) { d.element("p", s) }
func (d *document) pre(s string)   { d.element("pre", "\n"+s) }

func (d *document) element(name, s string) {
	if strings.TrimSpace(s) != "" {
		fmt.Fprintf(&d.body, "<%s>%s</%[1]s>\n", name, html.EscapeString(s))
	}
}

// link adds a link that stands nowhere in the text.
func (d *document) link(url, text, rel string) {
	fmt.Fprintf(&d.links, "<a hidden rel=%q href=\"%s\">%s</a>", html.EscapeString(rel), html.EscapeString(url), html.EscapeString(text))
}

// page makes the page of the response that d was read from, by an HTML parser
// that brings agent, canonical form and caps.
func (d *document) page(ctx context.Context, resp *crawler.Response, by *crawler.HTML) (*crawler.Page, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=\"%s\"><title>%s</title>", html.EscapeString(d.lang), html.EscapeString(d.title))
	if d.description != "" {
		fmt.Fprintf(&b, "<meta name=description content=\"%s\">", html.EscapeString(d.description))
	}
	b.WriteString("<body>")
	b.WriteString(d.body.String())
	b.WriteString(d.links.String())

	as := *resp
	as.Header = resp.Header.Clone()
	if as.Header == nil {
		as.Header = make(http.Header)
	}
	as.Header.Set("Content-Type", "text/html; charset=utf-8")
	as.Body = []byte(b.String())
	reader := crawler.HTML{}
	if by != nil {
		reader = *by
		reader.Refine = nil // there is no document of the site's making
	}
	page, err := reader.Parse(ctx, &as)
	if err != nil {
		return nil, err
	}
	page.Response = resp
	page.Title = cmp.Or(page.Title, fileName(resp.URL))
	page.Headings = append(page.Headings, d.headings...)
	page.Flaws = append(page.Flaws, d.flaws...)
	if resp.Truncated {
		page.Flaws = append(page.Flaws, "body: cut at the limit of the fetcher")
	}
	return page, nil
}

// fileName is the last part of a URL's path.
func fileName(url string) string {
	url, _, _ = strings.Cut(url, "?")
	if name := path.Base(url); name != "." && name != "/" {
		return name
	}
	return url
}

// failed is the error of a body that is broken.
func failed(resp *crawler.Response, err error) error {
	return &crawler.FetchError{URL: resp.URL, Kind: crawler.ErrParse, Err: err}
}
