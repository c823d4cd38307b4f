package crawler

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestRedirectsOfAnotherTime: a page that redirected to another, and is visited again
// later than that, makes no circle with what that one has come to answer.
func TestRedirectsOfAnotherTime(t *testing.T) {
	t.Parallel()
	for name, home := range map[string]string{
		"a redirect, then a page": "<a href=/old>o</a> <a href=/new>n</a>",
		"a page, then a redirect": "<a href=/new>n</a> <a href=/old>o</a>",
		"found by the redirect":   "<a href=/old>o</a>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := over(t, "-- http://a.test/ --\n"+home+`
-- http://a.test/old --
HTTP 302
Location: /new

-- http://a.test/old --
<title>back</title>
-- http://a.test/new --
<title>new</title>
-- http://a.test/new --
HTTP 302
Location: /old
`)
				c.Workers = 1
				c.Frontier = frontier.New(frontier.Options{Horizon: 48 * time.Hour})
				times := map[string]int{}
				c.Revisit = func(req frontier.Request, _ *Response, err error) frontier.Outcome {
					times[req.URL]++
					if err != nil || times[req.URL] > 1 || req.URL == "http://a.test/" {
						return frontier.Outcome{}
					}
					wait := 24 * time.Hour
					if req.URL == "http://a.test/old" {
						wait += time.Hour // so that the other one comes first
					}
					return frontier.Outcome{Again: time.Now().Add(wait)}
				}
				c.run(t, "http://a.test/")
				if s := c.events[len(c.events)-1].Summary; len(s.Failed) != 0 {
					t.Errorf("failures: %v", s.Failed)
				}
				c.wantPut(t, "http://a.test/", "http://a.test/new", "http://a.test/old")
				if e := c.about("http://a.test/new"); len(e) != 2 || e[1].Reason != SkipRedirect {
					t.Errorf("events %+v", e)
				}
			})
		})
	}
}
