package trap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/trap"
)

// network is a set of sites of 60 pages each that all link to each other. Page
// n of a host says what text returns.
func network(hosts int, text func(n int) string) func(host, path, query string) (int, string, string) {
	return func(host, path, _ string) (int, string, string) {
		n := 0
		fmt.Sscanf(path, "/p%d", &n)
		var b strings.Builder
		for i := range hosts {
			text := text
			if text == nil {
				text = func(n int) string { return prose(n*hosts+i, 12) }
			}
			fmt.Fprintf(&b, `<a href="http://site%d.test/p%d">best %d</a> %s `, i, (n*7+i)%60, i, text(n))
		}
		return 200, fmt.Sprint("Page ", n), b.String() + links("/p%d", 3*n+1, min(3*n+4, 60))
	}
}

// offer is of few words, others for each page.
func offer(n int) string { return strings.TrimSpace(prose(n, 5)) + " cheap" }

func TestLinkFarm(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		hosts int
		text  func(n int) string
		pages int // of each host that are read
	}{
		"a farm":                      {8, offer, 10},
		"sites that have to say much": {8, nil, 60},
		"three friends":               {3, offer, 60},
	} {
		for _, workers := range []int{1, 8} {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(t *testing.T) {
					w, g := &web{page: network(tt.hosts, tt.text)}, trap.New(trap.Options{FarmPages: 10})
					crawl(t, w, g, workers, "http://site0.test/p0")
					for i := range tt.hosts {
						if n := w.fetched(fmt.Sprintf("//site%d.test", i)); n != tt.pages {
							t.Errorf("%d pages of site %d, want %d", n, i, tt.pages)
						}
					}
					if tt.pages == 10 && w.reasons(g)[trap.LinkFarm] == "" {
						t.Errorf("reasons %v", w.reasons(g))
					}
				})
			})
		}
	}
}
