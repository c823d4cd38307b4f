package frontier

import (
	"slices"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
)

// pick is the reading of the best requests of a lane from the runs that have
// some of it.
type pick struct {
	moved
	lane    sched.Lane // as it was when the runs were picked
	runs    []picked
	left    bool                // there are more than were read
	gone    map[uint64]struct{} // as shelf.gone
	changes int                 // as it was when the runs were picked
}

// picked is a run, and up to which rank the lane was brought from it.
type picked struct {
	*run
	upTo request.Rank
}

// pick picks the runs, with the one that is being filled or without.
func (st *store) pick(h uint32, which int, filling bool) *pick {
	ho := st.sched.Hosts.At(h)
	p := &pick{moved: moved{host: ho.Key, lane: which}, lane: *st.sched.Shelf.Lanes.At(ho.Lanes[which]), gone: st.sched.Shelf.Gone, changes: st.ahead.changes}
	for _, r := range st.runs {
		p.add(&st.sched.Shelf, r)
	}
	if filling && st.filling != nil {
		p.add(&st.sched.Shelf, st.filling.run)
	}
	return p
}

func (p *pick) add(f *sched.Shelf, r *run) {
	if !r.filter.has(filterKey(p.host, byte(p.moved.lane))) {
		return
	}
	if upTo, ok := f.UpTo(&p.lane, r.stamp); ok {
		p.runs = append(p.runs, picked{r, upTo})
	}
}

// read reads so many requests, the rank of the last of them, and that of the next
// one.
func (p *pick) read(readers *[]reader, want int) error {
	var before request.Stored
	rds, err := p.start(readers)
	for err == nil && len(rds) > 0 {
		i := first(rds)
		p.head = rds[i].Rank()
		if p.n == want {
			break
		}
		p.upTo = p.head
		p.requests = request.AppendStored(p.requests, &rds[i].Stored, &before)
		p.n++
		rds, err = p.next(rds, i)
	}
	p.left = len(rds) > 0
	return err
}

// miscounted says whether the runs hold more or less than the lane says.
func (p *pick) miscounted() bool {
	left := int(p.lane.N) - p.n
	return left < 0 || left > 0 != p.left
}

// start returns a reader at the best request of each run that has one.
func (p *pick) start(readers *[]reader) (rds []*reader, err error) {
	for len(*readers) < len(p.runs) {
		*readers = append(*readers, reader{})
	}
	for i, r := range p.runs {
		rd := &(*readers)[i]
		ok, err := p.has(rd)(rd.seek(r.run, request.Spot{Host: p.host, Lane: byte(p.moved.lane), Rank: r.upTo}))
		if err != nil {
			return nil, err
		}
		if ok {
			rds = append(rds, rd)
		}
	}
	return rds, nil
}

// next goes on in a reader, and drops it at the end.
func (p *pick) next(rds []*reader, i int) ([]*reader, error) {
	ok, err := p.has(rds[i])(rds[i].read())
	if err == nil && !ok {
		rds = slices.Delete(rds, i, i+1)
	}
	return rds, err
}

// has reads on, after a read, to what was not taken out, and says whether that is
// of the lane.
func (p *pick) has(rd *reader) func(bool, error) (bool, error) {
	return func(ok bool, err error) (bool, error) {
		for ok && err == nil && len(p.gone) > 0 {
			if _, gone := p.gone[rd.Seq]; !gone {
				break
			}
			ok, err = rd.read()
		}
		return ok && err == nil && rd.Host == p.host && rd.Stored.Lane == byte(p.moved.lane), err
	}
}

// behind leaves out what is not behind a rank.
func (p *pick) behind(r request.Rank) {
	for i := range p.runs {
		if p.runs[i].upTo.Before(r) {
			p.runs[i].upTo = r
		}
	}
}

// first is the reader with the first request.
func first(rds []*reader) (best int) {
	for i := 1; i < len(rds); i++ {
		if rds[i].Spot().Before(rds[best].Spot()) {
			best = i
		}
	}
	return best
}
