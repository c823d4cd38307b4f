package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

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
		DisableCompression:     true, // the room does that, with limits
		MaxIdleConns:           idleConns,
		MaxIdleConnsPerHost:    idleConns / 2,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: maxHeader,
		ForceAttemptHTTP2:      !h.HTTP1, // a dialer of one's own turns it off
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter},
	}
	t.TLSClientConfig = new(tls.Config)
	if h.TLS != nil {
		t.TLSClientConfig = h.TLS.Clone()
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
	t.own = make(map[string]*http.Transport, len(h.Certificates))
	for o, cert := range h.Certificates {
		own := h.newTransport()
		own.TLSClientConfig.Certificates = []tls.Certificate{cert}
		t.own[strings.ToLower(o)] = own
	}
	return t
}

// to is the way to a server.
func (t transports) to(u *url.URL) http.RoundTripper {
	if own, ok := t.own[Origin(u)]; ok {
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
