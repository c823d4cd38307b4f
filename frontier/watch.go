package frontier

import (
	"context"
	"math"
	"runtime"

	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
)

// Who looks at all that waits of a host does so in steps, and lets others go on between
// them. What was on disk may come to memory meanwhile, and the other way round. What is on disk
// is read in its order, so that what is put there is found later; what comes to memory is noted
// in a watch. What is queued after they began is left out: there may be more of it all the time,
// and quicker than they go on.

// lookSteps is how much is looked at under one hold of the lock.
type lookSteps struct {
	slots int // requests in memory
	hosts int
	disk  int // requests on disk
	names int // requests that are read for the name of their host
}

func usualSteps() lookSteps { return lookSteps{slots: 4096, hosts: 1024, disk: 256, names: 8} }

// watch begins to watch a host.
func (f *front) watch(host uint64) *sched.Watch {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := &sched.Watch{Host: host, Newest: f.sched.Seq}
	f.sched.Watches = append(f.sched.Watches, w)
	return w
}

func (f *front) unwatch(w *sched.Watch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ws := f.sched.Watches
	for i := range ws {
		if ws[i] == w {
			f.sched.Watches = append(append([]*sched.Watch(nil), ws[:i]...), ws[i+1:]...)
			return
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
func (f *front) steps(ctx context.Context, w *sched.Watch, which int, do func(s *sched.Schedule, x *request.Stored) bool) error {
	for behind, more := (request.Rank{}), true; more; {
		var err error
		if behind, more, err = f.step(ctx, w, which, behind, do); err != nil {
			return err
		}
	}
	return nil
}

// step does one step of steps, and says where the next begins.
func (f *front) step(ctx context.Context, w *sched.Watch, which int, behind request.Rank, do func(s *sched.Schedule, x *request.Stored) bool) (last request.Rank, more bool, err error) {
	if err := f.enter(ctx); err != nil {
		return behind, false, err
	}
	defer f.mu.Unlock()
	s := f.sched
	h, ok := s.Hosts.Find(w.Host)
	if !ok || s.Hosts.At(h).Lanes[which] == 0 {
		return behind, false, nil
	}
	n := 0
	err = s.Shelf.Source.Each(h, which, behind, func(x *request.Stored) bool {
		n++
		behind = x.Rank()
		if x.Seq > w.Newest {
			behind = lastOf(behind)
		} else if !do(s, x) {
			return false
		}
		more = n == f.look.disk
		return !more
	})
	if err != nil {
		s.Shelf.Fault = err
		err = diskError(err)
	}
	return behind, more, err
}

// lastOf returns the last rank with the key of one. After a request that is too new, all that
// follow with its key are.
func lastOf(r request.Rank) request.Rank { return request.Rank{Key: r.Key, Seq: math.MaxUint64} }

// eachInMemory calls do for what of a queue of a host is in memory, in no order. What comes or
// is moved meanwhile is noted by a watch.
func (f *front) eachInMemory(ctx context.Context, host uint64, which int, do func(fp uint64, r request.Rank)) error {
	var some []sched.Arrival
	for from, end := uint32(1), uint32(math.MaxUint32); from < end; {
		var err error
		some, from, end, err = f.someInMemory(ctx, host, which, from, end, some[:0])
		if err != nil {
			return err
		}
		for _, a := range some { // without the lock
			do(a.FP, a.Rank)
		}
	}
	return nil
}

// someInMemory appends what is in slots from a number on, and says from which the next step
// does, and up to which. A short queue is looked at as a whole.
func (f *front) someInMemory(ctx context.Context, host uint64, which int, from, upTo uint32, some []sched.Arrival) (_ []sched.Arrival, next, end uint32, err error) {
	if err := f.enter(ctx); err != nil {
		return some, 0, 0, err
	}
	defer f.mu.Unlock()
	s := f.sched
	h, ok := s.Hosts.Find(host)
	if !ok {
		return some, 0, 0, nil
	}
	if q := s.Hosts.At(h).Queues[which]; from == 1 && int(q.N) <= f.look.slots {
		heap.Walk(looked{s.URLs}, q.Root, func(i uint32) bool {
			x := s.Slots.Look(i)
			some = append(some, sched.Arrival{Rank: x.RankIn(which), FP: x.FP})
			return true
		})
		return some, 0, 0, nil
	}
	next, end = from+uint32(f.look.slots), min(upTo, s.Slots.End)
	for i := from; i < min(next, end); i++ {
		if x := s.Slots.Look(i); x.Host == h && !x.Empty() && !x.Leased && x.Lane() == which {
			some = append(some, sched.Arrival{Rank: x.RankIn(which), FP: x.FP})
		}
	}
	return some, next, end, nil
}

// looked is the trees of requests, only to be walked through.
type looked struct{ *sched.URLs }

func (o looked) Before(a, b uint32) bool    { return sched.ByRank(o).Before(a, b) }
func (o looked) Links(i uint32) *heap.Links { return &o.Slots.Look(i).Links }
