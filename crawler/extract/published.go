package extract

import (
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/html"
)

var (
	publishedNames = []string{"article:published_time", "og:published_time", "og:article:published_time", "datepublished", "date.issued", "dc.date.issued", "dcterms.issued", "dc.date", "dcterms.date", "dc.date.created", "dcterms.created",
		"pubdate", "publishdate", "publish_date", "publish-date", "publication_date", "published_at", "parsely-pub-date", "sailthru.date", "article.published", "displaydate", "citation_publication_date", "citation_date", "bt:pubdate", "ptime", "article:published", "dc.issued", "dc.created", "dc:created", "dcterms:created", "dc:date", "dcterms:date", "dc:issued", "dcterms:issued", "prism.publicationdate", "prism.publication_date", "citation_online_date", "originalpublicationdate", "article.created", "article_date_original", "date", "created"}
	modifiedNames = []string{"article:modified_time", "og:updated_time", "og:modified_time", "datemodified", "dcterms.modified", "dc.date.modified", "last-modified", "lastmod", "article.updated", "utime", "dc.modified", "dc:modified", "dcterms:modified", "article:modified", "prism.modificationdate", "revised", "modified"}

	publishedText = regexp.MustCompile(`(?i)^\W*(?:published|posted|written|created|first published|date|veröffentlicht|erschienen|publié|posté|publicado|pubblicato|gepubliceerd)\b`)
	modifiedText  = regexp.MustCompile(`(?i)^\W*(?:last )?(?:updated?|modified|edited|changed|revised|aktualisiert|zuletzt (?:geändert|aktualisiert|bearbeitet)|stand|mis à jour|modifié|actualizado|aggiornato|bijgewerkt)\b`)

	urlDate = regexp.MustCompile(`[/_-]((?:19|20)\d\d)[/-](\d\d?)[/-](\d\d?)(?:[/_.-]|$)`)
	urlDay  = regexp.MustCompile(`[/_-]((?:19|20)\d\d)(\d\d)(\d\d)(?:[/_.-]|$)`)
)

// published finds when the article was published.
func (s *source) published() time.Time {
	if t := s.stated("datePublished", "dateCreated", "uploadDate"); !t.IsZero() {
		return t
	}
	if t := s.metaTime(publishedNames); !t.IsZero() {
		return t
	}
	return s.marked("datepublished", "pubdate", publishedText, true)
}

// modified finds when it was changed last.
func (s *source) modified() time.Time {
	if t := s.stated("dateModified"); !t.IsZero() {
		return t
	}
	if t := s.metaTime(modifiedNames); !t.IsZero() {
		return t
	}
	return s.marked("datemodified", "", modifiedText, false)
}

// stated finds a time in the structured data.
func (s *source) stated(names ...string) time.Time {
	for _, i := range s.items {
		for _, n := range names {
			if t, err := ParseTime(i.Text(n)); err == nil {
				return t
			}
		}
	}
	return time.Time{}
}

func (s *source) metaTime(names []string) time.Time {
	for _, n := range names {
		if v := s.metas[n]; v != "" {
			if t, err := ParseTime(v); err == nil {
				return t
			}
		}
	}
	return time.Time{}
}

// marked finds a time in the markup: in an element with that itemprop or
// attribute, in a text that begins as label says, and if anywhere will do in
// the first time element of an article and in the URL.
func (s *source) marked(prop, flag string, label *regexp.Regexp, anywhere bool) time.Time {
	var byText, byClass, first time.Time
	labels := 0
	for n := range s.root.Descendants() {
		if n.Type == html.TextNode && byText.IsZero() && labels < mostLabels && len(n.Data) < 200 && label.MatchString(n.Data) {
			labels++
			byText = labelled(n)
			continue
		}
		if n.Type != html.ElementNode {
			continue
		}
		p, _ := attr(n, "itemprop")
		_, flagged := attr(n, flag)
		if strings.EqualFold(p, prop) || flag != "" && flagged {
			if t, err := ParseTime(elementText(n, Time)); err == nil {
				return t
			}
		}
		if t, known := markedByClass(n); known == prop && byClass.IsZero() {
			byClass = t
		} else if n.Data == "time" && first.IsZero() && known == "" && inArticle(n) {
			first, _ = ParseTime(elementText(n, Time))
		}
	}
	switch {
	case !byClass.IsZero():
		return byClass
	case !byText.IsZero():
		return byText
	case anywhere && !first.IsZero():
		return first
	case anywhere:
		return dateOfURL(s.url)
	}
	return time.Time{}
}

// mostLabels is how many texts of a page that begin as a label does are looked at.
const mostLabels = 100

// Classes that mark times, as microformats and the common engines of sites have them.
var (
	publishedClasses = map[string]bool{"published": true, "dt-published": true, "entry-date": true, "publish-date": true, "published-date": true, "date-published": true, "post-date": true, "pubdate": true, "pub-date": true, "publication-date": true, "article-date": true}
	modifiedClasses  = map[string]bool{"updated": true, "dt-updated": true, "modified": true, "date-modified": true, "last-updated": true, "updated-date": true}
)

// markedByClass reads the time of an element in an article whose class says which one it
// is: the itemprop that it stands for, or "".
func markedByClass(n *html.Node) (t time.Time, prop string) {
	class, ok := attr(n, "class")
	if !ok || len(class) > 1000 {
		return t, ""
	}
	for c := range strings.FieldsSeq(strings.ToLower(class)) {
		if publishedClasses[c] {
			prop = "datepublished" // also where it was not changed since, and has both
			break
		} else if modifiedClasses[c] {
			prop = "datemodified"
		}
	}
	if prop == "" || !inArticle(n) {
		return t, ""
	}
	text := elementText(n, Time)
	if title, ok := attr(n, "title"); ok && n.Data == "abbr" {
		text = title
	}
	if len(text) > 200 {
		return t, ""
	}
	if t, _ = ParseTime(text); t.IsZero() {
		return t, ""
	}
	return t, prop
}

// labelled reads the time after a label: in the same text, or in the element
// around it when that is short.
func labelled(n *html.Node) time.Time {
	if t, err := ParseTime(n.Data); err == nil {
		return t
	}
	for p, up := n.Parent, 0; p != nil && up < 2; p, up = p.Parent, up+1 {
		s := line(p)
		if len(s) > 200 {
			break
		}
		if t, err := ParseTime(s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// inArticle reports whether an element is in what a page is about, as far as
// the kinds of the elements around it tell. The footer of an article is.
func inArticle(n *html.Node) bool {
	header, footer := false, false
	for p := n.Parent; p != nil; p = p.Parent {
		switch p.Data {
		case "article", "main":
			return true
		case "aside", "nav":
			return false
		case "header":
			header = true
		case "footer":
			footer = true
		}
	}
	return header && !footer
}

// dateOfURL reads a date in a URL, as in /2024/05/06/.
func dateOfURL(u string) time.Time {
	for _, re := range []*regexp.Regexp{urlDate, urlDay} {
		if m := re.FindStringSubmatch(u); m != nil {
			if t, err := ParseTime(m[1] + "-" + pad(m[2]) + "-" + pad(m[3])); err == nil {
				return t
			}
		}
	}
	return time.Time{}
}

func pad(s string) string {
	if len(s) == 1 {
		return "0" + s
	}
	return s
}
