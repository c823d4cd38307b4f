package crawler

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

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

const (
	maxHeader = 256 << 10
	idleConns = 512
	idleTime  = 90 * time.Second
	pingAfter = 15 * time.Second // of silence on a connection of HTTP/2
)

// newTransport returns a transport that dials public addresses only. Its pool
// is wide, because a crawl talks to many hosts, and deep, because a proxy is one
// address for all of them.
func (h *HTTP) newTransport() *http.Transport {
	t := &http.Transport{
		DialContext:            h.dial,
		TLSHandshakeTimeout:    h.connectTimeout(),
		DisableCompression:     true, // decode.go does that, with limits
		MaxIdleConns:           idleConns,
		MaxIdleConnsPerHost:    idleConns / 2,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: maxHeader,
		ForceAttemptHTTP2:      !h.Network.HTTP1, // a dialer of one's own turns it off
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter},
	}
	t.TLSClientConfig = new(tls.Config)
	if h.Network.TLS != nil {
		t.TLSClientConfig = h.Network.TLS.Clone()
	}
	if t.TLSClientConfig.CipherSuites == nil {
		t.TLSClientConfig.CipherSuites = cipherSuites()
	}
	if len(h.state.proxies.all) == 0 {
		t.DialTLSContext = func(ctx context.Context, _, addr string) (net.Conn, error) {
			return h.dialTLS(ctx, addr, t.TLSClientConfig)
		}
	} else {
		t.Proxy = func(r *http.Request) (*url.URL, error) { return viaOf(r.Context()).url, nil }
		t.OnProxyConnectResponse = h.onConnect
	}
	return t
}

// cipherSuites are those that Go offers, and behind them those with RSA key exchange
// that browsers offer too. Which one is used the server says, and of those that both
// know package tls puts these last.
func cipherSuites() []uint16 {
	ids := []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_256_GCM_SHA384, tls.TLS_RSA_WITH_AES_128_CBC_SHA, tls.TLS_RSA_WITH_AES_256_CBC_SHA}
	for _, s := range tls.CipherSuites() {
		ids = append(ids, s.ID)
	}
	return ids
}

// transports are the way to most servers, and ways to those that are shown a
// certificate: what was agreed on one connection is not used for another origin.
type transports struct {
	most http.RoundTripper
	own  map[string]*http.Transport // by origin
}

func (h *HTTP) newTransports() transports {
	t := transports{most: h.Transport}
	if t.most == nil {
		t.most = h.newTransport()
	}
	t.own = make(map[string]*http.Transport, len(h.Network.Certificates))
	for o, cert := range h.Network.Certificates {
		own := h.newTransport()
		own.TLSClientConfig.Certificates = []tls.Certificate{cert}
		t.own[strings.ToLower(o)] = own
	}
	return t
}

// to is the way to a server.
func (t transports) to(u *url.URL) http.RoundTripper {
	if own, ok := t.own[origin(u)]; ok {
		return own
	}
	return t.most
}

func (t transports) closeIdle() {
	if c, ok := t.most.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
	for _, own := range t.own {
		own.CloseIdleConnections()
	}
}
