package trap_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler/trap"
)

// TestPagesBesideTraps: on a host with several traps nothing is lost of what only looks
// like one.
func TestPagesBesideTraps(t *testing.T) {
	t.Parallel()
	item := func(n int) string { return fmt.Sprintf("/item/%016xa1", xxh3.HashString(fmt.Sprint("item", n))) }
	items := make(map[string]int)
	for n := range 250 {
		items[item(n)] = n
	}
	const photos = 40
	photo := func(n int) string { return fmt.Sprintf("/photo/%016xb2.html", xxh3.HashString(fmt.Sprint("photo", n))) }
	shown := make(map[string]int)
	for n := range photos {
		shown[photo(n)] = n
	}
	page := func(_, path, query string) (int, string, string) {
		var n, m int
		switch {
		case path == "/":
			return 200, "Home", `<a href="/loop/">a</a> <a href="/grow?x=1">b</a> <a href="/s/0123456789abcdef01/view">c</a> <a href="/empty/2031/05">d</a>` +
				each(5, func(i int) string { return fmt.Sprintf("/archive?cat=%d&amp;page=1", i) }) + ` <a href="/events/2024/01">e</a> <a href="/gallery/">f</a> <a href="/thread/1?page=1">g</a> `
		case strings.HasPrefix(path, "/loop/"):
			return 200, "Loop", prose(int(xxh3.HashString(path)%1e6), 60) + `<a href="loop/">on</a>`
		case path == "/grow":
			return 200, "Grow", prose(len(query), 50) + `<a href="/grow?` + query + `&amp;x=2">more</a>`
		case strings.HasPrefix(path, "/s/"):
			return 200, "Your visit", prose(int(xxh3.HashString(path)%1e6), 60) + fmt.Sprintf(`<a href="/s/%s/view">go on</a> <a href="/s/%s/view">or not</a>`, id(path, 1), id(path, 2))
		case strings.HasPrefix(path, "/empty/"):
			at, _ := time.Parse("/empty/2006/01", path)
			return 200, "Calendar", prose(int(xxh3.HashString(path)%1e6), 60) + at.AddDate(0, 1, 0).Format(`<a href="/empty/2006/01">after</a>`)
		case path == "/archive":
			fmt.Sscanf(query, "cat=%d&page=%d", &n, &m)
			next := ""
			if m < 10 {
				next = fmt.Sprintf(`<a href="/archive?cat=%d&amp;page=%d">next</a>`, n, m+1)
			} else {
				next = each(4, func(i int) string { return fmt.Sprintf("/topic?f=1&amp;t=%d", 4*n+i) })
			}
			return 200, "Archive", each(5, func(i int) string { return item(n*50 + m*5 - 5 + i) }) + next
		case strings.HasPrefix(path, "/item/"):
			n, ok := items[path]
			if !ok {
				return 404, "", ""
			}
			return 200, fmt.Sprint("Item ", n), prose(n, 60) + `<a href="/">home</a>`
		case strings.HasPrefix(path, "/events/"):
			at, _ := time.Parse("/events/2006/01", path)
			next := ""
			if at.Year() < 2026 {
				next = at.AddDate(0, 1, 0).Format(`<a href="/events/2006/01">next</a>`)
			}
			if at.Month()%3 == 0 {
				next += fmt.Sprintf(`<a href="/event/%d">event</a>`, at.Year()*12+int(at.Month()))
			}
			return 200, "Events", prose(at.Year()*12+int(at.Month()), 40) + next
		case strings.HasPrefix(path, "/event/"):
			fmt.Sscanf(path, "/event/%d", &n)
			return 200, fmt.Sprint("Event ", n), prose(n, 60)
		case path == "/gallery/":
			return 200, "Photos", "All of them " + each(photos, func(i int) string { return photo(i) })
		case strings.HasPrefix(path, "/photo/"):
			n, ok := shown[path]
			if !ok {
				return 404, "", ""
			}
			return 200, "Photos", prose(9000+n, 40) + each(2, func(i int) string { return photo((n + 2*i + photos - 1) % photos) })
		case path == "/topic": // pages under one title, by three parameters
			fmt.Sscanf(query, "f=1&t=%d&start=%d", &n, &m)
			b := prose(20000+n*100+m, 80)
			if m < 90 {
				b += fmt.Sprintf(`<a href="/topic?f=1&amp;t=%d&amp;start=%d">next</a> `, n, m+10)
			}
			return 200, fmt.Sprint("Topic ", n), b
		case strings.HasPrefix(path, "/thread/"):
			fmt.Sscanf(path, "/thread/%d", &n)
			fmt.Sscanf(query, "page=%d", &m)
			b := prose(n*100+m, 80)
			if m < 4 {
				b += fmt.Sprintf(`<a href="/thread/%d?page=%d">next</a> `, n, m+1)
			}
			if n < 30 {
				b += fmt.Sprintf(`<a href="/thread/%d?page=1">next thread</a> `, n+1)
			}
			return 200, fmt.Sprint("Thread ", n), b
		}
		return 404, "", ""
	}
	want := map[string]int{"/archive": 50, "/item/": 250, "/events/": 25, "/event/": 8, "/photo/": photos, "/thread/": 120, "/topic?": 200}
	for _, workers := range []int{1, 8} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				w, g := &web{page: page}, trap.New(trap.Options{})
				crawl(t, w, g, workers)
				for part, n := range want {
					if got := w.fetched("a.test" + part); got < n {
						t.Errorf("%d of %d pages read of %s", got, n, part)
					}
				}
				t.Log(w.reasons(g))
				if n := w.fetched("/loop/") + w.fetched("/grow") + w.fetched("/s/") + w.fetched("/empty/"); n > 60 {
					t.Errorf("%d fetches of traps", n)
				} else {
					t.Log(n)
				}
			})
		})
	}
}
