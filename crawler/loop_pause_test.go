package crawler

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
)

// TestPause: no visit begins during a pause and nothing is leased, the run waits
// for its end, and then goes on to the same pages at the same pace.
func TestPause(t *testing.T) {
	t.Parallel()
	for after := 500 * time.Millisecond; after < 14*time.Second; after += 700 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, hub(10))
			c.web.Add("http://a.test/slow", "HTTP 200\nTest-Wait: 3s\n\n<p>x")
			start, control := time.Now(), new(live.Control)
			ended := make(chan error)
			go func() {
				ended <- c.Run(live.With(t.Context(), control), "http://a.test/", "http://a.test/slow")
			}()
			time.Sleep(after)
			control.Pause()
			control.Pause() // which is no second one
			time.Sleep(time.Hour)
			asked := len(c.web.Requests())
			for _, r := range c.web.Requests() {
				if r.At.Sub(start) > after {
					t.Errorf("paused after %v, asked for %s after %v", after, r.URL, r.At.Sub(start))
				}
			}
			if s := statsOf(c.Frontier.(*frontier.Memory)); s.Leased != 0 || !control.Paused() {
				t.Errorf("paused after %v: %+v", after, s)
			}
			select {
			case err := <-ended:
				t.Fatalf("paused after %v: the run ended with %v and %d requests", after, err, asked)
			default:
			}
			control.Resume()
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			c.wantPut(t, c.web.URLs()...)
			c.web.EachOnce(t)
			c.web.Gaps(t, time.Second)
		})
	}
}

// TestPauseBeforeAndCancel: a pause may begin before the run, and a paused run
// ends with its context or its time.
func TestPauseBeforeAndCancel(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	for name, wall := range map[string]time.Duration{"context": 0, "wall": time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, hub(3))
			c.Budget.Wall = wall
			control := new(live.Control)
			control.Pause()
			ctx, cancel := context.WithTimeoutCause(live.With(t.Context(), control), 2*time.Minute, enough)
			defer cancel()
			start := time.Now()
			err := c.Run(ctx, "http://a.test/")
			if took := time.Since(start); wall > 0 && (err != nil || took != wall) || wall == 0 && (err != enough || took != 2*time.Minute) {
				t.Errorf("%s: %v after %v", name, err, took)
			}
			if len(c.web.Requests()) != 0 || len(control.Workers()) != 0 {
				t.Errorf("%s: %d requests, workers %v", name, len(c.web.Requests()), control.Workers())
			}
			c.Budget.Wall = 0
			control.Resume()
			if err := c.Run(live.With(t.Context(), control)); err != nil {
				t.Fatal(err)
			}
			c.wantPut(t, c.web.URLs()...)
		})
	}
}

// TestPhases: a Control tells where each visit is and for how long.
func TestPhases(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const slow = "http://a.test/"
		c := over(t, "-- http://a.test/robots.txt --\nHTTP 200\nTest-Wait: 10s\n\n-- "+slow+" --\nHTTP 200\nTest-Wait: 20s\n\nx\n")
		wait := func() { time.Sleep(30 * time.Second) }
		c.Workers = 2
		c.Parser = parserFunc(func(ctx context.Context, r *Response) (*Page, error) { wait(); return new(HTML).Parse(ctx, r) })
		c.Sink = Pages(func(context.Context, *Page) error { wait(); return nil })
		c.Frontier = settling{c.Frontier, wait}
		control := new(live.Control)
		ended := make(chan error)
		start := time.Now()
		go func() { ended <- c.Run(live.With(t.Context(), control), slow) }()
		begin := 40 * time.Second // robots.txt takes 10 s, and the Frontier 30 s to take note
		for _, want := range []struct {
			at    time.Duration
			phase live.Phase
			since time.Duration
			began time.Duration
		}{
			{5 * time.Second, live.Robots, 0, 0},
			{35 * time.Second, live.Settling, 10 * time.Second, 0},
			{begin + 15*time.Second, live.Fetching, begin, begin},
			{begin + 45*time.Second, live.Parsing, begin + 20*time.Second, begin},
			{begin + 75*time.Second, live.Putting, begin + 50*time.Second, begin},
			{begin + 105*time.Second, live.Settling, begin + 80*time.Second, begin},
		} {
			time.Sleep(time.Until(start.Add(want.at)))
			busy, idle := 0, 0
			for _, a := range control.Workers() {
				switch {
				case a.URL == "" && a.Phase == live.Waiting && a.Began.IsZero():
					idle++
				case a.URL == slow && a.Phase == want.phase && a.Since.Equal(start.Add(want.since)) && a.Began.Equal(start.Add(want.began)):
					busy++
				}
			}
			if busy != 1 || idle != 1 {
				t.Errorf("after %v: %+v, want one %v", want.at, control.Workers(), want.phase)
			}
		}
		if err := <-ended; err != nil || len(control.Workers()) != 0 {
			t.Errorf("%v, workers %+v", err, control.Workers())
		}
	})
}

// settling is a Frontier that takes its time to take note.
type settling struct {
	frontier.Frontier
	wait func()
}

func (s settling) Done(ctx context.Context, req frontier.Lease, out frontier.Outcome) error {
	s.wait()
	return s.Frontier.Done(ctx, req, out)
}

func TestExplain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		c.web.Add("http://down.test/robots.txt", "HTTP 503\n\n")
		control := new(live.Control)
		if _, known := control.Explain("http://a.test/", ""); known {
			t.Error("known before the run")
		}
		ctx, cancel := context.WithTimeout(live.With(t.Context(), control), 30*time.Second)
		defer cancel()
		c.Run(ctx, "http://a.test/", "http://down.test/")
		for url, want := range map[string]live.Verdict{
			"http://A.test:80/1?utm_source=x#top": {Canonical: "http://a.test/1", Follow: true, Robots: live.RobotsAllowed},
			"http://a.test/private/x":             {Canonical: "http://a.test/private/x", Follow: true, Robots: live.RobotsForbidden},
			"http://b.test/":                      {Canonical: "http://b.test/", Robots: live.RobotsUnknown},
			"http://down.test/":                   {Canonical: "http://down.test/", Follow: true, Robots: live.RobotsUnreachable},
			"mailto:a@b.test":                     {},
		} {
			got, known := control.Explain(url, "")
			if (got.Problem == "") != (want.Robots == live.RobotsAllowed || want.Robots == live.RobotsForbidden || want.Robots == live.RobotsUnknown) {
				t.Errorf("%s: problem %q", url, got.Problem)
			}
			got.Problem = ""
			if !known || got != want {
				t.Errorf("%s: %+v, want %+v", url, got, want)
			}
		}
	})
}
