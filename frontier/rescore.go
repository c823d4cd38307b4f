package frontier

import (
	"context"
	"errors"
	"math"

	"github.com/webquarry/quarry/frontier/internal/request"
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
		byHost := map[uint64][]candidate{}
		for _, r := range reqs[:n] {
			c, err := candidateOf(Request{URL: r.URL, Variant: r.Variant, Priority: r.Priority}, f.sched.seed)
			if err != nil {
				bad = append(bad, err)
				continue
			}
			if byHost[c.host] == nil {
				order = append(order, c.host)
			}
			byHost[c.host] = append(byHost[c.host], c)
		}
		reqs = reqs[n:]
		f.awaitRoom(ctx, nil)
		var t ticket
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

func (f *front) rescoreHost(ctx context.Context, host uint64, cs []candidate) (changed int, t ticket, err error) {
	f.mu.Lock()
	if f.stopped != nil {
		defer f.mu.Unlock()
		return 0, 0, f.stopped
	}
	now := f.tick()
	f.sched.advance(now)
	f.journal.begin(now)
	if h, ok := f.sched.hosts.Find(host); ok {
		changed, err = f.rescore(ctx, h, cs, now)
	}
	t = f.journal.end()
	f.dispatch(now)
	if err == nil {
		err = f.stopped
	}
	full := f.overfull()
	f.mu.Unlock()
	if full {
		f.journal.full()
	}
	return changed, t, err
}

// rescore gives and journals new priorities of URLs of a host.
func (f *front) rescore(ctx context.Context, h uint32, cs []candidate, now int64) (n int, err error) {
	s := f.sched
	away, err := s.findShelved(ctx, h, cs)
	if err != nil {
		return 0, err
	}
	later := false
	for i := range cs {
		c := &cs[i]
		if x, ok := s.live.Find(c.fp); ok {
			if r := s.slots.At(x); r.leased || r.priority == c.Priority {
				continue
			}
			s.requeue(x, c.Priority)
			f.journal.reprice(c.fp, c.Priority)
		} else if x, ok := away[c.fp]; ok && x.Priority != c.Priority {
			x.Priority = c.Priority
			s.takeOut(h, &x, c.fp)
			f.journal.taken(&x)
			later = later || x.lane == request.LaterLane
		} else {
			continue
		}
		n++
	}
	if n == 0 {
		return 0, nil
	}
	if later && s.hosts.At(h).lanes[request.LaterLane] != 0 {
		if err := s.shelf.source.peek(h, request.LaterLane); err != nil {
			s.shelf.fault = err
		}
	}
	s.setAlarm(h)
	s.settle(h, now)
	return n, nil
}

// queued is a request and where it is in the order of queueing.
type queued struct {
	seq uint64
	request.Request
}

// outlier is a request in a run that is not the next of its lane.
type outlier struct {
	lane int
	queued
}

func (x *outlier) rank() request.Rank {
	if x.lane == request.LaterLane {
		return request.Rank{Key: uint64(x.Due), Seq: x.seq}
	}
	return request.Rank{Key: request.PriorityKey(x.Priority), Seq: x.seq}
}

// findShelved finds URLs of a host among what is not in memory.
func (s *schedule) findShelved(ctx context.Context, h uint32, cs []candidate) (map[uint64]outlier, error) {
	if s.hosts.At(h).lanes == [request.Lanes]uint32{} {
		return nil, nil
	}
	missing, found := map[uint64]bool{}, map[uint64]outlier{}
	for i := range cs {
		if _, ok := s.live.Find(cs[i].fp); !ok {
			missing[cs[i].fp] = true
		}
	}
	n := 0
	for which := range request.Lanes {
		if s.hosts.At(h).lanes[which] == 0 {
			continue
		}
		err := s.shelf.source.each(h, which, request.Rank{}, func(x *request.Stored) bool {
			if fp := s.keyOf(x); missing[fp] {
				found[fp] = s.outlier(x)
			}
			n++
			return len(found) < len(missing) && (n%1024 != 0 || ctx.Err() == nil)
		})
		if err != nil {
			s.shelf.fault = err
			return nil, nil
		}
	}
	if len(found) < len(missing) && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return found, nil
}

// requeue gives a request that waits in memory another priority.
func (s *schedule) requeue(i uint32, priority float64) {
	x := s.slots.At(i)
	ho := s.hosts.At(x.host)
	which := x.lane()
	s.dequeue(ho, which, i)
	s.reprice(i, priority)
	s.enqueue(ho, which, i)
}

// reprice does the same outside of a queue.
func (s *schedule) reprice(i uint32, priority float64) {
	s.seq++
	x := s.slots.At(i)
	x.priority, x.seq = priority, s.seq
}

// takeOut brings a request to memory out of its turn.
func (s *schedule) takeOut(h uint32, x *outlier, fp uint64) {
	delete(s.lowered, fp)
	s.shelf.takeOut(s.hosts.At(h), x.lane, x.seq)
	i := s.insert(&x.Request, fp, h)
	s.enqueue(s.hosts.At(h), x.lane, i)
}

// takeOut notes that a request is in no run any more.
func (f *shelf) takeOut(ho *host, which int, seq uint64) {
	if f.gone == nil {
		f.gone = map[uint64]struct{}{}
	}
	f.gone[seq] = struct{}{}
	l := f.lanes.At(ho.lanes[which])
	f.n--
	if l.n--; l.n == 0 {
		f.drop(ho, which)
	}
}

// left says whether a request in a run was not taken out.
func (f *shelf) left(seq uint64) bool {
	if len(f.gone) == 0 {
		return true
	}
	_, gone := f.gone[seq]
	return !gone
}

func (j *journal) reprice(fp uint64, priority float64) {
	if j != nil {
		j.steps.reprice(fp, priority)
	}
}

func (j *journal) taken(x *outlier) {
	if j != nil {
		j.steps.taken(x)
	}
}

// reprice applies that a request in memory has another priority.
func (r *replay) reprice(d *request.Decoder) {
	fp, priority := d.Uint64(), math.Float64frombits(d.Uint64())
	i, ok := r.sched.live.Find(fp)
	if !ok || math.IsNaN(priority) {
		d.Fail()
	} else if !d.Bad {
		r.sched.reprice(i, priority)
	}
}

// taken applies that a request was brought to memory out of its turn, with
// another priority. If it was shelved after the state was written, it is there.
func (r *replay) taken(d *request.Decoder, last *request.Request) error {
	x := outlier{lane: d.Count(request.Lanes - 1)}
	x.seq = uint64(d.Count(math.MaxInt))
	*last = d.Request(last)
	if d.Bad {
		return nil
	}
	x.Request = *last
	s := r.sched
	c, err := newCandidate(x.Request, s.seed)
	if err != nil {
		return err
	}
	if i, live := s.live.Find(c.fp); live {
		s.reprice(i, x.Priority)
		return nil
	}
	h, ok := s.hosts.Find(c.host)
	if !ok || s.hosts.At(h).lanes[x.lane] == 0 {
		d.Fail()
		return nil
	}
	delete(s.lowered, c.fp)
	s.shelf.takeOut(s.hosts.At(h), x.lane, x.seq)
	s.insert(&c.Request, c.fp, h)
	r.guess(h)
	return nil
}
