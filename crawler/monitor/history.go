package monitor

import (
	"time"

	"github.com/webquarry/quarry/crawler"
)

// Series are counts for each step of time, the oldest first. The last step is
// not over yet.
type Series struct {
	Step    float64 `json:"step"` // seconds
	Pages   []int64 `json:"pages"`
	Bytes   []int64 `json:"bytes"`
	Failed  []int64 `json:"failed"`
	Retried []int64 `json:"retried"`
	Skipped []int64 `json:"skipped"`
	Queued  []int64 `json:"queued"` // at the end of the step
}

// history keeps the last five minutes by the second and the last day by the
// minute.
type history struct{ seconds, minutes ring }

func newHistory() history {
	return history{
		ring{step: time.Second, steps: make([]point, 300)},
		ring{step: time.Minute, steps: make([]point, 24*60)},
	}
}

type point struct{ pages, bytes, failed, retried, skipped, queued int64 }

// ring holds a point for each of the last steps.
type ring struct {
	step  time.Duration
	steps []point
	first int64 // number of the step that began it all
	last  int64 // number of the latest step; 0: none yet
}

func (h *history) add(e crawler.Event, bytes int64, now time.Time) {
	for _, r := range [...]*ring{&h.seconds, &h.minutes} {
		p := r.at(now)
		p.bytes += bytes
		p.queued = int64(e.Queue.Queued)
		switch e.Kind {
		case crawler.Fetched:
			p.pages++
		case crawler.Failed:
			p.failed++
		case crawler.Retrying:
			p.retried++
		case crawler.Skipped:
			p.skipped++
		}
	}
}

// at returns the point of a time, which is not before any earlier one's.
func (r *ring) at(now time.Time) *point {
	n, most := now.UnixNano()/int64(r.step), int64(len(r.steps))
	if r.last == 0 {
		r.first, r.last = n, n
	}
	queued := r.steps[r.last%most].queued
	for r.last = max(r.last, n-most); r.last < n; {
		r.last++
		r.steps[r.last%most] = point{queued: queued}
	}
	return &r.steps[r.last%most]
}

// series returns the points up to a time.
func (r *ring) series(now time.Time) Series {
	s := Series{Step: r.step.Seconds()}
	if r.last == 0 {
		return s
	}
	r.at(now)
	most := int64(len(r.steps))
	for n := max(r.first, r.last-most+1); n <= r.last; n++ {
		p := r.steps[n%most]
		s.Pages = append(s.Pages, p.pages)
		s.Bytes = append(s.Bytes, p.bytes)
		s.Failed = append(s.Failed, p.failed)
		s.Retried = append(s.Retried, p.retried)
		s.Skipped = append(s.Skipped, p.skipped)
		s.Queued = append(s.Queued, p.queued)
	}
	return s
}
