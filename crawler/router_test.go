package crawler

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// TestRouter: each page is read by the Parser of its label, and one with a label that
// nobody knows is told.
func TestRouter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, `
-- http://a.test/ --
<a href=/1>article</a> <a href=/2>odd</a> <a href=/3></a>
-- http://a.test/1 --
<h1>One</h1>
-- http://a.test/2 --
<h1>Two</h1>
-- http://a.test/3 --
<h1>Three</h1>
`)
		read := map[string]string{}
		reads := func(as string) *HTML {
			return &HTML{Refine: func(_ *goquery.Document, page *Page) error {
				c.mu.Lock()
				defer c.mu.Unlock()
				read[page.URL] = as
				for i := range page.Links {
					page.Links[i].Label = page.Links[i].Text
					page.Links[i].URL += "?utm_source=x" // to be made canonical
				}
				return nil
			}}
		}
		c.Parser = &Router{Labels: map[string]Parser{"article": reads("article")}, Default: reads("default")}
		c.run(t, "http://a.test/")
		c.wantPut(t, "http://a.test/", "http://a.test/1", "http://a.test/3")
		if read["http://a.test/"] != "default" || read["http://a.test/1"] != "article" || read["http://a.test/3"] != "default" || len(read) != 3 {
			t.Errorf("%v", read)
		}
		e := c.event(t, "http://a.test/2")
		if e.Kind != Failed || !errors.Is(e.Err, ErrLabel) || !strings.Contains(e.Err.Error(), `"odd"`) || !strings.Contains(e.Err.Error(), "article") {
			t.Errorf("%+v", e)
		}
	})
	page, err := new(Router).Parse(t.Context(), response("text/html", "<title>x</title>"))
	if err != nil || page.Title != "x" {
		t.Errorf("%v, %v", page, err)
	}
}

// TestRouterCanon: all parsers of a router have to agree on what is one URL.
func TestRouterCanon(t *testing.T) {
	t.Parallel()
	routes := &urlnorm.Profile{Fragments: urlnorm.KeepRoutes}
	for _, c := range []struct {
		crawler, def, label *urlnorm.Profile
		ok                  bool
	}{{nil, nil, nil, true}, {nil, nil, routes, true}, {nil, routes, routes, true}, {routes, nil, routes, true}, {nil, new(urlnorm.Profile), routes, false}, {new(urlnorm.Profile), nil, routes, false}} {
		r := run{Crawler: Crawler{Canon: c.crawler, Parser: &Router{Labels: map[string]Parser{"a": &HTML{Canon: c.label}}, Default: &HTML{Canon: c.def}}, Frontier: frontier.New(frontier.Options{})}}
		if err := r.agree(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
