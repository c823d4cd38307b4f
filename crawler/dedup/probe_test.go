package dedup_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/frontier"
)

const agent = "acme/1.0 (+https://acme.example/bot)"

// site answers requests in memory and notes them.
type site struct {
	page func(path string) (status int, body string)
	mu   sync.Mutex
	log  []string
	when []time.Time
}

func (s *site) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.when = append(s.log, req.URL.Path), append(s.when, time.Now())
	status, body := s.page(req.URL.Path)
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	if strings.HasPrefix(body, "http://") {
		header.Set("Location", body)
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req}, nil
}

const notFound = `<title>Shop</title><h1>Sorry!</h1><p>We could not find what you asked for, but there is a lot more in our shop to discover.`

// shop has 20 pages and links to 10 that are gone.
func shop(path string) (int, string) {
	var n int
	switch _, err := fmt.Sscanf(path, "/item/%d", &n); {
	case path == "/robots.txt":
		return 200, "User-agent: *\nDisallow: /secret"
	case path == "/":
		var b strings.Builder
		for i := range 30 {
			fmt.Fprintf(&b, `<a href="/item/%d">item</a> `, i)
		}
		return 200, "<title>Shop</title>" + b.String()
	case err == nil && n < 20:
		return 200, fmt.Sprintf("<title>Item %d</title>%s", n, strings.Repeat(fmt.Sprintf("thing%d is a fine item%d ", n, n*n), 10))
	}
	return 200, notFound
}

func crawlShop(t *testing.T, s *site, front frontier.Frontier, p *dedup.Probe) (put []string) {
	t.Helper()
	var mu sync.Mutex
	c := crawler.Crawler{
		UserAgent: agent, Frontier: front, Plugins: []crawler.Plugin{p},
		Fetcher: &crawler.HTTP{UserAgent: agent, Transport: s},
		Sink: crawler.Pages(func(_ context.Context, page *crawler.Page) error {
			mu.Lock()
			defer mu.Unlock()
			put = append(put, page.URL)
			return nil
		}),
	}
	if err := c.Run(t.Context(), "http://shop.test/"); err != nil {
		t.Fatal(err)
	}
	return put
}

func TestProbe(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		page func(path string) (int, string)
		soft bool
		put  int
	}{
		"soft": {shop, true, 21},
		"honest": {func(path string) (int, string) {
			if _, body := shop(path); body == notFound {
				return 404, body
			}
			return shop(path)
		}, false, 21},
		"redirects home": {func(path string) (int, string) {
			if _, body := shop(path); body == notFound {
				return 302, "http://shop.test/"
			}
			return shop(path)
		}, false, 21},
		"one page for all": {func(path string) (int, string) {
			if path == "/robots.txt" {
				return 404, ""
			}
			_, body := shop("/")
			return 200, body
		}, true, 31},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				front := frontier.New(frontier.Options{Limits: frontier.Limits{Delay: time.Second}})
				defer front.Close()
				s, p := &site{page: tt.page}, new(dedup.Probe)
				put := crawlShop(t, s, front, p)
				if len(put) != tt.put || p.SoftNotFound("http://shop.test/x") != tt.soft {
					t.Errorf("%d pages put, want %d; soft 404 is %v", len(put), tt.put, p.SoftNotFound("http://shop.test/x"))
				}
				probes := 0
				for _, path := range s.log {
					if !strings.HasPrefix(path, "/item/") && path != "/" && path != "/robots.txt" {
						probes++
					}
				}
				if probes != 1 {
					t.Errorf("%d probes: %v", probes, s.log)
				}
				for i := range s.when[1:] {
					if gap := s.when[i+1].Sub(s.when[i]); gap < time.Second {
						t.Errorf("%v between %s and %s", gap, s.log[i], s.log[i+1])
					}
				}
				if slices.ContainsFunc(put, func(url string) bool { return strings.Contains(url, "item/25") }) != (tt.put == 31) {
					t.Errorf("put %v", put)
				}
			})
		})
	}
}

// TestProbeObeysRobots: where robots.txt forbids all but a part, the probe is
// not sent.
func TestProbeObeysRobots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		front := frontier.New(frontier.Options{})
		defer front.Close()
		s := &site{page: func(path string) (int, string) {
			if path == "/robots.txt" {
				return 200, "User-agent: *\nDisallow: /\nAllow: /item/\nAllow: /$"
			}
			return shop(path)
		}}
		p := new(dedup.Probe)
		if put := crawlShop(t, s, front, p); len(put) != 31 || len(s.log) != 32 {
			t.Errorf("%d pages of %d requests", len(put), len(s.log))
		}
	})
}
