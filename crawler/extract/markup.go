package extract

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// vocabulary is how a standard names its attributes. Microdata is that of the
// HTML standard, RDFa that of RDFa Lite 1.1.
type vocabulary struct {
	source       string
	scope, types string // attribute that makes an element an item, and that with its types
	prop, id     string
	ref          string // attribute with the ids of further elements
}

var (
	microdata = vocabulary{"microdata", "itemscope", "itemtype", "itemprop", "itemid", "itemref"}
	rdfa      = vocabulary{"rdfa", "typeof", "typeof", "property", "resource", ""}
)

// markup reads items that are written as attributes of elements.
func markup(root *html.Node, base string, v vocabulary, b *budget) []*Item {
	r := markupReader{vocabulary: v, budget: b, base: base, root: root}
	r.walk(root, nil, 0)
	return r.items
}

type markupReader struct {
	vocabulary
	*budget
	base  string
	root  *html.Node
	items []*Item
	ids   map[string]*html.Node // made when the first reference is met
	refs  int
}

// walk looks for items and properties in n and below. owner is the item that n
// is in.
func (r *markupReader) walk(n *html.Node, owner *Item, depth int) {
	if r.nodes--; r.nodes < 0 {
		return
	}
	if n.Type == html.ElementNode {
		scope, isItem := attr(n, r.scope)
		prop, isProp := attr(n, r.prop)
		if isItem && (r.source != "rdfa" || scope != "") {
			props := strings.Fields(prop)
			if depth++; owner == nil || len(props) == 0 {
				depth = 0
			}
			if owner = r.open(n, owner, props, depth); owner == nil {
				return
			}
		} else if isProp && owner != nil {
			value := r.value(n)
			for _, name := range strings.Fields(prop) {
				if name = propName(name); len(owner.Props[name]) < maxItems && value != "" {
					owner.Props[name] = append(owner.Props[name], value)
				}
			}
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.walk(c, owner, depth)
	}
}

// open begins an item, which is a value of owner if it is a property too. It is
// nil when there are too many.
func (r *markupReader) open(n *html.Node, owner *Item, props []string, depth int) *Item {
	i := r.item(r.source)
	if i == nil || depth > maxItemDepth {
		return nil
	}
	types, _ := attr(n, r.types)
	for _, t := range strings.Fields(types) {
		i.Types = append(i.Types, typeName(t))
	}
	if id, ok := attr(n, r.id); ok {
		i.ID = r.link(id)
	}
	for _, name := range props {
		if owner != nil {
			name = propName(name)
			owner.Props[name] = append(owner.Props[name], i)
		}
	}
	if owner == nil || len(props) == 0 {
		r.items = append(r.items, i)
	}
	if r.ref != "" {
		r.references(n, i, depth)
	}
	return i
}

const maxRefs = 1000 // elements that itemref attributes of a page lead to

// references reads the elements that an item has elsewhere.
func (r *markupReader) references(n *html.Node, i *Item, depth int) {
	list, _ := attr(n, r.ref)
	for _, id := range strings.Fields(list) {
		if r.refs++; r.refs > maxRefs {
			return
		}
		if to := r.byID(id); to != nil && !encloses(to, n) {
			r.walk(to, i, depth+1)
		}
	}
}

func (r *markupReader) byID(id string) *html.Node {
	if r.ids == nil {
		r.ids = map[string]*html.Node{}
		for n := range r.root.Descendants() {
			if v, ok := attr(n, "id"); ok && r.ids[v] == nil {
				r.ids[v] = n
			}
		}
	}
	return r.ids[id]
}

// encloses reports whether n is outer or in it.
func encloses(outer, n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

// value returns the value of a property, by the kind of its element.
func (r *markupReader) value(n *html.Node) string {
	if v, ok := attr(n, "content"); ok {
		return v
	}
	key := ""
	switch n.Data {
	case "a", "area", "link":
		key = "href"
	case "audio", "embed", "iframe", "img", "source", "track", "video":
		key = "src"
	case "object":
		key = "data"
	case "data", "meter":
		key = "value"
	case "time":
		key = "datetime"
	}
	if r.source == "rdfa" {
		if v, ok := attr(n, "resource"); ok {
			return r.link(v)
		}
	}
	v, ok := attr(n, key)
	switch {
	case !ok && r.text < 0:
		return ""
	case !ok:
		s := clip(line(n), maxText)
		r.text -= len(s)
		return s
	case key == "value" || key == "datetime":
		return v
	}
	return r.link(v)
}

// link resolves a URL. Its fragment stays: what a property says may be a part of a page.
func (r *markupReader) link(s string) string {
	u, err := urlnorm.URL(r.base, s)
	if err != nil {
		return s
	}
	if _, fragment, ok := strings.Cut(strings.TrimSpace(s), "#"); ok && fragment != "" {
		u += "#" + fragment
	}
	return u
}
