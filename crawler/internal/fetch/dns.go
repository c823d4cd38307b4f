package fetch

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

const (
	dnsTTL         = 5 * time.Minute
	dnsNegativeTTL = 30 * time.Second
	maxNames       = 1 << 16 // names whose addresses are kept
)

// names keeps what names resolve to. Nothing is trusted because it is kept: an
// address is checked whenever it is connected to.
type names struct {
	resolve       func(ctx context.Context, host string) ([]netip.Addr, error)
	ttl, negative time.Duration
	timeout       time.Duration // of one question
	most          int           // names

	mu    sync.Mutex
	known map[string]*resolved
}

// resolved is an answer, or a question that is being asked.
type resolved struct {
	done  chan struct{} // closed when the rest is set
	addrs []netip.Addr
	err   error
	until time.Time
}

func (h *HTTP) newNames() *names {
	n := &names{resolve: h.Resolve, timeout: h.connectTimeout(), most: maxNames, known: make(map[string]*resolved)}
	n.ttl = cmp.Or(h.DNSTTL, dnsTTL)
	n.negative = cmp.Or(h.DNSNegativeTTL, dnsNegativeTTL)
	if n.resolve == nil {
		n.resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return n
}

// lookup returns the addresses of a name, in the order in which to try them.
// However many ask, there is one question at a time. The error is a
// *net.DNSError, or says that ctx has ended.
func (n *names) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	r := n.known[host]
	if r == nil || r.stale() {
		before := r
		r = &resolved{done: make(chan struct{})}
		n.makeRoom()
		n.known[host] = r
		go n.ask(context.WithoutCancel(ctx), host, before, r)
	}
	n.mu.Unlock()
	select {
	case <-r.done:
		return r.addrs, r.err
	case <-ctx.Done():
		return nil, &net.DNSError{UnwrapErr: ctx.Err(), Err: ctx.Err().Error(), Name: host, IsTimeout: errors.Is(ctx.Err(), context.DeadlineExceeded)}
	}
}

// stale reports whether an answer is there and has aged.
func (r *resolved) stale() bool {
	select {
	case <-r.done:
		return !time.Now().Before(r.until)
	default:
		return false
	}
}

// ask puts the question. Where the resolver fails, what was known before holds.
func (n *names) ask(ctx context.Context, host string, before, r *resolved) {
	ctx, cancel := context.WithTimeout(ctx, n.timeout)
	defer cancel()
	defer close(r.done)
	found, err := n.resolve(ctx, host)
	addrs := make([]netip.Addr, 0, len(found))
	for _, a := range found {
		addrs = append(addrs, a.Unmap())
	}
	keep := n.ttl
	switch dns, ok := errors.AsType[*net.DNSError](err); {
	case err == nil && len(addrs) == 0:
		err, keep = &net.DNSError{Err: "no address", Name: host, IsNotFound: true}, n.negative
	case err == nil:
	case ok && dns.IsNotFound:
		keep = n.negative
	case before != nil && before.err == nil:
		addrs, err, keep = before.addrs, nil, n.negative/10
	case !ok:
		err, keep = &net.DNSError{UnwrapErr: err, Err: err.Error(), Name: host, IsTimeout: ctx.Err() != nil, IsTemporary: true}, n.negative/10
	default:
		keep = n.negative / 10
	}
	r.addrs, r.err, r.until = addrs, err, time.Now().Add(keep)
}

// forget drops addresses that lead nowhere.
func (n *names) forget(host string, addrs []netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.known[host]
	if r == nil {
		return
	}
	select {
	case <-r.done:
		if r.err == nil && slices.Equal(r.addrs, addrs) {
			delete(n.known, host)
		}
	default: // a newer question
	}
}

// makeRoom drops what has aged when there are too many names, and any of them
// if that is not enough.
func (n *names) makeRoom() {
	if len(n.known) < n.most {
		return
	}
	for host, r := range n.known {
		if r.stale() {
			delete(n.known, host)
		}
	}
	for host := range n.known {
		if len(n.known) < n.most/8*7 {
			return
		}
		delete(n.known, host)
	}
}
