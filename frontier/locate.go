package frontier

import (
	"context"
	"net/netip"
)

// Locate implements [Locator].
func (f *front) Locate(ctx context.Context, url string, addr netip.Addr) (free bool, err error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	key, _, msg := splitHost(url)
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
	s.advance(now)
	host := fingerprint(key, s.seed)
	f.journal.begin(now)
	free = true
	if h, ok := s.hosts.find(host); ok && s.hosts.at(h).busy() {
		before := s.hosts.at(h).addr
		s.moveTo(h, addr)
		if g := s.hosts.at(h).addr; g != before {
			f.journal.located(host, s.addrOf(s.hosts.at(h)))
		}
		if g := s.hosts.at(h).addr; g != 0 {
			free = int(s.groups.at(g).leased) <= s.perIP
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
func (r *replay) located(d *decoder) {
	key, addr := d.uint64(), d.addr()
	if h, ok := r.sched.hosts.find(key); ok && !d.bad {
		r.sched.setAddr(h, addr)
	}
}
