package index

import (
	"cmp"
	"math"
	"sync"
	"sync/atomic"
)

// sharedFloor is a score that a match needs at least, as far as any of the
// searches over parts of the segments knows.
type sharedFloor struct{ bits atomic.Uint64 }

func (f *sharedFloor) load() float64 { return math.Float64frombits(f.bits.Load()) }

// raise raises the floor; scores are not negative, so their bits are in order.
func (f *sharedFloor) raise(score float64) {
	for {
		was := f.bits.Load()
		if math.Float64frombits(was) >= score || f.bits.CompareAndSwap(was, math.Float64bits(score)) {
			return
		}
	}
}

// sideBySide finds the best k matches as [commit.best] does, in several segments
// at a time.
func (c *commit) sideBySide(r *run, root plan, k, upTo int) ([]found, Count, error) {
	var (
		next    atomic.Int64
		floor   sharedFloor
		wait    sync.WaitGroup
		workers = make([]*collector, min(r.threads, len(c.views)))
		errs    = make([]error, len(workers))
		broken  = make([]any, len(workers))
	)
	for n := range workers {
		own := *r
		own.room, own.columns = nil, nil
		workers[n] = newCollector(&own, k, upTo)
		wait.Go(func() {
			defer func() { broken[n] = recover() }()
			defer own.leave()
			for i := next.Add(1) - 1; i < int64(len(c.views)) && errs[n] == nil && !own.cut; i = next.Add(1) - 1 {
				workers[n].floor = max(workers[n].floor, floor.load())
				errs[n] = workers[n].segment(c, root, int(i), k)
				floor.raise(workers[n].floor)
			}
		})
	}
	wait.Wait()
	all, total := []found(nil), Count{Exact: true}
	for n, w := range workers {
		if broken[n] != nil {
			panic(broken[n]) // as it would be without workers
		}
		all = append(all, w.best...)
		total.Value += w.total
		total.Exact = total.Exact && !w.run.pruned && !w.run.cut
		r.cut = r.cut || w.run.cut
	}
	if err := cmp.Or(errs...); err != nil {
		return nil, Count{}, err
	}
	return all, total, nil
}
