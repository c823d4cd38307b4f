package refresh

import (
	"cmp"
	"container/heap"
	"math"
	"math/rand/v2"
	"time"
)

// web is pages that change at Poisson times, crawled in simulated time.
type web struct {
	dated bool    // pages tell when they changed
	slots float64 // visits a day that can be made; 0: as many as the budget has
	rng   *rand.Rand
	pages []copied
}

// copied is a page and the copy of it. Times are in days.
type copied struct {
	History
	due             time.Time
	rate            float64
	changed, change float64 // the latest change and the next
	stale           float64 // when the copy is out of date; meaningless before the first visit
	last            float64
	fresh           float64 // time for which copies were fresh
	visits          int
}

func newWeb(seed uint64, n int, rates ...float64) *web {
	w := &web{rng: rand.New(rand.NewPCG(seed, 1)), pages: make([]copied, n)}
	for i := range w.pages {
		p := &w.pages[i]
		p.rate, p.changed = rates[i%len(rates)], -100
		p.change = w.wait(p.rate)
	}
	return w
}

func (w *web) wait(rate float64) float64 {
	if rate == 0 {
		return math.Inf(1)
	}
	return w.rng.ExpFloat64() / rate
}

func day(t float64) time.Time {
	return time.Unix(1e9, 0).UTC().Add(time.Duration(t * 24 * float64(time.Hour)))
}

// visit makes a copy of page i.
func (w *web) visit(i int, t float64) Visit {
	p := &w.pages[i]
	v := Visit{At: day(t)}
	for p.change <= t {
		v.Changed = v.Changed || p.visits > 0 && p.change > p.last
		p.changed = p.change
		p.change += w.wait(p.rate)
	}
	if w.dated {
		v.Modified = day(p.changed)
	}
	w.settle(p, t)
	p.last, p.stale = t, p.change
	p.visits++
	return v
}

func (w *web) settle(p *copied, t float64) {
	if p.visits > 0 {
		p.fresh += min(p.stale, t) - p.last
	}
}

// result is what came of a crawl.
type result struct {
	fresh, uniform, optimal float64 // freshness; what as many visits can give
	used                    float64 // visits, of the budget
}

// crawl visits pages for some days when the scheduler wants it, but no more
// than perDay known ones a day, and new ones at a pace of their own.
func (w *web) crawl(s *Scheduler, perDay, days float64) result {
	s.PerSecond = perDay / 86400
	slots := cmp.Or(w.slots, perDay)
	var q dues
	for i := range w.pages {
		heap.Push(&q, due{float64(i) / (20 * perDay), i, false})
	}
	slot, visits := 0.0, 0
	for q.Len() > 0 {
		d := heap.Pop(&q).(due)
		if p := w.pages[d.page]; p.visits > 0 && !d.granted {
			// It gets the next slot: the budget is kept whatever the scheduler wants.
			slot = max(slot, d.at-3/slots) + 1/slots
			heap.Push(&q, due{max(slot, d.at), d.page, true})
			continue
		}
		if d.at > days {
			break
		}
		visits++
		heap.Push(&q, due{w.turn(s, d.page, d.at), d.page, false})
	}
	r := result{used: float64(visits) / (perDay * days)}
	for i := range w.pages {
		w.settle(&w.pages[i], days)
		r.fresh += w.pages[i].fresh / days / float64(len(w.pages))
	}
	r.uniform, r.optimal = w.ideal(float64(visits) / days)
	return r
}

// turn visits a page as the scheduler wants, and says when it wants it again.
func (w *web) turn(s *Scheduler, page int, t float64) float64 {
	p := &w.pages[page]
	p.History, p.due = s.Visit(p.History, w.visit(page, t))
	return p.due.Sub(day(0)).Hours() / 24
}

// free goes on for some days with every visit the scheduler wants, and counts
// them.
func (w *web) free(s *Scheduler, from, to float64) (visits int) {
	var q dues
	for i, p := range w.pages {
		heap.Push(&q, due{max(p.due.Sub(day(0)).Hours()/24, from), i, true})
	}
	for {
		d := heap.Pop(&q).(due)
		if d.at > to {
			return visits
		}
		visits++
		heap.Push(&q, due{w.turn(s, d.page, d.at), d.page, true})
	}
}

// ideal is the freshness that visits at known rates of change can have.
func (w *web) ideal(perDay float64) (uniform, optimal float64) {
	all := make([]Page, len(w.pages))
	for i, p := range w.pages {
		all[i].Rate = p.rate / 86400
	}
	plan, err := Allocate(Optimal{}, all, perDay/86400)
	if err != nil {
		panic(err)
	}
	n := float64(len(all))
	for i, p := range all {
		uniform += MeanFresh(p.Rate, duration(n/perDay*86400)) / n
		optimal += MeanFresh(p.Rate, duration(plan.Intervals[i])) / n
	}
	return uniform, optimal
}

type due struct {
	at      float64
	page    int
	granted bool // it has its slot
}

type dues []due

func (d dues) Len() int           { return len(d) }
func (d dues) Less(i, j int) bool { return d[i].at < d[j].at }
func (d dues) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *dues) Push(x any)        { *d = append(*d, x.(due)) }
func (d *dues) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}
