package fetch

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// HTTP asks servers by HTTP/1.1 or HTTP/2. Its settings have been checked and have no
// defaults here but nil; they are not changed after the first Fetch.
type HTTP struct {
	UserAgent    string
	AllowPrivate bool // addresses that are not public are connected to
	Timeout      time.Duration
	MinRate      int64 // bytes a second, over a sixth of Timeout; not positive: as slow as it likes
	Redirects    int   // hops to other pages that are followed
	OnRedirect   func(via []string, next string) error
	Header       http.Header            // for every host
	Credentials  map[string]http.Header // by origin
	Cookies      http.CookieJar         // nil: cookies last for one Fetch
	Transport    http.RoundTripper      // nil: the guarded one

	Proxies        []*url.URL
	Sticky         bool // a host keeps its proxy
	TLS            *tls.Config
	Certificates   map[string]tls.Certificate // ours, by origin
	HTTP1          bool
	Resolve        func(ctx context.Context, host string) ([]netip.Addr, error) // nil: the system's
	DNSTTL         time.Duration                                                // 5 minutes; negative: none
	DNSNegativeTTL time.Duration                                                // 30 s; negative: none

	state state
}

// state is what the first Fetch makes of the settings.
type state struct {
	once sync.Once
	transports
	names    *names
	proxies  proxies
	header   http.Header            // of requests without credentials; shared, never changed
	secrets  map[string]http.Header // Credentials by origins in lower case
	decoders decoders
	pieces   sync.Pool // of *piece
}

// Request is what is to be fetched.
type Request struct {
	URL     string
	Attempt int   // from the second on, a body that breaks off is taken as far as it came
	MaxBody int64 // bytes, decoded
	Ask     Ask
	Canon   *urlnorm.Profile // says which redirects lead to the same page
	Trail   Trail
	Pursue  Following
	Wrap    func(http.RoundTripper) http.RoundTripper // nil: the transport as it is
}

// Following says which redirects are followed.
type Following byte

const (
	FollowAsSet  Following = iota // those that the settings say, and those of a page to itself
	FollowItself                  // those of a page to itself
	FollowOthers                  // those to other pages that the settings say
)

// Response is an answer.
type Response struct {
	URL       string // where it came from
	Status    int
	Header    http.Header
	Body      []byte // decoded
	Truncated bool
	Wire      int64
	Fetched   time.Time
	Took      time.Duration
	Location  string // of a redirect that was not followed
	Addr      netip.Addr
}

func (h *HTTP) connectTimeout() time.Duration { return min(h.Timeout/4, 10*time.Second) }

func (h *HTTP) headerTimeout() time.Duration { return min(h.Timeout/2, 30*time.Second) }

func (h *HTTP) rateWindow() time.Duration { return min(h.Timeout/6, 10*time.Second) }

// prepare makes what the settings describe, once.
func (h *HTTP) prepare() {
	h.state.once.Do(func() {
		s := &h.state
		s.proxies.all, s.proxies.sticky, s.names = h.newProxies(), h.Sticky, h.newNames()
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
}

// Close closes the idle connections. The HTTP can be used again.
func (h *HTTP) Close() { h.state.closeIdle() }

// Fetch asks for a request. An error is an *Error, a *SettingError, or the cause for which
// ctx has ended.
func (h *HTTP) Fetch(ctx context.Context, req *Request) (*Response, error) {
	h.prepare()
	within, cancel := context.WithTimeoutCause(ctx, h.Timeout, ErrTimeoutTotal)
	defer cancel()
	c := &chain{http: h, req: req, ask: req.Ask, jar: h.Cookies}
	if req.Ask.Anonymous {
		c.jar = nil
	}
	resp, err := c.follow(within)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return resp, err
}

// Addr returns the address that a URL's host will be asked at first, as its name
// resolves; the answer is kept, so that the visit asks nobody again. It is the
// zero Addr where nobody can tell: behind proxies, with a Transport of another
// make, or when the name does not resolve, which Fetch will find out.
func (h *HTTP) Addr(ctx context.Context, rawurl string) netip.Addr {
	h.prepare()
	if h.Transport != nil || len(h.state.proxies.all) > 0 {
		return netip.Addr{}
	}
	u, err := url.Parse(rawurl)
	if err != nil {
		return netip.Addr{}
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return a
	}
	ctx, cancel := context.WithTimeout(ctx, h.connectTimeout())
	defer cancel()
	addrs, err := h.state.names.lookup(ctx, u.Hostname())
	if err != nil || len(addrs) == 0 {
		return netip.Addr{}
	}
	return addrs[0].Unmap()
}
