package harvest

import (
	"context"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/frontier"
)

// Links is the Sink of the first phase: it keeps the URL of each page, with
// depth, priority, label and Meta. The page on which it was found is not kept, as in the
// second phase nothing is found. A URL that Into refuses is left out.
type Links struct {
	Into frontier.Frontier // required; not that of the crawl, which knows the URLs already
}

// Put adds the page to the second phase.
func (l *Links) Put(ctx context.Context, r *crawler.Result) error {
	if r.Page == nil {
		return nil
	}
	req := r.Page.Response.Request
	_, err := l.Into.Add(ctx, frontier.Request{URL: r.Page.URL, Depth: req.Depth, Priority: req.Priority, Label: req.Label, Meta: keys.Onward(req.Meta)})
	_, err = frontier.Refusals(err)
	return err
}

// Install has each page of a Crawler added to Into once its Sink, if there is one, has it.
func (l *Links) Install(c *crawler.Crawler) error {
	if l.Into == nil || l.Into == c.Frontier {
		return &crawler.ConfigError{What: "links", Value: "of a first phase", Why: "want another Frontier than that of the Crawler to be put into"}
	}
	before := c.Sink
	c.Sink = crawler.SinkFunc(func(ctx context.Context, r *crawler.Result) error {
		if before != nil {
			if err := before.Put(ctx, r); err != nil {
				return err
			}
		}
		return l.Put(ctx, r)
	})
	return nil
}

var _ crawler.Plugin = (*Links)(nil)

// Raw is the Parser of the second phase. It reads nothing: a page is its
// Response and its URL.
type Raw struct{}

// Parse returns the response as a page.
func (Raw) Parse(_ context.Context, resp *crawler.Response) (*crawler.Page, error) {
	return &crawler.Page{Response: resp}, nil
}
