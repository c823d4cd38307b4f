package extract

import (
	"cmp"
	"errors"
	"strings"

	"golang.org/x/net/html"
)

// Limits of what is taken from one page, against pages made to fill memory.
const (
	maxMatches = 10_000   // elements that a rule finds
	maxValues  = 100_000  // values of a page, all records together
	maxText    = 1 << 20  // bytes of a value
	maxBytes   = 64 << 20 // of all values of a page
	maxErrors  = 100      // that are reported of a page
)

// found is what a rule finds: an element, an item, or a text.
type found struct {
	node     *html.Node
	item     *Item
	text     string
	currency string // beside a price in structured data
}

// page is what all records of a page share.
type page struct {
	root  *html.Node
	base  string // URL that others are relative to
	items []*Item
	read  bool // items are
	left  int  // values that may still be taken
	bytes int  // of them so far
	errs  []error
}

// structured returns the items of the page.
func (p *page) structured() []*Item {
	if !p.read {
		p.items, p.read = itemsOf(p.root, p.base), true
	}
	return p.items
}

// fail notes an error.
func (p *page) fail(path string, err error) {
	if len(p.errs) < maxErrors {
		p.errs = append(p.errs, &FieldError{Path: path, Err: err})
	}
}

// find returns what a rule finds within at, at most limit.
func (p *page) find(r rule, at found, limit int) ([]found, error) {
	switch {
	case r.item != nil:
		return p.findItems(r.item, at, limit), nil
	case r.css == nil && r.xpath == nil:
		return []found{at}, nil
	case at.node == nil:
		return nil, errors.New("css and xpath find nothing in structured data")
	case r.xpath != nil:
		return r.xpath.find(at.node, limit)
	}
	var all []found
	for n := range at.node.Descendants() {
		if len(all) == limit {
			break
		}
		if n.Type == html.ElementNode && r.css.Match(n) {
			all = append(all, found{node: n})
		}
	}
	return all, nil
}

// findItems follows a path into structured data: from an item on, or from the
// items of the page of the type that the path begins with.
func (p *page) findItems(path []string, at found, limit int) []found {
	var now []found
	if at.item != nil {
		now = []found{at}
	} else {
		for _, i := range p.structured() {
			if i.Is(path[0]) && len(now) < limit {
				now = append(now, found{item: i})
			}
		}
		path = path[1:]
	}
	for _, name := range path {
		var next []found
		for _, f := range now {
			if f.item == nil {
				continue
			}
			for _, v := range f.item.Props[name] {
				if len(next) < limit {
					next = append(next, ofProperty(v, f.item))
				}
			}
		}
		now = next
	}
	return now
}

// ofProperty is a value of a property of owner.
func ofProperty(v any, owner *Item) found {
	if i, ok := v.(*Item); ok {
		return found{item: i}
	}
	f := found{text: asText(v)}
	if c := owner.Props["priceCurrency"]; len(c) > 0 {
		f.currency = asText(c[0])
	}
	return f
}

// raw returns the text that a rule is about, and whether there is any.
func (r rule) raw(f found, t Type) (found, bool) {
	switch {
	case r.attr != "":
		if f.node == nil {
			return f, false
		}
		v, ok := attr(f.node, r.attr)
		if !ok {
			return f, false
		}
		f.text = strings.TrimSpace(v)
	case f.node != nil:
		f.text = elementText(f.node, t)
	case f.item != nil:
		f.text = cmp.Or(f.item.Text("name"), f.item.ID, f.item.Text("url"))
		if t == Money {
			f.text, f.currency = f.item.Text("price"), f.item.Text("priceCurrency")
		}
	}
	f.text = clip(f.text, maxText)
	if r.regexp != nil {
		m := r.regexp.FindStringSubmatch(f.text)
		if m == nil {
			return f, false
		}
		f.text = strings.TrimSpace(m[r.group])
	}
	return f, f.text != "" || t == Present
}

// elementText returns the text of an element as a type wants it. Where a time,
// a number or a link has a place of its own in HTML, that is it.
func elementText(n *html.Node, t Type) string {
	own := ""
	switch t {
	case HTML:
		return innerHTML(n)
	case Text:
		return blocks(n)
	case Time:
		own = "datetime"
	case URL:
		own = "href"
		if _, ok := attr(n, "href"); !ok {
			own = "src"
		}
	case Int, Float, Money:
		own = "value"
		if n.Data != "data" && n.Data != "meter" {
			own = ""
		}
	}
	if own != "" {
		if v, ok := attr(n, own); ok {
			return strings.TrimSpace(v)
		}
	}
	if n.Data == "meta" {
		v, _ := attr(n, "content")
		return strings.TrimSpace(v)
	}
	return line(n)
}
