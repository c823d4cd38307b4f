package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/frontier"
)

const shop = `
-- http://shop.example/ --
<title>Shop</title>
<a href="/tea">Tea</a> <a href="/cups">Cups</a> <a href="http://elsewhere.example/">Elsewhere</a>

-- http://shop.example/tea --
<title>Tea</title>
<a href="/cups">Cups</a> <a href="/old">An offer</a>

-- http://shop.example/cups --
<title>Cups</title>

-- http://shop.example/old --
HTTP 410
`

const agent = "acme/1.0 (+https://acme.example/bot)"

// web returns a Fetcher for a web in memory, in place of &crawler.HTTP{UserAgent: agent}.
func web(text string) *crawler.HTTP {
	w, err := crawlertest.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	return &crawler.HTTP{UserAgent: agent, Transport: w}
}

// quick is a Frontier for examples that need not be polite.
func quick() frontier.Frontier {
	return frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1}})
}

func ExampleCrawler_Pages() {
	c := crawler.Crawler{UserAgent: agent, Fetcher: web(shop), Frontier: quick(), Workers: 1}
	for page, err := range c.Pages(context.Background(), "http://shop.example/") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(page.URL, page.Title)
	}
	// Unordered output:
	// http://shop.example/ Shop
	// http://shop.example/tea Tea
	// http://shop.example/cups Cups
}

func ExampleCrawler_Run() {
	c := crawler.Crawler{
		UserAgent: agent,
		Fetcher:   web(shop),
		Frontier:  quick(),
		Workers:   1,
		Budget:    crawler.Budget{Depth: 2},
		Sink: crawler.Pages(func(_ context.Context, page *crawler.Page) error {
			return nil // store it
		}),
		OnEvent: func(e crawler.Event) {
			switch e.Kind {
			case crawler.Failed:
				fmt.Println(e.Err)
			case crawler.Ended:
				fmt.Println(e.Summary.Pages, "pages,", len(e.Summary.Failed), "kind of failure")
			}
		},
	}
	if err := c.Run(context.Background(), "http://shop.example/"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// crawler: http://shop.example/old: status 410
	// 3 pages, 1 kind of failure
}

func ExampleHTTP() {
	h := &crawler.HTTP{UserAgent: agent}
	defer h.Close()
	_, err := h.Fetch(context.Background(), frontier.Request{URL: "http://127.0.0.1:631/admin"})
	var fe *crawler.FetchError
	fmt.Println(errors.As(err, &fe), fe.Kind, fe.Retryable())
	fmt.Println(errors.Is(err, crawler.ErrBlockedAddr))
	fmt.Println(err)
	// Output:
	// true blocked address false
	// true
	// crawler: http://127.0.0.1:631/admin: blocked address: 127.0.0.1:631 is not a public address (AllowPrivate lets it pass)
}

// A Revisit that has every page visited again in a week, and keeps the rules
// for what went wrong.
func ExampleRetry() {
	weekly := func(req frontier.Request, resp *crawler.Response, err error) frontier.Outcome {
		out := crawler.Retry(req, resp, err)
		if err == nil && resp.Status == 200 {
			out.Again = resp.Fetched.AddDate(0, 0, 7)
		}
		return out
	}
	c := crawler.Crawler{UserAgent: agent, Fetcher: web(shop), Frontier: quick(), Revisit: weekly}
	fmt.Println(c.Run(context.Background(), "http://shop.example/"))
	// Output:
	// <nil>
}

// A middleware is a function that makes a Fetcher of a Fetcher.
func ExampleMiddleware() {
	var count crawler.Middleware = func(next crawler.Fetcher) crawler.Fetcher {
		return crawler.FetcherFunc(func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
			resp, err := next.Fetch(ctx, req)
			if err == nil {
				fmt.Println(resp.Status, req.URL)
			}
			return resp, err
		})
	}
	c := crawler.Crawler{UserAgent: agent, Fetcher: count(web(shop)), Frontier: quick(), Budget: crawler.Budget{Pages: 1}}
	if err := c.Run(context.Background(), "http://shop.example/"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 404 http://shop.example/robots.txt
	// 200 http://shop.example/
}
