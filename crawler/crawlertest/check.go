package crawlertest

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// EachOnce checks that these URLs were asked for, each as often as it has
// answers, and nothing else but robots.txt. No URLs means all of the web.
func (w *Web) EachOnce(t testing.TB, urls ...string) {
	t.Helper()
	if len(urls) == 0 {
		urls = slices.DeleteFunc(w.URLs(), isRobots)
	}
	asked := make(map[string]int)
	for _, r := range w.Requests() {
		if !isRobots(r.URL) {
			asked[r.URL]++
		}
	}
	for _, u := range urls {
		if want := w.answers(u); asked[u] != want {
			t.Errorf("%s was asked for %d times, not %d", u, asked[u], want)
		}
		delete(asked, u)
	}
	for u := range asked {
		t.Errorf("%s was asked for", u)
	}
}

// Gaps checks that requests to one host began at least d after one another,
// robots.txt included, and that robots.txt came first.
func (w *Web) Gaps(t testing.TB, d time.Duration) {
	t.Helper()
	last := make(map[string]Request)
	for _, r := range w.Requests() {
		host := hostOf(r.URL)
		before, seen := last[host]
		switch gap := r.At.Sub(before.At); {
		case !seen && !isRobots(r.URL):
			t.Errorf("%s was asked for before robots.txt", r.URL)
		case seen && gap < d:
			t.Errorf("%s was asked for %v after %s, not %v", r.URL, gap, before.URL, d)
		}
		last[host] = r
	}
}

// answers is how many answers a URL has, at least one.
func (w *Web) answers(u string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return max(len(w.pages[u]), 1)
}

// Unknown returns what was asked for and is not in the web.
func (w *Web) Unknown() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.unknown)
}

func isRobots(u string) bool { return strings.HasSuffix(u, "/robots.txt") }

func hostOf(u string) string {
	p, err := url.Parse(u)
	if err != nil {
		return u
	}
	return p.Scheme + "://" + p.Host
}
