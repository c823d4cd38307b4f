// Package purpose lets a crawl tell the Fetchers of all rooms what a fetch is for,
// where its URL does not.
package purpose

import (
	"context"
	"net/url"
)

type robotsKey struct{}

// Robots returns a context whose fetches are for a robots.txt, also where
// redirects have led to another path.
func Robots(ctx context.Context) context.Context {
	return context.WithValue(ctx, robotsKey{}, true)
}

// IsRobots reports whether a fetch is for a robots.txt.
func IsRobots(ctx context.Context, rawurl string) bool {
	if ctx.Value(robotsKey{}) != nil {
		return true
	}
	u, err := url.Parse(rawurl)
	return err == nil && u.Path == "/robots.txt"
}
