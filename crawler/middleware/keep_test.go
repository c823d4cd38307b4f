package middleware

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/internal/purpose"
	"github.com/webquarry/quarry/frontier"
)

// TestKeepRobots: a crawl is ended and begun again on the same folder after a
// while. The steps of a case are "wait", then "robots pages": how often a
// robots.txt was asked for by then, and the pages of that run.
func TestKeepRobots(t *testing.T) {
	t.Parallel()
	const deny = "\n\nUser-agent: *\nDisallow: /b\n"
	for name, c := range map[string]struct {
		answers []string // of http://a.test/robots.txt, in turn
		around  func(crawler.Middleware) []crawler.Middleware
		steps   []string
	}{
		"a day":              {[]string{"200" + deny, "404\n\nno"}, nil, []string{"0s 1 /", "0s 1 /", "23h49m 1 /", "1m 2 / /b", "1h 2 / /b"}},
		"absent":             {[]string{"404\n\nno", "200" + deny}, nil, []string{"0s 1 / /b", "23h 1 / /b", "1h 2 /"}},
		"max-age":            {[]string{"200\nCache-Control: max-age=3600" + deny}, nil, []string{"0s 1 /", "59m 1 /", "1m 2 /"}},
		"ten minutes":        {[]string{"200\nCache-Control: max-age=0" + deny}, nil, []string{"0s 1 /", "9m 1 /", "1m 2 /"}},
		"no-cache":           {[]string{"200\nCache-Control: no-cache" + deny}, nil, []string{"0s 1 /", "9m 1 /", "1m 2 /"}},
		"no-store":           {[]string{"200\nCache-Control: no-store" + deny}, nil, []string{"0s 1 /", "0s 2 /"}},
		"503":                {[]string{"503\n\nno", "200" + deny}, nil, []string{"0s 2 /", "0s 2 /"}},
		"429":                {[]string{"429\n\nno", "200" + deny}, nil, []string{"0s 2 /", "0s 2 /"}},
		"no answer":          {[]string{"200\nTest-Error: broken\n\n", "200" + deny}, nil, []string{"0s 2 /", "0s 2 /"}},
		"redirects":          {[]string{"301\nLocation: /to\n\n"}, nil, []string{"0s 2 /", "1h 2 /", "23h 4 /"}},
		"forbidden":          {[]string{"403\n\nno"}, nil, []string{"0s 1 / /b", "0s 1 / /b"}},
		"forbidden: inside":  {[]string{"403\n\nno"}, func(keep crawler.Middleware) []crawler.Middleware { return []crawler.Middleware{keep, ForbiddenRobots} }, []string{"0s 1", "0s 1"}},
		"forbidden: outside": {[]string{"403\n\nno"}, func(keep crawler.Middleware) []crawler.Middleware { return []crawler.Middleware{ForbiddenRobots, keep} }, []string{"0s 1", "0s 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				web, err := crawlertest.Parse("-- http://a.test/ --\n<a href=/b>b</a>\n-- http://a.test/b --\nsecond\n-- http://a.test/to --\nHTTP 200" + deny)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range c.answers {
					web.Add("http://a.test/robots.txt", "HTTP "+a)
				}
				dir, got := t.TempDir(), []string(nil)
				for _, step := range c.steps {
					wait, _, _ := strings.Cut(step, " ")
					d, err := time.ParseDuration(wait)
					if err != nil {
						t.Fatal(err)
					}
					time.Sleep(d)
					before := len(web.Requests())
					crawlAgain(t, web, dir, c.around)
					asked, pages := 0, ""
					for i, r := range web.Requests() {
						switch path := strings.TrimPrefix(r.URL, "http://a.test"); {
						case path == "/robots.txt" || path == "/to":
							asked++
						case i >= before:
							pages += " " + path
						}
					}
					got = append(got, fmt.Sprint(wait, " ", asked, pages))
				}
				if !slices.Equal(got, c.steps) {
					t.Errorf("%q, want %q", got, c.steps)
				}
			})
		})
	}
}

// crawlAgain is a crawl of a.test that has kept nothing but what is in the folder.
func crawlAgain(t *testing.T, web *crawlertest.Web, dir string, around func(crawler.Middleware) []crawler.Middleware) {
	t.Helper()
	store, err := OpenDisk(dir, 8<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	chain := []crawler.Middleware{KeepRobots{Store: store}.Wrap, (&Cache{Store: store}).Wrap}
	if around != nil {
		chain = around(chain[0])
	}
	front := frontier.New(frontier.Options{})
	defer front.Close()
	h := &crawler.HTTP{UserAgent: "test/1.0 (+https://quarry.test/bot)", Transport: web}
	defer h.Close()
	c := crawler.Crawler{UserAgent: h.UserAgent, Frontier: front, Fetcher: Chain(h, chain...)}
	if err := c.Run(t.Context(), "http://a.test/"); err != nil && !errors.Is(err, crawler.ErrNothingFetched) {
		t.Fatal(err)
	}
}

// TestKeepRobotsByItself: what an answer from the Store says, what of a long body
// is kept, and which requests it is not for.
func TestKeepRobotsByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const u = "http://a.test/robots.txt"
		long := strings.Repeat("x", robotsBody)
		asked := 0
		answer := crawler.Response{URL: u, Status: 200, Header: http.Header{"Set-Cookie": {"a=b"}, "Age": {"99"}}, Body: []byte(long + "y"), Truncated: true, Wire: 7}
		store := NewMemory(8 << 20)
		f := KeepRobots{Store: store}.Wrap(crawler.FetcherFunc(func(context.Context, frontier.Request) (*crawler.Response, error) {
			asked++
			resp := answer
			return &resp, nil
		}))
		fetch := func(ctx context.Context, url string, times int) *crawler.Response {
			t.Helper()
			resp, err := f.Fetch(ctx, frontier.Request{URL: url})
			if err != nil || asked != times {
				t.Fatalf("%v, asked %d times, want %d", err, asked, times)
			}
			return resp
		}
		if resp := fetch(t.Context(), u, 1); len(resp.Body) != robotsBody+1 || resp.Header.Get("Cache-Status") != "" {
			t.Errorf("%d bytes, %v", len(resp.Body), resp.Header)
		}
		time.Sleep(time.Hour)
		resp := fetch(t.Context(), u, 1)
		want := http.Header{"Cache-Status": {"quarry; hit"}, "Cache-Control": {"max-age=82200"}}
		if string(resp.Body) != long || resp.Wire != 0 || resp.Status != 200 || resp.Request.URL != u || fmt.Sprint(resp.Header) != fmt.Sprint(want) {
			t.Errorf("%d bytes, %d on the wire, %v", len(resp.Body), resp.Wire, resp.Header)
		}
		fetch(crawler.Ask{Method: http.MethodPost}.Within(t.Context()), u, 2)
		fetch(crawler.Ask{Anonymous: true}.Within(t.Context()), u, 3)
		fetch(crawler.Ask{Header: http.Header{"If-None-Match": {"x"}}}.Within(t.Context()), u, 4)
		fetch(t.Context(), "http://a.test/other", 5)
		fetch(t.Context(), "http://a.test/other", 6)
		fetch(purpose.Robots(t.Context()), "http://a.test/to", 7)
		fetch(purpose.Robots(t.Context()), "http://a.test/to", 7)

		for i, foreign := range []string{"", "x", "{}\n", `{"URL":"u","Status":200,"Header":{}}` + "\n", `{"URL":"u","Status":503,"Header":{},"Fetched":"` + time.Now().UTC().Format(time.RFC3339) + "\"}\n",
			`{"URL":"u","Status":200,"Header":{},"Fetched":"2999-01-01T00:00:00Z"}` + "\n"} {
			if err := store.Put("robots "+u, []byte(foreign)); err != nil {
				t.Fatal(err)
			}
			fetch(t.Context(), u, 8+i)
		}
		asked, answer.Body = 0, []byte("cut")
		fetch(t.Context(), "http://b.test/robots.txt", 1)
		fetch(t.Context(), "http://b.test/robots.txt", 2)
	})
}
