package content

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

const userAgent = "quarrytest/1.0 (+https://quarry.example/bot)"

func TestSitemap(t *testing.T) {
	t.Parallel()
	page := parse(t, new(ByType), response("text/xml", `<urlset><url><loc>https://www.example.com/a?utm_source=x</loc><priority>0.9</priority></url><url><loc>https://other.example/</loc></url></urlset>`))
	if !page.NoIndex || page.NoFollow || page.Text != "" || len(page.Flaws) != 1 || urls(page.Links) != "/a||" || page.Links[0].Listed.Priority != 0.9 {
		t.Errorf("%+v", page)
	}
	index := response("text/xml", `<sitemapindex><sitemap><loc>https://www.example.com/2.xml</loc></sitemap></sitemapindex>`)
	index.Request.Meta = sitemap.Mark(frontier.Meta{}, 3, "www.other.example")
	page = parse(t, new(ByType), index)
	if urls(page.Links) != "/2.xml||sitemap" || page.Links[0].Meta != sitemap.Mark(frontier.Meta{}, 4, "www.other.example") {
		t.Errorf("%+v", page.Links)
	}
	index.Request.Meta = sitemap.Mark(frontier.Meta{}, 4)
	if page = parse(t, new(ByType), index); len(page.Links) != 0 || len(page.Flaws) != 1 {
		t.Errorf("too deep: %+v", page)
	}
	text := response("text/plain", "https://other.example/a\nhttps://www.example.com/b")
	text.Request.Meta = sitemap.Mark(frontier.Meta{}, 0, "other.example")
	if page = parse(t, new(ByType), text); len(page.Links) != 2 {
		t.Errorf("text: %+v", page)
	}
	for name, body := range map[string]string{"HTML": "<!doctype html><p>Not found", "nothing": "", "words": "hello", "entities": `<!DOCTYPE urlset [<!ENTITY a "b">]><urlset><url><loc>&a;`} {
		resp := response("application/xml", body)
		resp.Request.Meta = sitemap.Mark(frontier.Meta{}, 0)
		page, err := new(ByType).Parse(t.Context(), resp)
		if !errors.Is(err, crawler.ErrParse) {
			t.Errorf("%s: %v, %+v", name, err, page)
		}
		if _, ok := errors.AsType[*sitemap.Error](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (Sitemap{}).Parse(t.Context(), response("text/html", "<!doctype html><p>Not found")); !errors.Is(err, sitemap.ErrNotSitemap) || !errors.Is(err, crawler.ErrParse) {
		t.Errorf("HTML: %v", err)
	}
}

// web has pages that only sitemaps and feeds lead to.
const web = `
-- http://a.test/robots.txt --
HTTP 200
Content-Type: text/plain

User-agent: *
Disallow: /private/
Sitemap: /index.xml
Sitemap: http://cdn.test/a.txt
-- http://cdn.test/a.txt --
HTTP 200
Content-Type: text/plain

http://a.test/txt
http://cdn.test/own
http://b.test/other
-- http://a.test/index.xml --
HTTP 200
Content-Type: application/xml

<sitemapindex><sitemap><loc>http://a.test/index.xml</loc></sitemap><sitemap><loc>http://a.test/1.xml</loc></sitemap><sitemap><loc>http://a.test/gone.xml</loc></sitemap></sitemapindex>
-- http://a.test/1.xml --
HTTP 200
Content-Type: application/xml

<urlset><url><loc>http://a.test/low</loc><priority>0.1</priority></url><url><loc>http://a.test/high</loc><priority>0.9</priority></url><url><loc>http://a.test/private/x</loc></url><url><loc>http://a.test/</loc></url>
-- http://a.test/gone.xml --
HTTP 404

-- http://a.test/ --
<link rel=alternate type=application/atom+xml href=/feed><title>Home</title>
-- http://a.test/feed --
HTTP 200
Content-Type: application/atom+xml

<feed><link rel=next href=/feed2 /><entry><title>E</title><link href=/atom /></entry></feed>
-- http://a.test/feed2 --
HTTP 200
Content-Type: application/atom+xml

<feed><entry><title>E2</title><link href=/atom2 /></entry></feed>
-- http://a.test/txt --
<title>txt</title>
-- http://a.test/low --
<title>low</title>
-- http://a.test/high --
<title>high</title>
-- http://a.test/atom --
<title>atom</title>
-- http://a.test/atom2 --
<title>atom2</title>
`

// crawl runs a crawler over the web and returns the URLs put, in order, and
// the errors.
func crawl(t *testing.T, front frontier.Frontier, pages int, seeds ...string) (put []string, failed map[string]error) {
	t.Helper()
	failed = make(map[string]error)
	w, err := crawlertest.Parse(web)
	if err != nil {
		t.Fatal(err)
	}
	c := crawler.Crawler{
		UserAgent: userAgent,
		Frontier:  front,
		Fetcher:   &crawler.HTTP{UserAgent: userAgent, Transport: w},
		Parser:    &ByType{Discover: true, Feed: Sitemap{}},
		Follow:    Listed(crawler.SameSite("http://a.test/")),
		Workers:   1,
		Budget:    crawler.Budget{Pages: pages},
		Sink: crawler.Pages(func(_ context.Context, p *crawler.Page) error {
			put = append(put, strings.TrimPrefix(p.URL, "http://a.test"))
			return nil
		}),
		OnEvent: func(e crawler.Event) {
			if e.Kind == crawler.Failed {
				failed[e.URL] = e.Err
			}
		},
	}
	if err := c.Run(t.Context(), seeds...); err != nil {
		t.Fatal(err)
	}
	return put, failed
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		front := frontier.New(frontier.Options{})
		defer front.Close()
		put, failed := crawl(t, front, 0, "http://a.test/")
		if high, low := slices.Index(put, "/high"), slices.Index(put, "/low"); high > low {
			t.Errorf("priority is not kept: %q", put)
		}
		slices.Sort(put)
		if want := []string{"/", "/atom", "/atom2", "/high", "/low", "/txt"}; !slices.Equal(put, want) {
			t.Errorf("put %q, want %q", put, want)
		}
		if len(failed) != 1 || failed["http://a.test/gone.xml"] == nil {
			t.Errorf("failed: %v", failed)
		}
	})
}

// TestGuess: that there is no sitemap where one often is, is no failure, unless a
// robots.txt says that there is one.
func TestGuess(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ robots, answer, want string }{
		"404":           {"", "HTTP 404\n", "skipped no sitemap"},
		"410":           {"User-agent: *\nDisallow: /no", "HTTP 410\n", "skipped no sitemap"},
		"a page":        {"", "<html><p>not here", "skipped no sitemap"},
		"forbidden":     {"", "HTTP 403\n", "failed "},
		"damaged":       {"", "HTTP 200\nContent-Type: text/xml\n\n<urlset><url><loc>x</loc></url></urlset>", "failed "},
		"named, 404":    {"Sitemap: /sitemap.xml", "HTTP 404\n", "failed "},
		"named, a page": {"Sitemap: /sitemap.xml", "<html><p>not here", "failed "},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, err := crawlertest.Parse("-- http://a.test/ --\nhome\n-- http://a.test/robots.txt --\nHTTP 200\n\n" + tt.robots + "\n-- http://a.test/sitemap.xml --\n" + tt.answer + "\n")
			if err != nil {
				t.Fatal(err)
			}
			c := crawler.Crawler{UserAgent: userAgent, Fetcher: &crawler.HTTP{UserAgent: userAgent, Transport: w}, Parser: &ByType{Discover: true}}
			c.OnEvent = func(e crawler.Event) {
				if got := fmt.Sprint(e.Kind, " ", e.Reason); e.URL == "http://a.test/sitemap.xml" && got != tt.want {
					t.Errorf("%s: %s, want %s: %v", name, got, tt.want, e.Err)
				}
			}
			if err := c.Run(t.Context(), "http://a.test/"); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestResume stops crawls after every number of pages: the second run, from
// what is on disk, finds the rest.
func TestResume(t *testing.T) {
	t.Parallel()
	for pages := range 5 {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			var all []string
			for _, n := range []int{pages + 1, 0} {
				front, err := frontier.Open(dir, frontier.Options{SyncEvery: -1})
				if err != nil {
					t.Fatal(err)
				}
				put, _ := crawl(t, front, n, "http://a.test/")
				all = append(all, put...)
				if err := front.Close(); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(all)
			if want := []string{"/", "/atom", "/atom2", "/high", "/low", "/txt"}; !slices.Equal(all, want) {
				t.Errorf("stopped after %d: put %q, want %q", pages+1, all, want)
			}
		})
	}
}

// TestCanon sees whether sitemaps keep to the profile of the run.
func TestCanon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, err := crawlertest.Parse(strings.ReplaceAll(web, "http://a.test/high", "http://a.test/high?utm_source=x"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		c := crawler.Crawler{
			UserAgent: userAgent,
			Canon:     &urlnorm.Profile{KeepTracking: true},
			Fetcher:   &crawler.HTTP{UserAgent: userAgent, Transport: w},
			Parser:    &ByType{Discover: true},
			Sink: crawler.Pages(func(_ context.Context, p *crawler.Page) error {
				found = found || p.URL == "http://a.test/high?utm_source=x"
				return nil
			}),
		}
		if err := c.Run(t.Context(), "http://a.test/"); err != nil || !found {
			t.Errorf("found %v, %v", found, err)
		}
	})
}

func TestSitemapsOfRobots(t *testing.T) {
	t.Parallel()
	const robots = "https://a.example/robots.txt"
	b := &ByType{Discover: true}
	if got := b.Sitemaps(robots, nil); len(got) != 1 || got[0] != (frontier.Request{URL: "https://a.example/sitemap.xml", Via: robots, Meta: sitemap.Mark(frontier.Meta{}, 0), Priority: 1}) {
		t.Errorf("none named: %+v", got)
	}
	if got := b.Sitemaps(robots, []string{"/x.xml", "ftp://no/", "http://cdn.example/a"}); len(got) != 2 || got[1].Meta != sitemap.Mark(frontier.Meta{}, 0, "a.example") {
		t.Errorf("named: %+v", got)
	}
	if got := new(ByType).Sitemaps(robots, nil); got != nil {
		t.Errorf("not asked for: %+v", got)
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	revisit := Refresh(crawler.Retry, time.Hour)
	resp := response("text/xml", urlset)
	list := sitemap.Mark(frontier.Meta{}, 0)
	for req, want := range map[frontier.Request]bool{{}: false, {Label: "sitemap"}: false, {Meta: list}: true, {Meta: sitemap.Mark(list, 2)}: true} {
		out := revisit(req, resp, nil)
		if again := time.Until(out.Again); !out.Again.IsZero() != want || want && (again < 50*time.Minute || again > time.Hour) {
			t.Errorf("%+v: again %v", req, out.Again)
		}
	}
	failed := &crawler.FetchError{Kind: crawler.ErrDNS}
	if out := revisit(frontier.Request{Meta: list}, nil, failed); time.Until(out.Again) > 10*time.Minute {
		t.Errorf("a retry is put off to %v", out.Again)
	}
}
