package dedup_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/frontier"

	"context"
)

// TestGroupsOfWebfarm crawls hosts of which it is known which pages are copies
// of which, through the proxy that QUARRY_WEBFARM names, and compares pairs.
func TestGroupsOfWebfarm(t *testing.T) {
	farm, err := url.Parse(os.Getenv("QUARRY_WEBFARM"))
	if err != nil || farm.Host == "" {
		t.Skip("QUARRY_WEBFARM is not set to the URL of a webfarm that serves the hosts dup-a.test and dup-b.test")
	}
	truth := truthOf(t, farm)
	for _, tt := range []struct {
		name   string
		opt    dedup.Options
		frames bool
		want   float64
	}{
		{"default, whole pages", dedup.Options{}, false, 0.95},
		{"default", dedup.Options{}, true, 0.95},
		{"distance 6", dedup.Options{Distance: 6}, true, 0.8},
		{"distance 12, resemblance 0.7", dedup.Options{Distance: 12, Resemblance: 0.7}, true, 0.9},
		{"distance 16, resemblance 0.6", dedup.Options{Distance: 16, Resemblance: 0.6}, true, 0.95},
		{"distance 20, resemblance 0.6", dedup.Options{Distance: 20, Resemblance: 0.6}, true, 0.95},
		{"distance 20, resemblance 0.4", dedup.Options{Distance: 20, Resemblance: 0.4}, true, 0.95},
		{"distance 20, resemblance 0.4, whole pages", dedup.Options{Distance: 20, Resemblance: 0.4}, false, 0.95},
	} {
		index, got := crawlDup(t, farm, tt.opt, tt.frames)
		both, ours, theirs := 0, pairs(got), pairs(truth)
		for p := range ours {
			if theirs[p] {
				both++
			}
		}
		precision, recall := float64(both)/float64(len(ours)), float64(both)/float64(len(theirs))
		f1 := 2 * precision * recall / (precision + recall)
		t.Logf("%s: precision %.3f, recall %.3f, F1 %.3f of %d pairs; mirrors %+v", tt.name, precision, recall, f1, len(theirs), index.Mirrors())
		if f1 < tt.want {
			t.Errorf("%s: F1 %.3f", tt.name, f1)
		}
	}
}

func truthOf(t *testing.T, farm *url.URL) map[string]string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(farm)}}
	resp, err := client.Get("http://dup-a.test/_groups.json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var groups []struct{ URLs []string }
	if err := json.NewDecoder(resp.Body).Decode(&groups); err != nil {
		t.Fatal(err)
	}
	truth := make(map[string]string)
	for _, g := range groups {
		for _, u := range g.URLs {
			truth[u] = g.URLs[0]
		}
	}
	return truth
}

// crawlDup returns the group of each page; one that names another as its
// canonical URL has that one's.
func crawlDup(t *testing.T, farm *url.URL, opt dedup.Options, frames bool) (*dedup.Index, map[string]string) {
	t.Helper()
	var put []string
	index := dedup.New(opt)
	var sink crawler.Sink = &dedup.Sink{Index: index, Next: func(context.Context, *crawler.Page, dedup.Match) error { return nil }}
	if !frames {
		sink = crawler.Pages(func(_ context.Context, page *crawler.Page) error {
			_, err := index.Add(page.URL, dedup.OfPage(page.Title, page.Text))
			return err
		})
	}
	front := frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1, PerHost: 8, PerDomain: 8, Factor: -1}})
	defer front.Close()
	aliases := make(map[string]string)
	c := crawler.Crawler{
		UserAgent: agent, Frontier: front, Sink: sink,
		Fetcher: &crawler.HTTP{UserAgent: agent, Proxy: farm, AllowPrivate: true},
		OnEvent: func(e crawler.Event) {
			switch {
			case e.Kind == crawler.Fetched:
				put = append(put, e.URL)
			case e.Reason == crawler.SkipCanonical:
				aliases[e.URL] = e.Target
			}
		},
	}
	if err := c.Run(t.Context(), "http://dup-a.test/", "http://dup-b.test/"); err != nil {
		t.Fatal(err)
	}
	groups := make(map[string]string)
	for _, u := range put {
		groups[u] = u
	}
	for g, err := range index.Groups() {
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range g {
			groups[u] = g[0]
		}
	}
	for u, target := range aliases {
		groups[u] = groups[target]
	}
	return index, groups
}

// pairs are those of pages in one group.
func pairs(group map[string]string) map[[2]string]bool {
	by := make(map[string][]string)
	for u, g := range group {
		by[g] = append(by[g], u)
	}
	all := make(map[[2]string]bool)
	for _, urls := range by {
		for _, a := range urls {
			for _, b := range urls {
				if a < b {
					all[[2]string{a, b}] = true
				}
			}
		}
	}
	return all
}
