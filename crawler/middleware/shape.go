package middleware

import (
	"context"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/frontier"
)

// Shape lets ask say how each request is put to its server, by its Label, say:
// another method, headers, a body. An Ask without anything leaves it a plain GET.
func Shape(ask func(req frontier.Request) crawler.Ask) crawler.Middleware {
	return func(next crawler.Fetcher) crawler.Fetcher {
		return around.Of(next, func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
			a := ask(req)
			if a.Method == "" && a.Body == nil && len(a.Header) == 0 && !a.Anonymous {
				return next.Fetch(ctx, req)
			}
			return next.Fetch(a.Within(ctx), req)
		})
	}
}

// sleep waits, or returns the cause of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
