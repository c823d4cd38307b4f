package crawler

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
)

// A proxy that does not do its part is no trouble of the pages that are asked
// for by it. Where nothing ever came through it the settings are at fault, and
// that ends a crawl before it gives up all its pages. Later it is a connection
// that failed, and tried again.

// proxyError is the answer of a proxy that is not the server's.
type proxyError struct{ status string }

func (e proxyError) Error() string { return "the proxy answers " + e.status }

func (e proxyError) Unwrap() error { return ErrConnect }

// onConnect looks at a proxy's answer to CONNECT.
func (h *HTTP) onConnect(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		h.state.proxied.Store(true)
		return nil
	}
	return h.refused(answer)
}

// proxyRefusal returns an error if an answer by way of a proxy is the proxy's own.
func (h *HTTP) proxyRefusal(u *url.URL, answer *http.Response) error {
	if h.Proxy == nil || h.Transport != nil || u.Scheme != "http" {
		return nil
	}
	if answer.StatusCode == http.StatusProxyAuthRequired {
		return h.refused(answer)
	}
	h.state.proxied.Store(true)
	return nil
}

func (h *HTTP) refused(answer *http.Response) error {
	if answer.StatusCode == http.StatusProxyAuthRequired && !h.state.proxied.Load() {
		return h.proxyAtFault(answer.Status + ": it wants a name and password, as in http://name:password@host:port")
	}
	return proxyError{answer.Status}
}

// proxyFailure returns an error if a connection failed because there is no such
// proxy.
func (h *HTTP) proxyFailure(err error) error {
	dns, ok := errors.AsType[*net.DNSError](err)
	if ok && dns.IsNotFound && byProxy(err) && !h.state.proxied.Load() {
		return h.proxyAtFault(dns.Error())
	}
	return nil
}

func (h *HTTP) proxyAtFault(why string) error {
	return &ConfigError{"proxy", h.Proxy.Redacted(), why}
}

// byProxy reports whether an error is about the connection to a proxy.
func byProxy(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "proxyconnect"
}
