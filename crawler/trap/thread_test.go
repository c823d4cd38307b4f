package trap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler/trap"
)

// TestThreads: pages that go on by a parameter, each with a text of its own under one
// title, are read to the end, whatever stands in their path.
func TestThreads(t *testing.T) {
	t.Parallel()
	const threads, pages = 20, 10
	for name, path := range map[string]func(n int) string{
		"number": func(n int) string { return fmt.Sprintf("/story-%02d", n) },
		"date":   func(n int) string { return fmt.Sprintf("/blog/2024/%02d/story-%02d", n%12+1, n) },
		"id":     func(n int) string { return fmt.Sprintf("/doc-%016xa7.html", xxh3.HashString(fmt.Sprint(n))) },
	} {
		at := make(map[string]int)
		for n := range threads {
			at[path(n)] = n
		}
		page := func(_, path, query string) (int, string, string) {
			n, ok := at[path]
			if path == "/" {
				return 200, "Home", each(threads, func(i int) string {
					for p, n := range at {
						if n == i {
							return p
						}
					}
					return ""
				})
			}
			m := 1
			fmt.Sscanf(query, "start=%d", &m)
			if !ok || m > pages {
				return 404, "", ""
			}
			next := ""
			if m < pages {
				next = fmt.Sprintf(`<a href="%s?start=%d">next</a>`, path, m+1)
			}
			return 200, fmt.Sprint("Story ", n), prose(n*100+m, 60) + next
		}
		for _, workers := range []int{1, 8} {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(t *testing.T) {
					w, g := &web{page: page}, trap.New(trap.Options{})
					crawl(t, w, g, workers)
					got := 0
					for p := range at {
						got += w.fetched("a.test" + p)
					}
					if got != threads*pages {
						t.Errorf("%d of %d pages read; %s", got, threads*pages, strings.TrimSpace(fmt.Sprint(w.reasons(g))))
					}
				})
			})
		}
	}
}
