package frontier

import (
	"context"
	"errors"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/wal"
)

// rescoreBatch is how many URLs are looked for under one hold of the lock, if
// they are of one host.
const rescoreBatch = 4096

// Rescore implements [Rescorer].
func (f *front) Rescore(ctx context.Context, reqs ...Request) (changed int, err error) {
	var bad []error
	for len(reqs) > 0 && err == nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
			break
		}
		n := min(len(reqs), rescoreBatch)
		var order []uint64
		byHost := map[uint64][]sched.Candidate{}
		for _, r := range reqs[:n] {
			c, err := candidateOf(Request{URL: r.URL, Variant: r.Variant, Priority: r.Priority}, f.sched.Seed)
			if err != nil {
				bad = append(bad, err)
				continue
			}
			if byHost[c.Host] == nil {
				order = append(order, c.Host)
			}
			byHost[c.Host] = append(byHost[c.Host], c)
		}
		reqs = reqs[n:]
		f.awaitRoom(ctx, nil)
		var t wal.Ticket
		for _, host := range order {
			var k int
			k, t, err = f.rescoreHost(ctx, host, byHost[host])
			changed += k
			if err != nil {
				break
			}
		}
		if err == nil {
			err = f.commit(t)
		}
	}
	return changed, errors.Join(append(bad, err)...)
}

func (f *front) rescoreHost(ctx context.Context, host uint64, cs []sched.Candidate) (changed int, t wal.Ticket, err error) {
	f.mu.Lock()
	if f.stopped != nil {
		defer f.mu.Unlock()
		return 0, 0, f.stopped
	}
	now := f.tick()
	f.sched.Advance(now)
	f.journal.Begin(now)
	if h, ok := f.sched.Hosts.Find(host); ok {
		changed, err = f.rescore(ctx, h, cs, now)
	}
	t = f.journal.End()
	f.dispatch(now)
	if err == nil {
		err = f.stopped
	}
	full := f.overfull()
	f.mu.Unlock()
	if full {
		f.journal.Full()
	}
	return changed, t, err
}

// rescore gives and journals new priorities of URLs of a host.
func (f *front) rescore(ctx context.Context, h uint32, cs []sched.Candidate, now int64) (n int, err error) {
	s := f.sched
	away, err := s.FindShelved(ctx, h, cs)
	if err != nil {
		return 0, err
	}
	later := false
	for i := range cs {
		c := &cs[i]
		if x, ok := s.Live.Find(c.FP); ok {
			if r := s.Slots.At(x); r.Leased || r.Priority == c.Priority {
				continue
			}
			s.Requeue(x, c.Priority)
			f.journal.Reprice(c.FP, c.Priority)
		} else if x, ok := away[c.FP]; ok && x.Priority != c.Priority {
			x.Priority = c.Priority
			s.TakeOut(h, &x, c.FP)
			f.journal.Taken(&x)
			later = later || x.Lane == request.LaterLane
		} else {
			continue
		}
		n++
	}
	if n == 0 {
		return 0, nil
	}
	if later && s.Hosts.At(h).Lanes[request.LaterLane] != 0 {
		if err := s.Shelf.Source.Peek(h, request.LaterLane); err != nil {
			s.Shelf.Fault = err
		}
	}
	s.SetAlarm(h)
	s.Settle(h, now)
	return n, nil
}
