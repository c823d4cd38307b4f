package frontier

import (
	"context"
	"errors"
	"math"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
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

func (f *front) rescoreHost(ctx context.Context, host uint64, cs []sched.Candidate) (changed int, t ticket, err error) {
	f.mu.Lock()
	if f.stopped != nil {
		defer f.mu.Unlock()
		return 0, 0, f.stopped
	}
	now := f.tick()
	f.sched.Advance(now)
	f.journal.begin(now)
	if h, ok := f.sched.Hosts.Find(host); ok {
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
			f.journal.reprice(c.FP, c.Priority)
		} else if x, ok := away[c.FP]; ok && x.Priority != c.Priority {
			x.Priority = c.Priority
			s.TakeOut(h, &x, c.FP)
			f.journal.taken(&x)
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

func (j *journal) reprice(fp uint64, priority float64) {
	if j != nil {
		j.steps.reprice(fp, priority)
	}
}

func (j *journal) taken(x *sched.Outlier) {
	if j != nil {
		j.steps.taken(x)
	}
}

// reprice applies that a request in memory has another priority.
func (r *replay) reprice(d *request.Decoder) {
	fp, priority := d.Uint64(), math.Float64frombits(d.Uint64())
	i, ok := r.sched.Live.Find(fp)
	if !ok || math.IsNaN(priority) {
		d.Fail()
	} else if !d.Bad {
		r.sched.Reprice(i, priority)
	}
}

// taken applies that a request was brought to memory out of its turn, with
// another priority. If it was shelved after the state was written, it is there.
func (r *replay) taken(d *request.Decoder, last *request.Request) error {
	x := sched.Outlier{Lane: d.Count(request.Lanes - 1)}
	x.Seq = uint64(d.Count(math.MaxInt))
	*last = d.Request(last)
	if d.Bad {
		return nil
	}
	x.Request = *last
	s := r.sched
	c, err := newCandidate(x.Request, s.Seed)
	if err != nil {
		return err
	}
	if i, live := s.Live.Find(c.FP); live {
		s.Reprice(i, x.Priority)
		return nil
	}
	h, ok := s.Hosts.Find(c.Host)
	if !ok || s.Hosts.At(h).Lanes[x.Lane] == 0 {
		d.Fail()
		return nil
	}
	delete(s.Lowered, c.FP)
	s.Shelf.TakeOut(s.Hosts.At(h), x.Lane, x.Seq)
	s.Insert(&c.Request, c.FP, h)
	r.guess(h)
	return nil
}
