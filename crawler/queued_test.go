package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/PuerkitoBio/goquery"
	"pgregory.net/rapid"

	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/frontier"
)

// TestAskIsQueued: what can be sent comes back from a request as it went in, whatever it
// is, under a Variant of its own.
func TestAskIsQueued(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := Ask{Method: rapid.SampledFrom([]string{"", "POST", "PUT", "REPORT"}).Draw(t, "method"), Anonymous: rapid.Bool().Draw(t, "anonymous")}
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"Accept", "Content-Type", "X-A"}), rapid.ID).Draw(t, "names") {
			if a.Header == nil {
				a.Header = http.Header{}
			}
			a.Header[name] = rapid.SliceOfN(rapid.StringMatching(`[!-~]{0,5}( [!-~]{0,3}: )?[!-~]{0,3}`), 1, 2).Draw(t, "values")
		}
		if rapid.Bool().Draw(t, "body") {
			a.Body = rapid.SliceOf(rapid.Byte()).Draw(t, "body")
		}
		req := frontier.Request{URL: "http://a.test/", Label: "l", Meta: frontier.Meta{}.With("test.a", "b")}
		got, err := a.On(req)
		if err != nil {
			t.Fatal(err)
		}
		back, ok := AskOf(got)
		if plain := reflect.DeepEqual(a, Ask{}); plain != !ok || plain && got != req {
			t.Fatalf("%+v: %+v, %v", a, got, ok)
		}
		if ok && (back.Method != a.Method || back.Anonymous != a.Anonymous || !reflect.DeepEqual(back.Header, a.Header) || string(back.Body) != string(a.Body) || (back.Body == nil) != (a.Body == nil)) {
			t.Fatalf("%+v became %+v", a, back)
		}
		if again, _ := a.On(req); again != got {
			t.Error("the same Ask is another request")
		}
		if again, _ := a.On(got); again != got {
			t.Error("the same Ask once more is another request")
		}
		if other, _ := (Ask{Method: "POST", Body: []byte("other")}).On(req); other.Variant == got.Variant {
			t.Error("two that differ are one")
		}
	})
	for _, bad := range []Ask{{Method: "A B"}, {Header: http.Header{"A\n": {"b"}}}, {Header: http.Header{"A": {"b\nc"}}}, {Body: make([]byte, MaxQueuedAsk)}} {
		if _, err := bad.On(frontier.Request{URL: "http://a.test/"}); !isA[*ConfigError](err) {
			t.Errorf("%.40v: %v", bad, err)
		}
	}
	for _, broken := range []string{"x", " \nA B", " P T\n", " \n: \n\n"} {
		if a, ok := AskOf(frontier.Request{Meta: frontier.Meta{}.With(keys.Ask, broken)}); ok && a.check() != nil {
			t.Errorf("%q is read as %+v", broken, a)
		}
	}
}

// asks is a parser of pages with links that are not asked for by GET: those of the class
// post, with what stands in them for a body.
var asks = &HTML{Refine: func(doc *goquery.Document, page *Page) error {
	doc.Find("a.post").Each(func(i int, s *goquery.Selection) {
		href, _ := s.Attr("href")
		page.Links = append(page.Links, Link{URL: "http://a.test" + href, Ask: &Ask{Method: "POST", Body: []byte(s.Text()), Header: http.Header{"Content-Type": {"text/plain"}}}})
	})
	page.Links = slices.DeleteFunc(page.Links, func(l Link) bool { return l.Ask == nil && strings.Contains(l.URL, "post") })
	return nil
}}

// requestsOf are the requests that the web has seen, but for robots.txt.
func requestsOf(c *crawl) (all []string) {
	for _, r := range c.web.Requests() {
		if !strings.HasSuffix(r.URL, "/robots.txt") {
			all = append(all, strings.TrimSpace(r.Method+" "+strings.TrimPrefix(r.URL, "http://")+" "+r.Body))
		}
	}
	slices.Sort(all)
	return all
}

// TestPost: requests with bodies are queued beside each other and told apart by these; they
// go by robots.txt and the pace of their host, and a URL's GET is another request.
func TestPost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, `
-- http://a.test/robots.txt --
User-agent: *
Disallow: /post/no
-- http://a.test/ --
<a class=post href=/post/s>q=a</a> <a class=post href=/post/s>q=b</a> <a class=post href=/post/s>q=a</a> <a class=post href=/post/no>q=c</a> <a class=post href=/>home</a> <a href=/g>g</a>
-- http://a.test/post/s --
<link rel=canonical href=/g>found
-- http://a.test/g --
<p>g
`)
		c.Parser = asks
		var variants []string
		c.Sink = Pages(func(_ context.Context, p *Page) error {
			variants = append(variants, p.URL+" "+fmt.Sprint(p.Response.Request.Variant != ""))
			return nil
		})
		c.run(t, "http://a.test/")
		want := []string{"GET a.test/", "GET a.test/g", "POST a.test/ home", "POST a.test/post/s q=a", "POST a.test/post/s q=b"}
		if got := requestsOf(c); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		slices.Sort(variants)
		if want := []string{"http://a.test/ false", "http://a.test/ true", "http://a.test/g false", "http://a.test/post/s true", "http://a.test/post/s true"}; !slices.Equal(variants, want) {
			t.Errorf("put %q, want %q", variants, want)
		}
		c.wantEvent(t, "http://a.test/post/no", Skipped, SkipRobots)
		c.web.Gaps(t, time.Second)
	})
}

// TestPostRedirects: method and body go on as the status says, and never to another origin.
func TestPostRedirects(t *testing.T) {
	t.Parallel()
	for status, want := range map[int][2]string{ // to the same origin, and to another; empty: nowhere
		301: {"GET", "GET"}, 302: {"GET", "GET"}, 303: {"GET", "GET"}, 307: {"POST b", ""}, 308: {"POST b", ""},
	} {
		for i, to := range []string{"http://a.test/to", "http://b.test/to"} {
			synctest.Test(t, func(t *testing.T) {
				c := over(t, fmt.Sprintf("-- http://a.test/ --\n<a class=post href=/post>b</a>\n-- http://a.test/post --\nHTTP %d\nLocation: %s\n\n-- %s --\n<p>x", status, to, to))
				c.Parser, c.Follow = asks, Any
				c.run(t, "http://a.test/")
				got := ""
				for _, r := range c.web.Requests() {
					if r.URL != to {
						continue
					}
					if got = strings.TrimSpace(r.Method + " " + r.Body); r.Method == "GET" && (r.Header.Get("Content-Type") != "" || r.Body != "") {
						t.Errorf("%d: a GET has %v", status, r.Header)
					}
				}
				if got != want[i] {
					t.Errorf("%d to %s: %q, want %q", status, to, got, want[i])
				}
				if want[i] == "" {
					if e := c.event(t, "http://a.test/post"); e.Kind != Failed || !errors.Is(e.Err, ErrRedirect) {
						t.Errorf("%d: %+v", status, e)
					}
				}
			})
		}
	}
	synctest.Test(t, func(t *testing.T) { // to itself, with a cookie, and round in a circle
		c := over(t, `
-- http://a.test/ --
<a class=post href=/post>b</a> <a class=post href=/post2>b</a> <a class=post href=/post4>b</a>
-- http://a.test/post --
HTTP 307
Location: /post
Set-Cookie: k=v

-- http://a.test/post --
<p>x
-- http://a.test/post2 --
HTTP 307
Location: /post3

-- http://a.test/post3 --
HTTP 308
Location: /post2

-- http://a.test/post4 --
HTTP 303
Location: /post4

-- http://a.test/post4 --
<p>answer
`)
		c.Parser = asks
		c.run(t, "http://a.test/")
		want := []string{"GET a.test/", "GET a.test/post4", "POST a.test/post b", "POST a.test/post b", "POST a.test/post2 b", "POST a.test/post3 b", "POST a.test/post4 b"}
		if got := requestsOf(c); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		if e := c.event(t, "http://a.test/post3"); e.Kind != Failed || !errors.Is(e.Err, ErrRedirectLoop) {
			t.Errorf("%+v", e)
		}
		c.wantPut(t, "http://a.test/", "http://a.test/post", "http://a.test/post4")
	})
}

// event is the last that was told of a URL.
func (c *crawl) event(t testing.TB, url string) (e Event) {
	t.Helper()
	for _, one := range c.events {
		if one.URL == url {
			e = one
		}
	}
	return e
}

// TestPostSurvivesRestarts: what waits to be sent is sent by the run that comes next, and
// again where it failed.
func TestPostSurvivesRestarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, `
-- http://a.test/ --
<a class=post href=/post/1>one</a> <a class=post href=/post/2>two</a> <a class=post href=/post/3>three</a>
-- http://a.test/post/1 --
<p>1
-- http://a.test/post/2 --
HTTP 500

-- http://a.test/post/2 --
<p>2
-- http://a.test/post/3 --
<p>3
`)
		c.Parser, c.Workers, c.Budget.Pages = asks, 1, 1
		dir := t.TempDir()
		for range 6 {
			f, err := frontier.Open(dir, frontier.Options{SyncEvery: -1})
			if err != nil {
				t.Fatal(err)
			}
			c.Frontier = f
			c.run(t, "http://a.test/")
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{"GET a.test/", "POST a.test/post/1 one", "POST a.test/post/2 two", "POST a.test/post/2 two", "POST a.test/post/3 three"}
		if got := requestsOf(c); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
	})
}

// TestLinkThatCannotBeAsked: an Ask that cannot wait in a Frontier is told, and the other
// links of its page are followed.
func TestLinkThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "-- http://a.test/ --\n<a href=/b>b</a>\n-- http://a.test/b --\n<p>b")
		c.Parser = &HTML{Refine: func(_ *goquery.Document, page *Page) error {
			page.Links = append(page.Links, Link{URL: "http://a.test/big", Ask: &Ask{Method: "POST", Body: make([]byte, MaxQueuedAsk+1)}})
			return nil
		}}
		c.run(t, "http://a.test/")
		c.wantPut(t, "http://a.test/", "http://a.test/b")
		if e := c.event(t, "http://a.test/big"); e.Kind != Skipped || e.Reason != SkipRefused || !isA[*ConfigError](e.Err) {
			t.Errorf("%+v", e)
		}
	})
}
