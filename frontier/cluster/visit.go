package cluster

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// held is a lease, and the partition that it is of.
type held struct {
	lease frontier.Lease
	p     *partition
}

// visit tells a lease from others.
type visit struct {
	url, variant string
	token        uint64
}

func visitOf(l frontier.Lease) visit { return visit{l.URL, l.Variant, l.Token} }

// A node whose partitions have nothing to visit looks whether all is drained after idle, and then
// each time after twice as long, but for idleMost.
const (
	idle     = 200 * time.Millisecond
	idleMost = 5 * time.Second
)

// Next implements [frontier.Frontier]. Of the requests that may be visited now in the partitions
// of the node it gives out one; the order by priority is that of each partition. It says that the
// frontier is drained when all partitions are, on whatever nodes.
func (n *Node) Next(ctx context.Context) (frontier.Lease, error) {
	for {
		if err := n.usable(ctx); err != nil {
			return frontier.Lease{}, err
		}
		if h, ok := n.takeSpare(); ok {
			return n.giveOut(h), nil
		}
		h, err := n.first(ctx)
		switch {
		case errors.Is(err, frontier.ErrDrained):
			return frontier.Lease{}, err
		case err == nil && h.p.live():
			return n.giveOut(h), nil
		}
	}
}

func (n *Node) takeSpare() (held, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.spare) > 0 {
		h := n.spare[0]
		n.spare = n.spare[1:]
		if n.parts[h.p.n] == h.p && time.Now().Before(h.p.until) && (h.lease.Until.IsZero() || time.Now().Before(h.lease.Until)) {
			return h, true
		}
	}
	return held{}, false
}

// giveOut notes which partition a lease is of.
func (n *Node) giveOut(h held) frontier.Lease {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.owner[visitOf(h.lease)] = h
	return h.lease
}

// tidy forgets leases that have expired.
func (n *Node) tidy() {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	for v, h := range n.owner {
		if !h.lease.Until.IsZero() && h.lease.Until.Before(now) {
			delete(n.owner, v)
		}
	}
}

// race is the waiting for the first lease of any partition.
type race struct {
	mu     sync.Mutex
	leases []held
	err    error         // a partition failed
	dry    int           // partitions in which nothing is left
	news   chan struct{} // holds one if something has changed
}

func (r *race) tell(change func()) {
	r.mu.Lock()
	change()
	r.mu.Unlock()
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// errChanged says that there are other partitions now.
var errChanged = errors.New("cluster: there are other partitions now")

// first returns the first lease of any partition that is here; further ones that came meanwhile
// are kept for the next calls. It is ErrDrained if nothing is left anywhere, and other errors
// mean that it is to be called again, if anything.
func (n *Node) first(ctx context.Context) (held, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ps, changed := n.visitable()
	r := &race{news: make(chan struct{}, 1)}
	var running sync.WaitGroup
	for _, p := range ps {
		running.Go(func() { n.run(ctx, r, p) })
	}
	err := n.await(ctx, r, len(ps), changed)
	cancel()
	running.Wait()
	if len(r.leases) == 0 {
		return held{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.spare = append(n.spare, r.leases[1:]...)
	return r.leases[0], nil
}

// visitable returns the partitions that may be visited.
func (n *Node) visitable() (ps []*partition, changed chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	for _, p := range n.parts {
		if p.ready && !p.leaving && now.Before(p.until) {
			ps = append(ps, p)
		}
	}
	return ps, n.changed
}

// run waits for a lease of one partition.
func (n *Node) run(ctx context.Context, r *race, p *partition) {
	for {
		n.mu.Lock()
		added := p.added
		n.mu.Unlock()
		l, err := p.f.Next(ctx)
		switch {
		case err == nil:
			r.tell(func() { r.leases = append(r.leases, held{l, p}) })
			return
		case !errors.Is(err, frontier.ErrDrained):
			if ctx.Err() == nil {
				n.failed(p, err)
				r.tell(func() { r.err = err })
			}
			return
		}
		r.tell(func() { r.dry++ })
		select {
		case <-added:
			r.tell(func() { r.dry-- })
		case <-ctx.Done():
			return
		}
	}
}

// await returns when there is a lease, or a reason why there will be none.
func (n *Node) await(ctx context.Context, r *race, partitions int, changed <-chan struct{}) error {
	wait := idle
	look := time.NewTimer(wait)
	defer look.Stop()
	for asked := false; ; {
		r.mu.Lock()
		over, err, dry := len(r.leases) > 0, r.err, r.dry == partitions
		r.mu.Unlock()
		if over || err != nil {
			return err
		}
		if dry && !asked {
			if drained, err := n.Drained(ctx); err != nil {
				return err
			} else if drained {
				return frontier.ErrDrained
			}
			asked = true
			look.Reset(wait)
			wait = min(2*wait, idleMost)
		}
		var again <-chan time.Time
		if dry {
			again = look.C
		}
		select {
		case <-r.news:
			wait = idle
		case <-again:
			asked = false
		case <-changed:
			return errChanged
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// failed gives up a partition whose frontier has failed.
func (n *Node) failed(p *partition, err error) {
	if p.ctx.Err() == nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		n.lose(p, err)
	}
}

// find returns the partition of a lease that this node has given out.
func (n *Node) find(l frontier.Lease) *partition {
	n.mu.Lock()
	p := n.owner[visitOf(l)].p
	n.mu.Unlock()
	if p == nil || !p.live() {
		return nil
	}
	return p
}

// Done implements [frontier.Frontier]. Links of other partitions are on the server before the
// lease is ended. Of a partition that the node has lost it is ErrLeaseExpired.
func (n *Node) Done(ctx context.Context, l frontier.Lease, out frontier.Outcome) error {
	if err := n.usable(context.Background()); err != nil {
		return err
	}
	p := n.find(l)
	if p == nil {
		return frontier.ErrLeaseExpired
	}
	ctx = context.WithoutCancel(ctx)
	if len(out.Found) > 0 && n.opt.Mode != CrossOver {
		own, away := n.part(p.n, out.Found)
		if out.Found = own; len(away) > 0 && n.opt.Mode == Exchange {
			if _, err := p.f.Extend(ctx, l); err != nil { // a late Done changes nothing
				return n.over(p, l, err)
			}
			for q, reqs := range away {
				if err := n.send(ctx, q, reqs); err != nil {
					return err
				}
			}
		}
	}
	err := p.f.Done(ctx, l, out)
	p.hasAdded()
	return n.over(p, l, err)
}

// over notes that a lease has ended.
func (n *Node) over(p *partition, l frontier.Lease, err error) error {
	n.mu.Lock()
	delete(n.owner, visitOf(l))
	n.mu.Unlock()
	_, rest := frontier.Refusals(err)
	if rest == nil || errors.Is(rest, frontier.ErrLeaseExpired) {
		return err
	}
	n.failed(p, rest)
	if n.usable(context.Background()) != nil {
		return frontier.ErrClosed
	}
	if errors.Is(rest, ErrFenced) || errors.Is(rest, frontier.ErrClosed) {
		return frontier.ErrLeaseExpired
	}
	return err
}

// part parts links into those that stay in a partition, also as they would be refused, and others.
func (n *Node) part(own int, reqs []frontier.Request) (stay []frontier.Request, away map[int][]frontier.Request) {
	away = map[int][]frontier.Request{}
	for _, r := range reqs {
		q, ok := partitionOf(r.URL, n.opt.Partitions)
		if !ok || q == own || !sendable(&r) {
			stay = append(stay, r)
		} else {
			away[q] = append(away[q], r)
		}
	}
	return stay, away
}

// sendable says whether variant and values of a request are within their bounds.
func sendable(r *frontier.Request) bool {
	size := 0
	for k, v := range r.Meta.All() {
		if size += len(k) + len(v) + 8; len(k) > frontier.MaxMetaKey {
			return false
		}
	}
	return size <= frontier.MaxMeta && r.Meta.Len() <= frontier.MaxMetaValues && len(r.Variant) <= frontier.MaxVariant
}

// send queues links for a partition: at once if it is here, else by the stream.
func (n *Node) send(ctx context.Context, q int, reqs []frontier.Request) error {
	n.mu.Lock()
	p := n.parts[q]
	n.mu.Unlock()
	if p != nil && p.live() {
		_, err := p.f.Add(ctx, reqs...)
		p.hasAdded()
		if _, rest := frontier.Refusals(err); rest == nil {
			return err
		}
	}
	for _, batch := range batches(reqs) {
		b, err := encode(toWire(batch))
		if err != nil {
			return err
		}
		for over := time.Now().Add(n.opt.LeaseFor); ; pause(n.ctx, 50*time.Millisecond) {
			ctx, cancel := context.WithTimeout(ctx, min(2*time.Second, n.opt.LeaseFor))
			_, err = n.js.Publish(ctx, n.subject("links", q), b)
			cancel()
			if err == nil || n.ctx.Err() != nil || !time.Now().Before(over) {
				break
			}
		}
		if err != nil {
			return connectError(n.opt.URL, err)
		}
	}
	return nil
}

// Extend implements [frontier.Extender].
func (n *Node) Extend(ctx context.Context, l frontier.Lease) (frontier.Lease, error) {
	if err := n.usable(ctx); err != nil {
		return l, err
	}
	p := n.find(l)
	if p == nil {
		return l, frontier.ErrLeaseExpired
	}
	l, err := p.f.Extend(ctx, l)
	if err == nil {
		n.giveOut(held{l, p})
	}
	return l, err
}

// Locate implements [frontier.Locator], for hosts that this node visits.
func (n *Node) Locate(ctx context.Context, url string, addr netip.Addr) (free bool, err error) {
	if err := n.usable(ctx); err != nil {
		return false, err
	}
	q, ok := partitionOf(url, n.opt.Partitions)
	n.mu.Lock()
	p := n.parts[q]
	n.mu.Unlock()
	if !ok || p == nil || !p.live() {
		return ok, nil
	}
	return p.f.Locate(ctx, url, addr)
}
