package main

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
)

var nights = []struct{ web, told string }{
	{`
-- http://a.example/ --
<title>Home</title> <a href="/b">b</a> <a href="/c">c</a>
-- http://a.example/b --
<title>Page b</title>
-- http://a.example/c --
<title>Page c</title>
`, "new http://a.example/\nnew http://a.example/b\nnew http://a.example/c"},
	{`
-- http://a.example/ --
<title>Home</title> <a href="/b">b</a> <a href="/d">d</a>
-- http://a.example/b --
<title>Page b, as it is now</title>
-- http://a.example/c --
HTTP 410

-- http://a.example/d --
<title>Page d</title>
`, "changed http://a.example/\nchanged http://a.example/b\ngone http://a.example/c\nnew http://a.example/d"},
}

// TestNightly crawls a site on two nights, between which it changes. A page that is missing is
// asked for again after a minute, which here takes no time.
func TestNightly(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		for _, night := range nights {
			web, err := crawlertest.Parse(night.web)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := nightly(t.Context(), &out, "http://a.example/", dir, &crawler.HTTP{UserAgent: userAgent, Transport: web}); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			slices.SortFunc(lines, func(a, b string) int {
				return strings.Compare(a[strings.Index(a, "http"):], b[strings.Index(b, "http"):])
			})
			if told := strings.Join(lines, "\n"); told != night.told {
				t.Errorf("told\n%s\nwant\n%s", told, night.told)
			}
		}
	})
}
