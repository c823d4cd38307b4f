package trap_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/trap"
	"github.com/webquarry/quarry/frontier"
)

// TestDeadLinks: a pattern whose URLs have no page is held, the rest of its host and a
// pattern with pages among dead links are read whole.
func TestDeadLinks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		alive       func(n int) bool // of /none/N
		least, most int              // requests of 700
	}{
		"none is alive":  {func(int) bool { return false }, 96, 140},
		"every fifth is": {func(n int) bool { return n%5 == 0 }, 700, 700},
		"few are not":    {func(n int) bool { return n%30 != 0 }, 700, 700},
	} {
		for _, workers := range []int{1, 8} {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(t *testing.T) {
					w := &web{page: func(_, path, _ string) (int, string, string) {
						var n int
						if k, _ := fmt.Sscanf(path, "/none/%d", &n); k == 1 && !tt.alive(n) {
							return []int{403, 404, 410}[n%3], "", ""
						} else if k == 1 {
							return 200, fmt.Sprint("Thing ", n), prose(n, 40)
						}
						if k, _ := fmt.Sscanf(path, "/article/%d", &n); k == 1 {
							return 200, fmt.Sprint("Article ", n), prose(5000+n, 40) + links("/article/%d", n+1, min(n+3, 40))
						}
						return 200, "Home", links("/none/%d", 0, 700) + links("/article/%d", 0, 1)
					}}
					g := trap.New(trap.Options{})
					crawl(t, w, g, workers)
					if n := w.fetched("/article/"); n != 40 {
						t.Errorf("%d articles, want 40", n)
					}
					if n := w.fetched("/none/"); n < tt.least || n > tt.most {
						t.Errorf("%d requests of the pattern, want %d to %d", n, tt.least, tt.most)
					}
					if why := g.Why("http://a.test/none/7777"); strings.Contains(why, "refused: dead links") != (tt.most < 700) {
						t.Errorf("%q", why)
					}
				})
			})
		}
	}
}

// answers is a Fetcher with a status for each number in a URL.
type answers struct {
	status func(n int) int
	asked  []int
}

func (a *answers) Fetch(_ context.Context, req frontier.Request) (*crawler.Response, error) {
	var n int
	fmt.Sscanf(req.URL, "http://a.test/none/%d", &n)
	a.asked = append(a.asked, n)
	return &crawler.Response{Request: req, URL: req.URL, Status: a.status(n)}, nil
}

// TestDeadLinksRevive: where a probe finds a page, the pattern goes on.
func TestDeadLinksRevive(t *testing.T) {
	t.Parallel()
	a := &answers{status: func(n int) int {
		if n < 800 {
			return 404
		}
		return 200
	}}
	f := trap.New(trap.Options{}).Fetcher(a)
	for n := range 1500 {
		resp, err := f.Fetch(t.Context(), frontier.Request{URL: fmt.Sprintf("http://a.test/none/%d", n), Via: "http://a.test/"})
		if (resp == nil) == (err == nil) {
			t.Fatal(resp, err)
		}
	}
	dead, alive := 0, 0
	for _, n := range a.asked {
		if n < 800 {
			dead++
		} else {
			alive++
		}
	}
	if dead < 96+20 || dead > 96+24 || alive < 700-31 {
		t.Errorf("%d dead ones asked for, and %d of 700 others", dead, alive)
	}
}

// TestDeadLinksOfABusyHost: answers that say nothing of a page neither hold a pattern
// nor set it free.
func TestDeadLinksOfABusyHost(t *testing.T) {
	t.Parallel()
	for busy, want := range map[int]int{1: 700, 4: 96 + 96/3 + 640/32} { // one answer in so many is a 503 or a 429
		a := &answers{status: func(n int) int {
			switch {
			case n%busy != 0:
				return 404
			case n%2 == 0:
				return 503
			}
			return 429
		}}
		f := trap.New(trap.Options{}).Fetcher(a)
		for n := range 700 {
			f.Fetch(t.Context(), frontier.Request{URL: fmt.Sprintf("http://a.test/none/%d", n), Via: "http://a.test/"})
		}
		if len(a.asked) > want || busy == 1 && len(a.asked) < want {
			t.Errorf("every %d: %d asked for, want %d", busy, len(a.asked), want)
		}
	}
}
