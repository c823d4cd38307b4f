package content

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"github.com/mmcdole/gofeed"
	nethtml "golang.org/x/net/html"
)

// salvage reads a feed in XML that gofeed refuses as a whole: what stands before
// the first item, and each item, as a feed of its own. An item that is refused then
// is read by its tags alone.
func (d *document) salvage(ctx context.Context, body []byte, cause error) error {
	items := itemsOf(body)
	head := body
	if len(items) > 0 {
		head = body[:items[0].from]
	}
	open, end := rootOf(head)
	if about, err := readFeed(append(bytes.Clone(head), end...)); err == nil {
		d.about(about)
	} else if open != "" {
		d.title = textOf(fieldsOf(head)["title"])
	}
	n := 0
	for _, at := range items[:min(len(items), mostItems)] {
		if n%64 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		raw := body[at.from:at.to]
		one, err := readFeed([]byte(open + string(raw) + "</" + at.tag + ">" + end))
		item := &gofeed.Item{}
		if err == nil && len(one.Items) == 1 {
			item = one.Items[0]
		} else {
			f := fieldsOf(raw)
			item.Title, item.Description = f["title"], cmp.Or(f["encoded"], f["content"], f["description"], f["summary"])
			item.Link = cmp.Or(f["link"], f["guid"], f["id"])
			if !strings.HasPrefix(item.Link, "http") && f["link"] == "" {
				item.Link = ""
			}
			if f["enclosure"] != "" {
				item.Enclosures = []*gofeed.Enclosure{{URL: f["enclosure"]}}
			}
		}
		if item.Title+item.Link+item.GUID+item.Description+item.Content == "" {
			continue
		}
		n++
		d.item(item)
	}
	if n == 0 && d.title == "" {
		return cause
	}
	d.flaws = append(d.flaws, "feed: "+cause.Error())
	return nil
}

// itemPlace is where an item of a feed stands.
type itemPlace struct {
	from, to int
	tag      string
}

// itemsOf finds the items of a feed in XML by their tags. An item ends with its
// end tag, or where the next one begins. Comments and CDATA sections are skipped
// where they are whole.
func itemsOf(body []byte) (items []itemPlace) {
	open := false
	for at := 0; at < len(body); {
		i := bytes.IndexByte(body[at:], '<')
		if i < 0 {
			break
		}
		at += i
		rest := body[at:]
		switch {
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			at += len("<![CDATA[") + whole(rest[len("<![CDATA["):], "]]>", "<![CDATA[")
			continue
		case bytes.HasPrefix(rest, []byte("<!--")):
			at += len("<!--") + whole(rest[len("<!--"):], "-->", "<!--")
			continue
		}
		for _, tag := range [...]string{"item", "entry"} {
			switch {
			case isTag(rest[1:], tag):
				if open {
					items[len(items)-1].to = at
				}
				open = true
				items = append(items, itemPlace{at, len(body), tag})
			case len(rest) > 1 && rest[1] == '/' && open && isTag(rest[2:], items[len(items)-1].tag):
				items[len(items)-1].to = at
				open = false
			}
		}
		at++
	}
	return items
}

// whole returns the length of what goes to its end, 0 where another one begins
// before, or an item does in a comment: the end is missing then.
func whole(b []byte, end, start string) int {
	i := bytes.Index(b, []byte(end))
	if i < 0 || bytes.Contains(b[:i], []byte(start)) {
		return 0
	}
	if start == "<!--" && (bytes.Contains(b[:i], []byte("<item")) || bytes.Contains(b[:i], []byte("<entry"))) {
		return 0
	}
	return i + len(end)
}

// isTag reports whether the name of a tag begins b, whatever its case.
func isTag(b []byte, name string) bool {
	if len(b) <= len(name) || !strings.EqualFold(string(b[:len(name)]), name) {
		return false
	}
	c := b[len(name)]
	return c == '>' || c == '/' || c <= ' '
}

// rootOf returns the start tags that an item of the feed which begins with head
// stands in, with the namespaces that they declare, and the end tags.
func rootOf(head []byte) (open, end string) {
	z := nethtml.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			return "<rss version=\"2.0\"><channel>", "</channel></rss>"
		case nethtml.StartTagToken:
			raw := string(z.Raw())
			name, _, _ := strings.Cut(strings.Trim(raw, "<>"), " ")
			name, _, _ = strings.Cut(strings.TrimSpace(name), "\n")
			switch low := strings.ToLower(name); {
			case len(raw) > 4096:
			case low == "rss":
				return raw + "<channel>", "</channel></" + name + ">"
			case low == "feed" || strings.HasSuffix(low, ":rdf") || strings.HasSuffix(low, ":feed"):
				return raw, "</" + name + ">"
			}
		}
	}
}

// fieldsOf reads the elements of an item, or of what stands before the first one,
// by their tags: the text or markup of each, the first of each name. An element
// without end tag ends where the next of them begins.
func fieldsOf(raw []byte) map[string]string {
	fields := make(map[string]string)
	field, text := "", strings.Builder{}
	store := func() {
		if value := strings.TrimSpace(text.String()); field != "" && fields[field] == "" {
			fields[field] = value
		}
		field = ""
		text.Reset()
	}
	z := nethtml.NewTokenizer(bytes.NewReader(raw))
	z.AllowCDATA(true)
	for {
		kind := z.Next()
		token := string(z.Raw())
		switch kind {
		case nethtml.ErrorToken:
			text.WriteString(strings.TrimPrefix(token, "<![CDATA["))
			store()
			return fields
		case nethtml.TextToken:
			if inner, ok := strings.CutPrefix(token, "<![CDATA["); ok {
				text.WriteString(strings.TrimSuffix(inner, "]]>"))
			} else {
				text.WriteString(html.UnescapeString(token))
			}
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
			z.NextIsNotRawText()
			name, more := z.TagName()
			known := fieldName(string(name))
			if known == "" {
				text.WriteString(token)
				continue
			}
			store()
			field = known
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				if string(key) == "href" && known == "link" || string(key) == "url" && known == "enclosure" {
					text.Write(value)
				}
			}
			if kind == nethtml.SelfClosingTagToken {
				store()
			}
		case nethtml.EndTagToken:
			if name, _ := z.TagName(); fieldName(string(name)) != "" {
				store()
			} else {
				text.WriteString(token)
			}
		}
	}
}

// fieldName returns the name that an element of an item goes by, empty for others.
func fieldName(tag string) string {
	switch tag {
	case "title", "link", "guid", "id", "description", "summary", "content", "enclosure", "pubdate", "updated", "published", "author", "category", "comments":
		return tag
	case "content:encoded":
		return "encoded"
	}
	return ""
}

// salvageJSON reads the items of a JSON feed that breaks off.
func (d *document) salvageJSON(body []byte, cause error) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return cause
	}
	n := 0
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			break
		}
		if key != "items" {
			var value any
			if dec.Decode(&value) != nil {
				break
			}
			switch text := fmt.Sprint(value); key {
			case "title":
				d.title = text
			case "description":
				d.description = text
			}
			continue
		}
		if t, err := dec.Token(); err != nil || t != json.Delim('[') {
			break
		}
		for dec.More() && n < mostItems {
			var item map[string]any
			var raw json.RawMessage
			if dec.Decode(&raw) != nil {
				break
			}
			if json.Unmarshal(raw, &item) != nil {
				continue // no object: of no use, and no harm
			}
			text := func(key string) string { s, _ := item[key].(string); return s }
			n++
			d.item(&gofeed.Item{Title: text("title"), Link: cmp.Or(text("url"), text("external_url"), text("id")), Content: cmp.Or(text("content_html"), html.EscapeString(text("content_text"))), Description: text("summary")})
		}
		if dec.More() {
			break
		}
		if _, err := dec.Token(); err != nil {
			break
		}
	}
	if n == 0 && d.title == "" {
		return cause
	}
	d.flaws = append(d.flaws, "feed: "+cause.Error())
	return nil
}
