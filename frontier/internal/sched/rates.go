package sched

import "time"

// rateSpan is over how many seconds rates are taken.
const rateSpan = 60

// Rates counts what happens in each of the latest seconds.
type Rates struct {
	first, last  int64 // seconds since 1970
	adds, visits [rateSpan]uint32
}

// at is the place of a second, all before which are forgotten if they are too old.
func (r *Rates) at(now int64) int {
	sec := now / int64(time.Second)
	if r.first == 0 {
		r.first, r.last = sec, sec
	}
	for ; r.last < sec; r.last++ {
		if sec-r.last >= rateSpan {
			*r = Rates{first: r.first, last: sec}
			break
		}
		r.adds[(r.last+1)%rateSpan], r.visits[(r.last+1)%rateSpan] = 0, 0
	}
	return int(r.last % rateSpan)
}

// Added counts URLs that were added.
func (r *Rates) Added(n int, now int64) { r.adds[r.at(now)] += uint32(n) }

func (r *Rates) visited(now int64) { r.visits[r.at(now)]++ }

// PerSecond returns the rates.
func (r *Rates) PerSecond(now int64) (adds, visits float64) {
	if r.first == 0 {
		return 0, 0
	}
	r.at(now)
	for i := range rateSpan {
		adds += float64(r.adds[i])
		visits += float64(r.visits[i])
	}
	span := float64(min(r.last-r.first+1, rateSpan))
	return adds / span, visits / span
}
