package content

import (
	"context"
	"net/http"
	"strings"

	"github.com/webquarry/quarry/crawler"
)

// Text is the Parser for plain text, whatever type the server gives it: tables of
// values, logs, markup that is read as it is written. The title is the first line,
// if that is short, and there are no links. A body that is no text is refused as
// by crawler.HTML.
//
//	content.ByType{Other: map[string]crawler.Parser{"text/x-python": content.Text{}}}
type Text struct {
	HTML *crawler.HTML // makes the page: agent, canonical form, caps; nil: the default
}

// Parse reads the text.
func (t Text) Parse(ctx context.Context, resp *crawler.Response) (*crawler.Page, error) {
	html := t.HTML
	if html == nil {
		html = new(crawler.HTML)
	}
	plain := *resp
	if plain.Header = resp.Header.Clone(); plain.Header == nil {
		plain.Header = make(http.Header)
	}
	_, params, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	plain.Header.Set("Content-Type", "text/plain;"+params)
	page, err := html.Parse(ctx, &plain)
	if err != nil {
		return nil, err
	}
	page.Response = resp
	return page, nil
}

// isText reports whether a type is that of text that is read as it is written.
func isText(media string) bool {
	switch media {
	case "text/csv", "text/tab-separated-values", "text/x-markdown", "text/x-rst", "text/prs.fallenstein.rst", "text/x-log", "text/richtext":
		return true
	}
	return false
}
