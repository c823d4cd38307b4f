package middleware_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/frontier"
)

const agent = "acme/1.0 (+https://acme.example/bot)"

func web() *crawlertest.Web {
	w, err := crawlertest.Parse(`
-- http://a.test/ --
HTTP 200
Content-Type: text/html
Cache-Control: max-age=3600

<title>Home</title>
`)
	if err != nil {
		panic(err)
	}
	return w
}

func ExampleCache() {
	web := web()
	cache := &middleware.Cache{} // Store: an OpenDisk, to outlast the process
	fetcher := middleware.Chain(&crawler.HTTP{UserAgent: agent, Transport: web}, cache.Wrap)
	for range 3 {
		resp, err := fetcher.Fetch(context.Background(), frontier.Request{URL: "http://a.test/"})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d %q\n", resp.Status, resp.Header.Get("Cache-Status"))
	}
	fmt.Println(len(web.Requests()), "request")
	// Output:
	// 200 ""
	// 200 "quarry; hit"
	// 200 "quarry; hit"
	// 1 request
}

// Pages of an API are asked for by POST, the others as ever.
func ExampleShape() {
	shape := middleware.Shape(func(req frontier.Request) crawler.Ask {
		if req.Label != "api" {
			return crawler.Ask{}
		}
		return crawler.Ask{
			Method: http.MethodPost,
			Header: http.Header{"Content-Type": {"application/json"}},
			Body:   []byte(`{"page":1}`),
		}
	})
	c := crawler.Crawler{UserAgent: agent, Fetcher: shape(&crawler.HTTP{UserAgent: agent, Transport: web()}), IgnoreRobots: true}
	fmt.Println(c.Run(context.Background(), "http://a.test/"))
	// Output: <nil>
}

func ExampleMetrics() {
	set := metrics.NewSet()
	fetcher := middleware.Metrics{Set: set}.Wrap(&crawler.HTTP{UserAgent: agent, Transport: web()})
	fetcher.Fetch(context.Background(), frontier.Request{URL: "http://a.test/"})
	for _, name := range set.ListMetricNames() {
		if name == `quarry_fetches_total{result="200"}` {
			fmt.Println(name)
		}
	}
	// Output: quarry_fetches_total{result="200"}
}

func ExampleAuth() {
	// A token for one origin, and a new one whenever the server wants it.
	auth := &middleware.Auth{
		Origin: "https://api.example",
		Value: middleware.Bearer(func(ctx context.Context) (string, error) {
			return os.Getenv("API_TOKEN"), nil
		}),
	}
	fetcher := middleware.Chain(&crawler.HTTP{UserAgent: agent, Transport: web()},
		(&middleware.Rate{Requests: 5}).Wrap, // at most five a second, whatever crawls share it
		auth.Wrap,
		middleware.Retry{}.Wrap)
	resp, err := fetcher.Fetch(context.Background(), frontier.Request{URL: "http://a.test/"})
	fmt.Println(resp.Status, err)
	// Output: 200 <nil>
}

// A page that is nothing without its scripts goes on to the browser, any other
// does not.
func ExampleEscalate() {
	web := crawler.FetcherFunc(func(_ context.Context, req frontier.Request) (*crawler.Response, error) {
		body := "<h1>A page of words that anybody can read.</h1>"
		if strings.HasSuffix(req.URL, "/app") {
			body = `<div id="root"></div><script src="/app.js"></script>`
		}
		return &crawler.Response{Request: req, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(body)}, nil
	})
	// In a crawl this is a *chrome.Fetcher.
	browser := crawler.FetcherFunc(func(_ context.Context, req frontier.Request) (*crawler.Response, error) {
		return &crawler.Response{Request: req, Status: 200, Body: []byte("<h1>What the scripts have made.</h1>")}, nil
	})
	f := (&middleware.Escalate{To: browser, Gap: -1}).Wrap(web)
	for _, url := range []string{"https://a.example/", "https://a.example/app"} {
		resp, err := f.Fetch(context.Background(), frontier.Request{URL: url})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n", resp.Body)
	}
	// Output:
	// <h1>A page of words that anybody can read.</h1>
	// <h1>What the scripts have made.</h1>
}

// One Pace for all that goes to servers: pages by HTTP, and what a browser loads.
func ExamplePace() {
	pace := &middleware.Pace{
		Gap: 2 * time.Second,
		Host: func(host string) time.Duration {
			if host == "cdn.example" {
				return 100 * time.Millisecond
			}
			return 0 // Gap
		},
	}
	base := pace.Wrap(&crawler.HTTP{UserAgent: "acme/1.0 (+https://acme.example/bot)"})
	_ = base // Fetcher of a Crawler, and Via of a chrome.Fetcher
}
