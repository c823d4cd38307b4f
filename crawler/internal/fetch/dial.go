package fetch

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// maxAddrs is how many addresses of a name are tried.
const maxAddrs = 6

// headStart is how long an address has before the next one is tried beside it
// (RFC 8305, 5).
const headStart = 300 * time.Millisecond

// dial connects to a host, or to a proxy.
func (h *HTTP) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := h.connect(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &lenient{Conn: conn}, nil
}

// connect makes the connection of dial. An address is checked when it is about to be
// connected to, so that a name cannot answer one thing to a check and another to
// the connection.
func (h *HTTP) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, h.connectTimeout())
	defer cancel()
	d := net.Dialer{KeepAlive: idleTime}
	if !h.AllowPrivate && !h.state.proxies.has(addr) {
		d.Control = func(_, address string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(address)
			if err != nil || !isPublic(ap.Addr()) {
				return blockedError(address)
			}
			return nil
		}
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return d.DialContext(ctx, network, addr)
	}
	addrs, err := h.state.names.lookup(ctx, host)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	conn, err := race(ctx, addrs, func(ctx context.Context, a netip.Addr) (net.Conn, error) {
		return d.DialContext(ctx, network, net.JoinHostPort(a.String(), port))
	})
	if err != nil && !errors.Is(err, ErrBlockedAddr) {
		h.state.names.forget(host, addrs)
	}
	return conn, err
}

// race connects to the first of the addresses that answers: one after the
// other, the next when one has failed or its head start is over.
func race(ctx context.Context, addrs []netip.Addr, dial func(context.Context, netip.Addr) (net.Conn, error)) (net.Conn, error) {
	type result struct {
		conn net.Conn
		err  error
	}
	addrs = addrs[:min(len(addrs), maxAddrs)]
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan result, len(addrs))
	next := time.NewTimer(0)
	defer next.Stop()
	var first error
	for begun, ended := 0, 0; ended < len(addrs); {
		select {
		case <-next.C:
			if begun == len(addrs) {
				continue
			}
			a := addrs[begun]
			begun++
			next.Reset(headStart)
			go func() {
				conn, err := dial(ctx, a)
				results <- result{conn, err}
			}()
		case r := <-results:
			ended++
			if r.err == nil {
				go func(left int) { // those that come too late
					for range left {
						if r := <-results; r.conn != nil {
							r.conn.Close()
						}
					}
				}(begun - ended)
				return r.conn, nil
			}
			first = cmp.Or(first, r.err)
			next.Reset(0)
		}
	}
	return nil, first
}

// remote is the address that a connection leads to, or nil if that is a proxy's.
func (h *HTTP) remote(c net.Conn) *netip.Addr {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok || len(h.state.proxies.all) > 0 {
		return nil
	}
	a := tcp.AddrPort().Addr().Unmap()
	return &a
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
	c, err := urlnorm.URL("", "http://"+name+"/")
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
// the registries of special-purpose addresses (RFC 6890 and its successors). Of
// IPv6 only what is given out for global use counts. Addresses that carry one of
// IPv4 are refused, whichever that is, for a translator or tunnel in our own network
// would take them there: compatible, mapped by other prefixes than ::ffff:0:0/96
// (which is read as IPv4), translated, NAT64, 6to4, Teredo, ISATAP.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsValid() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() {
		return false
	}
	blocks := specialV4
	if ip.Is6() {
		if !globalV6.Contains(ip) || isISATAP(ip) {
			return false
		}
		blocks = specialV6
	}
	for b := range strings.FieldsSeq(blocks) {
		if netip.MustParsePrefix(b).Contains(ip) {
			return false
		}
	}
	return true
}

// isISATAP reports whether an address has the interface identifier of ISATAP
// (RFC 5214, 6.1), which any prefix may have before it.
func isISATAP(ip netip.Addr) bool {
	b := ip.As16()
	return b[8]&^0x03 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// globalV6 is what IANA gives out for global use. All else is reserved, and holds
// the compatible, translated and NAT64 addresses.
var globalV6 = netip.MustParsePrefix("2000::/3")

// What IsPrivate and its like do not cover.
const (
	specialV4 = "0.0.0.0/8 100.64.0.0/10 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 " +
		"203.0.113.0/24 240.0.0.0/4"
	specialV6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20" // within globalV6
)
