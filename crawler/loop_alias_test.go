package crawler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/webquarry/quarry/frontier"
)

// TestCanonicalIsDead: a page that gave way to one that cannot be had is put
// after all, once, and visited once more at most.
func TestCanonicalIsDead(t *testing.T) {
	t.Parallel()
	const robots = "\n-- http://a.test/robots.txt --\nHTTP 200\n\nUser-agent: *\nDisallow: /private/\n"
	p := func(path, to string) string {
		return "\n-- http://a.test" + path + " --\n<link rel=canonical href='" + to + "'><p>text of " + path + "\n"
	}
	home := func(links ...string) string {
		var b strings.Builder
		b.WriteString("\n-- http://a.test/ --\n")
		for _, l := range links {
			fmt.Fprintf(&b, "<a href='%s'>x</a>", l)
		}
		return b.String()
	}
	status := func(url, answer string) string { return "\n-- " + url + " --\nHTTP " + answer + "\n\n" }
	moved := func(path, to string) string { return status("http://a.test"+path, "301\nLocation: "+to) }
	for name, c := range map[string]struct {
		web    string
		put    []string // paths
		visits int      // pages asked for, but for the home page and robots.txt
	}{
		"404":                       {home("/p") + p("/p", "/t") + status("http://a.test/t", "404"), []string{"/p"}, 3},
		"linked, and known before":  {home("/t", "/p") + p("/p", "/t") + status("http://a.test/t", "404"), []string{"/p"}, 2},
		"linked, and visited after": {home("/p", "/t") + p("/p", "/t") + status("http://a.test/t", "404"), []string{"/p"}, 3},
		"of three": {home("/1", "/2", "/3") + p("/1", "/t") + p("/2", "/t") + p("/3", "/t") + status("http://a.test/t", "410"),
			[]string{"/1", "/2", "/3"}, 7},
		"forbidden on its own host": {home("/p") + p("/p", "http://b.a.test/private/t") + strings.ReplaceAll(robots, "a.test", "b.a.test"), []string{"/p"}, 2},
		"a picture":                 {home("/p") + p("/p", "/t") + status("http://a.test/t", "200\nContent-Type: image/png"), []string{"/p"}, 3},
		"redirects back":            {home("/p") + p("/p", "/p/") + moved("/p/", "/p"), []string{"/p"}, 3},
		"redirects to a dead one":   {home("/p") + p("/p", "/t") + moved("/t", "/u") + status("http://a.test/u", "404"), []string{"/p"}, 4},
		"redirects to one known to be dead": {home("/u", "/p") + p("/p", "/t") + moved("/t", "/u") + status("http://a.test/u", "404"),
			[]string{"/p"}, 4},
		"redirects out of scope": {home("/p") + p("/p", "/t") + moved("/t", "http://b.test/"), []string{"/p"}, 3},
		"redirects for ever":     {home("/p") + p("/p", "/t") + moved("/t", "/t"), []string{"/p"}, 3},
		"redirects to a page":    {home("/p") + p("/p", "/t") + moved("/t", "/u") + p("/u", "/u"), []string{"/u"}, 3},
		"redirects home":         {home("/p") + p("/p", "/t") + moved("/t", "/"), []string{"/p"}, 3},
		"at the end of a chain":  {home("/p") + p("/p", "/t") + p("/t", "/u") + status("http://a.test/u", "404"), []string{"/t"}, 4},
		"of each other":          {home("/p") + p("/p", "/t") + p("/t", "/p"), []string{"/t"}, 2},
		"in a ring":              {home("/p") + p("/p", "/t") + p("/t", "/u") + p("/u", "/p"), []string{"/u"}, 3},
		"into a ring":            {home("/p") + p("/p", "/t") + p("/t", "/u") + p("/u", "/t"), []string{"/u"}, 3},
		"a redirect, ring":       {home("/p") + p("/p", "/t") + moved("/t", "/u") + p("/u", "/p"), []string{"/u"}, 3},
		"alive":                  {home("/1", "/2") + p("/1", "/t") + p("/2", "/t") + p("/t", "/t"), []string{"/t"}, 3},
		"not to be indexed":      {home("/p") + p("/p", "/t") + status("http://a.test/t", "200\nX-Robots-Tag: noindex"), nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				run := over(t, c.web)
				run.Workers = 1
				run.Sink = Pages(func(_ context.Context, p *Page) error {
					run.put = append(run.put, p.URL)
					for _, u := range []string{p.URL, p.Response.URL, p.Response.Request.URL, p.Response.Request.Via} {
						if strings.Contains(u, "#") {
							t.Errorf("%s: a URL is %q", p.URL, u)
						}
					}
					return nil
				})
				run.run(t, "http://a.test/")
				want := []string{"http://a.test/"}
				for _, p := range c.put {
					want = append(want, "http://a.test"+p)
				}
				run.wantPut(t, want...)
				n := -1
				for _, r := range run.web.Requests() {
					if !strings.HasSuffix(r.URL, "/robots.txt") {
						n++
					}
				}
				if n != c.visits {
					t.Errorf("%d visits, want %d", n, c.visits)
				}
				for _, e := range run.events {
					if strings.Contains(e.URL+e.Target, "#") {
						t.Errorf("event %+v", e)
					}
				}
			})
		})
	}
}

// TestCanonicalIsAway: a page that named another one as the one to index waits for that as
// long as its host cannot be reached, and says so.
func TestCanonicalIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "-- http://a.test/ --\n<link rel=canonical href='https://a.test/'>\n-- https://a.test/robots.txt --\nHTTP 200\nTest-Error: refused\n")
		c.unfinished(t, 2, "http://a.test/") // the page named, and what depends on it
		c.wantPut(t)
	})
}

// TestCanonicalIsDeadAfterRestart: that a page gave way is not forgotten when
// the run ends before it is known whether the other can be had.
func TestCanonicalIsDeadAfterRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "-- http://a.test/p --\n"+canonical("/t")+"\n-- http://a.test/t --\nHTTP 404\n")
		dir := t.TempDir()
		open := func() *frontier.Disk {
			f, err := frontier.Open(dir, frontier.Options{})
			if err != nil {
				t.Fatal(err)
			}
			c.Frontier = f
			return f
		}
		f := open()
		enough := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		c.OnEvent = func(Event) { cancel(enough) }
		if err := c.Run(ctx, "http://a.test/p"); err != enough {
			t.Fatal(err)
		}
		f.Close()
		c.wantPut(t)
		f = open()
		defer f.Close()
		c.OnEvent = nil
		c.run(t)
		c.wantPut(t, "http://a.test/p")
		if s := statsOf(f); s.Queued != 0 || s.Done != 4 {
			t.Errorf("%+v", s)
		}
	})
}

func TestFatesStayBounded(t *testing.T) {
	t.Parallel()
	var f fates
	for n := range 3*maxFates + 10 {
		f.note(fmt.Sprintf("http://a.test/%d", n), fate{kind: isDead})
	}
	if n := len(f.young) + len(f.old); n > 2*maxFates {
		t.Errorf("%d URLs are remembered", n)
	}
	for _, n := range []int{3*maxFates + 9, 2*maxFates + 10} {
		if f.of(fmt.Sprintf("http://a.test/%d", n)).kind != isDead {
			t.Errorf("number %d is forgotten", n)
		}
	}
}
