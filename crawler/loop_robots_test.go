package crawler

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestRobotsAnswers: what an answer for robots.txt means for the page.
func TestRobotsAnswers(t *testing.T) {
	t.Parallel()
	const page = "-- http://a.test/ --\n<title>page</title>\n"
	for robots, want := range map[string]string{
		"HTTP 404": "put", "HTTP 410": "put", "HTTP 401": "put", "HTTP 403": "put",
		"<html>not found</html>":                       "put",
		"HTTP 200\n\nUser-agent: *\nDisallow: /":       "robots",
		"HTTP 500\n\nUser-agent: *\nAllow: /":          "unreachable",
		"HTTP 429":                                     "unreachable",
		"HTTP 200\nTest-Error: connection refused":     "unreachable",
		"HTTP 200\nTest-Wait: 1h\n\nUser-agent: *":     "unreachable",
		"HTTP 302\nLocation: /rules":                   "robots",
		"HTTP 302\nLocation: /robots.txt":              "put",
		"HTTP 200\n\nUser-agent: quarrytest\nAllow: /": "put",
	} {
		t.Run(robots, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := over(t, page+"-- http://a.test/robots.txt --\n"+robots+"\n-- http://a.test/rules --\nUser-agent: *\nDisallow: /\n")
				if want == "unreachable" {
					c.unfinished(t, 1, "http://a.test/")
				} else {
					c.run(t, "http://a.test/")
				}
				events := c.about("http://a.test/")
				last := events[len(events)-1]
				switch want {
				case "put":
					c.wantPut(t, "http://a.test/")
				case "robots":
					c.wantPut(t)
					c.wantEvent(t, "http://a.test/", Skipped, SkipRobots)
				case "unreachable":
					c.wantPut(t)
					if wantKind(t, last.Err, ErrRobotsUnreachable); last.Kind != Retrying || len(events) != 4 {
						t.Errorf("events %+v", events)
					}
				}
			})
		})
	}
}

// TestRobotsRecover: a host whose robots.txt fails for a while is crawled whole
// when it answers, and not before.
func TestRobotsRecover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		const robots = "http://b.test/robots.txt"
		c.web.Add(robots, "HTTP 503\nRetry-After: 300\n\n")
		c.web.Add(robots, "HTTP 500\n\n")
		c.web.Add(robots, "HTTP 200\n\n")
		c.web.Add("http://b.test/", "<a href='/2'>2</a>")
		c.web.Add("http://b.test/2", "<p>2")
		start := time.Now()
		c.run(t, "http://a.test/", "http://b.test/")
		c.web.EachOnce(t)
		c.web.Gaps(t, time.Second)
		var asked []time.Duration
		for _, r := range c.web.Requests() {
			if r.URL == robots {
				asked = append(asked, r.At.Sub(start))
			}
		}
		if len(asked) != 3 || asked[1] < 300*time.Second || asked[2]-asked[1] < 2*time.Minute {
			t.Errorf("robots.txt was asked for at %v", asked)
		}
		if e := c.about("http://b.test/"); e[0].Kind != Retrying || e[0].Again.Sub(start) < 300*time.Second {
			t.Errorf("first event %+v", e[0])
		}
	})
}

// TestRobotsOnceForManyWorkers: workers of one host share one fetch of
// robots.txt, and it is asked for again when a day is over.
func TestRobotsOnceForManyWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "-- http://a.test/robots.txt --\nHTTP 200\nTest-Wait: 3s\n\n-- http://a.test/robots.txt --\nHTTP 200\n\n")
		c.Frontier = frontier.New(frontier.Options{Horizon: 48 * time.Hour, Limits: frontier.Limits{PerHost: 8, Delay: 100 * time.Millisecond}})
		var seeds []string
		for n := range 30 {
			seeds = append(seeds, fmt.Sprintf("http://a.test/%d", n))
			c.web.Add(seeds[n], "<p>x")
		}
		c.web.Add("http://a.test/late", "HTTP 503\nRetry-After: 86400\n\n")
		c.web.Add("http://a.test/late", "<p>late")
		c.run(t, append(seeds, "http://a.test/late")...)
		c.web.EachOnce(t)
		n := 0
		for _, r := range c.web.Requests() {
			if r.URL == "http://a.test/robots.txt" {
				n++
			}
		}
		if n != 2 {
			t.Errorf("robots.txt was asked for %d times", n)
		}
	})
}

func TestCrawlDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		c.web.Add("http://b.test/robots.txt", "HTTP 200\n\nUser-agent: *\nCrawl-delay: 10\n")
		c.web.Add("http://b.test/", "<a href='/2'>2</a> <a href='/3'>3</a>")
		c.web.Add("http://b.test/2", "<p>2")
		c.web.Add("http://b.test/3", "<p>3")
		c.run(t, "http://b.test/")
		c.wantPut(t, "http://b.test/", "http://b.test/2", "http://b.test/3")
		c.web.Gaps(t, 10*time.Second)
	})
}

func TestIgnoreRobots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		c.web.Add("http://a.test/private/x", "<p>x")
		c.IgnoreRobots = true
		c.run(t, "http://a.test/")
		c.wantPut(t, "http://a.test/", "http://a.test/1", "http://a.test/2", "http://a.test/4", "http://a.test/private/x")
		for _, r := range c.web.Requests() {
			if r.URL == "http://a.test/robots.txt" {
				t.Error("robots.txt was asked for")
			}
		}
	})
}

// TestDeadName: a host that does not exist fails at once, by its own name.
func TestDeadName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		c.Fetcher = &HTTP{UserAgent: testAgent, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Name: r.URL.Host, Err: "no such host", IsNotFound: true}}
		})}
		start := time.Now()
		c.run(t, "http://gone.test/")
		wantKind(t, c.about("http://gone.test/")[0].Err, ErrDNS)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestFetcherSetUpWrongly: a Fetcher that cannot work is not a page's trouble,
// also behind a middleware.
func TestFetcherSetUpWrongly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, ignore := range []bool{false, true} {
			c := over(t, smallWeb)
			h := new(HTTP)
			c.IgnoreRobots = ignore
			c.Fetcher = FetcherFunc(func(ctx context.Context, r frontier.Request) (*Response, error) { return h.Fetch(ctx, r) })
			if err := c.Run(t.Context(), "http://a.test/"); !isA[*ConfigError](err) {
				t.Errorf("error %v, want a ConfigError", err)
			}
		}
	})
}

// TestRobotsKnowOurName: robots.txt and robots directives in pages are for the
// product token of the User-Agent, wherever that stands in it.
func TestRobotsKnowOurName(t *testing.T) {
	t.Parallel()
	for agent, name := range map[string]string{
		"acme/1.0 (+https://acme.example/)":                                 "acme",
		"Acme_Bot-x bot@acme.example":                                       "acme_bot-x",
		"acme2/1.0 (+https://acme.example/)":                                "acme2",
		"Mozilla/5.0 (compatible; acme/1.0; +https://acme.example/)":        "acme",
		"Mozilla/5.0 (Linux) compatible; Acme2 (+https://acme.example/bot)": "acme2",
	} {
		for _, parser := range []Parser{nil, &HTML{}} {
			synctest.Test(t, func(t *testing.T) {
				c := over(t, "-- http://a.test/robots.txt --\nHTTP 200\n\nUser-agent: "+name+"\nDisallow: /private\n\nUser-agent: acme-other\nUser-agent: mozilla\nUser-agent: *\nDisallow: /\n"+
					"-- http://a.test/ --\n<a href=/private>x</a><a href=/meta>x</a><a href=/header>x</a>\n"+
					"-- http://a.test/meta --\n<meta name="+name+" content=noindex>\n"+
					"-- http://a.test/header --\nHTTP 200\nX-Robots-Tag: "+name+": noindex\n\n<p>x\n")
				c.UserAgent, c.Parser = agent, parser
				c.run(t, "http://a.test/")
				c.wantPut(t, "http://a.test/")
				c.wantEvent(t, "http://a.test/private", Skipped, SkipRobots)
				c.wantEvent(t, "http://a.test/meta", Skipped, SkipNoIndex)
				c.wantEvent(t, "http://a.test/header", Skipped, SkipNoIndex)
			})
		}
	}
}

// TestRobotsBehindRedirects: five hops are followed and a sixth or a circle is
// no robots.txt, also where the Fetcher would follow fewer or more hops, or
// refuse them.
func TestRobotsBehindRedirects(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		hops   int
		circle bool
		put    bool
	}{
		"five":   {hops: 5},
		"six":    {hops: 6, put: true},
		"circle": {hops: 3, circle: true, put: true},
	} {
		for redirects := range 10 {
			synctest.Test(t, func(t *testing.T) {
				c := over(t, "-- http://a.test/ --\n<p>x\n")
				at := "http://a.test/robots.txt"
				for n := range tt.hops {
					next := fmt.Sprintf("http://h%d.test/rules", n)
					if tt.circle && n == tt.hops-1 {
						next = "http://a.test/robots.txt"
					}
					c.web.Add(at, redirectTo(next))
					at = next
				}
				if !tt.circle {
					c.web.Add(at, "User-agent: *\nDisallow: /\n")
				}
				c.Fetcher = &HTTP{UserAgent: testAgent, Transport: c.web, Redirects: redirects, OnRedirect: func(_ []string, next string) error {
					return fmt.Errorf("no %s", next)
				}}
				c.run(t, "http://a.test/")
				if got := len(c.put) == 1; got != tt.put {
					t.Errorf("%s, %d followed by the Fetcher: put %v, %+v", name, redirects, got, c.events)
				}
			})
		}
	}
}

// TestClosedSitesAreTold: that a robots.txt closes a whole site is logged once a host, with
// the rule, however many of its URLs are found.
func TestClosedSitesAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, `-- http://a.test/ --
<a href="http://b.test/1">1</a> <a href="http://b.test/2">2</a> <a href="http://c.test/1">3</a> <a href="http://c.test/x/1">4</a> <a href="http://d.test/">5</a>
-- http://b.test/robots.txt --
User-agent: *
Crawl-delay: 10
User-agent: evil
Disallow: /
-- http://c.test/robots.txt --
User-agent: *
Disallow: /x/
-- http://c.test/1 --
a page
-- http://d.test/robots.txt --
HTTP 403
-- http://d.test/ --
a page
`)
		var log strings.Builder
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		c.Follow = func(*Page, Link) (float64, bool) { return 0, true }
		c.run(t, "http://a.test/", "http://b.test/")
		c.wantPut(t, "http://a.test/", "http://c.test/1", "http://d.test/")
		want := `msg=closed site=http://b.test reason=robots rule="Disallow: /" line=4`
		if got := log.String(); strings.Count(got, "msg=closed") != 1 || !strings.Contains(got, want) {
			t.Errorf("logged\n%s\nwant once %s", got, want)
		}
	})
}
