package crawler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// TestOddHostsEndNothing: hosts that no resolver knows are a page's trouble, wherever
// they are named.
func TestOddHostsEndNothing(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"www..a.test", ".a.test", "..", ".", "a.test..", strings.Repeat("x", 64) + ".test", strings.Repeat("x.", 200) + "test"} {
		bad := "http://" + host + "/x"
		for name, web := range map[string]string{
			"seed":      "",
			"link":      "<a href='" + bad + "'>x</a>",
			"redirect":  "HTTP 301\nLocation: " + bad + "\n\n",
			"canonical": "<link rel=canonical href='" + bad + "'>",
			"refresh":   "<meta http-equiv=refresh content='0;url=" + bad + "'>",
			"header":    "HTTP 200\nRefresh: 0;url=" + bad + "\n\n<p>x",
			"frame":     "<iframe src='" + bad + "'></iframe>",
		} {
			synctest.Test(t, func(t *testing.T) {
				c := over(t, "-- http://a.test/ --\n<a href=/1>x</a><a href=/2>x</a>\n-- http://a.test/1 --\n"+web+"\n-- http://a.test/2 --\n<a href=/3>x</a>\n-- http://a.test/3 --\nx\n")
				f, err := frontier.Open(filepath.Join(t.TempDir(), "f"), frontier.Options{SyncEvery: -1})
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				c.Frontier, c.Follow = f, anywhere
				if u, err := urlnorm.URL("", bad); err == nil && urlnorm.Origin(u) != "http://a.test" { // that exists
					for _, u := range []string{u, urlnorm.Origin(u) + "/robots.txt"} {
						c.web.Add(u, "HTTP 200\nTest-Error: no such host\n\n")
					}
				}
				seeds := []string{"http://a.test/"}
				if name == "seed" {
					seeds = append(seeds, bad)
				}
				if err := c.Run(t.Context(), seeds...); err != nil {
					t.Errorf("%s %s: %v", name, host, err)
				}
				put := strings.Join(c.put, " ")
				for _, want := range []string{"http://a.test/", "http://a.test/2", "http://a.test/3"} {
					if !strings.Contains(put+" ", want+" ") {
						t.Errorf("%s %s: put %s", name, host, put)
					}
				}
			})
		}
	}
}

// refusing is a Frontier that takes no URLs with a word in them, and says so in one of
// several ways.
type refusing struct {
	*frontier.Memory
	how int
}

func (f refusing) refuse(reqs []frontier.Request) (good []frontier.Request, err error) {
	for _, r := range reqs {
		if strings.Contains(r.URL, "bad") {
			err = errors.Join(err, &frontier.URLError{URL: r.URL, Msg: "not here"})
		} else {
			good = append(good, r)
		}
	}
	if f.how == 1 && err != nil {
		err = fmt.Errorf("remote: %w", err)
	}
	return good, err
}

func (f refusing) Add(ctx context.Context, reqs ...frontier.Request) (int, error) {
	good, bad := f.refuse(reqs)
	n, err := f.Memory.Add(ctx, good...)
	return n, errors.Join(bad, err)
}

func (f refusing) Finish(ctx context.Context, req frontier.Lease, out frontier.Outcome) (func() error, error) {
	good, bad := f.refuse(out.Found)
	out.Found = good
	safe, err := f.Memory.Finish(ctx, req, out)
	return safe, errors.Join(bad, err)
}

func (f refusing) Done(ctx context.Context, req frontier.Lease, out frontier.Outcome) error {
	safe, err := f.Finish(ctx, req, out)
	return errors.Join(err, safe())
}

// TestRefusedURLsEndNothing: what the Frontier does not take is an event, and the
// crawl goes on.
func TestRefusedURLsEndNothing(t *testing.T) {
	t.Parallel()
	for how := range 4 {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, "-- http://a.test/ --\n<a href=/bad1>x</a><a href=/1>x</a><a href=/2>x</a><a href=/bad2>x</a>\n"+
				"-- http://a.test/1 --\n"+redirectTo("/bad3")+"\n-- http://a.test/2 --\n<link rel=canonical href=/bad4><a href=/3>x</a>\n-- http://a.test/3 --\nx\n")
			f := refusing{frontier.New(frontier.Options{}), how & 1}
			defer f.Close()
			c.Frontier = f
			if how > 1 {
				c.Frontier = struct{ frontier.Frontier }{f}
			}
			c.run(t, "http://a.test/", "http://a.test/bad0")
			for n := range 5 {
				c.wantEvent(t, fmt.Sprintf("http://a.test/bad%d", n), Skipped, SkipRefused)
			}
			c.wantPut(t, "http://a.test/", "http://a.test/3", "http://a.test/2")
			if n := c.events[len(c.events)-1].Summary.Skipped[SkipRefused]; n != 5 {
				t.Errorf("%d were refused", n)
			}
		})
	}
}

// TestCanonAndFrontierAgree: what is a URL to one is to the other.
func TestCanonAndFrontierAgree(t *testing.T) {
	t.Parallel()
	f := frontier.New(frontier.Options{})
	defer f.Close()
	words := []string{"a", "b", ".", "..", "-", "_", "1", "0x1", "%", "%2e", "。", "ü", "xn--", ":", "80", "[", "]", "::1", "*", "!", "~", "$", "&", "'", "(", ")",
		"+", ",", ";", "=", "@", "#", "?", "/", "\\", "|", "^", "`", "{", "<", "\"", " ", "\t", "\x00", "\x7f", "\u00ad", "\xff", "😀", strings.Repeat("x", 70)}
	profiles := []*urlnorm.Profile{{}, {KeepRootDot: true, KeepUserinfo: true, KeepEscapes: true}, {Fragments: urlnorm.KeepFragments, KeepEmpty: true}}
	r := rand.New(rand.NewPCG(1, 2))
	taken, n := 0, 20_000
	for range n {
		ref := "http://"
		for range 1 + r.IntN(6) {
			ref += words[r.IntN(len(words))]
		}
		if r.IntN(2) == 0 {
			ref += "/x"
		}
		u, err := profiles[r.IntN(len(profiles))].URL("", ref)
		if err != nil {
			continue
		}
		taken++
		if _, err := f.Add(t.Context(), frontier.Request{URL: u}); err != nil {
			t.Errorf("%q: %v", ref, err)
		}
	}
	if taken < n/20 {
		t.Errorf("only %d of %d were URLs", taken, n)
	}
}
