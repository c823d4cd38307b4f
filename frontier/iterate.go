package frontier

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// lookStep is how many hosts or requests are looked at under one hold of the lock.
const lookStep = 256

// Hosts implements [Inspector].
func (f *front) Hosts() iter.Seq[Host] {
	return func(yield func(Host) bool) {
		leased := f.leasedOf()
		for from := uint32(1); ; from += lookStep {
			hosts, end := f.someHosts(from, leased)
			for _, h := range hosts {
				if !yield(h) {
					return
				}
			}
			if end {
				return
			}
		}
	}
}

// leasedOf returns the names of the hosts that are being visited, by key.
func (f *front) leasedOf() map[uint64]string {
	names := map[uint64]string{}
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sched
	for i := uint32(1); i < s.slots.end; i++ {
		if x := s.slots.at(i); x.leased && !x.empty() {
			names[s.hosts.at(x.host).key] = s.origin(i)
		}
		if i%1024 == 0 {
			f.mu.Unlock()
			f.mu.Lock()
		}
	}
	return names
}

func (f *front) someHosts(from uint32, leased map[uint64]string) (hosts []Host, end bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sched
	if f.stopped != nil {
		return nil, true
	}
	for h := from; h < from+lookStep && h < s.hosts.end; h++ {
		ho := s.hosts.at(h)
		if at, ok := s.hosts.find(ho.key); !ok || at != h {
			continue // it is no more
		}
		name := cmp.Or(s.names[ho.key], s.nameOf(h), leased[ho.key])
		if name != "" {
			x := s.look(h, name)
			x.told(f.clock)
			hosts = append(hosts, x)
		}
	}
	return hosts, from+lookStep >= s.hosts.end
}

// nameOf is scheme, name and port of a host, if something of it waits.
func (s *schedule) nameOf(h uint32) (name string) {
	ho := s.hosts.at(h)
	for which, q := range ho.queues {
		if q.root != 0 {
			return s.origin(q.root)
		}
		if ho.lanes[which] == 0 {
			continue
		}
		err := s.shelf.source.each(h, which, rank{}, func(x *shelved) bool {
			name, _, _ = splitHost(string(x.url))
			return false
		})
		if err != nil {
			s.shelf.fault = err
		}
		if name != "" {
			return name
		}
	}
	return ""
}

// Pending implements [Inspector].
func (f *front) Pending(url string) iter.Seq[Request] {
	return func(yield func(Request) bool) {
		key, _, msg := splitHost(url)
		if msg != "" {
			return
		}
		for which := range lanes {
			for behind, more := (rank{}), true; more; {
				var reqs []outlier
				reqs, more = f.somePending(fingerprint(key, f.sched.seed), which, behind)
				for i := range reqs {
					req := reqs[i].Request
					req.Due = f.clock.outTime(req.Due)
					if !yield(req) {
						return
					}
				}
				if more {
					behind = reqs[len(reqs)-1].rank()
				}
			}
		}
	}
}

// somePending returns the next requests behind a rank, and whether there may be
// more.
func (f *front) somePending(host uint64, which int, behind rank) (reqs []outlier, more bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sched
	h, ok := s.hosts.find(host)
	if f.stopped != nil || !ok {
		return nil, false
	}
	ho := s.hosts.at(h)
	q := ho.queues[which]
	most := max(lookStep, int(q.n)/16)
	var slots []uint32
	walk(byRank{s.urls}, q.root, func(i uint32) bool {
		if behind.before(s.slots.at(i).rankIn(which)) {
			slots = append(slots, i)
		}
		return true
	})
	slices.SortFunc(slots, func(a, b uint32) int { return s.slots.at(a).rankIn(which).compare(s.slots.at(b).rankIn(which)) })
	for _, i := range slots[:min(len(slots), most)] {
		reqs = append(reqs, outlier{which, queued{s.slots.at(i).seq, s.request(i)}})
	}
	if ho.lanes[which] != 0 {
		n := 0
		err := s.shelf.source.each(h, which, behind, func(x *shelved) bool {
			reqs = append(reqs, s.outlier(x))
			n++
			return n < most
		})
		if err != nil {
			s.shelf.fault = err
		}
	}
	slices.SortFunc(reqs, func(a, b outlier) int { return a.rank().compare(b.rank()) })
	if len(reqs) < most {
		return reqs, false
	}
	return reqs[:most], true
}

// outlier is a request in a run with what is remembered of it.
func (s *schedule) outlier(x *shelved) outlier {
	r := x.request()
	if depth, ok := s.lowered[s.key(&r)]; ok {
		r.Depth = min(r.Depth, int(depth))
	}
	return outlier{int(x.lane), queued{x.seq, r}}
}

func (r rank) compare(o rank) int {
	return cmp.Or(cmp.Compare(r.key, o.key), cmp.Compare(r.seq, o.seq))
}

// restsLong is how long a host must rest to hold up what is queued of it.
const restsLong = int64(time.Minute)

// Resting implements [Inspector].
func (f *front) Resting(most int) (hosts []Host, all, urls int) {
	type resting struct {
		h uint32
		n int
	}
	var found []resting
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sched
	if f.stopped != nil {
		return nil, 0, 0
	}
	now := f.tick()
	for h := uint32(1); h < s.hosts.end; h++ {
		ho := s.hosts.at(h)
		if at, ok := s.hosts.find(ho.key); !ok || at != h || s.allowed(ho) <= after(now, restsLong) {
			continue
		}
		if n := s.queuedOf(ho); n > 0 {
			found = append(found, resting{h, n})
			urls += n
		}
	}
	slices.SortFunc(found, func(a, b resting) int { return cmp.Compare(b.n, a.n) })
	for _, x := range found[:min(max(most, 0), len(found))] {
		if name := cmp.Or(s.names[s.hosts.at(x.h).key], s.nameOf(x.h)); name != "" {
			look := s.look(x.h, name)
			look.told(f.clock)
			hosts = append(hosts, look)
		}
	}
	return hosts, len(found), urls
}

// queuedOf is how much of a host waits.
func (s *schedule) queuedOf(ho *host) (n int) {
	for which, q := range ho.queues {
		n += int(q.n)
		if l := ho.lanes[which]; l != 0 {
			n += int(s.shelf.lanes.at(l).n)
		}
	}
	return n
}
