package action

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/webquarry/quarry/crawler"
)

// compose makes one document of snapshots of one page, and of links that go with
// it. The first snapshot stands as it is; what is in the body of the others
// follows in articles, links in a nav. Addresses in frames are made absolute.
func compose(pages []Page, links []crawler.Link) ([]byte, error) {
	first := 0
	for first < len(pages)-1 && pages[first].Frame {
		first++
	}
	if len(pages) == 1 && len(links) == 0 {
		return []byte(pages[0].HTML), nil
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(pages[first].HTML))
	if err != nil {
		return nil, err
	}
	body := doc.Find("body").First()
	if body.Length() == 0 {
		return []byte(pages[first].HTML), nil // a frameset
	}
	for i, p := range pages {
		if i != first {
			if err := appendPage(body, p); err != nil {
				return nil, err
			}
		}
	}
	if len(links) > 0 {
		nav := newElement(atom.Nav)
		for _, l := range links {
			a := newElement(atom.A, "href", l.URL, "rel", l.Rel)
			a.AppendChild(&html.Node{Type: html.TextNode, Data: l.Text})
			nav.AppendChild(a)
		}
		body.AppendNodes(nav)
	}
	var b bytes.Buffer
	if err := html.Render(&b, doc.Nodes[0]); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// appendPage appends what is in the body of a snapshot.
func appendPage(to *goquery.Selection, p Page) error {
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(p.HTML))
	if err != nil {
		return err
	}
	if p.Frame {
		absolute(doc, p.URL)
	}
	article := newElement(atom.Article)
	for _, n := range doc.Find("body").First().Contents().Nodes {
		n.Parent.RemoveChild(n)
		article.AppendChild(n)
	}
	to.AppendNodes(article)
	return nil
}

// absolute makes the addresses in a document absolute.
func absolute(doc *goquery.Document, at string) {
	base, err := url.Parse(at)
	if err != nil {
		return
	}
	if href, ok := doc.Find("base[href]").First().Attr("href"); ok {
		if u, err := base.Parse(href); err == nil {
			base = u
		}
	}
	for _, name := range []string{"href", "src", "action"} {
		doc.Find("[" + name + "]").Each(func(_ int, e *goquery.Selection) {
			if u, err := base.Parse(strings.TrimSpace(e.AttrOr(name, ""))); err == nil {
				e.SetAttr(name, u.String())
			}
		})
	}
}

func newElement(a atom.Atom, attrs ...string) *html.Node {
	n := &html.Node{Type: html.ElementNode, DataAtom: a, Data: a.String()}
	for i := 0; i < len(attrs); i += 2 {
		if attrs[i+1] != "" {
			n.Attr = append(n.Attr, html.Attribute{Key: attrs[i], Val: attrs[i+1]})
		}
	}
	return n
}
