package crawler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// shaky is a web that fails at times.
type shaky struct {
	mu    sync.Mutex
	fails func(url string) (*Response, error) // nil, nil: it does not
	asked map[string]int
	when  []time.Time // of what failed
}

func (s *shaky) Fetch(ctx context.Context, req frontier.Request) (*Response, error) {
	time.Sleep(20 * time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	if resp, err := s.fails(req.URL); resp != nil || err != nil {
		s.when = append(s.when, time.Now())
		return resp, err
	}
	s.asked[req.URL]++
	if strings.HasSuffix(req.URL, "/robots.txt") {
		return &Response{Status: 404}, nil
	}
	var links strings.Builder
	if strings.Count(req.URL, "/") == 3 && strings.HasSuffix(req.URL, "/") {
		for i := range 40 {
			fmt.Fprintf(&links, "<a href='/%d'>x</a>", i)
		}
	}
	return &Response{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<title>t</title>" + links.String()), Took: 20 * time.Millisecond}, nil
}

// The ways in which hosts fail that lose no page.
func refused(url string) error {
	return &FetchError{URL: url, Kind: ErrConnect, Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
}

var outages = map[string]func(url string) (*Response, error){
	"refused": func(u string) (*Response, error) { return nil, refused(u) },
	"no way": func(u string) (*Response, error) {
		return nil, &FetchError{URL: u, Kind: ErrConnect, Err: &net.OpError{Op: "dial", Err: syscall.ENETUNREACH}}
	},
	"timeout": func(u string) (*Response, error) { return nil, &FetchError{URL: u, Kind: ErrTimeoutConnect} },
	"tls":     func(u string) (*Response, error) { return nil, &FetchError{URL: u, Kind: ErrTLS} },
	"resolver": func(u string) (*Response, error) {
		return nil, &FetchError{URL: u, Kind: ErrDNS, Err: &net.DNSError{Err: "server misbehaving", IsTemporary: true}}
	},
	"name gone": func(u string) (*Response, error) {
		return nil, &FetchError{URL: u, Kind: ErrDNS, Err: &net.DNSError{Err: "no such host", IsNotFound: true}}
	},
	"other make": func(string) (*Response, error) { return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED} },
	"descriptors": func(u string) (*Response, error) {
		return nil, &FetchError{URL: u, Kind: ErrConnect, Err: &net.OpError{Op: "dial", Err: syscall.EMFILE}}
	},
	"proxy": func(u string) (*Response, error) {
		return nil, &FetchError{URL: u, Kind: ErrConnect, Err: &net.OpError{Op: "proxyconnect", Err: syscall.ECONNREFUSED}}
	},
	"silent":      func(u string) (*Response, error) { return nil, &FetchError{URL: u, Kind: ErrTimeoutHeader} },
	"hangs up":    func(u string) (*Response, error) { return nil, &FetchError{URL: u, Kind: ErrNoAnswer} },
	"gateway":     func(string) (*Response, error) { return &Response{Status: 502}, nil },
	"unavailable": func(string) (*Response, error) { return &Response{Status: 503}, nil },
	"origin":      func(string) (*Response, error) { return &Response{Status: 522}, nil },
}

// TestOutages: hosts, or what is between them and us, are away for a while and come
// back: every page is put, once, and what was asked for meanwhile is little.
func TestOutages(t *testing.T) {
	t.Parallel()
	for name, how := range outages {
		for _, away := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour} {
			for _, hosts := range []int{1, 8} {
				t.Run(fmt.Sprintf("%s/%v/%d", name, away, hosts), func(t *testing.T) {
					t.Parallel()
					if away > time.Hour && name == "descriptors" {
						t.Skip("the run ends after ten minutes, see TestOutageOfOurs")
					}
					if away > 5*time.Minute && name == "descriptors" {
						away = 5 * time.Minute
					}
					synctest.Test(t, func(t *testing.T) { weather(t, how, away, hosts) })
				})
			}
		}
	}
}

func weather(t *testing.T, how func(string) (*Response, error), away time.Duration, hosts int) {
	const begins = 10 * time.Second
	start := time.Now()
	web := &shaky{asked: map[string]int{}, fails: func(u string) (*Response, error) {
		if at := time.Since(start); at < begins || at >= begins+away {
			return nil, nil
		}
		return how(u)
	}}
	var seeds []string
	for h := range hosts {
		seeds = append(seeds, fmt.Sprintf("http://h%d.test/", h))
	}
	c := Crawler{UserAgent: testAgent, Fetcher: web, Frontier: frontier.New(frontier.Options{}), Workers: 16}
	put := map[string]int{}
	c.Sink = Pages(func(_ context.Context, p *Page) error { put[p.URL]++; return nil })
	var once sync.Mutex
	sink := c.Sink
	c.Sink = SinkFunc(func(ctx context.Context, p *Result) error {
		once.Lock()
		defer once.Unlock()
		return sink.Put(ctx, p)
	})
	failed := 0
	c.OnEvent = func(e Event) {
		if e.Kind == Failed {
			failed++
		}
	}
	if err := c.Run(t.Context(), seeds...); err != nil {
		t.Error(err)
	}
	if len(put) != 41*hosts || failed > 0 {
		t.Errorf("%d pages of %d, %d failed", len(put), 41*hosts, failed)
	}
	for u, n := range put {
		if n != 1 {
			t.Errorf("%s was put %d times", u, n)
		}
	}
	// As Outage says, and what a run that pauses does: once a minute.
	most := hosts * (10 + int(1.2*away.Hours()))
	if pauses := 16 * (8 + int(away.Minutes())); len(web.when) > most && len(web.when) > pauses {
		t.Errorf("%d requests while the hosts were away, want %d at most", len(web.when), most)
	}
	if took := time.Since(start); took > begins+away+away/5+150*time.Minute {
		t.Errorf("took %v", took)
	}
}

// TestOutageResumed: a run that ends because its hosts are away says so, and another
// one on the same folder, when they are back, has every page.
func TestOutageResumed(t *testing.T) {
	t.Parallel()
	for name, how := range outages {
		if name == "silent" || name == "hangs up" || name == "gateway" || name == "unavailable" || name == "origin" {
			continue // pages are given up after an hour of it
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var down atomic.Bool
				start := time.Now()
				web := &shaky{asked: map[string]int{}, fails: func(u string) (*Response, error) {
					if down.Load() || time.Since(start) > 10*time.Second && time.Since(start) < 100*time.Hour {
						return how(u)
					}
					return nil, nil
				}}
				dir, put := t.TempDir(), map[string]int{}
				crawl := func() error {
					f, err := frontier.Open(dir, frontier.Options{SyncEvery: -1})
					if err != nil {
						t.Fatal(err)
					}
					defer f.Close()
					c := Crawler{UserAgent: testAgent, Fetcher: web, Frontier: f, Workers: 1}
					c.Sink = Pages(func(_ context.Context, p *Page) error { put[p.URL]++; return nil })
					return c.Run(t.Context(), "http://a.test/")
				}
				for range 2 {
					err := crawl()
					if e, ok := errors.AsType[*UnfinishedError](err); name == "descriptors" || name == "proxy" {
						if err == nil || ok {
							t.Errorf("%v, want what is wrong here", err)
						}
					} else if !ok || e.URLs != 41-len(put) || e.Hosts != 1 || e.Rest[0].Name != "http://a.test" || e.Rest[0].Err == nil || !strings.Contains(err.Error(), "http://a.test") {
						t.Errorf("%v (%+v), with %d pages put", err, e, len(put))
					}
				}
				time.Sleep(time.Until(start.Add(101 * time.Hour)))
				if err := crawl(); err != nil {
					t.Error(err)
				}
				if len(put) != 41 {
					t.Errorf("%d pages of 41", len(put))
				}
			})
		})
	}
}

// TestOutageOfOurs: trouble of ours that does not pass ends the run with its cause; no page
// is given up for it, and no host blamed.
func TestOutageOfOurs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err   error
		after time.Duration
	}{
		"descriptors":     {syscall.EMFILE, shortPatience},
		"all descriptors": {syscall.ENFILE, shortPatience},
		"memory":          {syscall.ENOMEM, shortPatience},
		"ports":           {syscall.EADDRNOTAVAIL, shortPatience},
		"disk":            {syscall.ENOSPC, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				web := &shaky{asked: map[string]int{}, fails: func(u string) (*Response, error) {
					if time.Since(start) < 10*time.Second {
						return nil, nil
					}
					return nil, &FetchError{URL: u, Kind: ErrConnect, Err: &net.OpError{Op: "dial", Err: tt.err}}
				}}
				f := frontier.New(frontier.Options{})
				c := Crawler{UserAgent: testAgent, Fetcher: web, Frontier: f}
				c.OnEvent = func(e Event) {
					if e.Kind == Failed {
						t.Errorf("given up: %v", e.Err)
					}
				}
				err := c.Run(t.Context(), "http://a.test/")
				if took := time.Since(start); !errors.Is(err, tt.err) || took < tt.after || took > tt.after+2*time.Minute {
					t.Errorf("%v after %v", err, took)
				}
				if s := statsOf(f); s.Queued == 0 || s.Queued+s.Done != 41 || s.States.Away != 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// TestDeadHosts: many hosts that were never there do not make a run pause, nor do some
// that are away among others.
func TestDeadHosts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"refused", "timeout", "tls", "resolver"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				web := &shaky{asked: map[string]int{}, fails: func(u string) (*Response, error) {
					if strings.HasPrefix(u, "http://dead") {
						return outages[name](u)
					}
					return nil, nil
				}}
				seeds := []string{"http://a.test/"}
				for i := range 200 {
					seeds = append(seeds, fmt.Sprintf("http://dead%d.test/", i))
				}
				start := time.Now()
				var last time.Duration
				c := Crawler{UserAgent: testAgent, Fetcher: web}
				c.OnEvent = func(e Event) {
					if e.Kind == Fetched {
						last = time.Since(start)
					}
				}
				err := c.Run(t.Context(), seeds...)
				if e, ok := errors.AsType[*UnfinishedError](err); !ok || e.Hosts != 200 || len(e.Rest) != 100 {
					t.Errorf("%v", err)
				}
				if last > 90*time.Second {
					t.Errorf("the last page came after %v", last)
				}
				if len(web.when) > 4*200 {
					t.Errorf("%d requests for 200 dead hosts", len(web.when))
				}
			})
		})
	}
}

// TestWaitIsALimit: a run waits for a host that is away for as long as its frontier is told
// to, whatever keeps the host from being reached, and asks it four times at least.
func TestWaitIsALimit(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"robots.txt 503":     "-- http://a.test/robots.txt --\nHTTP 503\n",
		"robots.txt 429":     "-- http://a.test/robots.txt --\nHTTP 429\n",
		"robots.txt refused": "-- http://a.test/robots.txt --\nHTTP 200\nTest-Error: connection refused\n",
		"page refused":       "-- http://a.test/ --\nHTTP 200\nTest-Error: connection refused\n-- http://a.test/2 --\nHTTP 200\nTest-Error: connection refused\n",
	} {
		for _, wait := range []time.Duration{time.Second, 3 * time.Second, time.Minute, 5 * time.Minute, 20 * time.Minute} {
			t.Run(name+" "+wait.String(), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					c := over(t, answer)
					c.Frontier.Close()
					c.Frontier = frontier.New(frontier.Options{Limits: frontier.Limits{Outage: frontier.WaitFor(wait)}})
					defer c.Frontier.Close()
					start := time.Now()
					c.unfinished(t, 2, "http://a.test/", "http://a.test/2")
					took, most := time.Since(start), wait+wait/2+15*time.Second // of the retries of a page
					if longest := 5 * time.Minute; wait > longest {             // the host was never reached
						most = 9 * time.Minute
					}
					if took < min(wait, 5*time.Minute) || took > most {
						t.Errorf("took %v", took)
					}
					if n := len(c.web.Requests()); n < 4 || n > 10 {
						t.Errorf("%d requests", n)
					}
					c.web.Gaps(t, time.Second)
				})
			})
		}
	}
}
