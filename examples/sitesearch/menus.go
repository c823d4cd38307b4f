package main

import (
	"strings"
	"unicode"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
)

// menus are the parts of a page that are the same on all pages of a site, as
// HTML and ARIA name them, and the class names of a popular manual's tool.
const menus = "nav, aside, body > header, body > footer, [role=navigation], [role=banner], [role=contentinfo], .navheader, .navfooter"

// dropMenus takes the lines out of a page's text that stand in its menus: a page
// about Saturn is not about Jupiter because it has a link to it at the top. It
// also takes out the line that repeats the title, which is a field of its own.
// It is the Refine of the parser, and so sees the document itself.
func dropMenus(doc *goquery.Document, page *crawler.Page) error {
	menu, title := squeezed(doc.Find(menus).Text()), squeezed(page.Title)
	var kept strings.Builder
	for line := range strings.Lines(page.Text) {
		if s := squeezed(line); s != title && !strings.Contains(menu, s) {
			kept.WriteString(line)
		}
	}
	page.Text = strings.TrimSpace(kept.String())
	return nil
}

// squeezed is s without white space, of which a document has more than its text.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
