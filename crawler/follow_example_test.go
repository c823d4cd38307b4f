package crawler_test

import (
	"fmt"
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// show prints which links a Follow takes from a page at depth 2.
func show(f crawler.Follow, urls ...string) {
	page := &crawler.Page{
		URL:      "http://www.example.com/",
		Response: &crawler.Response{Request: frontier.Request{URL: "http://www.example.com/", Depth: 2}},
	}
	for _, u := range urls {
		_, ok := f(page, crawler.Link{URL: u})
		fmt.Println(ok, u)
	}
}

// A focused crawler gives a priority to what it follows.
func ExampleFollow() {
	bees := func(_ *crawler.Page, link crawler.Link) (float64, bool) {
		if strings.Contains(strings.ToLower(link.Text), "bee") {
			return 1, true
		}
		return 0, true
	}
	p, ok := bees(nil, crawler.Link{URL: "http://example.com/keeping", Text: "Bee keeping"})
	fmt.Println(p, ok)
	// Output: 1 true
}

func ExampleAny() {
	show(crawler.Any, "http://example.com/", "https://example.org/x")
	// Output:
	// true http://example.com/
	// true https://example.org/x
}

func ExampleSameHost() {
	show(crawler.SameHost("http://www.example.com/"), "https://www.example.com/x", "http://example.com/", "http://www.example.com:8080/")
	// Output:
	// true https://www.example.com/x
	// false http://example.com/
	// false http://www.example.com:8080/
}

func ExampleSameSite() {
	show(crawler.SameSite("http://www.example.com/"), "https://example.com/x", "http://docs.example.com/", "http://example.org/")
	// Output:
	// true https://example.com/x
	// true http://docs.example.com/
	// false http://example.org/
}

func ExamplePrefix() {
	show(crawler.Prefix("http://example.com/docs/"), "http://example.com/docs/a", "http://example.com/docs-old/")
	// Output:
	// true http://example.com/docs/a
	// false http://example.com/docs-old/
}

func ExampleMaxDepth() {
	show(crawler.MaxDepth(crawler.Any, 2), "http://example.com/") // from a page at depth 2
	show(crawler.MaxDepth(crawler.Any, 3), "http://example.com/")
	// Output:
	// false http://example.com/
	// true http://example.com/
}

func ExampleInclude() {
	show(crawler.Include(crawler.Any, "/docs/**", "*.pdf"), "http://example.com/docs/a/b", "http://example.com/x/y.pdf", "http://example.com/blog/")
	// Output:
	// true http://example.com/docs/a/b
	// true http://example.com/x/y.pdf
	// false http://example.com/blog/
}

func ExampleExclude() {
	show(crawler.Exclude(crawler.SameSite("http://example.com"), "/calendar/**", "*?print=*"),
		"http://example.com/calendar/2031/05", "http://example.com/a?print=1", "http://example.com/a")
	// Output:
	// false http://example.com/calendar/2031/05
	// false http://example.com/a?print=1
	// true http://example.com/a
}

func ExampleSkipFiles() {
	show(crawler.SkipFiles(crawler.Any), "http://example.com/photo.jpg", "http://example.com/paper.pdf", "http://example.com/archive.tar.gz")
	// Output:
	// false http://example.com/photo.jpg
	// true http://example.com/paper.pdf
	// false http://example.com/archive.tar.gz
}
