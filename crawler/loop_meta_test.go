package crawler

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestMetaOfRequests: what Revisit remembers of a URL comes back with its next visit, also
// after trouble and a restart, and goes to no other URL.
func TestMetaOfRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, `
-- http://a.test/ --
<a href="/moved">x</a>
-- http://a.test/moved --
HTTP 301
Location: /new

-- http://a.test/new --
<p>x
`)
		var got []string
		c.Workers = 1
		c.Revisit = func(req frontier.Request, resp *Response, err error) frontier.Outcome {
			memo := req.Meta.Get("test.memo")
			got = append(got, req.URL[len("http://a.test"):]+" "+memo)
			if len(memo) == 3 {
				return frontier.Outcome{}
			}
			return frontier.Outcome{Again: time.Now().Add(10 * time.Minute), Meta: frontier.Meta{}.With("test.memo", memo+"x")}
		}
		dir := t.TempDir()
		for range 5 {
			f, err := frontier.Open(dir, frontier.Options{SyncEvery: -1, Horizon: 5 * time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			c.Frontier = f
			c.run(t, "http://a.test/")
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(9 * time.Minute)
		}
		var want []string
		for _, url := range []string{"/", "/moved", "/new"} {
			for _, memo := range []string{"", "x", "xx", "xxx"} {
				want = append(want, fmt.Sprintf("%s %s", url, memo))
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// TestMetaOfLinks: what a page says of a link travels with it, over redirects, to the page
// that is put in the end, whether that gives way to another or not; what the loop notes
// there is for nobody else, no URL is changed and no label written.
func TestMetaOfLinks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, `
-- http://a.test/ --
<a href="/moved">m</a> <a href="/alias">a</a> <a href="/dead-end">d</a>
-- http://a.test/moved --
HTTP 301
Location: /new
Set-Cookie: k=v

-- http://a.test/new --
<p>x
-- http://a.test/alias --
<link rel=canonical href="/right"><p>x
-- http://a.test/right --
<p>x
-- http://a.test/dead-end --
<link rel=canonical href="/gone"><p>x
-- http://a.test/gone --
HTTP 404
`)
		c.Workers = 1
		c.Frontier = watched{c.Frontier, t}
		inner := c.Parser
		if inner == nil {
			inner = &HTML{}
		}
		c.Parser = parserFunc(func(ctx context.Context, resp *Response) (*Page, error) {
			page, err := inner.Parse(ctx, resp)
			if page != nil {
				for i := range page.Links {
					page.Links[i].Label = "user"
					page.Links[i].Meta = frontier.Meta{}.With("test.text", page.Links[i].Text)
				}
			}
			return page, err
		})
		got := map[string]string{}
		c.Sink = Pages(func(_ context.Context, p *Page) error {
			req := p.Response.Request
			got[p.URL] = req.Label + " " + req.Meta.String()
			return nil
		})
		c.run(t, "http://a.test/")
		want := map[string]string{"http://a.test/": " "}
		for url, text := range map[string]string{"new": "m", "right": "a", "dead-end": "d"} {
			want["http://a.test/"+url] = fmt.Sprintf("user test.text=%q", text)
		}
		if !maps.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// watched is a Frontier that looks at what it is given.
type watched struct {
	frontier.Frontier
	t *testing.T
}

func (w watched) Unwrap() frontier.Frontier { return w.Frontier }

func (w watched) Done(ctx context.Context, l frontier.Lease, out frontier.Outcome) error {
	for _, r := range out.Found {
		if strings.Contains(r.URL, "#") || r.Label != "user" {
			w.t.Errorf("found %+v", r)
		}
	}
	return w.Frontier.Done(ctx, l, out)
}
