package frontier

import (
	"context"
	"net/netip"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// Locate implements [Locator].
func (f *front) Locate(ctx context.Context, url string, addr netip.Addr) (free bool, err error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	key, _, msg := request.SplitHost(url)
	if msg != "" {
		return false, &URLError{URL: url, Msg: msg}
	}
	f.mu.Lock()
	if f.stopped != nil {
		defer f.mu.Unlock()
		return false, f.stopped
	}
	now := f.tick()
	s := f.sched
	s.Advance(now)
	host := request.Fingerprint(key, s.Seed)
	f.journal.begin(now)
	free = true
	if h, ok := s.Hosts.Find(host); ok && s.Hosts.At(h).Busy() {
		before := s.Hosts.At(h).Addr
		s.MoveTo(h, addr)
		if g := s.Hosts.At(h).Addr; g != before {
			f.journal.located(host, s.AddrOf(s.Hosts.At(h)))
		}
		if g := s.Hosts.At(h).Addr; g != 0 {
			free = int(s.Groups.At(g).Leased) <= s.PerIP
		}
	}
	t := f.journal.end()
	f.dispatch(now)
	f.mu.Unlock()
	return free, f.commit(t)
}

func (j *journal) located(host uint64, addr netip.Addr) {
	if j != nil {
		j.steps.located(host, addr)
	}
}

// located applies that the address of a host has become known.
func (r *replay) located(d *request.Decoder) {
	key, addr := d.Uint64(), d.Addr()
	if h, ok := r.sched.Hosts.Find(key); ok && !d.Bad {
		r.sched.SetAddr(h, addr)
	}
}
