package live_test

import (
	"context"
	"fmt"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
)

// What workers are at, seen from within a Fetcher.
func ExampleControl_Workers() {
	control := new(live.Control)
	c := crawler.Crawler{UserAgent: "acme/1.0 (+https://acme.example/bot)", Workers: 1, IgnoreRobots: true,
		Fetcher: crawler.FetcherFunc(func(context.Context, frontier.Request) (*crawler.Response, error) {
			for _, w := range control.Workers() {
				fmt.Println(w.Phase, w.URL)
			}
			return &crawler.Response{Status: 200}, nil
		})}
	if err := c.Run(live.With(context.Background(), control), "http://a.test/"); err != nil {
		fmt.Println(err)
	}
	// Output: fetching http://a.test/
}
