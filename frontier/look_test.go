package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// explained is what is known of a URL.
func explained(f frontier.Frontier, url string) frontier.Explanation {
	x, _ := frontier.As[frontier.Inspector](f)
	e, err := x.Explain(context.Background(), url)
	if err != nil {
		panic(err)
	}
	return e
}

// waits expects what a URL waits for, and until when.
func waits(t *testing.T, f frontier.Frontier, url string, want frontier.Wait, due time.Duration, ahead int) {
	t.Helper()
	e := explained(f, url)
	if e.State != frontier.Queued || e.Waits != want || e.Ahead != ahead || !e.Due.Equal(time.Now().Add(due)) && due > 0 {
		t.Errorf("%s: %s, waits for %q until %v, %d ahead; want %q until %v, %d", url, e.State, e.Waits, e.Due, e.Ahead, want, time.Now().Add(due), ahead)
	}
}

// TestExplainWaits goes through all that a URL may wait for.
func TestExplainWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := frontier.New(frontier.Options{Limits: frontier.Limits{
			PerHost: 2, PerDomain: 3, PerIP: 3, Global: 5, Delay: -1, Factor: -1, DomainDelay: 3 * time.Second, IPDelay: 4 * time.Second,
			Exempt: []string{"x.test"}, Budget: frontier.HostBudget{Failures: 2, ParkFor: time.Minute, Share: 0.3, Of: 10},
		}})
		defer f.Close()
		add(t, f, "http://a.x.test/1", "http://a.x.test/2", "http://a.x.test/3")
		waits(t, f, "http://a.x.test/1", "", 0, 0)
		waits(t, f, "http://a.x.test/3", frontier.ForOthers, 0, 2)
		if _, err := f.Add(t.Context(), frontier.Request{URL: "http://a.x.test/later", Due: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		waits(t, f, "http://a.x.test/later", frontier.ForDue, time.Hour, 0)
		one := next(t, f)
		waits(t, f, "http://a.x.test/3", frontier.ForDomainClock, 3*time.Second, 1)
		time.Sleep(4 * time.Second)
		two := next(t, f)
		time.Sleep(4 * time.Second)
		waits(t, f, "http://a.x.test/3", frontier.ForHostVisits, 0, 0)
		if e := explained(f, two.URL); e.State != frontier.Leased || !e.Since.Equal(time.Now().Add(-4*time.Second)) || e.Host.Leased != 2 || e.Host.Name != "http://a.x.test" {
			t.Errorf("%+v", e)
		}
		for _, req := range []frontier.Lease{one, two} {
			if err := f.Done(t.Context(), req, frontier.Outcome{Trouble: frontier.Failed, Again: time.Now()}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		e := explained(f, one.URL)
		if e.Last.Trouble != frontier.Failed || !e.Last.At.Equal(time.Now().Add(-2*time.Second)) {
			t.Errorf("last visit: %+v", e.Last)
		}
	})
}

// TestShare crawls one host that is quick and ten that are slow: none begins more
// than a fifth of the last twenty visits while others can be visited, and when
// nobody else is left it goes on at one a second.
func TestShare(t *testing.T) {
	both(t, frontier.Options{Limits: frontier.Limits{Delay: -1, PerHost: -1, Budget: frontier.HostBudget{Share: 0.2, Of: 20}}}, func(t *testing.T, f frontier.Frontier) {
		for i := range 200 {
			add(t, f, fmt.Sprintf("http://quick/%d", i))
		}
		for h := range 10 {
			for i := range 10 {
				add(t, f, fmt.Sprintf("http://slow%d/%d", h, i))
			}
		}
		var last []string
		start, others := time.Now(), 0
		for range 150 {
			req := next(t, f)
			host, delay := req.URL[:len("http://slow0")], time.Second
			if host == "http://quick" {
				delay = 0
			} else if others++; others == 100 {
				start = time.Now()
			}
			last = append(last, host)
			n := 0
			for _, h := range last[max(0, len(last)-20):] {
				if h == host {
					n++
				}
			}
			if n > 4 && others < 100 {
				t.Errorf("%d of the last 20 visits after %d", n, len(last))
			}
			if err := f.Done(t.Context(), req, frontier.Outcome{Delay: delay}); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); others < 100 || took < 20*time.Second || took > 50*time.Second {
			t.Errorf("%d others; then %v", others, took)
		}
	})
}

// TestAddressKnownFirst has fifty hosts at one address that a worker looks up before
// it connects: no more than two are visited at a time.
func TestAddressKnownFirst(t *testing.T) {
	opt := frontier.Options{Limits: frontier.Limits{PerIP: 2, Delay: -1, Factor: -1}}
	both(t, opt, func(t *testing.T, f frontier.Frontier) {
		const hosts = 50
		for h := range hosts {
			add(t, f, fmt.Sprintf("http://h%d/", h))
		}
		addr := netip.MustParseAddr("192.0.2.1")
		locate := f.(frontier.Locator).Locate
		var visiting, visited atomic.Int32
		for range 20 {
			go func() {
				for {
					req, err := f.Next(t.Context())
					if errors.Is(err, frontier.ErrDrained) {
						return
					}
					free, lerr := locate(t.Context(), req.URL, addr)
					if err != nil || lerr != nil {
						t.Error(err, lerr)
						return
					}
					out := frontier.Outcome{Again: time.Now()}
					if free {
						if n := visiting.Add(1); n > 2 {
							t.Errorf("%d visits at a time", n)
						}
						time.Sleep(100 * time.Millisecond)
						visiting.Add(-1)
						visited.Add(1)
						out = frontier.Outcome{Addr: addr}
					}
					if err := f.Done(t.Context(), req, out); err != nil {
						t.Error(err)
					}
				}
			}()
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		if n := visited.Load(); n != hosts {
			t.Errorf("%d hosts were visited", n)
		}
	})
}

// TestReadStats reads what another has open.
func TestReadStats(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, _, err := frontier.ReadStats(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: %v", err)
	}
	d := openDisk(t, dir, frontier.Options{})
	add(t, d, "http://a.test/1", "http://a.test/2", "http://b.test/1")
	next(t, d)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for s, at, err := frontier.ReadStats(dir); ; s, at, err = frontier.ReadStats(dir) {
		if err == nil && s.Seen == 3 && s.Queued == 2 && s.Leased == 1 && time.Since(at) < time.Minute {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("%+v at %v, %v", s, at, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if s, _, err := frontier.ReadStats(dir); err != nil || bare(s) != bare(d.Held()) {
		t.Errorf("after Close: %+v, %v", s, err)
	}
}

// TestIterate walks over hosts and requests, in memory and on disk, while others
// are added and leased.
func TestIterate(t *testing.T) {
	t.Parallel()
	d, err := frontier.OpenTuned(t.TempDir(), fillOptions, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	const hosts, pages = 300, 12
	for h := range hosts {
		for p := range pages {
			r := frontier.Request{URL: fmt.Sprintf("http://h%d.test/%d", h, p), Priority: float64(p)}
			if p%4 == 0 {
				r.Due = time.Now().Add(time.Hour - time.Duration(p)*time.Minute)
			}
			if n, err := d.Add(t.Context(), r); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		if h == hosts/2 {
			if err := d.Compact(); err != nil {
				t.Fatal(err)
			}
		}
	}
	names := map[string]bool{}
	for h, err := range d.Hosts(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if names[h.Name] || h.Queued != pages {
			t.Errorf("%+v", h)
		}
		names[h.Name] = true
		statsOf(d) // the lock is free
	}
	if len(names) != hosts {
		t.Errorf("%d hosts, want %d", len(names), hosts)
	}
	for _, h := range []int{0, hosts - 1} {
		var got []int
		for r, err := range d.Pending(t.Context(), fmt.Sprintf("http://h%d.test/", h)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, int(r.Priority))
			next(t, d)
		}
		if want := []int{11, 10, 9, 7, 6, 5, 3, 2, 1, 8, 4, 0}; !slices.Equal(got, want) {
			t.Errorf("host %d: %v, want %v", h, got, want)
		}
	}
	for range d.Hosts(t.Context()) {
		break
	}
	for r, err := range d.Pending(t.Context(), "nonsense") {
		if _, ok := errors.AsType[*frontier.URLError](err); !ok {
			t.Errorf("%v, %v", r, err)
		}
	}
	for r, err := range d.Pending(t.Context(), "http://none/") {
		t.Errorf("%v, %v of no host", r, err)
	}
}

// TestShareOverRestart closes or kills a frontier while a host has its share: it has it
// afterwards, from the log and from a state.
func TestShareOverRestart(t *testing.T) {
	t.Parallel()
	opt := frontier.Options{Limits: frontier.Limits{Delay: -1, PerHost: -1, Budget: frontier.HostBudget{Share: 0.5, Of: 4}}, SyncEvery: -1}
	for name, compact := range map[string]bool{"log": false, "state": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := scratch(t)
				d := openDisk(t, dir, opt)
				add(t, d, "http://a.test/1", "http://a.test/2")
				for range 2 {
					if err := d.Done(t.Context(), next(t, d), frontier.Outcome{}); err != nil {
						t.Fatal(err)
					}
				}
				add(t, d, "http://a.test/3", "http://b.test/1")
				if compact {
					if err := d.Compact(); err != nil {
						t.Fatal(err)
					}
				}
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
				d = openDisk(t, dir, opt)
				defer d.Close()
				if req := next(t, d); req.URL != "http://b.test/1" {
					t.Errorf("%s is next", req.URL)
				}
				if w := explained(d, "http://a.test/3").Waits; w != frontier.ForShare {
					t.Errorf("it waits for %q", w)
				}
			})
		})
	}
}
