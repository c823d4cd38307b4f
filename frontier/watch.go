package frontier

import (
	"context"
	"runtime"

	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
)

// Who looks at all that waits of a host does so in steps, and lets others go on between
// them. What was on disk may come to memory meanwhile, and the other way round. What is on disk
// is read in its order, so that what is put there is found later; what comes to memory is noted
// in a watch.

// lookSteps is how much is looked at under one hold of the lock.
type lookSteps struct {
	slots int // requests in memory
	hosts int
	disk  int // requests on disk
	names int // requests that are read for the name of their host
}

func usualSteps() lookSteps { return lookSteps{slots: 4096, hosts: 1024, disk: 256, names: 8} }

// watch notes what of a host comes to memory.
type watch struct {
	host     uint64 // key
	arrivals []arrival
}

// arrival is a request that has come to memory, or to another place there.
type arrival struct {
	request.Rank
	lane int
	fp   uint64
	was  request.Rank // where it was among those due later, if it has become due; else zero
}

// watch begins to watch a host.
func (f *front) watch(host uint64) *watch {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := &watch{host: host}
	f.sched.watches = append(f.sched.watches, w)
	return w
}

func (f *front) unwatch(w *watch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ws := f.sched.watches
	for i := range ws {
		if ws[i] == w {
			f.sched.watches = append(append([]*watch(nil), ws[:i]...), ws[i+1:]...)
			return
		}
	}
}

// take returns what has come since. The lock is held.
func (w *watch) take() []arrival {
	all := w.arrivals
	w.arrivals = nil
	return all
}

// came notes that a request is in a queue of a host in memory.
func (s *schedule) came(host uint64, lane int, i uint32) {
	for _, w := range s.watches {
		if w.host == host {
			x := s.slots.Look(i)
			w.arrivals = append(w.arrivals, arrival{Rank: x.rankIn(lane), lane: lane, fp: x.fp})
		}
	}
}

// becameDue notes that what came last, to a slot, was among what is due later.
func (s *schedule) becameDue(host uint64, i uint32) {
	for _, w := range s.watches {
		if n := len(w.arrivals); w.host == host && n > 0 {
			w.arrivals[n-1].was = s.slots.Look(i).rankIn(request.LaterLane)
		}
	}
}

// enter takes the lock, unless there is a reason not to go on. Those who look do so in many
// short steps, and would keep a processor for as long as they have something to do: so they let
// others run before each.
func (f *front) enter(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	runtime.Gosched()
	f.mu.Lock()
	if f.stopped != nil {
		defer f.mu.Unlock()
		return f.stopped
	}
	return nil
}

// steps calls do, with the lock, for what of a queue of a host is on disk, best first, until
// it says no.
func (f *front) steps(ctx context.Context, host uint64, which int, do func(s *schedule, x *request.Stored) bool) error {
	for behind, more := (request.Rank{}), true; more; {
		var err error
		if behind, more, err = f.step(ctx, host, which, behind, do); err != nil {
			return err
		}
	}
	return nil
}

// step does one step of steps, and says where the next begins.
func (f *front) step(ctx context.Context, host uint64, which int, behind request.Rank, do func(s *schedule, x *request.Stored) bool) (last request.Rank, more bool, err error) {
	if err := f.enter(ctx); err != nil {
		return behind, false, err
	}
	defer f.mu.Unlock()
	s := f.sched
	h, ok := s.hosts.Find(host)
	if !ok || s.hosts.At(h).lanes[which] == 0 {
		return behind, false, nil
	}
	n := 0
	err = s.shelf.source.each(h, which, behind, func(x *request.Stored) bool {
		n++
		behind = x.Rank()
		if !do(s, x) {
			return false
		}
		more = n == f.look.disk
		return !more
	})
	if err != nil {
		s.shelf.fault = err
		err = diskError(err)
	}
	return behind, more, err
}

// eachInMemory calls do for what of a queue of a host is in memory, in no order. What comes or
// is moved meanwhile is noted by a watch.
func (f *front) eachInMemory(ctx context.Context, host uint64, which int, do func(fp uint64, r request.Rank)) error {
	var some []arrival
	for from := uint32(1); from > 0; {
		var err error
		some, from, err = f.someInMemory(ctx, host, which, from, some[:0])
		if err != nil {
			return err
		}
		for _, a := range some { // without the lock
			do(a.fp, a.Rank)
		}
	}
	return nil
}

// someInMemory appends what is in slots from a number on, and says from which the next step
// does; 0: all were looked at. A short queue is looked at as a whole.
func (f *front) someInMemory(ctx context.Context, host uint64, which int, from uint32, some []arrival) (_ []arrival, next uint32, err error) {
	if err := f.enter(ctx); err != nil {
		return some, 0, err
	}
	defer f.mu.Unlock()
	s := f.sched
	h, ok := s.hosts.Find(host)
	if !ok {
		return some, 0, nil
	}
	if q := s.hosts.At(h).queues[which]; from == 1 && int(q.n) <= f.look.slots {
		heap.Walk(looked{s.urls}, q.root, func(i uint32) bool {
			x := s.slots.Look(i)
			some = append(some, arrival{Rank: x.rankIn(which), fp: x.fp})
			return true
		})
		return some, 0, nil
	}
	next = from + uint32(f.look.slots)
	for i := from; i < min(next, s.slots.End); i++ {
		if x := s.slots.Look(i); x.host == h && !x.empty() && !x.leased && x.lane() == which {
			some = append(some, arrival{Rank: x.rankIn(which), fp: x.fp})
		}
	}
	if next >= s.slots.End {
		next = 0
	}
	return some, next, nil
}

// looked is the trees of requests, only to be walked through.
type looked struct{ *urls }

func (o looked) Before(a, b uint32) bool    { return byRank(o).Before(a, b) }
func (o looked) Links(i uint32) *heap.Links { return &o.slots.Look(i).Links }
