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

// TestAnyNameIsAHost: where any name of words is a host that says the same, be it with
// its name in it, few are read; hosts with something to say are all read, and so is
// all of those that were met.
func TestAnyNameIsAHost(t *testing.T) {
	t.Parallel()
	names := strings.Fields("amber birch cedar delta ember fjord glade heath inlet jetty knoll larch maple north oasis plume quill ridge shore thorn")
	name := func(of string, i int) string {
		h := xxh3.HashString(fmt.Sprint(of, i))
		return names[h%20] + "-" + names[h/20%20] + "-" + names[h/400%20]
	}
	for kind, c := range map[string]struct {
		text  func(host string) string
		trap  bool
		limit int
	}{
		"the same text":  {func(string) string { return prose(1, 60) }, true, 0},
		"a few texts":    {func(host string) string { return prose(int(xxh3.HashString(host)%5), 60) }, true, 0},
		"the host in it": {func(host string) string { return "Welcome to " + host + ". " + prose(1, 40) }, true, 0},
		"a short text":   {func(string) string { return "Welcome." }, true, 0},
		"its own text":   {func(host string) string { return prose(int(xxh3.HashString(host)%1e9), 60) }, false, 0},
		"own, and a cap": {func(host string) string { return prose(int(xxh3.HashString(host)%1e9), 60) }, true, 50},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				w := &web{page: func(host, path, _ string) (int, string, string) {
					if host == "a.test" {
						var n int
						fmt.Sscanf(path, "/article/%d", &n)
						return 200, fmt.Sprint("Article ", n), prose(n, 80) + links("/article/%d", n+1, min(n+3, 40)) + `<a href="http://seed.a.test/">one</a>`
					}
					if path != "/" {
						return 200, "About", prose(int(xxh3.HashString(host+path)%1e9), 60)
					}
					next := ""
					for i := range 3 {
						if n := name(host, i); len(n) > 0 && xxh3.HashString(n)%2 == 0 { // some four thousand names
							next += fmt.Sprintf(`<a href="http://%s.a.test/">%d</a> `, n, i)
						}
					}
					return 200, "", c.text(host) + next + `<a href="/about">about</a> <a href="http://` + name(host, 9) + `.a.test/">more</a>`
				}}
				g := trap.New(trap.Options{SiteHosts: c.limit})
				crawl(t, w, g, 4)
				hosts := 0
				for url := range w.count {
					if strings.HasSuffix(url, ".a.test/") {
						hosts++
					}
				}
				if c.trap && hosts > 160 || !c.trap && hosts < 500 {
					t.Errorf("%d hosts", hosts)
				}
				if n := w.fetched("//a.test/article/"); n != 39 && c.trap {
					t.Errorf("%d articles, want 39", n)
				}
				if v, ok := g.Explain("http://never-met-before.a.test/"); ok != c.trap || v.Refused != c.trap || c.trap && v.Reason != trap.Hosts {
					t.Errorf("%v, %v", v, ok)
				}
			})
		})
	}
}

// TestQueriesThatHoldThemselves: a page that puts its own query behind the one that is
// there, whatever its title and text.
func TestQueriesThatHoldThemselves(t *testing.T) {
	t.Parallel()
	for kind, next := range map[string]func(query string) string{
		"?":          func(q string) string { return q + "?q=x" },
		"? in front": func(q string) string { return "q=x?" + q },
		"other":      func(q string) string { return fmt.Sprintf("%s?q=x%d", q, len(q)) },
		"escaped":    func(q string) string { return "q=x%3F" + q },
		"twice":      func(q string) string { return "q=x%3F" + strings.ReplaceAll(q, "%", "%25") },
		"&":          func(q string) string { return q + "&q=x" },
		"two":        func(q string) string { return q + "&a=1&b=2" },
		";":          func(q string) string { return q + ";q=x" },
		"url":        func(q string) string { return "u=/s?" + q },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				w := &web{page: func(host, path, query string) (int, string, string) {
					if path == "/" {
						return 200, "Home", `<a href="/s?q=x">x</a>` + links("/article/%d", 0, 10)
					}
					if path != "/s" {
						return 200, path, prose(len(path), 80)
					}
					return 200, "Results for " + query, prose(int(xxh3.HashString(query)%1e9), 60) + `<a href="/s?` + next(query) + `">more</a>`
				}}
				g := trap.New(trap.Options{})
				crawl(t, w, g, 2)
				if n := w.fetched("/s?"); n > 6 {
					t.Errorf("%d pages of results", n)
				}
			})
		})
	}
	g := trap.New(trap.Options{})
	for url, want := range map[string]bool{
		"http://a.test/s?q=x": false, "http://a.test/s?q=x?q=x": false, "http://a.test/s?q=x?q=x?q=x": true, "http://a.test/s?tag=a&tag=b&tag=c&tag=d": false,
		"http://a.test/s?tag[]=a&tag[]=b&tag[]=c": false, "http://a.test/go?to=http://b.test/?a=1": false, "http://a.test/login?next=%2Flogin%3Fnext%3D%252Fx": false, "http://a.test/s?a=&b=&c=&a=&a=": false,
		"http://a.test/login?next=/login%3Fnext%3D/login%253Fnext%253D/login%25253Fnext%25253D/x": true, "http://a.test/s?1&1&1": false, "http://a.test/s?what?why?how": false,
	} {
		if v, _ := g.Explain(url); v.Refused != want {
			t.Errorf("%s: %v, want %v", url, v, want)
		}
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
