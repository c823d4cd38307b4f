package robots_test

import (
	"context"
	"fmt"

	"github.com/webquarry/quarry/crawler/robots"
)

func ExampleParse() {
	rules := robots.Parse([]byte(`
User-agent: *
Disallow: /private/
Allow: /private/*.gif$
Crawl-delay: 2.5
Sitemap: https://example.com/sitemap.xml
`), "foobot")
	fmt.Println(rules.Allowed("https://example.com/private/"))
	fmt.Println(rules.Allowed("https://example.com/private/logo.gif"))
	fmt.Println(rules.Delay, rules.Sitemaps)
	// Output:
	// false
	// true
	// 2.5s [https://example.com/sitemap.xml]
}

func ExampleRules_Why() {
	rules := robots.Parse([]byte("User-agent: foobot\nDisallow: /search\nAllow: /search/about\n"), "foobot")
	for _, url := range []string{"http://example.com/search?q=x", "http://example.com/search/about", "http://example.com/"} {
		v := rules.Why(url)
		fmt.Println(v.Allowed, v.Line, v.Rule)
	}
	// Output:
	// false 2 Disallow: /search
	// true 3 Allow: /search/about
	// true 0
}

func ExampleCache() {
	cache := &robots.Cache{
		Agent: "foobot",
		Fetch: func(_ context.Context, url string) (*robots.Answer, error) {
			fmt.Println("fetching", url)
			return &robots.Answer{Status: 200, Body: []byte("User-agent: *\nDisallow: /private/")}, nil
		},
	}
	for _, url := range []string{"http://example.com/", "http://example.com/private/x"} {
		entry, known := cache.Peek(url)
		if !known {
			var err error
			if entry, err = cache.Load(context.Background(), url); err != nil {
				fmt.Println(err)
			}
		}
		fmt.Println(url, entry.Allowed(url))
	}
	// Output:
	// fetching http://example.com/robots.txt
	// http://example.com/ true
	// http://example.com/private/x false
}
