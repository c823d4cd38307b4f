package refresh_test

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/recrawl"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/refresh"
)

// The snippets of docs/guides/refresh.md, each of which stands here word for
// word.

type known struct {
	history refresh.History
	digest  uint64 // of the content last seen
}

func readyMade(userAgent string) crawler.Crawler {
	p := &recrawl.Policy{
		Scheduler: &refresh.Scheduler{},
		Split:     &refresh.Split{PerSecond: 20, Refresh: 0.3}, // of twenty visits a second six are for known pages
		Priority:  10,                                          // which come first when they are due
	}
	c := crawler.Crawler{
		UserAgent: userAgent,
		Frontier:  frontier.New(frontier.Options{Horizon: -1}), // pages that are due in a month belong to this run
		Revisit:   p.Revisit,
	}
	return c
}

func withCrawler(userAgent string, fetcher crawler.Fetcher) crawler.Crawler {
	scheduler := &refresh.Scheduler{PerSecond: 2} // visits a second to pages already known
	pages := map[string]*known{}                  // a program that lives long keeps this on disk, see below
	var mu sync.Mutex
	c := crawler.Crawler{
		UserAgent: userAgent,
		Fetcher:   fetcher,
		Frontier:  frontier.New(frontier.Options{Horizon: -1}), // pages that are due in a month belong to this run
		Revisit: func(req frontier.Request, resp *crawler.Response, err error) frontier.Outcome {
			out := crawler.Retry(req, resp, err)
			if err != nil || resp.Status != http.StatusOK {
				return out // nothing was learned of the page
			}
			digest := xxh3.Hash(resp.Body)
			mu.Lock()
			defer mu.Unlock()
			page := pages[req.URL]
			if page == nil {
				page = &known{}
				pages[req.URL] = page
			}
			page.history, out.Again = scheduler.Visit(page.history, refresh.Visit{At: resp.Fetched, Changed: digest != page.digest})
			page.digest = digest
			return out
		},
	}
	return c
}

func keep(scheduler *refresh.Scheduler) error {
	saved, err := json.Marshal(scheduler.Price())
	if err != nil {
		return err
	}
	var price refresh.Price
	if err := json.Unmarshal(saved, &price); err != nil {
		return err
	}
	next := &refresh.Scheduler{PerSecond: 2}
	if err := next.Resume(price); err != nil {
		return err
	}
	return nil
}

func share(discovered, due []string) (refresh.Turn, time.Time) {
	split := &refresh.Split{PerSecond: 10, Refresh: 0.3} // three of ten visits go to known pages
	scheduler := &refresh.Scheduler{PerSecond: split.Left()}
	turn, again := split.Turn(time.Now(), len(discovered) > 0, len(due) > 0)
	switch turn {
	case refresh.Discover: // take one of discovered
	case refresh.Revisit: // take one of due
	case refresh.Wait: // until again
	}
	scheduler.Budget(split.Left()) // now and then: what discovering leaves
	return turn, again
}

func allocate() (refresh.Plan, error) {
	plan, err := refresh.Allocate(refresh.Optimal{}, []refresh.Page{
		{Rate: 1.0 / 86400},              // changes once a day
		{Rate: 5.0 / 86400, Weight: 2.5}, // five times a day, and matters more
	}, 3.0/86400)
	return plan, err
}

func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/guides/refresh.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("guide_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blanks := regexp.MustCompile(`\s+`)
	flat := func(s string) string { return blanks.ReplaceAllString(s, " ") }
	snippets := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	for _, s := range snippets {
		if !strings.Contains(flat(string(source)), flat(strings.TrimSpace(s[1]))) {
			t.Errorf("this snippet is not compiled:\n%s", s[1])
		}
	}
	if len(snippets) != 6 {
		t.Errorf("%d snippets", len(snippets))
	}
}

// The snippets do what they say.
func TestGuideRuns(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	req := frontier.Request{URL: "https://example.org/"}
	for name, c := range map[string]crawler.Crawler{"ready": readyMade(""), "own": withCrawler("", nil)} {
		again := c.Revisit(req, &crawler.Response{Status: 200, Body: []byte("a"), Fetched: start}, nil).Again
		if !again.After(start) {
			t.Errorf("%s: a page is visited again %v after its visit", name, again.Sub(start))
		}
		if out := c.Revisit(req, &crawler.Response{Status: 404, Fetched: start}, nil); !out.Again.IsZero() {
			t.Errorf("%s: a page that is gone comes again at %v", name, out.Again)
		}
	}
	var s refresh.Scheduler
	s.Visit(refresh.History{}, refresh.Visit{At: start})
	if err := keep(&s); err != nil {
		t.Error(err)
	}
	if turn, _ := share(nil, []string{"a"}); turn != refresh.Revisit {
		t.Errorf("turn %v", turn)
	}
	plan, err := allocate()
	if err != nil || plan.Intervals[0] < 0.5*86400 || plan.Intervals[0] > 2*86400 {
		t.Errorf("%+v, %v", plan, err)
	}
}
