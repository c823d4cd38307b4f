package crawler_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/focus"
	"github.com/webquarry/quarry/crawler/recrawl"
	"github.com/webquarry/quarry/frontier/refresh"
)

// rememberingPlugins change what is visited, and when, by what they have seen. All pages of random
// webs are off topic, so that a bound on these would make the order of visits matter.
var rememberingPlugins = map[string]func() crawler.Plugin{
	"trap":  plugins["trap"],
	"probe": plugins["probe"],
	"dedup": plugins["dedup"],
	"focus": func() crawler.Plugin { return focus.New(focus.Options{Topic: focus.Words("bees honey hive")}) },
	"refresh": func() crawler.Plugin {
		return &recrawl.Policy{Scheduler: &refresh.Scheduler{Min: 24 * time.Hour, Max: 48 * time.Hour}} // beyond the end of the crawl
	},
}

// TestRandomWebsWithPlugins: the same pages are put, each once, with plug-ins that are drawn, in
// an order that is drawn, whether a crawl is interrupted at 1 to 5 random places and resumed
// or not. QUARRY_LONG=1 has it try 1,000 webs, a minute:
//
//	QUARRY_LONG=1 go test -run TestRandomWebsWithPlugins -timeout 1h ./crawler
func TestRandomWebsWithPlugins(t *testing.T) {
	t.Parallel()
	seeds := uint64(60)
	switch {
	case os.Getenv("QUARRY_LONG") != "":
		seeds = 1000
	case testing.Short():
		seeds = 10
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 2))
		var names []string
		for _, name := range []string{"dedup", "focus", "refresh", "trap"} {
			if r.IntN(2) == 0 {
				names = append(names, name)
			}
		}
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		synctest.Test(t, func(t *testing.T) {
			crawl := func(workers, interrupted int) []string {
				var with []crawler.Plugin
				for _, name := range names {
					with = append(with, rememberingPlugins[name]())
				}
				return crawler.CrawlRandomWeb(t, seed, workers, interrupted, with...)
			}
			straight := crawl(1, 0)
			for _, how := range [][2]int{{3, 0}, {1, 1 + r.IntN(5)}, {3, 1 + r.IntN(5)}} {
				if got := crawl(how[0], how[1]); !slices.Equal(got, straight) {
					t.Errorf("seed %d, with %s, %d workers, interrupted %d times: put %q, want %q", seed, strings.Join(names, ", "), how[0], how[1], got, straight)
				}
			}
		})
	}
}
