package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/internal/fetch"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// A trail comes back with the request that it waits with.
func TestTrailIsKept(t *testing.T) {
	t.Parallel()
	tr := fetch.Trail("").After("http://a.test/x", http.Header{"Set-Cookie": {"k=v; Path=/", "j=\x00"}})
	if n := (note{trail: tr}); tr == "" || readNote(n.String()) != n {
		t.Errorf("%q does not come back", tr)
	}
}

// TestRedirectToTheSamePage: a URL that only canonicalisation makes that of the page is
// asked of robots.txt and waits its turn as every other, and the page is put once.
func TestRedirectToTheSamePage(t *testing.T) {
	t.Parallel()
	const robots = "-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /*utm_source=\nDisallow: /*jsessionid\n"
	for to, allowed := range map[string]bool{
		"/p?utm_source=x": false, "/p;jsessionid=0123456789ABCDEF0123456789ABCDEF": false, "/p?utm_medium=x": true, "/p?sid=0123456789abcdef0123456789abcdef": true, "/./p#x": true,
		"//A.test:80/p": true, "/%70": true,
	} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			if same, err := urlnorm.URL("http://a.test/p", to); err != nil || same != "http://a.test/p" {
				t.Fatalf("%s is %s", to, same)
			}
			synctest.Test(t, func(t *testing.T) {
				c := over(t, robots+"-- http://a.test/ --\n<a href=/p>p</a>\n-- http://a.test/p --\nHTTP 302\nSet-Cookie: ok=1\nLocation: "+to+"\n\n")
				literal := fetch.AsWritten("http://a.test/p", to)
				c.web.Add(literal, "<title>the page</title>")
				c.run(t, "http://a.test/")
				want := []string{"http://a.test/"}
				asked := slices.ContainsFunc(c.web.Requests(), func(r crawlertest.Request) bool { return r.URL == literal && r.Header.Get("Cookie") == "ok=1" })
				if allowed {
					want = append(want, "http://a.test/p")
					c.wantEvent(t, "http://a.test/p", Fetched, "")
				} else {
					c.wantEvent(t, "http://a.test/p", Skipped, SkipRobots)
				}
				if asked != allowed {
					t.Errorf("%s was asked for: %v", literal, asked)
				}
				c.wantPut(t, want...)
				c.web.Gaps(t, time.Second)
			})
		})
	}
}

// TestRefreshIsARedirect: a page that leads on by itself is not put, and the pages that
// it leads to are as deep as it is and count as hops.
func TestRefreshIsARedirect(t *testing.T) {
	t.Parallel()
	header := func(v string) string { return "HTTP 200\nContent-Type: text/html\nRefresh: " + v + "\n\n<p>wait</p>" }
	meta := func(v string) string {
		return "<meta http-equiv=refresh content=\"" + v + "\"><p>wait</p><a href=/l>l</a>"
	}
	for name, c := range map[string]struct {
		page string
		hop  bool
	}{
		"meta": {meta("0; url=/t"), true}, "meta, ten seconds": {meta("10;/t"), true}, "header": {header("0; url=/t"), true}, "header, five seconds": {header("5.9;URL='/t'"), true},
		"no HTML": {"HTTP 200\nContent-Type: application/x-nothing\nRefresh: 1; url=/t\n\nx", true}, "nothing": {"HTTP 200\nRefresh: 0; url=/t\n\n", true},
		"by the base": {"<base href=/d/>" + meta("0; url=../t"), true},
		"in a minute": {meta("60; url=/t"), false}, "header, in a minute": {header("60; url=/t"), false}, "itself": {meta("0; url=/s#x"), false}, "itself, by another name": {meta("0; url=/s?utm_source=y"), false},
		"again": {meta("5"), false}, "without scripts": {"<noscript>" + meta("0; url=/t") + "</noscript>", false}, "a mail": {meta("0; url=mailto:a@b"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c2 := over(t, "-- http://a.test/ --\n<a href=/s>s</a>\n-- http://a.test/t --\n<a href=/deep>x</a>\n")
				c2.web.Add("http://a.test/s", c.page)
				c2.Budget.Depth = 1
				c2.run(t, "http://a.test/")
				if c.hop {
					c2.wantPut(t, "http://a.test/", "http://a.test/t")
					c2.wantEvent(t, "http://a.test/s", Skipped, SkipRedirect)
				} else {
					c2.wantPut(t, "http://a.test/", "http://a.test/s")
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "-- http://a.test/x --\n<meta http-equiv=refresh content='0;url=/xx'>\n")
		for n := 2; n < 15; n++ {
			c.web.Add("http://a.test/"+strings.Repeat("x", n), fmt.Sprintf("<meta http-equiv=refresh content='0;url=/%s'>", strings.Repeat("x", n+1)))
		}
		c.run(t, "http://a.test/x")
		last := c.events[len(c.events)-2]
		wantKind(t, last.Err, ErrRedirectTooMany)
		if n := len(c.events) - 2; n != maxHops || len(c.put) != 0 {
			t.Errorf("%d refreshes were followed, %q put", n, c.put)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "-- http://a.test/1 --\n<meta http-equiv=refresh content='0;url=/2'>\n-- http://a.test/2 --\nHTTP 200\nRefresh: 0;url=/1\n\n")
		c.run(t, "http://a.test/1")
		wantKind(t, c.events[len(c.events)-2].Err, ErrRedirectLoop)
		c.wantPut(t)
	})
}

// walls is a web of redirects of all kinds, some with cookies, to pages that want them.
// As a referee it checks what it is asked for.
type walls struct {
	mu    sync.Mutex
	nodes map[string]*node // by URL as asked for
	seeds []string         // links of the start page
	last  map[string]time.Time
	asked map[string]int
	wrong []string
}

type node struct {
	status int
	header http.Header
	body   string
	needs  string // name of a cookie; without it the answer is 403
}

const (
	wallHosts = 3
	wallGap   = time.Second
)

func wallHost(i int) string { return []string{"a.test", "s.a.test", "b.test"}[i%wallHosts] }

// hop is an answer that leads to a URL in one of the ways that there are.
func hop(r *rand.Rand, to string) *node {
	n := &node{status: 200, header: http.Header{"Content-Type": {"text/html"}}}
	switch k := r.IntN(8); k {
	case 0:
		n.header.Set("Refresh", "0; url="+to)
	case 1:
		n.body = "<meta http-equiv=refresh content='3; url=" + to + "'><p>wait</p>"
	default:
		n.status = []int{301, 302, 303, 307, 308, 302}[k-2]
		n.header.Set("Location", to)
	}
	return n
}

// newWalls makes a web and the URLs of the pages that are to be had.
func newWalls(seed uint64) (w *walls, pages []string) {
	r := rand.New(rand.NewPCG(seed, 7))
	w = &walls{nodes: make(map[string]*node), last: make(map[string]time.Time), asked: make(map[string]int)}
	pages = []string{"http://a.test/"}
	for i := range 12 {
		var way []string // URLs of a chain
		length := 1 + r.IntN(5)
		host := wallHost(r.IntN(wallHosts))
		for k := range length {
			if r.IntN(3) == 0 {
				host = wallHost(r.IntN(wallHosts))
			}
			way = append(way, fmt.Sprintf("http://%s/%d/%d", host, i, k))
		}
		end := way[length-1]
		setter := r.IntN(length) // which sets the cookie, if the end wants one
		name := fmt.Sprintf("c%d", i)
		cookie := name + "=" + fmt.Sprint(r.IntN(1000)) + "; Path=/"
		domain := false
		if r.IntN(2) == 0 && strings.HasSuffix(hostOfURL(way[setter]), "a.test") {
			cookie, domain = cookie+"; Domain=a.test", true
		}
		reaches := hostOfURL(way[setter]) == hostOfURL(end) || domain && strings.HasSuffix(hostOfURL(end), "a.test")
		page := &node{status: 200, header: http.Header{"Content-Type": {"text/html"}}, body: "<p>the page " + end}
		ok := true
		for k := range length - 1 {
			w.nodes[way[k]] = hop(r, way[k+1])
		}
		w.nodes[end] = page
		switch r.IntN(6) {
		case 0: // no wall
		case 1, 2: // the cookie comes on the way
			if setter == length-1 {
				break
			}
			page.needs = name
			w.nodes[way[setter]].header.Add("Set-Cookie", cookie)
			ok = reaches
		case 3: // the page leads to itself with a cookie, or with another name
			as := end + []string{"", "?utm_source=x", "?fbclid=x"}[r.IntN(3)]
			w.nodes[end] = &node{status: 302, header: http.Header{"Location": {as}, "Set-Cookie": {cookie}}}
			if as == end {
				w.nodes[end].needs = "!" + name // then there is the page
			} else {
				page.needs = name
				w.nodes[as] = page
			}
			ok = !strings.Contains(as, "utm_source=") && (!domain || strings.HasSuffix(hostOfURL(end), "a.test")) && (domain || true)
			if way[setter] != end && domain && !strings.HasSuffix(hostOfURL(end), "a.test") {
				ok = false
			}
		case 4: // the page leads to a gate that leads back
			gate := end + "/gate"
			w.nodes[end] = &node{status: 302, header: http.Header{"Location": {gate}}, needs: "!" + name}
			w.nodes[gate] = hop(r, end)
			w.nodes[gate].header.Add("Set-Cookie", name+"=1; Path=/")
		case 5: // for ever
			w.nodes[end] = hop(r, way[0])
			ok = false
			if length == 1 { // a refresh of a page to itself is a page
				ok = w.nodes[end].status == 200
			}
		}
		if ok {
			pages = append(pages, end)
		}
		links := []string{way[0], end, way[r.IntN(length)]}
		r.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
		w.seeds = append(w.seeds, links[:1+r.IntN(3)]...)
		if !slices.Contains(w.seeds, way[0]) {
			w.seeds = append(w.seeds, way[0])
		}
	}
	slices.Sort(pages)
	return w, pages
}

func hostOfURL(s string) string {
	u, _ := url.Parse(s)
	return u.Host
}

func (w *walls) RoundTrip(req *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, now := req.URL.String(), time.Now()
	if last, seen := w.last[req.URL.Host]; seen && now.Sub(last) < wallGap {
		w.wrong = append(w.wrong, fmt.Sprintf("%s was asked for %v after another", at, now.Sub(last)))
	}
	w.last[req.URL.Host] = now
	w.asked[at]++
	cookies := req.Cookies()
	answer := func(status int, h http.Header, body string) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: h.Clone(), Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req}, nil
	}
	if req.URL.Path == "/robots.txt" {
		if len(cookies) > 0 {
			w.wrong = append(w.wrong, fmt.Sprintf("%s with %v", at, cookies))
		}
		return answer(200, http.Header{"Content-Type": {"text/plain"}}, "User-agent: *\nDisallow: /*utm_source=\n")
	}
	if strings.Contains(at, "utm_source=") {
		w.wrong = append(w.wrong, at+" is forbidden")
	}
	if at == "http://a.test/" {
		return answer(200, http.Header{"Content-Type": {"text/html"}}, "<a href='"+strings.Join(w.seeds, "'>x</a><a href='")+"'>x</a>")
	}
	chain, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	has := false
	for _, k := range cookies { // of its own chain, and not twice
		if k.Name != "c"+chain || has {
			w.wrong = append(w.wrong, fmt.Sprintf("%s with %v", at, cookies))
		}
		has = true
	}
	n := w.nodes[at]
	switch {
	case n == nil:
		return answer(404, http.Header{}, "")
	case strings.HasPrefix(n.needs, "!"):
		if has {
			return answer(200, http.Header{"Content-Type": {"text/html"}}, "<p>the page "+at)
		}
	case n.needs != "" && !has:
		return answer(403, http.Header{}, "")
	}
	return answer(n.status, n.header, n.body)
}

// TestRandomRedirects: in webs of redirects of all kinds every page is put once, with
// the cookies that were set on the way to it and no others, by requests that robots.txt
// allows and that keep their distance, whether the crawl is interrupted or not.
// QUARRY_LONG=1 has it try 2,000 webs.
func TestRandomRedirects(t *testing.T) {
	t.Parallel()
	seeds := uint64(60)
	switch {
	case os.Getenv("QUARRY_LONG") != "":
		seeds = 2000
	case testing.Short():
		seeds = 20
	}
	for seed := range seeds {
		for _, workers := range []int{1, 8} {
			for _, interruptions := range []int{0, 3} {
				synctest.Test(t, func(t *testing.T) { crawlWalls(t, seed, workers, interruptions) })
			}
		}
	}
}

func crawlWalls(t *testing.T, seed uint64, workers, interruptions int) {
	w, want := newWalls(seed)
	front := frontier.New(frontier.Options{Horizon: -1})
	defer front.Close()
	var mu sync.Mutex
	var put []string
	c := Crawler{UserAgent: testAgent, Frontier: front, Fetcher: &HTTP{UserAgent: testAgent, Transport: w}, Workers: workers, Follow: anywhere,
		Sink: Pages(func(_ context.Context, p *Page) error {
			mu.Lock()
			defer mu.Unlock()
			put = append(put, p.URL)
			return nil
		})}
	r := rand.New(rand.NewPCG(seed, 9))
	for n := 0; ; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		if n < interruptions {
			ctx, cancel = context.WithTimeoutCause(t.Context(), time.Duration(r.Int64N(int64(20*time.Second))), errEnough)
		}
		err := c.Run(ctx, "http://a.test/")
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, errEnough) {
			t.Fatal(err)
		}
	}
	slices.Sort(put)
	if !slices.Equal(put, want) {
		t.Errorf("seed %d, %d workers, %d interruptions: put %q, want %q", seed, workers, interruptions, put, want)
	}
	if len(w.wrong) > 0 {
		t.Errorf("seed %d, %d workers, %d interruptions: %q", seed, workers, interruptions, w.wrong)
	}
	for u, n := range w.asked {
		if most := cmp.Or(map[string]int{"/robots.txt": 1 + interruptions}[u[strings.LastIndexByte(u, '/'):]], 4+interruptions); n > most {
			t.Errorf("seed %d: %s was asked for %d times", seed, u, n)
		}
	}
}
