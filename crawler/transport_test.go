package crawler

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/frontier"
)

type tripFunc func(*http.Request) (*http.Response, error)

func (f tripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestWithTransport: every exchange is seen, also that of a redirect, in the
// order of the wrapping.
func TestWithTransport(t *testing.T) {
	t.Parallel()
	web, err := crawlertest.Parse("-- http://a.test/ --\nHTTP 302\nLocation: /b\n\n-- http://a.test/b --\nhere")
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	see := func(ctx context.Context, name string) context.Context {
		return WithTransport(ctx, func(next http.RoundTripper) http.RoundTripper {
			return tripFunc(func(r *http.Request) (*http.Response, error) {
				seen = append(seen, name+" "+r.URL.Path)
				return next.RoundTrip(r)
			})
		})
	}
	h := &HTTP{UserAgent: testAgent, Transport: web, Redirects: 1}
	resp, err := h.Fetch(see(see(t.Context(), "outer"), "inner"), frontier.Request{URL: "http://a.test/"})
	if err != nil || string(resp.Body) != "here" {
		t.Fatalf("%v, %v", resp, err)
	}
	if want := []string{"outer /", "inner /", "outer /b", "inner /b"}; !slices.Equal(seen, want) {
		t.Errorf("saw %q, want %q", seen, want)
	}
}

type fullDisk struct{}

func (fullDisk) Error() string { return "disk full" }
func (fullDisk) Fatal() bool   { return true }

// TestFatalError: what is wrong with us and not with the page ends the run.
func TestFatalError(t *testing.T) {
	t.Parallel()
	for _, ignore := range []bool{true, false} { // at a page, and at robots.txt
		c := Crawler{UserAgent: testAgent, IgnoreRobots: ignore, Fetcher: FetcherFunc(
			func(context.Context, frontier.Request) (*Response, error) { return nil, fullDisk{} })}
		if err := c.Run(t.Context(), "http://a.test/"); !errors.Is(err, fullDisk{}) {
			t.Errorf("IgnoreRobots %v: Run returned %v", ignore, err)
		}
	}
}

// TestConnectionsThatLieIdle: a page for which the server hangs up is asked for
// once by a connection that lay idle, which may have been dead, and once by a new
// one, however many lay idle.
func TestConnectionsThatLieIdle(t *testing.T) {
	t.Parallel()
	const idle = 4
	var all sync.WaitGroup
	all.Add(idle)
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			asked.Add(1)
			panic(http.ErrAbortHandler)
		}
		if r.URL.Path == "/wait" {
			all.Done()
			all.Wait()
		}
	}))
	t.Cleanup(site.Close)
	h := &HTTP{UserAgent: testAgent, AllowPrivate: true}
	var fetches sync.WaitGroup
	for range idle {
		fetches.Go(func() {
			if _, err := h.Fetch(t.Context(), frontier.Request{URL: site.URL + "/wait"}); err != nil {
				t.Error(err)
			}
		})
	}
	fetches.Wait()
	if _, err := h.Fetch(t.Context(), frontier.Request{URL: site.URL + "/gone"}); err == nil {
		t.Error("no error")
	}
	if n := asked.Load(); n < 1 || n > 2 {
		t.Errorf("asked %d times", n)
	}
	if _, err := h.Fetch(t.Context(), frontier.Request{URL: site.URL + "/"}); err != nil {
		t.Error(err)
	}
}
