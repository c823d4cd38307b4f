package crawler

import (
	"context"
	"errors"
	"net/http"
	"slices"
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
