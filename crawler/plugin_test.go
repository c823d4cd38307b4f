package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/cloaking"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/crawler/focus"
	"github.com/webquarry/quarry/crawler/harvest"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/crawler/recrawl"
	"github.com/webquarry/quarry/crawler/trap"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/refresh"
)

// webs are small webs with something for each plug-in to do.
var webs = map[string]func(path string) (status int, body string){
	// A calendar without entries, of five years, beside pages.
	"trap": func(path string) (int, string) {
		var year, month int
		if n, _ := fmt.Sscanf(path, "/cal/%d/%d", &year, &month); n == 2 && year < 2031 {
			next := year*12 + month
			return 200, fmt.Sprintf("<title>Calendar</title><p>nothing this month<a href=/cal/%d/%d>next</a>", next/12, next%12+1)
		}
		return shelf(path, 40, "<a href=/cal/2026/1>calendar</a>")
	},
	// Every page under three addresses, and a page for every path.
	"dup": func(path string) (int, string) {
		for _, copy := range []string{"/print", "/mobile"} {
			if rest, ok := strings.CutPrefix(path, copy); ok {
				path = rest
			}
		}
		status, body := shelf(path, 25, fmt.Sprintf("<a href=/print%s>p</a><a href=/mobile%s>m</a>", path, path))
		if status == 404 {
			return 200, "<title>Sorry</title><p>" + prose("sorry", 60)
		}
		return status, body
	},
	// Some pages about bees, and more that are not.
	"topic": func(path string) (int, string) {
		n, err := strconv.Atoi(strings.TrimPrefix(path, "/item/"))
		status, body := shelf(path, 60, "")
		if err == nil && n%3 == 0 {
			body += "<h1>Bees</h1><p>honey hive bees honey pollen bees"
		}
		return status, body
	},
}

// shelf is a web of so many pages, each of which leads to some others.
func shelf(path string, pages int, more string) (int, string) {
	n := 0
	if path != "/" {
		var err error
		if n, err = strconv.Atoi(strings.TrimPrefix(path, "/item/")); err != nil || n >= pages || n < 1 {
			return 404, "none"
		}
	}
	body := fmt.Sprintf("<title>Item %d</title><p>%s", n, prose(path, 80))
	for _, next := range []int{2*n + 1, 2*n + 2, n / 2, pages - 1} {
		body += fmt.Sprintf(" <a href=/item/%d>item %d</a>", next%pages, next%pages)
	}
	return 200, body + more
}

// prose is text that a name always has, and no other.
func prose(name string, words int) string {
	h := fnv.New64()
	io.WriteString(h, name)
	r := rand.New(rand.NewPCG(h.Sum64(), 0))
	var b strings.Builder
	for range words {
		fmt.Fprintf(&b, "w%d ", r.IntN(3000))
	}
	return b.String()
}

type server func(path string) (int, string)

func (s server) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body := 404, ""
	if r.URL.Path != "/robots.txt" {
		status, body = s(r.URL.Path)
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// plugins make one of each.
var plugins = map[string]func() crawler.Plugin{
	"trap":  func() crawler.Plugin { return trap.New(trap.Options{}) },
	"cloak": func() crawler.Plugin { return &cloaking.Check{As: "Mozilla/5.0 (X11; Linux x86_64)"} },
	"probe": func() crawler.Plugin { return new(dedup.Probe) },
	"dedup": func() crawler.Plugin { return &dedup.Sink{Index: dedup.New(dedup.Options{})} },
	"focus": func() crawler.Plugin {
		return focus.New(focus.Options{Topic: focus.Words("bees honey hive"), MaxOff: 3})
	},
	"recrawl": func() crawler.Plugin { return &recrawl.Policy{Scheduler: new(refresh.Scheduler)} },
	"collect": func() crawler.Plugin { return &harvest.Links{Into: frontier.New(frontier.Options{})} },
	"cache":   func() crawler.Plugin { return crawler.Middleware(new(middleware.Cache).Wrap) },
	"log": func() crawler.Plugin {
		return crawler.Middleware(middleware.Log{Logger: slog.New(slog.DiscardHandler)}.Wrap)
	},
}

// crawlWith returns the pages that are put, with the group that dedup gives them.
func crawlWith(t *testing.T, web server, with ...crawler.Plugin) []string {
	t.Helper()
	var mu sync.Mutex
	put := map[string]bool{}
	front := frontier.New(frontier.Options{Horizon: time.Hour})
	defer front.Close()
	c := crawler.Crawler{
		UserAgent: "quarry-test/1.0 (+https://example.com)", Frontier: front, Workers: 1, Plugins: with,
		Fetcher: &crawler.HTTP{UserAgent: "quarry-test/1.0 (+https://example.com)", Transport: web},
		Budget:  crawler.Budget{Wall: 5 * time.Minute},
		Sink: crawler.Pages(func(_ context.Context, p *crawler.Page) error {
			mu.Lock()
			defer mu.Unlock()
			m, judged := dedup.MatchOf(p)
			put[fmt.Sprint(p.URL, " ", judged && m.Kind != dedup.Unique)] = true
			return nil
		}),
	}
	if err := c.Run(t.Context(), "http://a.test/"); err != nil {
		t.Fatal(err)
	}
	for _, p := range with {
		if closer, ok := p.(io.Closer); ok {
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	return slices.Sorted(maps.Keys(put))
}

// TestPluginPairs: any two plug-ins give the same pages in either order, over each web. The short
// form has a third of it.
func TestPluginPairs(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(plugins))
	pairs := 0
	for w, web := range slices.Sorted(maps.Keys(webs)) {
		pages := webs[web]
		for i, a := range names {
			for _, b := range names[i+1:] {
				if pairs++; testing.Short() && pairs%len(webs) != w {
					continue // each pair over one of the webs
				}
				t.Run(web+"/"+a+"+"+b, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						one := crawlWith(t, pages, plugins[a](), plugins[b]())
						other := crawlWith(t, pages, plugins[b](), plugins[a]())
						if !slices.Equal(one, other) {
							t.Errorf("%d pages in this order, %d in the other:\n%q\n%q", len(one), len(other), less(one, other), less(other, one))
						}
						if len(one) < 10 {
							t.Errorf("%d pages", len(one))
						}
					})
				})
			}
		}
	}
	if pairs != 3*36 {
		t.Errorf("%d pairs", pairs)
	}
}

// less are the strings of a that b does not have.
func less(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// TestPluginConflicts: what cannot work together is an error of Run before anything is fetched.
func TestPluginConflicts(t *testing.T) {
	t.Parallel()
	refuses := errors.New("not with me")
	guard := trap.New(trap.Options{})
	retry := crawler.PluginFunc(func(c *crawler.Crawler) error { c.Revisit = crawler.Retry; return nil })
	for name, c := range map[string]struct {
		with []crawler.Plugin
		why  string
	}{
		"nil":              {[]crawler.Plugin{nil}, "is nil"},
		"the same twice":   {[]crawler.Plugin{guard, guard}, "twice"},
		"two guards":       {[]crawler.Plugin{plugins["trap"](), plugins["trap"]()}, "one already"},
		"two checks":       {[]crawler.Plugin{plugins["cloak"](), plugins["log"](), plugins["cloak"]()}, "one already"},
		"two probes":       {[]crawler.Plugin{plugins["probe"](), plugins["focus"](), plugins["probe"]()}, "one already"},
		"two focuses":      {[]crawler.Plugin{plugins["focus"](), plugins["trap"](), plugins["focus"]()}, "one already"},
		"two policies":     {[]crawler.Plugin{plugins["recrawl"](), plugins["recrawl"]()}, "Revisit already"},
		"a Revisit before": {[]crawler.Plugin{retry, plugins["recrawl"]()}, "Revisit already"},
		"no scheduler":     {[]crawler.Plugin{new(recrawl.Policy)}, "Scheduler"},
		"no index":         {[]crawler.Plugin{new(dedup.Sink)}, "Index"},
		"no agent":         {[]crawler.Plugin{new(cloaking.Check)}, "user agent"},
		"no second phase":  {[]crawler.Plugin{new(harvest.Links)}, "Frontier"},
		"of one's own":     {[]crawler.Plugin{crawler.PluginFunc(func(*crawler.Crawler) error { return refuses })}, refuses.Error()},
	} {
		run := crawler.Crawler{UserAgent: "quarry-test/1.0 (+https://example.com)", Plugins: c.with, Fetcher: crawler.FetcherFunc(func(context.Context, frontier.Request) (*crawler.Response, error) {
			t.Errorf("%s: a page is fetched", name)
			return nil, errors.New("no")
		})}
		if err := run.Run(t.Context(), "http://a.test/"); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
	}
}

// TestPluginOfCrawlerThatCannotRun: where a setting is wrong that is no plug-in's, none is installed.
func TestPluginOfCrawlerThatCannotRun(t *testing.T) {
	t.Parallel()
	installed := false
	run := crawler.Crawler{
		UserAgent: "quarry-test/1.0 (+https://example.com)", Fetcher: &crawler.HTTP{UserAgent: "\n"},
		Plugins: []crawler.Plugin{crawler.PluginFunc(func(*crawler.Crawler) error { installed = true; return errors.New("of the plug-in") })},
	}
	err := run.Run(t.Context(), "http://a.test/")
	if _, ok := errors.AsType[*crawler.ConfigError](err); !ok || installed {
		t.Errorf("installed: %v, %v", installed, err)
	}
}

// carrier is a plug-in of a comparable type whose values may not be.
type carrier struct {
	with any
	err  error
}

func (c carrier) Install(*crawler.Crawler) error { return c.err }

// TestPluginThatCannotBeCompared: it is not compared with others, which would panic.
func TestPluginThatCannotBeCompared(t *testing.T) {
	t.Parallel()
	last := errors.New("asked")
	run := crawler.Crawler{UserAgent: "quarry-test/1.0 (+https://example.com)", Plugins: []crawler.Plugin{carrier{with: []int{1}}, carrier{with: []int{1}}, carrier{with: []int{1}, err: last}}}
	if err := run.Run(t.Context(), "http://a.test/"); err != last {
		t.Error(err)
	}
}
