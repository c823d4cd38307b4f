package crawler

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func redirectTo(target string) string { return "HTTP 302\nLocation: " + target + "\n\n" }

func TestRedirectTargetsAreVisitedOnce(t *testing.T) {
	t.Parallel()
	for name, web := range map[string]string{
		"a link to the target later": `
-- http://a.test/ --
<a href="/a">a</a> <a href="/later">later</a>
-- http://a.test/a --
HTTP 302
Location: /b
-- http://a.test/later --
<a href="/b">b</a>
-- http://a.test/b --
<title>b</title>
`,
		"two redirects to it": `
-- http://a.test/ --
<a href="/x1">1</a> <a href="/x2">2</a>
-- http://a.test/x1 --
HTTP 301
Location: /t
-- http://a.test/x2 --
HTTP 301
Location: http://a.test:80/t#top
-- http://a.test/t --
<title>t</title>
`,
		"done before the redirect": `
-- http://a.test/ --
<a href="/b">b</a>
-- http://a.test/b --
<a href="/a">a</a>
-- http://a.test/a --
HTTP 307
Location: /b
`,
		"redirect after a retry": `
-- http://a.test/ --
<a href="/sbn">s</a> <a href="/bn">b</a>
-- http://a.test/bn --
HTTP 503
-- http://a.test/bn --
HTTP 302
Location: /sbn
-- http://a.test/sbn --
<title>s</title>
`,
		"a cookie wall": `
-- http://a.test/ --
HTTP 302
Location: /
Set-Cookie: ok=1
-- http://a.test/ --
<title>welcome</title>
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := over(t, web)
				c.Workers = 2
				c.run(t, "http://a.test/")
				c.web.EachOnce(t)
				if s := c.events[len(c.events)-1].Summary; len(s.Failed) != 0 {
					t.Errorf("failures %v", s.Failed)
				}
			})
		})
	}
}

// TestRedirectCircle: redirects that lead back to a page are an error, unless a
// cookie on the way makes the page appear. Nothing is asked for more often than that
// takes.
func TestRedirectCircle(t *testing.T) {
	t.Parallel()
	to := func(target, cookie string) string {
		if cookie != "" {
			cookie = "\nSet-Cookie: " + cookie
		}
		return "HTTP 302\nLocation: " + target + cookie + "\n"
	}
	const page = "<title>welcome</title><a href=/more>more</a>\n"
	for name, tt := range map[string]struct {
		web  map[string][]string // answers by path
		put  []string
		kind Kind
	}{
		"of two":   {map[string][]string{"1": {to("/2", "")}, "2": {to("/1", "")}}, []string{"http://a.test/"}, ErrRedirectLoop},
		"of three": {map[string][]string{"1": {to("/2", "")}, "2": {to("/3", "")}, "3": {to("/1", "")}}, []string{"http://a.test/"}, ErrRedirectLoop},
		"a cookie elsewhere": {map[string][]string{"1": {to("/2", ""), page}, "2": {to("/1", "ok=1")}, "more": {"x\n"}},
			[]string{"http://a.test/", "http://a.test/1", "http://a.test/more"}, ""},
		"a cookie on the way": {map[string][]string{"1": {to("/2", "ok=1"), page}, "2": {to("/3", "")}, "3": {to("/1", "")}, "more": {"x\n"}},
			[]string{"http://a.test/", "http://a.test/1", "http://a.test/more"}, ""},
		"a cookie that changes nothing": {map[string][]string{"1": {to("/2", "ok=1"), to("/2", "")}, "2": {to("/1", "")}},
			[]string{"http://a.test/"}, ErrRedirectLoop},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := over(t, "-- http://a.test/ --\n<a href=/1>1</a>\n")
				for path, answers := range tt.web {
					for _, a := range answers {
						c.web.Add("http://a.test/"+path, a)
					}
				}
				c.run(t, "http://a.test/")
				c.wantPut(t, tt.put...)
				c.web.EachOnce(t)
				for kind, n := range c.events[len(c.events)-1].Summary.Failed {
					if kind != tt.kind || n != 1 {
						t.Errorf("%d failures of kind %q, want %q", n, kind, tt.kind)
					}
				}
				if failed := c.events[len(c.events)-1].Summary.Failed; len(failed) == 0 && tt.kind != "" {
					t.Errorf("no failure, want %q", tt.kind)
				}
				if tt.kind != "" {
					return
				}
				for _, r := range slices.Backward(c.web.Requests()) {
					if strings.HasSuffix(r.URL, "/1") {
						if got := r.Header.Get("Cookie"); got != "ok=1" {
							t.Errorf("cookie %q", got)
						}
						break
					}
				}
			})
		})
	}
}

// TestRedirectCircleAfterRestart: that redirects led back to a page with a cookie on
// the way is not forgotten when the run ends in between, and known to whoever shares
// the Frontier.
func TestRedirectCircleAfterRestart(t *testing.T) {
	t.Parallel()
	for after := range 3 {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, "-- http://a.test/1 --\nHTTP 302\nLocation: /2\nSet-Cookie: ok=1\n\n-- http://a.test/1 --\n<title>welcome</title>\n"+
				"-- http://a.test/2 --\n"+redirectTo("/3")+"\n-- http://a.test/3 --\n"+redirectTo("/1"))
			enough := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			n := 0
			c.OnEvent = func(Event) {
				if n++; n == after+1 {
					cancel(enough)
				}
			}
			if err := c.Run(ctx, "http://a.test/1"); err != enough {
				t.Fatal(err)
			}
			c.run(t)
			c.wantPut(t, "http://a.test/1")
		})
	}
}

// TestRedirectCircleLeadsAway: the second time round a circle, nothing is asked for
// that would not be visited.
func TestRedirectCircleLeadsAway(t *testing.T) {
	t.Parallel()
	for to, reason := range map[string]string{"http://a.test/private": SkipRobots, "http://b.test/": SkipScope, "http://b.a.test/private": SkipRobots} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := over(t, "-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /private\n-- http://a.test/ --\n<a href=/1>1</a>\n"+
					"-- http://b.a.test/robots.txt --\nUser-agent: *\nDisallow: /private\n")
				c.web.Add("http://a.test/1", "HTTP 302\nLocation: /2\nSet-Cookie: ok=1\n")
				c.web.Add("http://a.test/1", redirectTo(to))
				c.web.Add("http://a.test/2", "HTTP 302\nLocation: /1\n")
				c.web.Add(to, "<title>away</title>\n")
				c.run(t, "http://a.test/")
				c.wantPut(t, "http://a.test/")
				for _, r := range c.web.Requests() {
					if r.URL == to {
						t.Error("asked for", to)
					}
				}
				if s := c.events[len(c.events)-1].Summary; len(s.Failed) != 0 || s.Skipped[reason] != 1 {
					t.Error(s)
				}
				c.web.Gaps(t, time.Second)
			})
		})
	}
}

func TestRedirectKeepsDepthAndScope(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, `
-- http://www.shop.example/ --
HTTP 301
Location: https://shop.example/
-- https://shop.example/ --
<base href="/deep/"><a href="in">in</a> <a href="/out">out</a>
-- https://shop.example/deep/in --
HTTP 302
Location: /landed/here?q=1
-- https://shop.example/landed/here?q=1 --
<a href="next">relative to the final URL</a>
-- https://shop.example/landed/next --
<title>too deep</title>
-- https://shop.example/out --
HTTP 302
Location: http://social.example/
`)
		c.Budget.Depth = 1
		c.run(t, "http://www.shop.example/")
		c.wantPut(t, "https://shop.example/", "https://shop.example/landed/here?q=1")
		c.wantEvent(t, "http://www.shop.example/", Skipped, SkipRedirect)
		c.wantEvent(t, "https://shop.example/out", Skipped, SkipScope)
		if e := c.about("https://shop.example/out"); e[0].Target != "http://social.example/" {
			t.Errorf("target %q", e[0].Target)
		}
		c.web.EachOnce(t, "http://www.shop.example/", "https://shop.example/", "https://shop.example/deep/in",
			"https://shop.example/landed/here?q=1", "https://shop.example/out")
	})
}

func TestRedirectLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "-- http://a.test/0 --\n"+redirectTo("/01"))
		for n := 1; n < 15; n++ {
			c.web.Add("http://a.test/"+strings.Repeat("0", n)+"1", redirectTo("/"+strings.Repeat("0", n+1)+"1"))
		}
		c.run(t, "http://a.test/0")
		last := c.events[len(c.events)-2]
		wantKind(t, last.Err, ErrRedirectTooMany)
		if n := len(c.events) - 2; n != maxHops || last.Kind != Failed {
			t.Errorf("%d redirects were followed, then %+v", n, last)
		}
	})
}

func TestRedirectToNowhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "-- http://a.test/ --\n"+redirectTo("mailto:a@b")+"\n-- http://a.test/self --\n"+redirectTo("/self"))
		c.run(t, "http://a.test/", "http://a.test/self")
		wantKind(t, c.about("http://a.test/")[0].Err, ErrRedirect)
		wantKind(t, c.about("http://a.test/self")[0].Err, ErrRedirectLoop)
	})
}

// TestRedirectToPrivateAddress: neither the page of a private address nor its
// robots.txt is asked for.
func TestRedirectToPrivateAddress(t *testing.T) {
	t.Parallel()
	for _, target := range []string{
		"http://169.254.169.254/meta", "http://[::ffff:10.0.0.1]/", "http://100.64.0.1/", "http://2130706433/", "http://localhost/",
	} {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, "-- http://a.test/ --\n"+redirectTo(target))
			c.Follow = anywhere
			c.run(t, "http://a.test/")
			if len(c.web.Requests()) != 2 || len(c.events) != 3 {
				t.Fatalf("%s: %+v", target, c.web.Requests())
			}
			blocked := slices.IndexFunc(c.events, func(e Event) bool { return e.Err != nil }) // events of two requests may come in either order
			if blocked < 0 {
				t.Fatalf("%s: %+v", target, c.events)
			}
			wantKind(t, c.events[blocked].Err, ErrBlockedAddr)
		})
	}
	synctest.Test(t, func(t *testing.T) { // a robots.txt there is one that is missing
		c := over(t, "-- http://a.test/ --\n<p>page\n-- http://a.test/robots.txt --\n"+redirectTo("http://10.0.0.1/robots.txt"))
		c.run(t, "http://a.test/")
		c.wantPut(t, "http://a.test/")
	})
}

func anywhere(*Page, Link) (float64, bool) { return 0, true }
