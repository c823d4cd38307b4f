package trap_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler/trap"
)

// A site of each kind of trap: fetches of the trap are bounded, the rest of the
// site is read, and the Guard says why.
func TestTraps(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		enter  string // the link into the trap
		page   func(path, query string) (status int, title, body string)
		part   string // of the URLs of the trap
		most   int
		reason trap.Reason
	}{
		"relative link, one answer for all paths": {
			"products/", func(string, string) (int, string, string) {
				return 200, "Shop", `Welcome to our shop! <a href="products/">products</a>`
			}, "/products/", 5, trap.Repeated,
		},
		"two segments in turn": {
			"x/", func(path, _ string) (int, string, string) {
				return 200, "Files", `Nothing here. <a href="x/">x</a> <a href="y/">y</a>`
			}, "/x/", 40, trap.Repeated,
		},
		"calendar of empty months": {
			"/cal?m=2031-05", func(_, query string) (int, string, string) {
				at, err := time.Parse("m=2006-01", query)
				if err != nil {
					return 404, "", ""
				}
				return 200, at.Format("January 2006"), fmt.Sprintf(`No events. <a href="/cal?m=%s">before</a> <a href="/cal?m=%s">after</a>`,
					at.AddDate(0, -1, 0).Format("2006-01"), at.AddDate(0, 1, 0).Format("2006-01"))
			}, "/cal?", 60, trap.Calendar,
		},
		"calendar with months and days in the path": {
			"/cal/2031/05/", func(path, _ string) (int, string, string) {
				at, err := time.Parse("/cal/2006/01/", path)
				if err != nil {
					return 200, "Calendar", "No entries on this day. " + path
				}
				return 200, "Calendar", links("/cal/"+at.Format("2006/01")+"/%02d", 1, 29) +
					`<a href="` + at.AddDate(0, 1, 0).Format("/cal/2006/01/") + `">after</a>`
			}, "/cal/", 40, trap.Calendar,
		},
		"session ids in the path": {
			"/s/0123456789abcdef01/view", func(path, _ string) (int, string, string) {
				return 200, "Your visit", prose(1, 60) + fmt.Sprintf(`<a href="/s/%s/view">go on</a> <a href="/s/%s/view">or not</a>`, id(path, 1), id(path, 2))
			}, "/s/", 8, trap.Random,
		},
		"ids that lead to others in turn": {
			"/u/0123456789abcdef01/view", func(path, _ string) (int, string, string) {
				if strings.HasPrefix(path, "/u/") {
					return 200, "Your visit", prose(1, 60) + fmt.Sprintf(`<a href="/t/%s/list">list</a> <a href="/t/%s/list">another</a>`, id(path, 1), id(path, 2))
				}
				return 200, "Your list", prose(2, 60) + fmt.Sprintf(`<a href="/u/%s/view">view</a> <a href="/u/%s/view">another</a>`, id(path, 1), id(path, 2))
			}, "/a.test/t/", 60, trap.Random,
		},
		"ids that lead to others in turn, each with a text of its own": {
			"/u/0123456789abcdef01/view", func(path, _ string) (int, string, string) {
				to, title := "/t/%s/list", "Your visit"
				if strings.HasPrefix(path, "/t/") {
					to, title = "/u/%s/view", "Your list"
				}
				to = fmt.Sprintf(`<a href="`+to+`">one</a> <a href="`+to+`">another</a>`, id(path, 1), id(path, 2))
				return 200, title, prose(int(xxh3.HashString(path)%1e6), 60) + to
			}, "/a.test/t/", 600, trap.Random,
		},
		"filters that combine": {
			"/find?color=none&page=1&sort=name", func(_, query string) (int, string, string) {
				var b strings.Builder
				for i := range 9 {
					fmt.Fprintf(&b, `<a href="/find?%s%d&x%d=1">filter</a> `, strings.ReplaceAll(query, "&amp;", "&"), i, i%3)
				}
				return 200, "Search", prose(int(xxh3.HashString(query)%1e6), 60) + b.String()
			}, "/find?", 80, trap.Endless,
		},
		"query that holds the one before": {
			"/grow?x=1", func(_, query string) (int, string, string) {
				return 200, "Grow", prose(len(query), 50) + `<a href="/grow?` + strings.NewReplacer("=", "%3D", "&", "%26", "%", "%25").Replace(query) + `&x=2">more</a>`
			}, "/grow?", 5, trap.Growing,
		},
		"redirects": {
			"/hop/1", func(path, _ string) (int, string, string) {
				var n int
				fmt.Sscanf(path, "/hop/%d", &n)
				return 302, "", fmt.Sprintf("/hop/%d", n+1)
			}, "/hop/", 5, trap.Redirects,
		},
		"a soft 404 that makes up links": {
			"/gone/1a2b3c4d", func(path, _ string) (int, string, string) {
				return 200, "Page not found", prose(len(path), 40) + fmt.Sprintf(`<a href="/gone/%s">this</a> <a href="/gone/%s">that</a>`, id(path, 1), id(path, 2))
			}, "/gone/", 10, trap.Random,
		},
	} {
		for _, workers := range []int{1, 8} {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(t *testing.T) {
					w := &web{page: withArticles(tt.enter, tt.page)}
					g := trap.New(trap.Options{})
					crawl(t, w, g, workers)
					if n := w.fetched("/article/"); n < articles {
						t.Errorf("%d of %d articles read", n, articles)
					}
					n := w.fetched(tt.part)
					most := tt.most
					if workers > 1 {
						most *= 2 // how visits overlap decides what is known when; without a guard it would be 2,000
					}
					if n > most || n == 0 {
						t.Errorf("%d fetches of the trap, want at most %d", n, most)
					}
					if why := w.reasons(g); why[tt.reason] == "" {
						t.Errorf("refused for %v, want %s", why, tt.reason)
					}
				})
			})
		}
	}
}

// TestLongRedirects: a chain of redirects that is cut costs no page that a shorter one,
// or a link, leads to.
func TestLongRedirects(t *testing.T) {
	t.Parallel()
	for name, home := range map[string]string{
		"the long one first": `<a href="/chain/12">long</a> <a href="/chain/3">short</a>`,
		"the short one":      `<a href="/chain/3">short</a> <a href="/chain/12">long</a>`,
		"from its end on":    `<a href="/chain/12">long</a> <a href="/chain/9">on</a> <a href="/chain/6">on</a> <a href="/chain/3">on</a>`,
	} {
		for _, workers := range []int{1, 8} {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(t *testing.T) {
					w := &web{page: func(_, path, _ string) (int, string, string) {
						n := 0
						fmt.Sscanf(path, "/chain/%d", &n)
						switch {
						case path == "/":
							return 200, "Home", home
						case n == 0:
							return 200, "End of the chain", prose(1, 40)
						}
						return 302, "", fmt.Sprintf("/chain/%d", n-1)
					}}
					crawl(t, w, trap.New(trap.Options{}), workers)
					if w.fetched("/chain/0") != 1 {
						t.Errorf("the page was not read; asked for: %v", w.count)
					}
				})
			})
		}
	}
}

// id is drawn by lot, for each path another.
func id(path string, n int) string {
	return fmt.Sprintf("%016xa1f", xxh3.HashString(fmt.Sprint(path, n)))
}

// What only looks like a trap is read whole.
func TestNoTraps(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		page  func(path, query string) (status int, title, body string)
		pages int
	}{
		"folders of one name": {func(path, _ string) (int, string, string) {
			switch path {
			case "/", "/img/", "/img/img/":
				return 200, "Pictures " + path, prose(len(path), 50) + `<a href="img/">more</a>`
			case "/img/img/img/":
				return 200, "Pictures " + path, prose(len(path), 50)
			}
			return 404, "", ""
		}, 4},
		"slides under one title": {func(path, _ string) (int, string, string) {
			var n int
			if fmt.Sscanf(path, "/slide%d.html", &n); n >= 100 {
				return 200, "Talk", "The end."
			}
			return 200, "Talk", prose(n, 30) + fmt.Sprintf(`<a href="/slide%d.html">next</a> <a href="/slide%d.html">back</a>`, n+1, max(n-1, 1))
		}, 101},
		"an archive by months": {func(path, _ string) (int, string, string) {
			var year, month, day int
			switch n, _ := fmt.Sscanf(path, "/%d/%d/%d", &year, &month, &day); {
			case path == "/":
				return 200, "Blog", links("/20%02d/", 10, 20)
			case n == 3:
				return 200, fmt.Sprintf("Entry of %d-%d-%d", year, month, day), prose(year*400+month*31+day, 60)
			case n == 2:
				return 200, "Archive", links(fmt.Sprintf("/%d/%d/%%d", year, month), 1, 4)
			default:
				return 200, "Archive", links(fmt.Sprintf("/%d/%%d/", year), 1, 13)
			}
		}, 1 + 10 + 120 + 360},
		"pages of a long list": {func(path, query string) (int, string, string) {
			var n int
			if fmt.Sscanf(path, "/item/%d", &n); n > 0 {
				return 200, fmt.Sprint("Item ", n), prose(n, 40)
			}
			fmt.Sscanf(query, "page=%d", &n)
			next := ""
			if n < 99 {
				next = fmt.Sprintf(`<a href="/list?page=%d">next</a>`, n+1)
			}
			return 200, "All items", links("/item/%d", n*5+1, n*5+6) + next
		}, 1 + 99 + 500},
		"thousands of pages like another": {func(path, _ string) (int, string, string) {
			var n int
			if path == "/" {
				return 200, "Reference", links("/class_0x%03x.html", 0, 600)
			}
			fmt.Sscanf(path, "/class_0x%x", &n)
			return 200, "Reference: Member List", "This is the complete list of members, including all inherited members. " + prose(7, 60) + links("/class_0x%03x.html", max(n-3, 0), min(n+3, 600))
		}, 601},
		"photos under one title": {func(path, _ string) (int, string, string) {
			var n int
			fmt.Sscanf(path, "/photo/%d", &n)
			return 200, "My gallery", fmt.Sprintf("Photo %d of 400 ", n) + links("/photo/%d", n+1, min(n+2, 401))
		}, 401},
		"chapters under one title": {func(path, _ string) (int, string, string) {
			var n int
			fmt.Sscanf(path, "/read/%d", &n)
			return 200, "The Book", prose(n, 60) + links("/read/%d", n+1, min(n+2, 501))
		}, 501},
		"goods that differ in a number": {func(path, query string) (int, string, string) {
			var n int
			if fmt.Sscanf(query, "id=%d", &n); path == "/item" {
				return 200, "Shop", fmt.Sprintf("Screw M%d, galvanised steel, pack of fifty, dispatched within two days, add to basket, free returns within thirty days", n) +
					links("/item?id=%d", (n*7+1)%800, (n*7+1)%800+1) + links("/item?id=%d", (n*3+2)%800, (n*3+2)%800+1)
			}
			if fmt.Sscanf(path, "/c/%d", &n); path == "/" {
				return 200, "Shop", links("/c/%d", 0, 20)
			}
			return 200, "Shop", "Category of our shop, with everything you need for screws and bolts in all sizes and shapes " + links("/item?id=%d", n*40, n*40+40)
		}, 1 + 20 + 800},
		"a calendar with few events": {func(path, _ string) (int, string, string) {
			var n int
			if fmt.Sscanf(path, "/event/%d", &n); n > 0 {
				return 200, fmt.Sprint("Event ", n), prose(n, 60)
			}
			at, _ := time.Parse("/2006/01", path)
			next := at.AddDate(0, 1, 0)
			switch {
			case path == "/":
				return 200, "Events", `<a href="/2020/01">calendar</a>`
			case next.Year() > 2025:
				return 200, "Calendar", "No events this month. Choose another month from the calendar."
			case at.Month()%6 == 0:
				return 200, "Calendar", next.Format(`<a href="/2006/01">next</a>`) + links("/event/%d", at.Year()*12+int(at.Month()), at.Year()*12+int(at.Month())+1)
			}
			return 200, "Calendar", "No events this month. Choose another month from the calendar. " + next.Format(`<a href="/2006/01">next</a>`)
		}, 1 + 72 + 11},
		"stubs of one text": {func(path, _ string) (int, string, string) {
			name := path[strings.LastIndexByte(path, '/')+1:]
			moved := "This page has moved to another place, please go there and change your bookmarks, thank you for your patience. "
			switch {
			case path == "/":
				return 200, "Home", each(60, func(i int) string { return "/old/" + letters(i) })
			case strings.HasPrefix(path, "/old/"):
				return 200, "Moved", moved + `<a href="/older/` + name + `">there</a>`
			case strings.HasPrefix(path, "/older/"):
				return 200, "Moved", moved + `<a href="/new/` + name + `">there</a>`
			}
			return 200, "About " + name, prose(int(xxh3.HashString(name)%1e6), 60) + `<a href="/new/x` + name[:1] + `">more</a>`
		}, 1 + 180 + 2},
		"pictures of one text": {func(path, _ string) (int, string, string) {
			at := 0
			for path != "/" && at < 60 && path != "/show/"+letters(at) {
				at++
			}
			if at == 60 {
				return 404, "", ""
			}
			return 200, "Gallery", "Home, about us, contact, imprint, search, next picture, picture before, all rights of them are reserved. " +
				`<a href="/show/` + letters(min(at+1, 59)) + `">next</a>`
		}, 1 + 59},
		"folders by hash": {func(path, _ string) (int, string, string) {
			var n uint32
			if path != "/" {
				fmt.Sscanf(path, "/dir_%08x", &n)
				n ^= 0x5bd1e995
			}
			var b strings.Builder
			for i := 3*n + 1; i <= 3*n+3 && i < 300; i++ {
				fmt.Fprintf(&b, `<a href="/dir_%08x_tree.html">src</a> `, i^0x5bd1e995)
			}
			return 200, []string{"src", "include", "doc", "test", "core"}[n%5] + " Directory Reference", "Directories and files " + prose(int(n), 20) + b.String()
		}, 300},
	} {
		for _, workers := range []int{1, 8} {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(t *testing.T) {
					page := func(_, path, query string) (int, string, string) { return tt.page(path, query) }
					w, g := &web{page: page}, trap.New(trap.Options{})
					crawl(t, w, g, workers)
					if len(w.count) != tt.pages {
						t.Errorf("%d pages read, want %d", len(w.count), tt.pages)
						for url := range w.links {
							if v, ok := g.Explain(url); ok && v.Refused {
								t.Log(v)
							}
						}
					}
				})
			})
		}
	}
}

// TestParameterOfNoUse: pages that are the same under any value of a parameter
// are read once more or less, and others under the same path are not lost.
func TestParameterOfNoUse(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		serial := 0
		w := &web{page: func(_, path, query string) (int, string, string) {
			n := 0
			fmt.Sscanf(path, "/p%d", &n)
			var b strings.Builder
			for i := range 30 {
				serial++
				fmt.Fprintf(&b, `<a href="/p%d?visit=%d&lang=%d">p</a> `, i, serial, i%2)
			}
			lang := query[strings.LastIndexByte(query, '=')+1:]
			return 200, fmt.Sprint("Page ", n, lang), prose(n*10+len(lang), 80) + b.String()
		}}
		g := trap.New(trap.Options{})
		crawl(t, w, g, 4)
		for i := range 30 {
			if n := w.fetched(fmt.Sprintf("/p%d?", i)); n < 1 {
				t.Errorf("page %d was not read", i)
			}
		}
		if n := w.fetched("/p"); n > 120 {
			t.Errorf("%d fetches of 30 pages", n)
		}
	})
}

// TestManyLongRedirects: a pattern that leads to one long chain after the other is closed.
func TestManyLongRedirects(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := &web{page: func(_, path, _ string) (int, string, string) {
			var n int
			if k, _ := fmt.Sscanf(path, "/hop/%d", &n); k == 1 {
				return 302, "", fmt.Sprintf("/hop/%d", n+1)
			}
			return 200, "Home", links("/hop/%d00", 1, 100)
		}}
		g := trap.New(trap.Options{})
		crawl(t, w, g, 1)
		if n := w.fetched("/hop/"); n > 3*99+4 {
			t.Errorf("%d redirects followed, of 99 chains", n)
		}
		if v, _ := g.Explain("http://a.test/hop/77"); v.Reason != trap.Redirects {
			t.Errorf("%v", v)
		}
	})
}
