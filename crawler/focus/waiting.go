package focus

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

const (
	maxWaiting = 100_000 // links that are remembered
	maxVisited = 1 << 20 // pages that are known to be visited; then it begins anew

	rescoreAfter = 32   // pages that are learned from before the queue is looked through again, at least
	rescoreShare = 0.02 // of the queue, likewise
	rescoreStep  = 0.02 // change of a promise that is told
)

// lead is what is remembered of a link that waits.
type lead struct {
	signals
	promise   float64
	potential float64 // of the best page that links to it
	off       int     // likewise, the fewest
}

// waiting holds the links that wait, by URL.
type waiting struct {
	leads   map[string]*lead
	visited map[uint64]struct{}
	better  map[string]bool // links that another page makes look better
	cash    map[string]float64
	since   int // pages learned from since the queue was looked through
}

func newWaiting() waiting {
	return waiting{leads: map[string]*lead{}, visited: map[uint64]struct{}{}, better: map[string]bool{}, cash: map[string]float64{}}
}

// add remembers a link, or that another one leads to the same place, and
// returns what the best of them promises.
func (w *waiting) add(url string, l lead) float64 {
	if _, done := w.visited[hash(url)]; done {
		return l.promise
	}
	old := w.leads[url]
	if old == nil {
		w.makeRoom()
		w.leads[url] = &l
		return l.promise
	}
	old.potential, old.off = max(old.potential, l.potential), min(old.off, l.off)
	if l.promise > old.promise {
		if l.promise > old.promise+rescoreStep {
			w.better[url] = true
		}
		old.signals, old.promise = l.signals, l.promise
	}
	return old.promise
}

// makeRoom forgets the less promising half when there are too many.
func (w *waiting) makeRoom() {
	if len(w.leads) < maxWaiting {
		return
	}
	urls := slices.SortedFunc(maps.Keys(w.leads), func(a, b string) int {
		return cmp.Or(cmp.Compare(w.leads[a].promise, w.leads[b].promise), cmp.Compare(a, b))
	})
	for _, u := range urls[:len(urls)/2] {
		delete(w.leads, u)
		delete(w.better, u)
	}
}

// take forgets a link that was visited.
func (w *waiting) take(urls ...string) (l lead, ok bool) {
	if len(w.visited) >= maxVisited {
		clear(w.visited)
	}
	for _, u := range urls {
		if u == "" {
			continue
		}
		w.visited[hash(u)] = struct{}{}
		if known := w.leads[u]; known != nil {
			if !ok || known.promise > l.promise {
				l = *known
			}
			ok = true
			delete(w.leads, u)
			delete(w.better, u)
		}
	}
	w.since++
	return l, ok
}

// pay hands on to a URL its part of the importance of the page that it stands
// on, and returns what it has. A seed has an importance of 1.
func (w *waiting) pay(from *crawler.Page, url string) float64 {
	have, known := w.cash[from.URL]
	if !known {
		have = 1
	}
	if len(w.cash) >= maxWaiting {
		clear(w.cash)
	}
	w.cash[url] += have / float64(max(len(from.Links), 1))
	return w.cash[url] * float64(max(len(w.leads), 1))
}

// hash is FNV-1a.
func hash(s string) uint64 { return math.Float64bits(uniform(0, s)) }

// rescore tells the Frontier of links that look better or worse than they did:
// at once of those that another page speaks for, and of all that changed after
// some pages were learned from. What goes wrong with it is the Frontier's to tell
// when it is asked for the next page; a link that kept its priority is no harm.
func (f *Focus) rescore(ctx context.Context) {
	to, ok := frontier.As[frontier.Rescorer](f.opt.Frontier)
	if !ok {
		return
	}
	if reqs := f.changed(); len(reqs) > 0 {
		_, _ = to.Rescore(ctx, reqs...)
	}
}

// changed returns the links whose priority is no longer what it was.
func (f *Focus) changed() (reqs []frontier.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := &f.queue
	urls := slices.Sorted(maps.Keys(w.better))
	clear(w.better)
	if !f.opt.Fixed && w.since >= max(rescoreAfter, int(rescoreShare*float64(len(w.leads)))) {
		w.since = 0
		for _, u := range slices.Sorted(maps.Keys(w.leads)) {
			l := w.leads[u]
			if p := f.model.promise(l.signals); math.Abs(p-l.promise) > rescoreStep {
				l.promise = p
				urls = append(urls, u)
			}
		}
	}
	for _, u := range urls {
		if l := w.leads[u]; l != nil {
			reqs = append(reqs, frontier.Request{URL: u, Priority: f.noisy(l.promise, u)})
		}
	}
	return reqs
}
