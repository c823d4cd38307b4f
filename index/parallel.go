package index

import (
	"cmp"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// sideBySide calls what begin returns for each segment, for several at a time: of
// each worker for one after another. Begin is called for all workers before, with
// the run of each.
func (c *commit) sideBySide(r *run, begin func(own *run) (segment func(view int) error)) error {
	var (
		next   atomic.Int64
		wait   sync.WaitGroup
		runs   = make([]run, min(r.threads, len(c.views)))
		work   = make([]func(int) error, len(runs))
		errs   = make([]error, len(runs))
		broken = make([]any, len(runs))
	)
	for n := range runs {
		runs[n] = *r
		runs[n].room, runs[n].columns = nil, nil
		work[n] = begin(&runs[n])
	}
	for n := range runs {
		own := &runs[n]
		wait.Go(func() {
			debug.SetPanicOnFault(true)
			defer func() { broken[n] = recover() }()
			defer own.leave()
			for i := next.Add(1) - 1; i < int64(len(c.views)) && errs[n] == nil && !own.cut; i = next.Add(1) - 1 {
				errs[n] = work[n](int(i))
			}
		})
	}
	wait.Wait()
	for n := range runs {
		if broken[n] != nil {
			panic(broken[n]) // as it would be without workers
		}
		r.cut, r.pruned = r.cut || runs[n].cut, r.pruned || runs[n].pruned
	}
	return cmp.Or(errs...)
}

// parallel reports whether segments are searched at the same time.
func (c *commit) parallel(r *run) bool { return r.threads > 1 && len(c.views) > 1 }

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

// bestSideBySide is [commit.best] in several segments at a time.
func (c *commit) bestSideBySide(r *run, root plan, k, upTo int) ([]found, Count, error) {
	var floor sharedFloor
	var workers []*collector
	err := c.sideBySide(r, func(own *run) func(int) error {
		w := newCollector(own, k, upTo)
		workers = append(workers, w)
		return func(view int) error {
			w.floor = max(w.floor, floor.load())
			err := w.segment(c, root, view, k)
			floor.raise(w.floor)
			return err
		}
	})
	if err != nil {
		return nil, Count{}, err
	}
	all, total := []found(nil), Count{Exact: !r.pruned && !r.cut}
	for _, w := range workers {
		all = append(all, w.best...)
		total.Value += w.total
	}
	return all, total, nil
}

// fork returns an arranger of the same search for some of the segments.
func (a *arranger) fork(own *run) *arranger {
	out := &arranger{run: own, commit: a.commit, keys: a.keys, after: a.after, collapse: a.collapse.fork(), prune: a.prune, upTo: a.upTo}
	out.best = ladder{a: out, k: a.best.k}
	for _, c := range a.counts {
		out.counts = append(out.counts, c.fork())
	}
	return out
}

// join takes up what a fork has found.
func (a *arranger) join(fork *arranger) {
	a.total += fork.total
	for i, c := range fork.counts {
		a.counts[i].counter.Merge(c.counter)
	}
	if a.collapse != nil {
		for group, n := range fork.collapse.before {
			a.collapse.before[group] += n
		}
	}
	for _, it := range fork.best.items {
		a.best.add(it)
	}
}

// eachSideBySide is [arranger.each] for several segments at a time.
func (a *arranger) eachSideBySide(root plan, f func(*arranging, walk)) error {
	var forks []*arranger
	err := a.commit.sideBySide(a.run, func(own *run) func(int) error {
		fork := a.fork(own)
		forks = append(forks, fork)
		return func(view int) error { return fork.segment(root, view, f) }
	})
	if err != nil {
		return err
	}
	for _, fork := range forks {
		a.join(fork)
	}
	return a.err
}
