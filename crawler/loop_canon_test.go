package crawler

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// TestOneProfile: whatever says what one URL is, seeds, links, redirects and
// the Fetcher all keep to it.
func TestOneProfile(t *testing.T) {
	t.Parallel()
	wrapped := parserFunc(func(ctx context.Context, r *Response) (*Page, error) { return new(HTML).Parse(ctx, r) })
	for name, tt := range map[string]struct {
		profile urlnorm.Profile
		web     string
		put     []string
	}{
		"parameters sorted and dropped": {urlnorm.Profile{SortQuery: true, Drop: []string{"sid"}}, `
-- http://a.test/?a=1&b=2 --
<a href="/p?y=2&x=1">1</a> <a href="/p?x=1&y=2">2</a> <a href="/p?sid=7&x=1&y=2">3</a> <a href="/moved">4</a> <a href="/wall">5</a> <a href="/?b=2&a=1">6</a>
-- http://a.test/p?x=1&y=2 --
<title>p</title>
-- http://a.test/moved --
HTTP 301
Location: /p?y=2&sid=8&x=1
-- http://a.test/wall --
HTTP 302
Location: /wall?sid=9
-- http://a.test/wall?sid=9 --
<title>behind the wall</title>
`, []string{"http://a.test/?a=1&b=2", "http://a.test/p?x=1&y=2", "http://a.test/wall"}},
		"all that is usually dropped kept": {urlnorm.Profile{KeepTracking: true, KeepSessions: true}, `
-- http://a.test/?b=2&a=1&utm_source=s --
<a href="/p?utm_source=x">1</a> <a href="/p?utm_source=y">2</a>
-- http://a.test/p?utm_source=x --
HTTP 302
Location: /p
-- http://a.test/p?utm_source=y --
<title>y</title>
-- http://a.test/p --
<title>p</title>
`, []string{"http://a.test/?b=2&a=1&utm_source=s", "http://a.test/p", "http://a.test/p?utm_source=y"}},
	} {
		for how, set := range map[string]func(*crawl){
			"of the crawler":           func(c *crawl) { c.Canon = &tt.profile },
			"of the parser":            func(c *crawl) { c.Parser = &HTML{Canon: &tt.profile} },
			"behind a parser":          func(c *crawl) { c.Canon, c.Parser = &tt.profile, wrapped },
			"of both, by other values": func(c *crawl) { p, q := tt.profile, tt.profile; c.Canon, c.Parser = &p, &HTML{Canon: &q} },
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					c := over(t, tt.web)
					set(c)
					c.run(t, "http://a.test/?b=2&a=1&utm_source=s")
					c.wantPut(t, tt.put...)
					c.web.EachOnce(t)
				})
			})
		}
	}
}

func TestTwoProfiles(t *testing.T) {
	t.Parallel()
	c := Crawler{UserAgent: testAgent, Canon: &urlnorm.Profile{SortQuery: true}, Parser: &HTML{Canon: &urlnorm.Profile{KeepTracking: true}}}
	if err := c.Run(t.Context()); !isA[*ConfigError](err) {
		t.Errorf("error %v, want a ConfigError", err)
	}
	if ce, ok := errors.AsType[*ConfigError](c.Run(t.Context())); !ok || ce.What != "canon" {
		t.Errorf("error %v", ce)
	}
}
