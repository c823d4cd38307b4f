package frontier

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/store"
)

// Hosts implements [Inspector].
func (f *front) Hosts(ctx context.Context) iter.Seq2[Host, error] {
	return func(yield func(Host, error) bool) {
		leased, err := f.leasedOf(ctx)
		for from, end := uint32(1), uint32(math.MaxUint32); from < end && err == nil; {
			var hosts []Host
			hosts, from, end, err = f.someHosts(ctx, from, end, leased)
			for _, h := range hosts {
				if !yield(h, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(Host{}, err)
		}
	}
}

// leasedOf returns the names of the hosts that are being visited, by key.
func (f *front) leasedOf(ctx context.Context) (map[uint64]string, error) {
	names := map[uint64]string{}
	s := f.sched
	for from, end := uint32(1), uint32(math.MaxUint32); from < end; from += uint32(f.look.slots) {
		if err := f.enter(ctx); err != nil {
			return nil, err
		}
		end = min(end, s.Slots.End)
		for i := from; i < min(from+uint32(f.look.slots), end); i++ {
			if x := s.Slots.Look(i); x.Leased && !x.Empty() {
				names[s.Hosts.At(x.Host).Key] = s.Origin(i)
			}
		}
		f.mu.Unlock()
	}
	return names, nil
}

// someHosts returns hosts from a number on, from which the next step does, and up to which.
func (f *front) someHosts(ctx context.Context, from, upTo uint32, leased map[uint64]string) (hosts []Host, next, end uint32, err error) {
	if err := f.enter(ctx); err != nil {
		return nil, 0, 0, err
	}
	defer f.mu.Unlock()
	s := f.sched
	end = min(upTo, s.Hosts.End)
	read := 0 // names
	for next = from; next < min(from+uint32(f.look.hosts), end) && read < f.look.names; next++ {
		ho := s.Hosts.Look(next)
		if at, ok := s.Hosts.Find(ho.Key); !ok || at != next {
			continue // it is no more
		}
		name := cmp.Or(s.Names[ho.Key], leased[ho.Key])
		if name == "" {
			if ho.Queues[request.DueLane].N+ho.Queues[request.LaterLane].N == 0 && ho.Busy() {
				read++
			}
			name = s.NameOf(next)
		}
		if name != "" {
			x := look(s, next, name)
			x.told(f.clock)
			hosts = append(hosts, x)
		}
	}
	if s.Shelf.Fault != nil {
		return hosts, 0, 0, diskError(s.Shelf.Fault)
	}
	return hosts, next, end, nil
}

// Pending implements [Inspector].
func (f *front) Pending(ctx context.Context, url string) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		name, _, msg := request.SplitHost(url)
		if msg != "" {
			yield(Request{}, &URLError{URL: url, Msg: msg})
			return
		}
		p := &pendingOf{front: f, Watch: f.watch(request.Fingerprint(name, f.sched.Seed))}
		defer f.unwatch(p.Watch)
		for which := range request.Lanes {
			p.lane, p.behind, p.listed = which, request.Rank{}, p.listed[:0]
			err := f.eachInMemory(ctx, p.Host, which, func(fp uint64, r request.Rank) { p.list(fp, r) })
			for more := true; more && err == nil; {
				var reqs []Request
				reqs, more, err = p.some(ctx)
				for _, r := range reqs {
					r.Due = f.clock.outTime(r.Due)
					if !yield(r, nil) {
						return
					}
				}
			}
			if err != nil {
				yield(Request{}, err)
				return
			}
		}
	}
}

// pendingOf is the listing of what waits of a host.
type pendingOf struct {
	*sched.Watch
	front  *front
	lane   int             // that is being listed
	behind request.Rank    // up to which it was
	late   []sched.Arrival // what became due behind that
	listed []heap.Entry    // what of the lane was in memory, and was not yielded: a heap by rank and fingerprint
}

func (p *pendingOf) list(fp uint64, r request.Rank) {
	if r.Seq > p.Newest {
		return
	}
	p.listed = heap.Push(heap.Unplaced{}, p.listed, 0, heap.Key{First: r.Key, Second: r.Seq, Third: fp})
}

func rankOf(e heap.Entry) request.Rank { return request.Rank{Key: e.First, Seq: e.Second} }

// some returns the next requests, and whether there may be more.
func (p *pendingOf) some(ctx context.Context) (reqs []Request, more bool, err error) {
	f, s := p.front, p.front.sched
	var next []heap.Entry // without the lock, as it takes a while
	for len(p.listed) > 0 {
		e := p.listed[0]
		twice := len(next) > 0 && next[len(next)-1] == e
		if !twice && len(next) == f.look.disk {
			break
		}
		p.listed = heap.Remove(heap.Unplaced{}, p.listed, 0)
		if !twice {
			next = append(next, e)
		}
	}
	if err := f.enter(ctx); err != nil {
		return nil, false, err
	}
	defer f.mu.Unlock()
	none := request.Rank{Key: math.MaxUint64, Seq: math.MaxUint64}
	end := none // what follows comes later
	if len(p.listed) > 0 {
		end = rankOf(p.listed[0])
	}
	var some []sched.Outlier
	read := 0
	if h, ok := s.Hosts.Find(p.Host); ok && s.Hosts.At(h).Lanes[p.lane] != 0 {
		err := s.Shelf.Source.Each(h, p.lane, p.behind, func(x *request.Stored) bool {
			old := x.Seq <= p.Newest
			if read == f.look.disk {
				r := x.Rank()
				if !old {
					r = lastOf(r)
				}
				end = lesser(end, r)
				return false
			}
			if read++; old {
				some = append(some, s.Outlier(x))
			}
			return true
		})
		if err != nil {
			s.Shelf.Fault = err
			return nil, false, diskError(err)
		}
	}
	for _, a := range p.Take() {
		switch {
		case a.Seq > p.Newest:
		case a.Lane == p.lane && p.behind.Before(a.Rank):
			p.list(a.FP, a.Rank)
			end = lesser(end, a.Rank)
		case a.Was != (request.Rank{}) && (p.lane == request.DueLane || p.behind.Before(a.Was)): // it was not yielded among those due later
			p.late = append(p.late, a)
		}
	}
	if reqs, err = p.takeLate(reqs); err != nil {
		return nil, false, err
	}
	for _, e := range next {
		r := rankOf(e)
		if !r.Before(end) {
			p.list(e.Third, r)
		} else if i, ok := s.Live.Find(e.Third); ok && p.behind.Before(r) && s.WaitsAt(i, p.lane, r) {
			some = append(some, sched.Outlier{Lane: p.lane, Queued: sched.Queued{Seq: r.Seq, Request: s.Request(i)}})
		}
	}
	some = slices.DeleteFunc(some, func(x sched.Outlier) bool { return !x.Rank().Before(end) })
	slices.SortFunc(some, func(a, b sched.Outlier) int { return a.Rank().Compare(b.Rank()) })
	some = slices.CompactFunc(some, func(a, b sched.Outlier) bool { return a.Seq == b.Seq })
	for i := range some {
		reqs = append(reqs, public(some[i].Request))
	}
	p.behind = request.Rank{Key: end.Key, Seq: end.Seq - 1}
	return reqs, end != none || len(p.late) > 0, nil
}

// takeLate appends requests that became due behind what was listed, some of which may have been
// shelved since.
func (p *pendingOf) takeLate(reqs []Request) ([]Request, error) {
	s := p.front.sched
	h, known := s.Hosts.Find(p.Host)
	for read := 0; len(p.late) > 0 && read < p.front.look.names; p.late = p.late[1:] {
		a := p.late[0]
		i, live := s.Live.Find(a.FP)
		switch {
		case live && s.WaitsAt(i, request.DueLane, a.Rank):
			reqs = append(reqs, public(s.Request(i)))
		case !live && known && s.Hosts.At(h).Lanes[request.DueLane] != 0:
			read++
			err := s.Shelf.Source.Each(h, request.DueLane, request.Rank{Key: a.Key, Seq: a.Seq - 1}, func(x *request.Stored) bool {
				if x.Rank() == a.Rank {
					reqs = append(reqs, public(s.Outlier(x).Request))
				}
				return false
			})
			if err != nil {
				s.Shelf.Fault = err
				return nil, diskError(err)
			}
		}
	}
	return reqs, nil
}

func lesser(a, b request.Rank) request.Rank {
	if b.Before(a) {
		return b
	}
	return a
}

// restsLong is how long a host must rest to hold up what is queued of it.
const restsLong = int64(time.Minute)

// Resting implements [Inspector].
func (f *front) Resting(ctx context.Context, most int) (hosts []Host, all, urls int, err error) {
	type resting struct {
		host store.Numbered
		n    int
	}
	var found []resting
	s := f.sched
	for from, end := uint32(1), uint32(math.MaxUint32); from < end; from += uint32(f.look.hosts) {
		if err := f.enter(ctx); err != nil {
			return nil, 0, 0, err
		}
		now := f.tick()
		end = min(end, s.Hosts.End)
		for h := from; h < min(from+uint32(f.look.hosts), end); h++ {
			ho := s.Hosts.Look(h)
			if at, ok := s.Hosts.Find(ho.Key); !ok || at != h || s.Allowed(ho) <= sched.After(now, restsLong) {
				continue
			}
			if n := s.QueuedOf(ho); n > 0 {
				found = append(found, resting{store.Numbered{Key: ho.Key, At: h}, n})
				urls += n
			}
		}
		f.mu.Unlock()
	}
	slices.SortFunc(found, func(a, b resting) int { return cmp.Compare(b.n, a.n) })
	for _, x := range found[:min(max(most, 0), len(found))] {
		if err := f.enter(ctx); err != nil {
			return nil, 0, 0, err
		}
		if h, ok := s.Hosts.Find(x.host.Key); ok {
			if name := cmp.Or(s.Names[x.host.Key], s.NameOf(h)); name != "" {
				x := look(s, h, name)
				x.told(f.clock)
				hosts = append(hosts, x)
			}
		}
		f.mu.Unlock()
	}
	return hosts, len(found), urls, nil
}
