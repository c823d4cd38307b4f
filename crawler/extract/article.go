package extract

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// Article is what a page says when menus, advertisements and the like are left
// out, and who says so when. What a page does not tell is empty.
type Article struct {
	Title     string    `json:"title,omitempty"`
	Text      string    `json:"text,omitempty"` // blocks on lines of their own
	Authors   []string  `json:"authors,omitempty"`
	Published time.Time `json:"published,omitzero"`
	Modified  time.Time `json:"modified,omitzero"`
	Lang      string    `json:"lang,omitempty"` // BCP 47
	Section   string    `json:"section,omitempty"`
	Site      string    `json:"site,omitempty"`
	Summary   string    `json:"summary,omitempty"`
	Image     string    `json:"image,omitempty"`   // URL
	Densest   bool      `json:"densest,omitempty"` // Text is the densest part of the page, for readability found no article
}

// ReadArticle reads the main content of a document. The text is what
// readability (Mozilla's, as ported by go-readability) takes for the article,
// or else, where that finds none, next to nothing or mostly links, the stretch of the page
// with the most words outside of links per block (after Pasternack and Roth,
// "Extracting article text from the web with maximum subsequence segmentation",
// WWW 2009). The other fields come from structured data, metadata, the
// markup, the URL and the text, in this order.
//
// It takes two to three times as long as crawler.HTML takes for the page. Pages of more than 30,000
// elements are left to the second way, which is faster.
func ReadArticle(doc *goquery.Document, url string) *Article {
	a := new(Article)
	if len(doc.Nodes) == 0 {
		return a
	}
	root := doc.Nodes[0]
	s := newSource(root, url)
	r := readable(root, url)
	a.Text, a.Densest = mainText(root, r)
	a.Title = cmp.Or(s.text("headline"), s.meta("og:title", "twitter:title"), r.title, s.title(), s.heading())
	a.Summary = cmp.Or(s.meta("og:description", "description", "twitter:description"), s.text("description"), r.excerpt)
	a.Site = cmp.Or(s.meta("og:site_name", "application-name"), s.text("publisher"), r.site)
	a.Lang = cmp.Or(s.language(), strings.ReplaceAll(s.meta("og:locale"), "_", "-"), s.text("inLanguage"))
	a.Section = cmp.Or(s.text("articleSection"), s.meta("article:section", "section", "parsely-section"))
	a.Authors = s.authors(r.byline)
	a.Published, a.Modified = s.published(), s.modified()
	if img := cmp.Or(s.meta("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"), s.text("image"), r.image); img != "" {
		a.Image, _ = urlnorm.URL(s.base, img)
	}
	return a
}

// source is where the facts about an article come from.
type source struct {
	root  *html.Node
	url   string
	base  string
	items []*Item // articles first
	metas map[string]string
	many  map[string][]string // of authors, who may be several
}

func newSource(root *html.Node, url string) *source {
	s := &source{root: root, url: url, base: baseOf(root, url), metas: map[string]string{}, many: map[string][]string{}}
	all := itemsOf(root, s.base)
	for _, wanted := range []bool{true, false} {
		for _, i := range all {
			if article(i) == wanted && i.Source != "meta" {
				s.items = append(s.items, i)
			}
		}
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "meta" && len(s.metas) < maxItems {
			name, content := metaPair(n)
			if name == "" {
				if equiv, _ := attr(n, "http-equiv"); strings.EqualFold(equiv, "date") {
					name = "date"
				}
			}
			if content != "" && slices.Contains(authorNames, name) && len(s.many[name]) < maxAuthors {
				s.many[name] = append(s.many[name], content)
			}
			if name != "" && content != "" && s.metas[name] == "" {
				s.metas[name] = content
			}
		}
	}
	return s
}

// article reports whether an item is a text rather than the site around it.
func article(i *Item) bool {
	for _, t := range i.Types {
		if strings.Contains(t, "Article") || strings.Contains(t, "Posting") || strings.HasSuffix(t, "Report") || t == "Recipe" {
			return true
		}
	}
	return false
}

// text returns a property of the articles of the page, else of another item
// that is a page.
func (s *source) text(name string) string {
	for _, i := range s.items {
		if article(i) || i.Is("WebPage") {
			if v := i.Text(name); v != "" {
				return v
			}
		}
	}
	return ""
}

// meta returns the first of the named metadata that the page has.
func (s *source) meta(names ...string) string {
	for _, n := range names {
		if v := s.metas[n]; v != "" {
			return v
		}
	}
	return ""
}

// first returns the first element for which ok holds.
func (s *source) first(ok func(*html.Node) bool) *html.Node {
	for n := range s.root.Descendants() {
		if n.Type == html.ElementNode && ok(n) {
			return n
		}
	}
	return nil
}

// heading is the first one of the page.
func (s *source) heading() string {
	if n := s.first(func(n *html.Node) bool { return n.Data == "h1" && n.Namespace == "" }); n != nil {
		return clip(line(n), 1000)
	}
	return ""
}

func (s *source) title() string {
	if n := s.first(func(n *html.Node) bool { return n.Data == "title" && n.Namespace == "" }); n != nil {
		return line(n)
	}
	return ""
}

func (s *source) language() string {
	if n := s.first(func(n *html.Node) bool { return n.Data == "html" }); n != nil {
		lang, _ := attr(n, "lang")
		return strings.TrimSpace(lang)
	}
	return ""
}

const maxAuthors = 20

// authors returns the names of those who wrote the article.
func (s *source) authors(byline string) (names []string) {
	add := func(name string) {
		name = cleanName(name)
		if name == "" || len(names) == maxAuthors {
			return
		}
		for _, n := range names {
			if strings.HasPrefix(strings.ToLower(name), strings.ToLower(n)) {
				return
			}
		}
		names = append(names, name)
	}
	for _, i := range s.items {
		if !article(i) && len(names) > 0 {
			break
		}
		for _, v := range append(i.Props["author"], i.Props["creator"]...) {
			add(asText(v))
		}
	}
	if len(names) > 0 {
		return names
	}
	for _, n := range authorNames {
		for _, name := range s.many[n] {
			add(name)
		}
		if len(names) > 0 {
			return names
		}
	}
	links := 0
	for n := range s.root.Descendants() {
		if rel, _ := attr(n, "rel"); n.Data == "a" && links < 5*maxAuthors && strings.EqualFold(strings.TrimSpace(rel), "author") {
			if links++; !about(n) {
				add(line(n))
			}
		}
	}
	if len(names) == 0 && !s.ofOther(byline) {
		for _, name := range splitNames(byline) {
			add(name)
		}
	}
	if len(names) == 0 { // as hCard has it, and not found by readability in a footer
		if n := s.first(func(n *html.Node) bool {
			class, _ := attr(n, "class")
			return strings.Contains(class, "author") && slices.Contains(strings.Fields(class), "vcard") && inArticle(n)
		}); n != nil && !about(n) {
			add(line(n))
		}
	}
	return names
}

// authorNames are the metadata that name authors, the better ones first.
var authorNames = []string{"author", "article:author", "og:author", "og:article:author", "citation_author", "byl", "dc.creator", "dcterms.creator", "dc:creator", "dcterms:creator", "parsely-author", "sailthru.author", "twitter:creator"}

// about reports whether an element stands in a picture or a quotation, whose author
// is another one.
func about(n *html.Node) bool {
	for p := n; p != nil; p = p.Parent {
		switch p.Data {
		case "figure", "figcaption", "blockquote", "q":
			return true
		case "article", "main", "body":
			return false
		}
		class, _ := attr(p, "class")
		for c := range strings.FieldsSeq(strings.ToLower(class)) {
			if c == "quote" || c == "blockquote" || c == "pullquote" || c == "quote-author" || c == "caption" {
				return true
			}
		}
	}
	return false
}

// ofOther reports whether a byline is that of a picture or a quotation.
func (s *source) ofOther(byline string) bool {
	if byline = strings.Join(strings.Fields(byline), " "); byline == "" {
		return false
	}
	looked := 0
	n := s.first(func(n *html.Node) bool {
		class, _ := attr(n, "class")
		class = strings.ToLower(class)
		if looked == maxAuthors || !strings.Contains(class, "author") && !strings.Contains(class, "byline") {
			return false
		}
		looked++
		return strings.Contains(line(n), byline)
	})
	return n != nil && about(n)
}

// byTime is where the time of an article begins that stands behind its byline.
var byTime = regexp.MustCompile(`(?i)[\s|,·•–-]*(?:\b(?:published|posted|updated)\b.*|(?:\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?,? )?(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\pL*\.? \d{1,2},? \d{4}|\d{1,2}\.? \pL{3,9}\.? \d{4}|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}).*)$`)

// splitNames parts the names of a byline: "By Jenny Smith, John Doe and Jim Roe". A comma
// before a single word parts none: "Smith, Jr." and "Smith, Reuters".
func splitNames(byline string) (names []string) {
	byline = cleanName(byTime.ReplaceAllString(strings.Join(strings.Fields(byline), " "), ""))
	for _, and := range []string{" and ", " und ", " et ", " y ", " & ", "; "} {
		byline = strings.ReplaceAll(byline, and, "\n")
	}
	for part := range strings.SplitSeq(byline, "\n") {
		for name := range strings.SplitSeq(part, ", ") {
			name = strings.Trim(name, " ,")
			if last := len(names) - 1; last >= 0 && part != name && !strings.Contains(name, " ") && name != "" && strings.Contains(part, names[last]+", ") {
				names[last] += ", " + name
			} else if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// cleanName cuts "By" before a name. What is no name but an address is empty.
func cleanName(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	for _, by := range []string{"by: ", "by ", "von ", "par ", "por ", "di ", "door "} {
		if len(s) > len(by) && strings.EqualFold(s[:len(by)], by) {
			s = s[len(by):]
			break
		}
	}
	if strings.Contains(s, "://") || strings.HasPrefix(s, "@") || len(s) > 200 {
		return ""
	}
	return s
}
