package recrawl

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/refresh"
)

const agent = "test/1.0 (+https://quarry.test/bot)"

// TestRecrawl: over ten days and nine restarts, a page that changes every hour is
// visited much more often than one that never does, and one that was gone comes back.
func TestRecrawl(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		visits, missed := map[string]int{}, 0
		site := crawler.FetcherFunc(func(_ context.Context, r frontier.Request) (*crawler.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			visits[r.URL]++
			day := time.Since(start) / (24 * time.Hour)
			resp := &crawler.Response{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("same"), Fetched: time.Now()}
			switch r.URL {
			case "http://a.test/often":
				resp.Body = fmt.Appendf(nil, "hour %d", time.Since(start)/time.Hour)
			case "http://a.test/gone":
				if day > 2 && day < 6 {
					resp.Status = 404 + 6*(visits[r.URL]&1) // or 410
					missed++
				}
			case "http://a.test/304":
				if visits[r.URL] > 1 {
					resp.Status, resp.Body = 304, nil
				}
			case "http://a.test/down":
				if day > 2 && day < 5 {
					resp.Status = 501
				}
			}
			return resp, nil
		})
		dir := t.TempDir()
		policy := &Policy{Scheduler: &refresh.Scheduler{PerSecond: 100.0 / (24 * 3600), Life: 24 * time.Hour}}
		seeds := []string{"http://a.test/often", "http://a.test/never", "http://a.test/gone", "http://a.test/304", "http://a.test/down"}
		afterGone, afterDown := 0, 0
		for day := range 10 {
			f, err := frontier.Open(dir, frontier.Options{SyncEvery: -1, Horizon: -1})
			if err != nil {
				t.Fatal(err)
			}
			c := crawler.Crawler{UserAgent: agent, IgnoreRobots: true, Frontier: f, Fetcher: site, Revisit: policy.Revisit, Budget: crawler.Budget{Wall: 24 * time.Hour}}
			if err := c.Run(t.Context(), seeds...); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if day == 5 {
				afterGone, afterDown = visits["http://a.test/gone"], visits["http://a.test/down"]
			}
		}
		t.Log(visits)
		if visits["http://a.test/often"] < 5*visits["http://a.test/never"] || visits["http://a.test/never"] < 4 || visits["http://a.test/304"] < 4 {
			t.Errorf("visits %v", visits)
		}
		if visits["http://a.test/gone"] == afterGone || visits["http://a.test/down"] == afterDown || missed < 1 || missed > 8 {
			t.Errorf("visits %v; until the sixth day %d of the one that was gone, %d in vain, and %d of the one that was down", visits, afterGone, missed, afterDown)
		}
	})
}

func TestModifiedByOurClock(t *testing.T) {
	t.Parallel()
	ours := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	theirs := ours.Add(time.Hour) // their clock is fast
	resp := &crawler.Response{Fetched: ours, Header: http.Header{
		"Date": {theirs.Format(http.TimeFormat)}, "Last-Modified": {theirs.Add(-5 * time.Minute).Format(http.TimeFormat)}}}
	if got := modified(resp); !got.Equal(ours.Add(-5 * time.Minute)) {
		t.Error(got)
	}
	resp.Header.Set("Last-Modified", "yesterday")
	if got := modified(resp); !got.IsZero() {
		t.Error(got)
	}
}

// FuzzRead: no value is too strange, and what is written is read.
func FuzzRead(f *testing.F) {
	h, _ := new(refresh.Scheduler).Visit(refresh.History{}, refresh.Visit{At: time.Unix(1e9, 0)})
	f.Add(write(7, h))
	f.Add("")
	f.Add("12345678")
	f.Fuzz(func(t *testing.T, memo string) {
		digest, h, known := read(memo)
		if !known {
			return
		}
		if again, same, known := read(write(digest, h)); again != digest || !known || !same.Last.Equal(h.Last) || same.Visits != h.Visits {
			t.Errorf("%d %+v became %d %+v", digest, h, again, same)
		}
	})
}

// A crawl that goes on for ever, with two visits a second to pages already known.
func Example() {
	policy := &Policy{Scheduler: &refresh.Scheduler{PerSecond: 2}}
	f := frontier.New(frontier.Options{Horizon: -1})
	defer f.Close()
	ctx, cancel := context.WithCancel(context.Background())
	c := crawler.Crawler{UserAgent: agent, IgnoreRobots: true, Frontier: f, Revisit: policy.Revisit,
		Fetcher: crawler.FetcherFunc(func(context.Context, frontier.Request) (*crawler.Response, error) {
			return &crawler.Response{Status: 200, Body: []byte("x"), Fetched: time.Now()}, nil
		}),
		OnEvent: func(e crawler.Event) {
			if e.Kind == crawler.Fetched {
				cancel()
			}
		}}
	fmt.Println(c.Run(ctx, "http://a.test/"))
	x, _ := f.Explain(context.Background(), "http://a.test/")
	fmt.Println(x.State, time.Until(x.Due) > time.Second)
	// Output:
	// context canceled
	// queued true
}
