package fetch

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
)

// TestStickyProxies: a host keeps its proxy, hosts are spread, and only those of
// a proxy that is gone go elsewhere.
func TestStickyProxies(t *testing.T) {
	t.Parallel()
	h := &HTTP{Sticky: true}
	for _, name := range []string{"http://a.test", "http://b.test", "http://c.test", "http://d.test"} {
		u, _ := url.Parse(name)
		h.Proxies = append(h.Proxies, u)
	}
	ways := &proxies{all: h.newProxies(), sticky: true}
	const hosts = 400
	host := func(i int) string {
		return "h" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26)) + ".test"
	}
	before, count := make([]*proxy, hosts), map[*proxy]int{}
	for i := range hosts {
		before[i] = ways.pick(host(i))
		count[before[i]]++
		if again := ways.pick(host(i)); again != before[i] {
			t.Fatalf("%s: %s, then %s", host(i), before[i].addr, again.addr)
		}
	}
	for _, p := range ways.all {
		if n := count[p]; n < hosts/8 {
			t.Errorf("%d of %d hosts for %s", n, hosts, p.addr)
		}
	}
	ways.note(ways.all[2], &net.OpError{Op: "proxyconnect", Err: net.ErrClosed})
	if p := ways.all[2]; p.failures != 1 || p.until.IsZero() {
		t.Errorf("%d failures, rests until %v", p.failures, p.until)
	}
	for i := range hosts {
		switch now := ways.pick(host(i)); {
		case now == ways.all[2]:
			t.Fatalf("%s by a proxy that rests", host(i))
		case now != before[i] && before[i] != ways.all[2]:
			t.Fatalf("%s has changed from %s to %s", host(i), before[i].addr, now.addr)
		}
	}
	ways.note(ways.all[2], nil)
	if now := ways.pick(host(1)); now != before[1] {
		t.Errorf("%s instead of %s after its rest", now.addr, before[1].addr)
	}
}

// TestNoProxy: a proxy that does not exist is a matter of the settings, unless something
// came through it.
func TestNoProxy(t *testing.T) {
	t.Parallel()
	noSuchHost := &net.OpError{Op: "proxyconnect", Err: &net.OpError{Op: "dial", Err: &net.DNSError{Name: "proxy.example", Err: "no such host", IsNotFound: true}}}
	h := &HTTP{Proxies: []*url.URL{{Scheme: "http", Host: "proxy.example:80"}}}
	h.prepare()
	c, via := &chain{http: h}, h.state.proxies.all[0]
	ctx := via.within(t.Context())
	if err := c.classify(ctx, noSuchHost, inConnect); !isA[*SettingError](err) || !strings.Contains(err.Error(), "proxy.example") {
		t.Errorf("%v, want a SettingError", err)
	}
	via.came.Store(true) // it was there a moment ago
	if err := c.classify(ctx, noSuchHost, inConnect); !errors.Is(err, ErrConnect) {
		t.Errorf("%v, want connect", err)
	}
}
