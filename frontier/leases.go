package frontier

import (
	"context"
	"math"
	"slices"

	"github.com/webquarry/quarry/frontier/internal/sched"
)

// leases that are open: their tokens, and when they end by themselves.
type leases struct {
	span  int64  // how long one lasts; 0: for ever
	token uint64 // of the latest

	// If they end by themselves: those that were given out or extended, in the order of
	// their ends, some of which are over; and the ends of those that were extended.
	ends     []leaseEnd
	extended map[uint64]int64 // by token
}

type leaseEnd struct {
	fp    uint64
	token uint64
	at    int64
}

// begin returns the token of another lease.
func (l *leases) begin(fp uint64, now int64) uint64 {
	l.token++
	if l.span > 0 {
		l.ends = append(l.ends, leaseEnd{fp, l.token, sched.After(now, l.span)})
	}
	return l.token
}

// extend has a lease end later.
func (l *leases) extend(fp, token uint64, now int64) (end int64) {
	if l.span == 0 {
		return 0
	}
	if l.extended == nil {
		l.extended = map[uint64]int64{}
	}
	end = sched.After(now, l.span)
	l.extended[token] = end
	l.ends = append(l.ends, leaseEnd{fp, token, end})
	return end
}

// end forgets a lease that is over.
func (l *leases) end(token uint64) {
	if len(l.extended) > 0 {
		delete(l.extended, token)
	}
}

// counts says whether a lease that is open ends then, and not later.
func (l *leases) counts(x *leaseEnd) bool {
	later, ok := l.extended[x.token]
	return !ok || later == x.at
}

// next is when the first may be over.
func (l *leases) next() int64 {
	if len(l.ends) == 0 {
		return math.MaxInt64
	}
	return l.ends[0].at
}

// tidyLeases forgets the ends of leases that are over, if those are most.
func (f *front) tidyLeases() {
	l := &f.leases
	if len(l.ends) < 2*f.sched.Leased+64 {
		return
	}
	l.ends = slices.Clip(slices.DeleteFunc(l.ends, func(x leaseEnd) bool {
		_, open := f.sched.LeasedAs(x.fp, x.token)
		return !open || !l.counts(&x)
	}))
}

// Extend implements [Extender].
func (f *front) Extend(ctx context.Context, l Lease) (Lease, error) {
	if ctx.Err() != nil {
		return l, context.Cause(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped != nil {
		return l, f.stopped
	}
	now := f.tick()
	fp := f.sched.Key(l.URL, l.Variant)
	if _, ok := f.sched.LeasedAs(fp, l.Token); !ok {
		return l, ErrLeaseExpired
	}
	l.Until = f.clock.machine(f.leases.extend(fp, l.Token, now))
	f.tidyLeases()
	f.setAlarm(now)
	return l, nil
}

// tick tells the time, up to which leases have ended by themselves. The lock is held.
func (f *front) tick() int64 {
	now := f.clock.now()
	f.expire(now)
	return now
}

// expire ends and journals the leases that are over. The lock is held.
func (f *front) expire(now int64) {
	for l := &f.leases; l.next() <= now; {
		x := l.ends[0]
		l.ends = l.ends[1:]
		i, ok := f.sched.LeasedAs(x.fp, x.token)
		if !ok || !l.counts(&x) {
			continue
		}
		l.end(x.token)
		f.sched.Advance(x.at)
		f.journal.Begin(now)
		f.journal.Expired(x.fp)
		f.journal.End()
		f.sched.Expire(i, x.at)
	}
}
