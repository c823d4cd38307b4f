package sitemap

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/webquarry/quarry/crawler/internal/when"
)

// space is the vocabulary that an element is of.
type space uint8

const (
	core  space = iota // sitemaps, RSS, Atom, Dublin Core, and what has no prefix
	image              // Google's extensions
	video
	news
	xhtml
	foreign // all else
)

// spaceOf tells a namespace. Versions, spelling errors and the hosts that
// vocabularies move between do not matter.
func spaceOf(uri string) space {
	switch uri = strings.ToLower(uri); {
	case strings.Contains(uri, "sitemap-image"):
		return image
	case strings.Contains(uri, "sitemap-video"):
		return video
	case strings.Contains(uri, "sitemap-news"):
		return news
	case strings.Contains(uri, "1999/xhtml"):
		return xhtml
	case strings.Contains(uri, "schemas/sitemap/"), strings.Contains(uri, "2005/atom"), strings.Contains(uri, "purl.org/atom"),
		strings.Contains(uri, "purl.org/rss"), strings.Contains(uri, "purl.org/dc"), strings.Contains(uri, "22-rdf-syntax"):
		return core
	}
	return foreign
}

// usual are the prefixes that stand for a vocabulary where none is declared.
var usual = map[string]space{"image": image, "video": video, "news": news, "xhtml": xhtml, "atom": core, "dc": core, "rdf": core, "sitemap": core}

// qualified is the name of an element.
type qualified struct {
	space space
	name  string
}

const (
	mostNames  = 1000
	mostSpaces = 100
)

// local splits the name of an element, which is in lower case.
func (m *machine) local(tag []byte) (space, string) {
	if q, ok := m.names[string(tag)]; ok {
		return q.space, q.name
	}
	s := string(tag)
	q := qualified{core, s}
	if prefix, name, ok := strings.Cut(s, ":"); ok {
		at, known := m.spaces[prefix]
		if !known {
			if at, known = usual[prefix]; !known {
				at = foreign
			}
		}
		q = qualified{at, name}
	}
	if m.names == nil || len(m.names) >= mostNames {
		m.names = make(map[string]qualified)
	}
	m.names[s] = q
	return q.space, q.name
}

// own has the prefix of a root element stand for its vocabulary, whatever it is
// declared as, if it is.
func (m *machine) own(root []byte) {
	prefix, _, ok := bytes.Cut(root, []byte(":"))
	if !ok || len(m.spaces) >= mostSpaces {
		return
	}
	if m.spaces == nil {
		m.spaces = make(map[string]space)
	}
	m.spaces[string(prefix)] = core
	m.names = nil
}

// attributes are those that count.
type attributes struct{ href, rel, lang string }

// attributes reads those of a start tag, and notes prefixes that it declares.
func (m *machine) attributes() (a attributes) {
	for more := true; more; {
		var key, val []byte
		key, val, more = m.z.TagAttr()
		switch string(key) {
		case "href":
			a.href = strings.TrimSpace(string(val))
		case "rel":
			a.rel = strings.ToLower(strings.TrimSpace(string(val)))
		case "hreflang":
			a.lang = strings.TrimSpace(string(val))
		default:
			prefix, ok := strings.CutPrefix(string(key), "xmlns:")
			if ok && len(m.spaces) < mostSpaces {
				if m.spaces == nil {
					m.spaces = make(map[string]space)
				}
				m.spaces[prefix] = spaceOf(string(val))
				m.names = nil
			}
		}
	}
	return a
}

func (m *machine) isRoot(name string) bool {
	switch name {
	case "urlset", "sitemapindex":
		return !m.walk.feed
	case "rss", "rdf", "feed":
		return m.walk.feed
	}
	return false
}

func (m *machine) isItem(name string) bool {
	switch name {
	case "url", "sitemap":
		return !m.walk.feed
	case "item", "entry":
		return m.walk.feed
	}
	return false
}

// opaque reports whether an element of a feed has content that only looks like
// a feed's.
func (m *machine) opaque(name string) bool {
	switch name {
	case "content", "summary", "description", "source", "image", "textinput", "author", "contributor":
		return m.walk.feed
	}
	return false
}

// reads reports whether the text of an element counts.
func reads(at space, name string, feed bool) bool {
	switch at {
	case core:
		switch name {
		case "loc", "lastmod", "changefreq", "priority":
			return !feed
		case "link", "guid", "id", "title", "pubdate", "updated", "published", "modified", "issued", "date":
			return feed
		}
	case image:
		return name == "loc"
	case video:
		return name == "title" || name == "content_loc" || name == "player_loc" || name == "thumbnail_loc"
	case news:
		return name == "name" || name == "language" || name == "title" || name == "publication_date" || name == "keywords"
	}
	return false
}

// mostExtras is how many alternates, images or videos of an entry are kept; the
// protocol has 1,000 images.
const mostExtras = 1000

// link takes a link element that has its target in an attribute: the page in
// another language, an item of an Atom feed, or the next page of it.
func (m *machine) link(at space, a attributes) bool {
	e := &m.item
	switch {
	case at == xhtml:
		if e.open && a.rel == "alternate" && a.lang != "" && len(e.Alternates) < mostExtras {
			if u, ok := m.absolute(a.href); ok {
				e.Alternates = append(e.Alternates, Alternate{Lang: a.lang, URL: u})
			}
		}
	case !m.walk.feed:
	case e.open:
		if e.URL == "" && (a.rel == "" || a.rel == "alternate") {
			e.URL = a.href
		}
	case a.rel == "next" || a.rel == "prev-archive" || a.rel == "next-archive": // RFC 5005
		return m.give(Entry{URL: a.href, Sitemap: true, Priority: 0.5})
	}
	return true
}

// store takes the field that was read.
func (m *machine) store() {
	f := &m.field
	at, name := f.space, f.name
	f.name = ""
	if f.cut {
		return
	}
	text := strings.TrimSpace(string(f.text))
	switch e := &m.item; at {
	case core:
		m.storeCore(name, text)
	case image:
		if len(e.Images) < mostExtras && text != "" {
			e.Images = append(e.Images, text)
		}
	case video:
		m.storeVideo(name, text)
	case news:
		m.storeNews(name, text)
	}
}

func (m *machine) storeCore(name, text string) {
	e := &m.item
	switch name {
	case "loc":
		e.URL = text
	case "link":
		if e.URL == "" {
			e.URL = text
		}
	case "guid", "id":
		if hasScheme(text) {
			e.id = text
		}
	case "title":
		e.Title = text
	case "changefreq":
		e.Change = frequency(text)
	case "priority":
		if p, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(p) {
			e.Priority = min(max(p, 0), 1)
		}
	default: // the date of the last change is the latest of all
		if t, ok := when.Parse(text); ok && t.After(e.Modified) {
			e.Modified = t
		}
	}
}

func (m *machine) storeVideo(name, text string) {
	e := &m.item
	if len(e.Videos) == 0 {
		e.Videos = append(e.Videos, Video{})
	}
	v := &e.Videos[len(e.Videos)-1]
	switch name {
	case "title":
		v.Title = text
	case "content_loc":
		v.Content = text
	case "player_loc":
		v.Player = text
	case "thumbnail_loc":
		v.Thumbnail = text
	}
}

func (m *machine) storeNews(name, text string) {
	e := &m.item
	if e.News == nil {
		e.News = new(News)
	}
	switch n := e.News; name {
	case "name":
		n.Publication = text
	case "language":
		n.Lang = text
	case "title":
		n.Title = text
	case "keywords":
		n.Keywords = text
	case "publication_date":
		n.Published, _ = when.Parse(text)
	}
}
