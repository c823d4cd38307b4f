package crawler

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/frontier"
)

// shared is a Fetcher to which all hosts of one address are slow; it counts how many
// are asked at a time, robots.txt included.
type shared struct {
	at map[string]netip.Addr // by name

	mu        sync.Mutex
	now, most map[netip.Addr]int
}

func (s *shared) addr(rawurl string) netip.Addr {
	u, err := url.Parse(rawurl)
	if err != nil {
		panic(err)
	}
	return s.at[u.Hostname()]
}

func (s *shared) Fetch(_ context.Context, req frontier.Request) (*Response, error) {
	a := s.addr(req.URL)
	s.count(a, 1)
	time.Sleep(time.Second)
	s.count(a, -1)
	return &Response{Request: req, URL: req.URL, Status: 200, Addr: a, Took: time.Second, Body: []byte("<p>page")}, nil
}

func (s *shared) count(a netip.Addr, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now[a] += by
	s.most[a] = max(s.most[a], s.now[a])
}

// named is a Fetcher that knows where hosts are.
type named struct{ *shared }

func (n named) Addr(_ context.Context, url string) netip.Addr { return n.addr(url) }

// TestPerIPFromTheFirstVisitOn: fifty hosts at one address are visited two at a
// time, and robots.txt is no exception, where the Fetcher knows the address
// before it connects.
func TestPerIPFromTheFirstVisitOn(t *testing.T) {
	t.Parallel()
	one, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for _, tells := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f := &shared{at: map[string]netip.Addr{}, now: map[netip.Addr]int{}, most: map[netip.Addr]int{}}
			var seeds []string
			for i := range 60 {
				name := fmt.Sprintf("h%d.test", i)
				f.at[name] = one
				if i%6 == 0 {
					f.at[name] = other
				}
				seeds = append(seeds, "http://"+name+"/")
			}
			m := frontier.New(frontier.Options{Limits: frontier.Limits{PerIP: 2, PerDomain: -1}})
			defer m.Close()
			put := 0
			c := Crawler{UserAgent: "test/1.0 (+https://test.example/)", Frontier: m, Fetcher: f, Workers: 32}
			c.OnEvent = func(e Event) {
				if e.Kind == Fetched {
					put++
				}
			}
			if tells {
				c.Fetcher = named{f}
			}
			if err := c.Run(t.Context(), seeds...); err != nil {
				t.Fatal(err)
			}
			if put != 60 || tells && (f.most[one] != 2 || f.most[other] != 2) || !tells && f.most[one] <= 2 {
				t.Errorf("told %v: %d pages, at most %v at a time", tells, put, f.most)
			}
		})
	}
}

// wrapped is a Fetcher around another, and deep a Frontier around another.
type (
	wrapped struct{ Fetcher }
	deep    struct{ frontier.Frontier }
)

func (w wrapped) Unwrap() Fetcher        { return w.Fetcher }
func (d deep) Unwrap() frontier.Frontier { return d.Frontier }

// TestPerIPBehindWrappers: eight hosts at one address are visited one at a time, though
// Frontier and Fetcher are wrapped three deep.
func TestPerIPBehindWrappers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		addr := netip.MustParseAddr("192.0.2.1")
		f := &shared{at: map[string]netip.Addr{}, now: map[netip.Addr]int{}, most: map[netip.Addr]int{}}
		var seeds []string
		for i := range 8 {
			name := fmt.Sprintf("h%d.test", i)
			f.at[name] = addr
			seeds = append(seeds, "http://"+name+"/")
		}
		m := frontier.New(frontier.Options{Limits: frontier.Limits{PerIP: 1, PerDomain: -1}})
		defer m.Close()
		put := 0
		c := Crawler{UserAgent: "test/1.0 (+https://test.example/)", Workers: 32,
			Frontier: deep{deep{deep{m}}}, Fetcher: wrapped{wrapped{wrapped{named{f}}}}}
		c.OnEvent = func(e Event) {
			if e.Kind == Fetched {
				put++
			}
		}
		if err := c.Run(t.Context(), seeds...); err != nil {
			t.Fatal(err)
		}
		if put != 8 || f.most[addr] != 1 {
			t.Errorf("%d pages, %d at a time, want 8 one at a time", put, f.most[addr])
		}
	})
}

// TestAddrOfNames: the address of a name comes from the Resolve that visits use, asked once.
func TestAddrOfNames(t *testing.T) {
	t.Parallel()
	asked := 0
	h := &HTTP{UserAgent: "test/1.0 (+https://test.example/)", Network: Network{Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
		asked++
		return []netip.Addr{netip.MustParseAddr("::ffff:192.0.2.7")}, nil
	}}}
	defer h.Close()
	for range 2 {
		if a := h.Addr(t.Context(), "http://a.test/x"); a != netip.MustParseAddr("192.0.2.7") || asked != 1 {
			t.Errorf("%v, asked %d times", a, asked)
		}
	}
	if a := h.Addr(t.Context(), "http://[2001:db8::1]:8080/"); a != netip.MustParseAddr("2001:db8::1") || asked != 1 {
		t.Errorf("%v, asked %d times", a, asked)
	}
	web, err := crawlertest.Parse("-- http://a.test/ --\nx\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []*HTTP{{Transport: web}, {Proxy: &url.URL{Scheme: "http", Host: "127.0.0.1:1"}}} {
		h.UserAgent = "test/1.0 (+https://test.example/)"
		if a := h.Addr(t.Context(), "http://a.test/"); a.IsValid() {
			t.Errorf("%v where nobody can tell", a)
		}
		h.Close()
	}
}
