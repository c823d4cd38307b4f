package crawler

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/webquarry/quarry/frontier"
)

func TestPagesThatAreNotPut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, `
-- http://a.test/ --
<a href="/noindex">1</a> <a href="/none">2</a> <a href="/picture">3</a> <a href="/gone">4</a> <a href="/header">5</a> <a href="/same">6</a> <a href="/204">7</a> <a href="/205">8</a>
-- http://a.test/noindex --
<meta name="robots" content="noindex"><a href="/from-noindex">x</a>
-- http://a.test/from-noindex --
<p>found all the same
-- http://a.test/none --
<meta name="robots" content="none"><a href="/never">x</a>
-- http://a.test/header --
HTTP 200
X-Robots-Tag: noindex, nofollow

<a href="/never">x</a>
-- http://a.test/picture --
HTTP 200
Content-Type: image/png

PNG
-- http://a.test/gone --
HTTP 410
-- http://a.test/same --
HTTP 304
-- http://a.test/204 --
HTTP 204
-- http://a.test/205 --
HTTP 205
`)
		c.run(t, "http://a.test/")
		c.wantPut(t, "http://a.test/", "http://a.test/from-noindex")
		c.web.EachOnce(t)
		for url, reason := range map[string]string{
			"noindex": SkipNoIndex, "none": SkipNoIndex, "header": SkipNoIndex, "picture": SkipType, "same": SkipNotModified,
			"204": SkipType, "205": SkipType,
		} {
			c.wantEvent(t, "http://a.test/"+url, Skipped, reason)
		}
		c.wantEvent(t, "http://a.test/gone", Failed, "")
		if fe := wantKind(t, c.about("http://a.test/gone")[0].Err, ErrStatus); fe.Status != 410 || fe.Retryable() {
			t.Errorf("error %+v", fe)
		}
		s := c.events[len(c.events)-1].Summary
		if s.Failed[ErrStatus] != 1 || s.Skipped[SkipNoIndex] != 3 || s.Pages != 2 {
			t.Errorf("summary %+v", s)
		}
	})
}

func canonical(url string) string { return `<link rel="canonical" href="` + url + `"><p>text` }

// TestCanonical: a page is put once, under the URL it is canonical by, and is
// not lost where rel=canonical makes no sense.
func TestCanonical(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pages map[string]string // path: canonical
		put   []string
	}{
		"three paths to one product": {map[string]string{"/a/p": "/p", "/b/p": "/p", "/p": "/p"}, []string{"/p"}},
		"target not linked":          {map[string]string{"/print": "/p!"}, []string{"/p"}},
		"in a chain":                 {map[string]string{"/1": "/2", "/2": "/3", "/3": ""}, []string{"/3"}},
		"to each other":              {map[string]string{"/1": "/2", "/2": "/1"}, []string{"/2"}},
		"in a circle":                {map[string]string{"/1": "/2", "/2": "/3", "/3": "/1"}, []string{"/3"}},
		"all to the home page":       {map[string]string{"/1": "/", "/2/": "/", "/index.html": "/"}, []string{"/1", "/2/"}},
		"another site":               {map[string]string{"/1": "http://elsewhere.test/1"}, []string{"/1"}},
		"out of scope":               {map[string]string{"/1": "http://www.a.test/1"}, []string{"/1"}},
		"forbidden":                  {map[string]string{"/1": "/private/1"}, []string{"/1"}},
		"itself":                     {map[string]string{"/1": "http://a.test:80/1#x"}, []string{"/1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				run := over(t, "-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /private/\n")
				run.Workers, run.Follow = 1, SameHost("http://a.test/")
				var links []string
				for path, to := range c.pages {
					links = append(links, `<a href="`+path+`">x</a> `)
					if to, linked := strings.CutSuffix(to, "!"); linked {
						run.web.Add("http://a.test"+to, "<p>text")
						run.web.Add("http://a.test"+path, canonical(to))
						continue
					}
					run.web.Add("http://a.test"+path, canonical(to))
				}
				slices.Sort(links)
				run.web.Add("http://a.test/", strings.Join(links, ""))
				run.run(t, "http://a.test/")
				want := []string{"http://a.test/"}
				for _, p := range c.put {
					want = append(want, "http://a.test"+p)
				}
				if strings.HasPrefix(name, "to each") || strings.HasPrefix(name, "in a circle") {
					if len(run.put) != 2 { // whichever comes last
						t.Errorf("put %q", run.put)
					}
				} else {
					run.wantPut(t, want...)
				}
				run.web.EachOnce(t)
			})
		})
	}
}

// TestPanics: a page whose handler panics fails, the others do not.
func TestPanics(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*crawl, func(string)){
		"fetcher": func(c *crawl, boom func(string)) {
			next := c.Fetcher
			c.Fetcher = FetcherFunc(func(ctx context.Context, r frontier.Request) (*Response, error) {
				boom(r.URL)
				return next.Fetch(ctx, r)
			})
		},
		"parser": func(c *crawl, boom func(string)) {
			c.Parser = parserFunc(func(ctx context.Context, r *Response) (*Page, error) {
				boom(r.URL)
				return new(HTML).Parse(ctx, r)
			})
		},
		"follow": func(c *crawl, boom func(string)) {
			c.Follow = func(from *Page, l Link) (float64, bool) { boom(from.URL); return SameHost("http://a.test/")(from, l) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := over(t, smallWeb)
				set(c, func(url string) {
					if url == "http://a.test/1" {
						panic("boom")
					}
				})
				c.run(t, "http://a.test/")
				c.wantPut(t, "http://a.test/", "http://a.test/2", "http://a.test/4")
				fe := wantKind(t, c.about("http://a.test/1")[0].Err, ErrPanic)
				if !strings.Contains(fe.Error(), "boom") || !strings.Contains(fe.Error(), "loop_page_test.go") {
					t.Errorf("the error does not say where: %v", fe)
				}
			})
		})
	}
}

type parserFunc func(context.Context, *Response) (*Page, error)

func (f parserFunc) Parse(ctx context.Context, r *Response) (*Page, error) { return f(ctx, r) }

func TestParserTrouble(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page *Page
		err  error
		kind Kind
	}{{nil, errors.New("no"), ErrParse}, {nil, nil, ErrParse}, {nil, &FetchError{Kind: ErrDecode}, ErrDecode}} {
		synctest.Test(t, func(t *testing.T) {
			run := over(t, smallWeb)
			run.Parser = parserFunc(func(context.Context, *Response) (*Page, error) { return c.page, c.err })
			run.run(t, "http://a.test/")
			if wantKind(t, run.events[0].Err, c.kind); c.err != nil && !errors.Is(run.events[0].Err, c.err) {
				t.Errorf("error %v hides %v", run.events[0].Err, c.err)
			}
		})
	}
}

// TestBareResponse: a Fetcher and a Parser may leave open what the crawl knows.
func TestBareResponse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		c.IgnoreRobots = true
		c.Fetcher = FetcherFunc(func(context.Context, frontier.Request) (*Response, error) {
			return &Response{Status: 200, Body: []byte("x")}, nil
		})
		c.Parser = parserFunc(func(context.Context, *Response) (*Page, error) { return &Page{Title: "t"}, nil })
		c.Sink = Pages(func(_ context.Context, p *Page) error {
			if p.URL != "http://a.test/" || p.Response.URL != p.URL || p.Response.Request.URL != p.URL {
				t.Errorf("page %+v of %+v", p, p.Response)
			}
			return nil
		})
		c.run(t, "http://a.test/")
	})
}

// TestFetcherThatFollowsRedirects: such a Fetcher cannot lead out of scope.
func TestFetcherThatFollowsRedirects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "-- http://a.test/ --\n"+redirectTo("/in")+"-- http://a.test/in --\n<a href='/out'>x</a>\n"+
			"-- http://a.test/out --\n"+redirectTo("http://b.test/")+"-- http://b.test/ --\n<a href='http://a.test/never'>x</a>\n")
		c.Fetcher = &HTTP{UserAgent: testAgent, Transport: c.web, Redirects: 5}
		c.run(t, "http://a.test/")
		c.wantPut(t, "http://a.test/in")
		c.wantEvent(t, "http://a.test/out", Skipped, SkipScope)
	})
}

func TestLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		c := over(t, smallWeb)
		c.Workers = 1
		c.Log = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == "time" {
				return slog.Attr{}
			}
			return a
		}}))
		c.web.Add("http://a.test/bad", "HTTP 500\n\n")
		c.web.Add("http://a.test/moved", redirectTo("/4"))
		c.run(t, "http://a.test/4", "http://a.test/bad", "http://a.test/moved", "http://a.test/private/x")
		for _, want := range []string{
			"level=DEBUG msg=fetched url=http://a.test/4 host=a.test depth=0 status=200 bytes=20 took=0s\n",
			"level=WARN msg=retrying url=http://a.test/bad host=a.test depth=0 status=500 bytes=0 took=0s err=\"crawler: http://a.test/bad: status 500\" again=",
			"level=WARN msg=failed url=http://a.test/bad host=a.test depth=0 status=500 bytes=0 took=0s err=\"crawler: http://a.test/bad: status 500\"\n",
			"level=DEBUG msg=skipped url=http://a.test/moved reason=redirect target=http://a.test/4 host=a.test depth=0 status=302 bytes=0 took=0s\n",
			"level=DEBUG msg=skipped url=http://a.test/private/x reason=robots host=a.test depth=0\n",
			"level=INFO msg=ended pages=1 bytes=20 failed=map[status:1] took=",
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("log lacks %q:\n%s", want, &out)
			}
		}
	})
}
