package crawler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestSlowLastPage: the run does not end while one page is under way, however
// long it takes, and ends with it.
func TestSlowLastPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "-- http://a.test/ --\nHTTP 200\nTest-Wait: 29s\n\n<a href='http://b.test/'>x</a><a href='http://c.test/'>x</a><a href='http://d.test/'>x</a>\n")
		c.Follow = anywhere
		for _, h := range []string{"b", "c", "d"} {
			c.web.Add("http://"+h+".test/", "<p>x")
		}
		start := time.Now()
		c.run(t, "http://a.test/")
		c.web.EachOnce(t)
		if took := time.Since(start); took != 31*time.Second { // robots.txt and a page, on two levels
			t.Errorf("took %v", took)
		}
	})
}

func TestRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		c.web.Add("http://b.test/", "HTTP 500\n\n")
		c.web.Add("http://b.test/", "HTTP 200\nTest-Error: connection reset\n\n")
		c.web.Add("http://b.test/", "<p>at last")
		start := time.Now()
		c.run(t, "http://b.test/")
		c.wantPut(t, "http://b.test/")
		c.web.EachOnce(t, "http://b.test/")
		if took := time.Since(start); took < 30*time.Second || took > 40*time.Second { // 10 s and 20 s, a fifth more at most
			t.Errorf("took %v", took)
		}
		e := c.about("http://b.test/")
		if len(e) != 3 || e[0].Kind != Retrying || e[1].Kind != Retrying || e[2].Kind != Fetched || e[2].Summary.Retries != 2 {
			t.Fatalf("events %+v", e)
		}
		wantKind(t, e[0].Err, ErrStatus)
		wantKind(t, e[1].Err, ErrOther)
		if r := e[2].Page.Response.Request; r.Attempt != 2 {
			t.Errorf("attempt %d", r.Attempt)
		}
	})
}

// TestRetryAfter: nothing of a host is asked for before it said so; other hosts
// do not wait.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		c.web.Add("http://b.test/busy", "HTTP 429\nRetry-After: 120\n\n")
		c.web.Add("http://b.test/busy", "<p>x")
		c.web.Add("http://b.test/other", "<p>x")
		start := time.Now()
		c.run(t, "http://b.test/busy", "http://b.test/other", "http://a.test/")
		c.wantPut(t, "http://b.test/busy", "http://b.test/other", "http://a.test/", "http://a.test/1", "http://a.test/2", "http://a.test/4")
		var after time.Time
		for _, r := range c.web.Requests() {
			switch at := r.At.Sub(start); {
			case r.URL == "http://b.test/busy" && after.IsZero():
				after = r.At.Add(120 * time.Second)
			case strings.HasPrefix(r.URL, "http://b.test/") && !after.IsZero() && r.At.Before(after):
				t.Errorf("%s was asked for at %v", r.URL, at)
			case strings.HasPrefix(r.URL, "http://a.test/") && at > 10*time.Second:
				t.Errorf("%s was asked for at %v", r.URL, at)
			}
		}
	})
}

func TestSinkErrorEndsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, hub(20))
		c.Frontier = fast()
		good, full := c.Sink, errors.New("disk full")
		c.Sink = SinkFunc(func(ctx context.Context, p *Result) error {
			if p.URL == "http://a.test/010" {
				return full
			}
			return good.Put(ctx, p)
		})
		err := c.Run(t.Context(), "http://a.test/")
		if !errors.Is(err, full) || err.Error() != "crawler: sink: http://a.test/010: disk full" {
			t.Fatalf("error %v", err)
		}
		if last := c.events[len(c.events)-1]; last.Kind != Ended || last.Err != err {
			t.Errorf("last event %+v", last)
		}
		c.Sink = good
		c.run(t) // nothing is lost
		c.wantPut(t, c.web.URLs()...)
	})
}

// TestSinkErrorAtTheEnd: what goes wrong while a run comes to its end anyway is
// told too.
func TestSinkErrorAtTheEnd(t *testing.T) {
	t.Parallel()
	full, enough := errors.New("disk full"), errors.New("enough")
	for name, set := range map[string]func(*crawl, context.CancelCauseFunc){
		"bytes": func(c *crawl, _ context.CancelCauseFunc) { c.Budget.Bytes = 1 },
		"wall":  func(c *crawl, _ context.CancelCauseFunc) { c.Budget.Wall = 2 * time.Second },
		"context": func(_ *crawl, cancel context.CancelCauseFunc) {
			time.AfterFunc(2*time.Second, func() { cancel(enough) })
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, "-- http://a.test/ --\nHTTP 200\nTest-Wait: 3s\n\nx\n")
			c.Sink = Pages(func(context.Context, *Page) error { return full })
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			set(c, cancel)
			if err := c.Run(ctx, "http://a.test/"); !errors.Is(err, full) || name == "context" && !errors.Is(err, enough) {
				t.Errorf("%s: error %v", name, err)
			}
		})
	}
}

// ordered notes what a Frontier is told.
type ordered struct {
	frontier.Frontier
	said *[]string
}

func (o ordered) Done(ctx context.Context, req frontier.Lease, out frontier.Outcome) error {
	if len(out.Found) > 0 {
		*o.said = append(*o.said, fmt.Sprintf("done %s, found %d", req.URL, len(out.Found)))
	}
	return o.Frontier.Done(ctx, req, out)
}

// TestSinkBeforeDone: a page is put, then done with all its links in one step.
func TestSinkBeforeDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, hub(3))
		var said []string
		c.Workers, c.Frontier = 1, ordered{c.Frontier, &said}
		c.Sink = Pages(func(_ context.Context, p *Page) error { said = append(said, "put "+p.URL); return nil })
		c.run(t, "http://a.test/")
		want := []string{"put http://a.test/", "done http://a.test/, found 3", "put http://a.test/000", "put http://a.test/001", "put http://a.test/002"}
		if slices.Sort(said[2:]); !slices.Equal(said, want) {
			t.Errorf("%q", said)
		}
	})
}

type broken struct {
	frontier.Frontier
	err error
}

func (b broken) Done(context.Context, frontier.Lease, frontier.Outcome) error { return b.err }

func TestFrontierErrorEndsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		c.Frontier = broken{c.Frontier, errors.New("disk full")}
		if err := c.Run(t.Context(), "http://a.test/"); err == nil || err.Error() != "disk full" {
			t.Errorf("error %v", err)
		}
		c = over(t, smallWeb)
		c.Frontier.(*frontier.Memory).Close()
		if err := c.Run(t.Context(), "http://a.test/"); !errors.Is(err, frontier.ErrClosed) {
			t.Errorf("error %v", err)
		}
	})
}

// TestCancel: whenever a run is cancelled, it ends within its grace, and the
// next one visits what is left; no page is put twice.
func TestCancel(t *testing.T) {
	t.Parallel()
	for after := time.Duration(0); after < 40*time.Second; after += 700 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, hub(10))
			c.web.Add("http://a.test/slow", "HTTP 200\nTest-Wait: 20s\n\n<p>x")
			c.web.Add("http://a.test/busy", "HTTP 503\nRetry-After: 10\n\n")
			c.web.Add("http://a.test/busy", "<p>x")
			seeds := []string{"http://a.test/", "http://a.test/slow", "http://a.test/busy"}
			enough := errors.New("enough")
			ctx, cancel := context.WithTimeoutCause(t.Context(), after, enough)
			defer cancel()
			start := time.Now()
			err := c.Run(ctx, seeds...)
			if took := time.Since(start); took > after+defaultGrace || err != nil && !errors.Is(err, enough) {
				t.Errorf("cancelled after %v: %v after %v", after, err, took)
			}
			c.run(t, seeds...)
			c.wantPut(t, c.web.URLs()...)
		})
	}
}

// TestSilentHosts: a hundred hosts that never answer take the time of their
// first timeouts from ten good ones, and no more.
func TestSilentHosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "")
		c.Workers, c.Follow = 64, anywhere
		var seeds []string
		for n := range 100 {
			seeds = append(seeds, fmt.Sprintf("http://silent%d.test/", n))
			c.web.Add(seeds[n]+"robots.txt", "HTTP 200\nTest-Wait: 10h\n\n")
		}
		for n := range 10 {
			home := fmt.Sprintf("http://good%d.test/", n)
			seeds = append(seeds, home)
			var links strings.Builder
			for i := range 20 {
				fmt.Fprintf(&links, "<a href='/%d'>x</a>", i)
				c.web.Add(fmt.Sprintf("%s%d", home, i), "<p>x")
			}
			c.web.Add(home, links.String())
		}
		start := time.Now()
		c.unfinished(t, 100, seeds...)
		var lastGood time.Duration
		for _, e := range c.events {
			if e.Kind == Fetched {
				lastGood = e.Page.Response.Fetched.Sub(start)
			}
		}
		timeouts := 2 * 30 * time.Second // for the header: 100 hosts, 64 at a time
		if len(c.put) != 210 || lastGood > timeouts+25*time.Second {
			t.Errorf("put %d pages, the last at %v", len(c.put), lastGood)
		}
	})
}
