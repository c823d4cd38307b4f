package content

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

// feedOf makes a feed of n items in a format, with damage in the text of one.
func feedOf(format string, n, damaged int, damage string) string {
	var b strings.Builder
	b.WriteString(map[string]string{
		"rss":  `<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>The Feed</title><link>http://h.example/</link>`,
		"atom": `<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>The Feed</title>`,
		"rdf":  `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>The Feed</title></channel>`,
		"json": `{"version":"https://jsonfeed.org/version/1.1","title":"The Feed","items":[`,
	}[format])
	for i := range n {
		text := fmt.Sprintf("Body %d of it", i)
		if i == damaged {
			text = "Body " + damage + " of it"
		}
		switch format {
		case "rss":
			fmt.Fprintf(&b, "<item><title>Item %d.</title><link>http://h.example/%d</link><description>%s</description></item>\n", i, i, text)
		case "atom":
			fmt.Fprintf(&b, "<entry><title>Item %d.</title><link href=\"http://h.example/%d\"/><content type=\"html\">%s</content></entry>\n", i, i, text)
		case "rdf":
			fmt.Fprintf(&b, "<item rdf:about=\"http://h.example/%d\"><title>Item %d.</title><link>http://h.example/%d</link><description><![CDATA[%s]]></description></item>\n", i, i, i, text)
		case "json":
			fmt.Fprintf(&b, "%s{\"title\":\"Item %d.\",\"url\":\"http://h.example/%d\",\"content_text\":\"%s\"}", map[bool]string{true: ","}[i > 0], i, i, text)
		}
	}
	b.WriteString(map[string]string{"rss": "</channel></rss>", "atom": "</feed>", "rdf": "</rdf:RDF>", "json": "]}"}[format])
	return b.String()
}

// wholeItems returns which of n items the page of a feed has with title, link and
// text.
func wholeItems(t *testing.T, body string, n int) (whole []bool, flaws []string) {
	t.Helper()
	page := parse(t, Feed{}, response("text/xml", body))
	if page.Title != "The Feed" {
		t.Errorf("title %q of %.200q", page.Title, body)
	}
	links := "\n" + urls(page.Links) + "\n"
	for i := range n {
		whole = append(whole, strings.Contains(page.Text, fmt.Sprintf("Item %d.\n", i)) && strings.Contains(page.Text, fmt.Sprintf("Body %d of it", i)) && strings.Contains(links, fmt.Sprintf("\nhttp://h.example/%d|", i)))
	}
	return whole, page.Flaws
}

// TestFeedDamage has damage in the text of one item, which costs that item at most.
func TestFeedDamage(t *testing.T) {
	t.Parallel()
	const n = 12
	damages := []string{"\xe9", "caf\xe9 caf\xe9", "\x01", "\x00", "&#1;", "\xff\xfe", "&nope;", "a & b", "a < b", "<b>", "</b>", "<![CDATA[", "]]>", "<!-- ", "<!", "<?x", "</description>", "</item>", "<title>", "<a href=x", "<a href='", "&", "\uffff", "\ufffe", "&#xd800;", "&#99999999;", "<x:y>", strings.Repeat("<b>", 500)}
	for _, format := range []string{"rss", "atom", "rdf"} {
		for _, damage := range damages {
			for _, at := range []int{0, 5, n - 1} {
				whole, flaws := wholeItems(t, feedOf(format, n, at, damage), n)
				for i, ok := range whole {
					if !ok && i != at {
						t.Errorf("%s, %.20q in item %d: item %d is lost; %.300q", format, damage, at, i, flaws)
					}
				}
			}
		}
	}
}

// TestFeedBytes has random bytes of a feed changed, left out or put in: the items
// two away from them are all there.
func TestFeedBytes(t *testing.T) {
	t.Parallel()
	const n = 8
	rounds := 400
	if testing.Short() {
		rounds = 80
	}
	rnd := rand.New(rand.NewPCG(7, 9))
	for range rounds {
		format := []string{"rss", "atom", "rdf"}[rnd.IntN(3)]
		body := feedOf(format, n, -1, "")
		first := strings.Index(body, "Item 0.")
		at := first + rnd.IntN(strings.LastIndex(body, "Body")-first)
		item := strings.Count(body[:at], "Item ") - 1
		with := []string{"", string([]byte{byte(rnd.IntN(256))}), "<", "&", "\xe9", "<!--", "<![CDATA[", "</", "]]>", ">"}[rnd.IntN(10)]
		damaged := body[:at] + with + body[min(len(body), at+rnd.IntN(3)):]
		whole, flaws := wholeItems(t, damaged, n)
		for i, ok := range whole {
			if !ok && i != item && i != item+1 {
				t.Fatalf("damage in item %d: item %d is lost; %.300q\n%q", item, i, flaws, damaged)
			}
		}
	}
}

// TestFeedBreaksOff cuts feeds anywhere: what is before the item that is cut is all
// there.
func TestFeedBreaksOff(t *testing.T) {
	t.Parallel()
	const n = 5
	for _, format := range []string{"rss", "atom", "rdf", "json"} {
		body := feedOf(format, n, -1, "")
		for end := strings.Index(body, "Body 0 of it\"") + strings.Index(body, "Body 0") + 40; end < len(body); end += 3 {
			whole, flaws := wholeItems(t, body[:end], n)
			complete := strings.Count(body[:end], "Item ") - 1
			for i := range complete {
				if !whole[i] {
					t.Fatalf("%s, cut in item %d: item %d is lost; %q", format, complete, i, flaws)
				}
			}
			if len(flaws) == 0 && end < len(strings.TrimRight(body, "\n")) {
				t.Fatalf("%s, cut at %d of %d: no flaw", format, end, len(body))
			}
		}
	}
}

// TestFeedEncodings: feeds come in what their header, their declaration or their
// bytes say.
func TestFeedEncodings(t *testing.T) {
	t.Parallel()
	const text = "Съешь же ещё этих мягких французских булок, да выпей чаю"
	var cp1251 strings.Builder
	for _, r := range text {
		switch {
		case r >= 'А' && r <= 'я':
			cp1251.WriteByte(byte(r - 'А' + 0xc0))
		case r == 'ё':
			cp1251.WriteByte(0xb8)
		default:
			cp1251.WriteRune(r)
		}
	}
	wide := func(s string) string {
		var b strings.Builder
		for _, u := range utf16.Encode([]rune(s)) {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
		return b.String()
	}
	feed := func(declaration, text string) string {
		return declaration + "<rss version='2.0'><channel><title>T</title><item><title>" + text + "</title><link>http://h.example/1</link></item></channel></rss>"
	}
	for name, c := range map[string]struct{ media, body string }{
		"by header":        {"text/xml; charset=windows-1251", feed("", cp1251.String())},
		"by declaration":   {"text/xml", feed(`<?xml version="1.0" encoding="windows-1251"?>`, cp1251.String())},
		"header and other": {"text/xml; charset=windows-1251", feed(`<?xml version="1.0" encoding="utf-8"?>`, cp1251.String())},
		"undeclared":       {"text/xml", feed("", cp1251.String())},
		"wrongly declared": {"text/xml", feed(`<?xml version="1.0" encoding="utf-8"?>`, cp1251.String())},
		"UTF-8":            {"text/xml", feed("", text)},
		"UTF-16":           {"text/xml", wide("\ufeff" + feed(`<?xml version="1.0" encoding="utf-16"?>`, text))},
		"UTF-16, no mark":  {"text/xml", wide(feed(`<?xml version="1.0" encoding="utf-16"?>`, text))},
		"says UTF-16":      {"text/xml", feed(`<?xml version="1.0" encoding="utf-16"?>`, text)},
	} {
		if page := parse(t, Feed{}, response(c.media, c.body)); page.Text != text {
			t.Errorf("%s: %q, flaws %q", name, page.Text, page.Flaws)
		}
	}
	for media, body := range map[string]string{"application/json": `["` + cp1251.String() + `"]`, "application/xml": "<r><t>" + cp1251.String() + "</t></r>", "text/xml": `<?xml version="1.0" encoding="utf-8"?><r>` + cp1251.String() + "</r>"} {
		if page := parse(t, new(ByType), response(media, body)); page.Text != text {
			t.Errorf("%s: %q, flaws %q", media, page.Text, page.Flaws)
		}
	}
	if page := parse(t, new(ByType), response("text/xml", `<?xml version="1.0" encoding="utf-8"?><doc><title>Caf`+"\xe9"+`</title></doc>`)); page.Title != "Caf\ufffd" || len(page.Flaws) == 0 {
		t.Errorf("one bad byte: %q, flaws %q", page.Title, page.Flaws)
	}
}

// TestFeedTitles: what a title holds of scripts and styles is none of its text.
func TestFeedTitles(t *testing.T) {
	t.Parallel()
	page := parse(t, Feed{}, response("text/xml", `<rss><channel><title>The &lt;script&gt;var a = "&lt;b&gt;";&lt;/script&gt;Feed</title><item><title><![CDATA[One <style>p{}</style>two <script>alert(1)</script><b>three</b>]]></title><link>/1</link></item></channel></rss>`))
	if page.Title != "The Feed" || page.Text != "One two three" {
		t.Errorf("title %q, text %q", page.Title, page.Text)
	}
}

func FuzzFeed(f *testing.F) {
	for _, format := range []string{"rss", "atom", "rdf", "json"} {
		f.Add([]byte(feedOf(format, 2, 1, "\xe9<![CDATA[<b>")))
	}
	f.Add([]byte("<rss><channel><title>T<item><title>a<link>http://a.test/<entry><!-- <item>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		page, err := (Feed{}).Parse(t.Context(), response("text/xml", string(body)))
		if (page == nil) == (err == nil) {
			t.Errorf("page %v, error %v", page, err)
		}
	})
}
