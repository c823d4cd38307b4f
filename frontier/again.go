package frontier

import (
	"context"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// findAgain notes which of the candidates that are to be queued although they are known
// do not wait on disk. The lock is held.
func (f *front) findAgain(ctx context.Context, cs []candidate) error {
	var byHost map[uint32][]candidate
	s := f.sched
	for i := range cs {
		c := &cs[i]
		if !c.again {
			continue
		}
		h, ok := s.hosts.Find(c.host)
		if !ok || s.hosts.At(h).lanes == [request.Lanes]uint32{} {
			continue
		}
		if byHost == nil {
			byHost = map[uint32][]candidate{}
		}
		byHost[h] = append(byHost[h], *c)
	}
	waiting := map[uint64]bool{}
	for h, some := range byHost {
		away, err := s.findShelved(ctx, h, some)
		if err != nil {
			return err
		}
		if s.shelf.fault != nil {
			return diskError(s.shelf.fault)
		}
		for _, x := range away {
			waiting[s.key(x.URL, x.Variant)] = true
		}
	}
	if len(waiting) > 0 {
		for i := range cs {
			cs[i].again = cs[i].again && !waiting[cs[i].fp]
		}
	}
	return nil
}

// addAgain queues a candidate that was visited before.
func (s *schedule) addAgain(c *candidate, now int64) verdict {
	if _, live := s.live.Find(c.fp); live {
		return s.lower(c.fp, c.host, c.Depth)
	}
	h, first := s.hostOf(c)
	if s.hosts.At(h).dropped() {
		return known
	}
	delete(s.lowered, c.fp)
	s.place(s.insert(&c.Request, c.fp, h), now)
	if first {
		return addedFirst
	}
	return added
}
