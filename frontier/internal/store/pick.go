package store

import (
	"slices"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
)

// Pick is the reading of the best requests of a lane from the runs that have
// some of it.
type Pick struct {
	Moved
	Lane    sched.Lane // as it was when the runs were picked
	runs    []picked
	left    bool       // there are more than were read
	Gone    sched.Gone // of the shelf
	Changes int        // as it was when the runs were picked
}

// picked is a run, and up to which rank the lane was brought from it.
type picked struct {
	*Run
	upTo request.Rank
}

// Pick picks the runs, with the one that is being filled or without.
func (st *Store) Pick(h uint32, which int, filling bool) *Pick {
	ho := st.Sched.Hosts.At(h)
	p := &Pick{Moved: Moved{Host: ho.Key, Lane: which}, Lane: *st.Sched.Shelf.Lanes.At(ho.Lanes[which]), Gone: st.Sched.Shelf.Gone, Changes: st.Ahead.Changes}
	for _, r := range st.Runs {
		p.add(&st.Sched.Shelf, r)
	}
	if filling && st.Filling != nil {
		p.add(&st.Sched.Shelf, st.Filling.Run)
	}
	return p
}

func (p *Pick) add(f *sched.Shelf, r *Run) {
	if !r.filter.has(filterKey(p.Host, byte(p.Moved.Lane))) {
		return
	}
	if upTo, ok := f.UpTo(&p.Lane, r.Stamp); ok {
		p.runs = append(p.runs, picked{r, upTo})
	}
}

// Read reads so many requests, the rank of the last of them, and that of the next
// one.
func (p *Pick) Read(readers *[]Reader, want int) error {
	var before request.Stored
	rds, err := p.start(readers)
	for err == nil && len(rds) > 0 {
		i := First(rds)
		p.Head = rds[i].Rank()
		if p.N == want {
			break
		}
		p.UpTo = p.Head
		p.Requests = request.AppendStored(p.Requests, &rds[i].Stored, &before)
		p.N++
		rds, err = p.next(rds, i)
	}
	p.left = len(rds) > 0
	return err
}

// Miscounted says whether the runs hold more or less than the lane says.
func (p *Pick) Miscounted() bool {
	left := int(p.Lane.N) - p.N
	return left < 0 || left > 0 != p.left
}

// start returns a reader at the best request of each run that has one.
func (p *Pick) start(readers *[]Reader) (rds []*Reader, err error) {
	for len(*readers) < len(p.runs) {
		*readers = append(*readers, Reader{})
	}
	for i, r := range p.runs {
		rd := &(*readers)[i]
		ok, err := p.has(rd)(rd.seek(r.Run, request.Spot{Host: p.Host, Lane: byte(p.Moved.Lane), Rank: r.upTo}))
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
func (p *Pick) next(rds []*Reader, i int) ([]*Reader, error) {
	ok, err := p.has(rds[i])(rds[i].Read())
	if err == nil && !ok {
		rds = slices.Delete(rds, i, i+1)
	}
	return rds, err
}

// has reads on, after a read, to what was not taken out, and says whether that is
// of the lane.
func (p *Pick) has(rd *Reader) func(bool, error) (bool, error) {
	return func(ok bool, err error) (bool, error) {
		for ok && err == nil && p.Gone.Has(rd.Seq) {
			ok, err = rd.Read()
		}
		return ok && err == nil && rd.Host == p.Host && rd.Stored.Lane == byte(p.Moved.Lane), err
	}
}

// behind leaves out what is not behind a rank.
func (p *Pick) behind(r request.Rank) {
	for i := range p.runs {
		if p.runs[i].upTo.Before(r) {
			p.runs[i].upTo = r
		}
	}
}

// First is the reader with the first request.
func First(rds []*Reader) (best int) {
	for i := 1; i < len(rds); i++ {
		if rds[i].Spot().Before(rds[best].Spot()) {
			best = i
		}
	}
	return best
}

// Moved is requests of a lane that were brought to memory.
type Moved struct {
	Host       uint64 // key
	Lane       int
	UpTo, Head request.Rank
	N          int
	Requests   []byte // as in a run
}
