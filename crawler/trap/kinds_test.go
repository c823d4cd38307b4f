package trap_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler/trap"
)

// lot draws by lot what a page of a trap is made of, the same for each URL.
func lot(url string) *rand.Rand { return rand.New(rand.NewPCG(xxh3.HashString(url), 1)) }

// TestKindsOfTraps: beside the traps there are forty articles, each with a text of its
// own, which are read whole.
func TestKindsOfTraps(t *testing.T) {
	t.Parallel()
	colors := []string{"red", "green", "blue", "black", "white"}
	word := func(r *rand.Rand) string {
		return colors[r.IntN(5)] + "-" + []string{"fox", "dog", "cat", "cow", "hen", "ant", "owl", "elk"}[r.IntN(8)]
	}
	for name, tt := range map[string]struct {
		enter string
		page  func(path, query string) (title, body string)
		most  int
	}{
		"relative folders": {"a/", func(path, _ string) (string, string) {
			return "Files", prose(int(xxh3.HashString(path)%1e6), 60) + `<a href="a/b/">on</a> <a href="b/">aside</a>`
		}, 40},
		"ever more slashes": {"/p/", func(path, _ string) (string, string) {
			return "Files", prose(1, 40) + `<a href="` + path + `/">on</a>`
		}, 20},
		"letters in upper and lower case": {"/Some/Path/Of/Words", func(path, _ string) (string, string) {
			r := lot(path)
			return "Words", prose(1, 40) + each(3, func(int) string {
				b := []byte(path)
				i := 1 + r.IntN(len(b)-1)
				if b[i] != '/' {
					b[i] ^= 0x20
				}
				return string(b)
			})
		}, 60},
		"facets in any order": {"/shop?color=red", func(_, query string) (string, string) {
			had := strings.Split(query, "&")
			n := len(strings.Join(had, ""))
			return "Goods", prose(n, 50) + each(8, func(i int) string {
				f := fmt.Sprintf("f%c=%s", 'a'+i, colors[i%5])
				if strings.Contains(query, f) {
					return "/shop?" + strings.Join(had[1:], "&")
				}
				return "/shop?" + query + "&" + f
			})
		}, 120},
		"matrix parameters": {"/find;color=red", func(path, _ string) (string, string) {
			return "Goods", prose(int(xxh3.HashString(path)%1e6), 50) + each(4, func(i int) string {
				return path + ";" + fmt.Sprintf("f%c=%s", 'a'+i, colors[i%5])
			})
		}, 80},
		"a calendar by weeks": {"/week/2031-W05", func(path, _ string) (string, string) {
			var y, w int
			fmt.Sscanf(path, "/week/%d-W%d", &y, &w)
			n := y*52 + w
			return fmt.Sprintf("Week %d of %d", w, y), "Nothing is planned for this week. " + each(2, func(i int) string {
				return fmt.Sprintf("/week/%d-W%02d", (n+2*i-2)/52, (n+2*i-2)%52+1)
			})
		}, 60},
		"a calendar by seconds": {"/agenda?t=1900000000", func(_, query string) (string, string) {
			var at int64
			fmt.Sscanf(query, "t=%d", &at)
			return time.Unix(at, 0).Format("2 January 2006"), "There are no entries for the time that you chose, choose another one. " + each(2, func(i int) string {
				return fmt.Sprintf("/agenda?t=%d", at+int64(2*i-1)*604800)
			})
		}, 60},
		"a calendar of days with names": {"/2031/jan/05", func(path, _ string) (string, string) {
			at, _ := time.Parse("/2006/Jan/02", path)
			return at.Format("2 January 2006"), "There are no entries for the day that you chose, choose another one. " + each(2, func(i int) string {
				return strings.ToLower(at.AddDate(0, 0, 2*i-1).Format("/2006/Jan/02"))
			})
		}, 60},
		"next without end": {"/list?page=1", func(_, query string) (string, string) {
			n := 0
			fmt.Sscanf(query, "page=%d", &n)
			return fmt.Sprintf("Page %d", n), "There are no more entries in this list of ours, you may go back to the start. " + fmt.Sprintf(`<a href="/list?page=%d">next</a>`, n+1)
		}, 40},
		"start of a list without end": {"/list/0/20", func(path, _ string) (string, string) {
			n := 0
			fmt.Sscanf(path, "/list/%d", &n)
			return "Our list", "There are no more entries in this list of ours, you may go back to the start. " + fmt.Sprintf(`<a href="/list/%d/20">next</a>`, n+20)
		}, 20},
		"reply to": {"/thread?id=7", func(_, query string) (string, string) {
			r := lot(query)
			return "A thread", prose(7, 80) + each(9, func(i int) string {
				return fmt.Sprintf("/thread?id=7&replyto=%d", r.IntN(1e6))
			})
		}, 20},
		"session in the path": {"/S(0a1b2c3d4e5f6a7b8c9d0e1f)/p0.aspx", func(path, _ string) (string, string) {
			r := lot(path)
			n := 0
			fmt.Sscanf(path[strings.LastIndexByte(path, '/'):], "/p%d", &n)
			return fmt.Sprint("Page ", n), prose(100+n, 80) + each(4, func(i int) string {
				return fmt.Sprintf("/S(%08x%08x%08x)/p%d.aspx", r.Uint32(), r.Uint32(), r.Uint32(), r.IntN(12))
			})
		}, 120},
		"session behind the path": {"/p0.jsp;sid=0a1b2c3d4e5f6a7b8c9d0e1f", func(path, _ string) (string, string) {
			r := lot(path)
			n := 0
			fmt.Sscanf(path, "/p%d", &n)
			return fmt.Sprint("Page ", n), prose(100+n, 80) + each(4, func(i int) string {
				return fmt.Sprintf("/p%d.jsp;sid=%08x%08x%08x", r.IntN(12), r.Uint32(), r.Uint32(), r.Uint32())
			})
		}, 60},
		"words by lot under one text": {"/tag/red-fox", func(path, _ string) (string, string) {
			r := lot(path)
			return "Tags", prose(7, 60) + each(6, func(i int) string { return "/tag/" + word(r) + "-" + word(r) + "-" + word(r) })
		}, 100},
		"a soft 404 for all paths": {"/lost/red", func(path, _ string) (string, string) {
			r := lot(path)
			return "Not found", "We are sorry, the page that you asked for is not here, but perhaps you like one of these. " + each(6, func(i int) string { return path + "/" + word(r) })
		}, 100},
		"tags that combine": {"/tags/red", func(path, _ string) (string, string) {
			r := lot(path)
			return "Tagged " + path, prose(7, 60) + each(6, func(i int) string { return path + "+" + word(r) })
		}, 100},
		"sorted and seen in all ways": {"/items", func(_, query string) (string, string) {
			r := lot(query)
			return "Items", prose(9, 60) + each(9, func(i int) string {
				return fmt.Sprintf("/items?sort=%s&view=%s&dir=%s&n=%d&back=%%2Fitems%%3F%s", colors[r.IntN(5)], colors[r.IntN(5)], colors[r.IntN(2)], 10*r.IntN(9), strings.ReplaceAll(query, "%", "%25"))
			})
		}, 60},
	} {
		for _, workers := range []int{1, 8} {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(t *testing.T) {
					w := &web{page: withArticles(tt.enter, func(path, query string) (int, string, string) {
						title, body := tt.page(path, query)
						return 200, title, body
					})}
					g := trap.New(trap.Options{})
					crawl(t, w, g, workers)
					if n := w.fetched("/article/"); n < articles {
						t.Errorf("%d of %d articles read", n, articles)
					}
					most := tt.most
					if workers > 1 {
						most += most / 2
					}
					n := w.fetched("") - w.fetched("/article/") - 1
					t.Logf("%d fetches, %v", n, w.reasons(g))
					if n > most {
						t.Errorf("%d fetches of the trap, want at most %d", n, most)
					}
				})
			})
		}
	}
}
