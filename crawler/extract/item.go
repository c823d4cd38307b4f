package extract

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// Item is a thing that a page describes in structured data.
type Item struct {
	Source string           // "json-ld", "microdata", "rdfa" or "meta"
	Types  []string         // "Product"; those that are not of schema.org as written
	ID     string           // @id, itemid or resource; may be empty
	Props  map[string][]any // string, float64, bool or *Item; items may refer to each other in circles
}

// Limits of structured data, against pages made to fill memory.
const (
	maxItems     = 10_000    // of a page, with those within others
	maxItemText  = 8 << 20   // bytes of all their texts in markup
	maxItemNodes = 4_000_000 // nodes that are visited for markup, some of them by several references
	maxItemDepth = 64        // items within items
)

// Items returns the things that a document describes, in this order: JSON-LD,
// microdata, RDFa Lite, and one for the metadata that OpenGraph and Twitter
// cards give. Things within others are values of these, not in the list.
//
// JSON-LD is read as search engines read it: no context is fetched, prefixes are
// dropped, graphs and arrays are flat, and what is only an @id stands for the
// thing of the page that has it. Comments, trailing commas, control characters
// in strings, HTML entities and CDATA marks are forgiven; of a script that is
// still no JSON, what stands before the mistake is read.
//
// The item of the metadata has the Source "meta", the type "OpenGraph", and
// properties as written, as "og:image" and "twitter:card", together with
// "article:published_time" and the like.
//
// URLs in attributes are resolved against url and the base element; those in
// JSON-LD are as written.
func Items(doc *goquery.Document, url string) []*Item {
	if len(doc.Nodes) == 0 {
		return nil
	}
	return itemsOf(doc.Nodes[0], baseOf(doc.Nodes[0], url))
}

func itemsOf(root *html.Node, base string) []*Item {
	b := &budget{left: maxItems, text: maxItemText, nodes: maxItemNodes}
	items := jsonLD(root, b)
	items = append(items, markup(root, base, microdata, b)...)
	items = append(items, markup(root, base, rdfa, b)...)
	if m := metadata(root, base); m != nil {
		items = append(items, m)
	}
	return items
}

// budget limits the items of a page.
type budget struct{ left, text, nodes int }

func (b *budget) item(source string) *Item {
	if b.left--; b.left < 0 {
		return nil
	}
	return &Item{Source: source, Props: map[string][]any{}}
}

// Is reports whether the item is of a type.
func (i *Item) Is(typ string) bool { return slices.Contains(i.Types, typ) }

// Text returns the first value at the end of a path of properties, as
// "offers.price", as text: of an item its name, else its ID. It is empty when
// there is none.
func (i *Item) Text(path string) string {
	name, rest, more := strings.Cut(path, ".")
	for _, v := range i.Props[name] {
		inner, ok := v.(*Item)
		s := ""
		switch {
		case more && ok:
			s = inner.Text(rest)
		case !more:
			s = asText(v)
		}
		if s != "" {
			return s
		}
	}
	return ""
}

func asText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case *Item:
		for _, name := range []string{"name", "headline"} {
			for _, n := range v.Props[name] {
				if s, ok := n.(string); ok && s != "" {
					return s
				}
			}
		}
		return v.ID
	}
	return ""
}

// MarshalJSON writes the item as JSON-LD without context. An item that is within
// itself is there by its @id alone.
func (i *Item) MarshalJSON() ([]byte, error) { return json.Marshal(i.plain(nil)) }

func (i *Item) plain(within []*Item) map[string]any {
	out := make(map[string]any, len(i.Props)+2)
	if i.ID != "" {
		out["@id"] = i.ID
	}
	if slices.Contains(within, i) || len(within) >= maxItemDepth {
		return out
	}
	within = append(within, i)
	if len(i.Types) > 0 {
		out["@type"] = i.Types
	}
	for name, values := range i.Props {
		list := make([]any, len(values))
		for n, v := range values {
			if inner, ok := v.(*Item); ok {
				v = inner.plain(within)
			}
			list[n] = v
		}
		out[name] = list
	}
	return out
}

// typeName cuts what types of schema.org begin with.
func typeName(s string) string {
	s = strings.TrimSpace(s)
	for _, scheme := range []string{"https://", "http://"} {
		if rest, ok := strings.CutPrefix(s, scheme); ok {
			rest = strings.TrimPrefix(rest, "www.")
			if name, ok := strings.CutPrefix(rest, "schema.org/"); ok && name != "" {
				return strings.TrimPrefix(name, "#")
			}
			return s
		}
	}
	if _, name, ok := strings.Cut(s, ":"); ok && !strings.HasPrefix(name, "//") && strings.HasPrefix(s, "schema:") {
		return name
	}
	return s
}
