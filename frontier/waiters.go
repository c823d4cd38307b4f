package frontier

import (
	"container/list"
	"math"
	"sync"
	"time"

	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/wal"
)

// waiters are the calls of Next that have no answer yet, first come first
// served, and the timer that wakes them. No goroutine waits for a host.
type waiters struct {
	calls list.List // of *waiter
	timer *time.Timer
	alarm int64 // when the timer fires; 0: not set
}

// waiter is a call of Next.
type waiter struct {
	answer chan grant // has room for the one answer
	in     *list.Element
}

// grant is the answer to a call of Next.
type grant struct {
	lease  Lease
	slot   sched.Slot // as it was leased
	at     int64      // time of the lease
	calm   bool       // no clock has to know of it
	ticket wal.Ticket
	err    error
}

// texts are for the texts of requests that are read without the lock.
var texts = sync.Pool{New: func() any { return new([]byte) }}

func (w *waiters) push(c *waiter) { c.in = w.calls.PushBack(c) }

// remove takes a call back and says whether it was still waiting.
func (w *waiters) remove(c *waiter) bool {
	if c.in == nil {
		return false
	}
	w.calls.Remove(c.in)
	c.in = nil
	return true
}

// answer answers the call that waited longest.
func (w *waiters) answer(g grant) {
	c := w.calls.Remove(w.calls.Front()).(*waiter)
	c.in = nil
	c.answer <- g
}

// fail answers all calls.
func (w *waiters) fail(err error) {
	for w.calls.Len() > 0 {
		w.answer(grant{err: err})
	}
}

// dispatch leases to waiting calls what can be leased now, tells them if there
// is nothing left, and otherwise sees to it that it is called again in time.
// The lock is held.
func (f *front) dispatch(now int64) {
	f.expire(now)
	f.sched.Advance(now)
	if f.note != nil {
		f.note()
	}
	for f.wait.calls.Len() > 0 {
		g, text, ok := f.lease(now)
		if !ok {
			break
		}
		g.lease.Request = public(g.slot.Request(text))
		f.wait.answer(g)
	}
	if err := f.sched.Shelf.Fault; err != nil {
		f.fail(diskError(err))
		return
	}
	if f.wait.calls.Len() > 0 && f.sched.Drained(now, f.horizon) {
		f.wait.fail(ErrDrained)
	}
	f.setAlarm(now)
}

// lease leases and journals the best request that can be leased now. Its text is good
// while the lock is held.
func (f *front) lease(now int64) (g grant, text []byte, ok bool) {
	i, ok := f.sched.Lease(now)
	if !ok {
		return grant{}, nil, false
	}
	x := f.sched.Slots.At(i)
	x.SetToken(f.leases.begin(x.FP, now))
	f.tidyLeases()
	g = grant{slot: *x, at: now}
	g.lease.Token = x.Token()
	f.touched += f.sched.TouchEnd(&g.slot)
	f.journal.Begin(now)
	f.journal.Lease(g.slot.FP, int(g.slot.Attempt), now)
	g.ticket = f.journal.End()
	g.calm = f.sched.Calm(g.slot.Host, now)
	return g, f.sched.Text.Get(i), true
}

// setAlarm sets the timer to when time alone brings something for those who
// wait.
func (f *front) setAlarm(now int64) {
	w := &f.wait
	next := min(f.sched.NextEvent(), f.leases.next())
	if w.calls.Len() == 0 || next == math.MaxInt64 {
		next = 0
	}
	if next == w.alarm {
		return
	}
	w.alarm = next
	switch {
	case next == 0:
		w.timer.Stop()
	case w.timer == nil:
		w.timer = time.AfterFunc(time.Duration(next-now), f.wake)
	default:
		w.timer.Reset(time.Duration(next - now))
	}
}

// wake is called by the timer.
func (f *front) wake() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wait.alarm = 0
	if f.stopped == nil {
		f.dispatch(f.clock.now())
	}
}
