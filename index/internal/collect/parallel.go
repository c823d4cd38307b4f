package collect

import (
	"cmp"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/webquarry/quarry/index/internal/exec"
)

// sideBySide calls what begin returns for each segment, for several at a time: of
// each worker for one after another. Begin is called for all workers before, with
// the run of each.
func sideBySide(r *exec.Run, c *exec.Collection, begin func(own *exec.Run) (segment func(view int) error)) error {
	var (
		next   atomic.Int64
		wait   sync.WaitGroup
		runs   = make([]exec.Run, min(r.Threads, len(c.Views)))
		work   = make([]func(int) error, len(runs))
		errs   = make([]error, len(runs))
		broken = make([]any, len(runs))
	)
	for n := range runs {
		runs[n] = *r
		runs[n].Room, runs[n].Columns = nil, nil
		work[n] = begin(&runs[n])
	}
	for n := range runs {
		own := &runs[n]
		wait.Go(func() {
			debug.SetPanicOnFault(true)
			defer func() { broken[n] = recover() }()
			defer own.Leave()
			for i := next.Add(1) - 1; i < int64(len(c.Views)) && errs[n] == nil && !own.Cut; i = next.Add(1) - 1 {
				errs[n] = work[n](int(i))
			}
		})
	}
	wait.Wait()
	for n := range runs {
		if broken[n] != nil {
			panic(broken[n]) // as it would be without workers
		}
		r.Cut, r.Pruned = r.Cut || runs[n].Cut, r.Pruned || runs[n].Pruned
	}
	return cmp.Or(errs...)
}

// parallel reports whether segments are searched at the same time.
func parallel(r *exec.Run, c *exec.Collection) bool { return r.Threads > 1 && len(c.Views) > 1 }

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

// bestSideBySide is [finding.best] in several segments at a time.
func (f finding) bestSideBySide() ([]Found, Total, error) {
	var floor sharedFloor
	var workers []*collector
	err := sideBySide(f.run, f.in, func(own *exec.Run) func(int) error {
		w := f.collector(own)
		workers = append(workers, w)
		return func(view int) error {
			w.floor = max(w.floor, floor.load())
			err := w.segment(f, view)
			floor.raise(w.floor)
			return err
		}
	})
	if err != nil {
		return nil, Total{}, err
	}
	all, n := []Found(nil), Total{Exact: !f.run.Pruned && !f.run.Cut}
	for _, w := range workers {
		all = append(all, w.best...)
		n.Value += w.total
		giveScratch(f.in, w.scratch)
	}
	return all, n, nil
}

// fork returns an arranger of the same search for some of the segments.
func (a *arranger) fork(own *exec.Run) *arranger {
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
func (a *arranger) eachSideBySide(root exec.Plan, f func(*arranging, exec.Iterator)) error {
	var forks []*arranger
	err := sideBySide(a.run, a.commit, func(own *exec.Run) func(int) error {
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
