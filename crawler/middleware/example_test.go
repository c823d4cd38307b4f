package middleware_test

import (
	"context"
	"fmt"
	"net/http"
	"os"

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
