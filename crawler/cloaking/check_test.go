package cloaking_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/cloaking"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/frontier"
)

const (
	agent   = "acme/1.0 (+https://acme.example/bot)"
	browser = "Mozilla/5.0 (X11; Linux x86_64) Browser/1.0"
)

// site answers requests in memory and notes them.
type site struct {
	page   func(path string, robot bool) (status int, body string)
	cached bool // its answers may be kept, and are
	known  int  // requests of others that had a cookie of ours
	mu     sync.Mutex
	log    []string
	when   []time.Time
}

func (s *site) RoundTrip(req *http.Request) (*http.Response, error) {
	robot := req.Header.Get("User-Agent") == agent
	if !robot && req.Header.Get("User-Agent") != browser {
		return nil, errors.New("from whom is that?")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.when = append(s.log, fmt.Sprint(req.URL, " ", robot)), append(s.when, time.Now())
	status, body := 404, ""
	if req.URL.Path != "/robots.txt" {
		status, body = s.page(req.URL.Path, robot)
	}
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	if strings.HasPrefix(body, "http://") {
		header.Set("Location", body)
	}
	header.Set("Set-Cookie", "robot=1")
	if !robot && req.Header.Get("Cookie") != "" {
		s.known++
	}
	if s.cached {
		header.Set("Cache-Control", "max-age=3600")
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req}, nil
}

// words is a text of its own for each seed.
func words(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for range 120 {
		fmt.Fprintf(&b, "word%d ", r.IntN(5000))
	}
	return b.String()
}

// goods is a page of a site of 40, with links to all.
func goods(path string, extra string) string {
	var n uint64
	fmt.Sscanf(path, "/item/%d", &n)
	var b strings.Builder
	b.WriteString("<title>Shop</title><p>" + words(n) + "</p><p>" + extra + "</p>")
	for i := range 40 {
		fmt.Fprintf(&b, `<a href="/item/%d"></a>`, i+1)
	}
	return b.String()
}

// TestCheck: what is a host found to be that shows others this?
func TestCheck(t *testing.T) {
	t.Parallel()
	visit := uint64(0)
	for name, tt := range map[string]struct {
		page func(path string, robot bool) (int, string)
		want cloaking.Verdict
		put  int // of the 41 pages; 0: all
	}{
		"the same": {func(path string, _ bool) (int, string) { return 200, goods(path, "") }, cloaking.Verdict{Same: 6}, 0},
		"nearly the same": {func(path string, robot bool) (int, string) {
			return 200, goods(path, fmt.Sprint("You use a browser: ", !robot))
		}, cloaking.Verdict{Same: 6}, 0},
		"another page": {func(path string, robot bool) (int, string) {
			if robot {
				return 200, goods(path, "")
			}
			return 200, "<p>" + words(1e6)
		}, cloaking.Verdict{Cloaks: true, Cloaked: 3, Visited: 4}, 0},
		"another site": {func(path string, robot bool) (int, string) {
			if robot {
				return 200, goods(path, "")
			}
			return 302, "http://spam.test/"
		}, cloaking.Verdict{Cloaks: true, Cloaked: 3, Visited: 4}, 0},
		"another with every visit": {func(path string, _ bool) (int, string) {
			visit++
			return 200, strings.Replace(goods(path, ""), "<p>", "<p>"+words(1000+visit)+words(2000+visit)+words(3000+visit), 1)
		}, cloaking.Verdict{Restless: 6}, 0},
		"what scripts make": {func(path string, robot bool) (int, string) {
			if robot {
				return 200, goods(path, "")
			}
			return 200, `<title>Shop</title><div id="root"></div><script src="app.js"></script>`
		}, cloaking.Verdict{}, 0},
		"nothing": {func(path string, robot bool) (int, string) {
			if robot {
				return 200, goods(path, "")
			}
			return 403, "<p>" + words(7)
		}, cloaking.Verdict{}, 0},
		"its other host": {func(path string, robot bool) (int, string) {
			if robot {
				return 200, goods(path, "")
			}
			return 302, "http://www.shop.test" + path
		}, cloaking.Verdict{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &site{page: tt.page}
				check, put := crawl(t, s, &cloaking.Check{As: browser, Pages: 4})
				got, _ := check.Explain("http://shop.test/item/9")
				if tt.want.Cloaks && got.Cloaked >= 2 && got.Visited == 4 {
					got.Cloaked = tt.want.Cloaked
				}
				if got != tt.want {
					t.Errorf("%+v, want %+v: %s", got, tt.want, check.Why("http://shop.test/"))
				}
				if !tt.want.Cloaks && len(put) != 41 || tt.want.Cloaks && (len(put) < 5 || len(put) > 20) {
					t.Errorf("%d pages put", len(put))
				}
				slices.Sort(put)
				if n := len(slices.Compact(put)); n != len(put) {
					t.Errorf("%d pages put, of which %d differ", len(put), n)
				}
				for i, line := range s.log {
					if strings.Contains(line, "#") || strings.Contains(line, "spam.test") || i > 0 && s.when[i].Sub(s.when[i-1]) < time.Second {
						t.Errorf("asked for %s %v after the last", line, s.when[i].Sub(s.when[max(i-1, 0)]))
					}
				}
			})
		})
	}
}

func crawl(t *testing.T, s *site, check *cloaking.Check) (_ *cloaking.Check, put []string) {
	t.Helper()
	check.Frontier = frontier.New(frontier.Options{Limits: frontier.Limits{Delay: time.Second}})
	defer check.Frontier.(*frontier.Memory).Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := crawler.Crawler{
		UserAgent: agent, Frontier: check.Frontier, Fetcher: &crawler.HTTP{UserAgent: agent, Transport: s, Cookies: jar},
		Sink: crawler.Pages(func(_ context.Context, page *crawler.Page) error {
			put = append(put, page.URL)
			v, _ := check.Explain(page.URL)
			if told := slices.Contains(page.Flaws, cloaking.Flaw); told && !v.Cloaks {
				t.Errorf("%s: %q, %s", page.URL, page.Flaws, v)
			}
			return nil
		}),
		OnEvent: func(e crawler.Event) {
			if e.Kind == crawler.Failed {
				t.Error(e.URL, e.Err)
			}
		},
		Workers: 1,
	}
	if s.cached {
		c.Fetcher = new(middleware.Cache).Wrap(c.Fetcher)
	}
	c.Plugins = []crawler.Plugin{check}
	if err := c.Run(t.Context(), "http://shop.test/"); err != nil {
		t.Fatal(err)
	}
	return check, put
}

// TestCheckBesideCache: what is kept of our visits is not taken for what others are
// shown.
func TestCheckBesideCache(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &site{cached: true, page: func(path string, robot bool) (int, string) {
			if robot {
				return 200, goods(path, "")
			}
			return 200, "<p>" + words(1e6)
		}}
		check, _ := crawl(t, s, &cloaking.Check{As: browser, Pages: 4})
		if v, _ := check.Explain("http://shop.test/"); !v.Cloaks || v.Same != 0 || s.known != 0 {
			t.Error(v, s.known)
		}
	})
}

func TestCheckSetUpWrongly(t *testing.T) {
	t.Parallel()
	c := crawler.Crawler{UserAgent: agent, Fetcher: &crawler.HTTP{UserAgent: agent, Transport: &site{}}}
	c.Plugins = []crawler.Plugin{new(cloaking.Check)}
	if err := c.Run(t.Context(), "http://shop.test/"); !isConfigError(err) {
		t.Error(err)
	}
}

func isConfigError(err error) bool {
	_, ok := errors.AsType[*crawler.ConfigError](err)
	return ok
}

// How a crawl looks for hosts that cloak, and is asked what it found.
func ExampleCheck() {
	front := frontier.New(frontier.Options{})
	defer front.Close()
	c := crawler.Crawler{
		UserAgent: "acme/1.0 (+https://acme.example/bot)",
		Frontier:  front,
	}
	check := &cloaking.Check{Frontier: front, As: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
	c.Plugins = []crawler.Plugin{check}
	// c.Run(ctx, "https://shop.example/")
	fmt.Println(check.Explain("https://shop.example/"))
	// Output: cloaking: the host does not cloak (others are shown the same in 0 pages, another one in 0, and 0 change by themselves) false
}
