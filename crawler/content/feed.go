package content

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"strings"

	"github.com/mmcdole/gofeed"
	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sitemap"
)

// Feed is the Parser for RSS, Atom and JSON feeds. The title of the page is the
// feed's; its text is the items, each under its title, which is a heading and a
// link to the item; its links are those, the next page of the feed with Rel
// "next", and those within the items. Of a feed that is cut off or malformed each
// item is read on its own, so that damage costs no more than the item it is in, and
// that as little as can be.
type Feed struct {
	HTML *crawler.HTML // makes the page: agent, canonical form, caps; nil: the default
}

// Bounds of a feed: items that are read, and elements within each other, for
// which gofeed takes time without bound.
const (
	mostItems   = 10_000
	deepestFeed = 100
)

// tooDeep reports whether elements are nested deeper than feeds have use for.
func tooDeep(b []byte) bool {
	depth := 0
	z := nethtml.NewTokenizer(bytes.NewReader(b))
	z.AllowCDATA(true)
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			return false
		case nethtml.StartTagToken:
			z.NextIsNotRawText()
			if depth++; depth > deepestFeed {
				return true
			}
		case nethtml.EndTagToken:
			depth--
		}
	}
}

// Parse reads a feed. A body that is none is a *FetchError of kind ErrParse.
func (f Feed) Parse(ctx context.Context, resp *crawler.Response) (page *crawler.Page, err error) {
	d := new(document)
	err = guard(func() error {
		body, flaws := inUTF8(resp)
		d.flaws = flaws
		isXML := bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
		if isXML {
			body = xmlText(body)
		}
		feed, err := readFeed(body)
		if err == nil && isXML && len(feed.Items) < len(itemsOf(body)) { // it stopped in one without a word
			err = errors.New("tags that do not match")
		}
		switch {
		case err == nil:
			d.feed(feed)
		case isXML:
			err = d.salvage(ctx, body, err)
		default:
			err = d.salvageJSON(body, err)
		}
		if err != nil {
			return err
		}
		d.next(body, resp.URL)
		page, err = d.page(ctx, resp, f.HTML)
		return err
	})
	if err != nil && ctx.Err() == nil {
		return nil, failed(resp, err)
	}
	return page, err
}

// readFeed reads a whole feed, or one of a single item.
func readFeed(body []byte) (*gofeed.Feed, error) {
	if tooDeep(body) {
		return nil, errors.New("elements nested too deep")
	}
	return gofeed.NewParser().Parse(bytes.NewReader(body))
}

// feed takes in a feed.
func (d *document) feed(feed *gofeed.Feed) {
	d.about(feed)
	for _, item := range feed.Items[:min(len(feed.Items), mostItems)] {
		d.item(item)
	}
}

// about takes in what a feed says about itself.
func (d *document) about(feed *gofeed.Feed) {
	d.title, d.description, d.lang = textOf(feed.Title), textOf(feed.Description), feed.Language
	if feed.Link != "" {
		d.link(feed.Link, "", "alternate")
	}
}

// item adds an item. Its description and content are markup.
func (d *document) item(item *gofeed.Item) {
	link := item.Link
	if link == "" && len(item.Links) > 0 {
		link = item.Links[0]
	}
	if link == "" && strings.HasPrefix(item.GUID, "http") {
		link = item.GUID
	}
	title := html.EscapeString(cmp.Or(textOf(item.Title), link))
	if link == "" {
		fmt.Fprintf(&d.body, "<h2>%s</h2>", title)
	} else {
		fmt.Fprintf(&d.body, "<h2><a href=\"%s\">%s</a></h2>", html.EscapeString(link), title)
	}
	d.body.WriteString("<div>")
	d.markup(cmp.Or(item.Content, item.Description))
	d.body.WriteString("</div>\n")
	for _, e := range item.Enclosures {
		d.link(e.URL, "", "enclosure")
	}
}

// textOf is the text of a title or description, which may be markup.
func textOf(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	var b strings.Builder
	z := nethtml.NewTokenizer(strings.NewReader(s))
	unseen := false // in a script or a style sheet, whose text is one token
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			return strings.TrimSpace(b.String())
		case nethtml.StartTagToken:
			name, _ := z.TagName()
			unseen = string(name) == "script" || string(name) == "style"
			continue
		case nethtml.TextToken:
			if !unseen {
				b.Write(z.Text())
			}
		}
		unseen = false
	}
}

// markup adds markup such that nothing of it reaches beyond itself: what is open
// is closed, and what speaks of a whole page is left out.
func (d *document) markup(s string) {
	nodes, err := nethtml.ParseFragment(strings.NewReader(s), &nethtml.Node{Type: nethtml.ElementNode, DataAtom: atom.Body, Data: "body"})
	if err != nil { // nested too deep
		d.block(textOf(s))
		return
	}
	for _, n := range nodes {
		var unwanted []*nethtml.Node
		for c := range n.Descendants() {
			if ofPage(c) {
				unwanted = append(unwanted, c)
			}
		}
		for _, c := range unwanted {
			c.Parent.RemoveChild(c)
		}
		if !ofPage(n) {
			_ = nethtml.Render(&d.body, n) // a Builder does not fail
		}
	}
}

// ofPage reports whether an element speaks of a whole page, or would swallow
// what follows.
func ofPage(n *nethtml.Node) bool {
	switch n.DataAtom {
	case atom.Base, atom.Meta, atom.Link, atom.Title, atom.Script, atom.Style, atom.Plaintext:
		return n.Type == nethtml.ElementNode
	}
	return false
}

// next adds the next page of the feed, which gofeed does not tell.
func (d *document) next(body []byte, url string) {
	for e, err := range sitemap.Read(bytes.NewReader(body), url) {
		if err != nil {
			d.flaws = append(d.flaws, err.Error())
		} else if e.Sitemap {
			d.link(e.URL, "", "next")
		}
	}
}
