package crawler

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler/internal/fetch"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/frontier"
)

// HTTP is the Fetcher that asks servers by HTTP/1.1 or HTTP/2, without a
// browser. UserAgent is required; everything else may stay zero.
//
// It refuses addresses that are not public, checks them when the connection is
// made and so again for every hop and every address of a name, decodes gzip,
// br, zstd and deflate and caps what comes out, and gives up on servers that
// are silent or slow. A body that breaks off or comes too slowly is an error on the
// first attempt and a truncated one from the second on, but where it is whole by the
// account of its Content-Encoding. Redirects to another page are handed back as a Response
// with Location, and to a Crawler those to the same canonical URL (a server that wants its
// cookie first) as well; without one these are followed. An HTTP may be used by many goroutines and must
// not be changed after its first Fetch.
//
// Answers of HTTP/1 that browsers read are read, by the guarded transport and not
// by https through a proxy: a line of the header without a colon or with a name
// that is none is passed over, and so is a Content-Length that is no number.
//
// When a server sends more than it announced, net/http itself writes a line to
// the standard logger ("Unsolicited response ..."), which nothing but
// log.SetOutput keeps it from.
type HTTP struct {
	UserAgent    string                                // product token and a contact, e.g. "acme/1.0 (+https://acme.example/bot)"
	Proxy        *url.URL                              // http, https or socks5; nil: none. The environment is not looked at
	AllowPrivate bool                                  // private, loopback and link-local addresses are fetched too: tests, intranets
	MaxBody      int64                                 // bytes of decoded body; more is cut off and Truncated; 8 MiB, and 50 MiB of a sitemap
	Timeout      time.Duration                         // for a fetch in all, 60 s; a quarter of it (10 s at most) to connect, as much for a proxy to do so and for TLS, half of it (30 s at most) until the header is complete
	MinRate      int64                                 // bytes a second, over a sixth of Timeout, 10 s at most; 256; negative: as slow as it likes
	Redirects    int                                   // hops to other pages that Fetch follows by itself; 0: none, as a Crawler wants it
	OnRedirect   func(via []string, next string) error // asked before such a hop, an error refuses it; nil: every hop is allowed
	Header       http.Header                           // sent to every host, so no credentials
	Credentials  map[string]http.Header                // by origin ("https://a.example"): Authorization, Cookie, API keys; sent to no other
	Cookies      http.CookieJar                        // of the crawl, see crawler/session; nil: cookies last for the redirects that follow
	Network      Network                               // proxies in turn, TLS, client certificates, names
	Transport    http.RoundTripper                     // nil: the guarded one; another one guards addresses itself
	state        httpState
}

var _ Fetcher = (*HTTP)(nil)

// httpState is what the first Fetch makes of the settings.
type httpState struct {
	once   sync.Once
	err    error
	client *fetch.HTTP
}

// Network says how an HTTP reaches its servers. The zero value is sound.
type Network struct {
	// Proxies are several ways out instead of HTTP.Proxy, taken in turn. One
	// that cannot be reached rests, 10 s at first and 10 minutes at most, and
	// what was to go through it goes by another one.
	Proxies []*url.URL
	Sticky  bool // a host keeps its proxy as long as that can be reached

	// TLS is what connections begin with: roots, versions. Nil: Go's defaults. It
	// is copied. Where it names no CipherSuites, those with RSA key exchange are
	// offered behind all others, as browsers and curl do: servers that know nothing
	// else exist, and whoever gets hold of such a server's key can read what was
	// recorded. Go's own list, without them, is tls.CipherSuites.
	TLS *tls.Config
	// Certificates are ours, by origin ("https://a.example"); shown to no other.
	Certificates map[string]tls.Certificate
	HTTP1        bool // no HTTP/2

	// Resolve returns the addresses of a name; nil: the system's resolver. An
	// error should be a *net.DNSError. Addresses are checked when they are
	// connected to, wherever they come from.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// DNSTTL is how long addresses are kept, 5 minutes; negative: not at all.
	// They are forgotten before when none of them can be connected to.
	DNSTTL time.Duration
	// DNSNegativeTTL is how long it is remembered that a name does not exist,
	// 30 s; negative: not at all. That a resolver failed is remembered for a
	// tenth of it, and addresses that were known are used meanwhile.
	DNSNegativeTTL time.Duration
}

// Limits of a body. Sitemaps may be so long by their protocol.
const (
	defaultMaxBody = 8 << 20
	sitemapMaxBody = 50 << 20
)

func (h *HTTP) maxBody(req frontier.Request) int64 {
	if _, _, ok := sitemap.Marked(req.Meta); ok {
		return cmp.Or(h.MaxBody, sitemapMaxBody)
	}
	return cmp.Or(h.MaxBody, defaultMaxBody)
}

// prepare checks the settings and makes what they describe, once.
func (h *HTTP) prepare() error {
	h.state.once.Do(func() {
		if h.state.err = h.check(); h.state.err != nil {
			return
		}
		n := h.Network
		if h.Proxy != nil {
			n.Proxies = []*url.URL{h.Proxy}
		}
		h.state.client = &fetch.HTTP{
			UserAgent: h.UserAgent, AllowPrivate: h.AllowPrivate, Timeout: cmp.Or(h.Timeout, time.Minute), MinRate: cmp.Or(h.MinRate, 256),
			Redirects: h.Redirects, OnRedirect: h.OnRedirect, Header: h.Header, Credentials: h.Credentials, Cookies: h.Cookies, Transport: h.Transport,
			Proxies: n.Proxies, Sticky: n.Sticky, TLS: n.TLS, Certificates: n.Certificates, HTTP1: n.HTTP1,
			Resolve: n.Resolve, DNSTTL: n.DNSTTL, DNSNegativeTTL: n.DNSNegativeTTL,
		}
	})
	return h.state.err
}

// Close closes the idle connections. The HTTP can be used again.
func (h *HTTP) Close() error {
	if h.prepare() == nil {
		h.state.client.Close()
	}
	return nil
}

// Fetch gets req.URL, or what an [Ask] within ctx says of it. For any status that the server sends there is a Response;
// a *FetchError says why there is none, a *ConfigError that h cannot be used,
// and a cancelled ctx gives its cause.
func (h *HTTP) Fetch(ctx context.Context, req frontier.Request) (*Response, error) {
	if err := h.prepare(); err != nil {
		return nil, err
	}
	ask := Asked(ctx)
	if err := ask.check(); err != nil {
		return nil, err
	}
	run := termsOf(ctx)
	r, err := h.state.client.Fetch(ctx, &fetch.Request{
		URL: req.URL, Attempt: req.Attempt, MaxBody: h.maxBody(req), Ask: fetch.Ask(ask),
		Canon: run.canon, Trail: run.trail, Pursue: run.pursue, Wrap: transportWrap(ctx),
	})
	if err != nil {
		return nil, fetchError(req.URL, err)
	}
	return &Response{
		Request: req, URL: r.URL, Status: r.Status, Header: r.Header, Body: r.Body, Truncated: r.Truncated, Wire: r.Wire,
		Fetched: r.Fetched, Took: r.Took, Location: r.Location, Addr: r.Addr,
	}, nil
}

// fetchError makes an error of the fetch of a URL one of the crawler.
func fetchError(url string, err error) error {
	switch e := err.(type) {
	case *fetch.SettingError:
		return &ConfigError{e.What, e.Value, e.Why}
	case *fetch.Error:
		kind := Kind(e.Kind)
		if own, ok := errors.AsType[Kind](e.Err); ok { // of a Transport of another make
			kind = own
		}
		return &FetchError{URL: url, Kind: kind, Hops: e.Hops, Err: e.Err}
	}
	return err
}

// Addr returns the address that a URL's host will be asked at first, as its name
// resolves; the answer is kept, so that the visit asks nobody again. It is the
// zero Addr where nobody can tell: behind proxies, with a Transport of another
// make, or when the name does not resolve, which the visit will find out. The
// crawl loop tells it to the Frontier before the first visit of a host.
func (h *HTTP) Addr(ctx context.Context, url string) netip.Addr {
	if h.prepare() != nil {
		return netip.Addr{}
	}
	return h.state.client.Addr(ctx, url)
}
