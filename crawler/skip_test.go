package crawler_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/frontier"
)

type unwanted string

func (u unwanted) Error() string      { return "not wanted" }
func (u unwanted) SkipReason() string { return string(u) }

// TestFetcherSkips: a URL that a Fetcher does not want is skipped for its
// reason, and asked for once.
func TestFetcherSkips(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		web, err := crawlertest.Parse("-- http://a.test/ --\n<a href=/b>b</a><a href=/c>c</a>\n\n-- http://a.test/c --\nc\n")
		if err != nil {
			t.Fatal(err)
		}
		const agent = "acme/1.0 (+https://acme.example/bot)"
		inner, asked := &crawler.HTTP{UserAgent: agent, Transport: web}, 0
		var got []string
		c := crawler.Crawler{
			UserAgent: agent,
			Fetcher: crawler.FetcherFunc(func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
				if req.URL == "http://a.test/b" {
					asked++
					return nil, unwanted("too dull")
				}
				return inner.Fetch(ctx, req)
			}),
			OnEvent: func(e crawler.Event) { got = append(got, string(e.Kind)+" "+e.Reason) },
		}
		if err := c.Run(t.Context(), "http://a.test/"); err != nil {
			t.Fatal(err)
		}
		if len(got) != 4 || got[1] != "skipped too dull" || asked != 1 {
			t.Errorf("events %q, asked %d times", got, asked)
		}
	})
}
