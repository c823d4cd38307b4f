package crawler

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// TestFragments: to a server the part behind # is nothing, so pages that differ
// in it are one; to a browser routes are pages, and it is given them.
func TestFragments(t *testing.T) {
	t.Parallel()
	const web = `
-- http://a.test/ --
<a href="/p#top">1</a> <a href="/p#end">2</a> <a href="/#/topic/1">3</a> <a href="/#/topic/2">4</a> <a href="/#!/x">5</a>
-- http://a.test/p --
p
`
	for name, tt := range map[string]struct {
		fragments urlnorm.Fragments
		asked     []string
	}{
		"HTTP":    {urlnorm.DropFragments, []string{"http://a.test/", "http://a.test/p"}},
		"browser": {urlnorm.KeepRoutes, []string{"http://a.test/", "http://a.test/#!/x", "http://a.test/#/topic/1", "http://a.test/#/topic/2", "http://a.test/p"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := over(t, web)
				c.Canon = &urlnorm.Profile{Fragments: tt.fragments}
				inner := c.Fetcher
				var mu sync.Mutex
				var asked []string
				c.Fetcher = FetcherFunc(func(ctx context.Context, req frontier.Request) (*Response, error) {
					if req.URL != "http://a.test/robots.txt" {
						mu.Lock()
						asked = append(asked, req.URL)
						mu.Unlock()
					}
					return inner.Fetch(ctx, req)
				})
				c.run(t, "http://a.test/")
				if slices.Sort(asked); !slices.Equal(asked, tt.asked) {
					t.Errorf("asked for %q, want %q", asked, tt.asked)
				}
			})
		})
	}
}
