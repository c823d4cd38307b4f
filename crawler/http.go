package crawler

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

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
	once sync.Once
	err  error
	transports
	names    *names
	proxies  proxies
	header   http.Header            // of requests without credentials; shared, never changed
	secrets  map[string]http.Header // Credentials by origins in lower case
	decoders decoders
	pieces   sync.Pool // of *piece
}

// Limits of a body. Sitemaps may be so long by their protocol.
const (
	defaultMaxBody = 8 << 20
	sitemapMaxBody = 50 << 20
)

func (h *HTTP) maxBody(req frontier.Request) int64 {
	if _, _, ok := sitemap.Marked(req.Meta); ok {
		return orDefault(h.MaxBody, sitemapMaxBody)
	}
	return orDefault(h.MaxBody, defaultMaxBody)
}

func (h *HTTP) timeout() time.Duration { return orDefault(h.Timeout, time.Minute) }

func (h *HTTP) connectTimeout() time.Duration { return min(h.timeout()/4, 10*time.Second) }

func (h *HTTP) headerTimeout() time.Duration { return min(h.timeout()/2, 30*time.Second) }

func (h *HTTP) rateWindow() time.Duration { return min(h.timeout()/6, 10*time.Second) }

func (h *HTTP) minRate() int64 { return orDefault(h.MinRate, 256) }

func orDefault[T int64 | time.Duration | int](v, d T) T {
	if v == 0 {
		return d
	}
	return v
}

// prepare checks the settings and makes what they describe, once.
func (h *HTTP) prepare() error {
	h.state.once.Do(func() {
		s := &h.state
		if s.err = h.check(); s.err != nil {
			return
		}
		s.proxies.all, s.proxies.sticky, s.names = h.newProxies(), h.Network.Sticky, h.newNames()
		s.transports = h.newTransports()
		s.header = http.Header{
			"Accept":          {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
			"Accept-Language": {"en,*;q=0.5"},
		}
		for k, v := range h.Header {
			s.header[http.CanonicalHeaderKey(k)] = v
		}
		s.secrets = make(map[string]http.Header, len(h.Credentials))
		for o, header := range h.Credentials {
			s.secrets[strings.ToLower(o)] = header
		}
		s.header["User-Agent"] = []string{h.UserAgent}
		s.header["Accept-Encoding"] = []string{"gzip, br, zstd, deflate"}
	})
	return h.state.err
}

// Close closes the idle connections. The HTTP can be used again.
func (h *HTTP) Close() error {
	h.state.closeIdle()
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
	within, cancel := context.WithTimeoutCause(ctx, h.timeout(), ErrTimeoutTotal)
	defer cancel()
	c := &chain{http: h, req: req, ask: ask, jar: h.Cookies, terms: termsOf(ctx)}
	if ask.Anonymous {
		c.jar = nil
	}
	resp, err := c.follow(within)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return resp, err
}
