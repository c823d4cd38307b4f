package crawler

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// zone is a resolver whose answers a test sets.
type zone struct {
	mu    sync.Mutex
	addrs []netip.Addr
	err   error
	asked int
	takes time.Duration
}

func (z *zone) set(err error, addrs ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.err, z.addrs = err, nil
	for _, a := range addrs {
		z.addrs = append(z.addrs, netip.MustParseAddr(a))
	}
}

func (z *zone) resolve(ctx context.Context, _ string) ([]netip.Addr, error) {
	z.mu.Lock()
	z.asked++
	addrs, err, takes := slices.Clone(z.addrs), z.err, z.takes
	z.mu.Unlock()
	select {
	case <-time.After(takes):
		return addrs, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (z *zone) count() int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.asked
}

var notFound = &net.DNSError{Err: "no such host", Name: "a.test", IsNotFound: true}

// TestNameIsAskedOnce: many fetches of one host ask for its name once, and a
// name that is gone is asked for again when that has aged.
func TestNameIsAskedOnce(t *testing.T) {
	t.Parallel()
	base := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	z := &zone{}
	z.set(nil, "127.0.0.1")
	h := local(t, func(h *HTTP) { h.Network.Resolve = z.resolve })
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			resp, err := fetchURL(t, h, "http://a.test:"+port+"/")
			if err != nil || string(resp.Body) != "a.test:"+port || !resp.Addr.IsLoopback() {
				t.Errorf("%+v, %v", resp, err)
			}
		})
	}
	all.Wait()
	if n := z.count(); n != 1 {
		t.Errorf("%d questions", n)
	}
	z.set(notFound)
	_, err := fetchURL(t, h, "http://b.test:"+port+"/")
	wantKind(t, err, ErrDNS)
}

// TestRebinding: a name that answers with a public address first and with a
// private one later is not connected to, nor one that gives both.
func TestRebinding(t *testing.T) {
	t.Parallel()
	var conns atomic.Int32
	base := hostile(t, func(net.Conn) { conns.Add(1) })
	_, port, _ := net.SplitHostPort(strings.Trim(strings.TrimPrefix(base, "http://"), "/"))
	z := &zone{}
	h := local(t, func(h *HTTP) {
		h.AllowPrivate, h.Timeout, h.Network.Resolve, h.Network.DNSTTL = false, 2*time.Second, z.resolve, -1
	})
	for _, addrs := range [][]string{{"127.0.0.1"}, {"::ffff:127.0.0.1"}, {"10.0.0.1", "127.0.0.1"}, {"169.254.169.254"}, {"::1"}, {"100.64.0.1"}, {"fe80::1"}} {
		z.set(nil, addrs...)
		_, err := fetchURL(t, h, "http://a.test:"+port+"/")
		wantKind(t, err, ErrBlockedAddr)
	}
	if n := conns.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}
