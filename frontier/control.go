package frontier

import (
	"context"
	"net/netip"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/wal"
)

// Park implements [HostControl].
func (f *front) Park(ctx context.Context, url string, until time.Time) error {
	t := f.clock.in(until)
	return f.order(ctx, url, true, func(s *sched.Schedule, h uint32, now int64) bool {
		if t <= now {
			t = 0
		}
		s.Hold(h, min(t, sched.ForEver-1))
		return false
	})
}

// Block implements [HostControl].
func (f *front) Block(ctx context.Context, url string) error {
	return f.order(ctx, url, true, func(s *sched.Schedule, h uint32, _ int64) bool {
		s.Hold(h, sched.ForEver)
		return false
	})
}

// Drop implements [HostControl].
func (f *front) Drop(ctx context.Context, url string) (dropped int, err error) {
	err = f.order(ctx, url, true, func(s *sched.Schedule, h uint32, now int64) bool {
		before := s.Dropped
		s.DropByHand(h, now)
		dropped = s.Dropped - before
		return true
	})
	return dropped, err
}

// Resume implements [HostControl].
func (f *front) Resume(ctx context.Context, url string) error {
	return f.order(ctx, url, false, (*sched.Schedule).Resume)
}

// order changes what is known of a host, and journals how it is then. If nothing is known of
// it, it is made or left alone. The change says whether all that waits of the host is dropped.
func (f *front) order(ctx context.Context, url string, make bool, change func(s *sched.Schedule, h uint32, now int64) bool) error {
	key, name, msg := request.SplitHost(url)
	if msg != "" {
		return &URLError{URL: url, Msg: msg}
	}
	if err := f.enter(ctx); err != nil {
		return err
	}
	now := f.tick()
	s := f.sched
	s.Advance(now)
	c := sched.Candidate{Host: request.Fingerprint(key, s.Seed), Name: name}
	h, ok := s.Hosts.Find(c.Host)
	if !ok && !make {
		f.mu.Unlock()
		return nil
	}
	if !ok {
		h, _ = s.HostOf(&c)
	}
	f.journal.Begin(now)
	o := wal.Ordered{At: now, Name: key, Drop: change(s, h, now)}
	s.Call(c.Host, key)
	f.journal.Ordered(s, h, &o)
	s.Repark(h)
	s.SetAlarm(h)
	s.Settle(h, now)
	t := f.journal.End()
	f.dispatch(now)
	f.mu.Unlock()
	return f.commit(t)
}

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
	f.journal.Begin(now)
	free = true
	if h, ok := s.Hosts.Find(host); ok && s.Hosts.At(h).Busy() {
		before := s.Hosts.At(h).Addr
		s.MoveTo(h, addr)
		if g := s.Hosts.At(h).Addr; g != before {
			f.journal.Located(host, s.AddrOf(s.Hosts.At(h)))
		}
		if g := s.Hosts.At(h).Addr; g != 0 {
			free = int(s.Groups.At(g).Leased) <= s.PerIP
		}
	}
	t := f.journal.End()
	f.dispatch(now)
	f.mu.Unlock()
	return free, f.commit(t)
}
