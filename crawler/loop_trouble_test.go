package crawler

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestTroubledPages: pages that do not work do not keep a crawl from those of
// their host that do. Twenty in a row that get no answer are taken for a host that is
// away at first.
func TestTroubledPages(t *testing.T) {
	t.Parallel()
	for kind, most := range map[Kind]time.Duration{
		ErrSlow: 5 * time.Minute, ErrTimeoutTotal: 5 * time.Minute, ErrBroken: 5 * time.Minute, ErrDecode: 5 * time.Minute,
		ErrProtocol: 5 * time.Minute, ErrNoAnswer: 30 * time.Hour, ErrTimeoutHeader: 30 * time.Hour,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := over(t, "")
				c.IgnoreRobots = true
				c.Fetcher = FetcherFunc(func(_ context.Context, r frontier.Request) (*Response, error) {
					if strings.Contains(r.URL, "bad") {
						return nil, &FetchError{URL: r.URL, Kind: kind}
					}
					return &Response{Status: 200, Body: []byte("x")}, nil
				})
				var seeds []string
				for n := range 20 {
					seeds = append(seeds, fmt.Sprintf("http://a.test/bad%d", n))
				}
				for n := range 20 {
					seeds = append(seeds, fmt.Sprintf("http://a.test/good%d", n))
				}
				start := time.Now()
				c.run(t, seeds...)
				if took := time.Since(start); len(c.put) != 20 || took > most {
					t.Errorf("put %d pages in %v", len(c.put), took)
				}
			})
		})
	}
}
