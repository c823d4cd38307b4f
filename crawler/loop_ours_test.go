package crawler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestWhosePanic: a panic of what sees pages before they are put is the page's trouble;
// one of what is told of them ends the run, and loses nothing.
func TestWhosePanic(t *testing.T) {
	t.Parallel()
	for where, ends := range map[string]bool{"fetcher": false, "parser": false, "follow": false, "sink": true, "revisit": true, "event": true} {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, smallWeb)
			on := true
			boom := func(here, url string) {
				if on && here == where && url == "http://a.test/1" {
					panic("boom")
				}
			}
			fetcher, sink := c.Fetcher, c.Sink
			c.Fetcher = FetcherFunc(func(ctx context.Context, r frontier.Request) (*Response, error) {
				boom("fetcher", r.URL)
				return fetcher.Fetch(ctx, r)
			})
			c.Parser = parserFunc(func(ctx context.Context, r *Response) (*Page, error) {
				boom("parser", r.URL)
				return new(HTML).Parse(ctx, r)
			})
			c.Follow = func(from *Page, l Link) (float64, bool) {
				boom("follow", from.URL)
				return SameHost("http://a.test")(from, l)
			}
			c.Sink = SinkFunc(func(ctx context.Context, p *Result) error { boom("sink", p.URL); return sink.Put(ctx, p) })
			c.Revisit = func(req frontier.Request, resp *Response, err error) frontier.Outcome {
				boom("revisit", req.URL)
				return Retry(req, resp, err)
			}
			c.OnEvent = func(e Event) {
				c.events = append(c.events, e)
				boom("event", e.URL)
			}
			err := c.Run(t.Context(), "http://a.test/")
			if ends != (err != nil && strings.Contains(err.Error(), "panic: boom")) {
				t.Fatalf("%s: error %v", where, err)
			}
			if !ends {
				wantKind(t, c.about("http://a.test/1")[0].Err, ErrPanic)
				c.wantPut(t, "http://a.test/", "http://a.test/2", "http://a.test/4")
				return
			}
			on = false
			c.run(t)
			put := strings.Join(c.put, " ") + " "
			for _, path := range []string{"", "1", "2", "4"} {
				if !strings.Contains(put, "http://a.test/"+path+" ") {
					t.Errorf("%s: /%s is lost: %s", where, path, put)
				}
			}
		})
	}
}

// flaky is a Frontier that loses answers, to what was done and to what was not.
type flaky struct {
	*frontier.Memory
	mu   sync.Mutex
	n    int
	lose func(n int) bool
}

var errReset = errors.New("connection reset by peer")

func (f *flaky) lost() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	return f.lose(f.n)
}

func (f *flaky) Finish(ctx context.Context, req frontier.Lease, out frontier.Outcome) (func() error, error) {
	before := f.lost()
	if before && f.n%2 == 0 {
		return func() error { return nil }, errReset
	}
	safe, err := f.Memory.Finish(ctx, req, out)
	if before {
		return safe, errReset
	}
	return safe, err
}

func (f *flaky) Done(ctx context.Context, req frontier.Lease, out frontier.Outcome) error {
	safe, err := f.Finish(ctx, req, out)
	return errors.Join(err, safe())
}

func (f *flaky) Next(ctx context.Context) (frontier.Lease, error) {
	if f.lost() {
		return frontier.Lease{}, errReset
	}
	return f.Memory.Next(ctx)
}

func (f *flaky) Add(ctx context.Context, reqs ...frontier.Request) (int, error) {
	if f.lost() {
		return 0, errReset
	}
	return f.Memory.Add(ctx, reqs...)
}

// TestLostAnswers: single answers of a Frontier that are lost end no crawl and lose no
// page; a Frontier that is away does end it.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for _, parts := range []bool{true, false} {
		for name, lose := range map[string]func(n int) bool{
			"every third": func(n int) bool { return n%3 == 0 },
			"the first":   func(n int) bool { return n == 1 },
			"all":         func(n int) bool { return n > 5 },
		} {
			synctest.Test(t, func(t *testing.T) {
				c := over(t, smallWeb)
				f := &flaky{Memory: frontier.New(frontier.Options{}), lose: lose}
				defer f.Close()
				c.Workers, c.Frontier = 1, f
				if !parts {
					c.Frontier = struct{ frontier.Frontier }{f}
				}
				err := c.Run(t.Context(), "http://a.test/")
				if name == "all" {
					if !errors.Is(err, errReset) {
						t.Errorf("%s: %v", name, err)
					}
					return
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				c.wantPut(t, "http://a.test/", "http://a.test/1", "http://a.test/2", "http://a.test/4")
			})
		}
	}
}

// silent is a Frontier that does not answer Done, with or without regard for ctx.
type silent struct {
	frontier.Frontier
	deaf chan struct{}
}

func (f silent) Done(ctx context.Context, req frontier.Lease, out frontier.Outcome) error {
	if f.deaf != nil {
		<-f.deaf
		return nil
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// TestSilentFrontier: a run ends soon after its context and its grace, whatever its
// Frontier does.
func TestSilentFrontier(t *testing.T) {
	t.Parallel()
	for _, deaf := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, smallWeb)
			f := silent{Frontier: c.Frontier}
			if deaf {
				f.deaf = make(chan struct{})
				defer close(f.deaf)
			}
			c.Frontier, c.Budget.Grace = f, 2*time.Second
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			start := time.Now()
			if err := c.Run(ctx, "http://a.test/"); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			if took := time.Since(start); took > 14*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestManyWorkers: as many requests are under way as there are Workers.
func TestManyWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most := 0, 0
		var seeds []string
		for i := range 600 {
			seeds = append(seeds, fmt.Sprintf("http://h%d.test/", i))
		}
		c := Crawler{UserAgent: testAgent, IgnoreRobots: true, Workers: 600,
			Fetcher: FetcherFunc(func(context.Context, frontier.Request) (*Response, error) {
				mu.Lock()
				now++
				most = max(most, now)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				now--
				mu.Unlock()
				return &Response{Status: 200, Body: []byte("x")}, nil
			})}
		if err := c.Run(t.Context(), seeds...); err != nil || most != 600 {
			t.Errorf("%d requests at a time, %v", most, err)
		}
	})
}

// TestNothingFetched: a run whose seeds cannot be had says why.
func TestNothingFetched(t *testing.T) {
	t.Parallel()
	dead := "-- http://dead.test/ --\nHTTP 404\n\n-- http://off.test/robots.txt --\nUser-agent: *\nDisallow: /\n-- http://moved.test/ --\n" + redirectTo("http://moved.test/dead") +
		"-- http://moved.test/dead --\nHTTP 410\n\n-- http://away.test/ --\n" + redirectTo("http://elsewhere.test/") + "-- http://ok.test/ --\nhello\n-- http://shy.test/ --\n<meta name=robots content=noindex>\n"
	for _, tt := range []struct {
		seeds string
		kinds []Kind // of the error; nil: there is none
	}{
		{"dead", []Kind{ErrStatus}}, {"off", []Kind{ErrDisallowed}}, {"moved", []Kind{ErrStatus}}, {"away", []Kind{ErrRedirect}},
		{"dead off moved away", []Kind{ErrStatus, ErrDisallowed, ErrRedirect}},
		{"dead ok", nil}, {"ok", nil}, {"shy", nil}, {"off shy", nil}, {"", nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, dead)
			var seeds []string
			for name := range strings.FieldsSeq(tt.seeds) {
				seeds = append(seeds, "http://"+name+".test/")
			}
			err := c.Run(t.Context(), seeds...)
			if errors.Is(err, ErrNothingFetched) != (tt.kinds != nil) {
				t.Errorf("%s: %v", tt.seeds, err)
			}
			for _, k := range tt.kinds {
				if !errors.Is(err, k) {
					t.Errorf("%s: %v, want %s", tt.seeds, err, k)
				}
			}
			if err := c.Run(t.Context(), seeds...); err != nil { // nothing is left to do
				t.Errorf("%s again: %v", tt.seeds, err)
			}
		})
	}
}
