package fetch

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A proxy that does not do its part is no trouble of the pages that are asked
// for by it. Where nothing ever came through any of them the settings are at
// fault, and that ends a crawl before it gives up all its pages. Otherwise it
// is a connection that failed: by another proxy it is tried at once, by the same
// one later.

const (
	proxyRest    = 10 * time.Second
	maxProxyRest = 10 * time.Minute
)

// proxy is one way out, and how it fares.
type proxy struct {
	url      *url.URL
	addr     string      // host:port
	came     atomic.Bool // something came through it
	atFault  atomic.Bool // it is not there, or wants a password
	mu       sync.Mutex
	failures int       // in a row
	until    time.Time // it rests
}

// proxies are all ways out. None: servers are asked directly.
type proxies struct {
	all    []*proxy
	sticky bool
	turn   atomic.Uint64
}

func (h *HTTP) newProxies() []*proxy {
	urls := h.Proxies
	if h.Transport != nil {
		urls = nil // it has ways of its own
	}
	var all []*proxy
	for _, u := range urls {
		port := u.Port()
		if port == "" {
			port = map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
		}
		all = append(all, &proxy{url: u, addr: net.JoinHostPort(u.Hostname(), cmp.Or(port, "80"))})
	}
	return all
}

// has reports whether an address to dial is that of a proxy.
func (p *proxies) has(addr string) bool {
	return slices.ContainsFunc(p.all, func(one *proxy) bool { return one.addr == addr })
}

// pick returns the next proxy, or the one of a host, of those that do not rest;
// if all do, the one that has rested longest. It is nil if there is none.
func (p *proxies) pick(host string) *proxy {
	if len(p.all) <= 1 {
		for _, only := range p.all {
			return only
		}
		return nil
	}
	now := time.Now()
	awake := slices.DeleteFunc(slices.Clone(p.all), func(one *proxy) bool { return one.rests(now) })
	switch {
	case len(awake) == 0:
		return slices.MinFunc(p.all, func(a, b *proxy) int { return a.wakes().Compare(b.wakes()) })
	case !p.sticky:
		return awake[(p.turn.Add(1)-1)%uint64(len(awake))]
	}
	// Rendezvous: a host changes only if its own proxy comes or goes.
	return slices.MaxFunc(awake, func(a, b *proxy) int {
		switch x, y := a.weight(host), b.weight(host); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

func (p *proxy) weight(host string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(p.url.String() + " " + host))
	x := h.Sum64() // whose last bytes hardly move its first bits
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

func (p *proxy) wakes() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until
}

func (p *proxy) rests(now time.Time) bool { return now.Before(p.wakes()) }

// note takes what became of an exchange, and reports whether the proxy is to
// blame, so that another one might do better.
func (p *proxies) note(via *proxy, err error) bool {
	if via == nil {
		return false
	}
	answer, _ := errors.AsType[ProxyError](err)
	blame := ByProxy(err) || answer.Refuses
	via.mu.Lock()
	defer via.mu.Unlock()
	switch {
	case blame:
		via.until = time.Now().Add(min(proxyRest<<min(via.failures, 10), maxProxyRest))
		via.failures++
	case err == nil:
		via.failures, via.until = 0, time.Time{}
	}
	return blame
}

type viaKey struct{}

// within has the transport go by way of p.
func (p *proxy) within(ctx context.Context) context.Context {
	if p == nil {
		return ctx
	}
	return context.WithValue(ctx, viaKey{}, p)
}

func viaOf(ctx context.Context) *proxy {
	p, _ := ctx.Value(viaKey{}).(*proxy)
	if p == nil {
		return new(proxy)
	}
	return p
}

// ProxyError is the answer of a proxy that is not the server's.
type ProxyError struct {
	Status  string
	Refuses bool // us, not the server that was asked for
}

func (e ProxyError) Error() string { return "the proxy answers " + e.Status }

func (e ProxyError) Unwrap() error { return ErrConnect }

// onConnect looks at a proxy's answer to CONNECT.
func (h *HTTP) onConnect(ctx context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if via := viaOf(ctx); answer.StatusCode != http.StatusOK {
		return h.refused(via, answer)
	} else {
		via.came.Store(true)
	}
	return nil
}

// proxyRefusal returns an error if an answer by way of a proxy is the proxy's own.
func (h *HTTP) proxyRefusal(u *url.URL, answer *http.Response, via *proxy) error {
	if via == nil || u.Scheme != "http" {
		return nil
	}
	if answer.StatusCode == http.StatusProxyAuthRequired {
		return h.refused(via, answer)
	}
	via.came.Store(true)
	return nil
}

func (h *HTTP) refused(via *proxy, answer *http.Response) error {
	if answer.StatusCode != http.StatusProxyAuthRequired {
		return ProxyError{answer.Status, false}
	}
	if h.state.proxies.blame(via) {
		return via.isAtFault(answer.Status + ": it wants a name and password, as in http://name:password@host:port")
	}
	return ProxyError{answer.Status, true}
}

// proxyFailure returns an error if a connection failed because there is no such
// proxy.
func (h *HTTP) proxyFailure(ctx context.Context, err error) error {
	dns, ok := errors.AsType[*net.DNSError](err)
	if ok && dns.IsNotFound && ByProxy(err) {
		if via := viaOf(ctx); h.state.proxies.blame(via) {
			return via.isAtFault(dns.Error())
		}
	}
	return nil
}

// blame notes that a proxy is of no use as it is set, and reports whether none
// of them ever was.
func (p *proxies) blame(via *proxy) bool {
	if via.url == nil || via.came.Load() {
		return false
	}
	via.atFault.Store(true)
	return !slices.ContainsFunc(p.all, func(one *proxy) bool { return one.came.Load() || !one.atFault.Load() })
}

func (p *proxy) isAtFault(why string) error {
	return &SettingError{"proxy", p.url.Redacted(), why}
}

// ByProxy reports whether an error is about the connection to a proxy.
func ByProxy(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "proxyconnect"
}
