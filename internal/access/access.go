package access

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Access says who may ask a server, and how often. The zero value lets everybody ask who
// comes by an address, by localhost, or, where the server says so, by any name.
type Access struct {
	// Names are the host names that the server may be asked by, beside localhost and
	// addresses, so that a page elsewhere cannot make its own name lead here (DNS
	// rebinding). "*" is any.
	Names []string

	// Token is what a client has to say, as "Authorization: Bearer TOKEN", or as the password
	// of any user (Basic), for which browsers ask people. Empty: nothing. Health and
	// readiness need none. A token goes over the wire, so it needs TLS beyond this machine.
	Token string

	// Origins are those whose pages may read answers to GET (CORS), as
	// "https://www.example.org"; "*" is all. With a Token "*" is of no use.
	Origins []string

	// Rate is how many requests a second an address may send, of IPv6 a network of 64 bits, after a
	// Burst of them (0: ten seconds' worth); beyond, the answer is 429 with Retry-After. 0: any
	// number. Behind a proxy all come from its address: have the proxy limit them.
	Rate  float64
	Burst int

	// CertFile and KeyFile are those of TLS, in PEM; they are read again when they change. Empty: plain HTTP.
	CertFile, KeyFile string

	// Profiles serves profiles of the program, as net/http/pprof does, at /debug/pprof/. They show
	// its inside: give it a Token.
	Profiles bool
}

// open are the paths that need no token and no name: probes know neither.
var open = []string{"/healthz", "/readyz"}

// Wrap returns next behind what a says. prefix is where next is mounted: "/" or such as
// "/search/".
func (a Access) Wrap(prefix string, next http.Handler) http.Handler {
	limit := &limiter{rate: a.Rate, burst: float64(a.Burst)}
	if limit.burst <= 0 {
		limit.burst = max(10*a.Rate, 1)
	}
	prefix = strings.TrimSuffix(prefix, "/")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, prefix)
		if slices.Contains(open, path) {
			next.ServeHTTP(w, r)
			return
		}
		if !a.known(r.Host) {
			http.Error(w, "this name is not among those of the server", http.StatusForbidden)
			return
		}
		if wait := limit.wait(r.RemoteAddr, time.Now()); wait > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(int(wait/time.Second)+1))
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		if a.cors(w, r) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if !a.knows(r) {
			w.Header().Set("WWW-Authenticate", `Basic realm="quarry", charset="UTF-8"`)
			http.Error(w, "this needs a token", http.StatusUnauthorized)
			return
		}
		if name, ok := strings.CutPrefix(path, profiles); ok && a.Profiles && r.Method == http.MethodGet {
			profile(w, r, name)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// known reports whether a request was for a name that is ours.
func (a Access) known(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		slices.ContainsFunc(a.Names, func(name string) bool { return name == "*" || strings.EqualFold(name, host) })
}

// knows reports whether a request has the token, if one is needed.
func (a Access) knows(r *http.Request) bool {
	if a.Token == "" {
		return true
	}
	said, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		_, said, _ = r.BasicAuth()
	}
	return subtle.ConstantTimeCompare([]byte(said), []byte(a.Token)) == 1
}

// cors lets pages of other origins read the answer, and reports whether the request only
// asks for that.
func (a Access) cors(w http.ResponseWriter, r *http.Request) (preflight bool) {
	if len(a.Origins) == 0 {
		return false
	}
	w.Header().Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	all := slices.Contains(a.Origins, "*")
	if origin == "" || !all && !slices.Contains(a.Origins, origin) {
		return false
	}
	allowed := origin
	if all {
		allowed = "*"
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", allowed)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD")
	h.Set("Access-Control-Allow-Headers", "Authorization")
	h.Set("Access-Control-Max-Age", "600")
	return true
}

// limiter has a bucket of tokens for each address.
type limiter struct {
	rate, burst float64

	mu      sync.Mutex
	buckets map[netip.Prefix]bucket
}

type bucket struct {
	left float64
	at   time.Time
}

// mostAddresses is how many addresses are remembered; then those that have rested are forgotten.
const mostAddresses = 100_000

// wait is how long an address has to wait; 0: its request is taken.
func (l *limiter) wait(remote string, now time.Time) time.Duration {
	if l.rate <= 0 {
		return 0
	}
	var from netip.Prefix
	if at, err := netip.ParseAddrPort(remote); err == nil {
		addr, bits := at.Addr().Unmap(), 32
		if addr.Is6() {
			bits = 64
		}
		from, _ = addr.WithZone("").Prefix(bits) // what fails is the address of a pipe, which all share
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.buckets) >= mostAddresses {
		for p, b := range l.buckets {
			if now.Sub(b.at).Seconds()*l.rate >= l.burst {
				delete(l.buckets, p)
			}
		}
		if len(l.buckets) >= mostAddresses {
			l.buckets = nil
		}
	}
	if l.buckets == nil {
		l.buckets = map[netip.Prefix]bucket{}
	}
	b, ok := l.buckets[from]
	if !ok {
		b = bucket{l.burst, now}
	}
	b.left, b.at = min(l.burst, b.left+now.Sub(b.at).Seconds()*l.rate), now
	var wait time.Duration
	if b.left < 1 {
		wait = time.Duration((1 - b.left) / l.rate * float64(time.Second))
	} else {
		b.left--
	}
	l.buckets[from] = b
	return wait
}

// Listen opens a TCP address, with TLS if there are files for it.
func (a Access) Listen(ctx context.Context, addr string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	secured, err := a.Secure(l)
	if err != nil {
		l.Close()
		return nil, err
	}
	return secured, nil
}

// Secure lays TLS over a listener, if there are files for it.
func (a Access) Secure(l net.Listener) (net.Listener, error) {
	if a.CertFile == "" && a.KeyFile == "" {
		return l, nil
	}
	c := &certificate{cert: a.CertFile, key: a.KeyFile}
	if _, err := c.get(nil); err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	return tls.NewListener(l, &tls.Config{GetCertificate: c.get, NextProtos: []string{"http/1.1"}}), nil
}

// certificate is read again when its file has changed.
type certificate struct {
	cert, key string

	mu   sync.Mutex
	now  *tls.Certificate
	at   time.Time // when the file was written
	seen time.Time // when it was looked at
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil && time.Since(c.seen) < time.Second {
		return c.now, nil
	}
	c.seen = time.Now()
	info, err := os.Stat(c.cert)
	if err == nil && c.now != nil && info.ModTime().Equal(c.at) {
		return c.now, nil
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = tls.LoadX509KeyPair(c.cert, c.key)
	}
	if err != nil {
		if c.now != nil { // it is being written: the old one holds meanwhile
			return c.now, nil
		}
		return nil, err
	}
	c.now, c.at = &pair, info.ModTime()
	return c.now, nil
}
