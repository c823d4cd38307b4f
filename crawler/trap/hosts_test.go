package trap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler/trap"
)

// TestHostsWithoutEnd: where any name is a host, and each leads to more of them, few are
// read, and the rest of the site is.
func TestHostsWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 8} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				w := &web{page: func(host, path, _ string) (int, string, string) {
					var n int
					if k, _ := fmt.Sscanf(path, "/article/%d", &n); k == 1 && host == "a.test" {
						return 200, fmt.Sprint("Article ", n), prose(n, 80) + links("/article/%d", n+1, min(n+3, 40)) + `<a href="http://shop1.a.test/">shop</a>`
					}
					if host == "a.test" {
						return 200, "Home", links("/article/%d", 0, 1)
					}
					h := xxh3.HashString(host + path)
					return 200, "Our shop", prose(int(h%1e9), 60) + fmt.Sprintf(`<a href="http://shop%d.a.test/">one</a> <a href="http://b%d.shop%d.a.test/">two</a> <a href="/about">about</a>`, h%1e9, h%7e8, h%3)
				}}
				g := trap.New(trap.Options{})
				crawl(t, w, g, workers)
				if n := w.fetched("//a.test/article/"); n != 40 {
					t.Errorf("%d articles, want 40", n)
				}
				if n := w.fetched("shop"); n > 300*min(workers, 2) {
					t.Errorf("%d pages of shops", n)
				}
				if v, _ := g.Explain("http://shop123456.a.test/"); !v.Refused || !strings.HasPrefix(v.Pattern, "http://shop#.a.test/") {
					t.Errorf("%v", v)
				}
			})
		})
	}
}

// TestNumberedHosts: hosts that are numbered, and have something to say, are read whole.
func TestNumberedHosts(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 8} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				w := &web{page: func(host, path, _ string) (int, string, string) {
					n, m := 0, 0
					fmt.Sscanf(host, "user%d.", &n)
					fmt.Sscanf(path, "/post/%d", &m)
					frame := `<a href="/contact">contact</a> <a href="/">home</a> `
					if next := n + 1; next <= 30 {
						frame += fmt.Sprintf(`<a href="http://user%d.a.test/">next blog</a> <a href="http://user%d.a.test/">another</a>`, next, n/2+1)
					}
					switch path {
					case "/":
						return 200, "My blog", prose(1000*n, 40) + links("/post/%d", 1, 11) + frame
					case "/contact":
						return 200, "Contact", "Write to us by this form, and we shall answer as soon as we can, mostly within two days. " + frame
					}
					return 200, fmt.Sprint("Post ", m), prose(1000*n+m, 50) + frame
				}}
				crawl(t, w, trap.New(trap.Options{}), workers, "http://user1.a.test/")
				if n, want := len(w.count), 30*12; n != want {
					t.Errorf("%d pages read, want %d", n, want)
				}
			})
		})
	}
}
