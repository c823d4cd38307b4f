package frontier

import (
	"context"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
)

// findAgain notes which of the candidates that are to be queued although they are known
// do not wait on disk. The lock is held.
func (f *front) findAgain(ctx context.Context, cs []sched.Candidate) error {
	var byHost map[uint32][]sched.Candidate
	s := f.sched
	for i := range cs {
		c := &cs[i]
		if !c.Again {
			continue
		}
		h, ok := s.Hosts.Find(c.Host)
		if !ok || s.Hosts.At(h).Lanes == [request.Lanes]uint32{} {
			continue
		}
		if byHost == nil {
			byHost = map[uint32][]sched.Candidate{}
		}
		byHost[h] = append(byHost[h], *c)
	}
	waiting := map[uint64]bool{}
	for h, some := range byHost {
		away, err := s.FindShelved(ctx, h, some)
		if err != nil {
			return err
		}
		if s.Shelf.Fault != nil {
			return diskError(s.Shelf.Fault)
		}
		for _, x := range away {
			waiting[s.Key(x.URL, x.Variant)] = true
		}
	}
	if len(waiting) > 0 {
		for i := range cs {
			cs[i].Again = cs[i].Again && !waiting[cs[i].FP]
		}
	}
	return nil
}
