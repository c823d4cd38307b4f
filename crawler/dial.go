package crawler

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/webquarry/quarry/crawler/canon"
)

const (
	maxHeader = 256 << 10
	idleConns = 512
	idleTime  = 90 * time.Second
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
		ForceAttemptHTTP2:      true, // a dialer of one's own turns it off
	}
	if h.Proxy != nil {
		t.Proxy, t.OnProxyConnectResponse = http.ProxyURL(h.Proxy), h.onConnect
	}
	return t
}

// dial connects to a host. The address is checked when it is resolved and about
// to be connected to, so that a name cannot answer one thing to a check and
// another to the connection.
func (h *HTTP) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: h.connectTimeout(), KeepAlive: idleTime}
	if !h.AllowPrivate && !h.isProxy(addr) {
		d.Control = func(_, address string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(address)
			if err != nil || !isPublic(ap.Addr()) {
				return blockedError(address)
			}
			return nil
		}
	}
	return d.DialContext(ctx, network, addr)
}

// remote is the address that a connection leads to, or nil if that is a proxy's.
func (h *HTTP) remote(c net.Conn) *netip.Addr {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok || h.Proxy != nil {
		return nil
	}
	a := tcp.AddrPort().Addr().Unmap()
	return &a
}

func (h *HTTP) isProxy(addr string) bool {
	if h.Proxy == nil {
		return false
	}
	port := h.Proxy.Port()
	if port == "" {
		port = map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[h.Proxy.Scheme]
		port = orString(port, "80")
	}
	return addr == net.JoinHostPort(h.Proxy.Hostname(), port)
}

func orString(s, d string) string {
	if s == "" {
		return d
	}
	return s
}

// checkTarget checks what can be told from the URL alone. That is all there is
// when a proxy resolves the name.
func (h *HTTP) checkTarget(u *url.URL) error {
	if h.AllowPrivate {
		return nil
	}
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return blockedError(name)
	}
	if ip, ok := literal(u); ok && !isPublic(ip) {
		return blockedError(u.Host)
	}
	return nil
}

// literal returns the address that a host stands for without being resolved,
// in whatever notation (RFC 3986 dotted, or 2130706433, 0x7f.1 ... of old).
func literal(u *url.URL) (netip.Addr, bool) {
	name := u.Hostname()
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip, true
	}
	if last := name[strings.LastIndexByte(strings.TrimSuffix(name, "."), '.')+1:]; last == "" || last[0] < '0' || last[0] > '9' {
		return netip.Addr{}, false
	}
	c, err := canon.URL("", "http://"+name+"/")
	if err != nil {
		return netip.Addr{}, false
	}
	ip, err := netip.ParseAddr(strings.Trim(strings.TrimPrefix(c, "http://"), "/"))
	return ip, err == nil
}

// blockedError names an address that is not fetched. It matches ErrBlockedAddr.
type blockedError string

func (e blockedError) Error() string {
	return string(e) + " is not a public address (AllowPrivate lets it pass)"
}

func (e blockedError) Unwrap() error { return ErrBlockedAddr }

// isPublic reports whether an address may be anybody's: it is in no block of
// the registries of special-purpose addresses (RFC 6890 and its successors).
// Blocks that carry IPv4 addresses in IPv6 are refused as a whole.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsValid() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() {
		return false
	}
	blocks := specialV6
	if ip.Is4() {
		blocks = specialV4
	}
	for b := range strings.FieldsSeq(blocks) {
		if netip.MustParsePrefix(b).Contains(ip) {
			return false
		}
	}
	return true
}

// What IsPrivate and its like do not cover.
const (
	specialV4 = "0.0.0.0/8 100.64.0.0/10 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 " +
		"203.0.113.0/24 240.0.0.0/4"
	specialV6 = "::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fec0::/10"
)
