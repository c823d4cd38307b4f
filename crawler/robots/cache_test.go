package robots_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler/robots"
	"github.com/webquarry/quarry/crawler/urlnorm"
)

// web answers from a map and keeps count of what was asked for.
type web struct {
	mu    sync.Mutex
	pages map[string]robots.Answer
	asked []string
	slow  time.Duration
}

func (w *web) fetch(ctx context.Context, url string) (*robots.Answer, error) {
	w.mu.Lock()
	w.asked = append(w.asked, url)
	a, ok := w.pages[url]
	w.mu.Unlock()
	select {
	case <-time.After(w.slow):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	switch {
	case strings.Contains(url, "refused"):
		return nil, fmt.Errorf("address: %w", robots.ErrRefused)
	case !ok:
		return nil, errors.New("no such host")
	}
	return &a, nil
}

func (w *web) set(url string, a robots.Answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[url] = a
}

func (w *web) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.asked)
}

func newCache(pages map[string]robots.Answer) (*web, *robots.Cache) {
	w := &web{pages: pages}
	return w, &robots.Cache{Agent: "mybot", Fetch: w.fetch}
}

const site = "http://e.example"

func file(body string) robots.Answer { return robots.Answer{Status: 200, Body: []byte(body)} }

var private = file("User-agent: *\nDisallow: /private/\nCrawl-delay: 2\nSitemap: /s.xml")

func load(t *testing.T, c *robots.Cache, url string) *robots.Entry {
	t.Helper()
	e, err := c.Load(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestStatus(t *testing.T) {
	t.Parallel()
	deny := "User-agent: *\nDisallow: /"
	for _, tt := range []struct {
		status                int
		allowed, ifForbidDeny bool
		failures              int
	}{
		{200, false, false, 0}, {204, false, false, 0},
		{400, true, true, 0}, {401, true, false, 0}, {403, true, false, 0}, {404, true, true, 0}, {410, true, true, 0}, {451, true, true, 0},
		{429, false, false, 1}, {500, false, false, 1}, {503, false, false, 1}, {599, false, false, 1},
		{300, true, true, 0}, {304, true, true, 0}, {301, true, true, 0}, // without Location
		{0, false, false, 1}, {100, false, false, 1}, {600, false, false, 1}, {-1, false, false, 1},
	} {
		for _, forbid := range []bool{false, true} {
			// A body that allows, where the status forbids, must not count.
			body := deny
			if tt.status >= 500 || tt.status == 429 {
				body = "User-agent: *\nAllow: /"
			}
			_, c := newCache(map[string]robots.Answer{site + "/robots.txt": {Status: tt.status, Body: []byte(body)}})
			c.DenyForbidden = forbid
			want := tt.allowed
			if forbid {
				want = tt.ifForbidDeny
			}
			e := load(t, c, site+"/x")
			if e.Allowed(site+"/x") != want || e.Failures != tt.failures || (e.Err != nil) != (tt.failures > 0) || !e.Allowed(site+"/robots.txt") {
				t.Errorf("status %d, deny forbidden %v: %+v", tt.status, forbid, e)
			}
		}
	}
}

func TestPeekAndLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, c := newCache(map[string]robots.Answer{site + "/robots.txt": private})
		if e, ok := c.Peek(site + "/x"); ok || e != nil {
			t.Fatalf("known before it was loaded: %+v", e)
		}
		load(t, c, "HTTP://E.example:80/private/x?y")
		e, ok := c.Peek(site + "/x")
		if !ok || e.Allowed(site+"/private/1") || !e.Allowed(site+"/x") || e.Delay() != 2*time.Second || e.Rules.Sitemaps[0] != "/s.xml" {
			t.Fatalf("%v %+v", ok, e)
		}
		time.Sleep(24*time.Hour - time.Second)
		if _, ok := c.Peek(site + "/x"); !ok || w.count() != 1 {
			t.Errorf("not kept for a day; %d fetches", w.count())
		}
		load(t, c, site+"/x")
		time.Sleep(2 * time.Second)
		if e, ok := c.Peek(site + "/x"); ok || e != nil {
			t.Error("kept for more than a day")
		}
		w.set(site+"/robots.txt", file("User-agent: mybot\nDisallow: /"))
		if load(t, c, site+"/x").Allowed(site+"/x") || w.count() != 2 {
			t.Errorf("not renewed; %d fetches", w.count())
		}
	})
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	w, c := newCache(map[string]robots.Answer{
		"http://e.example/robots.txt":      file("User-agent: *\nDisallow: /1"),
		"https://e.example/robots.txt":     file("User-agent: *\nDisallow: /2"),
		"http://e.example:8080/robots.txt": file("User-agent: *\nDisallow: /3"),
		"http://www.e.example/robots.txt":  file("User-agent: *\nDisallow: /4"),
	})
	for n, origin := range []string{"http://e.example", "https://e.example", "http://e.example:8080", "http://www.e.example"} {
		e := load(t, c, origin+"/x")
		for i := range 4 {
			if url := fmt.Sprintf("%s/%d", origin, i+1); e.Allowed(url) == (i == n) {
				t.Errorf("%s: allowed %v", url, e.Allowed(url))
			}
		}
	}
	if w.count() != 4 {
		t.Errorf("%d fetches, want 4: %q", w.count(), w.asked)
	}
}

func TestMaxAge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for maxAge, want := range map[time.Duration]time.Duration{
			0: 24 * time.Hour, time.Hour: time.Hour, 48 * time.Hour: 24 * time.Hour, time.Second: 10 * time.Minute,
		} {
			_, c := newCache(map[string]robots.Answer{site + "/robots.txt": {Status: 200, MaxAge: maxAge}})
			if got := time.Until(load(t, c, site).Expires); got != want {
				t.Errorf("max-age %v: good for %v, want %v", maxAge, got, want)
			}
		}
	})
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	to := func(location string) robots.Answer { return robots.Answer{Status: 302, Location: location} }
	five := map[string]robots.Answer{
		site + "/robots.txt":               {Status: 301, Location: "/r/1"},
		site + "/r/1":                      {Status: 303, Location: "2?utm_source=kept"},
		site + "/r/2?utm_source=kept":      {Status: 307, Location: "https://e.example/3"},
		"https://e.example/3":              {Status: 308, Location: "//cdn.example/4"},
		"https://cdn.example/4":            to("http://cdn.example/robots.txt"),
		"http://cdn.example/robots.txt":    private,
		"http://cdn.example/private/other": to("/nowhere"),
	}
	w, c := newCache(maps.Clone(five))
	e := load(t, c, site+"/x")
	if e.Allowed(site+"/private/x") || w.count() != 6 {
		t.Errorf("five hops: %+v after %q", e, w.asked)
	}
	if _, ok := c.Peek("http://cdn.example/x"); ok {
		t.Error("rules of one host were taken for those of another")
	}

	five["http://cdn.example/robots.txt"] = to("/robots2.txt")
	five["http://cdn.example/robots2.txt"] = private
	w, c = newCache(five)
	if e := load(t, c, site+"/x"); !e.Allowed(site+"/private/x") || e.Failures != 0 || slices.Contains(w.asked, "http://cdn.example/robots2.txt") {
		t.Errorf("the sixth hop is no missing robots.txt: %+v after %q", e, w.asked)
	}

	for name, tt := range map[string]struct {
		location          string
		allowed           bool
		failures, fetches int
	}{
		"loop":         {"/robots.txt", true, 0, 1},
		"refused":      {"http://refused.example/robots.txt", true, 0, 2},
		"other scheme": {"ftp://e.example/robots.txt", true, 0, 1},
		"no URL":       {"http://[::1", true, 0, 1},
		"none":         {"", true, 0, 1},
		"gone":         {"/404", true, 0, 2},
		"failing":      {"/503", false, 1, 2},
		"unreachable":  {"http://nowhere.example/", false, 1, 2},
	} {
		w, c := newCache(map[string]robots.Answer{
			site + "/robots.txt": {Status: 301, Location: tt.location, Body: []byte("User-agent: *\nDisallow: /")},
			site + "/404":        {Status: 404}, site + "/503": {Status: 503, Body: []byte("User-agent: *\nAllow: /")},
		})
		if e := load(t, c, site+"/x"); e.Allowed(site+"/x") != tt.allowed || e.Failures != tt.failures || w.count() != tt.fetches {
			t.Errorf("%s: %+v after %q", name, e, w.asked)
		}
	}

	_, c = newCache(nil)
	if e := load(t, c, "http://refused.example/x"); e.Allowed("http://refused.example/x") || !errors.Is(e.Err, robots.ErrRefused) {
		t.Errorf("a refused host: %+v", e)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, c := newCache(map[string]robots.Answer{})
		for n, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute} {
			e := load(t, c, site+"/x")
			if e.Allowed(site+"/x") || e.Failures != n+1 || time.Until(e.Expires) != want || e.Delay() != 0 {
				t.Fatalf("failure %d: %+v", n+1, e)
			}
			u, ok := errors.AsType[*robots.UnreachableError](e.Err)
			if !ok || u.URL != site+"/robots.txt" || u.Status != 0 || u.Err == nil {
				t.Fatalf("error %#v", e.Err)
			}
			load(t, c, site+"/y") // rests
			if w.count() != n+1 {
				t.Fatalf("%d fetches after %d failures", w.count(), n+1)
			}
			time.Sleep(want)
		}
		w.set(site+"/robots.txt", private)
		if e := load(t, c, site+"/x"); !e.Allowed(site+"/x") || e.Failures != 0 || e.Err != nil {
			t.Errorf("after recovery: %+v", e)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for after, want := range map[time.Duration]time.Duration{0: time.Minute, time.Second: time.Minute, time.Hour: time.Hour, 1e6 * time.Hour: 24 * time.Hour} {
			_, c := newCache(map[string]robots.Answer{site + "/robots.txt": {Status: 429, RetryAfter: after}})
			e := load(t, c, site)
			if got := time.Until(e.Expires); got != want {
				t.Errorf("Retry-After %v: rests for %v, want %v", after, got, want)
			}
			if u, ok := errors.AsType[*robots.UnreachableError](e.Err); !ok || u.Status != 429 {
				t.Errorf("error %v", e.Err)
			}
		}
	})
}

func TestOldCopy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, c := newCache(map[string]robots.Answer{site + "/robots.txt": private})
		loaded := time.Now()
		load(t, c, site)
		w.set(site+"/robots.txt", robots.Answer{Status: 503})
		failures := 0
		for time.Since(loaded) < 30*24*time.Hour-48*time.Hour {
			e, _ := c.Peek(site)
			time.Sleep(time.Until(e.Expires))
			e = load(t, c, site)
			failures++
			if !e.Allowed(site+"/x") || e.Allowed(site+"/private/x") || e.Failures != failures || !e.Fetched.Equal(loaded) || e.Delay() == 0 {
				t.Fatalf("after %v: %+v", time.Since(loaded), e)
			}
		}
		time.Sleep(48 * time.Hour)
		if e := load(t, c, site); e.Allowed(site + "/x") {
			t.Errorf("a copy of more than 30 days serves: %+v", e)
		}
	})
}

func TestOneFetchForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, c := newCache(map[string]robots.Answer{site + "/robots.txt": private})
		w.slow = time.Second
		var all sync.WaitGroup
		for n := range 100 {
			all.Go(func() {
				if e, err := c.Load(t.Context(), fmt.Sprintf("%s/%d", site, n)); err != nil || e.Rules == nil {
					t.Errorf("%+v, %v", e, err)
				}
			})
		}
		all.Wait()
		if w.count() != 1 {
			t.Errorf("%d fetches", w.count())
		}
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, c := newCache(map[string]robots.Answer{site + "/robots.txt": private})
		w.slow = time.Minute
		stop := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		waiting, cancelWaiting := context.WithCancelCause(t.Context())
		var all sync.WaitGroup
		all.Go(func() { // does the fetch, and is cancelled
			if _, err := c.Load(ctx, site); !errors.Is(err, stop) {
				t.Errorf("first: %v", err)
			}
		})
		synctest.Wait()
		all.Go(func() { // waits for it, and is cancelled
			if _, err := c.Load(waiting, site); !errors.Is(err, stop) {
				t.Errorf("second: %v", err)
			}
		})
		all.Go(func() { // waits for it, and then fetches itself
			if e, err := c.Load(t.Context(), site); err != nil || e.Failures != 0 {
				t.Errorf("third: %+v, %v", e, err)
			}
		})
		synctest.Wait()
		cancelWaiting(stop)
		cancel(stop)
		all.Wait()
		if w.count() != 2 {
			t.Errorf("%d fetches", w.count())
		}
	})
}

// TestPanic makes sure that a Fetch that panics does not leave others waiting.
func TestPanic(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	c := &robots.Cache{Agent: "mybot", Fetch: func(context.Context, string) (*robots.Answer, error) {
		if calls.Add(1) == 1 {
			panic("out of order")
		}
		return &private, nil
	}}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		c.Load(t.Context(), site)
	}()
	load(t, c, site)
}

// noise is a robots.txt that cannot be made much smaller, and differs from host to host.
func noise(seed uint64, size int) robots.Answer {
	r := rand.New(rand.NewPCG(seed, 0))
	b := []byte("User-agent: *\nDisallow: /private/\n")
	for len(b) < size {
		b = fmt.Appendf(b, "Disallow: /%016x%016x\n", r.Uint64(), r.Uint64())
	}
	return robots.Answer{Status: 200, Body: b}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	c := &robots.Cache{Agent: "mybot", Memory: 200 << 10, Fetch: func(_ context.Context, url string) (*robots.Answer, error) {
		h := fnv.New64()
		h.Write([]byte(url))
		a := noise(h.Sum64(), 10_000)
		return &a, nil
	}}
	known := func() (n int) {
		for i := range 100 {
			if _, ok := c.Peek(fmt.Sprintf("http://h%d.example/", i)); ok {
				n++
			}
		}
		return n
	}
	for i := range 100 {
		load(t, c, fmt.Sprintf("http://h%d.example/", i))
		c.Peek("http://h0.example/") // in use
	}
	if n := known(); n < 10 || n > 40 {
		t.Errorf("%d of 100 files of 10 kB kept in 200 KiB", n)
	}
	if _, ok := c.Peek("http://h0.example/"); !ok {
		t.Error("the one in use was forgotten")
	}
	c.Memory = 1
	load(t, c, "http://new.example/")
	if _, ok := c.Peek("http://new.example/"); !ok || known() != 0 {
		t.Errorf("the last one is not kept alone: %v, %d others", ok, known())
	}
}

// TestMemoryIsShared: large files do not take the place of small ones, hosts that
// answer the same share it, and what was forgotten in between is what it was when it
// is loaded again.
func TestMemoryIsShared(t *testing.T) {
	t.Parallel()
	const small, large, same = 400, 8, 200
	fetches := 0
	c := &robots.Cache{Agent: "mybot", Memory: 3 << 18, Fetch: func(_ context.Context, url string) (*robots.Answer, error) {
		fetches++
		var n uint64
		a := file("User-agent: *\nDisallow: /private/\n" + strings.Repeat("Disallow: /other\n", 1000))
		if _, err := fmt.Sscanf(url, "http://small%d.", &n); err == nil {
			a = noise(n, 600)
		} else if _, err := fmt.Sscanf(url, "http://large%d.", &n); err == nil {
			a = noise(1<<32+n, 150_000)
		}
		return &a, nil
	}}
	urls := make([]string, 0, small+large+same)
	for i := range small {
		urls = append(urls, fmt.Sprintf("http://small%d.example", i))
	}
	for i := range large {
		urls = append(urls, fmt.Sprintf("http://large%d.example", i))
	}
	for i := range same {
		urls = append(urls, fmt.Sprintf("http://same%d.example", i))
	}
	r := rand.New(rand.NewPCG(7, 7))
	for range 2 {
		r.Shuffle(len(urls), func(i, j int) { urls[i], urls[j] = urls[j], urls[i] })
		for _, u := range urls {
			if e := load(t, c, u+"/"); e.Allowed(u+"/private/x") || !e.Allowed(u+"/x") {
				t.Fatalf("%s: %+v", u, e)
			}
		}
	}
	again := fetches - len(urls)
	if again > large+small/50 {
		t.Errorf("%d of %d files were loaded again", again, len(urls))
	}
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	_, c := newCache(nil)
	for _, url := range []string{"", "/path", "mailto:x@e.example", "http://", "nonsense"} {
		if _, err := c.Load(t.Context(), url); err == nil {
			t.Errorf("Load(%q) has no error", url)
		} else if _, ok := errors.AsType[*urlnorm.Error](err); !ok {
			t.Errorf("Load(%q): %#v", url, err)
		}
		if e, ok := c.Peek(url); ok {
			t.Errorf("Peek(%q) = %+v", url, e)
		}
	}
}

func TestLargeBody(t *testing.T) {
	t.Parallel()
	body := "User-agent: *\nDisallow: /private/\n" + strings.Repeat("# padding\n", 60_000) + "Disallow: /late\n"
	_, c := newCache(map[string]robots.Answer{site + "/robots.txt": {Status: 302, Location: "/r"}, site + "/r": file(body)})
	if e := load(t, c, site); e.Allowed(site+"/private/") || !e.Allowed(site+"/late") {
		t.Error("the limit does not hold after a redirect")
	}
}
