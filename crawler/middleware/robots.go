package middleware

import (
	"context"
	"net/http"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/crawler/internal/purpose"
	"github.com/webquarry/quarry/frontier"
)

// ForbiddenRobots has a robots.txt that is itself forbidden, by status 401 or 403,
// forbid everything. RFC 9309 has it allow everything, as other 4xx do, and so has
// a Crawler without this.
func ForbiddenRobots(next crawler.Fetcher) crawler.Fetcher {
	return around.Of(next, func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		resp, err := next.Fetch(ctx, req)
		if err != nil || resp.Status != http.StatusUnauthorized && resp.Status != http.StatusForbidden {
			return resp, err
		}
		if !purpose.IsRobots(ctx, req.URL) {
			return resp, nil
		}
		denied := *resp
		denied.Status, denied.Body = http.StatusOK, []byte("User-agent: *\nDisallow: /\n")
		return &denied, nil
	})
}
