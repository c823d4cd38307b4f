package extract

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// families are the prefixes of metadata that Items keeps.
var families = map[string]bool{
	"og": true, "twitter": true, "article": true, "product": true, "book": true, "profile": true, "video": true, "music": true, "fb": true, "place": true, "business": true,
}

// metadata reads OpenGraph and Twitter cards. It is nil when there is none.
func metadata(root *html.Node, base string) *Item {
	i := &Item{Source: "meta", Types: []string{"OpenGraph"}, Props: map[string][]any{}}
	count := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "meta" || count == maxItems {
			continue
		}
		name, content := metaPair(n)
		family, _, ok := strings.Cut(name, ":")
		if !ok || !families[family] || content == "" {
			continue
		}
		count++
		if isLink(name) {
			if u, err := urlnorm.URL(base, content); err == nil {
				content = u
			}
		}
		i.Props[name] = append(i.Props[name], clip(content, maxText))
	}
	if count == 0 {
		return nil
	}
	return i
}

// metaPair returns name and content of a meta element.
func metaPair(n *html.Node) (name, content string) {
	name, _ = attr(n, "property")
	if name == "" {
		name, _ = attr(n, "name")
	}
	if name == "" {
		name, _ = attr(n, "itemprop")
	}
	content, _ = attr(n, "content")
	return strings.ToLower(strings.TrimSpace(name)), strings.Join(strings.Fields(content), " ")
}

// isLink reports whether metadata of a name is a URL.
func isLink(name string) bool {
	_, name, _ = strings.Cut(name, ":")
	switch name {
	case "url", "image", "image:url", "image:secure_url", "image:src", "video", "video:url", "video:secure_url", "audio", "audio:url", "player":
		return true
	}
	return false
}
