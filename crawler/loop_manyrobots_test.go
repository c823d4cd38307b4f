package crawler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// manyHosts is a web of hosts with three pages each, and a robots.txt. It notes what
// is asked for, and when.
type manyHosts struct {
	robots func(host string) (text string, after time.Duration)
	age    string // Cache-Control of robots.txt

	mu    sync.Mutex
	asked map[string]int
	last  map[string]time.Time // by host
	short map[string]time.Duration
}

func (w *manyHosts) RoundTrip(r *http.Request) (*http.Response, error) {
	now := time.Now()
	w.mu.Lock()
	if w.asked == nil {
		w.asked, w.last, w.short = map[string]int{}, map[string]time.Time{}, map[string]time.Duration{}
	}
	w.asked[r.URL.String()]++
	if last, ok := w.last[r.URL.Host]; ok {
		if gap := now.Sub(last); w.short[r.URL.Host] == 0 || gap < w.short[r.URL.Host] {
			w.short[r.URL.Host] = gap
		}
	}
	w.last[r.URL.Host] = now
	w.mu.Unlock()
	resp := &http.Response{Request: r, StatusCode: 200, Header: http.Header{"Content-Type": {"text/html"}}}
	body := "<p>a page"
	switch r.URL.Path {
	case "/robots.txt":
		var after time.Duration
		body, after = w.robots(r.URL.Host)
		resp.Header.Set("Content-Type", "text/plain")
		if w.age != "" {
			resp.Header.Set("Cache-Control", w.age)
		}
		select {
		case <-time.After(after):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	case "/":
		body = "<a href=/1>x</a><a href=/2>x</a><a href=/private/x>x</a>"
	case "/1", "/2":
	default:
		return nil, errors.New("not to be asked for: " + r.URL.String())
	}
	resp.Body = io.NopCloser(strings.NewReader(body))
	return resp, nil
}

// check: every page was asked for once, robots.txt at most as often as a page of its
// host, and nothing sooner than it should.
func (w *manyHosts) check(t *testing.T, hosts []string, gap func(host string) time.Duration) {
	t.Helper()
	for _, host := range hosts {
		for _, path := range []string{"/", "/1", "/2"} {
			if n := w.asked["http://"+host+path]; n != 1 {
				t.Errorf("%s%s was asked for %d times", host, path, n)
			}
		}
		if n := w.asked["http://"+host+"/robots.txt"]; n < 1 || n > 4 {
			t.Errorf("the robots.txt of %s was asked for %d times", host, n)
		}
		if got := w.short[host]; got < gap(host) {
			t.Errorf("%s: two requests within %v, want %v", host, got, gap(host))
		}
	}
}

// TestRobotsOfManyHosts: however many hosts there are, and however little of their
// robots.txt can be remembered, each page is visited; what was forgotten costs one
// request more and not the page, and a Crawl-delay holds all the same. It is so
// where robots.txt expires before a host's turn comes again, and when the crawl is
// interrupted.
func TestRobotsOfManyHosts(t *testing.T) {
	t.Parallel()
	plain := func(n int) []string {
		hosts := make([]string, n)
		for i := range hosts {
			hosts[i] = fmt.Sprintf("www.site%d.test", i)
		}
		return hosts
	}
	second := func(string) time.Duration { return time.Second }
	rules := func(host string) (string, time.Duration) {
		return "User-agent: *\nDisallow: /private/\nDisallow: /" + host, 0
	}
	for name, tt := range map[string]struct {
		hosts   []string
		web     *manyHosts
		memory  int64
		limits  frontier.Limits
		gap     func(host string) time.Duration
		workers int
		stop    time.Duration // between interruptions
		within  time.Duration
	}{
		"room for one":      {hosts: plain(300), web: &manyHosts{robots: rules}, memory: 1, gap: second, within: time.Minute},
		"interrupted":       {hosts: plain(100), web: &manyHosts{robots: rules}, memory: 1, gap: second, stop: 700 * time.Millisecond, within: time.Minute},
		"a single worker":   {hosts: plain(50), web: &manyHosts{robots: rules}, memory: 1, gap: second, workers: 1, within: time.Minute},
		"room for the half": {hosts: plain(300), web: &manyHosts{robots: rules}, memory: 100_000, gap: second, within: time.Minute},
		"hosts that want rest": {hosts: plain(60), memory: 1, web: &manyHosts{robots: func(host string) (string, time.Duration) {
			return "User-agent: *\nDisallow: /private/\nCrawl-delay: 30\n", 0
		}}, gap: func(string) time.Duration { return 30 * time.Second }, within: 6 * time.Minute},
		"hosts that want a day": {hosts: plain(5), memory: 1, web: &manyHosts{age: "max-age=600", robots: func(host string) (string, time.Duration) {
			return "User-agent: *\nDisallow: /private/\nCrawl-delay: 86400\n", 0
		}}, gap: func(string) time.Duration { return 24 * time.Hour }, within: 8 * 24 * time.Hour},
		"a large and late one among ten": {hosts: plain(200), memory: 200_000, web: &manyHosts{robots: func(host string) (string, time.Duration) {
			text, _ := rules(host)
			if strings.HasSuffix(host, "7.test") {
				return text + strings.Repeat("\nDisallow: /"+host+"/x", 2000), 5 * time.Second
			}
			return text, 0
		}}, gap: second, within: time.Minute},
		"good for a tenth of a round": {hosts: func() (hosts []string) { // of one domain, whose turn comes every two minutes
			for i := range 50 {
				hosts = append(hosts, fmt.Sprintf("h%d.site.test", i))
			}
			return hosts
		}(), web: &manyHosts{robots: rules, age: "max-age=600"}, limits: frontier.Limits{DomainDelay: 2 * time.Minute}, gap: second, within: 14 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := frontier.New(frontier.Options{Limits: tt.limits, Horizon: -1})
				defer f.Close()
				c := Crawler{UserAgent: testAgent, Frontier: f, Workers: tt.workers, robotsMemory: tt.memory, Fetcher: &HTTP{UserAgent: testAgent, Transport: tt.web}}
				var seeds []string
				for _, h := range tt.hosts {
					seeds = append(seeds, "http://"+h+"/")
				}
				start := time.Now()
				enough := errors.New("enough")
				for {
					ctx, cancel := context.WithCancel(t.Context())
					if tt.stop > 0 {
						ctx, cancel = context.WithTimeoutCause(t.Context(), tt.stop, enough)
					}
					err := c.Run(ctx, seeds...)
					cancel()
					if err == nil {
						break
					}
					if err != enough || time.Since(start) > tt.within {
						t.Fatal(err)
					}
				}
				tt.web.check(t, tt.hosts, tt.gap)
				if took := time.Since(start); took > tt.within {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}
